//! The command line, once: parser, help and completions come from here.

use clap::{Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// A host for tool plugins: find, check, trust and call them.
///
/// Without a command it opens the console in this directory.
#[derive(Debug, Parser)]
#[command(name = "stud", version, after_help = EXIT_CODES)]
pub(crate) struct Args {
    /// Work in this directory instead of the current one.
    #[arg(short = 'C', long = "directory", value_name = "DIR", global = true)]
    pub(crate) directory: Option<PathBuf>,
    /// Take the bundled tools from this directory.
    #[arg(long, value_name = "DIR", global = true)]
    pub(crate) bundled: Option<PathBuf>,
    /// Set a configuration key for this run; `stud config --keys` lists them.
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = key_value, global = true)]
    pub(crate) settings: Vec<(String, String)>,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

fn key_value(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("write it as KEY=VALUE")?;
    Ok((key.to_owned(), value.to_owned()))
}

const EXIT_CODES: &str = "Exit codes: 0 done; 1 the tool or operation answered with an error; 2 wrong usage or \
configuration; 3 permission required or denied; 130 interrupted.
Environment: STUD_HOME replaces ~/.stud, STUD_BUNDLED the directory of the bundled tools, NO_COLOR turns colour off.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List every tool that was found and what became of it, or show all about one.
    Tools(ToolsArgs),
    /// Call one tool and print its result.
    Call(CallArgs),
    /// Show the contract in a library file. Nothing of it is executed.
    Inspect(FileArgs),
    /// Take a library the whole way as the host would, and say what comes of each step.
    Check(FileArgs),
    /// Show what this project's tools would do, and trust them.
    Trust(TrustArgs),
    /// Show the configuration in force and where each value comes from.
    Config(ConfigArgs),
    /// Look at the installation and say what is wrong with it.
    Doctor(JsonArgs),
    /// Copy a library into the global layer, or into this project's.
    Install(InstallArgs),
    /// Remove a library from a layer, by its file, its plugin's name or a tool's name.
    Uninstall(UninstallArgs),
    /// Print completions for a shell.
    Completions(CompletionsArgs),
    /// Opens a private copy and prints its description: the host runs this before it opens unknown bytes itself.
    #[command(name = "__describe", hide = true)]
    Describe(DescribeArgs),
}

#[derive(Debug, clap::Args)]
pub(crate) struct ToolsArgs {
    /// All about this one.
    pub(crate) name: Option<String>,
    /// Print JSON for programs.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct CallArgs {
    /// The tool's name.
    pub(crate) name: String,
    /// Arguments as key=value; numbers, booleans and lists are read as the tool's schema says.
    #[arg(value_name = "KEY=VALUE", conflicts_with = "input")]
    pub(crate) pairs: Vec<String>,
    /// All arguments as JSON, or @FILE to read them from a file (@- reads standard input).
    #[arg(long, value_name = "JSON|@FILE")]
    pub(crate) input: Option<String>,
    /// Print the whole result as JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Allow this call of a tool that needs approval.
    #[arg(long)]
    pub(crate) approve: bool,
    /// A deadline for this call in milliseconds.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) timeout_ms: Option<u64>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct FileArgs {
    /// A library file.
    pub(crate) file: PathBuf,
    /// Print JSON for programs.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct TrustArgs {
    /// Trust what is shown without asking.
    #[arg(long)]
    pub(crate) yes: bool,
    /// Forget that this project was trusted.
    #[arg(long, conflicts_with_all = ["yes", "list"])]
    pub(crate) revoke: bool,
    /// List the projects that are trusted.
    #[arg(long, conflicts_with = "yes")]
    pub(crate) list: bool,
    /// Accept later changes to its files without asking: for your own work.
    #[arg(long)]
    pub(crate) path: bool,
    /// Also let this project's configuration loosen yours.
    #[arg(long)]
    pub(crate) relax: bool,
    /// Print JSON for programs; shows and changes nothing unless --yes or --revoke is given.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ConfigArgs {
    /// List every key with its type, default and environment variable.
    #[arg(long)]
    pub(crate) keys: bool,
    /// Print JSON for programs.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct JsonArgs {
    /// Print JSON for programs.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct InstallArgs {
    /// A library file.
    pub(crate) file: PathBuf,
    /// Into this project's layer instead of the global one; it still needs `stud trust`.
    #[arg(long)]
    pub(crate) project: bool,
    /// Replace a file of the same name that is there.
    #[arg(long)]
    pub(crate) force: bool,
    /// Print JSON for programs.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct UninstallArgs {
    /// File, plugin or tool.
    pub(crate) name: String,
    /// From this project's layer instead of the global one.
    #[arg(long)]
    pub(crate) project: bool,
    /// Print JSON for programs.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct CompletionsArgs {
    /// The shell.
    pub(crate) shell: Shell,
}

/// The shells that completions are printed for.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Shell {
    Bash,
    Elvish,
    Fish,
    Powershell,
    Zsh,
}

#[derive(Debug, clap::Args)]
pub(crate) struct DescribeArgs {
    pub(crate) file: PathBuf,
}
