use crate::app::App;
use crate::args::{InstallArgs, UninstallArgs};
use crate::failure::{Exit, Failure};
use crate::render;
use serde_json::json;
use stud_host::{Diagnostic, Layer, Stage, install_library, uninstall_library};

pub(crate) fn install(app: &App, args: &InstallArgs) -> Result<Exit, Failure> {
    let layer = layer(args.project);
    let installed = install_library(&app.open()?, layer, &args.file, args.force).map_err(refused)?;
    if args.json {
        render::json(&json!({ "installed": installed.to_string_lossy(), "layer": layer }))?;
    } else {
        render::out(&format!("installed `{}` into the {layer} layer\n", render::path(&installed)))?;
    }
    if layer == Layer::Project {
        render::note("it is not used before you confirm it with `stud trust`");
    }
    Ok(Exit::Done)
}

pub(crate) fn uninstall(app: &App, args: &UninstallArgs) -> Result<Exit, Failure> {
    let layer = layer(args.project);
    let removed = uninstall_library(&app.open()?, layer, &args.name).map_err(refused)?;
    if args.json {
        return render::json(&json!({ "removed": removed.to_string_lossy(), "layer": layer }));
    }
    render::out(&format!("removed `{}`\n", render::path(&removed)))
}

/// What the layer has against it is answered by another command line or configuration, anything else by another file.
fn refused(diagnostic: Diagnostic) -> Failure {
    let register = diagnostic.stage == Stage::Register;
    let failure = Failure::from(diagnostic);
    if register { Failure { exit: Exit::Usage, ..failure } } else { failure }
}

fn layer(project: bool) -> Layer {
    if project { Layer::Project } else { Layer::Global }
}
