use serde_json::Value;
use std::fmt;
use stud_contract::{ErrorClass, ToolError};

/// The result of a tool.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a tool failed. Made from any error by `?`, or from a text with [`Error::new`].
///
/// It is no `std::error::Error` itself: that is what lets `?` take all of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Error(Box<ToolError>);

impl Error {
    pub(crate) fn of(class: ErrorClass, code: &str, message: impl Into<String>) -> Error {
        Error(Box::new(ToolError::new(class, code, message)))
    }

    /// An execution error with this message for the model: what failed, where, and what to do instead.
    pub fn new(message: impl Into<String>) -> Error {
        Error::of(ErrorClass::ExecutionError, "failed", message)
    }

    /// The arguments make no sense together, although each fits the schema.
    pub fn invalid(message: impl Into<String>) -> Error {
        Error::of(ErrorClass::ValidationError, "invalid_arguments", message)
    }

    /// Something that the tool will not do.
    pub fn permission_denied(message: impl Into<String>) -> Error {
        Error::of(ErrorClass::PermissionDenied, "refused", message)
    }

    /// The call was cancelled; `message` may carry what was done so far.
    pub fn cancelled(message: impl Into<String>) -> Error {
        Error::of(ErrorClass::Cancelled, "cancelled", message)
    }

    /// The same with a finer word in snake_case, stable for programs: `not_unique`.
    #[must_use]
    pub fn code(mut self, code: &str) -> Error {
        code.clone_into(&mut self.0.code);
        self
    }

    /// The same with more for programs.
    #[must_use]
    pub fn details(mut self, details: Value) -> Error {
        self.0.details = details;
        self
    }

    /// The same, marked as worth another try.
    #[must_use]
    pub fn retryable(mut self) -> Error {
        self.0.retryable = true;
        self
    }

    /// The same with what was being done in front of the message.
    #[must_use]
    pub fn context(mut self, doing: impl fmt::Display) -> Error {
        self.0.message = format!("{doing}: {}", self.0.message);
        self
    }

    /// Which kind of failure it is.
    #[must_use]
    pub fn class(&self) -> ErrorClass {
        self.0.class
    }

    /// The finer word.
    #[must_use]
    pub fn code_str(&self) -> &str {
        &self.0.code
    }

    /// The text for the model.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }

    pub(crate) fn into_tool_error(self) -> ToolError {
        *self.0
    }

    pub(crate) fn from_tool_error(error: ToolError) -> Error {
        Error(Box::new(error))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl<E: std::error::Error> From<E> for Error {
    fn from(error: E) -> Error {
        let mut message = error.to_string();
        let mut source = error.source();
        while let Some(cause) = source {
            // Some errors already say their cause in their own text.
            let text = cause.to_string();
            if !message.contains(&text) {
                message.push_str(": ");
                message.push_str(&text);
            }
            source = cause.source();
        }
        Error::new(message)
    }
}

/// Says what was being done when something failed.
pub trait ResultExt<T> {
    /// Puts `doing` in front of the error's message.
    ///
    /// # Errors
    /// Those of the result itself.
    fn context(self, doing: impl fmt::Display) -> Result<T>;
}

impl<T, E: Into<Error>> ResultExt<T> for std::result::Result<T, E> {
    fn context(self, doing: impl fmt::Display) -> Result<T> {
        self.map_err(|error| error.into().context(doing))
    }
}
