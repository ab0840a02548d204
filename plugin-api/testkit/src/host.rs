use crate::fail::fail;
use crate::services::{Inner, LogLine, Services, Shared};
use crate::{plugin, validate};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use stud_contract::{
    CallContext, CallOutput, CallReply, CallRequest, ErrorClass, Question, ToolDescription, ToolError,
};
use stud_plugin_api::__private::schema_of;
use stud_plugin_api::Tool;
use tempfile::TempDir;

/// A stand-in for the host: a workspace of its own, and everything that a tool may ask for.
///
/// Settings take `&self`, so that a host can be shared between the threads of a test. The workspace is deleted when
/// the host is dropped.
pub struct TestHost {
    shared: Arc<Shared>,
    settings: Mutex<Settings>,
    calls: AtomicU64,
    // Declared last: it is removed after everything that refers to it.
    _dir: TempDir,
}

#[derive(Clone)]
struct Settings {
    config: Map<String, Value>,
    deadline: Duration,
}

/// Cancels the calls of a [`TestHost`], from any thread.
#[derive(Clone)]
pub struct Canceller(Arc<Shared>);

impl Canceller {
    /// Cancels what runs and what will run: [`Context::cancelled`](stud_plugin_api::Context::cancelled) is true from now on.
    pub fn cancel(&self) {
        self.0.cancelled.store(true, Ordering::Release);
    }
}

impl Default for TestHost {
    fn default() -> TestHost {
        TestHost::new()
    }
}

impl TestHost {
    /// A host with an empty workspace, and 60 seconds for each call.
    #[must_use]
    #[track_caller]
    pub fn new() -> TestHost {
        let dir = TempDir::with_prefix("stud-testkit-");
        let dir = dir.unwrap_or_else(|error| fail(format!("no temporary directory: {error}")));
        // Some systems keep temporary directories behind a link; tools see the real path, as with the host.
        let root = dir.path().canonicalize();
        let root = root.unwrap_or_else(|error| fail(format!("the temporary directory: {error}")));
        let shared = Shared { root, cancelled: AtomicBool::new(false), inner: Mutex::new(Inner::default()) };
        TestHost {
            shared: Arc::new(shared),
            settings: Mutex::new(Settings { config: Map::new(), deadline: Duration::from_secs(60) }),
            calls: AtomicU64::new(0),
            _dir: dir,
        }
    }

    /// The workspace's root: absolute, without links.
    #[must_use]
    pub fn workspace(&self) -> &Path {
        &self.shared.root
    }

    /// The absolute path of something in the workspace.
    #[must_use]
    pub fn path(&self, path: &str) -> PathBuf {
        self.shared.root.join(path)
    }

    /// Puts a file into the workspace, with the directories above it.
    #[track_caller]
    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) -> &Self {
        let target = self.path(path);
        let parent = target.parent().unwrap_or(&self.shared.root);
        if let Err(error) = fs::create_dir_all(parent).and_then(|()| fs::write(&target, content)) {
            fail(format!("cannot write `{path}` into the test's workspace: {error}"));
        }
        self
    }

    /// The text of a file in the workspace.
    #[must_use]
    #[track_caller]
    pub fn read(&self, path: &str) -> String {
        String::from_utf8(self.read_bytes(path))
            .unwrap_or_else(|_| fail(format!("`{path}` is not UTF-8 text")))
    }

    /// The bytes of a file in the workspace.
    #[must_use]
    #[track_caller]
    pub fn read_bytes(&self, path: &str) -> Vec<u8> {
        fs::read(self.path(path))
            .unwrap_or_else(|error| fail(format!("cannot read `{path}` of the test's workspace: {error}")))
    }

    /// Sets an environment variable for tools that declare it. The test's own process is left alone.
    pub fn env(&self, name: &str, value: &str) -> &Self {
        self.shared.lock().env.insert(name.to_owned(), value.to_owned());
        self
    }

    /// Sets the tool's configuration, a JSON object: what stands under `[tools.NAME]`.
    #[track_caller]
    pub fn config(&self, config: Value) -> &Self {
        let Value::Object(config) = config else { fail("a tool's configuration is a JSON object") };
        self.settings().config = config;
        self
    }

    /// Sets the time that each call has; past it, the call counts as cancelled.
    pub fn deadline(&self, deadline: Duration) -> &Self {
        self.settings().deadline = deadline;
        self
    }

    /// Sets the state slot; [`Value::Null`] is an empty one.
    pub fn set_state(&self, state: Value) -> &Self {
        self.shared.lock().state = state;
        self
    }

    /// What the state slot holds.
    #[must_use]
    pub fn state(&self) -> Value {
        self.shared.lock().state.clone()
    }

    /// Answers the next question that has no answer yet. Questions without one fail as if nobody were there.
    pub fn answer(&self, answer: impl Into<Value>) -> &Self {
        self.shared.lock().answers.push_back(answer.into());
        self
    }

    /// The questions that were asked.
    #[must_use]
    pub fn questions(&self) -> Vec<Question> {
        self.shared.lock().questions.clone()
    }

    /// Cancels all calls, those to come included.
    pub fn cancel(&self) {
        self.canceller().cancel();
    }

    /// A handle with which another thread cancels.
    #[must_use]
    pub fn canceller(&self) -> Canceller {
        Canceller(Arc::clone(&self.shared))
    }

    /// What was shown on stream 1 (output) so far, as text.
    #[must_use]
    pub fn output(&self) -> String {
        String::from_utf8_lossy(&self.output_bytes(1)).into_owned()
    }

    /// What was shown on one stream so far: 1 is output, 2 is errors.
    #[must_use]
    pub fn output_bytes(&self, stream: u8) -> Vec<u8> {
        let inner = self.shared.lock();
        inner.output.iter().filter(|(of, _)| *of == stream).flat_map(|(_, bytes)| bytes.clone()).collect()
    }

    /// The lines logged so far.
    #[must_use]
    pub fn logs(&self) -> Vec<LogLine> {
        self.shared.lock().logs.clone()
    }

    /// Runs the tool once, as the host would: other names of arguments are replaced, the arguments are checked
    /// against the schema, and everything goes through the plugin object as JSON. Runs on the calling thread.
    ///
    /// # Errors
    /// What the model would be told. A panic of the tool has the code `panicked`.
    #[track_caller]
    pub fn call<T: Tool>(&self, args: Value) -> Result<CallOutput, ToolError> {
        let args = arguments::<T>(args)?;
        let args = serde_json::to_string(&args).and_then(RawValue::from_string);
        let args = args.unwrap_or_else(|error| fail(format!("the arguments: {error}")));
        let settings = self.settings().clone();
        let number = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
        let (services, ended) = self.services::<T>(settings.deadline);
        let env = services.declared.iter();
        let env = {
            let inner = self.shared.lock();
            env.filter_map(|name| Some((name.clone(), inner.env.get(name)?.clone()))).collect()
        };
        let request = CallRequest {
            tool: T::NAME.into(),
            args: &args,
            context: CallContext {
                session: "test-session".into(),
                turn: "test-turn".into(),
                call: format!("tu_test{number}").into(),
                workspace: Some(self.shared.root.to_string_lossy()),
                env,
                config: settings.config,
                deadline_ms: u64::try_from(settings.deadline.as_millis()).unwrap_or(u64::MAX),
            },
        };
        let reply = plugin::call(&plugin::plugin::<T>(), &request, services.into_box());
        ended.store(true, Ordering::Release);
        match reply {
            CallReply::Output(output) => Ok(output),
            CallReply::Error(error) => Err(error),
            CallReply::Panic(panic) => Err(plugin::panicked(&panic)),
        }
    }

    /// What an approval of this call would be remembered under.
    ///
    /// # Errors
    /// The arguments are not the tool's, or its key function failed.
    #[track_caller]
    pub fn approval_key<T: Tool>(&self, args: Value) -> Result<String, ToolError> {
        let (services, _) = self.services::<T>(Duration::from_secs(10));
        plugin::approval_key::<T>(arguments::<T>(args)?, services.into_box())
    }

    /// What the tool says about itself: schemas, texts, aliases, examples.
    #[must_use]
    #[track_caller]
    pub fn describe<T: Tool>(&self) -> ToolDescription {
        plugin::describe::<T>()
    }

    #[track_caller]
    fn services<T: Tool>(&self, deadline: Duration) -> (Services, Arc<AtomicBool>) {
        let ended = Arc::new(AtomicBool::new(false));
        let now = Instant::now();
        let services = Services {
            shared: Arc::clone(&self.shared),
            declared: plugin::embedded::<T>().env,
            // A deadline beyond what the clock can say is none.
            deadline: now.checked_add(deadline).unwrap_or(now + Duration::from_secs(86_400)),
            ended: Arc::clone(&ended),
        };
        (services, ended)
    }

    fn settings(&self) -> std::sync::MutexGuard<'_, Settings> {
        self.settings.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The arguments under their canonical names, checked against the tool's schema.
#[track_caller]
fn arguments<T: Tool>(mut args: Value) -> Result<Value, ToolError> {
    let invalid = |message: String| ToolError::new(ErrorClass::ValidationError, "invalid_arguments", message);
    if let Value::Object(map) = &mut args {
        for &(alias, canonical) in T::describe().argument_aliases {
            let Some(value) = map.remove(alias) else { continue };
            if map.contains_key(canonical) {
                return Err(invalid(format!("`{alias}` and `{canonical}` are the same argument: give one")));
            }
            map.insert(canonical.to_owned(), value);
        }
    }
    let problems = validate::check_arguments(&schema_of::<T>(), &args);
    if problems.is_empty() { Ok(args) } else { Err(invalid(problems.join("; "))) }
}
