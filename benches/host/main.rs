//! What the host costs, as ratios between variants that take turns in one run. No test asserts a time.
//!
//! ```text
//! cargo bench -p stud-benches                    all of it, enough samples for steady medians
//! cargo bench -p stud-benches -- start-up grep   these sections only
//! cargo bench -p stud-benches -- --once          each thing once and small: that it works, not how fast it is
//! ```
//!
//! The tables are Markdown: docs/benchmarks.md holds those of one machine. `STUD_BENCH_RG` names the ripgrep to compare
//! with, else `rg` is taken from PATH. Everything is written below cargo's target directory.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a benchmark prints what it measured")]
#![allow(clippy::disallowed_methods, reason = "it measures whole processes, and prepares files of its own")]

mod built;
mod grep;
mod loading;
mod measure;
mod one_call;
mod size;
mod start_up;

use built::{Built, Place};
use std::path::PathBuf;
use std::process::{Command, ExitCode};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// Names the directory of a run; set for the second process only.
const PLACE: &str = "STUD_BENCH_PLACE";

/// What one run is to do.
pub(crate) struct Run {
    /// Each thing once, on small data.
    once: bool,
    /// The sections asked for; empty means all.
    only: Vec<String>,
    pub(crate) place: Place,
}

impl Run {
    /// How many rounds are measured where a steady median takes `full`.
    pub(crate) fn rounds(&self, full: usize) -> usize {
        if self.once { 1 } else { full }
    }

    /// A size of data: `full`, or `small` where it only has to work.
    pub(crate) fn amount(&self, full: usize, small: usize) -> usize {
        if self.once { small } else { full }
    }
}

fn main() -> ExitCode {
    match start() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn start() -> Result<ExitCode> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let once = args.iter().any(|arg| arg == "--once");
    if !once && !args.iter().any(|arg| arg == "--bench") {
        println!(
            "skipped: `cargo bench -p stud-benches` measures, with `-- --once` it only tries everything"
        );
        return Ok(ExitCode::SUCCESS);
    }
    let Some(place) = std::env::var_os(PLACE) else { return in_a_place_of_its_own(&args) };
    let only = args.into_iter().filter(|arg| !arg.starts_with("--")).collect();
    let run = Run { once, only, place: Place::new(PathBuf::from(place)) };
    sections(&run)?;
    Ok(ExitCode::SUCCESS)
}

/// Runs this program again with a home of its own: the helper process of the host inherits `STUD_HOME` from it. The
/// directory goes when the other process has ended, however it did.
fn in_a_place_of_its_own(args: &[String]) -> Result<ExitCode> {
    let place = tempfile::Builder::new().prefix("stud-bench-").tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
    let status = Command::new(std::env::current_exe()?)
        .args(args)
        .env(PLACE, place.path())
        .env("STUD_HOME", Place::new(place.path().to_owned()).home())
        .env_remove("STUD_BUNDLED")
        .status()?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

type Section = fn(&Run, &Built) -> Result<()>;

const SECTIONS: [(&str, &str, Section); 5] = [
    ("start-up", "Start-up", start_up::measure),
    ("call", "One call in process", one_call::measure),
    ("loading", "From a file to a plugin", loading::measure),
    ("grep", "Searching a tree", grep::measure),
    ("size", "Size of the ten-line plugin", size::measure),
];

fn sections(run: &Run) -> Result<()> {
    if let Some(unknown) = run.only.iter().find(|name| !SECTIONS.iter().any(|(known, ..)| known == name)) {
        let known = SECTIONS.map(|(name, ..)| name).join(", ");
        return Err(format!("there is no section `{unknown}`: name some of {known}, or none for all").into());
    }
    let built = Built::build(&run.place)?;
    println!("load average before: {}", load_average());
    for (name, title, section) in SECTIONS {
        if run.only.is_empty() || run.only.iter().any(|asked| asked == name) {
            println!("\n## {title}\n");
            section(run, &built)?;
        }
    }
    println!("\nload average after: {}", load_average());
    if run.once {
        println!("each thing ran once, on small data: these times say nothing");
    }
    Ok(())
}

/// One, five and fifteen minutes, where the system says.
fn load_average() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let words: Vec<&str> = text.split_whitespace().take(3).collect();
    if words.is_empty() { "unknown".to_owned() } else { words.join(" ") }
}
