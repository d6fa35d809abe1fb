//! An interrupt (Ctrl-C) waits for the file that is being written.

use std::io::{self, Write};
use std::process;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Held from the creation of a temporary file to its renaming.
static WRITING: Mutex<()> = Mutex::new(());

/// Exit code of a program ended by an interrupt (128 + SIGINT).
const INTERRUPTED: i32 = 130;

/// How many [`DeferredInterrupt`]s there are.
static DEFERRING: AtomicUsize = AtomicUsize::new(0);
/// Whether an interrupt came while there was one.
static REQUESTED: AtomicBool = AtomicBool::new(false);

/// Until the guard is dropped, an interrupt does not end the program.
pub(super) fn uninterrupted() -> MutexGuard<'static, ()> {
    WRITING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// While it lives, the first interrupt does not end the program: a long computation polls
/// [`requested`](Self::requested), saves what it has and ends of its own accord. A second
/// interrupt ends the program as usual.
///
/// It has no effect in programs that do not call [`finish_writes_on_interrupt`].
#[derive(Debug)]
pub struct DeferredInterrupt(());

impl DeferredInterrupt {
    /// Defers interrupts until the value is dropped.
    #[expect(clippy::new_without_default, reason = "it acts")]
    pub fn new() -> Self {
        DEFERRING.fetch_add(1, Ordering::SeqCst);
        Self(())
    }

    /// Whether there was an interrupt.
    pub fn requested(&self) -> bool {
        REQUESTED.load(Ordering::SeqCst)
    }
}

impl Drop for DeferredInterrupt {
    fn drop(&mut self) {
        DEFERRING.fetch_sub(1, Ordering::SeqCst);
    }
}

/// For programs: an interrupt lets a write in progress finish and then exits with code 130, so
/// that neither half a file nor a temporary one is left behind; see also [`DeferredInterrupt`].
///
/// The first call counts; later ones change nothing.
pub fn finish_writes_on_interrupt() {
    // an error means that a handler is installed already
    let _ = ctrlc::set_handler(|| {
        if DEFERRING.load(Ordering::SeqCst) > 0 && !REQUESTED.swap(true, Ordering::SeqCst) {
            // nobody may be listening
            let _ =
                writeln!(io::stderr(), "ending after this round; interrupt again to end at once");
            return;
        }
        let _held = uninterrupted();
        process::exit(INTERRUPTED);
    });
}
