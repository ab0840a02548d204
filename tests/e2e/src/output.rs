use serde_json::Value;

/// What a program said and how it ended.
#[derive(Debug, Clone)]
pub struct Output {
    /// Its exit code.
    pub code: i32,
    /// What it wrote to standard output.
    pub stdout: String,
    /// What it wrote to standard error.
    pub stderr: String,
}

impl Output {
    /// The same, once it is seen to have ended with this code.
    ///
    /// # Panics
    /// It ended with another.
    #[must_use]
    #[track_caller]
    pub fn exits(self, code: i32) -> Output {
        assert_eq!(self.code, code, "{self}");
        self
    }

    /// The same, once standard error is seen to hold this.
    ///
    /// # Panics
    /// It does not.
    #[track_caller]
    pub fn says(self, text: &str) -> Output {
        assert!(self.stderr.contains(text), "{text:?} is not in {self}");
        self
    }

    /// Standard output as the one JSON document that it has to be.
    ///
    /// # Panics
    /// It is something else.
    #[must_use]
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error} in {self}"))
    }
}

impl std::fmt::Display for Output {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let shown = |text: &str| text.chars().take(8_000).collect::<String>();
        write!(
            f,
            "exit code {}\n--- stdout\n{}\n--- stderr\n{}",
            self.code,
            shown(&self.stdout),
            shown(&self.stderr)
        )
    }
}
