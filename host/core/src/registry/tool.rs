use super::stats::Stats;
use crate::config::Config;
use crate::diagnostic::{Diagnostic, Stage};
use crate::load::Plugin;
use jsonschema::Validator;
use serde_json::{Map, Value};
use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use stud_contract::{EmbeddedTool, ToolDescription};

/// One tool of one plugin, as the registry knows it. What needs the plugin's description is made when first asked for.
pub struct ToolEntry {
    pub(crate) plugin: Arc<Plugin>,
    pub(crate) index: usize,
    pub(crate) own_config: Map<String, Value>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) stats: Stats,
    callable: OnceLock<Result<CallableTool, Diagnostic>>,
}

/// A tool that can be shown to a model and called: described, with a compiled validator, its configuration checked.
pub struct CallableTool {
    /// What the plugin says about it.
    pub description: ToolDescription,
    pub(crate) validator: Validator,
}

impl fmt::Debug for ToolEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolEntry")
            .field("name", &self.embedded().name)
            .field("file", &self.plugin.file())
            .finish_non_exhaustive()
    }
}

/// The entries of a plugin's tools.
pub(super) fn entries_of(plugin: &Arc<Plugin>, config: &Config) -> Vec<ToolEntry> {
    let tools = plugin.manifest().contract.tools.iter().enumerate();
    tools
        .map(|(index, tool)| {
            let own = config.tool(tool.name.as_str());
            ToolEntry {
                plugin: plugin.clone(),
                index,
                own_config: own.map(|own| own.own_keys()).unwrap_or_default(),
                timeout: own.and_then(|own| own.timeout()),
                stats: Stats::default(),
                callable: OnceLock::new(),
            }
        })
        .collect()
}

impl ToolEntry {
    /// The embedded part of its contract.
    #[must_use]
    pub fn embedded(&self) -> &EmbeddedTool {
        &self.plugin.manifest().contract.tools[self.index]
    }

    /// Its plugin.
    #[must_use]
    pub fn plugin(&self) -> &Arc<Plugin> {
        &self.plugin
    }

    /// Whether it was described and opened before, so that neither is waited for.
    pub(crate) fn is_ready(&self) -> bool {
        matches!(self.callable.get(), Some(Ok(_))) && self.plugin.is_loaded()
    }

    /// The tool with everything that showing it needs. Blocks when it is asked for the first time.
    ///
    /// # Errors
    /// The plugin cannot be described, or the tool is refused; the same answer each time.
    pub fn callable(&self) -> Result<&CallableTool, &Diagnostic> {
        self.callable.get_or_init(|| self.make_callable(self.plugin.described())).as_ref()
    }

    /// Why it cannot be called, as far as that is known without opening anything.
    pub(crate) fn known_problem(&self) -> Option<Diagnostic> {
        if let Some(callable) = self.callable.get() {
            return callable.as_ref().err().cloned();
        }
        match self.plugin.described_so_far(!self.own_config.is_empty())? {
            Err(diagnostic) => Some(diagnostic.clone()),
            Ok(tools) => match tools.get(self.index)? {
                Err(diagnostic) => Some(diagnostic.clone()),
                Ok(tool) => self.config_problem(tool.get()),
            },
        }
    }

    fn make_callable(
        &self,
        described: Result<&crate::load::DescribedTools, &Diagnostic>,
    ) -> Result<CallableTool, Diagnostic> {
        let place = |diagnostic: Diagnostic| diagnostic.file(self.plugin.file());
        let described = described.map_err(Clone::clone)?;
        let Some(tool) = described.get(self.index) else {
            let message = format!("the plugin does not describe `{}`", self.embedded().name);
            return Err(place(Diagnostic::new(Stage::Shape, message, "rebuild it with stud-plugin-api")));
        };
        let description = tool.as_ref().map_err(|diagnostic| place(diagnostic.clone()))?.get().clone();
        if let Some(problem) = self.config_problem(&description) {
            return Err(problem);
        }
        let validator = jsonschema::validator_for(&description.input_schema).map_err(|error| {
            let message = format!("the inputSchema of `{}` is no valid schema: {error}", description.name);
            place(
                Diagnostic::new(Stage::Register, message, "correct the argument type").field("/inputSchema"),
            )
        })?;
        Ok(CallableTool { description, validator })
    }

    /// What is wrong with the tool's own keys in the configuration, first problem only.
    fn config_problem(&self, description: &ToolDescription) -> Option<Diagnostic> {
        let name = &description.name;
        let wrong = |field: String, message: String, remedy: String| {
            let mut diagnostic = Diagnostic::new(Stage::ConfigSchema, message, remedy);
            // The empty pointer is the section itself.
            diagnostic.field = Some(field).filter(|field| !field.is_empty());
            Some(diagnostic.plugin(&self.plugin.manifest().contract.plugin.name).file(self.plugin.file()))
        };
        let Some(schema) = &description.config_schema else {
            let key = self.own_config.keys().next()?;
            let message = format!(
                "`tools.{name}.{key}` is no key of this tool: it has none but `enabled` and `timeoutMs`"
            );
            return wrong(format!("/{key}"), message, "remove it from config.toml".to_owned());
        };
        let config = Value::Object(self.own_config.clone());
        let validator = match jsonschema::validator_for(schema) {
            Ok(validator) => validator,
            Err(error) => {
                let message = format!("the configSchema of `{name}` is no valid schema: {error}");
                return wrong(
                    "/configSchema".to_owned(),
                    message,
                    "correct the configuration type".to_owned(),
                );
            }
        };
        let error = validator.iter_errors(&config).next()?;
        let problem = crate::dispatch::describe_error(&error);
        let known = schema
            .get("properties")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
            .map(|(key, _)| key.as_str());
        let known: Vec<&str> = known.collect();
        let place = if problem.field.is_empty() { String::new() } else { format!("{}: ", problem.field) };
        let message = format!(
            "`[tools.{name}]` in config.toml: {place}expected {}, found {}",
            problem.expected, problem.found
        );
        wrong(problem.field, message, format!("its keys are enabled, timeoutMs, {}", known.join(", ")))
    }
}
