use super::Word;

/// Directories without which a system does not live.
const VITAL: &[&str] = &[
    "/",
    "~",
    "/bin",
    "/boot",
    "/dev",
    "/etc",
    "/home",
    "/lib",
    "/lib32",
    "/lib64",
    "/opt",
    "/proc",
    "/root",
    "/run",
    "/sbin",
    "/srv",
    "/sys",
    "/usr",
    "/usr/bin",
    "/usr/lib",
    "/usr/local",
    "/usr/sbin",
    "/usr/share",
    "/var",
    "/var/lib",
    "/var/log",
    "/Applications",
    "/Library",
    "/System",
    "/Users",
    "/Volumes",
    "/mnt",
    "/mnt/c",
    "/c",
    "C:",
    "C:/Windows",
    "C:/Users",
];

/// Devices that swallow or make up what is written or read, and harm nothing.
const HARMLESS_DEVICES: &[&str] =
    &["null", "zero", "full", "random", "urandom", "stdin", "stdout", "stderr", "tty", "ptmx"];

/// The path with `//`, `/./`, `x/..` and the slash at its end taken away.
pub(super) fn normalise(path: &str) -> String {
    let path = path.replace('\\', "/");
    let absolute = path.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/').filter(|part| !part.is_empty() && *part != ".") {
        match (part, parts.last()) {
            ("..", None) if absolute => {}
            ("..", Some(last)) if *last != ".." && !last.starts_with('~') => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    match (absolute, parts.join("/")) {
        (true, joined) => format!("/{joined}"),
        (false, joined) if joined.is_empty() => ".".to_owned(),
        (false, joined) => joined,
    }
}

/// Whether taking this away takes the system, a disk or the user's home away. Patterns right below such a place count.
pub(super) fn is_vital(word: &Word) -> bool {
    if word.text.is_empty() {
        return false;
    }
    let fragments = word.brace.then(|| word.text.split(['{', ',', '}']).filter(|part| !part.is_empty()));
    let whole = is_vital_text(&word.text);
    whole || fragments.is_some_and(|mut fragments| fragments.any(is_vital_text))
}

fn is_vital_text(text: &str) -> bool {
    let path = normalise(text);
    let vital = |path: &str| {
        let root = if path.is_empty() { "/" } else { path };
        // `~somebody` is a home as well.
        VITAL.contains(&root) || (root.starts_with('~') && !root.contains('/')) || is_device(root)
    };
    let home = |parent: &str| ["/home", "/Users"].contains(&parent);
    match path.rsplit_once('/') {
        _ if vital(&path) => true,
        Some((parent, _)) if home(parent) => true,
        Some((parent, last)) => last.contains(['*', '?', '[']) && vital(parent),
        None => false,
    }
}

/// Whether everything in the current directory is meant.
pub(super) fn is_everything_here(word: &Word) -> bool {
    matches!(normalise(&word.text).as_str(), "." | "*" | ".*" | ".." | "../*" | "{*,.*}" | "{.*,*}" | "**")
}

/// A device that is a disk, memory, or unknown.
pub(super) fn is_device(path: &str) -> bool {
    let path = normalise(path);
    let Some(name) = path.strip_prefix("/dev/") else {
        return path == "/proc/sysrq-trigger";
    };
    let harmless = HARMLESS_DEVICES.contains(&name)
        || ["fd/", "shm/", "pts/", "tcp/", "udp/"].iter().any(|p| name.starts_with(p));
    !harmless
}

/// A place that the system or a login lives by.
pub(super) fn is_system(path: &str) -> bool {
    let path = normalise(path);
    let inside = |dir: &&str| path.strip_prefix(*dir).is_some_and(|rest| rest.starts_with('/'));
    let system = [
        "/bin",
        "/boot",
        "/etc",
        "/lib",
        "/lib64",
        "/sbin",
        "/sys",
        "/proc",
        "/usr",
        "/var/spool/cron",
        "/var/lib",
    ];
    system.iter().any(inside)
}

/// Whether the path leads out of the workspace, as far as its text tells.
pub(super) fn leads_outside(path: &str) -> bool {
    let normal = normalise(path);
    let harmless = ["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/stdin"].contains(&normal.as_str());
    !harmless
        && (normal.starts_with(['/', '~'])
            || normal.split('/').any(|part| part == "..")
            || normal.get(1..2) == Some(":"))
}
