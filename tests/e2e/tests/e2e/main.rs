//! The rules of the specification through the real binary. A test bears the id of the rule that it proves.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests")]
#![allow(clippy::disallowed_methods, reason = "tests prepare files, which is not a tool's work")]

mod arguments;
mod calls;
mod config;
mod console;
mod context;
mod contracts;
mod discovery;
mod folders;
mod forged;
mod guards;
mod install;
mod interrupts;
mod json;
mod lazy;
mod loading;
mod mutated;
mod output;
mod outside;
mod ownership;
mod paths;
mod schemas;
mod shadowing;
mod shipped;
mod swapped;
mod trust;
