//! What is refused, what is not, and that nothing that passes ends the process.
#![allow(clippy::disallowed_methods, reason = "the fixtures are compiled, and opened, by other programs")]

mod build;
mod elf;
mod other;
mod survive;
