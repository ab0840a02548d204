use similar::TextDiff;
use stud_plugin_api::prelude::*;

fn key(arguments: &edit_file) -> String {
    stud_plugin_api::approval::parent_directory(&arguments.path)
}

/// Replaces one text in a file by another and returns the change as a diff. The old text must occur exactly once: copy
/// it from the file with its indentation, and add lines around it until it is unique.
#[tool(
    side_effects = "write",
    category = "files",
    other_names("patch_file"),
    approval_key = key,
    examples({"path": "src/main.rs", "old_text": "let retries = 3;", "new_text": "let retries = 5;"})
)]
pub fn edit_file(
    ctx: &Context,
    /// The file, relative to the workspace root.
    #[arg(alias("file", "filePath"))]
    path: String,
    /// The text to replace, exactly as in the file, without line numbers.
    #[arg(alias("oldText", "old_string"))]
    old_text: String,
    /// The text to put there; empty to remove the old one.
    #[arg(alias("newText", "new_string"))]
    new_text: String,
) -> Result<String> {
    ctx.check_cancelled()?;
    let patched = ctx.files().patch(&path, &old_text, &new_text)?;
    ctx.metadata("files_modified", vec![path.clone()]);
    let diff = TextDiff::from_lines(&patched.before, &patched.after);
    let (old_name, new_name) = (format!("a/{path}"), format!("b/{path}"));
    Ok(diff.unified_diff().context_radius(3).header(&old_name, &new_name).to_string())
}
