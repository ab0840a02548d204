//! What is refused, what is not, and that nothing that passes ends the process.

mod build;
mod elf;
mod other;
mod survive;
