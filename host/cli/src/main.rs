//! The `stud` command. The only crate of the project that prints.

mod app;
mod args;
mod commands;
mod confirm;
mod console;
mod describe;
mod failure;
mod input;
mod render;
mod reserved;
mod run;
mod signals;

use args::{Args, Command};
use clap::Parser;
use failure::{Exit, Failure};
use std::process::ExitCode;

fn main() -> ExitCode {
    let args = Args::parse();
    match run(args) {
        Ok(exit) => exit.into(),
        Err(failure) => {
            render::failure(&failure);
            failure.exit.into()
        }
    }
}

fn run(args: Args) -> Result<Exit, Failure> {
    let app = app::App::new(&args)?;
    match args.command {
        None => console::run(&app),
        Some(Command::Tools(args)) => commands::tools::run(&app, &args),
        Some(Command::Call(args)) => commands::call::run(&app, &args),
        Some(Command::Inspect(args)) => commands::inspect::run(&args),
        Some(Command::Check(args)) => commands::check::run(&app, &args),
        Some(Command::Trust(args)) => commands::trust::run(&app, &args),
        Some(Command::Config(args)) => commands::config::run(&app, &args),
        Some(Command::Doctor(args)) => commands::doctor::run(&app, &args),
        Some(Command::Install(args)) => commands::install::install(&app, &args),
        Some(Command::Uninstall(args)) => commands::install::uninstall(&app, &args),
        Some(Command::Completions(args)) => commands::completions::run(&args),
        Some(Command::Describe(args)) => describe::run(&app, &args),
    }
}
