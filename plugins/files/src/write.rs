use crate::size::{counted, size};
use stud_plugin_api::prelude::*;

fn key(arguments: &write_file) -> String {
    stud_plugin_api::approval::parent_directory(&arguments.path)
}

/// Writes a whole file: creates it, with missing directories, or replaces everything in it. To change a part of a
/// file, use edit_file.
#[tool(
    side_effects = "write",
    category = "files",
    approval_key = key,
    examples({"path": "docs/notes.md", "content": "# Notes\n"})
)]
pub fn write_file(
    ctx: &Context,
    /// The file, relative to the workspace root.
    #[arg(alias("file", "filePath"))]
    path: String,
    /// The complete new content.
    content: String,
) -> Result<String> {
    ctx.check_cancelled()?;
    let files = ctx.files();
    // Only for the words of the answer: the write itself does not depend on it.
    let before = if files.exists(&path)? { Some(files.stat(&path)?.size) } else { None };
    files.write(&path, &content)?;
    ctx.metadata("files_modified", vec![path.clone()]);
    ctx.metadata("created", before.is_none());
    let lines = counted(content.lines().count() as u64, "line", "lines");
    let written = format!("{lines}, {}", size(content.len() as u64));
    Ok(match before {
        None => format!("created `{path}`: {written}"),
        Some(before) => format!("overwrote `{path}`: {written} (before: {})", size(before)),
    })
}
