use crate::app::App;
use crate::args::FileArgs;
use crate::failure::{Exit, Failure};
use crate::{render, reserved};
use std::fmt::Write;
use stud_host::{CheckReport, Staging, check_library};

pub(crate) fn run(app: &App, args: &FileArgs) -> Result<Exit, Failure> {
    if args.json {
        reserved::reserve()?;
    }
    let report = check_library(&args.file, &Staging::new(app.paths.staged_dir()), Some(&app.prober()?));
    if args.json {
        render::json(&report)?;
    } else {
        render::out(&text(&report))?;
    }
    Ok(if report.ok { Exit::Done } else { Exit::Error })
}

fn text(report: &CheckReport) -> String {
    let mut text = String::new();
    for step in &report.steps {
        match &step.problem {
            None => {
                let _ = writeln!(text, "{}  {}", render::styled(render::GOOD, "ok    "), step.step);
            }
            Some(problem) => {
                let place =
                    problem.field.as_ref().map(|field| format!(" (at `{field}`)")).unwrap_or_default();
                let _ = writeln!(text, "{}  {}", render::styled(render::BAD, "failed"), step.step);
                let _ = writeln!(
                    text,
                    "        [{}] {}{place}",
                    problem.stage,
                    render::printable(&problem.message)
                );
                let _ = writeln!(text, "        hint: {}", problem.remedy);
            }
        }
    }
    for warning in &report.warnings {
        let _ = writeln!(text, "{}  {}", render::styled(render::ODD, "note  "), render::printable(warning));
    }
    let verdict = if report.ok {
        "every tool of it can be used; `stud install FILE` puts it into the global layer"
    } else {
        "it would not be used as it is"
    };
    let _ = writeln!(text, "\n{verdict}");
    text
}
