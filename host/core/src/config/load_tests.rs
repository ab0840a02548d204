use super::*;
use std::path::PathBuf;

struct Files {
    directory: tempfile::TempDir,
}

impl Files {
    fn new(user: &str, project: &str) -> Files {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("user.toml"), user).unwrap();
        std::fs::write(directory.path().join("project.toml"), project).unwrap();
        Files { directory }
    }

    fn load(&self, grant: ProjectGrant, environment: &[(&str, &str)]) -> Result<Config, ConfigError> {
        load(&ConfigSources {
            user: self.path("user.toml"),
            project: Some(ProjectConfig {
                file: self.path("project.toml"),
                content: std::fs::read(self.path("project.toml")).map_err(|error| error.to_string()),
                grant,
            }),
            environment: environment.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect(),
            flags: Vec::new(),
        })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }
}

fn value(config: &Config, key: &str) -> (String, String) {
    let setting = config.settings().into_iter().find(|setting| setting.key == key).unwrap();
    (setting.value.to_string(), setting.origin)
}

#[test]
fn l6_later_sources_win_and_every_value_knows_its_origin() {
    let files = Files::new("[limits]\ntimeout_ms = 5000\ncommand_lines = 50", "[limits]\ntimeout_ms = 4000");
    let config = files.load(ProjectGrant::Relax, &[("STUD_COMMAND_LINES", "20")]).unwrap();
    assert_eq!(
        value(&config, "limits.timeout_ms"),
        ("4000".into(), files.path("project.toml").display().to_string())
    );
    assert_eq!(
        value(&config, "limits.command_lines"),
        ("20".into(), "environment STUD_COMMAND_LINES".into())
    );
    assert_eq!(value(&config, "limits.output_bytes").1, "default");
}

#[test]
fn l6_a_project_may_tighten_and_not_loosen() {
    let project = "allow_ungated = [\"x\"]\n[limits]\ntimeout_ms = 9000\ncommand_lines = 20\n[tools.a]\nenabled = true\n[tools.b]\nenabled = false\n[tools.c]\ntimeoutMs = 900";
    let files = Files::new(
        "[limits]\ntimeout_ms = 5000\n[tools.a]\nenabled = false\n[tools.c]\ntimeoutMs = 100",
        project,
    );
    let config = files.load(ProjectGrant::Tighten, &[]).unwrap();
    assert_eq!(value(&config, "limits.timeout_ms").0, "5000");
    assert_eq!(value(&config, "limits.command_lines").0, "20");
    assert!(config.texts("allow_ungated").is_empty());
    assert!(!config.tool("a").unwrap().enabled() && !config.tool("b").unwrap().enabled());
    assert_eq!(config.tool("c").unwrap().timeout().unwrap().as_millis(), 100);
    assert_eq!(config.notes.len(), 4, "{:?}", config.notes);
    let relaxed = files.load(ProjectGrant::Relax, &[]).unwrap();
    assert_eq!(value(&relaxed, "limits.timeout_ms").0, "9000");
    assert!(relaxed.tool("a").unwrap().enabled() && relaxed.notes.is_empty());
}

#[test]
fn t1_an_untrusted_project_is_not_obeyed_even_where_it_tightens() {
    let config = Files::new("", "[tools.a]\nenabled = false").load(ProjectGrant::Nothing, &[]).unwrap();
    assert!(config.tool("a").is_none());
    assert!(config.notes[0].contains("not trusted"), "{:?}", config.notes);
}

#[test]
fn l6_an_unknown_key_names_the_nearest_known_one() {
    let error = Files::new("[limits]\ntimeout_sm = 1", "").load(ProjectGrant::Nothing, &[]).unwrap_err();
    assert!(error.to_string().contains("there is no key `limits.timeout_sm`"), "{error}");
    assert_eq!(error.remedy(), "did you mean `limits.timeout_ms`?");
}

#[test]
fn l6_wrong_values_and_syntax_say_where() {
    for (text, says) in [
        ("[limits]\ntimeout_ms = \"fast\"", "`limits.timeout_ms` is a whole number"),
        ("[limits]\ntimeout_ms = -1", "`limits.timeout_ms` is a whole number"),
        ("allow_ungated = 3", "`allow_ungated` is a list of texts"),
        ("tools = 3", "there is no key `tools`"),
        ("a = 1\nb = [", "line 2"),
    ] {
        let error = Files::new(text, "").load(ProjectGrant::Nothing, &[]).unwrap_err();
        assert!(error.to_string().contains(says), "{text}: {error}");
        assert!(!error.remedy().is_empty());
    }
    let error = Files::new("", "").load(ProjectGrant::Nothing, &[("STUD_TIMEOUT_MS", "soon")]).unwrap_err();
    assert!(error.to_string().contains("environment STUD_TIMEOUT_MS"), "{error}");
}

#[test]
fn c11_a_tool_with_a_wrong_base_key_is_told_apart() {
    let config = Files::new("[tools.a]\nenabled = \"no\"\n[tools.b]\ntimeoutMs = 0", "")
        .load(ProjectGrant::Nothing, &[])
        .unwrap();
    assert_eq!(config.tool("a").unwrap().problem("a").unwrap().field.as_deref(), Some("/enabled"));
    assert_eq!(config.tool("b").unwrap().problem("b").unwrap().field.as_deref(), Some("/timeoutMs"));
}

#[test]
fn l6_an_unknown_section_is_an_error_even_when_it_is_empty() {
    let error = Files::new("[limit]", "").load(ProjectGrant::Nothing, &[]).unwrap_err();
    assert!(error.to_string().contains("there is no key `limit`"), "{error}");
}

#[cfg(unix)]
#[test]
fn l5_a_configuration_that_others_may_write_is_not_obeyed() {
    use std::os::unix::fs::PermissionsExt;
    let files = Files::new("", "");
    std::fs::set_permissions(files.path("user.toml"), std::fs::Permissions::from_mode(0o666)).unwrap();
    let error = files.load(ProjectGrant::Nothing, &[]).unwrap_err();
    assert!(error.remedy().starts_with("chmod go-w"), "{}", error.remedy());
}

#[test]
fn l6_a_flag_counts_more_than_the_environment_and_is_checked_like_it() {
    let files = Files::new("", "");
    let with = |key: &str, value: &str| {
        load(&ConfigSources {
            user: files.path("user.toml"),
            project: None,
            environment: vec![("STUD_TIMEOUT_MS".to_owned(), "7".to_owned())],
            flags: vec![(key.to_owned(), value.to_owned())],
        })
    };
    let config = with("limits.timeout_ms", "5").unwrap();
    assert_eq!(value(&config, "limits.timeout_ms"), ("5".into(), "command line".into()));
    assert!(with("limits.timeout_ms", "soon").is_err());
    assert!(with("limits.timeout", "5").unwrap_err().remedy().contains("limits.timeout_ms"));
}
