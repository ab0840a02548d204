use crate::app::App;
use crate::args::ToolsArgs;
use crate::failure::{Exit, Failure};
use crate::render;
use std::fmt::Write;
use stud_host::{Host, ListedTool, Listing, Status, ToolDescription};

pub(crate) fn run(app: &App, args: &ToolsArgs) -> Result<Exit, Failure> {
    let host = app.host(false)?;
    match &args.name {
        None if args.json => render::json(&host.registry().listing()),
        None => render::out(&overview(&host.registry().listing())),
        Some(name) => one(&host, name, args.json),
    }
}

/// Every candidate as a table, and why those that are not active are not.
pub(crate) fn overview(listing: &Listing) -> String {
    if listing.tools.is_empty() {
        return "no tools were found; `stud doctor` says where they were looked for\n".to_owned();
    }
    let rows = listing.tools.iter().map(|tool| {
        vec![
            tool.name.as_ref().map_or("?".to_owned(), ToString::to_string),
            tool.status.as_str().to_owned(),
            tool.layer.to_string(),
            text(tool.side_effects),
            tool.gated.map_or("-".to_owned(), |gated| if gated { "yes" } else { "no" }.to_owned()),
            text(tool.category.as_deref()),
            tool.plugin.as_ref().map_or("-".to_owned(), |name| {
                format!("{name} {}", tool.plugin_version.as_deref().unwrap_or("?"))
            }),
        ]
    });
    let header = ["TOOL", "STATUS", "LAYER", "SIDE EFFECTS", "GATED", "CATEGORY", "PLUGIN"];
    let mut out = render::table(&header, rows.collect());
    let reasons: Vec<&ListedTool> = listing.tools.iter().filter(|tool| tool.reason.is_some()).collect();
    if !reasons.is_empty() {
        out.push('\n');
    }
    for tool in reasons {
        let name = tool.name.as_ref().map_or("?", |name| name.as_str());
        let file = tool.file.as_deref().map(|file| file.display().to_string()).unwrap_or_default();
        let style = if tool.status == Status::Shadowed { render::DIM } else { render::ODD };
        let what = format!("{name} ({})", tool.status.as_str());
        let reason = render::line(tool.reason.as_deref().unwrap_or_default());
        let _ = writeln!(out, "{} {}\n    {reason}", render::styled(style, &what), render::line(&file));
    }
    out
}

fn text(value: Option<impl ToString>) -> String {
    value.map_or("-".to_owned(), |value| value.to_string())
}

fn one(host: &Host, name: &str, json: bool) -> Result<Exit, Failure> {
    let snapshot = host.registry().snapshot();
    // Asking about one tool is a use of it: its plugin describes itself, in a process of its own.
    let working =
        snapshot.implementations(name).iter().find_map(|entry| Some((entry, entry.callable().ok()?)));
    let canonical = working.map(|(entry, _)| entry.embedded().name.as_str()).unwrap_or(name);
    let mut listing = host.registry().listing();
    listing.tools.retain(|tool| tool.name.as_ref().is_some_and(|own| own.as_str() == canonical));
    let description = working.map(|(_, tool)| &tool.description);
    if listing.tools.is_empty() {
        return Err(Failure::new(Exit::Error, format!("there is no tool `{name}`"))
            .hint("`stud tools` lists what there is"));
    }
    if json {
        return render::json(&serde_json::json!({
            "generation": listing.generation,
            "tools": listing.tools,
            "contract": working.map(|(entry, _)| entry.embedded()),
            "description": description,
        }));
    }
    let mut out = String::new();
    if let Some(description) = description {
        describe(&mut out, description);
    }
    for tool in &listing.tools {
        candidate(&mut out, tool);
    }
    render::out(&out)
}

fn describe(out: &mut String, tool: &ToolDescription) {
    let _ = writeln!(
        out,
        "{}\n\n{}\n",
        render::styled(render::BOLD, tool.name.as_str()),
        render::printable(&tool.description)
    );
    let required = tool.input_schema["required"].as_array();
    let rows = tool.input_schema["properties"].as_object().into_iter().flatten().map(|(name, schema)| {
        let aliases: Vec<&str> = tool
            .argument_aliases
            .iter()
            .filter(|(_, to)| *to == name)
            .map(|(alias, _)| alias.as_str())
            .collect();
        let needed = required.is_some_and(|all| all.iter().any(|one| one == name));
        let default = schema.get("default").map(|value| format!(" (default {value})")).unwrap_or_default();
        vec![
            name.clone(),
            schema["type"].as_str().unwrap_or("?").to_owned(),
            if needed { "required" } else { "optional" }.to_owned(),
            if aliases.is_empty() { "-".to_owned() } else { aliases.join(", ") },
            format!("{}{default}", one_line(schema["description"].as_str().unwrap_or_default())),
        ]
    });
    out.push_str(&render::table(&["ARGUMENT", "TYPE", "", "ALSO", "WHAT"], rows.collect()));
    for example in &tool.examples {
        let _ = writeln!(
            out,
            "\nexample: stud call {} --input '{}'",
            tool.name,
            render::line(&example.to_string())
        );
    }
    out.push('\n');
}

/// A comment of several lines of source, as the cell of a table.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn candidate(out: &mut String, tool: &ListedTool) {
    let style = if tool.status == Status::Active { render::GOOD } else { render::ODD };
    let _ = writeln!(out, "{}  {} layer", render::styled(style, tool.status.as_str()), tool.layer);
    let mut line = |key: &str, value: Option<String>| {
        if let Some(value) = value {
            let _ = writeln!(out, "  {key:<14}{}", render::line(&value));
        }
    };
    line("file", tool.file.as_deref().map(|file| file.display().to_string()));
    line("sha256", tool.sha256.map(|digest| digest.to_string()));
    line(
        "plugin",
        tool.plugin.as_ref().map(|name| format!("{name} {}", tool.plugin_version.as_deref().unwrap_or("?"))),
    );
    line("contract", tool.contract_version.clone());
    line("side effects", tool.side_effects.map(|class| class.to_string()));
    line("gated", tool.gated.map(|gated| if gated { "yes" } else { "no" }.to_owned()));
    line("isolation", Some(tool.isolation.to_owned()));
    line("calls", (tool.calls > 0).then(|| format!("{} ({} failed)", tool.calls, tool.errors)));
    line("last error", tool.last_error.clone());
    line("reason", tool.reason.clone());
    out.push('\n');
}
