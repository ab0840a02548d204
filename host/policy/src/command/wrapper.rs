//! Programs that run what their arguments say. One table, and a function for each that needs its own.

use super::{Word, base_name};
use crate::Severity;

/// What a wrapper runs.
#[derive(Debug)]
pub(super) enum Inner {
    /// A program with its words.
    Words(Vec<Word>),
    /// A line for another shell.
    Line(Word),
}

/// A command that runs other commands.
#[derive(Debug, Default)]
pub(super) struct Wrapped {
    /// What it runs, as far as can be told.
    pub(super) inner: Vec<Inner>,
    /// What the wrapper itself adds: more rights, another machine. It then is a part of its own, without a key.
    pub(super) own: Option<(Severity, &'static str)>,
    /// Why it cannot be told what it runs.
    pub(super) hidden: Option<&'static str>,
    /// Whether arguments are added at run time.
    pub(super) more_arguments: bool,
    /// Whether it reads commands from its input.
    pub(super) reads_input: bool,
}

/// A wrapper whose options come first, then some operands, then the command.
struct Plain {
    name: &'static str,
    /// Short options that take a value.
    valued: &'static str,
    /// Short options that take none.
    flags: &'static str,
    /// Operands before the command.
    operands: usize,
    /// What it adds.
    own: Option<(Severity, &'static str)>,
}

const fn plain(name: &'static str, valued: &'static str, flags: &'static str, operands: usize) -> Plain {
    Plain { name, valued, flags, operands, own: None }
}

const fn rights(name: &'static str, valued: &'static str, flags: &'static str) -> Plain {
    Plain {
        name,
        valued,
        flags,
        operands: 0,
        own: Some((Severity::High, "it runs with the rights of another user")),
    }
}

const PLAIN: &[Plain] = &[
    plain("nice", "n", "0123456789", 0),
    plain("nohup", "", "", 0),
    plain("time", "fo", "pvaq", 0),
    plain("timeout", "ks", "fpv", 1),
    plain("setsid", "", "cfw", 0),
    plain("stdbuf", "ioe", "", 0),
    plain("ionice", "cn", "t", 0),
    plain("chrt", "TPD", "abfior", 1),
    plain("taskset", "", "a", 1),
    plain("env", "uC", "i0v", 0),
    plain("command", "", "p", 0),
    plain("builtin", "", "", 0),
    plain("exec", "a", "cl", 0),
    plain("busybox", "", "", 0),
    plain("toybox", "", "", 0),
    plain("xargs", "IinPLsdEa", "0rtxpo", 0),
    rights("sudo", "ugpCrthTUDR", "AbEeHiKklnPSsVv"),
    rights("doas", "uC", "Lns"),
    rights("pkexec", "", ""),
    rights("run0", "ug", ""),
    Plain { own: Some((Severity::High, "it runs in another root")), ..plain("chroot", "", "", 1) },
    plain("strace", "eopsuaEIOPSUX", "cCdfFhiknqrtTvwxyYzZ", 0),
    plain("ltrace", "eopsuanlx", "cCfiLrStT", 0),
    plain("caffeinate", "tw", "disu", 0),
];

/// Shells.
const SHELLS: &[&str] = &["sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish", "rbash", "csh", "tcsh"];

/// Those whose arguments are not taken apart: always hidden.
const OPAQUE: &[&str] = &[
    "parallel",
    "unshare",
    "nsenter",
    "script",
    "cmd",
    "powershell",
    "pwsh",
    "wsl",
    "alias",
    "coproc",
    "enable",
    "bind",
    "complete",
    "compgen",
    "at",
    "batch",
    "systemd-run",
    "firejail",
    "bwrap",
    "runuser",
    "setpriv",
    "expect",
    "fc",
    "history",
    "mapfile",
    "readarray",
];

/// What a command runs; `None` for an ordinary program.
pub(super) fn look_through(words: &[Word]) -> Option<Wrapped> {
    let name = base_name(&words.first()?.text);
    if let Some(table) = PLAIN.iter().find(|entry| entry.name == name) {
        return Some(plain_wrapper(table, words));
    }
    if SHELLS.contains(&name) {
        return Some(shell(words));
    }
    match name {
        "find" => find(words),
        "fd" | "fdfind" => fd(words),
        "eval" => Some(Wrapped { inner: vec![Inner::Line(joined(words.get(1..)?))], ..Wrapped::default() }),
        "trap" => Some(trap(words)),
        "watch" | "flock" | "ssh" | "su" | "entr" => Some(joined_command(name, words)),
        "source" | "." => Some(Wrapped {
            own: Some((Severity::Medium, "it runs what a file says in this shell")),
            hidden: words
                .iter()
                .any(|word| !word.is_static())
                .then_some("which file it runs is only known at run time"),
            ..Wrapped::default()
        }),
        name if OPAQUE.contains(&name) => Some(Wrapped {
            hidden: Some("it runs what its arguments or its input say"),
            ..Wrapped::default()
        }),
        _ => None,
    }
}

fn plain_wrapper(table: &Plain, words: &[Word]) -> Wrapped {
    let mut wrapped = Wrapped { own: table.own, more_arguments: table.name == "xargs", ..Wrapped::default() };
    let mut rest = words.get(1..).unwrap_or_default();
    let mut operands = table.operands;
    while let Some(word) = rest.first() {
        let text = word.text.as_str();
        let mut taken = 1;
        if text == "--" {
            rest = rest.get(1..).unwrap_or_default();
            rest = rest.get(operands..).unwrap_or_default();
            break;
        } else if table.name == "env" && word.assignment().is_some() {
            if let Some((name, _)) = word.assignment()
                && dangerous_variable(name)
            {
                wrapped.hidden = Some("it sets a variable that changes what programs run");
            }
        } else if table.name == "sudo" && word.assignment().is_some() {
            wrapped.hidden = Some("it sets a variable for a program with more rights");
        } else if let Some(cluster) = text.strip_prefix('-').filter(|cluster| !cluster.is_empty()) {
            match option(table, cluster) {
                Some(values) => taken += values,
                None if text.contains('=') => {}
                None => wrapped.hidden = Some("one of its options is not known"),
            }
        } else if operands > 0 {
            operands -= 1;
        } else {
            break;
        }
        rest = rest.get(taken..).unwrap_or_default();
    }
    if table.name == "command" && words.iter().skip(1).any(|word| matches!(word.text.as_str(), "-v" | "-V")) {
        // It only says what would run.
        wrapped.hidden = None;
        wrapped.inner.push(Inner::Words(vec![Word::plain("type")]));
    } else if !rest.is_empty() {
        let replaced = rest.iter().map(|word| {
            if word.text == "{}" { Word { dynamic: true, ..Word::default() } } else { word.clone() }
        });
        wrapped.inner.push(Inner::Words(replaced.collect()));
    } else if table.name == "env" {
        wrapped.inner.push(Inner::Words(vec![Word::plain("printenv")]));
    } else if wrapped.own.is_none() {
        wrapped.hidden = Some("what it runs is not said");
    }
    wrapped
}

/// How many words an option takes besides itself; `None` for an unknown one.
fn option(table: &Plain, cluster: &str) -> Option<usize> {
    if cluster.starts_with('-') {
        let known = [
            "-no-run-if-empty",
            "-null",
            "-verbose",
            "-preserve-status",
            "-foreground",
            "-ignore-environment",
            "-wait",
        ];
        return known.contains(&cluster).then_some(0);
    }
    for (at, letter) in cluster.char_indices() {
        if table.valued.contains(letter) {
            let attached = at + letter.len_utf8() < cluster.len();
            let optional = table.name == "xargs" && letter == 'i';
            return Some(usize::from(!attached && !optional));
        }
        if !table.flags.contains(letter) {
            return None;
        }
    }
    Some(0)
}

fn joined(words: &[Word]) -> Word {
    Word {
        text: words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" "),
        dynamic: words.iter().any(|word| !word.is_static()),
        ..Word::default()
    }
}

/// `sh -c LINE`, `sh FILE`, or `sh` alone, which reads its input.
fn shell(words: &[Word]) -> Wrapped {
    let mut is_line = false;
    let mut reads_input = false;
    let mut rest = words.get(1..).unwrap_or_default();
    while let Some((word, tail)) = rest.split_first() {
        let text = word.text.as_str();
        rest = tail;
        let takes_value = matches!(text, "-o" | "+o" | "-O" | "+O" | "--rcfile" | "--init-file");
        if text == "--" || text == "-" {
            break;
        } else if takes_value {
            rest = tail.get(1..).unwrap_or_default();
        } else if text.starts_with("--") {
            // `fish --command=LINE`.
            if let Some(line) = text.strip_prefix("--command=") {
                let line = Word { text: line.to_owned(), ..word.clone() };
                return Wrapped { inner: vec![Inner::Line(line)], ..Wrapped::default() };
            }
            is_line |= text == "--command";
        } else if text.starts_with(['-', '+']) {
            is_line |= text.contains('c');
            reads_input |= text.contains('s');
        } else {
            return if is_line {
                Wrapped { inner: vec![Inner::Line(word.clone())], ..Wrapped::default() }
            } else if reads_input
                || text.starts_with("/dev/")
                || text.starts_with("/proc/")
                || text.is_empty()
            {
                Wrapped {
                    reads_input: true,
                    hidden: Some("a shell runs what it reads"),
                    ..Wrapped::default()
                }
            } else {
                let own = Some((Severity::Medium, "it runs the commands in a file"));
                let hidden = (!word.is_static()).then_some("which file it runs is only known at run time");
                Wrapped { own, hidden, ..Wrapped::default() }
            };
        }
    }
    match rest.first() {
        Some(line) if is_line => Wrapped { inner: vec![Inner::Line(line.clone())], ..Wrapped::default() },
        Some(_) if !reads_input => {
            Wrapped { own: Some((Severity::Medium, "it runs the commands in a file")), ..Wrapped::default() }
        }
        None if words.len() == 2 && words.iter().any(|word| word.text == "--version") => {
            Wrapped { own: Some((Severity::None, "")), ..Wrapped::default() }
        }
        _ => Wrapped { reads_input: true, hidden: Some("a shell runs what it reads"), ..Wrapped::default() },
    }
}

/// What `find` runs on what it finds; `None` when it only looks.
fn find(words: &[Word]) -> Option<Wrapped> {
    let starts: Vec<&Word> = words
        .iter()
        .skip(1)
        .skip_while(|word| matches!(word.text.as_str(), "-H" | "-L" | "-P"))
        .take_while(|word| !word.is_option() && word.text != "(" && word.text != "!")
        .collect();
    let mut inner = Vec::new();
    let mut rest = words;
    while let Some(at) =
        rest.iter().position(|word| ["-exec", "-execdir", "-ok", "-okdir"].contains(&word.text.as_str()))
    {
        let tail = rest.get(at + 1..).unwrap_or_default();
        let end = tail.iter().position(|word| word.text == ";" || word.text == "+").unwrap_or(tail.len());
        for start in starts.iter().copied().chain(starts.is_empty().then_some(&Word::plain("."))) {
            let command = tail.get(..end).unwrap_or_default().iter();
            let replaced = command.map(|word| {
                if word.text.contains("{}") { Word { dynamic: true, ..start.clone() } } else { word.clone() }
            });
            inner.push(Inner::Words(replaced.collect()));
        }
        rest = tail.get(end..).unwrap_or_default();
    }
    // The search itself stays a part: it may delete on its own, and where it begins is judged.
    (!inner.is_empty()).then(|| Wrapped { inner, own: Some((Severity::None, "")), ..Wrapped::default() })
}

/// `fd -x COMMAND`.
fn fd(words: &[Word]) -> Option<Wrapped> {
    let at =
        words.iter().position(|word| ["-x", "-X", "--exec", "--exec-batch"].contains(&word.text.as_str()))?;
    let command = words.get(at + 1..)?.to_vec();
    Some(Wrapped {
        inner: vec![Inner::Words(command)],
        more_arguments: true,
        own: Some((Severity::None, "")),
        ..Wrapped::default()
    })
}

/// `trap LINE SIGNAL…` runs the line later.
fn trap(words: &[Word]) -> Wrapped {
    let line =
        words.iter().skip(1).find(|word| !word.is_option() && !word.text.is_empty() && word.text != "--");
    Wrapped {
        inner: line.map(|line| Inner::Line(line.clone())).into_iter().collect(),
        hidden: Some("it runs a command later"),
        ..Wrapped::default()
    }
}

/// Those that join their operands to a line for a shell. Their options are not taken apart, so they stay hidden.
fn joined_command(name: &str, words: &[Word]) -> Wrapped {
    let own = match name {
        "ssh" => Some((Severity::High, "it runs on another machine")),
        "su" => Some((Severity::High, "it runs with the rights of another user")),
        _ => None,
    };
    let after_c = words.iter().position(|word| word.text == "-c").map_or(1, |at| at + 1);
    // Where the command begins is not certain: each suffix is looked at.
    let tail = words.get(after_c..).unwrap_or_default();
    let inner = (0..tail.len().min(6))
        .filter_map(|from| tail.get(from..))
        .map(|rest| Inner::Line(joined(rest)))
        .collect();
    Wrapped { inner, own, hidden: Some("where its command begins is not certain"), ..Wrapped::default() }
}

/// Variables that make programs run something else, or load something into them.
pub(super) fn dangerous_variable(name: &str) -> bool {
    let prefixes = [
        "LD_",
        "DYLD_",
        "GIT_",
        "PYTHON",
        "PERL5",
        "RUBY",
        "NODE_",
        "JAVA_",
        "BASH_",
        "CARGO_",
        "RUSTC",
        "npm_config_",
        "LESS",
    ];
    let names = [
        "PATH",
        "ENV",
        "IFS",
        "PS4",
        "PS1",
        "PROMPT_COMMAND",
        "SHELL",
        "SHELLOPTS",
        "BASHOPTS",
        "CDPATH",
        "PAGER",
        "EDITOR",
        "VISUAL",
        "BROWSER",
        "MANPAGER",
        "HOME",
        "TMPDIR",
        "GCONV_PATH",
        "HOSTALIASES",
        "PERLLIB",
        "CLASSPATH",
        "MAKEFLAGS",
        "CC",
        "CXX",
        "LD",
        "RIPGREP_CONFIG_PATH",
        "OPENSSL_CONF",
        "TERMINFO",
        "ZDOTDIR",
        "INPUTRC",
        "XDG_CONFIG_HOME",
        "DOCKER_HOST",
    ];
    let harmless = [
        "CARGO_TERM_COLOR",
        "CARGO_TARGET_DIR",
        "CARGO_INCREMENTAL",
        "NODE_ENV",
        "PYTHONUNBUFFERED",
        "PYTHONDONTWRITEBYTECODE",
    ];
    !harmless.contains(&name)
        && (names.contains(&name) || prefixes.iter().any(|prefix| name.starts_with(prefix)))
}
