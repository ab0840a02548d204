//! The bundled tools for files of the workspace: read, write, edit, list, delete.
//!
//! All of them go through [`Context::files`](stud_plugin_api::Context::files), which keeps paths inside the workspace.
//! The argument that names the file is `path`; `file` and `filePath` are other names of it in every tool.

mod delete;
mod edit;
mod lines;
mod list;
mod read;
mod size;
mod write;

pub use delete::delete_file;
pub use edit::edit_file;
pub use list::list_directory;
pub use read::read_file;
pub use write::write_file;

stud_plugin_api::export_plugin!(read_file, write_file, edit_file, list_directory, delete_file);
