//! The harness: variants take turns, so that what disturbs the machine disturbs all of them; medians are compared.

use crate::Result;
use std::time::{Duration, Instant};

/// One run of a variant: how long the part that counts took, in nanoseconds.
type Work<'a> = Box<dyn FnMut() -> Result<f64> + 'a>;

/// Several ways to do something, and what each took in every round.
#[derive(Default)]
pub(crate) struct Race<'a> {
    names: Vec<String>,
    works: Vec<Work<'a>>,
    samples: Vec<Vec<f64>>,
}

impl<'a> Race<'a> {
    /// Adds a variant that says itself how long it took.
    pub(crate) fn add(&mut self, name: impl Into<String>, mut work: impl FnMut() -> Result<Duration> + 'a) {
        self.push(name.into(), Box::new(move || Ok(work()?.as_nanos() as f64)));
    }

    /// Adds a variant too short for a clock: `repeats` of it are timed together.
    pub(crate) fn add_short(&mut self, name: impl Into<String>, repeats: usize, mut work: impl FnMut() + 'a) {
        self.push(
            name.into(),
            Box::new(move || {
                let started = Instant::now();
                (0..repeats).for_each(|_| work());
                Ok(started.elapsed().as_nanos() as f64 / repeats as f64)
            }),
        );
    }

    fn push(&mut self, name: String, work: Work<'a>) {
        self.names.push(name);
        self.works.push(work);
        self.samples.push(Vec::new());
    }

    /// Runs every variant `rounds` times, after once that does not count; every other round backwards, so that none
    /// always follows the same one.
    pub(crate) fn run(mut self, rounds: usize) -> Result<Medians> {
        let count = self.works.len();
        for round in 0..=rounds {
            for i in 0..count {
                let i = if round % 2 == 0 { i } else { count - 1 - i };
                let took = self.works[i]()?;
                if round > 0 {
                    self.samples[i].push(took);
                }
            }
        }
        let rows = self.names.into_iter().zip(self.samples).map(|(name, samples)| Row::new(name, samples));
        Ok(Medians(rows.collect()))
    }
}

/// Runs something and says how long it took.
pub(crate) fn timed<T>(work: impl FnOnce() -> Result<T>) -> Result<Duration> {
    let started = Instant::now();
    let value = work()?;
    let took = started.elapsed();
    std::hint::black_box(&value);
    Ok(took)
}

/// What one variant took.
pub(crate) struct Row {
    pub(crate) name: String,
    /// Nanoseconds.
    pub(crate) median: f64,
    /// Where the middle half of the samples begins and ends.
    quartiles: (f64, f64),
}

impl Row {
    fn new(name: String, mut samples: Vec<f64>) -> Row {
        samples.sort_by(f64::total_cmp);
        let at = |share: f64| samples.get(((samples.len() as f64 - 1.0) * share).round() as usize).copied();
        let at = |share: f64| at(share).unwrap_or(f64::NAN);
        Row { name, median: at(0.5), quartiles: (at(0.25), at(0.75)) }
    }
}

/// The medians of a race, in the order in which its variants were added.
pub(crate) struct Medians(pub(crate) Vec<Row>);

impl Medians {
    /// Prints a table with, for each `(heading, row)`, the ratio to that row.
    pub(crate) fn print(&self, what: &str, ratios: &[(&str, usize)]) {
        let mut header = vec![what.to_owned(), "median".to_owned(), "middle half".to_owned()];
        header.extend(ratios.iter().map(|(heading, _)| (*heading).to_owned()));
        let rows = self.0.iter().map(|row| {
            let (low, high) = row.quartiles;
            let mut cells =
                vec![row.name.clone(), time(row.median), format!("{} to {}", time(low), time(high))];
            cells.extend(ratios.iter().map(|(_, base)| format!("{:.2}", row.median / self.0[*base].median)));
            cells
        });
        table(&header, &rows.collect::<Vec<_>>());
    }
}

/// Prints a Markdown table, numbers to the right.
pub(crate) fn table(header: &[String], rows: &[Vec<String>]) {
    let width = |column: usize| {
        let cells =
            rows.iter().chain(std::iter::once(&header.to_vec())).map(|row| row[column].chars().count()).max();
        cells.unwrap_or_default()
    };
    let widths: Vec<usize> = (0..header.len()).map(width).collect();
    let line = |cells: &[String]| {
        let cells = cells.iter().zip(&widths).enumerate().map(|(column, (cell, width))| match column {
            0 => format!("{cell:<width$}"),
            _ => format!("{cell:>width$}"),
        });
        format!("| {} |", cells.collect::<Vec<_>>().join(" | "))
    };
    println!("{}", line(header));
    let rules = widths.iter().enumerate().map(|(column, width)| match column {
        0 => "-".repeat(width + 2),
        _ => format!("{}:", "-".repeat(width + 1)),
    });
    println!("|{}|", rules.collect::<Vec<_>>().join("|"));
    rows.iter().for_each(|row| println!("{}", line(row)));
}

/// Nanoseconds in the unit that gives three digits.
pub(crate) fn time(nanoseconds: f64) -> String {
    let (value, unit) = match nanoseconds.abs() {
        below if below < 1e3 => (nanoseconds, "ns"),
        below if below < 1e6 => (nanoseconds / 1e3, "µs"),
        below if below < 1e9 => (nanoseconds / 1e6, "ms"),
        _ => (nanoseconds / 1e9, "s"),
    };
    let digits = if value.abs() < 10.0 { 2 } else { usize::from(value.abs() < 100.0) };
    format!("{value:.digits$} {unit}")
}
