//! L6, C11: configuration that is not as it should be.

use serde_json::Value;
use std::fs;
use stud_e2e::{Layer, World};

/// Every command that needs the configuration refuses it with these words.
#[track_caller]
fn refused(world: &World, message: &str, hint: &str) {
    for arguments in [&["tools"][..], &["call", "read_file", "path=x"], &["config"], &["trust"], &[]] {
        let output = world.stud(arguments).exits(2);
        let shown = output.stderr.replace(world.home().to_str().unwrap(), "HOME");
        assert_eq!(shown, format!("error: {message}\n  hint: {hint}\n"), "{arguments:?}");
        assert_eq!(output.stdout, "");
    }
    // These two need none, or say what is wrong.
    let _ = world.stud(&["config", "--keys"]).exits(0);
    assert!(world.stud(&["doctor"]).exits(1).stdout.contains("wrong"));
}

#[track_caller]
fn check(config: &str, message: &str, hint: &str) {
    let world = World::new();
    world.config(config);
    refused(&world, message, hint);
}

const LISTED: &str = "correct the value; `stud config --keys` lists what each key takes";

#[test]
fn l6_an_unknown_key_names_the_nearest() {
    check(
        "limits.timeout = 5\n",
        "there is no key `limits.timeout` (HOME/config.toml)",
        "did you mean `limits.timeout_ms`?",
    );
    check(
        "[limits]\noutput_byte = 5\n",
        "there is no key `limits.output_byte` (HOME/config.toml)",
        "did you mean `limits.output_bytes`?",
    );
    check(
        "alow_ungated = []\n",
        "there is no key `alow_ungated` (HOME/config.toml)",
        "did you mean `allow_ungated`?",
    );
    check("zzz = 1\n", "there is no key `zzz` (HOME/config.toml)", "`stud config --keys` lists the keys");
}

#[test]
fn l6_a_value_of_the_wrong_type() {
    check(
        "[limits]\ntimeout_ms = \"long\"\n",
        "`limits.timeout_ms` is a whole number from 1 to 3600000, not \"long\" (HOME/config.toml)",
        LISTED,
    );
    check(
        "limits.timeout_ms = 0\n",
        "`limits.timeout_ms` is a whole number from 1 to 3600000, not 0 (HOME/config.toml)",
        LISTED,
    );
    check(
        "allow_ungated = \"all\"\n",
        "`allow_ungated` is a list of texts, not \"all\" (HOME/config.toml)",
        LISTED,
    );
    check("allow_ungated = [1]\n", "`allow_ungated` is a list of texts, not [1] (HOME/config.toml)", LISTED);
}

#[test]
fn l6_a_tools_section_that_is_none() {
    check("[tools]\ngreet = 5\n", "`tools.greet` is a section with keys, not 5 (HOME/config.toml)", LISTED);
}

#[test]
fn l6_a_file_that_is_no_toml() {
    let world = World::new();
    world.config("[limits]\n\ntimeout_ms 5\n");
    let output = world.stud(&["tools"]).exits(2);
    let shown = output.stderr.replace(world.home().to_str().unwrap(), "HOME");
    assert!(
        shown.starts_with("error: `HOME/config.toml` is not valid TOML: ") && shown.contains("on line 3"),
        "{output}"
    );
    fs::write(world.home().join("config.toml"), b"\xff\xfe").unwrap();
    let _ = world.stud(&["tools"]).exits(2).says("cannot be read");
    fs::remove_file(world.home().join("config.toml")).unwrap();
    fs::create_dir(world.home().join("config.toml")).unwrap();
    let _ = world.stud(&["tools"]).exits(2).says("cannot be read");
}

#[test]
fn l6_a_variable_of_the_wrong_type() {
    let world = World::new().env("STUD_TIMEOUT_MS", "soon");
    let message =
        "`limits.timeout_ms` is a whole number from 1 to 3600000, not \"soon\" (environment STUD_TIMEOUT_MS)";
    refused(&world, message, LISTED);
}

#[test]
fn l6_every_value_knows_where_it_came_from() {
    let world = World::new().env("STUD_OUTPUT_BYTES", "5000");
    world.config("[limits]\ntimeout_ms = 1000\noutput_bytes = 9000\n[tools.greet]\nword = \"hi\"\n");
    let settings = world.stud(&["config", "--json"]).exits(0).json();
    let origin = |key: &str| {
        let of_key = |setting: &&Value| setting["key"] == key;
        let setting = settings.as_array().unwrap().iter().find(of_key).unwrap();
        (setting["value"].clone(), setting["origin"].as_str().unwrap().to_owned())
    };
    let file = world.home().join("config.toml").display().to_string();
    assert_eq!(origin("limits.timeout_ms"), (1000.into(), file.clone()));
    assert_eq!(origin("limits.output_bytes"), (5000.into(), "environment STUD_OUTPUT_BYTES".to_owned()));
    assert_eq!(origin("limits.command_lines"), (100.into(), "default".to_owned()));
    assert_eq!(origin("tools.greet.word"), ("hi".into(), file));
}

/// A tool's own section disables that tool and nothing else. What needs its schema is found once it was described.
#[track_caller]
fn disables(section: &str, status: &str, reason: &str) {
    let world = World::with("hostile");
    world.config(&format!("[tools.greet]\n{section}\n"));
    let error = world.error("greet", r#"{"name": "Ada"}"#);
    assert_eq!(error["class"], "not_found", "{error:#}");
    let line = &world.listed("greet")[0];
    assert_eq!(line["status"], status, "{line:#}");
    let shown = line["reason"].as_str().unwrap().replace(world.home().to_str().unwrap(), "HOME");
    assert_eq!(shown, reason);
    assert_eq!(world.text("sleeps", r#"{"ms": 0}"#), "slept 0 ms");
    world.others_work();
}

#[test]
fn c11_enabled_of_the_wrong_type() {
    disables(
        "enabled = \"yes\"",
        "disabled",
        "configSchema: `tools.greet.enabled` is true or false, not \"yes\" (HOME/config.toml) (at `/enabled`); \
         correct the value in config.toml",
    );
}

#[test]
fn c11_a_timeout_of_the_wrong_type() {
    for value in ["-5", "0", "\"long\"", "1.5"] {
        disables(
            &format!("timeoutMs = {value}"),
            "disabled",
            &format!(
                "configSchema: `tools.greet.timeoutMs` is a number of milliseconds above zero, not {value} (HOME/config.toml) \
                 (at `/timeoutMs`); correct the value in config.toml"
            ),
        );
    }
}

#[test]
fn c11_an_own_key_of_the_wrong_type() {
    disables(
        "most = \"many\"",
        "disabled",
        "configSchema: `[tools.greet]` in config.toml: /most: expected integer, found the text \"many\" (at `/most`); \
         its keys are enabled, timeoutMs, word, most",
    );
}

#[test]
fn c11_an_unknown_own_key() {
    disables(
        "wird = \"hi\"",
        "disabled",
        "configSchema: `[tools.greet]` in config.toml: expected no other keys, found `wird`; \
         its keys are enabled, timeoutMs, word, most",
    );
}

#[test]
fn c11_a_key_of_a_tool_that_has_none() {
    let world = World::with("hostile");
    world.config("[tools.sleeps]\nlong = true\n");
    let error = world.error("sleeps", r#"{"ms": 0}"#);
    let message = error["message"].as_str().unwrap();
    assert!(
        message.contains(
            "`tools.sleeps.long` is no key of this tool: it has none but `enabled` and `timeoutMs`"
        ),
        "{message}"
    );
    assert_eq!(world.text("greet", r#"{"name": "Ada"}"#), "hello Ada");
}

#[test]
fn c11_a_tool_can_be_switched_off_and_uncovers_nothing_by_accident() {
    let world = World::with("hostile");
    world.config("[tools.greet]\nenabled = false\n[tools.read_file]\nenabled = false\n");
    for tool in ["greet", "read_file"] {
        let line = &world.listed(tool)[0];
        assert_eq!(line["status"], "disabled");
        assert!(
            line["reason"]
                .as_str()
                .unwrap()
                .contains(&format!("it is switched off by `tools.{tool}.enabled = false`"))
        );
        assert_eq!(world.error(tool, "{}")["class"], "not_found");
    }
}

#[test]
fn c11_a_good_configuration_reaches_the_tool() {
    let world = World::with("hostile").env("STUD_FIXTURE_TOKEN", "secret");
    world.config("[tools.greet]\nword = \"good day\"\nmost = 2\ntimeoutMs = 5000\n");
    assert_eq!(world.text("greet", r#"{"name": "Ada", "times": 5}"#), "good day Ada, good day Ada");
}

#[test]
fn t1_an_untrusted_projects_configuration_is_not_even_read() {
    let world = World::with("hostile");
    world.project_config("this is = no TOML [");
    let _ = world.stud(&["tools"]).exits(0).says("is not obeyed: this project is not trusted (`stud trust`)");
    world.project_config("[tools.greet]\nenabled = false\n");
    assert_eq!(world.text("greet", r#"{"name": "Ada"}"#), "hello Ada");
}

#[test]
fn l6_a_trusted_projects_configuration_only_tightens() {
    let world = World::with("hostile");
    world.config("[limits]\ntimeout_ms = 5000\n[tools.sleeps]\ntimeoutMs = 3000\nenabled = false\n[tools.greet]\nword = \"hi\"\n");
    world.project_config(
        "[limits]\ntimeout_ms = 9000\noutput_bytes = 1000\n\
         [tools.sleeps]\ntimeoutMs = 4000\nenabled = true\n[tools.flood]\nenabled = false\n",
    );
    let _ = world.stud(&["trust", "--yes"]).exits(0);
    let settings =
        world.stud(&["config", "--json"]).exits(0).says("`limits.timeout_ms` is not obeyed: it would loosen");
    let settings = settings
        .says("`tools.sleeps.timeoutMs` is not obeyed")
        .says("`tools.sleeps.enabled` is not obeyed")
        .json();
    let value =
        |key: &str| settings.as_array().unwrap().iter().find(|s| s["key"] == key).map(|s| s["value"].clone());
    assert_eq!(value("limits.timeout_ms"), Some(5000.into()));
    assert_eq!(value("limits.output_bytes"), Some(1000.into()));
    assert_eq!(value("tools.sleeps.timeoutMs"), Some(3000.into()));
    assert_eq!(world.listed("sleeps")[0]["status"], "disabled");
    assert_eq!(world.listed("flood")[0]["status"], "disabled");
    // Changed after it was trusted: not obeyed any more.
    world.project_config("[tools.greet]\nenabled = false\n");
    assert_eq!(world.text("greet", r#"{"name": "Ada"}"#), "hi Ada");
    assert_eq!(world.listed("flood")[0]["status"], "active");
}

#[test]
fn t4_a_tools_own_timeout_in_a_project_does_not_loosen_the_limit() {
    let world = World::with("hostile");
    world.config("[limits]\ntimeout_ms = 300\n");
    world.put(Layer::Project, "constructor");
    world.project_config("[tools.sleeps]\ntimeoutMs = 20000\n");
    let _ = world.stud(&["trust", "--yes"]).exits(0);
    let error = world.error("sleeps", r#"{"ms": 1500}"#);
    assert_eq!(error["class"], "timeout", "{error:#}");
}
