//! The price of one call in process, from the function itself to the whole dispatcher.

use crate::built::{Built, library_name};
use crate::measure::Race;
use crate::{Result, Run};
use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use stud_abi::{
    HostAnswer, HostV1, HostV1_TO, HostV1Box, OsHandle, PluginV1, PluginV1_TO, PluginV1Box, RSlice, RVec,
    TD_Opaque,
};
use stud_contract::{CallReply, CallRequest};
use stud_host::{Call, Host, HostOptions, Paths, Prober, Turn};
// The macros' own way to the plugin object of a library, without the library: opening one is the host's alone.
use stud_plugin_api::__private::{ToolEntry, open};
use stud_plugin_api::tool;
use tokio::runtime::Runtime;

const TEXT: &str = "the quick brown fox jumps over the lazy dog";

/// What the ten-line plugin's tool does.
fn words(text: String) -> usize {
    text.split_whitespace().count()
}

/// The ten-line plugin's tool.
#[tool(side_effects = "none")]
fn word_count(
    /// The text to count.
    text: String,
) -> usize {
    words(text)
}

/// Does nothing.
#[tool(side_effects = "none")]
fn nothing() {}

/// A plugin that is nothing but its side of the line.
struct Bare;

impl PluginV1 for Bare {
    fn describe(&self) -> RVec<u8> {
        RVec::new()
    }

    fn call(&self, _request: RSlice<'_, u8>, _host: HostV1Box) -> RVec<u8> {
        RVec::new()
    }

    fn control(&self, _message: RSlice<'_, u8>, _host: HostV1Box) -> RVec<u8> {
        RVec::new()
    }
}

/// A host without services: these calls ask for none.
struct NoServices;

impl HostV1 for NoServices {
    fn cancelled(&self) -> bool {
        false
    }

    fn output(&self, _stream: u8, _bytes: RSlice<'_, u8>) {}

    fn request(&self, _message: RSlice<'_, u8>, _body: RSlice<'_, u8>) -> HostAnswer {
        HostAnswer { message: RVec::new(), body: RVec::new(), handle: OsHandle::NONE }
    }
}

pub(crate) fn measure(run: &Run, built: &Built) -> Result<()> {
    let bare = PluginV1_TO::from_value(Bare, TD_Opaque);
    let plugin = open(&[], const { &[ToolEntry::of::<word_count>(), ToolEntry::of::<nothing>()] });
    let input = format!("{{\"text\":\"{TEXT}\"}}");
    let (counting, idle) = (request("word_count", &input), request("nothing", "{}"));
    // All of them have to do what they are measured for.
    check_reply(&plugin, &counting, "9")?;
    check_reply(&plugin, &idle, "done")?;

    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let turn = Arc::new(turn(run, built)?);
    let result = runtime.block_on(turn.call(Call::new("word_count", &input)));
    if result.text() != "9" {
        return Err(format!("`word_count` of the library answers {:?}", result.text()).into());
    }

    let short = run.amount(20_000, 100);
    let long = run.amount(1_000, 10);
    let mut race = Race::default();
    race.add_short("the function itself", short, || {
        black_box(words(black_box(TEXT).to_owned()));
    });
    race.add_short("ABI: a call that does nothing, no message", short, || {
        black_box(cross(&bare, &idle));
    });
    race.add_short("ABI: a tool that does nothing", short, || {
        black_box(cross(&plugin, &idle));
    });
    race.add_short("ABI: `word_count`", short, || {
        black_box(cross(&plugin, &counting));
    });
    race.add_short("ABI: `word_count`, request written and reply read", short, || {
        let request = request("word_count", &input);
        black_box(serde_json::from_slice::<CallReply>(&cross(&plugin, &request)).ok());
    });
    race.add("tokio: spawn, block in place, await", || Ok(hand_over(&runtime, long, false)));
    race.add("tokio: the same after another block in place", || Ok(hand_over(&runtime, long, true)));
    race.add("dispatcher: `word_count`, from a task", || Ok(from_a_task(&runtime, &turn, &input, long)));
    race.add("dispatcher: `word_count`, from outside the runtime", || {
        let started = Instant::now();
        for _ in 0..long {
            black_box(runtime.block_on(turn.call(Call::new("word_count", &input))));
        }
        Ok(started.elapsed() / long as u32)
    });
    let medians = race.run(run.rounds(31))?;
    medians.print(
        "one call",
        &[("to the function", 0), ("to the empty ABI call", 1), ("to the tool that does nothing", 2)],
    );
    Ok(())
}

/// A request as the dispatcher writes it.
fn request(tool: &str, args: &str) -> Vec<u8> {
    let id = "01J0000000000000000000000Z";
    let text = format!(
        "{{\"tool\":\"{tool}\",\"args\":{args},\"context\":{{\"session\":\"ses_{id}\",\"turn\":\"turn_{id}\",\
         \"call\":\"tu_{id}\",\"workspace\":\"/home/me/project\",\"deadlineMs\":30000}}}}"
    );
    // Through the type, so that a request which the type no longer takes is not measured.
    serde_json::from_str::<CallRequest<'_>>(&text)
        .and_then(|request| serde_json::to_vec(&request))
        .unwrap_or_default()
}

fn cross(plugin: &PluginV1Box, request: &[u8]) -> RVec<u8> {
    let host: HostV1Box = HostV1_TO::from_value(NoServices, TD_Opaque);
    plugin.call(RSlice::from(black_box(request)), host)
}

fn check_reply(plugin: &PluginV1Box, request: &[u8], expected: &str) -> Result<()> {
    match serde_json::from_slice(&cross(plugin, request))? {
        CallReply::Output(output) if output.text == expected => Ok(()),
        other => Err(format!("a tool answers {other:?} instead of {expected:?}").into()),
    }
}

/// A turn whose only tool is the ten-line plugin's, from a library in the global layer.
fn turn(run: &Run, built: &Built) -> Result<Turn> {
    let tools = run.place.directory("home/tools")?;
    fs::copy(built.word(), tools.join(library_name("word_count")))?;
    let empty = run.place.directory("empty")?;
    host(built, run.place.home(), &empty, &empty)
}

/// A turn in this process with tools of these directories, as `stud` would have it.
pub(crate) fn host(built: &Built, home: std::path::PathBuf, project: &Path, bundled: &Path) -> Result<Turn> {
    let paths = Paths { home, project: project.to_owned(), bundled: bundled.to_owned() };
    let mut options = HostOptions::new(paths);
    options.prober = Some(prober(built));
    Ok(Host::open(options)?.session()?.turn())
}

/// The program that opens libraries first. It finds the staged copies by the `STUD_HOME` of this process.
pub(crate) fn prober(built: &Built) -> Prober {
    Prober { program: built.stud.clone(), arguments: vec!["__describe".into()] }
}

/// What the dispatcher's way to a thread that may block costs without a call. It blocks in place twice: for its own
/// first steps, and for the plugin.
fn hand_over(runtime: &Runtime, repeats: usize, twice: bool) -> Duration {
    let task = runtime.spawn(async move {
        let started = Instant::now();
        for _ in 0..repeats {
            if twice {
                tokio::task::block_in_place(|| black_box(()));
            }
            let _ = tokio::spawn(async { tokio::task::block_in_place(|| black_box(())) }).await;
        }
        started.elapsed() / repeats as u32
    });
    runtime.block_on(task).unwrap_or_default()
}

/// Calls from a task of the runtime, as an agent or a server makes them.
fn from_a_task(runtime: &Runtime, turn: &Arc<Turn>, input: &str, repeats: usize) -> Duration {
    let (turn, input) = (turn.clone(), input.to_owned());
    let task = runtime.spawn(async move {
        let started = Instant::now();
        for _ in 0..repeats {
            black_box(turn.call(Call::new("word_count", &input)).await);
        }
        started.elapsed() / repeats as u32
    });
    runtime.block_on(task).unwrap_or_default()
}
