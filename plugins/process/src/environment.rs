//! What a child sees of the host's environment: what a process needs to run, and nothing else.
//!
//! It is a list of what is let through, so that a secret in a variable that nobody thought of stays out. Note that a child of the
//! same user can still read the host's own environment where the system allows it (`/proc/PID/environ`): this keeps
//! secrets from being passed on, it is no wall. The wall is the worker.

use std::ffi::OsString;

/// Names passed on as they are.
const PASSED_ON: &[&str] = &[
    // Who and where.
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "TMPDIR",
    "TMP",
    "TEMP",
    // Language and time.
    "LANG",
    "LANGUAGE",
    "TZ",
    // Libraries and certificates at unusual places.
    "LD_LIBRARY_PATH",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NIX_SSL_CERT_FILE",
    "CURL_CA_BUNDLE",
    "REQUESTS_CA_BUNDLE",
    "NODE_EXTRA_CA_CERTS",
    // Where toolchains are installed.
    "CARGO_HOME",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "GOPATH",
    "GOROOT",
    "JAVA_HOME",
    "NVM_DIR",
    "PYENV_ROOT",
    "VIRTUAL_ENV",
    // Windows.
    "SystemRoot",
    "SystemDrive",
    "windir",
    "ComSpec",
    "PATHEXT",
    "USERNAME",
    "USERPROFILE",
    "HOMEDRIVE",
    "HOMEPATH",
    "APPDATA",
    "LOCALAPPDATA",
    "ProgramData",
    "ProgramFiles",
    "ProgramFiles(x86)",
    "NUMBER_OF_PROCESSORS",
    "PROCESSOR_ARCHITECTURE",
];

/// Beginnings of names passed on.
const PASSED_ON_PREFIXES: &[&str] = &["LC_", "XDG_"];

/// Passed on unless the value holds a user and password (`http://user:password@proxy`).
const PROXIES: &[&str] = &[
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "all_proxy",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "ALL_PROXY",
];

/// Set for every child: there is no terminal, so nothing should draw on one, page, or wait for someone to type.
const FIXED: &[(&str, &str)] =
    &[("TERM", "dumb"), ("PAGER", "cat"), ("GIT_PAGER", "cat"), ("GIT_TERMINAL_PROMPT", "0")];

/// The environment of a child, made from the host's.
pub(crate) fn for_child(
    host: impl Iterator<Item = (OsString, OsString)>,
) -> impl Iterator<Item = (OsString, OsString)> {
    let fixed = FIXED.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
    host.filter(|(name, value)| passes(name, value)).chain(fixed)
}

fn passes(name: &OsString, value: &OsString) -> bool {
    let Some(name) = name.to_str() else { return false };
    let same =
        |other: &&'static str| if cfg!(windows) { other.eq_ignore_ascii_case(name) } else { *other == name };
    PASSED_ON.iter().any(same)
        || PASSED_ON_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
        || (PROXIES.iter().any(same) && !value.to_string_lossy().contains('@'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn x4_only_what_a_process_needs_reaches_a_child() {
        let host = [
            ("PATH", "/bin"),
            ("LC_ALL", "C.UTF-8"),
            ("OPENAI_API_KEY", "sk-1"),
            ("AWS_SECRET_ACCESS_KEY", "s"),
            ("DATABASE_URL", "postgres://u:p@h/d"),
            ("https_proxy", "http://u:p@proxy:3128"),
            ("http_proxy", "http://proxy:3128"),
            ("BASH_ENV", "/tmp/evil"),
            ("GIT_DIR", "/elsewhere"),
            ("TERM", "xterm"),
        ];
        let host = host.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
        let child: Vec<(String, String)> = for_child(host)
            .map(|(name, value)| (name.into_string().unwrap(), value.into_string().unwrap()))
            .collect();
        let names: Vec<&str> = child.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(
            names,
            ["PATH", "LC_ALL", "http_proxy", "TERM", "PAGER", "GIT_PAGER", "GIT_TERMINAL_PROMPT"]
        );
        assert_eq!(child[3].1, "dumb");
    }
}
