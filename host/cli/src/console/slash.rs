use super::Console;
use crate::args::{ConfigArgs, JsonArgs, ToolsArgs, TrustArgs};
use crate::commands;
use crate::failure::{Exit, Failure};
use crate::render;

/// A slash command: completion, help and the dispatcher below know them from here.
pub(super) struct SlashCommand {
    pub(super) name: &'static str,
    argument: &'static str,
    help: &'static str,
    run: fn(&mut Console<'_>, &str) -> Result<bool, Failure>,
}

pub(super) const COMMANDS: &[SlashCommand] = &[
    SlashCommand {
        name: "tools",
        argument: "[NAME]",
        help: "every tool and what became of it, or all about one",
        run: tools,
    },
    SlashCommand { name: "call", argument: "NAME …", help: "the same as NAME …", run: call },
    SlashCommand {
        name: "reload",
        argument: "",
        help: "read the layers and the configuration again",
        run: reload,
    },
    SlashCommand {
        name: "trust",
        argument: "",
        help: "show what this project would use, and trust it",
        run: trust,
    },
    SlashCommand {
        name: "config",
        argument: "",
        help: "the configuration and where it comes from",
        run: config,
    },
    SlashCommand { name: "doctor", argument: "", help: "look at the installation", run: doctor },
    SlashCommand { name: "help", argument: "", help: "this list", run: help },
    SlashCommand { name: "quit", argument: "", help: "end", run: |_, _| Ok(false) },
];

impl Console<'_> {
    /// A line after its slash. Says whether the console goes on.
    pub(super) fn slash(&mut self, line: &str) -> Result<bool, Failure> {
        let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match COMMANDS.iter().find(|command| command.name == name) {
            Some(command) => (command.run)(self, rest.trim()),
            None => {
                let names = COMMANDS.iter().map(|command| command.name);
                let near = names
                    .max_by(|a, b| strsim::jaro_winkler(name, a).total_cmp(&strsim::jaro_winkler(name, b)));
                let hint = near
                    .map(|near| format!("did you mean `/{near}`? `/help` lists them"))
                    .unwrap_or_default();
                Err(Failure::new(Exit::Usage, format!("there is no command `/{name}`")).hint(hint))
            }
        }
    }
}

fn tools(console: &mut Console<'_>, rest: &str) -> Result<bool, Failure> {
    if rest.is_empty() {
        // The console's own host, so that calls made here are counted.
        render::out(&commands::tools::overview(&console.host.registry().listing()))?;
    } else {
        commands::tools::run(console.app, &ToolsArgs { name: Some(rest.to_owned()), json: false })?;
    }
    Ok(true)
}

fn call(console: &mut Console<'_>, rest: &str) -> Result<bool, Failure> {
    console.call(rest).map(|()| true)
}

fn reload(console: &mut Console<'_>, _: &str) -> Result<bool, Failure> {
    console.reload()?;
    render::note(&console.greeting());
    Ok(true)
}

fn trust(console: &mut Console<'_>, _: &str) -> Result<bool, Failure> {
    let args = TrustArgs { yes: false, revoke: false, list: false, path: false, relax: false, json: false };
    commands::trust::run(console.app, &args)?;
    console.reload()?;
    Ok(true)
}

fn config(console: &mut Console<'_>, _: &str) -> Result<bool, Failure> {
    commands::config::run(console.app, &ConfigArgs { keys: false, json: false }).map(|_| true)
}

fn doctor(console: &mut Console<'_>, _: &str) -> Result<bool, Failure> {
    commands::doctor::run(console.app, &JsonArgs { json: false }).map(|_| true)
}

fn help(_: &mut Console<'_>, _: &str) -> Result<bool, Failure> {
    let mut text =
        String::from("NAME key=value …   call a tool\nNAME {json}        the same, arguments as JSON\n\n");
    let rows = COMMANDS.iter().map(|c| vec![format!("/{} {}", c.name, c.argument), c.help.to_owned()]);
    text.push_str(&render::table(&["COMMAND", "WHAT"], rows.collect()));
    render::out(&text).map(|_| true)
}
