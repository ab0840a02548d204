use crate::app::App;
use crate::args::TrustArgs;
use crate::failure::{Exit, Failure};
use crate::{confirm, render};
use serde_json::json;
use std::fmt::Write;
use stud_host::{
    EmbeddedTool, FileChange, Host, PreviewFile, TrustMode, TrustPreview, TrustStore, trust_preview,
    trust_project,
};

pub(crate) fn run(app: &App, args: &TrustArgs) -> Result<Exit, Failure> {
    if args.list {
        return list(app, args.json);
    }
    if args.revoke {
        return revoke(app, args.json);
    }
    let host = app.open()?;
    if let Err(error) = host.trust() {
        return Err(Failure::new(Exit::Usage, render::line(&error.to_string())).hint(error.remedy.clone()));
    }
    let shown = trust_preview(&host);
    let mode = if args.path { TrustMode::Path } else { TrustMode::Files };
    if args.json {
        // Nothing to trust is nothing granted, here as below.
        let granted = args.yes && !shown.files.is_empty();
        if granted {
            trust_project(&host, &shown, mode, args.relax)?;
        }
        return render::json(&json!({ "granted": granted, "preview": shown }));
    }
    if shown.files.is_empty() {
        return render::out("this project has no tools and no configuration: there is nothing to trust\n");
    }
    let current = host.trust().ok().flatten();
    let same_terms = current.is_some_and(|trust| trust.trust == mode && trust.relax == args.relax);
    render::out(&text(&shown))?;
    if shown.up_to_date && same_terms {
        return render::out("all of it is trusted already\n");
    }
    if !args.yes && !confirm::can_ask() {
        let hint = "look at it above, then run `stud trust --yes`";
        return Err(
            Failure::new(Exit::Permission, "nobody can be asked here: nothing was trusted").hint(hint)
        );
    }
    if !args.yes && !confirm::ask("trust these files, with these bytes?") {
        return Err(Failure::new(Exit::Permission, "nothing was trusted"));
    }
    trust_project(&host, &shown, mode, args.relax)?;
    render::out("trusted; `stud tools` shows what is active now\n")
}

/// Before other work: says what waits for trust, and asks where somebody can be asked. Says whether trust was given.
pub(crate) fn offer(host: &Host, ask: bool) -> Result<bool, Failure> {
    let shown = trust_preview(host);
    let trusted = host.trust().ok().flatten();
    let waiting = shown.files.iter().filter(|file| waits(file)).count();
    if waiting == 0 || trusted.is_some_and(|trust| trust.trust == TrustMode::Path) {
        return Ok(false);
    }
    if !ask {
        let files = if waiting == 1 {
            "1 file of this project is".to_owned()
        } else {
            format!("{waiting} files of this project are")
        };
        render::note(&format!("{files} not trusted and not used; `stud trust` shows what waits"));
        return Ok(false);
    }
    render::styled_note(&text(&shown));
    if confirm::ask("trust these files, with these bytes?") {
        let (mode, relax) = trusted.map_or((TrustMode::Files, false), |trust| (trust.trust, trust.relax));
        trust_project(host, &shown, mode, relax)?;
        return Ok(true);
    }
    render::note("nothing of this project is used; `stud trust` asks again");
    Ok(false)
}

fn waits(file: &PreviewFile) -> bool {
    matches!(file.change, FileChange::New | FileChange::Changed) && file.sha256.is_some()
}

fn text(shown: &TrustPreview) -> String {
    let mut text = format!("{} would use:\n", render::line(&shown.project));
    for file in &shown.files {
        let change = match file.change {
            FileChange::New => render::styled(render::ODD, "new      "),
            FileChange::Changed => render::styled(render::ODD, "changed  "),
            FileChange::Unchanged => render::styled(render::DIM, "unchanged"),
            FileChange::Removed => render::styled(render::DIM, "removed  "),
        };
        let digest = file.sha256.map(|digest| format!("  sha256 {digest}")).unwrap_or_default();
        let plugin =
            file.plugin.as_deref().map(|name| format!("  ({})", render::line(name))).unwrap_or_default();
        let _ =
            writeln!(text, "\n  {change} .stud/{}{plugin}\n           {digest}", render::line(&file.file));
        if let Some(problem) = &file.problem {
            let _ = writeln!(text, "             it would not load: {}", render::line(problem));
        }
        for tool in &file.tools {
            let _ = writeln!(text, "             {}", tool_line(tool, file));
        }
    }
    text.push('\n');
    text
}

fn tool_line(tool: &EmbeddedTool, file: &PreviewFile) -> String {
    let mut line = format!("tool {}: {}", tool.name, tool.side_effects);
    line.push_str(if tool.gated { ", asks before it runs" } else { ", runs without asking" });
    if !tool.capabilities.is_empty() {
        let _ = write!(line, ", wants {}", render::line(&tool.capabilities.join(" ")));
    }
    if !tool.env.is_empty() {
        let _ = write!(line, ", sees {}", render::line(&tool.env.join(" ")));
    }
    if let Some(layer) = file.shadows.get(tool.name.as_str()) {
        let _ = write!(line, ", takes the place of the {layer} one");
    }
    for other in &tool.other_names {
        let below = file.shadows.get(other.as_str()).map(|layer| format!(", which the {layer} layer has"));
        let _ = write!(line, ", answers to `{other}` too{}", below.unwrap_or_default());
    }
    line
}

fn list(app: &App, json: bool) -> Result<Exit, Failure> {
    let store = TrustStore::read(&app.paths.trust_file())?;
    if json {
        let projects: Vec<_> = store
            .projects()
            .map(|(path, trust)| json!({ "project": path, "trust": trust.trust, "relax": trust.relax, "files": trust.files }))
            .collect();
        return render::json(&projects);
    }
    let rows: Vec<Vec<String>> = store
        .projects()
        .map(|(path, trust)| {
            let mode = if trust.trust == TrustMode::Path {
                "whatever lies there".to_owned()
            } else {
                format!("{} file(s)", trust.files.len())
            };
            vec![path.to_owned(), mode, if trust.relax { "yes" } else { "no" }.to_owned()]
        })
        .collect();
    if rows.is_empty() {
        return render::out("no project is trusted\n");
    }
    render::out(&render::table(&["PROJECT", "TRUSTED", "MAY RELAX"], rows))
}

fn revoke(app: &App, json: bool) -> Result<Exit, Failure> {
    let file = app.paths.trust_file();
    let known = TrustStore::update(&file, |store| store.revoke(&app.paths.project))?;
    if json {
        return render::json(&json!({ "revoked": known }));
    }
    render::out(if known {
        "this project is not trusted any more\n"
    } else {
        "this project was not trusted\n"
    })
}
