use crate::boundary::Place;
use crate::guard::Guard;
use std::path::{Path, PathBuf};
use stud_plugin_api::{Context, Error, Result, ResultExt};
use stud_tools_process::{Command, End, Outcome, StartError};

/// How much of a command's output is kept, half of it for stdout. The host cuts it further for the model.
const OUTPUT: usize = 1 << 20;
/// The list of the names in a configuration must be complete, whatever its size within reason.
const CONFIGURATION: usize = 64 << 20;

/// The repository that the workspace is in, ready to be looked at without running anything that it names.
pub(crate) struct Repository<'a> {
    ctx: &'a Context,
    root: &'a Path,
    guard: Guard,
    git_directory: PathBuf,
    /// Whether the workspace is only a part of the working tree; what lies outside is not shown then.
    is_part: bool,
}

impl<'a> Repository<'a> {
    /// Finds it, and how to keep it from running anything.
    pub(crate) fn open(ctx: &'a Context) -> Result<Repository<'a>> {
        ctx.check_cancelled()?;
        let root = ctx.workspace()?;
        let guard = Guard::new();
        let names = git(root, &guard)
            .args(["config", "--list", "--name-only", "-z", "--includes"])
            .capture(CONFIGURATION)
            .quiet();
        let names = finish(ctx, &names, "config")?;
        if names.dropped_bytes > 0 {
            return Err(Error::new(
                "the git configuration is too big to be checked: look at `git config --list`",
            )
            .code("bad_git_config"));
        }
        let guard = guard.against(&names.stdout())?;
        let place = find(ctx, root, &guard)?;
        place.check(ctx, || {
            let setting =
                git(root, &guard).args(["config", "--default", "", "--get", "core.worktree"]).quiet();
            Ok(finish(ctx, &setting, "config")?.stdout().trim_end_matches('\n').to_owned())
        })?;
        if place.has_alternates() {
            let count = git(root, &guard).args(["count-objects", "-v"]).capture(CONFIGURATION).quiet();
            let counted = finish(ctx, &count, "count-objects")?;
            if counted.dropped_bytes > 0 {
                let message =
                    "the repository has too many alternates to be checked: look at `git count-objects -v`";
                return Err(Error::permission_denied(message).code("path_escapes"));
            }
            place.check_alternates(ctx, &counted.stdout())?;
        }
        let is_part = place.root != place.tree;
        Ok(Repository { ctx, root, guard, git_directory: place.git_directory, is_part })
    }

    /// Where git keeps what it knows of the repository.
    pub(crate) fn git_directory(&self) -> &Path {
        &self.git_directory
    }

    /// Runs a command that only reads, on the given path or the whole workspace. The text is what it wrote to stdout.
    pub(crate) fn read(&self, subcommand: &str, args: &[String], path: Option<&str>) -> Result<String> {
        let mut command = git(self.root, &self.guard).arg(subcommand).args(args).capture(OUTPUT);
        command = command.arg("--");
        match path {
            Some(path) => command = command.arg(crate::arguments::path(self.root, path)?),
            None if self.is_part => command = command.arg("."),
            None => {}
        }
        let outcome = finish(self.ctx, &command, subcommand)?;
        if outcome.dropped_bytes > 0 {
            self.ctx.metadata("dropped_bytes", outcome.dropped_bytes);
        }
        Ok(outcome.stdout().trim_end_matches('\n').to_owned())
    }
}

/// Asks git where everything is.
fn find(ctx: &Context, root: &Path, guard: &Guard) -> Result<Place> {
    let command = git(root, guard)
        .args(["rev-parse", "--path-format=absolute", "--show-toplevel", "--absolute-git-dir"])
        .arg("--git-common-dir")
        .quiet();
    let said = finish(ctx, &command, "rev-parse")?.stdout();
    let lines: Vec<&str> = said.trim_end_matches('\n').split('\n').collect();
    let &[tree, git_directory, common] = lines.as_slice() else {
        let message = "the path of the repository contains a line break: rename its directory";
        return Err(Error::new(message).code("bad_repository_path"));
    };
    let canonical = |what: &str, path: &str| {
        Path::new(path).canonicalize().context(format!("the repository's {what} `{path}`"))
    };
    Ok(Place {
        root: root.canonicalize().context("the workspace's root")?,
        tree: canonical("working tree", tree)?,
        git_directory: canonical("git directory", git_directory)?,
        common: canonical("common directory", common)?,
    })
}

fn git(root: &Path, guard: &Guard) -> Command {
    let command = Command::new("git").arg("--no-pager").directory(root);
    guard.environment().fold(command, |command, (name, value)| command.env(name, value))
}

fn finish(ctx: &Context, command: &Command, subcommand: &str) -> Result<Outcome> {
    let outcome = command.run(ctx).map_err(|error| match error {
        StartError::NoProgram { .. } => {
            Error::new("git is not installed, or not in PATH: install it").code("no_git")
        }
        other => {
            let code = other.code();
            Error::from(other).code(code)
        }
    })?;
    if outcome.end != End::Exited {
        let message = format!("git {subcommand} was cancelled; its output so far:\n{}", outcome.text());
        return Err(Error::cancelled(message));
    }
    if outcome.success() { Ok(outcome) } else { Err(failure(subcommand, &outcome)) }
}

/// What git's own message means here.
fn failure(subcommand: &str, outcome: &Outcome) -> Error {
    let said = outcome.stderr();
    let said = said.trim();
    if said.contains("not a git repository") {
        let message =
            "the workspace is not in a git repository: the git tools work only in one (`git init` makes one)";
        return Error::new(message).code("not_a_repository");
    }
    if said.contains("must be run in a work tree") {
        let message = "the workspace is a bare git repository, without a working tree: use a clone of it";
        return Error::new(message).code("no_working_tree");
    }
    if let Some(unknown) =
        ["bad revision", "unknown revision", "ambiguous argument", "Invalid revision range"]
            .iter()
            .find_map(|phrase| said.split_once(phrase))
    {
        let revision = unknown.1.split('\'').nth(1).unwrap_or(unknown.1.trim());
        let message =
            format!("there is no revision `{revision}` in this repository: git_log shows those there are");
        return Error::new(message).code("unknown_revision");
    }
    let ending = outcome.notes().join(" ");
    Error::new(format!("git {subcommand} failed: {said} {ending}")).code("git_failed")
}
