//! The embeddable host of stud: finds tool plugins in layers, checks their contracts without running them, loads them
//! through a stable ABI and takes every call through one dispatcher.
//!
//! ```text
//! file --discover--> Candidate --manifest--> Manifest --trust--> StagedCopy --load--> Plugin --registry--> Snapshot
//! call --resolve--> ToolEntry --arguments--> ValidArgs --decide--> execute --bound--> ToolResult
//! ```
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use stud_host::{Call, Host, HostOptions, Paths};
//!
//! let paths = Paths { home: "/home/me/.stud".into(), project: ".".into(), bundled: "/usr/lib/stud/tools".into() };
//! let host = Host::open(HostOptions::new(paths))?;
//! let turn = host.session()?.turn();
//! let result = turn.call(Call::new("read_file", r#"{"path": "README.md"}"#)).await;
//! assert!(!result.is_error, "{}", result.text());
//! # Ok(())
//! # }
//! ```

mod check;
mod config;
mod diagnostic;
mod digest;
mod discover;
mod dispatch;
mod host;
mod ids;
mod inspect;
mod layer;
mod load;
mod lossy;
mod manifest;
mod nearest;
mod object_file;
mod ownership;
mod paths;
mod private_dir;
mod registry;
mod regular_file;
mod session;
mod spill;
mod trust;
mod trusting;
pub mod workspace;

pub use check::{CheckReport, CheckStep, check_library};
pub use config::{Config, ConfigError, KEYS, Key, Kind, Setting, ToolConfig};
pub use diagnostic::{Diagnostic, Stage};
pub use digest::Digest;
pub use dispatch::{Approval, Call, CancelToken, Content, MAX_ARGUMENTS, Origin, ToolResult};
pub use host::{Host, HostError, HostOptions};
pub use inspect::{Inspection, Problem, inspect_library};
pub use layer::{Layer, LayerDir};
pub use load::{Prober, StagedCopy, Staging, describe_staged};
pub use manifest::CORE_VERSION;
pub use object_file::Format;
pub use paths::{Paths, bundled_beside};
pub use registry::{CallableTool, ListedTool, Listing, Registry, Snapshot, Status, ToolEntry};
pub use session::{NoObserver, Observer, Session, Turn};
pub use stud_contract::{
    EmbeddedContract, EmbeddedTool, ErrorClass, Executor, SideEffects, ToolDescription, ToolError, ToolName,
};
pub use trust::{FileChange, PreviewFile, ProjectTrust, TrustError, TrustMode, TrustPreview, TrustStore};
pub use trusting::{install_library, trust_preview, trust_project, uninstall_library};
