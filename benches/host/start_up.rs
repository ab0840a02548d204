//! `stud tools --json` with no plugin and with a thousand in the global layer.

use crate::built::{Built, library_name, make_private, renamed, write_private};
use crate::measure::{Race, time, timed};
use crate::{Result, Run};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant, SystemTime};

/// One home with so many plugins, and an empty project and bundled layer beside it.
struct Home {
    stud: PathBuf,
    home: PathBuf,
    empty: PathBuf,
}

pub(crate) fn measure(run: &Run, built: &Built) -> Result<()> {
    let many = run.amount(1000, 50);
    let none = Home::new(run, built, 0)?;
    let full = Home::new(run, built, many)?;
    for (home, count) in [(&none, 0), (&full, many)] {
        let active = home.active()?;
        if active != count {
            return Err(format!("{count} plugins are there, `stud tools` finds {active} active tools").into());
        }
    }
    full.settle()?;
    let mut race = Race::default();
    race.add("no plugin, warm", || none.start());
    race.add(format!("{many} plugins, warm"), || full.start());
    race.add("no plugin, cache removed", || none.start_cold());
    race.add(format!("{many} plugins, cache removed"), || full.start_cold());
    let medians = race.run(run.rounds(21))?;
    medians.print("`stud tools --json`", &[]);
    let difference = |of: usize, to: usize| medians.0[of].median - medians.0[to].median;
    let (warm, cold) = (difference(1, 0), difference(3, 2));
    let size = fs::metadata(built.word())?.len();
    println!(
        "\n{many} plugins of {size} bytes cost {} more warm (target: at most 100 ms), {} more without the cache: {} and {} \
         a plugin. The files are in the page cache in all cases.",
        time(warm),
        time(cold),
        time(warm / many as f64),
        time(cold / many as f64),
    );
    Ok(())
}

impl Home {
    fn new(run: &Run, built: &Built, plugins: usize) -> Result<Home> {
        let home = run.place.directory(&format!("home-of-{plugins}"))?;
        let tools = home.join("tools");
        make_private(&tools)?;
        let library = fs::read(built.word())?;
        for number in 0..plugins {
            write_private(&tools.join(library_name(&format!("w_{number}"))), &renamed(&library, number)?)?;
        }
        Ok(Home { stud: built.stud.clone(), home, empty: run.place.directory("empty")? })
    }

    /// The whole process, from its start to its end, with what it prints.
    fn list(&self) -> Result<Vec<u8>> {
        let output = Command::new(&self.stud)
            .args(["tools", "--json"])
            .env("STUD_HOME", &self.home)
            .env("STUD_BUNDLED", &self.empty)
            .current_dir(&self.empty)
            .output()?;
        if output.status.success() {
            return Ok(output.stdout);
        }
        Err(format!("`stud tools --json`: {}: {}", output.status, String::from_utf8_lossy(&output.stderr))
            .into())
    }

    /// Waits until the host remembers every file: it does not cache one that was written just now, because that could
    /// be written again within the same tick of the file system's clock.
    fn settle(&self) -> Result<()> {
        let started = Instant::now();
        while started.elapsed() < Duration::from_secs(60) {
            let before = self.remembered();
            self.list()?;
            if self.remembered() == before && started.elapsed() > Duration::from_secs(5) {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(500));
        }
        Err("the cache is written again at every start: no start is a warm one".into())
    }

    /// When the cache was written last.
    fn remembered(&self) -> Option<SystemTime> {
        let files = fs::read_dir(self.cache()).ok()?;
        files.filter_map(|file| file.ok()?.metadata().ok()?.modified().ok()).max()
    }

    fn active(&self) -> Result<usize> {
        let listing: serde_json::Value = serde_json::from_slice(&self.list()?)?;
        let tools = listing["tools"].as_array().into_iter().flatten();
        Ok(tools.filter(|tool| tool["status"] == "active").count())
    }

    /// The cache is as the start before left it.
    fn start(&self) -> Result<Duration> {
        timed(|| self.list())
    }

    fn start_cold(&self) -> Result<Duration> {
        if self.cache().exists() {
            fs::remove_dir_all(self.cache())?;
        }
        timed(|| self.list())
    }

    fn cache(&self) -> PathBuf {
        Path::new(&self.home).join("cache")
    }
}
