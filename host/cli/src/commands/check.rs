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
        let step_name = render::line(&step.step);
        match &step.problem {
            None => {
                let _ = writeln!(text, "{}  {}", render::styled(render::GOOD, "ok    "), step_name);
            }
            Some(problem) => {
                let shown = render::Problem {
                    stage: Some(problem.stage),
                    message: &problem.message,
                    field: problem.field.as_deref(),
                    remedy: Some(&problem.remedy),
                };
                let _ = writeln!(text, "{}  {}", render::styled(render::BAD, "failed"), step_name);
                let _ = write!(text, "        {}", render::problem(&shown, 8));
            }
        }
    }
    for warning in &report.warnings {
        let _ = writeln!(text, "{}  {}", render::styled(render::ODD, "note  "), render::line(warning));
    }
    let verdict = if report.ok {
        "every tool of it can be used; `stud install FILE` puts it into the global layer"
    } else {
        "it would not be used as it is"
    };
    let _ = writeln!(text, "\n{verdict}");
    text
}
