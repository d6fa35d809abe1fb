//! The one error of the command line: a message for the user, exit code 2.

use std::fmt;

/// A message that says what is wrong, where, and what would be valid.
#[derive(Debug)]
pub(crate) struct CliError(String);

impl CliError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

impl fmt::Display for CliError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Every library error is bad input here: its own text is the message.
impl<E: std::error::Error> From<E> for CliError {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}
