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
use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;
use stud_contract::ToolName;

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
    Refused { candidate: Candidate, facts: Option<LibraryFacts>, problem: Diagnostic },
}

/// A registry while its candidates are gone through.
#[derive(Default)]
struct Building {
    entries: Vec<ToolEntry>,
    refused: Vec<ListedTool>,
    unavailable: HashMap<ToolName, Diagnostic>,
}

impl Building {
    fn not_candidates(&mut self, layer: Layer, found: &[Diagnostic]) {
        self.refused
            .extend(found.iter().map(|diagnostic| ListedTool::of_diagnostic(layer, None, diagnostic)));
    }

    /// One line a tool, as far as its contract can be read.
    fn refuse(&mut self, candidate: &Candidate, facts: Option<&LibraryFacts>, problem: &Diagnostic) {
        let tools = facts.map_or(&[][..], |facts| &facts.contract.tools);
        let names = tools.iter().map(|tool| (tool.name.clone(), problem.clone()));
        self.unavailable.extend(names);
        if tools.is_empty() {
            self.refused.push(ListedTool::of_candidate(candidate, facts, None, problem));
        }
        let lines = tools.iter().map(|tool| ListedTool::of_candidate(candidate, facts, Some(tool), problem));
        self.refused.extend(lines);
    }

    fn wait_for_trust(&mut self, candidate: &Candidate, manifest: &Manifest) {
        for tool in &manifest.contract.tools {
            self.refused.push(ListedTool::untrusted(candidate, manifest, tool));
            self.unavailable.insert(tool.name.clone(), untrusted_diagnostic().file(&candidate.file));
        }
    }

    fn accept(&mut self, sources: &RegistrySources<'_>, candidate: Candidate, manifest: Manifest) {
        let Candidate { layer, file, .. } = candidate;
        let plugin = Arc::new(Plugin::new(layer, file, sources.generation, manifest, sources.load.clone()));
        self.entries.extend(tool::entries_of(&plugin, sources.config));
    }

    /// Applies the rules between tools; what is left may be called.
    fn finish(mut self, sources: &RegistrySources<'_>) -> Registry {
        let (callable, excluded) = rules::apply(self.entries, sources.config);
        for (entry, status, diagnostic) in excluded {
            self.refused.push(ListedTool::not_callable(&entry, status, &diagnostic));
            self.unavailable.insert(entry.embedded().name.clone(), diagnostic);
        }
        let snapshot = Arc::new(Snapshot::new(callable, self.unavailable));
        Registry { generation: sources.generation, snapshot, refused: self.refused }
    }
}

impl Registry {
    /// Builds the registry. Opens no library: what it needs stands in the files and in the cache.
    pub(crate) fn build(sources: &RegistrySources<'_>) -> Registry {
        let mut building = Building::default();
        let mut candidates = Vec::new();
        for layer in sources.layers {
            let found = discover(layer);
            building.not_candidates(layer.layer, &found.refused);
            candidates.extend(found.candidates);
        }
        for (candidate, outcome) in facts::read_all(sources, candidates) {
            match examine(sources, candidate, outcome) {
                Read::Refused { candidate, facts, problem } => {
                    building.refuse(&candidate, facts.as_ref(), &problem)
                }
                Read::Sound { candidate, manifest, trusted: false } => {
                    building.wait_for_trust(&candidate, &manifest)
                }
                Read::Sound { candidate, manifest, trusted: true } => {
                    building.accept(sources, candidate, manifest)
                }
            }
        }
        building.finish(sources)
    }

    /// What may be called now.
    #[must_use]
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.snapshot.clone()
    }

    /// What the configuration says about tools that nobody offers, one sentence each.
    pub(crate) fn unknown_tools(&self, config: &Config) -> Vec<String> {
        let listed = self.listing().tools;
        let names: BTreeSet<&str> =
            listed.iter().filter_map(|tool| Some(tool.name.as_ref()?.as_str())).collect();
        let unknown = config.configured_tools().filter(|name| !names.contains(name));
        let sentence = |name: &str| {
            let near = crate::nearest::nearest(name, names.iter().copied(), 1);
            let hint = near.first().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            format!("the configuration has a section `tools.{name}`, and no layer has such a tool{hint}")
        };
        unknown.map(sentence).collect()
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
            let problem = diagnostic.file(&candidate.file);
            return Read::Refused { candidate, facts: None, problem };
        }
    };
    if let Err(problem) = first_problem(&facts) {
        let problem = problem.file(&candidate.file);
        return Read::Refused { candidate, facts: Some(facts), problem };
    }
    let trusted = candidate.layer != Layer::Project
        || sources.trust.is_some_and(|trust| {
            trust.covers(&relative_to(sources.project_dir, &candidate.file), facts.digest)
        });
    Read::Sound { candidate, manifest: Manifest { digest: facts.digest, contract: facts.contract }, trusted }
}

/// One reason says why it is not there; `stud inspect` shows all of them.
fn first_problem(facts: &LibraryFacts) -> Result<(), Diagnostic> {
    let problems = check_contract(&facts.contract).err().unwrap_or_default();
    problems.into_iter().next().map_or(Ok(()), Err)
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
