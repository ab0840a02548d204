use crate::layer::{Layer, LayerDir};
use std::path::{Path, PathBuf};

/// The prefix of the bundled plugins' library files.
const BUNDLED_PREFIX: &str = "stud_tools_";

/// Where things are on this machine. Made once from the environment; nothing below reads it again.
#[derive(Debug, Clone)]
pub struct Paths {
    /// `~/.stud`, or what `STUD_HOME` says.
    pub home: PathBuf,
    /// The working directory: the project's root, exactly.
    pub project: PathBuf,
    /// The directory of the bundled plugins.
    pub bundled: PathBuf,
}

impl Paths {
    /// The directory of every layer, lowest first. In the home directory itself there is no project layer: it would be
    /// the global one under another name.
    #[must_use]
    pub fn layers(&self) -> Vec<LayerDir> {
        let mut layers = vec![
            LayerDir { layer: Layer::Bundled, path: self.bundled.clone(), prefix: Some(BUNDLED_PREFIX) },
            LayerDir { layer: Layer::Global, path: self.home.join("tools"), prefix: None },
        ];
        if self.has_project() {
            layers.push(LayerDir {
                layer: Layer::Project,
                path: self.project_dir().join("tools"),
                prefix: None,
            });
        }
        layers
    }

    /// Whether `.stud` of the working directory is something else than the user's own.
    pub(crate) fn has_project(&self) -> bool {
        let canonical = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        canonical(&self.project_dir()) != canonical(&self.home)
    }

    /// `.stud` in the working directory.
    #[must_use]
    pub fn project_dir(&self) -> PathBuf {
        self.project.join(".stud")
    }

    /// The user's configuration.
    #[must_use]
    pub fn user_config(&self) -> PathBuf {
        self.home.join("config.toml")
    }

    /// The project's configuration, obeyed once trusted.
    #[must_use]
    pub fn project_config(&self) -> PathBuf {
        self.project_dir().join("config.toml")
    }

    /// What was trusted.
    #[must_use]
    pub fn trust_file(&self) -> PathBuf {
        self.home.join("trust.toml")
    }

    /// Facts about library files that were read before.
    #[must_use]
    pub fn cache_dir(&self) -> PathBuf {
        self.home.join("cache")
    }

    /// The private copies that the loader opens.
    #[must_use]
    pub fn staged_dir(&self) -> PathBuf {
        self.home.join("staged")
    }

    /// Full outputs of calls in this project that were cut for the model.
    #[must_use]
    pub fn outputs_dir(&self) -> PathBuf {
        let project = crate::digest::Digest::of(self.project.as_os_str().as_encoded_bytes());
        self.home.join("outputs").join(project.short())
    }
}

/// Where the plugins that ship with a program at `executable` lie: `../lib/stud/tools` of an installation, else the
/// program's own directory, as cargo builds them side by side.
#[must_use]
pub fn bundled_beside(executable: &Path) -> PathBuf {
    let directory = executable.parent().unwrap_or(Path::new("."));
    let installed = directory.join("../lib/stud/tools");
    if installed.is_dir() { installed } else { directory.to_owned() }
}
