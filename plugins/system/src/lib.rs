//! The bundled tool that looks at the machine: load, memory, disks and the processes that use most.

mod measure;
mod monitor;
mod snapshot;
mod table;
#[cfg(test)]
mod tests;

pub use monitor::{Order, system_monitor};
pub use snapshot::{Disk, Memory, Process, Snapshot};

stud_plugin_api::export_plugin!(system_monitor);
