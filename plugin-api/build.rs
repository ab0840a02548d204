//! Tells the contract which compiler and target a plugin is built with: the author's crate has no build script for it.
#![allow(clippy::disallowed_methods, reason = "a build script asks the compiler for its version")]

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = std::env::var("TARGET").unwrap_or_default();
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let version = Command::new(rustc)
        .arg("--version")
        .output()
        .ok()
        .and_then(|out| String::from_utf8(out.stdout).ok())
        .unwrap_or_else(|| "unknown".to_owned());
    println!("cargo::rustc-env=STUD_TARGET={target}");
    println!("cargo::rustc-env=STUD_RUSTC={}", version.trim());
}
