//! A plugin written outside of this workspace, as an author would.

use std::fs;
use std::path::Path;
use stud_e2e::{Layer, World, build_outside};

const SOURCE: &str = r#"use stud_plugin_api::prelude::*;

/// Reads a file, aloud.
#[tool(side_effects = "read")]
fn read_file(
    ctx: &Context,
    /// The file.
    path: String,
) -> Result<String> {
    Ok(ctx.files().read(&path)?.to_uppercase())
}

/// Counts the words of a text.
#[tool(side_effects = "none")]
fn outside_words(
    /// The text to count.
    text: String,
) -> usize {
    text.split_whitespace().count()
}

export_plugin!(read_file, outside_words);
"#;

#[test]
fn done_a_plugin_from_outside_works_globally_and_shadows_a_bundled_tool_once_trusted() {
    let repository = fs::canonicalize(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")).unwrap();
    let author = tempfile::tempdir().unwrap();
    fs::create_dir(author.path().join("src")).unwrap();
    fs::write(author.path().join("src/lib.rs"), SOURCE).unwrap();
    let manifest = format!(
        "[package]\nname = \"outside\"\nversion = \"3.2.1\"\nedition = \"2024\"\n\n[lib]\ncrate-type = [\"cdylib\"]\n\n\
         [dependencies]\nstud-plugin-api = {{ path = {:?} }}\n",
        repository.join("plugin-api")
    );
    fs::write(author.path().join("Cargo.toml"), manifest).unwrap();
    // The versions that this workspace was tested with: they are on this machine.
    fs::copy(repository.join("Cargo.lock"), author.path().join("Cargo.lock")).unwrap();
    let library = fs::read(build_outside(author.path())).unwrap();

    let world = World::new();
    let file = world.file("a.txt", "quiet\n");
    world.put_bytes(Layer::Global, "liboutside.so", &library);
    assert_eq!(world.text("outside_words", r#"{"text": "one two three"}"#), "3");
    assert_eq!(world.text("read_file", r#"{"path": "a.txt"}"#), "QUIET\n");
    assert_eq!(world.listed("outside_words")[0]["plugin_version"], "3.2.1");

    fs::remove_file(world.tools(Layer::Global).join("liboutside.so")).unwrap();
    let mine = world.put_bytes(Layer::Project, "liboutside.so", &library);
    let statuses = |world: &World| -> Vec<String> {
        world
            .listed("read_file")
            .iter()
            .map(|line| format!("{} {}", line["layer"].as_str().unwrap(), line["status"].as_str().unwrap()))
            .collect()
    };
    assert_eq!(statuses(&world), ["project untrusted", "bundled active"]);
    assert_eq!(world.text("read_file", r#"{"path": "a.txt"}"#), "1\tquiet\n");
    let shown = world.stud(&["trust"]).exits(3).stdout;
    assert!(
        shown.contains("tool read_file: read, runs without asking, takes the place of the bundled one"),
        "{shown}"
    );

    let _ = world.stud(&["trust", "--yes"]).exits(0);
    assert_eq!(statuses(&world), ["project active", "bundled shadowed"]);
    assert_eq!(world.text("read_file", r#"{"path": "a.txt"}"#), "QUIET\n");
    let table = world.stud(&["tools"]).exits(0).stdout;
    assert!(table.contains(&format!("shadowed by `{}` of the project layer", mine.display())), "{table}");
    drop(file);
}
