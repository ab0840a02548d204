//! What a command can destroy: the table of severities.

use super::{Word, base_name, has_option, operands, paths};
use crate::Severity;
use crate::Severity::{Critical, High, Medium, None as Nothing};

/// A severity with its reason.
pub(super) type Judged = (Severity, &'static str);

const FINE: Judged = (Nothing, "");

/// Programs whose name alone says it.
const BY_NAME: &[(&[&str], Judged)] = &[
    (
        &[
            "mke2fs",
            "wipefs",
            "sgdisk",
            "blkdiscard",
            "mkswap",
            "pvremove",
            "vgremove",
            "lvremove",
            "fdformat",
            "badblocks",
        ],
        (Critical, "it destroys what is on a disk"),
    ),
    (&["shutdown", "reboot", "halt", "poweroff", "telinit"], (Critical, "it stops the machine")),
    (
        &["fdisk", "sfdisk", "cfdisk", "parted", "gdisk", "cryptsetup", "hdparm", "nvme"],
        (High, "it can change disks"),
    ),
    (&["shred", "srm", "wipe"], (High, "it deletes beyond recovery")),
    (
        &["userdel", "useradd", "usermod", "groupdel", "passwd", "chpasswd", "visudo", "vipw", "chsh"],
        (High, "it changes accounts"),
    ),
    (
        &[
            "iptables",
            "ip6tables",
            "nft",
            "ufw",
            "firewall-cmd",
            "insmod",
            "rmmod",
            "modprobe",
            "sysctl",
            "swapoff",
            "umount",
            "setenforce",
        ],
        (High, "it changes the system"),
    ),
    (&["insmod", "kexec"], (High, "it changes the kernel")),
    (
        &[
            "mv",
            "cp",
            "mkdir",
            "rmdir",
            "touch",
            "ln",
            "tee",
            "chmod",
            "chown",
            "chgrp",
            "install",
            "truncate",
            "rsync",
            "tar",
            "unzip",
            "patch",
            "rm",
            "unlink",
            "dd",
            "kill",
            "pkill",
            "killall",
            "crontab",
            "at",
            "split",
            "mount",
            "sed",
            "perl",
            "python",
            "python3",
            "node",
            "ruby",
            "scp",
            "sftp",
            "curl",
            "wget",
            "make",
            "docker",
            "podman",
            "kubectl",
            "systemctl",
            "launchctl",
            "export",
            "declare",
            "unset",
        ],
        (Medium, "it changes files or state"),
    ),
    (
        &[
            "apt", "apt-get", "dnf", "yum", "pacman", "apk", "zypper", "brew", "snap", "pip", "pip3", "npm",
            "pnpm", "yarn", "gem", "cargo", "go",
        ],
        (Medium, "it can install or build packages"),
    ),
];

/// Judges one command. `words` begins with the program; words may be known only in part.
pub(super) fn judge(words: &[Word]) -> Judged {
    let Some(program) = words.first() else { return FINE };
    let name = base_name(&program.text);
    let by_name = BY_NAME.iter().find(|(names, _)| names.contains(&name)).map_or(FINE, |(_, judged)| *judged);
    let mkfs = name == "mkfs" || name.starts_with("mkfs.") || name.starts_with("newfs");
    let special = match name {
        _ if mkfs => (Critical, "it makes a new file system over what is on a disk"),
        "rm" => rm(words),
        "find" => find(words),
        "dd" => dd(words),
        "chmod" | "chown" | "chgrp" | "chattr" | "setfacl" => rights(words),
        "mv" => mv(words),
        "init" => init(words),
        "systemctl" => systemctl(words),
        "kill" | "pkill" | "killall" => kill(words),
        "crontab" if has_option(words, "r", &[]) => (High, "it removes all scheduled commands"),
        "git" => git(words),
        "rsync" if has_option(words, "", &["--delete"]) => targets(
            words,
            (Critical, "it empties a vital directory"),
            (High, "it deletes what the source does not have"),
        ),
        "shred" | "cryptsetup" | "hdparm" | "nvme" | "parted" | "fdisk" | "sfdisk" if names_device(words) => {
            (Critical, "it writes over a disk")
        }
        "tee" | "cp" | "install" | "truncate" if names_device(words) => (Critical, "it writes over a disk"),
        "diskutil" if words.iter().any(|word| word.text.to_lowercase().contains("erase")) => {
            (Critical, "it erases a disk")
        }
        "zpool" | "zfs" if words.iter().any(|word| word.text == "destroy") => {
            (Critical, "it destroys a file system")
        }
        "docker" | "podman" if any(words, &["prune", "rm", "rmi", "kill"]) => {
            (High, "it removes containers or their data")
        }
        "docker" | "podman" if any(words, &["--privileged"]) => (High, "it runs with all rights"),
        "kubectl" | "helm" if any(words, &["delete", "uninstall", "drain"]) => {
            (High, "it removes what runs elsewhere")
        }
        "terraform" | "tofu" | "pulumi" if any(words, &["destroy", "apply", "up"]) => {
            (High, "it changes what runs elsewhere")
        }
        "aws" | "gcloud" | "az" | "gsutil" if any(words, &["rm", "rb", "delete", "terminate-instances"]) => {
            (High, "it removes what is stored elsewhere")
        }
        "npm" | "pnpm" | "yarn" | "cargo" | "gem" | "twine"
            if any(words, &["publish", "unpublish", "yank"]) =>
        {
            (High, "it publishes, or takes back what was published")
        }
        _ => FINE,
    };
    special.max_by_severity(by_name)
}

trait Worse {
    fn max_by_severity(self, other: Self) -> Self;
}

impl Worse for Judged {
    fn max_by_severity(self, other: Self) -> Self {
        if other.0 > self.0 { other } else { self }
    }
}

fn any(words: &[Word], wanted: &[&str]) -> bool {
    words.iter().skip(1).any(|word| wanted.contains(&word.text.as_str()))
}

fn names_device(words: &[Word]) -> bool {
    operands(words).any(|word| paths::is_device(&word.text))
}

/// `vital` when an operand is a place that everything lives by, or may be one.
fn targets(words: &[Word], vital: Judged, otherwise: Judged) -> Judged {
    if operands(words).any(paths::is_vital) { vital } else { otherwise }
}

/// An option of this kind, or a word that may become one.
fn recursive(words: &[Word]) -> bool {
    let unclear =
        |word: &Word| (word.dynamic || word.brace) && (word.text.is_empty() || word.text.starts_with('-'));
    has_option(words, "rR", &["--recursive"]) || words.iter().skip(1).any(unclear)
}

fn rm(words: &[Word]) -> Judged {
    if words.iter().any(|word| word.text.starts_with("--no-pres")) {
        return (Critical, "it is told not to spare the root");
    }
    if names_device(words) {
        return (Critical, "it removes a device");
    }
    if recursive(words) {
        return targets(
            words,
            (Critical, "it deletes a vital directory"),
            (High, "it deletes directories with all they hold"),
        );
    }
    let everything = operands(words).any(|word| word.glob && paths::is_vital(word));
    if everything { (Critical, "it deletes a vital directory") } else { (Medium, "it deletes files") }
}

fn find(words: &[Word]) -> Judged {
    if any(words, &["-delete"]) {
        let starts = words
            .iter()
            .skip(1)
            .take_while(|word| !word.is_option() || matches!(word.text.as_str(), "-H" | "-L" | "-P"));
        let narrow =
            words.iter().any(|word| matches!(word.text.as_str(), "-name" | "-iname" | "-path" | "-regex"));
        return match starts.into_iter().any(paths::is_vital) {
            true => (Critical, "it deletes below a vital directory"),
            false if narrow => (High, "it deletes what it finds"),
            false => (High, "it deletes all that it finds"),
        };
    }
    if words.iter().any(|word| word.text.starts_with("-fprint") || word.text == "-fls") {
        (Medium, "it writes files")
    } else {
        FINE
    }
}

fn dd(words: &[Word]) -> Judged {
    let writes = words.iter().filter_map(|word| word.text.strip_prefix("of=").map(|target| (word, target)));
    for (word, target) in writes {
        if paths::is_device(target) {
            return (Critical, "it writes over a disk");
        }
        if word.dynamic || word.glob {
            return (High, "what it writes over is only known at run time");
        }
    }
    (Medium, "it writes files")
}

fn rights(words: &[Word]) -> Judged {
    if recursive(words) {
        return targets(
            words,
            (Critical, "it changes the rights of a vital directory"),
            (High, "it changes rights of whole directories"),
        );
    }
    let open = operands(words)
        .next()
        .is_some_and(|mode| ["777", "0777", "a+rwx", "ugo+rwx", "666"].contains(&mode.text.as_str()));
    let set_id = operands(words).next().is_some_and(|mode| {
        mode.text.contains("+s") || (mode.text.len() == 4 && mode.text.starts_with(['2', '4', '6', '7']))
    });
    if set_id || operands(words).any(paths::is_vital) {
        (High, "it changes rights that the system rests on")
    } else if open {
        (High, "it lets everybody write")
    } else {
        (Medium, "it changes rights")
    }
}

fn mv(words: &[Word]) -> Judged {
    let operands: Vec<&Word> = operands(words).collect();
    let (target, sources) = operands.split_last().map_or((None, &[][..]), |(last, rest)| (Some(*last), rest));
    if sources.iter().any(|word| paths::is_vital(word)) {
        return (Critical, "it moves a vital directory away");
    }
    match target {
        Some(word) if paths::normalise(&word.text) == "/dev/null" => (High, "it throws files away"),
        Some(word) if paths::is_device(&word.text) => (Critical, "it writes over a device"),
        _ => (Medium, "it moves files"),
    }
}

fn init(words: &[Word]) -> Judged {
    if any(words, &["0", "6"]) { (Critical, "it stops the machine") } else { FINE }
}

fn systemctl(words: &[Word]) -> Judged {
    if any(
        words,
        &[
            "poweroff",
            "reboot",
            "halt",
            "kexec",
            "rescue",
            "emergency",
            "suspend",
            "hibernate",
            "soft-reboot",
        ],
    ) {
        (Critical, "it stops the machine")
    } else if any(words, &["stop", "disable", "mask", "kill", "restart", "isolate"]) {
        (High, "it stops services")
    } else {
        FINE
    }
}

fn kill(words: &[Word]) -> Judged {
    let everything = words.iter().skip(1).filter(|word| word.text == "-1").count() > 0 || any(words, &["1"]);
    let by_pattern = base_name(&words.first().map(|word| word.text.clone()).unwrap_or_default()) != "kill";
    if everything {
        (High, "it ends every process")
    } else if by_pattern && has_option(words, "9", &[]) {
        (High, "it ends processes by name, at once")
    } else {
        (Medium, "it ends processes")
    }
}

/// Options of git itself that take a value as the next word.
const GIT_VALUED: &[&str] =
    &["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env"];

fn git(words: &[Word]) -> Judged {
    let mut rest = words.get(1..).unwrap_or_default();
    let mut judged = FINE;
    while let Some(option) = rest.first().filter(|word| word.is_option()) {
        if option.text.starts_with("-c")
            || option.text.starts_with("--config-env")
            || option.text.starts_with("--exec-path")
        {
            judged = (High, "it sets configuration that can run programs");
        }
        rest = rest.get(1 + usize::from(GIT_VALUED.contains(&option.text.as_str()))..).unwrap_or_default();
    }
    let Some(name) = rest.first() else { return judged };
    let force = has_option(rest, "f", &["--force", "--force-with-lease", "--force-if-includes"]);
    let here = match name.text.as_str() {
        "push"
            if force
                || has_option(rest, "d", &["--delete", "--mirror", "--prune"])
                || rest.iter().any(|word| word.text.starts_with(['+', ':'])) =>
        {
            (High, "it overwrites or deletes history elsewhere")
        }
        "reset" if has_option(rest, "", &["--hard", "--merge", "--keep"]) => {
            (High, "it throws uncommitted work away")
        }
        "clean" if force => (High, "it deletes files that are not in the repository"),
        "checkout" | "switch" | "restore" if force || any(rest, &["--", ".", "--discard-changes"]) => {
            (High, "it throws uncommitted work away")
        }
        "branch"
            if has_option(rest, "D", &["--force"]) || (force && has_option(rest, "d", &["--delete"])) =>
        {
            (High, "it deletes a branch that may not be merged")
        }
        "stash" if any(rest, &["drop", "clear"]) => (High, "it deletes stashed work"),
        "filter-branch" | "filter-repo" | "update-ref" | "replace" => (High, "it rewrites history"),
        "reflog" if any(rest, &["expire", "delete"]) => (High, "it deletes what could bring work back"),
        "gc" | "prune" if rest.iter().any(|word| word.text.contains("prune")) => {
            (High, "it deletes what could bring work back")
        }
        "rebase" if any(rest, &["-x", "--exec"]) => (High, "it runs a command for each commit"),
        "bisect" if any(rest, &["run"]) => (High, "it runs a command for each commit"),
        "submodule" if any(rest, &["foreach"]) => (High, "it runs a command in each submodule"),
        "config" if rest.len() > 2 && !any(rest, &["--get", "--list"]) => {
            (High, "it changes configuration that can run programs")
        }
        "add" | "commit" | "push" | "pull" | "fetch" | "merge" | "rebase" | "checkout" | "switch"
        | "restore" | "reset" | "rm" | "mv" | "tag" | "stash" | "cherry-pick" | "revert" | "apply" | "am"
        | "clone" | "init" | "remote" | "worktree" | "submodule" | "clean" => {
            (Medium, "it changes the repository")
        }
        _ => FINE,
    };
    here.max_by_severity(judged)
}

/// What a write redirection to this place does.
pub(super) fn redirect(target: &Word) -> Judged {
    if paths::is_device(&target.text) {
        (Critical, "it writes over a device")
    } else if paths::is_system(&target.text) {
        (High, "it writes over a file of the system")
    } else {
        (Medium, "it writes a file")
    }
}

/// Why it cannot be told what a command destroys: a recursive deletion of something only known at run time.
pub(super) fn hides_its_target(words: &[Word], more_arguments: bool) -> bool {
    let name = words.first().map_or("", |program| base_name(&program.text));
    let destroys = match name {
        "rm" => recursive(words),
        "chmod" | "chown" => has_option(words, "R", &["--recursive"]),
        _ => false,
    };
    let empty = |word: &Word| word.dynamic && matches!(paths::normalise(&word.text).as_str(), "." | "*");
    destroys && (more_arguments || operands(words).any(empty))
}
