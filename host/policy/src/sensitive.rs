use globset::{GlobBuilder, GlobMatcher};
use serde::{Deserialize, Serialize};

/// One entry of the ordered list (spec A10).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SensitivePattern {
    /// A glob over paths with forward slashes. Without a slash it is held against every component.
    pub pattern: String,
    /// Whether calls that name such a file may be approved without a person.
    pub automatic: bool,
}

/// What ships: secrets, keys, and the files with which a repository or a shell runs programs.
const DEFAULTS: &[(&str, bool)] = &[
    (".env*", false),
    ("*.env", false),
    (".envrc", false),
    (".env.example", true),
    (".env.sample", true),
    (".env.template", true),
    (".ssh", false),
    ("id_rsa*", false),
    ("id_dsa*", false),
    ("id_ecdsa*", false),
    ("id_ed25519*", false),
    ("authorized_keys*", false),
    ("*.pem", false),
    ("*.key", false),
    ("*.p12", false),
    ("*.pfx", false),
    ("*.jks", false),
    ("*.keystore", false),
    ("*.kdbx", false),
    (".gnupg", false),
    (".aws", false),
    (".azure", false),
    (".kube", false),
    (".docker/config.json", false),
    ("gcloud", false),
    ("*credentials*", false),
    ("secrets.*", false),
    (".netrc", false),
    ("_netrc", false),
    (".pgpass", false),
    (".npmrc", false),
    (".pypirc", false),
    (".git-credentials", false),
    (".htpasswd", false),
    (".cargo/credentials*", false),
    (".git/config", false),
    (".git/hooks", false),
    (".gitmodules", false),
    (".gitconfig", false),
    (".bashrc", false),
    (".bash_profile", false),
    (".bash_history", false),
    (".zshrc", false),
    (".zsh_history", false),
    (".profile", false),
    (".stud", false),
    (".vscode/tasks.json", false),
    ("etc/shadow*", false),
    ("etc/sudoers*", false),
    ("etc/passwd", false),
    ("proc/*/environ", false),
];

/// A path of more components is none that a person wrote, and may not be approved automatically.
const MAX_COMPONENTS: usize = 128;

/// Ordered patterns over paths; the last match wins and says whether a call may be approved automatically.
#[derive(Debug, Clone)]
pub struct SensitiveFiles {
    entries: Vec<(SensitivePattern, GlobMatcher)>,
}

impl SensitiveFiles {
    /// The list that ships, followed by these.
    ///
    /// # Errors
    /// A pattern that is no glob: which, and why.
    pub fn new(more: &[SensitivePattern]) -> Result<SensitiveFiles, String> {
        let defaults = DEFAULTS.iter().map(|(pattern, automatic)| SensitivePattern {
            pattern: (*pattern).to_owned(),
            automatic: *automatic,
        });
        let mut entries = Vec::new();
        for entry in defaults.chain(more.iter().cloned()) {
            // File systems that ignore case exist: `.ENV` is `.env` there.
            let glob = GlobBuilder::new(&normalise(&entry.pattern))
                .case_insensitive(true)
                .literal_separator(true)
                .build();
            let matcher =
                glob.map_err(|error| format!("`{}` is no pattern: {}", entry.pattern, error.kind()))?;
            entries.push((entry, matcher.compile_matcher()));
        }
        Ok(SensitiveFiles { entries })
    }

    /// The pattern that decides about a path, if one does. A pattern matches a path, or any directory that it lies in.
    #[must_use]
    pub fn matching(&self, path: &str) -> Option<&SensitivePattern> {
        let path =
            normalise(path.split_inclusive(['/', '\\']).take(MAX_COMPONENTS).collect::<String>().as_str());
        let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
        let decisive = self.entries.iter().rev().find(|(entry, matcher)| {
            let depth = entry.pattern.trim_matches('/').matches('/').count() + 1;
            let any_depth = entry.pattern.contains("**");
            let fits = |slice: &[&str]| matcher.is_match(slice.join("/"));
            if any_depth {
                let tails = (0..parts.len()).filter_map(|start| parts.get(start..));
                tails.flat_map(|tail| (1..=tail.len()).filter_map(|end| tail.get(..end))).any(fits)
            } else {
                parts.windows(depth).any(fits)
            }
        });
        decisive.map(|(entry, _)| entry)
    }

    /// Whether a call that names this path may be approved without a person. What no pattern matches may.
    #[must_use]
    pub fn automatic(&self, path: &str) -> bool {
        let components = path.split(['/', '\\']).count();
        components <= MAX_COMPONENTS && self.matching(path).is_none_or(|entry| entry.automatic)
    }

    /// The first file name of this list that a shell pattern could become, such as `.env` for `.e*`.
    pub(crate) fn reached_by(&self, glob: &str) -> Option<&str> {
        let last = glob.rsplit('/').next().unwrap_or_default();
        let matcher = GlobBuilder::new(last).literal_separator(true).build().ok()?.compile_matcher();
        let names = self
            .entries
            .iter()
            .filter(|(entry, _)| !entry.automatic)
            .map(|(entry, _)| entry.pattern.as_str());
        names.filter(|name| !name.contains('/')).find(|name| {
            let sample = name.replace('*', "");
            // The shell's patterns do not see names that begin with a dot, unless they begin with one.
            (!sample.starts_with('.') || last.starts_with('.'))
                && !name.starts_with('*')
                && matcher.is_match(&sample)
        })
    }
}

fn normalise(path: &str) -> String {
    path.replace('\\', "/").trim_start_matches("**/").trim_end_matches("/**").trim_matches('/').to_owned()
}
