//! An interrupt (Ctrl-C) waits for the file that is being written.

use std::process;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Held from the creation of a temporary file to its renaming.
static WRITING: Mutex<()> = Mutex::new(());

/// Exit code of a program ended by an interrupt (128 + SIGINT).
const INTERRUPTED: i32 = 130;

/// Until the guard is dropped, an interrupt does not end the program.
pub(super) fn uninterrupted() -> MutexGuard<'static, ()> {
    WRITING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// For programs: an interrupt lets a write in progress finish and then exits with code 130, so
/// that neither half a file nor a temporary one is left behind.
///
/// The first call counts; later ones change nothing.
pub fn finish_writes_on_interrupt() {
    // an error means that a handler is installed already
    let _ = ctrlc::set_handler(|| {
        let _held = uninterrupted();
        process::exit(INTERRUPTED);
    });
}
