use crate::{policy, someone};
use stud_contract::SideEffects;
use stud_policy::{AgentMode, Policy, PolicyError, SecurityMode, SessionFacts};

fn error(text: &str) -> PolicyError {
    Policy::from_toml(text).unwrap_err()
}

#[test]
fn a2_an_empty_policy_asks() {
    assert_eq!(policy("").security_mode, SecurityMode::Ask);
    assert_eq!(policy("security_mode = 'allowlist'\nagent_mode = 'plan'").agent_mode, AgentMode::Plan);
}

#[test]
fn l6_unknown_keys_name_the_nearest() {
    let text = error("security_mod = 'ask'").to_string();
    assert!(
        text.contains("no key `security_mod`")
            && text.contains("line 1")
            && text.contains("did you mean `security_mode`?"),
        "{text}"
    );
    let text = error("[[rules]]\ntool = ['x']\nverdict = 'deny'").to_string();
    assert!(text.contains("did you mean `tools`?"), "{text}");
    assert!(error("[agent.cautios]\nx = 'ask'").to_string().contains("did you mean `cautious`?"));
    assert!(matches!(error("security_mode = 'loose'"), PolicyError::Syntax { .. }));
    assert!(matches!(error("allowlist = ['[']"), PolicyError::Pattern { .. }));
    assert!(matches!(
        error("sensitive = [{ pattern = '[', automatic = true }]"),
        PolicyError::Pattern { .. }
    ));
    assert!(matches!(error("[[rules]]\nverdict = 'allow'"), PolicyError::Rule { .. }));
    assert!(!error("x = 1").remedy().is_empty());
}

#[test]
fn a11_examples_are_checked_when_the_policy_is_read() {
    let rule = |verdict: &str, matching: &str, not: &str| {
        format!(
            "[[rules]]\ncommands = ['git push *']\nverdict = '{verdict}'\nexamples = {{ match = [{matching}], not_match = [{not}] }}"
        )
    };
    policy(&rule(
        "deny",
        "'git push', 'git push origin main', 'ls && nice git push -f'",
        "'git pull', 'git pushy'",
    ));
    assert!(matches!(
        error(&rule("deny", "'git pull'", "")),
        PolicyError::Example { should_match: true, .. }
    ));
    assert!(matches!(
        error(&rule("deny", "", "'git push x'")),
        PolicyError::Example { should_match: false, .. }
    ));
    // A rule that allows has to mean all of a line.
    assert!(matches!(error(&rule("allow", "'git push && make'", "")), PolicyError::Example { .. }));
    assert!(matches!(error(&rule("deny", "'git push'", "'git push'")), PolicyError::Rule { .. }));
    policy(
        "[[rules]]\ntools = ['run_*']\nverdict = 'ask'\nexamples = { match = ['run_tests'], not_match = ['grep'] }",
    );
    policy(
        "[[rules]]\nkeys = ['src/*', 'git log *']\nverdict = 'allow'\nexamples = { match = ['src/a', 'git log -3'], not_match = ['docs', 'git push'] }",
    );
}

#[test]
fn a12_what_is_denied_outright_is_known() {
    let denies = |text: &str, class| policy(text).denies_outright("x", class, &someone());
    assert!(!denies("", SideEffects::Network));
    assert!(denies("tools.x = 'deny'", SideEffects::Read));
    assert!(denies("classes.network = 'deny'", SideEffects::Network));
    assert!(denies("[[rules]]\ntools = ['x']\nverdict = 'deny'", SideEffects::Read));
    assert!(!denies("[[rules]]\ntools = ['x']\nkeys = ['y']\nverdict = 'deny'", SideEffects::Read));
    let planning = SessionFacts { agent_mode: Some(AgentMode::Plan), ..someone() };
    assert!(policy("").denies_outright("x", SideEffects::Write, &planning));
}
