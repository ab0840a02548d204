use crate::app::App;
use crate::args::{InstallArgs, UninstallArgs};
use crate::failure::{Exit, Failure};
use crate::render;
use stud_host::{Layer, install_library, uninstall_library};

pub(crate) fn install(app: &App, args: &InstallArgs) -> Result<Exit, Failure> {
    let layer = layer(args.project);
    let directory = app.paths.layers().into_iter().find(|dir| dir.layer == layer).map(|dir| dir.path);
    let directory =
        directory.ok_or_else(|| Failure::new(Exit::Error, format!("there is no {layer} layer")))?;
    let name = args.file.file_name().unwrap_or_default();
    if !args.force && directory.join(name).exists() {
        let message = format!("`{}` is there already", directory.join(name).display());
        return Err(Failure::new(Exit::Usage, message).hint("--force replaces it"));
    }
    let installed = install_library(&args.file, &directory)?;
    render::out(&format!("installed `{}` into the {layer} layer\n", installed.display()))?;
    if layer == Layer::Project {
        render::note("it is not used before you confirm it with `stud trust`");
    }
    Ok(Exit::Done)
}

pub(crate) fn uninstall(app: &App, args: &UninstallArgs) -> Result<Exit, Failure> {
    let removed = uninstall_library(&app.open()?, layer(args.project), &args.name)?;
    render::out(&format!("removed `{}`\n", removed.display()))
}

fn layer(project: bool) -> Layer {
    if project { Layer::Project } else { Layer::Global }
}
