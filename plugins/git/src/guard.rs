//! How git is kept from running what a repository's configuration names.
//!
//! Whoever wrote the workspace may have written `.git/config` too (an unpacked archive, a shared directory), and these
//! tools run unasked. So everything that git would run while it reads is switched off, wherever it is configured:
//!
//! | named by | switched off by |
//! | --- | --- |
//! | `core.fsmonitor` | [`FIXED`] |
//! | hooks, `core.hooksPath`, `hook.NAME.command` | [`FIXED`], [`NAMED`] |
//! | `filter.NAME.clean`, `.smudge`, `.process` | [`NAMED`] |
//! | `diff.external`, `diff.NAME.command`, `diff.NAME.textconv` | [`FIXED`] and options of the commands |
//! | `log.showSignature` with `gpg.program` | [`FIXED`] |
//! | `core.pager`, `pager.NAME` | `--no-pager` |
//! | a missing object that a promisor remote should send | [`ENVIRONMENT`]: no transport is allowed |
//! | all of that in the configuration of a submodule | the commands do not look into submodules |
//!
//! The settings travel in `GIT_CONFIG_COUNT` rather than in `-c`, which cannot express a name that contains `=`. A git
//! that is too old to know it is told apart by asking it for [`PROOF`].
//!
//! The price: files under a filter (git-lfs) are compared as they are in the working tree, so a file that was touched shows as changed.

use stud_plugin_api::{Error, Result};

/// Settings that hold for every command; they override those of the repository, the user and the system.
const FIXED: &[(&str, &str)] = &[
    (PROOF, "true"),
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.pager", "cat"),
    ("diff.external", ""),
    ("log.showSignature", "false"),
    ("protocol.allow", "never"),
    // Reading must not write: without this a diff rewrites the index.
    ("diff.autoRefreshIndex", "false"),
    // What the model reads should not depend on taste.
    ("core.quotePath", "false"),
    ("color.ui", "false"),
    ("diff.noprefix", "false"),
    ("diff.mnemonicPrefix", "false"),
    ("status.relativePaths", "true"),
    ("status.submoduleSummary", "false"),
    ("advice.statusHints", "false"),
];

/// Settings made for every NAME that the configuration has in `SECTION.NAME.…`.
const NAMED: &[(&str, &[(&str, &str)])] = &[
    ("filter", &[("clean", ""), ("smudge", ""), ("process", ""), ("required", "false")]),
    ("hook", &[("command", ""), ("enabled", "false")]),
];

/// Environment of every command. Nothing that begins with `GIT_` is passed on from the host's own.
const ENVIRONMENT: &[(&str, &str)] = &[
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_ALLOW_PROTOCOL", "none"),
    // A path is a path: `:(top)x` and `*` would reach out of the workspace's directory.
    ("GIT_LITERAL_PATHSPECS", "1"),
    // The messages are read below.
    ("LC_ALL", "C"),
];

/// A setting that is there only when git heeds ours.
const PROOF: &str = "stud.guarded";

/// The environment in which a git command runs nothing but git.
#[derive(Debug, Clone)]
pub(crate) struct Guard {
    settings: Vec<(String, &'static str)>,
}

impl Guard {
    /// Enough to ask for the configuration: that runs nothing.
    pub(crate) fn new() -> Guard {
        Guard { settings: FIXED.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect() }
    }

    /// Adds what the configuration makes necessary. `names` is what `git config --list --name-only -z` said under this guard.
    pub(crate) fn against(mut self, names: &str) -> Result<Guard> {
        if !names.split('\0').any(|name| name == PROOF) {
            let message = "this git is too old to be kept from running programs that a repository names: git 2.31 or newer is needed";
            return Err(Error::new(message).code("git_too_old"));
        }
        if names.contains(char::REPLACEMENT_CHARACTER) {
            let message = "the git configuration has a name that is not UTF-8, so what it would run cannot be switched off: look at `git config --list`";
            return Err(Error::new(message).code("bad_git_config"));
        }
        for name in names.split('\0') {
            for (section, settings) in NAMED {
                let Some((middle, _)) = name
                    .strip_prefix(section)
                    .and_then(|rest| rest.strip_prefix('.'))
                    .and_then(|rest| rest.rsplit_once('.'))
                else {
                    continue;
                };
                for (key, value) in *settings {
                    let setting = (format!("{section}.{middle}.{key}"), *value);
                    if !self.settings.contains(&setting) {
                        self.settings.push(setting);
                    }
                }
            }
        }
        Ok(self)
    }

    /// As environment variables.
    pub(crate) fn environment(&self) -> impl Iterator<Item = (String, String)> {
        let numbered = self.settings.iter().enumerate().flat_map(|(number, (name, value))| {
            [
                (format!("GIT_CONFIG_KEY_{number}"), name.clone()),
                (format!("GIT_CONFIG_VALUE_{number}"), (*value).to_owned()),
            ]
        });
        let count = ("GIT_CONFIG_COUNT".to_owned(), self.settings.len().to_string());
        let fixed = ENVIRONMENT.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        numbered.chain([count]).chain(fixed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_filter_that_is_configured_is_overridden_whatever_its_name() {
        let names = "user.name\0stud.guarded\0filter.lfs.clean\0filter.a=b.c.process\0filter.lfs.smudge\0filter.clean\0hook.x.command\0";
        let guard = Guard::new().against(names).unwrap();
        let environment: Vec<(String, String)> = guard.environment().collect();
        let value_of = |name: &str| {
            let (key, _) = environment.iter().find(|(_, value)| value == name)?;
            let key = key.replace("KEY", "VALUE");
            environment.iter().find(|(name, _)| *name == key).map(|(_, value)| value.as_str())
        };
        for (name, value) in [
            ("filter.lfs.clean", ""),
            ("filter.lfs.required", "false"),
            ("filter.a=b.c.process", ""),
            ("filter.a=b.c.clean", ""),
            ("hook.x.enabled", "false"),
            ("core.fsmonitor", "false"),
        ] {
            assert_eq!(value_of(name), Some(value), "{name}");
        }
        let count = environment.iter().find(|(name, _)| name == "GIT_CONFIG_COUNT").unwrap();
        assert_eq!(count.1, (FIXED.len() + 4 + 4 + 2).to_string());
    }

    #[test]
    fn a_git_that_ignores_the_guard_is_refused() {
        let error = Guard::new().against("user.name\0").unwrap_err();
        assert_eq!(error.code_str(), "git_too_old");
        let error = Guard::new().against("stud.guarded\0filter.\u{FFFD}.clean\0").unwrap_err();
        assert_eq!(error.code_str(), "bad_git_config");
    }
}
