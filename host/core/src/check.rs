//! The whole way of a library, step by step, for its author: what the host would do with it, and what it would say.

use crate::diagnostic::{Diagnostic, Stage};
use crate::layer::Layer;
use crate::load::{
    DescribedTool, LoadedPlugin, Prober, StagedCopy, Staging, check_description, load, read_regular_file,
};
use crate::manifest::{Manifest, check_contract, read_library, ungated_problem};
use crate::object_file::ObjectFile;
use serde::Serialize;
use serde_json::Value;
use std::path::{Path, PathBuf};
use stud_abi::{HostAnswer, HostV1, OsHandle, ROOT_SYMBOL, RSlice, RVec};
use stud_contract::{Control, ControlReply, EmbeddedTool};

/// What came of each step. A step that fails ends the way, except the last ones, which look at one tool each.
#[derive(Debug, Clone, Serialize)]
pub struct CheckReport {
    /// The file.
    #[serde(serialize_with = "crate::lossy::path")]
    pub file: PathBuf,
    /// Whether a host would use all of its tools.
    pub ok: bool,
    /// The steps, in order.
    pub steps: Vec<CheckStep>,
    /// What works and could be better.
    pub warnings: Vec<String>,
}

/// One step.
#[derive(Debug, Clone, Serialize)]
pub struct CheckStep {
    /// What was looked at.
    pub step: String,
    /// What is wrong, if anything.
    pub problem: Option<Diagnostic>,
}

/// Takes a library the whole way: object, contract, versions, private copy, opening, description, schemas, examples, keys.
#[must_use]
pub fn check_library(file: &Path, staging: &Staging, prober: Option<&Prober>) -> CheckReport {
    let mut report =
        CheckReport { file: file.to_owned(), ok: false, steps: Vec::new(), warnings: Vec::new() };
    let outcome = walk(file, staging, prober, &mut report);
    report.ok = outcome.is_some() && report.steps.iter().all(|step| step.problem.is_none());
    report
}

impl CheckReport {
    fn step<T>(&mut self, step: &str, outcome: Result<T, Diagnostic>) -> Option<T> {
        let (value, problem) = match outcome {
            Ok(value) => (Some(value), None),
            Err(diagnostic) => (None, Some(diagnostic)),
        };
        self.steps.push(CheckStep { step: step.to_owned(), problem });
        value
    }
}

fn walk(file: &Path, staging: &Staging, prober: Option<&Prober>, report: &mut CheckReport) -> Option<()> {
    let metadata = std::fs::metadata(file).map_err(|error| {
        Diagnostic::new(Stage::Discovery, format!("it cannot be read: {error}"), "check the path").file(file)
    });
    let metadata = report.step("the file can be read", metadata)?;
    if let Err(diagnostic) = crate::ownership::check(file, &metadata) {
        report
            .warnings
            .push(format!("in a layer it would be refused: {}; {}", diagnostic.message, diagnostic.remedy));
    }
    let bytes = report.step("it is a regular file", read_regular_file(file))?;
    let facts =
        report.step("it is a sound library for this machine with a contract", read_library(&bytes))?;
    let first = |problems: Vec<Diagnostic>| problems.into_iter().next();
    let rules = check_contract(&facts.contract).map_err(first).or_else(|problem| problem.map_or(Ok(()), Err));
    report.step("its contract is one that this host speaks", rules)?;
    report.warnings.extend(foreign_exports(&bytes));
    let manifest = Manifest { digest: facts.digest, contract: facts.contract };
    for tool in &manifest.contract.tools {
        let verdict = ungated_problem(Layer::Global, tool, false).map_or(Ok(()), Err);
        report.step(&format!("`{}` may be used outside the bundled layer", tool.name), verdict);
    }
    let staged = report.step("a private copy can be made", staging.stage(file, manifest.digest))?;
    let described = report.step("a process of its own can open it", describe(&staged, prober))?;
    let tools =
        report.step("what it says agrees with its contract", check_description(&manifest, &described))?;
    let loaded = report.step("this process can open it", load(&staged))?;
    for (tool, described) in manifest.contract.tools.iter().zip(tools) {
        let name = &tool.name;
        let Some(described) =
            report.step(&format!("`{name}` is described in the subset of JSON Schema"), described)
        else {
            continue;
        };
        report.step(&format!("the examples of `{name}` fit its schema"), examples(&described));
        report
            .step(&format!("the approval key of `{name}` keeps the rules"), keys(&loaded, tool, &described));
        if described.get().examples.is_empty() {
            report
                .warnings
                .push(format!("`{name}` has no example: one helps the model, and checks its approval key"));
        }
    }
    Some(())
}

fn describe(staged: &StagedCopy, prober: Option<&Prober>) -> Result<Vec<u8>, Diagnostic> {
    match prober {
        Some(prober) => prober.describe(staged),
        None => crate::load::describe_staged(staged),
    }
}

fn foreign_exports(bytes: &[u8]) -> Option<String> {
    let own = String::from_utf8_lossy(ROOT_SYMBOL).trim_end_matches('\0').to_owned();
    let exports = ObjectFile::check(bytes).ok()?.exports().ok()?;
    let foreign: Vec<String> =
        exports.into_iter().filter(|name| name.trim_start_matches('_') != own).collect();
    let shown = foreign.iter().take(5).map(String::as_str).collect::<Vec<_>>().join("`, `");
    (!foreign.is_empty()).then(|| {
        let count = foreign.len();
        format!("it exports {count} symbols besides its own, such as `{shown}`: another library could take their place; link with -Bsymbolic")
    })
}

fn examples(tool: &DescribedTool) -> Result<(), Diagnostic> {
    let tool = tool.get();
    let wrong = |message: String, field: String| {
        Err(Diagnostic::new(Stage::Register, message, "correct `examples(…)` in #[tool]").field(field))
    };
    let validator = jsonschema::validator_for(&tool.input_schema).map_err(|error| {
        let message = format!("the inputSchema of `{}` is no valid schema: {error}", tool.name);
        Diagnostic::new(Stage::Register, message, "correct the argument type").field("/inputSchema")
    })?;
    for (i, example) in tool.examples.iter().enumerate() {
        if let Some(error) = validator.iter_errors(example).next() {
            let problem = crate::dispatch::describe_error(&error);
            let message = format!(
                "example {i}: {}: expected {}, found {}",
                problem.field, problem.expected, problem.found
            );
            return wrong(message, format!("/examples/{i}{}", problem.field));
        }
    }
    Ok(())
}

/// The longest approval key, in bytes.
const MAX_KEY: usize = 1024;

/// Asks for the key of each example twice: it has to be the same both times, and of the right form.
fn keys(plugin: &LoadedPlugin, tool: &EmbeddedTool, described: &DescribedTool) -> Result<(), Diagnostic> {
    let wrong = |message: String| {
        let remedy =
            "correct the function given as `approval_key`: without a good key no approval can be remembered";
        Err(Diagnostic::new(Stage::Register, message, remedy))
    };
    for example in &described.get().examples {
        let (first, second) = (key(plugin, tool, example), key(plugin, tool, example));
        if first != second {
            return wrong(format!(
                "the key of {example} differs from one call to the next: {first:?}, then {second:?}"
            ));
        }
        let Some(key) = first else { return wrong(format!("there is no key for {example}")) };
        if key.is_empty() || key.len() > MAX_KEY || key.chars().any(char::is_control) {
            return wrong(format!(
                "the key of {example} is {key:?}: it has 1 to {MAX_KEY} bytes and no control characters"
            ));
        }
    }
    Ok(())
}

fn key(plugin: &LoadedPlugin, tool: &EmbeddedTool, args: &Value) -> Option<String> {
    let message = Control::ApprovalKey { tool: tool.name.to_string(), args: args.clone() };
    match plugin.control(&message, NoServices) {
        ControlReply::ApprovalKey { key } => Some(key),
        _ => None,
    }
}

/// A host for messages that are no calls: it offers nothing.
struct NoServices;

impl HostV1 for NoServices {
    fn cancelled(&self) -> bool {
        false
    }

    fn output(&self, _stream: u8, _bytes: RSlice<'_, u8>) {}

    fn request(&self, _message: RSlice<'_, u8>, _body: RSlice<'_, u8>) -> HostAnswer {
        let refusal = br#"{"error":{"class":"execution_error","code":"unsupported","message":"there is no call to serve"}}"#;
        HostAnswer { message: RVec::from(refusal.to_vec()), body: RVec::new(), handle: OsHandle::NONE }
    }
}
