use crate::app::App;
use crate::args::JsonArgs;
use crate::failure::{Exit, Failure};
use crate::{render, reserved};
use serde::Serialize;
use std::fmt::Write;
use stud_host::{CORE_VERSION, Host, Layer, Status};

/// One thing that was looked at.
#[derive(Debug, Serialize)]
struct Finding {
    what: String,
    verdict: Verdict,
    text: String,
    hint: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Verdict {
    Ok,
    Note,
    Wrong,
}

pub(crate) fn run(app: &App, args: &JsonArgs) -> Result<Exit, Failure> {
    if args.json {
        reserved::reserve()?;
    }
    let mut findings = vec![finding(
        "version",
        Verdict::Ok,
        format!("stud {CORE_VERSION} for {}-{}", std::env::consts::OS, std::env::consts::ARCH),
        None,
    )];
    findings.push(home(app));
    match app.open() {
        Ok(host) => {
            findings.push(trust(&host));
            findings.push(finding(
                "configuration",
                Verdict::Ok,
                "it can be used; `stud config` shows it".to_owned(),
                None,
            ));
            findings.extend(layers(app, &host));
            findings.push(loading(&host));
        }
        Err(failure) => {
            findings.push(finding("configuration", Verdict::Wrong, failure.message, failure.hint))
        }
    }
    findings.push(finding(
        "isolation",
        Verdict::Note,
        "plugins run in this process: a panic is contained, a crash in native code is not; nothing is confined by the kernel".to_owned(),
        Some("trust and install only what you would run anyway".to_owned()),
    ));
    let wrong = findings.iter().any(|finding| finding.verdict == Verdict::Wrong);
    if args.json {
        render::json(&serde_json::json!({ "ok": !wrong, "findings": findings }))?;
    } else {
        render::out(&text(&findings))?;
    }
    Ok(if wrong { Exit::Error } else { Exit::Done })
}

fn finding(what: &str, verdict: Verdict, text: String, hint: Option<String>) -> Finding {
    Finding { what: what.to_owned(), verdict, text, hint }
}

fn home(app: &App) -> Finding {
    let home = &app.paths.home;
    let shown = home.display();
    match std::fs::create_dir_all(home).and_then(|()| tempfile(home)) {
        Ok(()) => finding("home", Verdict::Ok, format!("`{shown}` can be written"), None),
        Err(error) => finding(
            "home",
            Verdict::Wrong,
            format!(
                "`{shown}` cannot be written: {error}; no library can be copied for loading, nothing is remembered"
            ),
            Some("set STUD_HOME to a directory of yours".to_owned()),
        ),
    }
}

/// Whether a file can be made there.
fn tempfile(directory: &std::path::Path) -> std::io::Result<()> {
    let file = directory.join(format!(".doctor-{}", std::process::id()));
    std::fs::write(&file, b"")?;
    std::fs::remove_file(&file)
}

fn trust(host: &Host) -> Finding {
    match host.trust() {
        Err(error) => finding("trust", Verdict::Wrong, error.to_string(), Some(error.remedy.clone())),
        Ok(None) => finding(
            "trust",
            Verdict::Ok,
            "this project is not trusted: nothing in its `.stud` is used".to_owned(),
            None,
        ),
        Ok(Some(trust)) => finding(
            "trust",
            Verdict::Ok,
            format!("{} files of this project are trusted", trust.files.len()),
            None,
        ),
    }
}

fn layers(app: &App, host: &Host) -> Vec<Finding> {
    let listing = host.registry().listing();
    let layers = app.paths.layers();
    let look = |layer: &stud_host::LayerDir| {
        let of_layer = || listing.tools.iter().filter(|tool| tool.layer == layer.layer);
        let active = of_layer().filter(|tool| tool.status == Status::Active).count();
        let broken =
            of_layer().filter(|tool| matches!(tool.status, Status::Failed | Status::Incompatible)).count();
        let text = format!("`{}`: {active} tools active, {broken} refused", layer.path.display());
        let what = format!("{} layer", layer.layer);
        match layer.layer {
            Layer::Bundled if active == 0 => {
                let hint = "build the bundled plugins beside the program, or name their directory with --bundled or STUD_BUNDLED";
                finding(&what, Verdict::Wrong, text, Some(hint.to_owned()))
            }
            _ if broken > 0 => finding(&what, Verdict::Wrong, text, Some("`stud tools` says why".to_owned())),
            _ => finding(&what, Verdict::Ok, text, None),
        }
    };
    layers.iter().map(look).collect()
}

/// Opens one active plugin for real, the whole way.
fn loading(host: &Host) -> Finding {
    let snapshot = host.registry().snapshot();
    let Some(entry) = snapshot.advertised().next() else {
        return finding("loading", Verdict::Note, "there is no tool to try it with".to_owned(), None);
    };
    let name = &entry.embedded().name;
    match entry.callable().map(|_| ()).and_then(|()| entry.plugin().loaded().map(|_| ())) {
        Ok(()) => finding(
            "loading",
            Verdict::Ok,
            format!("the plugin of `{name}` was copied, checked and opened"),
            None,
        ),
        Err(diagnostic) => {
            finding("loading", Verdict::Wrong, diagnostic.to_string(), Some(diagnostic.remedy.clone()))
        }
    }
}

fn text(findings: &[Finding]) -> String {
    let mut text = String::new();
    for finding in findings {
        let (style, word) = match finding.verdict {
            Verdict::Ok => (render::GOOD, "ok   "),
            Verdict::Note => (render::ODD, "note "),
            Verdict::Wrong => (render::BAD, "wrong"),
        };
        let shown = render::Problem {
            stage: None,
            message: &finding.text,
            field: None,
            remedy: finding.hint.as_deref(),
        };
        let said = render::problem(&shown, 22);
        let _ = write!(text, "{}  {:<14} {said}", render::styled(style, word), finding.what);
    }
    text
}
