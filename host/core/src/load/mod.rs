//! From a checked manifest to running code: private copy, loader, description.

mod describe;
mod loader;
mod plugin;
mod probe;
mod staging;

pub use describe::{DescribedTool, DescribedTools, check_description};
pub use loader::{LoadedPlugin, load};
pub(crate) use plugin::LoadSettings;
pub use plugin::Plugin;
pub use probe::{Prober, describe_staged};
pub use staging::{StagedCopy, Staging, read_regular_file};
