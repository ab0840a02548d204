use crate::app::App;
use crate::args::CallArgs;
use crate::failure::{Exit, Failure};
use crate::run as running;
use crate::signals::Signals;
use crate::{input, render, reserved};
use std::time::Duration;
use stud_host::{Approval, Call, Session, ToolResult};

pub(crate) fn run(app: &App, args: &CallArgs) -> Result<Exit, Failure> {
    if args.json {
        reserved::reserve()?;
    }
    let host = app.host(!args.json)?;
    let session = host.session()?;
    let runtime = running::runtime()?;
    let signals = Signals::listen(&runtime);
    let text = match &args.input {
        Some(text) => input::from_flag(text)?,
        None => pairs_as_json(&session, &args.name, &args.pairs)?,
    };
    let mut call = Call::new(&args.name, text);
    call.timeout = args.timeout_ms.map(Duration::from_millis);
    if args.approve {
        call.approval = Approval::Once;
    }
    let result = running::call(&runtime, &signals, &session.turn(), call);
    let exit = running::exit_of(&result);
    if args.json {
        render::json(&result)?;
    } else {
        print(&result, &format!("`stud call {} --approve …` allows this one call", args.name))?;
    }
    // A call that was abandoned may still run on its thread: it is not waited for.
    runtime.shutdown_background();
    Ok(exit)
}

/// Arguments typed as pairs, in the types that the tool's schema names.
pub(crate) fn pairs_as_json(session: &Session, name: &str, pairs: &[String]) -> Result<String, Failure> {
    let turn = session.turn();
    let tool = turn.snapshot().implementations(name).iter().find_map(|entry| entry.callable().ok());
    input::from_pairs(tool.map(|tool| &tool.description), pairs)
}

/// The result for people: the text on standard output, an error on standard error.
pub(crate) fn print(result: &ToolResult, how_to_approve: &str) -> Result<(), Failure> {
    let Some(error) = &result.error else {
        let mut text = render::printable(result.text());
        if !text.ends_with('\n') {
            text.push('\n');
        }
        return render::out(&text).map(|_| ());
    };
    let mut failure = Failure::new(running::exit_of(result), format!("{} [{}]", error.message, error.class));
    if error.code == "permission_required" {
        failure = failure.hint(how_to_approve);
    }
    render::failure(&failure);
    Ok(())
}
