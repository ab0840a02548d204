//! What the tests run, built by cargo once a run and copied aside: a build that somebody starts meanwhile changes nothing.

use crate::process::run;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

const BUNDLED: [&str; 5] =
    ["stud-tools-files", "stud-tools-git", "stud-tools-search", "stud-tools-shell", "stud-tools-system"];
const FIXTURES: [&str; 2] = ["stud-fixture-constructor", "stud-fixture-hostile"];

/// The built files.
#[derive(Debug)]
pub struct Artefacts {
    /// The command.
    pub stud: PathBuf,
    /// The directory of the bundled plugins, nothing else in it.
    pub bundled: PathBuf,
    fixtures: BTreeMap<String, PathBuf>,
}

impl Artefacts {
    /// A fixture by the name of its target: `hostile`, `constructor`, `refused`, `disagrees`, `no_contract`.
    #[must_use]
    pub fn fixture(&self, name: &str) -> &Path {
        self.fixtures
            .get(name)
            .unwrap_or_else(|| panic!("there is no fixture {name}: {:?}", self.fixtures.keys()))
    }
}

/// Builds everything when it is asked for the first time.
///
/// # Panics
/// The build fails.
pub fn artefacts() -> &'static Artefacts {
    static BUILT: OnceLock<Artefacts> = OnceLock::new();
    BUILT.get_or_init(build)
}

fn build() -> Artefacts {
    let executable = std::env::current_exe().unwrap();
    // target/PROFILE/deps/e2e-HASH
    let [_, profile, target, ..] = executable.ancestors().skip(1).collect::<Vec<_>>()[..] else {
        panic!("{executable:?}")
    };
    let mut cargo = cargo(target);
    cargo.arg("build").args(["--lib", "--bins", "--examples", "--package", "stud"]);
    for package in BUNDLED.iter().chain(&FIXTURES) {
        cargo.args(["--package", package]);
    }
    match profile.file_name().and_then(|name| name.to_str()) {
        Some("debug") | None => {}
        Some(name) => drop(cargo.args(["--profile", name])),
    }
    let files = built_files(&mut cargo);
    let directory = own_directory(target);
    let place = |name: &str, file: &Path, mode: u32| {
        let copy = directory.join(name).join(file.file_name().unwrap());
        fs::create_dir_all(copy.parent().unwrap()).unwrap();
        // Whatever the umask of whoever runs this: nobody else may write what is loaded.
        fs::set_permissions(copy.parent().unwrap(), fs::Permissions::from_mode(0o755)).unwrap();
        fs::copy(file, &copy).unwrap();
        fs::set_permissions(&copy, fs::Permissions::from_mode(mode)).unwrap();
        copy
    };
    let file =
        |name: &str| files.get(name).unwrap_or_else(|| panic!("cargo built no {name}: {:?}", files.keys()));
    for package in BUNDLED {
        place("bundled", file(&package.replace('-', "_")), 0o644);
    }
    let fixture = |target: &str, name: &str| (name.to_owned(), place("fixtures", file(target), 0o644));
    Artefacts {
        stud: place("bin", file("stud"), 0o755),
        bundled: directory.join("bundled"),
        fixtures: BTreeMap::from([
            fixture("stud_fixture_constructor", "constructor"),
            fixture("stud_fixture_hostile", "hostile"),
            fixture("refused", "refused"),
            fixture("disagrees", "disagrees"),
            fixture("no_contract", "no_contract"),
        ]),
    }
}

fn cargo(target: &Path) -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    cargo.arg("--color=never").env("CARGO_TARGET_DIR", target);
    cargo
}

/// Runs a cargo build and says which file came of each target: the library for the loader, or the program.
fn built_files(cargo: &mut Command) -> BTreeMap<String, PathBuf> {
    let output = run(cargo.arg("--message-format=json-render-diagnostics"), b"", Duration::from_secs(900));
    assert_eq!(output.code, 0, "cargo build failed:\n{}", output.stderr);
    let messages = output.stdout.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let files = messages.filter(|message| message["reason"] == "compiler-artifact").filter_map(|message| {
        let name = message["target"]["name"].as_str()?.to_owned();
        if let Some(program) = message["executable"].as_str() {
            return Some((name, PathBuf::from(program)));
        }
        let files = message["filenames"].as_array()?.iter().filter_map(Value::as_str);
        let library = files.into_iter().find(|file| file.ends_with(std::env::consts::DLL_SUFFIX))?;
        Some((name, PathBuf::from(library)))
    });
    files.collect()
}

/// A directory of this process, and no more of those whose process has ended.
fn own_directory(target: &Path) -> PathBuf {
    let all = target.join("tmp/stud-e2e");
    fs::create_dir_all(&all).unwrap();
    for entry in fs::read_dir(&all).unwrap().flatten() {
        let pid = entry
            .file_name()
            .to_str()
            .and_then(|name| name.parse().ok())
            .and_then(rustix::process::Pid::from_raw);
        if pid.is_some_and(|pid| rustix::process::test_kill_process(pid).is_err()) {
            // Somebody else may be removing it too.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
    all.join(std::process::id().to_string())
}

/// Builds a crate outside of this workspace as its author would, and returns its library. The dependencies are kept
/// for the next run.
///
/// # Panics
/// The build fails.
#[must_use]
pub fn build_outside(manifest_dir: &Path) -> PathBuf {
    let target = artefacts().stud.ancestors().nth(3).unwrap().join("outside");
    let mut cargo = cargo(&target);
    cargo.current_dir(manifest_dir).args(["build", "--offline"]).env("CARGO_INCREMENTAL", "0");
    let files = built_files(&mut cargo);
    let name =
        files.keys().find(|name| name.starts_with("outside")).expect("the crate is named outside…").clone();
    files[&name].clone()
}
