use super::listing::ListedTool;
use super::rules::status_of;
use super::tool::ToolEntry;
use crate::diagnostic::Diagnostic;
use crate::nearest::nearest;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use stud_contract::ToolName;

/// What one turn may call: immutable, shared, and the same from its first call to its last.
#[derive(Debug, Default)]
pub struct Snapshot {
    /// By name, the layer that counts most first.
    tools: BTreeMap<ToolName, Vec<Arc<ToolEntry>>>,
    /// Names that resolve to another and are never advertised.
    other_names: HashMap<ToolName, ToolName>,
    /// Tools that are there and cannot be called, with the reason.
    unavailable: HashMap<ToolName, Diagnostic>,
}

impl Snapshot {
    pub(super) fn new(entries: Vec<ToolEntry>, unavailable: HashMap<ToolName, Diagnostic>) -> Snapshot {
        let mut tools: BTreeMap<ToolName, Vec<Arc<ToolEntry>>> = BTreeMap::new();
        for entry in entries {
            tools.entry(entry.embedded().name.clone()).or_default().push(Arc::new(entry));
        }
        for entries in tools.values_mut() {
            entries.sort_by_key(|entry| std::cmp::Reverse(entry.plugin().layer()));
        }
        let mut other_names = HashMap::new();
        let mut named: Vec<&Arc<ToolEntry>> = tools.values().flatten().collect();
        named.sort_by_key(|entry| entry.plugin().layer());
        for entry in named {
            for other in entry.embedded().other_names.iter().filter(|other| !tools.contains_key(*other)) {
                other_names.insert(other.clone(), entry.embedded().name.clone());
            }
        }
        Snapshot { tools, other_names, unavailable }
    }

    /// The implementations of a name, the one that counts first. Empty for a name that nobody has.
    #[must_use]
    pub fn implementations(&self, name: &str) -> &[Arc<ToolEntry>] {
        let found = self.tools.get(name).or_else(|| self.tools.get(self.other_names.get(name)?));
        found.map_or(&[], Vec::as_slice)
    }

    /// Why a tool that was found cannot be called; none for one that can be, or that nobody has.
    #[must_use]
    pub fn unavailable(&self, name: &str) -> Option<&Diagnostic> {
        self.unavailable.get(name)
    }

    /// The tools that are advertised: one implementation a name.
    pub fn advertised(&self) -> impl Iterator<Item = &Arc<ToolEntry>> {
        self.tools.values().filter_map(|entries| entries.first())
    }

    /// The names nearest to one that nobody has.
    pub(crate) fn nearest(&self, name: &str) -> Vec<&str> {
        let all = self.tools.keys().chain(self.other_names.keys()).map(ToolName::as_str);
        nearest(name, all, 3)
    }

    /// Every implementation as it is listed: of one name the first that works is active, those below it are shadowed.
    pub(super) fn listed(&self) -> Vec<ListedTool> {
        let mut listed = Vec::new();
        for entries in self.tools.values() {
            let mut active: Option<&Arc<ToolEntry>> = None;
            for entry in entries {
                if let Some(problem) = entry.known_problem() {
                    listed.push(ListedTool::not_callable(entry, status_of(&problem), &problem));
                } else if let Some(above) = active {
                    listed.push(ListedTool::shadowed(entry, above));
                } else {
                    active = Some(entry);
                    listed.push(ListedTool::active(entry));
                }
            }
        }
        listed
    }
}
