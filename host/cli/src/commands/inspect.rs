use crate::args::FileArgs;
use crate::failure::{Exit, Failure};
use crate::render;
use std::fmt::Write;
use stud_host::{Inspection, inspect_library};

pub(crate) fn run(args: &FileArgs) -> Result<Exit, Failure> {
    let inspection = inspect_library(&args.file)?;
    if args.json {
        render::json(&inspection)?;
    } else {
        render::out(&text(&inspection))?;
    }
    // Nothing was asked of the library: that it is no plugin is an answer, but one that a script wants to notice.
    Ok(if inspection.compatible { Exit::Done } else { Exit::Error })
}

fn text(inspection: &Inspection) -> String {
    let mut text = String::new();
    let format = inspection.format.map_or("no library", |format| format.as_str());
    let _ =
        writeln!(text, "file      {} ({} bytes, {format})", render::path(&inspection.file), inspection.size);
    let _ = writeln!(text, "sha256    {}", inspection.sha256);
    if let Some(contract) = &inspection.contract {
        let plugin = &contract.plugin;
        let _ = writeln!(text, "plugin    {} {}", render::line(&plugin.name), render::line(&plugin.version));
        let _ = writeln!(
            text,
            "contract  {}, for stud {}",
            render::line(&contract.contract_version),
            render::line(&contract.required_core_version)
        );
        let _ = writeln!(
            text,
            "built     for {} with {}",
            render::line(&contract.target),
            render::line(&contract.rustc)
        );
        let rows = contract.tools.iter().map(|tool| {
            vec![
                tool.name.to_string(),
                tool.side_effects.to_string(),
                yes(tool.gated),
                tool.category.clone(),
                list(&tool.env),
                list(&tool.capabilities),
            ]
        });
        text.push('\n');
        text.push_str(&render::table(
            &["TOOL", "SIDE EFFECTS", "GATED", "CATEGORY", "ENV", "CAPABILITIES"],
            rows.collect(),
        ));
    }
    text.push('\n');
    if inspection.compatible {
        let _ = writeln!(text, "{}", render::styled(render::GOOD, "this host would load it"));
    }
    for problem in &inspection.problems {
        let shown = render::Problem {
            stage: Some(problem.stage),
            message: &problem.message,
            field: problem.field.as_deref(),
            remedy: Some(&problem.remedy),
        };
        let _ = write!(text, "{} {}", render::styled(render::BAD, "refused"), render::problem(&shown, 2));
    }
    text
}

fn yes(value: bool) -> String {
    if value { "yes" } else { "no" }.to_owned()
}

fn list(items: &[String]) -> String {
    if items.is_empty() { "-".to_owned() } else { items.join(" ") }
}
