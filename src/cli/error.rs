//! The one error of the command line: a message for the user and an exit code.

use std::fmt;

/// Bad usage or input.
const BAD_INPUT: u8 = 2;
/// Ended by an interrupt (128 + SIGINT).
const INTERRUPTED: u8 = 130;

/// A message that says what is wrong, where, and what would be valid.
#[derive(Debug)]
pub(crate) struct CliError {
    message: String,
    code: u8,
}

impl CliError {
    /// Bad input: exit code 2.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), code: BAD_INPUT }
    }

    /// The user's own interrupt: exit code 130.
    pub(crate) fn interrupted(message: impl Into<String>) -> Self {
        Self { message: message.into(), code: INTERRUPTED }
    }

    /// The exit code.
    pub(crate) fn code(&self) -> u8 {
        self.code
    }
}

impl fmt::Display for CliError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let prefix = if self.code == INTERRUPTED { "" } else { "error: " };
        write!(f, "{prefix}{}", self.message)
    }
}

/// Every library error is bad input here: its own text is the message.
impl<E: std::error::Error> From<E> for CliError {
    fn from(error: E) -> Self {
        Self::new(error.to_string())
    }
}
