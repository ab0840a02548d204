use crate::config::{Config, ConfigError, ConfigSources, ProjectConfig, ProjectGrant};
use crate::digest::Digest;
use crate::ids::new_id;
use crate::load::{LoadSettings, Prober, Staging};
use crate::paths::Paths;
use crate::registry::{Registry, RegistrySources};
use crate::session::{NoObserver, Observer, Session, SessionShared};
use crate::spill::Spill;
use crate::trust::{ProjectTrust, TrustError, TrustStore};
use crate::workspace::{Workspace, WorkspaceError};
use std::fmt;
use std::sync::Arc;

/// How a host is opened.
pub struct HostOptions {
    /// Where things are.
    pub paths: Paths,
    /// The environment: configuration variables, and those that tools declare.
    pub environment: Vec<(String, String)>,
    /// Configuration given on the command line: key and value as text. It counts more than files and environment.
    pub flags: Vec<(String, String)>,
    /// The program that opens a library first, so that a bad one cannot end this process. Without one, libraries are
    /// opened here after their structure was checked.
    pub prober: Option<Prober>,
    /// Watches what calls say while they run.
    pub observer: Arc<dyn Observer>,
}

impl HostOptions {
    /// Options for these paths, with nothing from the environment.
    #[must_use]
    pub fn new(paths: Paths) -> HostOptions {
        HostOptions {
            paths,
            environment: Vec::new(),
            flags: Vec::new(),
            prober: None,
            observer: Arc::new(NoObserver),
        }
    }
}

/// The tools of this user in this directory. Cheap to keep, made once per program.
pub struct Host {
    options: HostOptions,
    config: Arc<Config>,
    trust: Result<Option<ProjectTrust>, TrustError>,
    registry: Registry,
    /// The digest of the project's configuration as it was read, or why it could not be.
    project_config: Option<Result<Digest, String>>,
}

/// Why there is no host, or no session.
#[derive(Debug)]
#[non_exhaustive]
pub enum HostError {
    /// The configuration is wrong.
    Config(ConfigError),
    /// The workspace cannot be opened.
    Workspace(WorkspaceError),
}

impl fmt::Display for HostError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HostError::Config(error) => error.fmt(f),
            HostError::Workspace(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for HostError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            HostError::Config(error) => Some(error),
            HostError::Workspace(error) => Some(error),
        }
    }
}

impl HostError {
    /// What to do about it.
    #[must_use]
    pub fn remedy(&self) -> String {
        match self {
            HostError::Config(error) => error.remedy(),
            HostError::Workspace(error) => error.remedy().to_owned(),
        }
    }
}

impl Host {
    /// Reads configuration, trust and layers. Opens no library.
    ///
    /// # Errors
    /// The configuration is wrong. A broken trust file is none: nothing of the project is trusted then, and
    /// [`Host::trust`] says why.
    pub fn open(options: HostOptions) -> Result<Host, HostError> {
        let trust = TrustStore::read(&options.paths.trust_file())
            .map(|store| store.project(&options.paths.project).cloned());
        let trusted = trust.as_ref().ok().and_then(Option::as_ref);
        let project = read_project_config(&options.paths, trusted);
        let project_config =
            project.as_ref().map(|project| project.content.clone().map(|bytes| Digest::of(&bytes)));
        let mut config = crate::config::load(&ConfigSources {
            user: options.paths.user_config(),
            project,
            environment: options.environment.clone(),
            flags: options.flags.clone(),
        })
        .map_err(HostError::Config)?;
        let registry = Registry::build(&RegistrySources {
            layers: &options.paths.layers(),
            project_dir: &options.paths.project_dir(),
            trust: trusted,
            config: &config,
            load: Arc::new(LoadSettings {
                staging: Staging::new(options.paths.staged_dir()),
                cache_dir: options.paths.cache_dir(),
                prober: options.prober.clone(),
            }),
            generation: 1,
        });
        let unknown = registry.unknown_tools(&config);
        config.notes.extend(unknown);
        Ok(Host { options, config: Arc::new(config), trust, registry, project_config })
    }

    /// The configuration in force.
    #[must_use]
    pub fn config(&self) -> &Arc<Config> {
        &self.config
    }

    /// Where things are.
    #[must_use]
    pub fn paths(&self) -> &Paths {
        &self.options.paths
    }

    /// What the project was trusted with.
    ///
    /// # Errors
    /// The trust file cannot be used.
    pub fn trust(&self) -> Result<Option<&ProjectTrust>, &TrustError> {
        self.trust.as_ref().map(Option::as_ref)
    }

    pub(crate) fn project_config(&self) -> Option<&Result<Digest, String>> {
        self.project_config.as_ref()
    }

    /// Every candidate and what may be called.
    #[must_use]
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// Starts a session in the project's directory.
    ///
    /// # Errors
    /// The directory cannot be opened.
    pub fn session(&self) -> Result<Session, HostError> {
        let workspace = Workspace::open(&self.options.paths.project).map_err(HostError::Workspace)?;
        let shared = SessionShared {
            id: new_id("ses_"),
            workspace,
            home: std::fs::canonicalize(&self.options.paths.home)
                .unwrap_or_else(|_| self.options.paths.home.clone()),
            config: self.config.clone(),
            environment: self.options.environment.iter().cloned().collect(),
            spill: Spill::new(self.options.paths.outputs_dir()),
            observer: self.options.observer.clone(),
        };
        Ok(Session { shared: Arc::new(shared), snapshot: self.registry.snapshot() })
    }
}

/// Reads the project's configuration once. It counts as far as these very bytes are trusted: it is one of the files
/// that were shown.
fn read_project_config(paths: &Paths, trusted: Option<&ProjectTrust>) -> Option<ProjectConfig> {
    let file = paths.project_config();
    if !paths.has_project() || std::fs::symlink_metadata(&file).is_err() {
        return None;
    }
    let content =
        crate::regular_file::read(&file, crate::regular_file::MAX_TEXT).map_err(|error| error.to_string());
    let grant = match (&content, trusted) {
        (Ok(bytes), Some(trust)) if trust.covers(CONFIG_NAME, Digest::of(bytes)) => {
            if trust.relax {
                ProjectGrant::Relax
            } else {
                ProjectGrant::Tighten
            }
        }
        _ => ProjectGrant::Nothing,
    };
    Some(ProjectConfig { file, content, grant })
}

/// The project's configuration as a trusted file.
pub(crate) const CONFIG_NAME: &str = "config.toml";
