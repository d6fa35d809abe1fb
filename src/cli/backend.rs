//! `--backend`: where experiments run.

use std::io::Write;

use clap::ValueEnum;
use rootrate::claims::Context;
use rootrate::montecarlo::{self, Engine};

/// An emulated adapter simulates one replicate of a claim in so many.
const THINNING: u64 = 16;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Backend {
    /// A graphics processor if there is one, else the processor
    Auto,
    /// A graphics adapter (Vulkan, Metal, DirectX 12), of software if need be
    Gpu,
    /// The processor
    Cpu,
}

impl From<Backend> for montecarlo::Backend {
    fn from(backend: Backend) -> Self {
        match backend {
            Backend::Auto => Self::Auto,
            Backend::Gpu => Self::Gpu,
            Backend::Cpu => Self::Cpu,
        }
    }
}

/// The context of the claims on `engine`; a slow one has fewer replicates, and says so.
pub(crate) fn context(quick: bool, seed: u64, engine: &dyn Engine) -> Context<'_> {
    let mut context = Context::new(quick, seed, engine);
    if engine.emulated() {
        context.thinning = THINNING;
        tell(&format!(
            "{} is software: one replicate in {THINNING} is simulated, so that the checks keep \
             their false-alarm rate and lose power",
            engine.name()
        ));
    }
    context
}

/// What `engine` has to say about its runs, on standard error.
pub(crate) fn tell_notes(engine: &dyn Engine) {
    engine.notes().iter().for_each(|note| tell(note));
}

fn tell(note: &str) {
    // nobody may be listening
    let _ = writeln!(std::io::stderr(), "note: {note}");
}
