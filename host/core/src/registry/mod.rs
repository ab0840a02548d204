//! From the layers' files to what may be called: discovery, contract, trust, rules, shadowing.

mod cache;
mod facts;
mod listing;
mod rules;
mod snapshot;
mod stats;
mod tool;

pub(crate) use cache::{Described, known_unsound, read_described, write_described};
pub use listing::{ListedTool, Listing, Status};
pub use snapshot::Snapshot;
pub use tool::{CallableTool, ToolEntry};

use crate::config::Config;
use crate::diagnostic::{Diagnostic, Stage};
use crate::discover::{Candidate, discover};
use crate::layer::{Layer, LayerDir};
use crate::load::Plugin;
use crate::manifest::{LibraryFacts, Manifest, check_contract};
use crate::trust::ProjectTrust;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// All that building a registry depends on.
pub(crate) struct RegistrySources<'a> {
    pub(crate) layers: &'a [LayerDir],
    pub(crate) project_dir: &'a Path,
    pub(crate) trust: Option<&'a ProjectTrust>,
    pub(crate) config: &'a Config,
    pub(crate) load: Arc<crate::load::LoadSettings>,
    pub(crate) generation: u64,
}

/// Every candidate with what became of it, and the snapshot of what may be called.
#[derive(Debug)]
pub struct Registry {
    generation: u64,
    snapshot: Arc<Snapshot>,
    /// Candidates that offer nothing to call, as they are listed.
    refused: Vec<ListedTool>,
}

/// A candidate after its bytes were read.
enum Read {
    /// Its contract holds.
    Sound { candidate: Candidate, manifest: Manifest, trusted: bool },
    /// It is refused.
    Refused { candidate: Candidate, facts: Option<LibraryFacts>, problems: Vec<Diagnostic> },
}

impl Registry {
    /// Builds the registry. Opens no library: what it needs stands in the files and in the cache.
    pub(crate) fn build(sources: &RegistrySources<'_>) -> Registry {
        let mut refused = Vec::new();
        let mut candidates = Vec::new();
        for layer in sources.layers {
            let found = discover(layer);
            refused.extend(
                found
                    .refused
                    .iter()
                    .map(|diagnostic| ListedTool::of_diagnostic(layer.layer, None, diagnostic)),
            );
            candidates.extend(found.candidates);
        }
        let read = facts::read_all(sources, candidates)
            .into_iter()
            .map(|(candidate, outcome)| examine(sources, candidate, outcome));
        let mut entries = Vec::new();
        let mut unavailable = HashMap::new();
        for read in read {
            match read {
                Read::Refused { candidate, facts, problems } => {
                    if let (Some(facts), Some(problem)) = (&facts, problems.first()) {
                        let names = facts.contract.tools.iter().map(|tool| tool.name.clone());
                        unavailable.extend(names.map(|name| (name, problem.clone())));
                    }
                    refused.extend(
                        problems.iter().map(|p| ListedTool::of_candidate(&candidate, facts.as_ref(), p)),
                    );
                }
                Read::Sound { candidate, manifest, trusted: false } => {
                    refused.extend(
                        manifest
                            .contract
                            .tools
                            .iter()
                            .map(|tool| ListedTool::untrusted(&candidate, &manifest, tool)),
                    );
                }
                Read::Sound { candidate, manifest, trusted: true } => {
                    let Candidate { layer, file, .. } = candidate;
                    let plugin = Arc::new(Plugin::new(
                        layer,
                        file,
                        sources.generation,
                        manifest,
                        sources.load.clone(),
                    ));
                    entries.extend(tool::entries_of(&plugin, sources.config));
                }
            }
        }
        let (callable, disabled) = rules::apply(entries, sources.config);
        refused.extend(
            disabled
                .iter()
                .map(|(entry, status, diagnostic)| ListedTool::not_callable(entry, *status, diagnostic)),
        );
        let excluded =
            disabled.into_iter().map(|(entry, _, diagnostic)| (entry.embedded().name.clone(), diagnostic));
        unavailable.extend(excluded);
        let snapshot = Arc::new(Snapshot::new(callable, unavailable));
        Registry { generation: sources.generation, snapshot, refused }
    }

    /// What may be called now.
    #[must_use]
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.snapshot.clone()
    }

    /// Every candidate and what became of it, sorted by name and layer.
    #[must_use]
    pub fn listing(&self) -> Listing {
        let mut tools = self.snapshot.listed();
        tools.extend(self.refused.iter().cloned());
        tools.sort_by(|a, b| {
            // What has no name comes last; of one name, the layer that counts most comes first.
            (a.name.is_none(), &a.name, std::cmp::Reverse(a.layer), &a.file).cmp(&(
                b.name.is_none(),
                &b.name,
                std::cmp::Reverse(b.layer),
                &b.file,
            ))
        });
        Listing { generation: self.generation, tools }
    }
}

/// Contract stages and trust for one candidate.
fn examine(
    sources: &RegistrySources<'_>,
    candidate: Candidate,
    outcome: Result<LibraryFacts, Diagnostic>,
) -> Read {
    let facts = match outcome {
        Ok(facts) => facts,
        Err(diagnostic) => {
            let problems = vec![diagnostic.file(&candidate.file)];
            return Read::Refused { candidate, facts: None, problems };
        }
    };
    if let Err(problems) = check_contract(&facts.contract) {
        // One line says why it is not there; `stud inspect` shows all of them.
        let problems = problems.into_iter().take(1).map(|p| p.file(&candidate.file)).collect();
        return Read::Refused { candidate, facts: Some(facts), problems };
    }
    let trusted = candidate.layer != Layer::Project
        || sources.trust.is_some_and(|trust| {
            trust.covers(&relative_to(sources.project_dir, &candidate.file), facts.digest)
        });
    Read::Sound { candidate, manifest: Manifest { digest: facts.digest, contract: facts.contract }, trusted }
}

/// The name under which a project's file is trusted: relative to `.stud`, with forward slashes everywhere.
pub(crate) fn relative_to(project_dir: &Path, file: &Path) -> String {
    let relative = file.strip_prefix(project_dir).unwrap_or(file);
    let parts: Vec<_> = relative.components().map(|part| part.as_os_str().to_string_lossy()).collect();
    parts.join("/")
}

/// The diagnostic for a candidate that is only waiting for the user.
pub(crate) fn untrusted_diagnostic() -> Diagnostic {
    Diagnostic::new(
        Stage::Trust,
        "this project, or this version of the file, is not trusted",
        "look at it and confirm with `stud trust`",
    )
}
