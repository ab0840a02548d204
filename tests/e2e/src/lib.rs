//! The harness of the end to end tests: the real binary, the bundled plugins and the fixtures, built once a run; a
//! world of its own for each test; and ways to spoil a library file.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "code of tests only: what goes wrong here fails one"
)]
#![allow(
    clippy::disallowed_methods,
    reason = "tests start programs and write files, which is not a tool's work"
)]

mod artefacts;
mod output;
mod process;
mod spoil;
mod wait;
mod world;

pub use artefacts::{Artefacts, artefacts, build_outside};
pub use output::Output;
pub use process::{Running, run};
pub use spoil::{patch_contract, patch_contract_json, rename_section};
pub use wait::wait_until;
pub use world::{Layer, World};
