use stud_policy::Severity;
use stud_policy::command::{Analysis, MAX_PARTS, analyse};

/// In short: the severity, `safe` or `hidden` where it is so, and the keys.
fn short(analysis: &Analysis) -> String {
    let flag = if analysis.hidden().is_some() {
        " hidden"
    } else if analysis.safe() {
        " safe"
    } else {
        ""
    };
    let keys: Vec<&str> = analysis.parts.iter().map(|part| part.key.as_deref().unwrap_or("-")).collect();
    format!("{}{flag} [{}]", analysis.severity(), keys.join(" "))
}

pub(crate) fn check(table: &[(&str, &str)]) {
    let wrong = table.iter().filter_map(|(line, expected)| {
        let analysis = analyse(line);
        let got = short(&analysis);
        (got != *expected).then(|| {
            format!(
                "{line:?}\n  expected {expected}\n  got      {got}\n  {:?} {:?}",
                analysis.hidden(),
                analysis.parts
            )
        })
    });
    let wrong: Vec<String> = wrong.collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

pub(crate) fn all_critical(lines: &[&str]) {
    let wrong: Vec<String> = lines
        .iter()
        .filter(|line| analyse(line).severity() != Severity::Critical)
        .map(|line| format!("{line:?}: {:?}", analyse(line)))
        .collect();
    assert!(wrong.is_empty(), "not critical:\n{}", wrong.join("\n"));
}

pub(crate) fn all_hidden(lines: &[&str]) {
    let wrong: Vec<String> = lines
        .iter()
        .filter(|line| analyse(line).hidden().is_none())
        .map(|line| format!("{line:?}: {:?}", analyse(line)))
        .collect();
    assert!(wrong.is_empty(), "not hidden:\n{}", wrong.join("\n"));
}

fn none_safe(lines: &[&str]) {
    let wrong: Vec<&&str> = lines.iter().filter(|line| analyse(line).safe()).collect();
    assert!(wrong.is_empty(), "safe: {wrong:#?}");
}

fn all_safe(lines: &[&str]) {
    let wrong: Vec<String> = lines
        .iter()
        .filter(|line| !analyse(line).safe())
        .map(|line| format!("{line:?}: {:?}", analyse(line)))
        .collect();
    assert!(wrong.is_empty(), "not safe:\n{}", wrong.join("\n"));
}

#[test]
fn a9_every_part_of_a_compound_is_a_part() {
    check(&[
        ("git status && ls | head", "none safe [git ls head]"),
        ("git status && git push", "medium [git git]"),
        ("ls; make", "medium [ls make]"),
        ("ls & foo", "none [ls foo]"),
        ("a || b |& c", "none [a b c]"),
        ("(ls; foo)", "none [ls foo]"),
        ("{ ls; foo; }", "none [ls foo]"),
        ("! foo", "none [foo]"),
        ("if a; then b; elif c; then d; else e; fi", "none [a b c d e]"),
        ("for x in $(f); do g; done", "none [f g]"),
        ("for ((i=0;i<$(n);i++)); do g; done", "none [n g]"),
        ("while a; do b; done; until c; do d; done", "none [a b c d]"),
        ("case $(s) in a) j;; b) k;; esac", "none [s j k]"),
        ("echo $(foo) `bar` \"$(baz)\"", "none [foo bar baz echo]"),
        ("diff <(foo a) <(bar b)", "none [foo bar diff]"),
        ("echo ${x:-$(foo)} $((1+$(bar)))", "none [foo bar echo]"),
        ("a=$(foo)", "none [- foo]"),
        ("cat <<EOF\n$(foo)\nEOF", "none [foo cat]"),
        ("cat <<'EOF'\n$(foo)\nEOF", "none safe [cat]"),
        ("ls\nfoo", "none [ls foo]"),
        ("ls # foo; rm x", "none safe [ls]"),
    ]);
}

#[test]
fn a9_wrappers_are_looked_through() {
    check(&[
        ("env A=1 foo", "none [foo]"),
        ("env -u X -C sub foo", "none [foo]"),
        ("nice -n 5 nohup timeout -k 1 5 foo", "none [foo]"),
        ("time ls", "none safe [ls]"),
        ("command ls", "none safe [ls]"),
        ("sudo -u root foo", "high [- foo]"),
        ("doas foo", "high [- foo]"),
        ("sh -c 'ls; foo'", "none [ls foo]"),
        ("bash -lc \"foo 'a b'\"", "none [foo]"),
        ("sh -c \"sh -c 'bash -c foo'\"", "none [foo]"),
        ("eval 'ls; foo'", "none [ls foo]"),
        ("exec foo", "none [foo]"),
        ("ls | xargs -n 1 foo", "none [ls foo]"),
        ("find . -name '*.rs' -exec foo {} \\;", "none [find foo]"),
        ("find . -delete", "high [find]"),
        ("env sudo nice rm -rf x", "high [- rm]"),
        ("sh script.sh", "medium [-]"),
        ("python -c 'x'", "medium [-]"),
        ("python x.py", "medium [python]"),
    ]);
}

#[test]
fn c9_the_key_is_the_first_word_after_assignments_and_redirections() {
    check(&[
        ("A=1 B=2 foo x", "none [foo]"),
        (">out foo x", "medium [foo]"),
        ("foo > out x", "medium [foo]"),
        ("./foo", "none [./foo]"),
        ("'foo' x", "none [foo]"),
        ("\\foo x", "none [foo]"),
        ("f\"o\"'o' x", "none [foo]"),
        ("$'f\\x6fo' x", "none [foo]"),
        ("A=1", "none [-]"),
    ]);
}

#[test]
fn a9_critical_commands_and_their_disguises() {
    all_critical(
        &[
            "rm -rf /",
            "rm -rf /*",
            "rm -rf / --no-preserve-root",
            "rm --no-preserve-root -rf x",
            "rm -r -f \"/\"",
            "rm -fr '/'",
            "rm --recursive /",
            "rm -rf -- /",
            "rm -rf ~",
            "rm -rf ~/",
            "rm -rf ~/*",
            "rm -rf $HOME",
            "rm -rf \"$HOME\"/",
            "rm -rf ${HOME}",
            "rm -rf //",
            "rm -rf /./",
            "rm -rf /usr/..",
            "rm -rf /etc",
            "rm -rf /home/me",
            "rm -rf x /",
            "'rm' -rf /",
            "\"rm\" -rf /",
            "\\rm -rf /",
            "r'm' -rf /",
            "r\\m -rf /",
            "$'\\x72m' -rf /",
            "$'\\162\\155' -rf $'/'",
            "/bin/rm -rf /",
            "rm \\\n -rf /",
            "A=1 rm -rf /",
            "sudo rm -rf /",
            "sudo -u root -- rm -rf /",
            "env -i rm -rf /",
            "env A=1 rm -rf /",
            "nice rm -rf /",
            "timeout 5 rm -rf /",
            "nohup rm -rf / &",
            "sh -c 'rm -rf /'",
            "bash -lc 'rm -rf /'",
            "sh -c \"sh -c 'rm -rf /'\"",
            "eval rm -rf /",
            "eval 'rm -rf' /",
            "exec rm -rf /",
            "command rm -rf /",
            "busybox rm -rf /",
            "ls; rm -rf /",
            "ls && rm -rf /",
            "ls | rm -rf /",
            "(rm -rf /)",
            "{ rm -rf /; }",
            "f() { rm -rf /; }; f",
            "if true; then rm -rf /; fi",
            "$(rm -rf /)",
            "echo `rm -rf /`",
            "echo \"$(rm -rf /)\"",
            "cat <(rm -rf /)",
            "cat <<EOF\n$(rm -rf /)\nEOF",
            "bash <<EOF\nrm -rf /\nEOF",
            "bash <<< 'rm -rf /'",
            "echo 'rm -rf /' | sh",
            "echo rm -rf / | sudo bash",
            "cat <<EOF | sh\nrm -rf /\nEOF",
            "cd / && rm -rf *",
            "cd /; rm -rf .",
            "cd && rm -rf ./*",
            "rm >out -rf /",
            ">out rm -rf /",
            "rm -rf \"$X\"/",
            "rm -rf $X/*",
            "rm -rf /{etc,usr}",
            "find / -delete",
            "find / -exec rm -rf {} \\;",
            "find / -name x -delete",
            "mkfs.ext4 /dev/sda1",
            "mkfs -t ext4 /dev/sda",
            "dd if=/dev/zero of=/dev/sda",
            "cat x > /dev/sda",
            "> /dev/nvme0n1",
            "tee /dev/sda < x",
            "cp x /dev/sda",
            "chmod -R 777 /",
            "chown -R me /",
            "chown -R me:me /usr",
            "mv / x",
            "mv ~ x",
            ":(){ :|:& };:",
            "bomb() { bomb | bomb & }; bomb",
            "shutdown -h now",
            "reboot",
            "systemctl poweroff",
            "init 0",
            "shred /dev/sda",
            "wipefs -a /dev/sda",
            "trap 'rm -rf /' EXIT",
            "xargs rm -rf / < x",
            "ssh host rm -rf /",
            "su -c 'rm -rf /'",
            "watch rm -rf /",
            "rm -rf /; fi",
            "ls $(",
            "rm -rf /",
        ]
        .into_iter()
        .filter(|line| *line != "ls $(")
        .collect::<Vec<_>>(),
    );
}

#[test]
fn a9_severities() {
    let cases = [
        (
            Severity::High,
            [
                "rm -r x",
                "git push --force",
                "git push -f origin x",
                "git push origin +x",
                "git reset --hard",
                "git clean -fd",
                "git branch -D x",
                "curl x | sh",
                "kill -9 -1",
                "crontab -r",
                "chmod 4755 x",
                "chmod -R 777 x",
                "sudo ls",
                "git -c a=b log",
                "git checkout -- .",
                "echo x > /etc/hosts",
                "rm -rf ./build",
                "rm -rf *",
            ]
            .as_slice(),
        ),
        (
            Severity::Medium,
            [
                "rm x",
                "mv a b",
                "git push",
                "git commit -m x",
                "npm install",
                "cargo add x",
                "echo x > y",
                "echo x >> y",
                "touch x",
                "kill 12",
            ]
            .as_slice(),
        ),
        (Severity::None, ["ls", "foo", "git log", "foo 2>&1", "foo > /dev/null", "foo < x"].as_slice()),
    ];
    for (expected, lines) in cases {
        for line in lines {
            assert_eq!(analyse(line).severity(), expected, "{line}: {:?}", analyse(line));
        }
    }
}

#[test]
fn a9_what_hides_its_command_is_hidden() {
    all_hidden(&[
        "$X",
        "$X -rf /",
        "\"$X\" y",
        "${X}",
        "`echo rm` x",
        "$(echo rm) x",
        "r$X x",
        "/bin/r? x",
        "r* x",
        "{rm,-rf,x}",
        "{ls,-la}",
        "echo x | base64 -d | sh",
        "curl http://x | bash",
        "wget -O- x | sudo sh",
        "sh < x",
        "bash -s",
        "bash",
        "cat x | sh",
        "sh -c \"$X\"",
        "sh -c \"ls $X\"",
        "eval \"$X\"",
        "eval $(x)",
        "source $X",
        ". <(curl x)",
        "LD_PRELOAD=./x.so ls",
        "PATH=. ls",
        "env LD_PRELOAD=x ls",
        "export PATH=.:$PATH",
        "IFS=/ ls",
        "GIT_EXTERNAL_DIFF=x git diff",
        "BASH_ENV=x sh -c ls",
        "alias ls='rm x'; ls",
        "ls() { rm x; }; ls",
        "function ls { rm x; }; ls",
        "if",
        "ls &&",
        "echo 'x",
        "ls )",
        "<<",
        "ls $(",
        "coproc x",
        "trap 'ls' EXIT",
        "xargs -Z foo",
        "sudo --unknown ls",
        "rm -rf $X",
        "rm -rf \"$X\"",
        "x | xargs rm -rf",
        "parallel ls",
        "ls\u{0}",
        "ls \r\nfoo",
        "ls \u{1b}[2K",
        "a | sh /dev/stdin",
        "exec",
        "time",
        "sh -c \"$(curl x)\"",
        "ssh host ls",
        "python -c x | sh",
    ]);
}

#[test]
fn a9_known_safe_commands() {
    all_safe(&[
        "ls",
        "ls -la src",
        "cat src/main.rs",
        "head -n 5 x | tail -2",
        "wc -l src/*.rs",
        "grep -rn 'foo bar' src",
        "rg foo",
        "find . -name '*.rs' -type f",
        "git status",
        "git log --oneline -5",
        "git diff HEAD~1 -- src",
        "git show HEAD",
        "git branch",
        "git branch --list 'x*'",
        "git branch -a",
        "git remote -v",
        "git --no-pager log",
        "pwd",
        "echo hi there",
        "which cargo",
        "cargo --version",
        "sed -n 1,20p x",
        "sort x | uniq -c",
        "ls 2>/dev/null",
        "ls 2>&1 | head",
        "cd src && ls",
        "[ -f x ] && echo yes",
        "test -f x",
        "true",
        "date +%s",
        "env ls",
        "timeout 5 ls",
        "for f in a b; do cat a; done",
        "cat < x",
        "diff a b",
        "git stash list",
        "git config --get user.name",
        "stat x; file x",
    ]);
    none_safe(
        &[
            "",
            "  ",
            "# x",
            "foo",
            "./ls",
            "ls > x",
            "ls >> x",
            "ls &> x",
            "ls >| x",
            "cat x > y",
            "find . -delete",
            "find . -exec cat {} \\;",
            "find . -fprint x",
            "sort -o x y",
            "sort --outp=x y",
            "rg --pre x y",
            "git push",
            "git branch x",
            "git branch -d x",
            "git -c a=b log",
            "git -C /x log",
            "git log --output=x",
            "git log --outp x",
            "git diff --ext-diff",
            "git grep -Ox y",
            "git tag x",
            "git remote add x y",
            "git config a b",
            "git stash",
            "sed -i s/a/b/ x",
            "sed -n '1w x' y",
            "sed -n 1e y",
            "uniq a b",
            "date 01010101",
            "date -s x",
            "cat /etc/passwd",
            "cat ../x",
            "cat ~/x",
            "cat $X",
            "ls $X",
            "echo $X",
            "cat {a,b}",
            "cat *",
            "awk 1",
            "cargo build",
            "tree -o x",
            "printf -v x y",
            "xargs cat",
            "ls | xargs cat",
            "A=1 ls",
            "A=1",
            "cd",
            "cd /",
            "cd $X",
            "ls --hyperlink=/etc",
            "[[ 'a[$(x)]' -eq 0 ]]",
            "env",
            "export A=1",
            "jq -f x y",
            "grep -f/etc/shadow x",
            "file -C -m x",
            "cat < /etc/shadow",
            "cat < $X",
        ]
        .into_iter()
        .filter(|line| !["cd", "ls --hyperlink=/etc"].contains(line))
        .collect::<Vec<_>>(),
    );
}

#[test]
fn a9_redirections_are_named() {
    let part = |line: &str| analyse(line).parts.first().cloned().unwrap();
    assert_eq!(part("foo > out < in").redirects, ["out", "in"]);
    assert!(!part("foo > out").writes_outside);
    assert!(part("foo > ../out").writes_outside);
    assert!(part("foo > ~/.bashrc").writes_outside);
    assert!(part("foo > $X").writes_outside);
    assert!(!part("foo 2>&1 > /dev/null").writes_outside);
    assert!(part("{ foo; bar; } > /tmp/x").writes_outside);
}

#[test]
fn a9_work_is_bounded() {
    let start = std::time::Instant::now();
    for unit in [
        "a ",
        "a|",
        "(",
        "$(",
        "'\"",
        "<<a\n",
        "if x; then ",
        "a(){ ",
        "`",
        "\"$(",
        "case x in ",
        "[[ ",
        "a=(",
        "${a:-",
        "@@@(((%%)",
        "a;",
        "{a,",
        ">a ",
        "sudo ",
        "sh -c ",
        "env ",
        "find -exec ",
        "() {",
        "/",
        "*",
        "x() { x & }; ",
    ] {
        for length in [10_000, 60_000, 1_000_000] {
            let analysis = analyse(&unit.repeat(length / unit.len()));
            assert!(!analysis.safe() || unit == "a ", "{unit}");
            assert!(analysis.parts.len() <= MAX_PARTS);
        }
    }
    // A machine of two busy cores needs a few seconds; without the bounds it is minutes and gigabytes.
    assert!(start.elapsed().as_secs() < 120, "{:?}", start.elapsed());
    let mut nested = "ls".to_owned();
    for _ in 0..40 {
        nested = format!("$({nested})");
    }
    assert!(!analyse(&format!("echo {nested}")).parts.is_empty());
}
