//! Reads the candidates' bytes: from the cache where the file is as it was, else in parallel.

use super::RegistrySources;
use super::cache::{Cache, Outcome, Refused};
use crate::diagnostic::Diagnostic;
use crate::digest::Digest;
use crate::discover::Candidate;
use crate::load::read_regular_file;
use crate::manifest::{LibraryFacts, read_library};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Facts of every candidate, in their order.
pub(super) fn read_all(
    sources: &RegistrySources<'_>,
    candidates: Vec<Candidate>,
) -> Vec<(Candidate, Result<LibraryFacts, Diagnostic>)> {
    let mut cache = Cache::read(&sources.load.cache_dir);
    let mut outcomes: Vec<Option<Result<Outcome, Diagnostic>>> =
        candidates.iter().map(|c| cache.get(&c.file, c.stamp).map(Ok)).collect();
    let missing: Vec<usize> = (0..candidates.len()).filter(|i| outcomes[*i].is_none()).collect();
    for (i, outcome) in read_in_parallel(&candidates, &missing) {
        if let Ok(outcome) = &outcome
            && candidates[i].stamp.is_settled()
        {
            cache.put(&candidates[i].file, candidates[i].stamp, outcome.clone());
        }
        outcomes[i] = Some(outcome);
    }
    let present: BTreeSet<&Path> = candidates.iter().map(|c| c.file.as_path()).collect();
    let layers: Vec<&Path> = sources.layers.iter().map(|layer| layer.path.as_path()).collect();
    cache.write(&layers, &|file| present.contains(file));
    drop(present);
    candidates
        .into_iter()
        .zip(outcomes)
        .filter_map(|(candidate, outcome)| Some((candidate, flatten(outcome?))))
        .collect()
}

fn flatten(outcome: Result<Outcome, Diagnostic>) -> Result<LibraryFacts, Diagnostic> {
    outcome?.map_err(|refused| refused.diagnostic)
}

/// A file that cannot be read is not remembered: that may change without the file changing.
fn read_one(file: &Path) -> Result<Outcome, Diagnostic> {
    let bytes = read_regular_file(file)?;
    Ok(read_library(&bytes).map_err(|diagnostic| Refused { digest: Digest::of(&bytes), diagnostic }))
}

type Indexed = (usize, Result<Outcome, Diagnostic>);

fn read_in_parallel(candidates: &[Candidate], missing: &[usize]) -> Vec<Indexed> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(missing.len());
    if threads <= 1 {
        return missing.iter().map(|i| (*i, read_one(&candidates[*i].file))).collect();
    }
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done: Vec<Indexed> = Vec::new();
        while let Some(i) = missing.get(next.fetch_add(1, Ordering::Relaxed)) {
            done.push((*i, read_one(&candidates[*i].file)));
        }
        done
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap_or_default()).collect()
    })
}
