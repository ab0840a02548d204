//! The bundled `grep` against ripgrep, on the same files with as many threads.

use crate::built::{Built, library_name, make_private};
use crate::measure::{Race, table, timed};
use crate::one_call::host;
use crate::{Result, Run};
use serde_json::json;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use stud_host::{Call, ToolResult, Turn};
use tokio::runtime::Runtime;

/// What is searched for, and what kind of pattern it is.
const PATTERNS: [(&str, &str); 4] = [
    ("rare literal", "ENOTRECOVERABLE"),
    ("frequent word", "self"),
    ("regex with a literal", r"fn\s+\w+_mut\b"),
    ("regex without one", r"[0-9]{4}-[0-9]{2}-[0-9]{2}"),
];

/// The size of the tree, in bytes.
const FULL: usize = 200_000_000;
const SMALL: usize = 4_000_000;

pub(crate) fn measure(run: &Run, built: &Built) -> Result<()> {
    let Some((rg, version)) = ripgrep() else {
        println!("skipped: there is no ripgrep to compare with; install `rg`, or name one in STUD_BENCH_RG");
        return Ok(());
    };
    let tree = tree(run.amount(FULL, SMALL))?;
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(12);
    println!(
        "{version}, {threads} threads, {} files with {} MB of text\n",
        tree.files,
        tree.bytes / 1_000_000
    );
    let bundled = run.place.directory("bundled")?;
    fs::copy(&built.search, bundled.join(library_name("stud_tools_search")))?;
    let turn = host(built, run.place.home(), &tree.path, &bundled)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let ripgrep = Ripgrep { rg: &rg, tree: &tree.path, threads };

    let mut counts = Vec::new();
    for (kind, pattern) in PATTERNS {
        let (ours, theirs) = (count(&grep(&runtime, &turn, pattern)?), ripgrep.count(pattern)?);
        counts.push(vec![format!("`{pattern}`"), ours.to_string(), theirs.to_string()]);
        if ours != theirs {
            return Err(format!("`{pattern}`: grep counts {ours} matching lines, rg {theirs}").into());
        }
        let mut race = Race::default();
        race.add("`rg`, every line to /dev/null", || {
            timed(|| ripgrep.run(pattern, &["--line-number", "--no-heading"]))
        });
        race.add("`rg --count`", || timed(|| ripgrep.run(pattern, &["--count"])));
        race.add("`grep` in a running host", || timed(|| grep(&runtime, &turn, pattern)));
        race.add("`stud call grep`", || timed(|| stud(built, &bundled, &tree.path, pattern)));
        println!("{kind}: `{pattern}`, {ours} matching lines\n");
        let ratios = [("to `rg`", 0), ("to `rg --count`", 1)];
        race.run(run.rounds(15))?.print("search", &ratios);
        println!();
    }
    println!(
        "Target: `grep` at most 1.3 times `rg`. Both count the same lines; `grep` keeps the first 100 and counts the rest:\n"
    );
    table(&["pattern".to_owned(), "`grep`".to_owned(), "`rg`".to_owned()], &counts);
    Ok(())
}

/// ripgrep and its version, from STUD_BENCH_RG or PATH.
fn ripgrep() -> Option<(OsString, String)> {
    let rg = std::env::var_os("STUD_BENCH_RG").unwrap_or_else(|| OsString::from("rg"));
    let output = Command::new(&rg).arg("--version").output().ok().filter(|output| output.status.success())?;
    let version = String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or_default().to_owned();
    Some((rg, version))
}

struct Ripgrep<'a> {
    rg: &'a OsString,
    tree: &'a Path,
    threads: usize,
}

impl Ripgrep<'_> {
    fn command(&self, pattern: &str, flags: &[&str]) -> Command {
        let mut command = Command::new(self.rg);
        command.args(["--no-config", "--color=never", "--threads", &self.threads.to_string()]);
        command.args(flags).args(["--regexp", pattern]).arg("./").current_dir(self.tree).stdin(Stdio::null());
        command
    }

    fn run(&self, pattern: &str, flags: &[&str]) -> Result<()> {
        let status = self.command(pattern, flags).stdout(Stdio::null()).status()?;
        // 1 says that nothing was found.
        if matches!(status.code(), Some(0 | 1)) { Ok(()) } else { Err(format!("rg: {status}").into()) }
    }

    fn count(&self, pattern: &str) -> Result<u64> {
        let output = self.command(pattern, &["--count", "--no-filename"]).output()?;
        Ok(String::from_utf8(output.stdout)?.lines().filter_map(|line| line.parse::<u64>().ok()).sum())
    }
}

fn grep(runtime: &Runtime, turn: &Turn, pattern: &str) -> Result<ToolResult> {
    let result = runtime.block_on(turn.call(Call::new("grep", json!({ "pattern": pattern }).to_string())));
    if result.is_error || result.metadata.get("complete") != Some(&json!(true)) {
        return Err(format!("`grep` answers: {}", result.text()).into());
    }
    Ok(result)
}

/// The matching lines that the tool counted.
fn count(result: &ToolResult) -> u64 {
    result.metadata.get("matches").and_then(serde_json::Value::as_u64).unwrap_or(0)
}

/// The whole process, as a person calls the tool.
fn stud(built: &Built, bundled: &Path, tree: &Path, pattern: &str) -> Result<Output> {
    let output = Command::new(&built.stud)
        .args(["call", "grep", "--json", "--input", &json!({ "pattern": pattern }).to_string()])
        .env("STUD_BUNDLED", bundled)
        .current_dir(tree)
        .output()?;
    if output.status.success() {
        Ok(output)
    } else {
        Err(format!("`stud call grep`: {}", output.status).into())
    }
}

/// A tree of text files.
struct Tree {
    path: PathBuf,
    files: usize,
    bytes: usize,
}

/// The sources of the crates in cargo's registry, as many as it takes, and again if that is not enough. Only what both
/// programs search from end to end: no hidden files, nothing binary. Kept in the target directory for later runs.
fn tree(least: usize) -> Result<Tree> {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("stud-bench-tree-{}", least / 1_000_000));
    if let Ok(files_and_bytes) = fs::read_to_string(path.join(DONE)) {
        let mut numbers = files_and_bytes.split(' ').filter_map(|number| number.parse().ok());
        if let (Some(files), Some(bytes)) = (numbers.next(), numbers.next()) {
            return Ok(Tree { path, files, bytes });
        }
    }
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home =
        home.or_else(|| Some(std::env::home_dir()?.join(".cargo"))).ok_or("cargo's home is not known")?;
    let mut crates = Vec::new();
    for registry in sorted(&home.join("registry/src"))? {
        crates.extend(sorted(&registry)?);
    }
    make_private(&path)?;
    let mut tree = Tree { path, files: 0, bytes: 0 };
    for pass in 0.. {
        for source in &crates {
            let name = source.file_name().unwrap_or_default().to_string_lossy();
            tree.copy(source, &tree.path.join(format!("{pass}-{name}")))?;
            if tree.bytes >= least {
                fs::write(tree.path.join(DONE), format!("{} {}", tree.files, tree.bytes))?;
                return Ok(tree);
            }
        }
        if tree.files == 0 {
            break;
        }
    }
    Err(format!("there are no sources below {}", home.join("registry/src").display()).into())
}

/// The file that says that a tree is whole; hidden, so that nobody searches it.
const DONE: &str = ".done";

impl Tree {
    fn copy(&mut self, from: &Path, to: &Path) -> Result<()> {
        make_private(to)?;
        for entry in sorted(from)? {
            let name = entry.file_name().unwrap_or_default();
            let kind = fs::symlink_metadata(&entry)?;
            if name.as_encoded_bytes().starts_with(b".") {
                continue;
            } else if kind.is_dir() {
                self.copy(&entry, &to.join(name))?;
            } else if kind.is_file() {
                let bytes = fs::read(&entry)?;
                if !bytes.contains(&0) {
                    fs::write(to.join(name), &bytes)?;
                    self.files += 1;
                    self.bytes += bytes.len();
                }
            }
        }
        Ok(())
    }
}

fn sorted(directory: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(directory).map_err(|error| format!("{}: {error}", directory.display()))?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    Ok(paths)
}
