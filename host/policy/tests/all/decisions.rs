use crate::{policy, shell, someone, tool};
use stud_contract::SideEffects;
use stud_policy::Verdict::{Allow, Ask, Deny};
use stud_policy::{
    AgentMode, Approval, CallFacts, ClassMode, Decision, EmbedderSays, Scope, SecurityMode, SessionFacts,
    Severity, Verdict, decide,
};

fn verdict(config: &str, call: &CallFacts, session: &SessionFacts) -> Verdict {
    decide(&policy(config), call, session).verdict
}

fn approved(tool: &str, key: &str, scope: Scope) -> SessionFacts {
    let mut session = someone();
    let approval =
        Approval { tool: tool.into(), key: key.into(), layer: "bundled".into(), digest: "d1".into(), scope };
    session.approvals.remember(approval).unwrap();
    session
}

fn rules_of(decision: &Decision) -> Vec<(&str, &str)> {
    decision.reasons.iter().map(|reason| (reason.rule.as_str(), reason.source.as_str())).collect()
}

#[test]
fn a1_the_order_of_the_steps() {
    let write = tool("write_file", SideEffects::Write);
    let granted = SessionFacts { embedder: Some(EmbedderSays::Grant("state".into())), ..someone() };
    let denied = SessionFacts { embedder: Some(EmbedderSays::Deny("state".into())), ..someone() };
    let deny = "[[rules]]\ntools = ['write_*']\nverdict = 'deny'";
    // Deny rules come before everything, also before a rule that allows.
    assert_eq!(verdict(deny, &write, &granted), Deny);
    assert_eq!(
        verdict(
            &format!("security_mode = 'yolo'\n[[rules]]\ntools = ['*']\nverdict = 'allow'\n{deny}"),
            &write,
            &granted
        ),
        Deny
    );
    // Always-require and critical come before the embedder.
    let always = CallFacts { always_require_approval: true, ..write.clone() };
    assert_eq!(verdict("", &always, &granted), Ask);
    assert_eq!(verdict("", &shell("rm -rf /"), &granted), Ask);
    // The embedder before rules of the tool.
    assert_eq!(verdict("tools.write_file = 'deny'", &write, &granted), Allow);
    assert_eq!(verdict("[[rules]]\ntools = ['*']\nverdict = 'allow'", &write, &denied), Deny);
    // Rules of the tool before the security mode, and that before the class.
    assert_eq!(verdict("security_mode = 'yolo'\ntools.write_file = 'ask'", &write, &someone()), Ask);
    assert_eq!(verdict("security_mode = 'yolo'", &write, &someone()), Allow);
    assert_eq!(verdict("tools.write_file = 'auto'\nclasses.write = 'deny'", &write, &someone()), Allow);
    // Guards tighten whatever was said.
    assert_eq!(verdict("tools.write_file = 'auto'", &write.clone().path("src/.env"), &granted), Ask);
}

#[test]
fn a1_agent_mode_over_session_over_configuration() {
    let write = tool("write_file", SideEffects::Write);
    let config = "tools.write_file = 'deny'\n[agent.manual]\nwrite_file = 'deny'\n[agent.cautious]\n";
    let mut session = someone();
    assert_eq!(verdict(config, &write, &session), Deny);
    session.tools.insert("write_file".into(), ClassMode::Auto);
    assert_eq!(verdict(config, &write, &session), Allow);
    session.agent_mode = Some(AgentMode::Manual);
    assert_eq!(verdict(config, &write, &session), Deny);
}

#[test]
fn a1_the_decision_is_the_json_of_policy_check() {
    let decision = decide(&policy(""), &shell("git status && git push"), &someone());
    let json = serde_json::to_value(&decision).unwrap();
    assert_eq!(json["verdict"], "ask");
    assert_eq!(json["key"], "git");
    assert_eq!(json["severity"], "medium");
    assert_eq!(json["reasons"][0]["rule"], "A4");
    assert_eq!(json.as_object().unwrap().len(), 4);
    assert_eq!(decision, decide(&policy(""), &shell("git status && git push"), &someone()));
    assert!(serde_json::to_value(decide(&policy(""), &tool("x", SideEffects::None), &someone())).unwrap()["severity"].is_null());
}

#[test]
fn a2_security_modes() {
    let write = tool("write_file", SideEffects::Write).key(Some("src"));
    let alone = SessionFacts::default();
    assert_eq!(verdict("", &write, &someone()), Ask);
    let list = "security_mode = 'allowlist'\nallowlist = ['src', 'git log *']";
    assert_eq!(verdict(list, &write, &someone()), Allow);
    assert_eq!(verdict(list, &write.clone().key(Some("docs")), &someone()), Ask);
    assert_eq!(verdict(list, &write.clone().key(Some("docs")), &alone), Deny);
    assert_eq!(verdict(list, &shell("git log -5 --ext-diff"), &alone), Allow);
    assert_eq!(verdict(list, &shell("git log -5 && git push"), &alone), Deny);
    let yolo = "security_mode = 'yolo'";
    assert_eq!(verdict(yolo, &shell("cargo build"), &alone), Allow);
    assert_eq!(verdict(yolo, &CallFacts { always_require_approval: true, ..write }, &alone), Ask);
    for line in
        ["rm -rf / --no-preserve-root", "ls && sudo rm -rf /*", "$X", "echo x | base64 -d | sh", "ls $(", ""]
    {
        assert_eq!(verdict(yolo, &shell(line), &someone()), Ask, "{line}");
    }
    // The session's mode is the one that counts.
    let session = SessionFacts { security_mode: Some(SecurityMode::Ask), ..someone() };
    assert_eq!(verdict(yolo, &shell("cargo build"), &session), Ask);
}

#[test]
fn a3_agent_modes_never_loosen() {
    let calls = [
        tool("a", SideEffects::None),
        tool("b", SideEffects::Read),
        tool("c", SideEffects::Write),
        tool("d", SideEffects::Network),
        shell("ls"),
        shell("make"),
        shell("rm -rf /"),
    ];
    for call in &calls {
        for security in [SecurityMode::Ask, SecurityMode::Allowlist, SecurityMode::Yolo] {
            let session = SessionFacts { security_mode: Some(security), ..someone() };
            let usual = verdict("", call, &session);
            for agent in [
                AgentMode::Autonomous,
                AgentMode::Manual,
                AgentMode::Plan,
                AgentMode::Review,
                AgentMode::Audit,
            ] {
                let other = verdict("", call, &SessionFacts { agent_mode: Some(agent), ..session.clone() });
                assert!(other >= usual, "{call:?} {security:?} {agent:?}");
            }
        }
    }
    let yolo = |agent| SessionFacts {
        security_mode: Some(SecurityMode::Yolo),
        agent_mode: Some(agent),
        ..someone()
    };
    assert_eq!(verdict("", &calls[2], &yolo(AgentMode::Plan)), Deny);
    assert_eq!(verdict("", &shell("ls"), &yolo(AgentMode::Plan)), Allow);
    assert_eq!(verdict("", &shell("make"), &yolo(AgentMode::Plan)), Deny);
    assert_eq!(verdict("", &calls[1], &yolo(AgentMode::Manual)), Ask);
    assert_eq!(verdict("", &calls[0], &yolo(AgentMode::Manual)), Allow);
    assert_eq!(verdict("", &shell("make"), &yolo(AgentMode::Audit)), Ask);
    let held = SessionFacts { agent_mode: Some(AgentMode::Audit), writes_held: true, ..someone() };
    assert_eq!(verdict("", &calls[2], &held), Allow);
    assert_eq!(verdict("", &calls[2].clone().path(".env"), &held), Ask);
    assert_eq!(verdict("", &calls[2], &SessionFacts { agent_mode: None, ..held }), Ask);
}

#[test]
fn a4_defaults_by_class_and_trusted_workspaces() {
    let trusted = SessionFacts { trusted_workspace: true, ..someone() };
    let table = [
        (SideEffects::None, Allow, Allow),
        (SideEffects::Read, Allow, Allow),
        (SideEffects::Write, Ask, Allow),
        (SideEffects::Execute, Ask, Ask),
        (SideEffects::Network, Ask, Ask),
    ];
    for (class, usual, relaxed) in table {
        assert_eq!(verdict("", &tool("x", class), &someone()), usual, "{class}");
        assert_eq!(verdict("", &tool("x", class), &trusted), relaxed, "{class}");
    }
    assert_eq!(verdict("classes.write = 'deny'", &tool("x", SideEffects::Write), &trusted), Deny);
    assert_eq!(verdict("classes.execute = 'auto'", &shell("make"), &someone()), Allow);
    assert_eq!(
        verdict("classes.write = 'deny'\nsecurity_mode = 'yolo'", &tool("x", SideEffects::Write), &someone()),
        Deny
    );
    let other = approved("x", "a", Scope::SessionKey);
    let call = tool("x", SideEffects::Write).key(Some("b")).origin("bundled", "d1");
    assert_eq!(verdict("classes.write = 'ask_once'", &call, &other), Allow);
    assert_eq!(verdict("classes.write = 'ask'", &call, &other), Ask);
}

#[test]
fn a6_an_approval_belongs_to_tool_key_layer_and_digest() {
    let session = approved("run_command", "cargo", Scope::SessionKey);
    let call = |line: &str| shell(line).origin("bundled", "d1");
    assert_eq!(verdict("", &call("cargo test"), &session), Allow);
    assert_eq!(verdict("", &call("ls && cargo test 2>&1 | tail"), &session), Allow);
    assert_eq!(verdict("", &call("cargo test && make"), &session), Ask);
    assert_eq!(verdict("", &shell("cargo test").origin("project", "d1"), &session), Ask);
    assert_eq!(verdict("", &shell("cargo test").origin("bundled", "d2"), &session), Ask);
    // What the key does not stand for is not covered by it.
    for line in [
        "sudo cargo test",
        "LD_PRELOAD=x cargo test",
        "cargo test > ~/.bashrc",
        "cargo test > $X",
        "cargo test .env",
        "cargo $(x)",
        "cargo() { x; }; cargo test",
    ] {
        assert_eq!(verdict("", &call(line), &session), Ask, "{line}");
    }
    let whole = approved("run_command", "", Scope::SessionTool);
    assert_eq!(verdict("", &call("make"), &whole), Allow);
    assert_eq!(verdict("", &call("rm -rf /"), &whole), Ask);
    assert_eq!(verdict("", &call("$X"), &whole), Ask);
}

#[test]
fn c7_ungated_tools_are_allowed_unless_a_rule_or_a_guard_says_otherwise() {
    let call = CallFacts { gated: false, ..tool("x", SideEffects::Network) };
    assert_eq!(verdict("", &call, &someone()), Allow);
    assert_eq!(verdict("tools.x = 'ask'", &call, &someone()), Ask);
    assert_eq!(verdict("", &call.path("id_rsa"), &someone()), Ask);
}

#[test]
fn c8_without_a_key_nothing_is_remembered() {
    let long = "x".repeat(1025);
    for key in
        [None, Some(""), Some("a\nb"), Some(long.as_str()), Some("ghp_abcdefghijklmnopqrstuvwxyz0123456789")]
    {
        let decision = decide(&policy(""), &tool("x", SideEffects::Write).key(key), &someone());
        assert_eq!(
            (decision.verdict, decision.key.as_deref(), decision.rememberable),
            (Ask, None, false),
            "{key:?}"
        );
        assert!(rules_of(&decision).contains(&("C8", "approval key")), "{key:?}");
    }
    let decision = decide(&policy(""), &tool("x", SideEffects::Write).key(Some(".")), &someone());
    assert_eq!((decision.key.as_deref(), decision.rememberable), (Some("."), true));
}

#[test]
fn a9_the_strictest_part_wins() {
    let check = |line: &str| decide(&policy(""), &shell(line), &someone());
    assert_eq!(check("git status && ls | head").verdict, Allow);
    assert_eq!(check("git status && git push").verdict, Ask);
    let both = check("make && cargo test");
    assert_eq!((both.key, both.keys), (None, vec!["make".to_owned(), "cargo".to_owned()]));
    let critical = check("make; sudo rm -rf /");
    assert_eq!(
        (critical.verdict, critical.severity, critical.rememberable),
        (Ask, Some(Severity::Critical), false)
    );
    assert_eq!(
        verdict(
            "[[rules]]\ncommands = ['git push *']\nverdict = 'deny'",
            &shell("ls && nice git push"),
            &someone()
        ),
        Deny
    );
    assert_eq!(verdict("known_safe = false", &shell("ls"), &someone()), Ask);
}

#[test]
fn a10_sensitive_files_of_every_tool() {
    let read = tool("read_file", SideEffects::Read);
    for path in [
        ".env",
        "src/.env.local",
        "a/.ssh/config",
        "x.pem",
        "id_rsa",
        ".git/config",
        ".git/hooks/pre-commit",
        "sub/.stud/config.toml",
        ".ENV",
        "a\\.env",
        "./x/../.env",
    ] {
        assert_eq!(verdict("", &read.clone().path(path), &someone()), Ask, "{path}");
        assert_eq!(verdict("", &shell(&format!("cat '{path}'")), &someone()), Ask, "{path}");
    }
    for path in ["src/main.rs", ".env.example", ".github/x", ".gitignore", "environment.md"] {
        assert_eq!(verdict("", &read.clone().path(path), &someone()), Allow, "{path}");
    }
    for line in [
        "cat .e*",
        "grep x --file=.env",
        "cat < .env",
        "cat id_*",
        "cat .e{nv,x}",
        "cat '.e'nv",
        "git show HEAD:.env",
    ] {
        assert_eq!(verdict("", &shell(line), &someone()), Ask, "{line}");
    }
    // The last match wins.
    let relaxed = "sensitive = [{ pattern = '.env*', automatic = true }, { pattern = '.env.prod', automatic = false }, { pattern = 'docs/**', automatic = false }]";
    assert_eq!(verdict(relaxed, &read.clone().path(".env"), &someone()), Allow);
    assert_eq!(verdict(relaxed, &read.clone().path(".env.prod"), &someone()), Ask);
    assert_eq!(verdict(relaxed, &read.clone().path("docs/a/b.md"), &someone()), Ask);
    assert_eq!(verdict("", &read.path(&"a/".repeat(5000)), &someone()), Ask);
}
