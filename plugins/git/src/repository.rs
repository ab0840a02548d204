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
        let place = git(root, &guard).args(["rev-parse", "--show-toplevel", "--absolute-git-dir"]).quiet();
        let place = finish(ctx, &place, "rev-parse")?.stdout();
        let mut place = place.lines();
        let (tree, git_directory) = (place.next().unwrap_or_default(), place.next().unwrap_or_default());
        let real_tree =
            Path::new(tree).canonicalize().context(format!("the repository's working tree `{tree}`"))?;
        let real_root = root.canonicalize().context("the workspace's root")?;
        // `core.worktree` may point anywhere.
        if !real_root.starts_with(&real_tree) {
            let message = format!(
                "the working tree of this repository is `{tree}`, outside of the workspace: look at core.worktree in its configuration"
            );
            return Err(Error::permission_denied(message).code("path_escapes"));
        }
        let is_part = real_root != real_tree;
        Ok(Repository { ctx, root, guard, git_directory: PathBuf::from(git_directory), is_part })
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
