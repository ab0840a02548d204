//! One file a command.

pub(crate) mod call;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod doctor;
pub(crate) mod inspect;
pub(crate) mod install;
pub(crate) mod tools;
pub(crate) mod trust;
