use super::{Config, KEYS, Key, Origin, ToolConfig};
use crate::diagnostic::Diagnostic;
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// Where configuration is read from.
#[derive(Debug, Clone, Default)]
pub struct ConfigSources {
    /// The user's file; need not exist.
    pub user: PathBuf,
    /// The project's file as it was read, and how far it counts; none when there is none.
    pub project: Option<ProjectConfig>,
    /// The environment, as name and value.
    pub environment: Vec<(String, String)>,
    /// Flags of the command line: key and value as text, as in the environment.
    pub flags: Vec<(String, String)>,
}

/// A project's file: the bytes that its trust was decided by are the bytes that are obeyed.
#[derive(Debug, Clone)]
pub struct ProjectConfig {
    /// Where it lies.
    pub file: PathBuf,
    /// Its bytes, or why they could not be read.
    pub content: Result<Vec<u8>, String>,
    /// How far they count.
    pub grant: ProjectGrant,
}

/// How far a project is trusted with configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProjectGrant {
    /// Not trusted: its file is not obeyed at all.
    Nothing,
    /// Trusted to load: it may tighten.
    Tighten,
    /// Trusted to relax: everything counts.
    Relax,
}

/// Why there is no configuration.
#[derive(Debug)]
#[non_exhaustive]
pub enum ConfigError {
    /// A file that cannot be read.
    Unreadable {
        /// Which.
        file: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// A file that others may write.
    Unsafe(Box<Diagnostic>),
    /// A file that is not TOML.
    Syntax {
        /// Which.
        file: PathBuf,
        /// What and where.
        message: String,
    },
    /// A key that does not exist.
    UnknownKey {
        /// As written.
        key: String,
        /// Where.
        origin: Origin,
        /// The nearest that does.
        nearest: Option<&'static str>,
    },
    /// A value of the wrong kind.
    Value {
        /// What and why.
        message: String,
        /// Where.
        origin: Origin,
    },
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConfigError::Unreadable { file, error } => {
                write!(f, "`{}` cannot be read: {error}", file.display())
            }
            ConfigError::Unsafe(diagnostic) => diagnostic.fmt(f),
            ConfigError::Syntax { file, message } => {
                write!(f, "`{}` is not valid TOML: {message}", file.display())
            }
            ConfigError::UnknownKey { key, origin, .. } => write!(f, "there is no key `{key}` ({origin})"),
            ConfigError::Value { message, origin } => write!(f, "{message} ({origin})"),
        }
    }
}

impl std::error::Error for ConfigError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ConfigError::Unreadable { error, .. } => Some(error),
            _ => None,
        }
    }
}

impl ConfigError {
    /// What to do about it.
    #[must_use]
    pub fn remedy(&self) -> String {
        match self {
            ConfigError::Unreadable { .. } => "check the file and its permissions".to_owned(),
            ConfigError::Unsafe(diagnostic) => diagnostic.remedy.clone(),
            ConfigError::Syntax { .. } => {
                "correct the file; `stud config --keys` lists what may stand in it".to_owned()
            }
            ConfigError::UnknownKey { nearest: Some(nearest), .. } => format!("did you mean `{nearest}`?"),
            ConfigError::UnknownKey { nearest: None, .. } => "`stud config --keys` lists the keys".to_owned(),
            ConfigError::Value { .. } => {
                "correct the value; `stud config --keys` lists what each key takes".to_owned()
            }
        }
    }
}

/// Reads and merges everything.
///
/// # Errors
/// A file or variable that is not as it should be. A tool's own section never fails here: it disables that tool later.
pub fn load(sources: &ConfigSources) -> Result<Config, ConfigError> {
    let mut config = defaults();
    if let Some(table) = read(&sources.user)? {
        apply(&mut config, table, &Origin::File(sources.user.clone()), ProjectGrant::Relax)?;
    }
    if let Some(ProjectConfig { file, content, grant }) = &sources.project {
        match (content, grant) {
            (Err(problem), _) => config.notes.push(format!("`{}` is not obeyed: {problem}", file.display())),
            (Ok(_), ProjectGrant::Nothing) => {
                let file = file.display();
                config
                    .notes
                    .push(format!("`{file}` is not obeyed: this project is not trusted (`stud trust`)"));
            }
            (Ok(bytes), grant) => {
                let table = parse(file, &String::from_utf8_lossy(bytes))?;
                apply(&mut config, table, &Origin::File(file.clone()), *grant)?;
            }
        }
    }
    for key in KEYS {
        if let Some((name, text)) = sources.environment.iter().find(|(name, _)| name == key.env) {
            let origin = Origin::Environment(name.clone());
            set(&mut config, key, key.parse_text(text), &origin, ProjectGrant::Relax)?;
        }
    }
    for (name, text) in &sources.flags {
        let origin = Origin::Flag;
        let key = find_key(name, &origin)?;
        set(&mut config, key, key.parse_text(text), &origin, ProjectGrant::Relax)?;
    }
    Ok(config)
}

fn defaults() -> Config {
    let values = KEYS.iter().filter_map(|key| {
        let table: Table = toml::from_str(&format!("value = {}", key.default)).ok()?;
        Some((key.name, (table.get("value")?.clone(), Origin::Default)))
    });
    Config { values: values.collect(), tools: BTreeMap::new(), notes: Vec::new() }
}

/// The user's file. Who may write it decides what runs, so it is held to the rule for libraries.
fn read(file: &Path) -> Result<Option<Table>, ConfigError> {
    let unreadable = |error| ConfigError::Unreadable { file: file.to_owned(), error };
    let metadata = match std::fs::metadata(file) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable(error)),
    };
    crate::ownership::check(file, &metadata)
        .map_err(|diagnostic| ConfigError::Unsafe(Box::new(diagnostic)))?;
    let text = crate::regular_file::read_text(file).map_err(unreadable)?;
    parse(file, &text).map(Some)
}

fn parse(file: &Path, text: &str) -> Result<Table, ConfigError> {
    toml::from_str(text).map_err(|error: toml::de::Error| ConfigError::Syntax {
        file: file.to_owned(),
        message: syntax_message(&error, text),
    })
}

fn syntax_message(error: &toml::de::Error, text: &str) -> String {
    let line = error.span().map(|span| text.get(..span.start).unwrap_or(text).lines().count().max(1));
    line.map_or_else(|| error.message().to_owned(), |line| format!("{} on line {line}", error.message()))
}

fn apply(config: &mut Config, table: Table, origin: &Origin, grant: ProjectGrant) -> Result<(), ConfigError> {
    for (name, value) in table {
        match value {
            Value::Table(sections) if name == "tools" => {
                for (tool, section) in sections {
                    apply_tool(config, tool, section, origin, grant)?;
                }
            }
            Value::Table(section) => {
                if !KEYS.iter().any(|key| key.name.split('.').next() == Some(name.as_str())) {
                    find_key(&name, origin)?;
                }
                for (inner, value) in section {
                    let key = find_key(&format!("{name}.{inner}"), origin)?;
                    set(config, key, value, origin, grant)?;
                }
            }
            value => {
                let key = find_key(&name, origin)?;
                set(config, key, value, origin, grant)?;
            }
        }
    }
    Ok(())
}

fn apply_tool(
    config: &mut Config,
    tool: String,
    section: Value,
    origin: &Origin,
    grant: ProjectGrant,
) -> Result<(), ConfigError> {
    let Value::Table(section) = section else {
        let message = format!("`tools.{tool}` is a section with keys, not {section}");
        return Err(ConfigError::Value { message, origin: origin.clone() });
    };
    // Which of the two counts for the tool stands in its contract, which is not at hand here: the lower one is safe.
    let limit =
        config.milliseconds("limits.timeout_ms").min(config.milliseconds("limits.execute_timeout_ms"));
    let entry: &mut ToolConfig = config.tools.entry(tool.clone()).or_default();
    for (key, value) in section {
        if grant == ProjectGrant::Relax || entry.project_may(&key, &value, limit) {
            entry.values.insert(key, (value, origin.clone()));
        } else {
            config.notes.push(format!("`tools.{tool}.{key}` is not obeyed: it would loosen the user's ({origin}; `stud trust --relax`)"));
        }
    }
    Ok(())
}

fn set(
    config: &mut Config,
    key: &'static Key,
    value: Value,
    origin: &Origin,
    grant: ProjectGrant,
) -> Result<(), ConfigError> {
    key.check(&value).map_err(|message| ConfigError::Value { message, origin: origin.clone() })?;
    let allowed = grant == ProjectGrant::Relax
        || config.values.get(key.name).is_none_or(|(current, _)| key.project_may(current, &value));
    if allowed {
        config.values.insert(key.name, (value, origin.clone()));
    } else {
        config.notes.push(format!(
            "`{}` is not obeyed: it would loosen the user's ({origin}; `stud trust --relax`)",
            key.name
        ));
    }
    Ok(())
}

fn find_key(name: &str, origin: &Origin) -> Result<&'static Key, ConfigError> {
    KEYS.iter().find(|key| key.name == name).ok_or_else(|| {
        let candidates = KEYS.iter().map(|key| key.name);
        let nearest = crate::nearest::nearest(name, candidates, 1).first().copied();
        ConfigError::UnknownKey { key: name.to_owned(), origin: origin.clone(), nearest }
    })
}

#[cfg(test)]
#[path = "load_tests.rs"]
mod tests;
