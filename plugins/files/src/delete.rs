use crate::size::size;
use stud_plugin_api::EntryKind;
use stud_plugin_api::prelude::*;

fn key(arguments: &delete_file) -> String {
    stud_plugin_api::approval::parent_directory(&arguments.path)
}

/// Deletes a file, a symbolic link (not what it leads to) or an empty directory.
#[tool(
    side_effects = "write",
    category = "files",
    approval_key = key,
    examples({"path": "tmp/old.log"})
)]
pub fn delete_file(
    ctx: &Context,
    /// The file, relative to the workspace root.
    #[arg(alias("file", "filePath"))]
    path: String,
) -> Result<String> {
    ctx.check_cancelled()?;
    // Only for the words of the answer; a link to nothing has no facts and can be deleted all the same.
    let before = ctx.files().stat(&path).ok();
    ctx.files().delete(&path)?;
    ctx.metadata("files_modified", vec![path.clone()]);
    Ok(match before {
        Some(stat) if stat.kind == EntryKind::File => format!("deleted `{path}` ({})", size(stat.size)),
        Some(stat) if stat.kind == EntryKind::Directory => format!("deleted the directory `{path}`"),
        _ => format!("deleted `{path}`"),
    })
}
