//! A project's own `list_directory`: it leaves out what was built or downloaded, so that a model does not wade through it.
//!
//! Later layers shadow earlier ones by the name of the tool: bundled, then `~/.stud/tools`, then `.stud/tools` of the
//! working directory. So a tool with the name of a bundled one takes its place, in this project only:
//!
//! ```sh
//! cargo build --release -p override-list-directory
//! cd ~/my-project
//! stud install --project ~/stud/target/release/liboverride_list_directory.so
//! stud tools list_directory    # the bundled one is active: the project's is listed as untrusted
//! stud trust                   # shows file, digest, tool and what it takes the place of; asks
//! stud tools list_directory    # the project's is active, the bundled one is shadowed by it
//! ```
//!
//! Trust is in these bytes: after a rebuild the new file is untrusted, and the bundled tool answers, until
//! `stud trust` was asked again (`stud trust --path` takes changes without asking, for your own work).
//! `stud uninstall --project list_directory`, and the bundled one is back.

use stud_plugin_api::EntryKind;
use stud_plugin_api::prelude::*;

/// Directories that are left out when the configuration names none.
const HIDDEN: [&str; 5] = [".git", "target", "node_modules", "dist", "__pycache__"];

/// `[tools.list_directory]` in `config.toml`.
#[data]
struct Settings {
    /// Names that are left out. Default: .git, target, node_modules, dist and __pycache__.
    hide: Option<Vec<String>>,
}

/// Lists a directory without what was built or downloaded: one name a line, directories with a slash behind them.
// A model that knows the bundled tool calls this one the same way: keep the names of arguments, and their other names.
#[tool(side_effects = "read", category = "files", config = Settings, examples({}, {"path": "src"}))]
fn list_directory(
    ctx: &Context,
    /// The directory, relative to the workspace root. Default: the root.
    #[arg(alias("file", "filePath"), default = ".")]
    path: String,
) -> Result<String> {
    let settings: Settings = ctx.config()?;
    let hidden = settings.hide.unwrap_or_else(|| HIDDEN.map(str::to_owned).to_vec());
    let entries = ctx.files().list(&path)?;
    let (out, shown): (Vec<_>, Vec<_>) = entries.iter().partition(|entry| hidden.contains(&entry.name));
    let mut text = String::new();
    for entry in shown {
        text.push_str(&entry.name);
        text.push_str(if entry.kind == EntryKind::Directory { "/\n" } else { "\n" });
    }
    if !out.is_empty() {
        text.push_str(&format!("[left out: {}]\n", out.len()));
    }
    Ok(text)
}

export_plugin!(list_directory);

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use stud_plugin_testkit::{TestHost, assert_conforms};

    #[test]
    fn it_conforms() {
        assert_conforms::<list_directory>();
    }

    #[test]
    fn what_was_built_is_left_out() {
        let host = TestHost::new();
        host.write("target/x", "").write("src/lib.rs", "").write("README.md", "");
        assert_eq!(host.call::<list_directory>(json!({})).unwrap().text, "README.md\nsrc/\n[left out: 1]\n");
        host.config(json!({"hide": ["src"]}));
        let output = host.call::<list_directory>(json!({"file": "."})).unwrap();
        assert_eq!(output.text, "README.md\ntarget/\n[left out: 1]\n");
    }
}
