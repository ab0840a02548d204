//! Each step from a library file to running code.

use crate::built::{Built, library_name, renamed, write_private};
use crate::measure::{Race, timed};
use crate::one_call::prober;
use crate::{Result, Run};
use std::fs;
use std::path::Path;
use std::time::Instant;
use stud_host::{Digest, StagedCopy, Staging, describe_staged, inspect_library};

pub(crate) fn measure(run: &Run, built: &Built) -> Result<()> {
    let rounds = run.rounds(41);
    let word = built.word();
    let staging = Staging::new(run.place.home().join("staged"));
    let prober = prober(built);
    let digest = Digest::of(&fs::read(word)?);
    let staged = staging.stage(word, digest).map_err(error)?;
    let elsewhere = Staging::new(run.place.directory("staged-elsewhere")?);
    let mut race = Race::default();

    for (name, file) in [
        ("stripped", word),
        ("debug build, not stripped", &built.word_debug),
        ("search tools, not stripped", &built.search),
    ] {
        race.add(format!("read the contract: {name}, {} KB", kilobytes(file)?), move || {
            timed(|| sound(inspect_library(file)))
        });
    }

    race.add("stage: first copy", || {
        let started = Instant::now();
        let copy = elsewhere.stage(word, digest).map_err(error)?;
        let took = started.elapsed();
        fs::remove_file(copy.path())?;
        Ok(took)
    });
    race.add("stage: the copy is there", || timed(|| staging.stage(word, digest).map_err(error)));

    // A library stays open for the life of the process: each round opens another one, with the same code in it.
    let mut unopened = distinct(run, word, &staging, rounds + 1)?;
    race.add("open, check layouts, describe: in process, never seen", move || {
        let staged = unopened.pop().ok_or("there are fewer libraries than rounds")?;
        timed(|| describe_staged(&staged).map_err(error))
    });
    describe_staged(&staged).map_err(error)?;
    race.add("the same: already open", || timed(|| describe_staged(&staged).map_err(error)));
    race.add("the same: through the helper process", || timed(|| prober.describe(&staged).map_err(error)));
    race.add("(a process that does nothing: `stud --version`)", || {
        timed(|| Ok(std::process::Command::new(&built.stud).arg("--version").output()?))
    });
    race.run(rounds)?.print("one plugin", &[]);
    println!(
        "\n`inspect_library` hashes and checks the file more than once; start-up does so once, and only for files it has not seen."
    );
    Ok(())
}

/// Copies with other bytes and the same code, staged.
fn distinct(run: &Run, word: &Path, staging: &Staging, count: usize) -> Result<Vec<StagedCopy>> {
    let directory = run.place.directory("distinct")?;
    let library = fs::read(word)?;
    let stage = |number| {
        let bytes = renamed(&library, number)?;
        let file = directory.join(library_name(&format!("w_{number}")));
        write_private(&file, &bytes)?;
        staging.stage(&file, Digest::of(&bytes)).map_err(error)
    };
    (0..count).map(stage).collect()
}

/// An inspection that found a plugin: another one would be measured for less.
fn sound(
    inspection: std::result::Result<stud_host::Inspection, stud_host::Diagnostic>,
) -> Result<stud_host::Inspection> {
    let inspection = inspection.map_err(error)?;
    match inspection.problems.first() {
        None => Ok(inspection),
        Some(problem) => Err(format!("{}: {}", inspection.file.display(), problem.message).into()),
    }
}

fn kilobytes(file: &Path) -> Result<u64> {
    Ok(fs::metadata(file)?.len() / 1000)
}

fn error(diagnostic: stud_host::Diagnostic) -> Box<dyn std::error::Error + Send + Sync> {
    diagnostic.to_string().into()
}
