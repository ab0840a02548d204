use crate::args::Args;
use crate::failure::{Exit, Failure};
use crate::{commands, confirm, render};
use std::path::PathBuf;
use std::sync::Arc;
use stud_host::{Host, HostOptions, NoObserver, Paths, Prober, bundled_beside};

/// Where this run works and with what environment.
pub(crate) struct App {
    pub(crate) paths: Paths,
    environment: Vec<(String, String)>,
    settings: Vec<(String, String)>,
}

impl App {
    pub(crate) fn new(args: &Args) -> Result<App, Failure> {
        let project = match &args.directory {
            Some(directory) => directory.clone(),
            None => std::env::current_dir().map_err(|error| {
                Failure::new(Exit::Usage, format!("the current directory cannot be found: {error}"))
            })?,
        };
        let project = std::fs::canonicalize(&project).map_err(|error| {
            Failure::new(
                Exit::Usage,
                format!("the directory `{}` cannot be used: {error}", render::path(&project)),
            )
        })?;
        if !project.is_dir() {
            let message = format!("`{}` is not a directory", render::path(&project));
            return Err(Failure::new(Exit::Usage, message).hint("-C takes the project's directory"));
        }
        let bundled = args.bundled.clone().or_else(|| variable("STUD_BUNDLED"));
        let bundled = match bundled {
            Some(bundled) => bundled,
            None => bundled_beside(&program()?),
        };
        let environment = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        let paths = Paths { home: home()?, project, bundled };
        Ok(App { paths, environment, settings: args.settings.clone() })
    }

    /// The program that opens unknown libraries first: this one.
    pub(crate) fn prober(&self) -> Result<Prober, Failure> {
        Ok(Prober { program: program()?, arguments: vec!["__describe".into()] })
    }

    /// Opens the host. On a terminal that may be asked, an untrusted project is asked about first.
    pub(crate) fn host(&self, may_ask: bool) -> Result<Host, Failure> {
        let host = self.open()?;
        if let Err(error) = host.trust() {
            render::warning(&format!("nothing of this project is trusted: {error}; {}", error.remedy));
            return Ok(host);
        }
        let asked = commands::trust::offer(&host, may_ask && confirm::can_ask())?;
        // What was trusted just now is seen by a host that is opened after it.
        if asked { self.open() } else { Ok(host) }
    }

    /// Opens the host without a word about trust.
    pub(crate) fn open(&self) -> Result<Host, Failure> {
        let options = HostOptions {
            paths: self.paths.clone(),
            environment: self.environment.clone(),
            flags: self.settings.clone(),
            prober: Some(self.prober()?),
            observer: Arc::new(NoObserver),
        };
        let host = Host::open(options)?;
        for note in &host.config().notes {
            render::warning(note);
        }
        Ok(host)
    }
}

fn program() -> Result<PathBuf, Failure> {
    std::env::current_exe().map_err(|error| {
        Failure::new(Exit::Error, format!("this program's own file cannot be found: {error}"))
    })
}

/// A path from the environment, Unicode or not. An empty one is none.
fn variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// `STUD_HOME`, or `.stud` in the user's home.
fn home() -> Result<PathBuf, Failure> {
    if let Some(home) = variable("STUD_HOME") {
        return std::path::absolute(&home).map_err(|error| {
            let message = format!("STUD_HOME is `{}`, which is no path: {error}", render::path(&home));
            Failure::new(Exit::Usage, message)
        });
    }
    match std::env::home_dir().filter(|home| home.is_absolute()) {
        Some(home) => Ok(home.join(".stud")),
        None => Err(Failure::new(Exit::Usage, "this user has no home directory")
            .hint("set STUD_HOME to a directory of yours")),
    }
}
