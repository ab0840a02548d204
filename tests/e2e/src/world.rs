use crate::{Output, Running, artefacts, run};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use tempfile::TempDir;

/// How long a command may take: far more than any does, even on a busy machine.
const LIMIT: Duration = Duration::from_secs(90);

/// The layers that a test puts files into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layer {
    /// The user's.
    Global,
    /// The working directory's.
    Project,
}

/// A user with a home and a project, on a machine with the bundled tools. Gone when it is dropped.
#[derive(Debug)]
pub struct World {
    directory: TempDir,
    environment: Vec<(String, String)>,
}

impl World {
    /// A user who has nothing yet but an empty project.
    ///
    /// # Panics
    /// No directory can be made.
    #[must_use]
    pub fn new() -> World {
        let directory = tempfile::Builder::new().prefix("stud-e2e-").tempdir().unwrap();
        let world = World { directory, environment: Vec::new() };
        for path in [world.home(), world.tools(Layer::Global), world.tools(Layer::Project)] {
            world.make_directory(&path);
        }
        world
    }

    /// The same with a library of the fixtures in the global layer.
    #[must_use]
    pub fn with(fixture: &str) -> World {
        let world = World::new();
        world.put(Layer::Global, fixture);
        world
    }

    /// The same with an environment variable for every command.
    #[must_use]
    pub fn env(mut self, name: &str, value: impl AsRef<str>) -> World {
        self.environment.push((name.to_owned(), value.as_ref().to_owned()));
        self
    }

    fn make_directory(&self, path: &Path) {
        fs::create_dir_all(path).unwrap();
        // Whatever the umask is: a layer that others may write is refused.
        for path in path.ancestors().take_while(|path| path.starts_with(self.directory.path())) {
            fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
        }
    }

    /// Everything of this world lies below it.
    #[must_use]
    pub fn root(&self) -> &Path {
        self.directory.path()
    }

    /// What `STUD_HOME` says.
    #[must_use]
    pub fn home(&self) -> PathBuf {
        self.root().join("home/.stud")
    }

    /// The project's directory.
    #[must_use]
    pub fn project(&self) -> PathBuf {
        self.root().join("project")
    }

    /// The directory of a layer.
    #[must_use]
    pub fn tools(&self, layer: Layer) -> PathBuf {
        match layer {
            Layer::Global => self.home().join("tools"),
            Layer::Project => self.project().join(".stud/tools"),
        }
    }

    /// Copies a fixture into a layer under its own file name.
    pub fn put(&self, layer: Layer, fixture: &str) -> PathBuf {
        self.put_bytes(layer, &format!("lib{fixture}.so"), &fs::read(artefacts().fixture(fixture)).unwrap())
    }

    /// Puts a file into a layer, readable for all and writable for the user.
    ///
    /// # Panics
    /// It cannot be written.
    pub fn put_bytes(&self, layer: Layer, name: &str, bytes: &[u8]) -> PathBuf {
        let file = self.tools(layer).join(name);
        self.make_directory(file.parent().unwrap());
        fs::write(&file, bytes).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        file
    }

    /// Writes a file of the project.
    ///
    /// # Panics
    /// It cannot be written.
    pub fn file(&self, path: &str, text: &str) -> PathBuf {
        let file = self.project().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, text).unwrap();
        file
    }

    /// Writes the user's configuration.
    ///
    /// # Panics
    /// It cannot be written.
    pub fn config(&self, text: &str) {
        let file = self.home().join("config.toml");
        fs::write(&file, text).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    }

    /// Writes the project's configuration.
    ///
    /// # Panics
    /// It cannot be written.
    pub fn project_config(&self, text: &str) {
        fs::write(self.project().join(".stud/config.toml"), text).unwrap();
    }

    /// The command in this world: nothing of the tester's environment but PATH.
    #[must_use]
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&artefacts().stud);
        command.args(["--bundled".as_ref(), artefacts().bundled.as_os_str()]).args(arguments);
        command.current_dir(self.project()).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", self.root().join("home")).env("STUD_HOME", self.home());
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Runs `stud` with these arguments and nothing on standard input.
    #[track_caller]
    pub fn stud(&self, arguments: &[&str]) -> Output {
        run(&mut self.command(arguments), b"", LIMIT)
    }

    /// Starts `stud` and does not wait for it.
    #[track_caller]
    pub fn start(&self, arguments: &[&str]) -> Running {
        Running::start(&mut self.command(arguments), LIMIT)
    }

    /// Runs `stud` with this on standard input.
    #[track_caller]
    pub fn fed(&self, arguments: &[&str], input: &[u8]) -> Output {
        run(&mut self.command(arguments), input, LIMIT)
    }

    /// The console with these lines from a pipe.
    #[track_caller]
    pub fn console(&self, lines: &str) -> Output {
        self.fed(&[], lines.as_bytes())
    }

    /// `stud call NAME --input JSON --json` and its result, once the exit code is seen to fit it.
    #[track_caller]
    pub fn call(&self, name: &str, input: &str) -> Value {
        self.call_with(name, input, &[])
    }

    /// The same with more flags.
    ///
    /// # Panics
    /// The exit code is not the one that stands for the result.
    #[track_caller]
    pub fn call_with(&self, name: &str, input: &str, flags: &[&str]) -> Value {
        let output = self.stud(&[&["call", name, "--input", input, "--json"], flags].concat());
        let result = output.json();
        let expected = match result["error"]["class"].as_str() {
            None => 0,
            Some("permission_denied" | "user_denied" | "confirmation_timeout") => 3,
            Some("cancelled") => 130,
            Some(_) => 1,
        };
        assert_eq!(output.code, expected, "{output}");
        assert_eq!(result["is_error"], expected != 0, "{output}");
        result
    }

    /// The text of a call that works.
    ///
    /// # Panics
    /// It does not.
    #[track_caller]
    pub fn text(&self, name: &str, input: &str) -> String {
        let result = self.call(name, input);
        assert_eq!(result["is_error"], false, "{result:#}");
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }

    /// The error of a call that fails.
    ///
    /// # Panics
    /// It does not.
    #[track_caller]
    pub fn error(&self, name: &str, input: &str) -> Value {
        let result = self.call(name, input);
        assert_eq!(result["is_error"], true, "{result:#}");
        result["error"].clone()
    }

    /// Every line of `stud tools --json`.
    #[must_use]
    #[track_caller]
    pub fn listing(&self) -> Vec<Value> {
        let listing = self.stud(&["tools", "--json"]).exits(0).json();
        listing["tools"].as_array().unwrap().clone()
    }

    /// The lines about one tool.
    #[must_use]
    #[track_caller]
    pub fn listed(&self, name: &str) -> Vec<Value> {
        self.listing().into_iter().filter(|tool| tool["name"] == name).collect()
    }

    /// What is said about a file: status and reason, the same for each tool of it.
    ///
    /// # Panics
    /// There is nothing, or not the same for each.
    #[must_use]
    #[track_caller]
    pub fn verdict(&self, file: &Path) -> (String, String) {
        let of_file = |tool: &Value| tool["file"].as_str() == file.to_str();
        let lines: Vec<Value> = self.listing().into_iter().filter(of_file).collect();
        let said = |line: &Value| (line["status"].clone(), line["reason"].clone());
        let same = lines.iter().all(|line| said(line) == said(&lines[0]));
        let Some(line) = lines.first().filter(|_| same) else {
            panic!("{file:?} has these lines: {lines:#?}")
        };
        (line["status"].as_str().unwrap().to_owned(), line["reason"].as_str().unwrap_or_default().to_owned())
    }

    /// That the bundled tools are as they always are: whatever else lies about, they work.
    ///
    /// # Panics
    /// They do not.
    #[track_caller]
    pub fn others_work(&self) {
        self.file("others.txt", "still here\n");
        assert_eq!(self.text("read_file", r#"{"path": "others.txt"}"#), "1\tstill here\n");
    }
}

impl Default for World {
    fn default() -> World {
        World::new()
    }
}
