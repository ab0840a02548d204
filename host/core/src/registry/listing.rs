use super::tool::ToolEntry;
use super::untrusted_diagnostic;
use crate::diagnostic::{Diagnostic, Stage};
use crate::digest::Digest;
use crate::discover::Candidate;
use crate::layer::Layer;
use crate::manifest::{LibraryFacts, Manifest};
use serde::Serialize;
use std::path::{Path, PathBuf};
use stud_contract::{EmbeddedContract, EmbeddedTool, Executor, SideEffects, ToolName};

/// Every candidate and what became of it.
#[derive(Debug, Clone, Serialize)]
pub struct Listing {
    /// How often the layers were read in this process.
    pub generation: u64,
    /// One line a tool and candidate.
    pub tools: Vec<ListedTool>,
}

/// What became of a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// A call of this name runs this code.
    Active,
    /// A later layer has the name.
    Shadowed,
    /// It waits for `stud trust`.
    Untrusted,
    /// It was built for another host, contract or machine.
    Incompatible,
    /// Something is wrong with it.
    Failed,
    /// The operator, or a rule, switched it off.
    Disabled,
    /// A new version waits for the end of the turn.
    Pending,
}

impl Status {
    /// The word used in tables and JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Status::Active => "active",
            Status::Shadowed => "shadowed",
            Status::Untrusted => "untrusted",
            Status::Incompatible => "incompatible",
            Status::Failed => "failed",
            Status::Disabled => "disabled",
            Status::Pending => "pending",
        }
    }
}

/// One tool of one candidate; unknown values are null in JSON, never left out.
#[derive(Debug, Clone, Serialize)]
#[allow(missing_docs, reason = "the fields are those of `stud tools --json` and mean what they say")]
pub struct ListedTool {
    pub name: Option<ToolName>,
    pub status: Status,
    pub layer: Layer,
    #[serde(serialize_with = "crate::lossy::optional")]
    pub file: Option<PathBuf>,
    pub sha256: Option<Digest>,
    pub plugin: Option<String>,
    pub plugin_version: Option<String>,
    pub contract_version: Option<String>,
    pub side_effects: Option<SideEffects>,
    pub gated: Option<bool>,
    pub executor: Executor,
    pub isolation: &'static str,
    pub category: Option<String>,
    pub generation: Option<u64>,
    #[serde(serialize_with = "crate::lossy::optional")]
    pub shadowed_by: Option<PathBuf>,
    pub reason: Option<String>,
    pub calls: u64,
    pub errors: u64,
    pub p50_us: Option<u64>,
    pub p95_us: Option<u64>,
    pub last_error: Option<String>,
}

impl ListedTool {
    fn empty(layer: Layer, status: Status) -> ListedTool {
        ListedTool {
            name: None,
            status,
            layer,
            file: None,
            sha256: None,
            plugin: None,
            plugin_version: None,
            contract_version: None,
            side_effects: None,
            gated: None,
            executor: Executor::Local,
            isolation: "in-process",
            category: None,
            generation: None,
            shadowed_by: None,
            reason: None,
            calls: 0,
            errors: 0,
            p50_us: None,
            p95_us: None,
            last_error: None,
        }
    }

    fn with_contract(
        mut self,
        digest: Digest,
        contract: &EmbeddedContract,
        tool: Option<&EmbeddedTool>,
    ) -> ListedTool {
        self.sha256 = Some(digest);
        self.plugin = Some(contract.plugin.name.clone());
        self.plugin_version = Some(contract.plugin.version.clone());
        self.contract_version = Some(contract.contract_version.clone());
        if let Some(tool) = tool {
            self.name = Some(tool.name.clone());
            self.side_effects = Some(tool.side_effects);
            self.gated = Some(tool.gated);
            self.executor = tool.executor;
            self.category = Some(tool.category.clone());
        }
        self
    }

    fn with_file(mut self, file: &Path) -> ListedTool {
        self.file = Some(file.to_owned());
        self
    }

    fn with_reason(mut self, diagnostic: &Diagnostic) -> ListedTool {
        let place = diagnostic.field.as_ref().map(|field| format!(" (at `{field}`)")).unwrap_or_default();
        self.reason =
            Some(format!("{}: {}{place}; {}", diagnostic.stage, diagnostic.message, diagnostic.remedy));
        self
    }

    /// An entry of a layer that is no candidate at all.
    pub(super) fn of_diagnostic(layer: Layer, file: Option<&Path>, diagnostic: &Diagnostic) -> ListedTool {
        let listed = ListedTool::empty(layer, Status::Failed).with_reason(diagnostic);
        match file.or(diagnostic.file.as_deref()) {
            Some(file) => listed.with_file(file),
            None => listed,
        }
    }

    /// A candidate that is refused as a whole, or one tool of it.
    pub(super) fn of_candidate(
        candidate: &Candidate,
        facts: Option<&LibraryFacts>,
        tool: Option<&EmbeddedTool>,
        diagnostic: &Diagnostic,
    ) -> ListedTool {
        let incompatible = matches!(diagnostic.stage, Stage::ContractVersion | Stage::RequiredCoreVersion);
        let status = if incompatible { Status::Incompatible } else { Status::Failed };
        let listed =
            ListedTool::empty(candidate.layer, status).with_file(&candidate.file).with_reason(diagnostic);
        match facts {
            Some(facts) => listed.with_contract(facts.digest, &facts.contract, tool),
            None => listed,
        }
    }

    /// A tool that waits for trust.
    pub(super) fn untrusted(candidate: &Candidate, manifest: &Manifest, tool: &EmbeddedTool) -> ListedTool {
        ListedTool::empty(candidate.layer, Status::Untrusted)
            .with_file(&candidate.file)
            .with_contract(manifest.digest, &manifest.contract, Some(tool))
            .with_reason(&untrusted_diagnostic())
    }

    fn of_entry(entry: &ToolEntry, status: Status) -> ListedTool {
        let plugin = entry.plugin();
        let stats = entry.stats.view();
        let mut listed = ListedTool::empty(plugin.layer(), status).with_file(plugin.file()).with_contract(
            plugin.digest(),
            &plugin.manifest().contract,
            Some(entry.embedded()),
        );
        listed.generation = Some(plugin.generation());
        listed.calls = stats.calls;
        listed.errors = stats.errors;
        listed.p50_us = stats.p50_us;
        listed.p95_us = stats.p95_us;
        listed.last_error = stats.last_error;
        listed
    }

    pub(super) fn active(entry: &ToolEntry) -> ListedTool {
        ListedTool::of_entry(entry, Status::Active)
    }

    pub(super) fn shadowed(entry: &ToolEntry, above: &ToolEntry) -> ListedTool {
        let mut listed = ListedTool::of_entry(entry, Status::Shadowed);
        let (layer, file) = (above.plugin().layer(), above.plugin().file());
        listed.shadowed_by = Some(file.to_owned());
        listed.reason = Some(format!("shadowed by `{}` of the {layer} layer", file.display()));
        listed
    }

    pub(super) fn not_callable(entry: &ToolEntry, status: Status, diagnostic: &Diagnostic) -> ListedTool {
        ListedTool::of_entry(entry, status).with_reason(diagnostic)
    }
}
