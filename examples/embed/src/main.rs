//! A program with tools: opens a host on a directory, lists what may be called, and reads a file through a tool.
//!
//! `cargo build --workspace && cargo run -p embed -- DIRECTORY FILE`, where FILE is relative to DIRECTORY.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use serde_json::json;
use std::path::PathBuf;
use stud_host::{Call, Host, HostOptions, Paths, bundled_beside};

// The dispatcher needs tokio's multi-threaded runtime, which is what this macro makes.
#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let directory = arguments.next().unwrap_or_else(|| ".".to_owned());
    let file = arguments.next().unwrap_or_else(|| "README.md".to_owned());

    // Tools of the user, and caches, are those of the `stud` command; another program may well keep a home of its own.
    let home = std::env::var_os("STUD_HOME").map(PathBuf::from);
    let home =
        home.or_else(|| Some(std::env::home_dir()?.join(".stud"))).ok_or("there is no home directory")?;
    let bundled = bundled_beside(&std::env::current_exe()?);
    let project = std::fs::canonicalize(directory)?;

    // Nothing is loaded yet. `HostOptions` also takes a `Prober`, which opens unknown libraries in another process first.
    let host = Host::open(HostOptions::new(Paths { home, project, bundled }))?;
    let session = host.session()?;
    let turn = session.turn();
    for entry in turn.snapshot().advertised() {
        let tool = entry.embedded();
        println!("{:16} {:8} {}", tool.name, tool.side_effects, entry.plugin().file().display());
    }

    // A gated tool would need `approval: Approval::Once`, which is for a person to give. Errors are results, too.
    let result = turn.call(Call::new("read_file", json!({ "path": file }).to_string())).await;
    println!("\n{} (error: {})\n{}", result.tool_name, result.is_error, result.text());
    if result.is_error { Err("the tool answered with an error".into()) } else { Ok(()) }
}
