//! The commands that are known to only read, with the options that make them do more. What is not here is not safe.

use super::{Word, base_name, paths};

/// What a program may be given.
enum Options {
    /// Anything.
    Any,
    /// Anything but these; long ones also cut short, short ones also in a cluster.
    Except(&'static [&'static str]),
    /// Exactly one of these texts as its arguments.
    Only(&'static [&'static str]),
    /// One of these subcommands.
    Sub(&'static [Sub]),
    /// A function of its own.
    Custom(fn(&[Word]) -> bool),
}

struct Sub {
    name: &'static str,
    /// Options that it may not be given.
    except: &'static [&'static str],
    /// Whether it may be given words that are no options.
    operands: bool,
}

struct Safe {
    programs: &'static [&'static str],
    options: Options,
    /// Whether its words may be paths that it reads: these have to stay in the workspace.
    reads: bool,
}

const VERSION: Options = Options::Only(&["--version", "-V", "-v", "version", "--help", "-h"]);

const DIFF_OPTIONS: &[&str] = &[
    "--output",
    "--ext-diff",
    "--textconv",
    "--no-index",
    "-O",
    "--open-files-in-pager",
    "--show-signature",
];

const fn sub(name: &'static str, except: &'static [&'static str], operands: bool) -> Sub {
    Sub { name, except, operands }
}

const GIT: &[Sub] = &[
    sub("status", &[], true),
    sub("log", DIFF_OPTIONS, true),
    sub("diff", DIFF_OPTIONS, true),
    sub("show", DIFF_OPTIONS, true),
    sub("shortlog", DIFF_OPTIONS, true),
    sub("rev-parse", &[], true),
    sub("rev-list", &["--use-bitmap-index"], true),
    sub("ls-files", &[], true),
    sub("ls-tree", &[], true),
    sub("blame", DIFF_OPTIONS, true),
    sub("describe", &[], true),
    sub("merge-base", &[], true),
    sub("name-rev", &[], true),
    sub("grep", &["-O", "--open-files-in-pager", "--textconv", "--no-index", "--ext-grep"], true),
    sub(
        "branch",
        &[
            "-d",
            "-D",
            "-m",
            "-M",
            "-c",
            "-C",
            "-f",
            "-u",
            "-t",
            "--delete",
            "--move",
            "--copy",
            "--force",
            "--set-upstream-to",
            "--unset-upstream",
            "--track",
            "--edit-description",
            "--create-reflog",
        ],
        false,
    ),
    sub(
        "tag",
        &[
            "-d",
            "-a",
            "-s",
            "-f",
            "-m",
            "-F",
            "-u",
            "-v",
            "--delete",
            "--annotate",
            "--sign",
            "--force",
            "--verify",
            "--file",
            "--message",
            "--local-user",
            "--create-reflog",
        ],
        false,
    ),
    sub("remote", &[], false),
    sub("version", &[], false),
    sub("--version", &[], false),
];

const TABLE: &[Safe] = &[
    Safe {
        programs: &[
            "echo", "true", "false", "pwd", "which", "type", "whoami", "id", "uname", "basename", "dirname",
            "seq", "nproc", "uptime", "free", "arch", "groups", ":", "sleep", "tty", "locale", "getconf",
        ],
        options: Options::Any,
        reads: false,
    },
    Safe { programs: &["test", "[", "[["], options: Options::Custom(evaluates_nothing), reads: false },
    Safe { programs: &["printf"], options: Options::Except(&["-v"]), reads: false },
    Safe { programs: &["date"], options: Options::Custom(date_only_shows), reads: false },
    Safe { programs: &["ps", "df"], options: Options::Any, reads: false },
    Safe {
        programs: &[
            "ls",
            "cat",
            "head",
            "tail",
            "wc",
            "stat",
            "du",
            "nl",
            "tac",
            "rev",
            "cut",
            "tr",
            "fold",
            "expand",
            "comm",
            "cmp",
            "md5sum",
            "sha1sum",
            "sha256sum",
            "sha512sum",
            "cksum",
            "od",
            "hexdump",
            "strings",
            "realpath",
            "readlink",
            "grep",
            "egrep",
            "fgrep",
            "cd",
            "paste",
            "join",
            "column",
        ],
        options: Options::Any,
        reads: true,
    },
    Safe {
        programs: &["file"],
        options: Options::Except(&["-C", "--compile", "-m", "--magic-file"]),
        reads: true,
    },
    Safe { programs: &["diff"], options: Options::Except(&["--paginate", "-l"]), reads: true },
    Safe {
        programs: &["sort"],
        options: Options::Except(&["-o", "--output", "--compress-program", "-T", "--temporary-directory"]),
        reads: true,
    },
    Safe { programs: &["tree"], options: Options::Except(&["-o", "--output", "-R"]), reads: true },
    Safe {
        programs: &["rg"],
        options: Options::Except(&["--pre", "--pre-glob", "--hostname-bin", "--search-zip", "-z"]),
        reads: true,
    },
    Safe {
        programs: &["jq"],
        options: Options::Except(&["-f", "--from-file", "-L", "--rawfile", "--slurpfile"]),
        reads: true,
    },
    Safe { programs: &["uniq"], options: Options::Custom(at_most_one_operand), reads: true },
    Safe { programs: &["find"], options: Options::Custom(find_only_looks), reads: true },
    Safe { programs: &["sed"], options: Options::Custom(sed_only_prints), reads: true },
    Safe { programs: &["git"], options: Options::Sub(GIT), reads: true },
    Safe {
        programs: &[
            "cargo", "rustc", "rustup", "node", "npm", "python", "python3", "go", "gcc", "clang", "make",
            "cmake", "java", "ruby", "docker", "bash", "sh", "stud",
        ],
        options: VERSION,
        reads: false,
    },
];

/// Whether the command is known to only read, and to read only inside the workspace.
pub(super) fn is_safe(words: &[Word]) -> bool {
    let Some((program, arguments)) = words.split_first() else { return false };
    // Only a program that the search path finds: `./ls` may be anything.
    let at_home = |dir: &str| ["/bin", "/usr/bin", "/usr/local/bin"].contains(&dir);
    if !program.is_static() || program.text.rsplit_once('/').is_some_and(|(dir, _)| !at_home(dir)) {
        return false;
    }
    let name = base_name(&program.text);
    let Some(entry) = TABLE.iter().find(|entry| entry.programs.contains(&name)) else { return false };
    // What is only known at run time may be an option; a pattern may match a file that is named like one.
    if arguments.iter().any(|word| word.dynamic || word.brace || (word.glob && word.text.starts_with('*')))
        && name != "echo"
    {
        return false;
    }
    if arguments.iter().any(|word| word.dynamic) {
        return false;
    }
    let inside = !entry.reads || arguments.iter().all(|word| stays_inside(&word.text));
    inside
        && match &entry.options {
            Options::Any => true,
            Options::Except(except) => !given(arguments, except),
            Options::Only(only) => matches!(arguments, [one] if only.contains(&one.text.as_str())),
            Options::Sub(subs) => git(subs, arguments),
            Options::Custom(check) => check(words),
        }
}

/// A word that is no path outside; the value of an option is looked at as well.
fn stays_inside(text: &str) -> bool {
    let value = match (text.strip_prefix("--"), text.strip_prefix('-')) {
        (Some(long), _) => long.split_once('=').map_or("", |(_, value)| value),
        (None, Some(cluster)) => {
            cluster.find(['/', '~', '.']).and_then(|at| cluster.get(at..)).unwrap_or_default()
        }
        (None, None) => text,
    };
    value.is_empty() || !paths::leads_outside(value)
}

/// Whether one of these options is given, in full, cut short, with a value, or in a cluster.
fn given(arguments: &[Word], options: &[&str]) -> bool {
    arguments.iter().any(|word| {
        let text = word.text.as_str();
        let name = text.split('=').next().unwrap_or_default();
        options.iter().any(|option| match option.strip_prefix("--") {
            Some(_) => name == *option || (name.len() > 2 && option.starts_with(name)),
            None => {
                !text.starts_with("--")
                    && option
                        .strip_prefix('-')
                        .is_some_and(|letter| text.starts_with('-') && text.contains(letter))
            }
        })
    })
}

fn git(subs: &[Sub], arguments: &[Word]) -> bool {
    // Other options before the subcommand change the configuration, and that can run programs.
    let harmless = |word: &&Word| matches!(word.text.as_str(), "--no-pager" | "-P" | "--no-optional-locks");
    let rest: Vec<Word> = arguments.iter().skip_while(harmless).cloned().collect();
    let Some((name, rest)) = rest.split_first() else { return false };
    match name.text.as_str() {
        "config" => {
            matches!(rest, [option, ..] if ["--get", "--list", "-l", "--get-all"].contains(&option.text.as_str()))
                && !given(rest, &["--edit", "-e", "-f", "--file", "--unset", "--add"])
        }
        "stash" | "worktree" => matches!(rest, [only] if only.text == "list"),
        "reflog" => rest.is_empty() || matches!(rest, [only] if only.text == "show"),
        "remote" => {
            matches!(rest, [] | [_])
                && rest.iter().all(|word| ["-v", "--verbose"].contains(&word.text.as_str()))
        }
        "branch" | "tag"
            if rest.iter().any(|word| {
                ["--list", "-l", "--contains", "--merged", "--no-merged"].contains(&word.text.as_str())
            }) =>
        {
            subs.iter().any(|sub| sub.name == name.text && !given(rest, sub.except))
        }
        wanted => subs.iter().any(|sub| {
            sub.name == wanted
                && !given(rest, sub.except)
                && (sub.operands || rest.iter().all(Word::is_option))
        }),
    }
}

fn at_most_one_operand(words: &[Word]) -> bool {
    super::operands(words).count() <= 1
}

/// Arithmetic in a test runs substitutions that stand in array indices, even quoted ones.
fn evaluates_nothing(words: &[Word]) -> bool {
    !words
        .iter()
        .any(|word| word.text.contains(['$', '`']) || (word.text.contains('[') && word.text.len() > 2))
}

/// A date that is not a format sets the clock.
fn date_only_shows(words: &[Word]) -> bool {
    let given = given(words.get(1..).unwrap_or_default(), &["-s", "--set", "-f", "--file"]);
    !given && super::operands(words).all(|word| word.text.starts_with('+'))
}

fn find_only_looks(words: &[Word]) -> bool {
    let acts = [
        "-exec",
        "-execdir",
        "-ok",
        "-okdir",
        "-delete",
        "-fprint",
        "-fprint0",
        "-fprintf",
        "-fls",
        "-files0-from",
    ];
    !words.iter().any(|word| acts.contains(&word.text.as_str()))
}

/// `sed -n 1,20p FILE…`: every other script may write or run.
fn sed_only_prints(words: &[Word]) -> bool {
    let mut rest = words.iter().skip(1);
    let quiet = rest.next().is_some_and(|word| word.text == "-n");
    let script = rest.next().map(|word| word.text.as_str()).unwrap_or_default();
    let lines = script.strip_suffix('p').unwrap_or_default();
    let range = !lines.is_empty() && lines.chars().all(|c| c.is_ascii_digit() || c == ',' || c == '$');
    quiet && range && rest.all(|word| !word.is_option())
}
