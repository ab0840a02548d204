use crate::args::{Args, CompletionsArgs, Shell};
use crate::failure::{Exit, Failure};
use crate::render;
use clap::CommandFactory;
use clap_complete::shells;

pub(crate) fn run(args: &CompletionsArgs) -> Result<Exit, Failure> {
    let mut command = Args::command();
    let mut script = Vec::new();
    match args.shell {
        Shell::Bash => clap_complete::generate(shells::Bash, &mut command, "stud", &mut script),
        Shell::Elvish => clap_complete::generate(shells::Elvish, &mut command, "stud", &mut script),
        Shell::Fish => clap_complete::generate(shells::Fish, &mut command, "stud", &mut script),
        Shell::Powershell => clap_complete::generate(shells::PowerShell, &mut command, "stud", &mut script),
        Shell::Zsh => clap_complete::generate(shells::Zsh, &mut command, "stud", &mut script),
    }
    render::out(&String::from_utf8_lossy(&script))
}
