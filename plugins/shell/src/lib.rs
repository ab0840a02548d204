//! The bundled tool that runs a shell command: in the workspace, as a process group that cancellation ends as a whole.

mod approval;
mod directory;
mod run;
#[cfg(test)]
mod tests;

pub use run::run_command;

stud_plugin_api::export_plugin!(run_command);
