use crate::{SideEffects, ToolName};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// The version of the contract that this crate writes and reads. A plugin is compatible when its major is the same and
/// its minor is not newer. It is not the version of the product and not that of the ABI.
pub const CONTRACT_VERSION: &str = "1.0.0";

/// What stands in the library file itself: everything that is decided about a plugin before its code may run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EmbeddedContract {
    /// What the library offers.
    pub kind: ContractKind,
    /// The version of this contract's form, semver.
    pub contract_version: String,
    /// Which hosts will do, a semver range over the host's version.
    pub required_core_version: String,
    /// Whose it is.
    pub plugin: PluginIdentity,
    /// The number of the ABI's root.
    pub abi: u32,
    /// What a panic does in this library.
    pub panic: PanicStrategy,
    /// The target triple it was compiled for.
    pub target: String,
    /// The compiler, as `rustc --version` says.
    pub rustc: String,
    /// How many plugins of this kind may be loaded.
    #[serde(default)]
    pub loaded_cardinality: Cardinality,
    /// How many of them may be active.
    #[serde(default)]
    pub active_cardinality: Cardinality,
    /// When a changed file takes effect.
    #[serde(default)]
    pub reload_behavior: ReloadBehavior,
    /// The state that outlives reloads, if any.
    #[serde(default)]
    pub state_slot: Option<StateSlot>,
    /// File name patterns by which hosts find more of this kind; none for tools.
    #[serde(default)]
    pub discovery_rules: Vec<String>,
    /// The tools, in the author's order.
    pub tools: Vec<EmbeddedTool>,
}

/// The kinds of contract. One so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ContractKind {
    /// A plugin that offers tools.
    Tool,
}

/// Name and version of a plugin: those of its crate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PluginIdentity {
    /// The crate's name.
    pub name: String,
    /// The crate's version.
    pub version: String,
}

/// What a panic does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PanicStrategy {
    /// It unwinds and is caught at the edge.
    Unwind,
    /// It ends the process: refused in the host's process.
    Abort,
}

/// How many of something there may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Cardinality {
    /// As many as one likes.
    #[default]
    Unlimited,
}

/// When a changed library takes effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReloadBehavior {
    /// Never within a turn.
    #[default]
    BetweenTurns,
}

/// The state that a plugin keeps across reloads and restarts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StateSlot {
    /// The version of the state's form.
    pub version: u32,
    /// Its JSON schema.
    pub schema: Value,
}

/// Where a tool's code runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Executor {
    /// On this machine, from a library.
    #[default]
    Local,
    /// On an MCP server.
    Remote,
}

/// One tool, as far as it must be known before any code runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EmbeddedTool {
    /// Its one canonical name.
    pub name: ToolName,
    /// Other names that resolve to it and are never advertised.
    #[serde(default)]
    pub other_names: Vec<ToolName>,
    /// What it can do at most.
    pub side_effects: SideEffects,
    /// Whether it goes through approval.
    pub gated: bool,
    /// Whether it asks each time, whatever was remembered.
    #[serde(default)]
    pub always_require_approval: bool,
    /// Whether it needs a workspace.
    #[serde(default = "yes")]
    pub requires_workspace: bool,
    /// Whether several calls may run at the same time.
    #[serde(default = "yes")]
    pub parallel_safe: bool,
    /// The drawer it lies in.
    pub category: String,
    /// Where its code runs.
    #[serde(default)]
    pub executor: Executor,
    /// What it asks for beyond its side-effect class, such as `net:api.example.org`.
    #[serde(default)]
    pub capabilities: Vec<String>,
    /// The names of the environment variables that it may see.
    #[serde(default)]
    pub env: Vec<String>,
}

fn yes() -> bool {
    true
}

/// What a loaded plugin says about itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PluginDescription {
    /// The embedded contract again: the host compares the two and refuses a plugin whose code says something else.
    pub contract: EmbeddedContract,
    /// The tools, in the same order.
    pub tools: Vec<ToolDescription>,
}

/// What the model and the validator need to know about one tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolDescription {
    /// Its canonical name.
    pub name: ToolName,
    /// What it does, for the model.
    pub description: String,
    /// JSON schema of its arguments, in the subset that every model provider accepts.
    pub input_schema: Value,
    /// JSON schema of its output, for the model's benefit.
    #[serde(default)]
    pub output_schema: Option<Value>,
    /// JSON schema of its own configuration keys, if it has any.
    #[serde(default)]
    pub config_schema: Option<Value>,
    /// Other names of arguments: from the other name to the canonical one.
    #[serde(default)]
    pub argument_aliases: BTreeMap<String, String>,
    /// Arguments that make sense, for people and for the model.
    #[serde(default)]
    pub examples: Vec<Value>,
}
