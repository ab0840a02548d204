use stud_policy::{Approval, Approvals, KeyProblem, MAX_KEY, Scope, check_key, parent_directory_key};

fn entry(key: &str, scope: Scope) -> Approval {
    Approval { tool: "t".into(), key: key.into(), layer: "global".into(), digest: "d".into(), scope }
}

#[test]
fn a5_scopes() {
    let mut approvals = Approvals::default();
    approvals.remember(entry("once", Scope::Once)).unwrap();
    assert_eq!(approvals.iter().count(), 0);
    approvals.remember(entry("k", Scope::SessionKey)).unwrap();
    approvals.remember(entry("k", Scope::SessionKey)).unwrap();
    assert_eq!(approvals.iter().count(), 1);
    assert!(approvals.covers("t", Some("k"), "global", "d").is_some());
    for (tool, key, layer, digest) in [
        ("u", "k", "global", "d"),
        ("t", "l", "global", "d"),
        ("t", "k", "project", "d"),
        ("t", "k", "global", "e"),
    ] {
        assert!(approvals.covers(tool, Some(key), layer, digest).is_none(), "{tool} {key} {layer} {digest}");
    }
    assert!(approvals.covers("t", None, "global", "d").is_none());
    approvals.remember(entry("", Scope::SessionTool)).unwrap();
    assert!(approvals.covers("t", Some("other"), "global", "d").is_some());
    assert_eq!(approvals.revoke(|approval| approval.scope == Scope::SessionTool), 1);
    assert!(approvals.covers("t", Some("other"), "global", "d").is_none());
}

#[test]
fn a5_the_projects_file_holds_only_what_is_for_the_project() {
    let mut approvals = Approvals::default();
    approvals.remember(entry("a", Scope::Project)).unwrap();
    approvals.remember(entry("b", Scope::SessionKey)).unwrap();
    let text = serde_json::to_string(&approvals.project()).unwrap();
    assert!(text.contains("\"a\"") && !text.contains("\"b\""));
    let mut read = Approvals::default();
    assert_eq!(read.add_project(serde_json::from_str(&text).unwrap()), 0);
    assert!(read.covers("t", Some("a"), "global", "d").is_some());
    // A file that was tampered with grants no more than a project's key.
    let hostile = r#"{"approval":[{"tool":"t","key":"","layer":"global","digest":"d","scope":"session_tool"},{"tool":"t","key":"","layer":"global","digest":"d","scope":"project"}]}"#;
    assert_eq!(read.add_project(serde_json::from_str(hostile).unwrap()), 2);
}

#[test]
fn c8_keys() {
    assert_eq!(check_key("."), Ok(()));
    assert_eq!(check_key(""), Err(KeyProblem::Empty));
    assert_eq!(check_key("a\u{7f}"), Err(KeyProblem::Control));
    assert_eq!(check_key(&"é".repeat(MAX_KEY / 2)), Ok(()));
    assert_eq!(check_key(&"é".repeat(MAX_KEY / 2 + 1)), Err(KeyProblem::TooLong));
    assert_eq!(check_key("https://me:hunter22@host/"), Err(KeyProblem::Secret));
    assert!(Approvals::default().remember(entry("", Scope::SessionKey)).is_err());
}

#[test]
fn c9_the_parent_directory() {
    for (path, key) in [
        ("a.rs", "."),
        ("src/a.rs", "src"),
        ("./src//x/../a.rs", "src"),
        ("/etc/passwd", "/etc"),
        ("", "."),
        ("../x", ".."),
        ("a\\b\\c", "a/b"),
    ] {
        assert_eq!(parent_directory_key(path), key, "{path}");
    }
}
