use super::*;

fn digest(text: &str) -> Digest {
    Digest::of(text.as_bytes())
}

fn trusted(mode: TrustMode) -> ProjectTrust {
    let files = [("tools/a.so".to_owned(), digest("one"))];
    ProjectTrust { trust: mode, relax: false, files: files.into() }
}

#[test]
fn t3_trust_is_for_a_file_with_its_bytes() {
    let trust = trusted(TrustMode::Files);
    assert!(trust.covers("tools/a.so", digest("one")));
    assert!(!trust.covers("tools/a.so", digest("two")), "a changed file is untrusted");
    assert!(!trust.covers("tools/b.so", digest("one")), "a new file is untrusted");
    assert!(trusted(TrustMode::Path).covers("tools/b.so", digest("two")));
}

#[test]
fn t3_the_store_survives_writing_and_knows_projects_by_their_canonical_path() {
    let directory = tempfile::tempdir().unwrap();
    let project = directory.path().join("project");
    std::fs::create_dir(&project).unwrap();
    let file = directory.path().join("home/trust.toml");
    let store = TrustStore::read(&file).unwrap();
    assert!(store.project(&project).is_none());
    assert!(TrustStore::update(&file, |store| store.grant(&project, trusted(TrustMode::Files))).unwrap());
    let mut again = TrustStore::read(&file).unwrap();
    assert_eq!(again.project(&project.join("../project")), Some(&trusted(TrustMode::Files)));
    assert!(again.revoke(&project) && !again.revoke(&project));
    assert!(again.project(&project).is_none());
}

#[test]
fn t4_trust_to_load_is_not_trust_to_relax() {
    let directory = tempfile::tempdir().unwrap();
    let mut store = TrustStore::default();
    assert!(store.grant(directory.path(), trusted(TrustMode::Files)));
    assert!(!store.project(directory.path()).unwrap().relax);
}

#[test]
fn t3_a_broken_trust_file_trusts_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("trust.toml");
    for text in [
        "projects = 3",
        "[projects.\"/x\"]\ntrust = \"all\"",
        "[projects.\"/x\".files]\na = \"short\"",
        "x = 1",
        "[",
    ] {
        std::fs::write(&file, text).unwrap();
        let error = TrustStore::read(&file).unwrap_err();
        assert_eq!(error.file, file);
        assert!(!error.remedy.is_empty());
    }
}

#[cfg(unix)]
#[test]
fn l5_a_trust_file_that_others_may_write_is_not_believed() {
    use std::os::unix::fs::PermissionsExt;
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("trust.toml");
    std::fs::write(&file, "").unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o666)).unwrap();
    let error = TrustStore::read(&file).unwrap_err();
    assert!(error.remedy.contains("chmod go-w"), "{}", error.remedy);
}

#[test]
fn t3_changes_at_the_same_time_are_all_kept() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("home/trust.toml");
    let projects: Vec<_> = (0..16).map(|n| directory.path().join(format!("project-{n}"))).collect();
    std::thread::scope(|scope| {
        for project in &projects {
            let file = &file;
            scope.spawn(move || {
                std::fs::create_dir(project).unwrap();
                assert!(
                    TrustStore::update(file, |store| store.grant(project, trusted(TrustMode::Files)))
                        .unwrap()
                );
            });
        }
    });
    assert_eq!(TrustStore::read(&file).unwrap().projects().count(), projects.len());
}
