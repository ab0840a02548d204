use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;

/// The closed set of ways in which a call fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorClass {
    /// No such tool.
    NotFound,
    /// The arguments are not what the tool takes.
    ValidationError,
    /// Something that this call may not do.
    PermissionDenied,
    /// The user said no.
    UserDenied,
    /// The deadline passed.
    Timeout,
    /// The tool ran and failed.
    ExecutionError,
    /// The call or its turn was cancelled.
    Cancelled,
    /// Nobody answered the question in time.
    ConfirmationTimeout,
}

impl ErrorClass {
    /// The word used in results and in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            ErrorClass::NotFound => "not_found",
            ErrorClass::ValidationError => "validation_error",
            ErrorClass::PermissionDenied => "permission_denied",
            ErrorClass::UserDenied => "user_denied",
            ErrorClass::Timeout => "timeout",
            ErrorClass::ExecutionError => "execution_error",
            ErrorClass::Cancelled => "cancelled",
            ErrorClass::ConfirmationTimeout => "confirmation_timeout",
        }
    }
}

impl fmt::Display for ErrorClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Why a call failed, as the model is told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolError {
    /// Which of the closed set.
    pub class: ErrorClass,
    /// A finer word in snake_case, stable within its class: `path_escapes`, `not_unique`.
    pub code: String,
    /// One sentence or more for the model: what failed, where, and what to do instead.
    pub message: String,
    /// Whether the same call may succeed later.
    #[serde(default)]
    pub retryable: bool,
    /// More of it for programs; null when there is nothing.
    #[serde(default)]
    pub details: Value,
}

impl ToolError {
    /// An error that is not worth retrying and has no details.
    pub fn new(class: ErrorClass, code: &str, message: impl Into<String>) -> ToolError {
        ToolError {
            class,
            code: code.to_owned(),
            message: message.into(),
            retryable: false,
            details: Value::Null,
        }
    }

    /// The same with details.
    #[must_use]
    pub fn with_details(mut self, details: Value) -> ToolError {
        self.details = details;
        self
    }

    /// The same, marked as worth another try.
    #[must_use]
    pub fn retryable(mut self) -> ToolError {
        self.retryable = true;
        self
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.class, self.message)
    }
}

impl std::error::Error for ToolError {}
