//! The packages of the workspace and of everything below it: who depends on whom, and what each manifest has to say.

use crate::files::root;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;
use std::sync::OnceLock;

/// A package as `cargo metadata` knows it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) licence: Option<String>,
    /// Where it comes from; none for those of the workspace.
    pub(crate) source: Option<String>,
    /// Its folder, relative to the root, for those of the workspace; else empty.
    pub(crate) folder: String,
    pub(crate) description: Option<String>,
    /// The text of its manifest, for those of the workspace.
    pub(crate) manifest: String,
    /// The packages that it names, as dependencies of any kind.
    pub(crate) names: BTreeSet<String>,
    /// The packages that it names as such of its tests.
    pub(crate) names_in_tests: BTreeSet<String>,
    /// All that gets built with it: what it names but for tests, and what those name.
    pub(crate) reaches: BTreeSet<String>,
}

impl Package {
    /// A made-up one.
    pub(crate) fn of(name: &str) -> Package {
        Package { name: name.to_owned(), ..Package::default() }
    }

    fn is_member(&self) -> bool {
        !self.folder.is_empty()
    }
}

/// Every package that the lock file resolves to, the workspace's included.
pub(crate) fn resolved() -> &'static [Package] {
    static ONCE: OnceLock<Vec<Package>> = OnceLock::new();
    ONCE.get_or_init(|| {
        // All platforms, which cargo may have to download. Without a network those of this one have to do.
        let all = metadata(&[]).or_else(|error| {
            println!("note: packages of other platforms are not looked at: {error}");
            metadata(&["--offline", "--filter-platform", &this_platform()])
        });
        packages(&all.unwrap())
    })
}

fn metadata(options: &[&str]) -> Result<Value, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output =
        command(cargo).args(["metadata", "--format-version", "1"]).args(options).current_dir(root()).output();
    let output = output.map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())
}

fn this_platform() -> String {
    let output =
        command(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into())).arg("-vV").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().find_map(|line| line.strip_prefix("host: ")).unwrap().to_owned()
}

#[allow(clippy::disallowed_methods, reason = "a test asks cargo; no tool runs this")]
fn command(program: std::ffi::OsString) -> Command {
    Command::new(program)
}

fn packages(metadata: &Value) -> Vec<Package> {
    let root = metadata["workspace_root"].as_str().unwrap();
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let names: BTreeMap<String, String> = list(&metadata["packages"])
        .iter()
        .map(|p| (text(&p["id"]).unwrap(), text(&p["name"]).unwrap()))
        .collect();
    // By id: what is built with each package.
    let built: BTreeMap<String, Vec<String>> = list(&metadata["resolve"]["nodes"])
        .iter()
        .map(|node| {
            let deps = list(&node["deps"])
                .into_iter()
                .filter(|dep| list(&dep["dep_kinds"]).iter().any(|k| k["kind"] != "dev"));
            (text(&node["id"]).unwrap(), deps.filter_map(|dep| text(&dep["pkg"])).collect())
        })
        .collect();
    let package = |value: &Value| {
        let id = text(&value["id"]).unwrap();
        let path = text(&value["manifest_path"]).unwrap();
        let member = list(&metadata["workspace_members"]).iter().any(|one| *one == id);
        let relative = path.strip_prefix(root).unwrap_or_default().replace('\\', "/");
        let folder = relative.trim_start_matches('/').trim_end_matches("/Cargo.toml");
        let declared = |dev_only: bool| {
            let all = list(&value["dependencies"]);
            all.iter().filter(|d| !dev_only || d["kind"] == "dev").filter_map(|d| text(&d["name"])).collect()
        };
        let mut reached = BTreeSet::new();
        reach(&built, &id, &mut reached);
        Package {
            name: text(&value["name"]).unwrap(),
            licence: text(&value["license"]),
            source: text(&value["source"]),
            folder: if member { folder.to_owned() } else { String::new() },
            description: text(&value["description"]),
            manifest: if member { std::fs::read_to_string(&path).unwrap() } else { String::new() },
            names: declared(false),
            names_in_tests: declared(true),
            reaches: reached.iter().filter_map(|id| names.get(id).cloned()).collect(),
        }
    };
    list(&metadata["packages"]).iter().map(package).collect()
}

fn reach(built: &BTreeMap<String, Vec<String>>, from: &str, reached: &mut BTreeSet<String>) {
    for next in built.get(from).into_iter().flatten() {
        if reached.insert(next.clone()) {
            reach(built, next, reached);
        }
    }
}

/// Who may not reach what: the folder of the one, the folder of the other or the name of a package from outside, and
/// folders of the one that are excepted.
const DIRECTION: [(&str, &str, &[&str]); 12] = [
    // What an author depends on is free of the host and of its runtime.
    ("plugin-api/", "host/", &[]),
    ("plugin-api/", "plugins/", &[]),
    ("plugin-api/", "tokio", &[]),
    // The host speaks to plugins through messages and the ABI, not through the author's kit; nothing of it knows the console.
    ("host/", "plugins/", &[]),
    ("host/core/", "plugin-api/macros/", &[]),
    ("host/core/", "plugin-api/testkit/", &[]),
    ("host/", "host/cli/", &["host/cli/"]),
    // Plugins, also the bundled ones, are third parties.
    ("plugins/", "host/", &[]),
    ("plugins/", "tokio", &[]),
    ("examples/", "host/", &["examples/embed/"]),
    ("examples/", "host/cli/", &[]),
    // A decision is a pure function.
    ("host/policy/", "host/core/", &[]),
];

/// Packages from outside whose types belong to one place: nobody else names them.
const KEPT_IN: [(&str, &str); 9] = [
    ("abi_stable", "plugin-api/abi/"),
    ("libloading", "host/core/"),
    ("anstream", "host/cli/"),
    ("clap", "host/cli/"),
    ("comfy-table", "host/cli/"),
    ("reedline", "host/cli/"),
    ("landlock", "host/worker/"),
    ("rmcp", "host/mcp/"),
    ("axum", "host/server/"),
];

fn wrong_way(packages: &[Package]) -> Vec<String> {
    let folder_of = |name: &str| {
        packages.iter().find(|p| p.is_member() && p.name == name).map(|p| format!("{}/", p.folder))
    };
    let mut problems = Vec::new();
    for package in packages.iter().filter(|package| package.is_member()) {
        let own = format!("{}/", package.folder);
        for (from, to, except) in DIRECTION {
            if !own.starts_with(from) || except.contains(&own.as_str()) {
                continue;
            }
            let mut reached: BTreeSet<&String> = package.reaches.iter().chain(&package.names).collect();
            reached.retain(|name| {
                name.as_str() == to || folder_of(name).is_some_and(|folder| folder.starts_with(to))
            });
            for name in reached {
                problems.push(format!(
                    "{} ({from}) depends on {name}: nothing there may depend on {to}",
                    package.name
                ));
            }
        }
        for (name, place) in KEPT_IN {
            // Fixtures and benchmarks imitate either side.
            let outside = own.starts_with("tests/") || own.starts_with("benches/") || own.starts_with(place);
            if !outside && package.names.contains(name) && !package.names_in_tests.contains(name) {
                problems.push(format!("{} names {name}, which belongs to {place}", package.name));
            }
        }
    }
    problems
}

/// What every manifest of the workspace has: the table of lints, and a line that says what the crate is.
fn incomplete(packages: &[Package]) -> Vec<String> {
    let mut problems = Vec::new();
    for package in packages.iter().filter(|package| package.is_member()) {
        if !inherits_lints(&package.manifest) {
            problems.push(format!("{}: add `[lints] workspace = true` to its manifest", package.folder));
        }
        if package.description.as_ref().is_none_or(|text| text.trim().is_empty()) {
            problems.push(format!("{}: add a description to its manifest", package.folder));
        }
    }
    problems
}

fn inherits_lints(manifest: &str) -> bool {
    let lines: Vec<String> = manifest.lines().map(|line| line.replace(' ', "")).collect();
    lines.iter().any(|line| line == "lints.workspace=true")
        || lines.windows(2).any(|pair| pair[0] == "[lints]" && pair[1] == "workspace=true")
}

#[test]
fn dependencies_point_downwards() {
    let packages = resolved();
    let members = packages.iter().filter(|package| package.is_member());
    assert!(members.count() > 10, "these are not all members");
    crate::assert_none(&wrong_way(packages));
}

#[test]
fn every_manifest_is_complete() {
    crate::assert_none(&incomplete(resolved()));
}

#[test]
fn a_dependency_upwards_is_seen() {
    let set = |names: &[&str]| -> BTreeSet<String> { names.iter().map(|name| (*name).to_owned()).collect() };
    let member = |name: &str, folder: &str, names: &[&str], reaches: &[&str]| Package {
        folder: folder.to_owned(),
        names: set(names),
        reaches: set(reaches),
        ..Package::of(name)
    };
    let host = member("stud-host", "host/core", &["tokio", "libloading"], &["tokio", "libloading"]);
    let cli = member("stud", "host/cli", &["stud-host"], &["stud-host", "tokio"]);
    let check = |package: Package, says: &str| {
        let all = [host.clone(), cli.clone(), package];
        crate::assert_one(&wrong_way(&all), says);
    };
    crate::assert_none(&wrong_way(&[host.clone(), cli.clone()]));
    check(member("a", "plugin-api/a", &["b"], &["b", "tokio"]), "may depend on tokio");
    check(member("a", "plugins/a", &["stud-host"], &[]), "a (plugins/) depends on stud-host");
    check(member("a", "host/mcp", &["stud"], &[]), "may depend on host/cli/");
    check(member("a", "examples/a", &["stud-host"], &[]), "may depend on host/");
    check(member("a", "plugins/a", &["clap"], &["clap"]), "clap, which belongs to host/cli/");
    let tests = Package { names_in_tests: set(&["clap"]), ..member("a", "plugins/a", &["clap"], &[]) };
    crate::assert_none(&wrong_way(&[host.clone(), cli.clone(), tests]));
    crate::assert_none(&wrong_way(&[
        host.clone(),
        member("embed", "examples/embed", &["stud-host"], &["tokio"]),
    ]));
}

#[test]
fn an_incomplete_manifest_is_seen() {
    let member = |manifest: &str, description: Option<&str>| Package {
        folder: "a".to_owned(),
        manifest: manifest.to_owned(),
        description: description.map(str::to_owned),
        ..Package::of("a")
    };
    crate::assert_one(&incomplete(&[member("[lints]\nworkspace = true", None)]), "description");
    crate::assert_one(&incomplete(&[member("[lints.rust]\nunsafe_code = \"deny\"", Some("A"))]), "lints");
    crate::assert_none(&incomplete(&[member("lints.workspace = true", Some("A"))]));
}

#[test]
fn the_metadata_is_read_as_cargo_writes_it() {
    let metadata = serde_json::json!({
        "workspace_root": "/w", "workspace_members": [],
        "packages": [
            {"id": "a", "name": "a", "manifest_path": "/r/a/Cargo.toml", "license": "MIT", "source": "s",
             "dependencies": [{"name": "b", "kind": null}, {"name": "d", "kind": "dev"}]},
            {"id": "b", "name": "b", "manifest_path": "/r/b/Cargo.toml", "dependencies": []},
            {"id": "c", "name": "c", "manifest_path": "/r/c/Cargo.toml", "dependencies": []},
            {"id": "d", "name": "d", "manifest_path": "/r/d/Cargo.toml", "dependencies": []}],
        "resolve": {"nodes": [
            {"id": "a", "deps": [{"pkg": "b", "dep_kinds": [{"kind": null}]}, {"pkg": "d", "dep_kinds": [{"kind": "dev"}]}]},
            {"id": "b", "deps": [{"pkg": "c", "dep_kinds": [{"kind": "build"}]}]},
            {"id": "c", "deps": []}, {"id": "d", "deps": []}]}
    });
    let found = packages(&metadata);
    let names = |set: &BTreeSet<String>| set.iter().cloned().collect::<Vec<_>>().join(" ");
    assert_eq!((names(&found[0].names), names(&found[0].names_in_tests)), ("b d".to_owned(), "d".to_owned()));
    assert_eq!(names(&found[0].reaches), "b c");
    assert_eq!((found[0].licence.as_deref(), found[0].source.as_deref()), (Some("MIT"), Some("s")));
}
