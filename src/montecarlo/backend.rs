//! Which engine a user gets.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use super::gpu::{Adapter, AdapterKind, GpuEngine, adapters, examine};
use super::{
    CpuEngine, Engine, Experiment, MonteCarloError, Precision, Progress, Samples, Streams,
};

/// What every adapter in use must offer: the portable limits of WebGPU, for which the kernels
/// are written.
const REQUIRED: [(&str, u64); 5] = [
    ("storage_binding_bytes", 1 << 27),
    ("workgroup_memory_bytes", 16_384),
    ("workgroup_invocations", 256),
    ("workgroups_per_dimension", 65_535),
    ("storage_bindings", 8),
];

/// Where experiments should run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backend {
    /// A hardware adapter if there is one that works, else the processor; when the adapter fails
    /// in a run, the processor goes on with the same variates.
    Auto,
    /// A hardware adapter, a software one where there is none of hardware, or an error.
    Gpu,
    /// The processor.
    Cpu,
}

/// The engine of a backend. Without a `precision` the processor computes in double, an adapter
/// always in single; single precision on the processor has the variates of an adapter.
///
/// An adapter is opened only if its limits suffice, its random words and normals are those of
/// the processor (M9) and its loops run to their end.
///
/// ```
/// use rootrate::montecarlo::{Backend, Engine, Precision, open};
/// let engine = open(Backend::Cpu, None)?;
/// assert_eq!((engine.backend(), engine.precision()), ("cpu", Precision::Double));
/// # Ok::<(), rootrate::montecarlo::MonteCarloError>(())
/// ```
///
/// # Errors
/// With [`Backend::Gpu`] only: double precision, no adapter, one that cannot be used.
pub fn open(
    backend: Backend,
    precision: Option<Precision>,
) -> Result<Box<dyn Engine>, MonteCarloError> {
    let cpu = CpuEngine { precision: precision.unwrap_or(Precision::Double) };
    match backend {
        Backend::Cpu => Ok(Box::new(cpu)),
        Backend::Gpu if precision == Some(Precision::Double) => {
            Err(MonteCarloError::NoDoublePrecision)
        }
        Backend::Gpu => {
            let all = adapters();
            let hardware = all.iter().any(|a| a.kind() == AdapterKind::Hardware);
            let mut refusals = Vec::new();
            let wanted = |a: &Adapter| !hardware || a.kind() == AdapterKind::Hardware;
            match first_usable(all.into_iter().filter(wanted), &mut refusals) {
                Some(engine) => Ok(Box::new(engine)),
                None => Err(refusals.into_iter().next().unwrap_or(MonteCarloError::NoAdapter)),
            }
        }
        Backend::Auto if precision == Some(Precision::Double) => Ok(Box::new(cpu)),
        Backend::Auto => {
            let mut refusals = Vec::new();
            let hardware = adapters().into_iter().filter(|a| a.kind() == AdapterKind::Hardware);
            let gpu = first_usable(hardware, &mut refusals);
            let notes = refusals.iter().map(|e| format!("{e}; it is not used")).collect();
            Ok(match gpu {
                Some(gpu) => {
                    Box::new(Automatic::new(Some(Box::new(gpu)), CpuEngine::SINGLE, notes))
                }
                None => Box::new(Automatic::new(None, cpu, notes)),
            })
        }
    }
}

/// The first adapter that opens and passes its examination, and why those before it did not.
fn first_usable(
    adapters: impl Iterator<Item = Adapter>,
    refusals: &mut Vec<MonteCarloError>,
) -> Option<GpuEngine> {
    for adapter in adapters {
        match open_examined(adapter) {
            Ok(engine) => return Some(engine),
            Err(refusal) => refusals.push(refusal),
        }
    }
    None
}

fn open_examined(adapter: Adapter) -> Result<GpuEngine, MonteCarloError> {
    let name = adapter.to_string();
    let refused = |problem| MonteCarloError::Device { adapter: name.clone(), problem };
    for (limit, needed) in REQUIRED {
        let found = adapter.limits().into_iter().find_map(|(n, v)| (n == limit).then_some(v));
        if found.is_none_or(|found| found < needed) {
            let found = found.unwrap_or(0);
            return Err(refused(format!("its {limit} = {found} is too small: {needed} is needed")));
        }
    }
    let engine = GpuEngine::open(adapter)?;
    match examine(engine.device())?.fault() {
        Some(fault) => Err(refused(fault)),
        None => Ok(engine),
    }
}

/// An adapter until it fails, and the processor from then on.
///
/// Both have single-precision variates with the same values, so a sample that was begun on one
/// and finished on the other is the sample of either up to rounding (M9), (M10).
#[derive(Debug)]
struct Automatic {
    /// `None` once it has failed, or if there never was one.
    gpu: Option<Box<dyn Engine>>,
    cpu: CpuEngine,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    failed: bool,
    notes: Vec<String>,
}

impl Automatic {
    fn new(gpu: Option<Box<dyn Engine>>, cpu: CpuEngine, notes: Vec<String>) -> Self {
        Self { gpu, cpu, state: Mutex::new(State { failed: false, notes }) }
    }

    fn gpu(&self) -> Option<&dyn Engine> {
        let failed = self.state.lock().unwrap_or_else(PoisonError::into_inner).failed;
        self.gpu.as_deref().filter(|_| !failed)
    }

    fn current(&self) -> &dyn Engine {
        self.gpu().unwrap_or(&self.cpu)
    }
}

impl Engine for Automatic {
    fn name(&self) -> String {
        self.current().name()
    }

    fn backend(&self) -> &'static str {
        self.current().backend()
    }

    fn precision(&self) -> Precision {
        self.cpu.precision
    }

    fn notes(&self) -> Vec<String> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).notes.clone()
    }

    fn run(
        &self,
        experiment: &dyn Experiment,
        streams: Streams,
        replicates: Range<u64>,
        progress: Progress<'_>,
    ) -> Result<Samples, MonteCarloError> {
        if let Some(gpu) = self.gpu() {
            match gpu.run(experiment, streams, replicates.clone(), progress) {
                Err(failure @ MonteCarloError::Device { .. }) => {
                    let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
                    state.failed = true;
                    state.notes.push(format!(
                        "{failure}; from replicate {} on the processor computes, with the same variates",
                        replicates.start
                    ));
                }
                done => return done,
            }
        }
        self.cpu.run(experiment, streams, replicates, progress)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::montecarlo::NormalMoments;

    const STREAMS: Streams = Streams { seed: 4, experiment: 2500 };

    /// Computes like the processor in single precision, and fails from replicate 100 on.
    #[derive(Debug)]
    struct Failing;

    impl Engine for Failing {
        fn name(&self) -> String {
            "failing".to_owned()
        }

        fn backend(&self) -> &'static str {
            "gpu"
        }

        fn precision(&self) -> Precision {
            Precision::Single
        }

        fn run(
            &self,
            experiment: &dyn Experiment,
            streams: Streams,
            replicates: Range<u64>,
            progress: Progress<'_>,
        ) -> Result<Samples, MonteCarloError> {
            if replicates.end > 100 {
                let problem = "the device was lost".to_owned();
                return Err(MonteCarloError::Device { adapter: self.name(), problem });
            }
            CpuEngine::SINGLE.run(experiment, streams, replicates, progress)
        }
    }

    #[test]
    fn the_processor_goes_on_where_an_adapter_fails() {
        let engine = Automatic::new(Some(Box::new(Failing)), CpuEngine::SINGLE, Vec::new());
        let experiment = NormalMoments::new(64).expect("valid");
        let run = |engine: &dyn Engine, range| {
            engine.run(&experiment, STREAMS, range, &|_, _| ()).expect("values")
        };
        let mut sample = run(&engine, 0..80);
        assert_eq!((engine.backend(), engine.notes().len()), ("gpu", 0));
        for range in [80..120, 120..150] {
            sample.append(&run(&engine, range)).expect("contiguous");
            assert_eq!((engine.backend(), engine.name().as_str()), ("cpu", "cpu (f32)"));
        }
        assert_eq!(sample, run(&CpuEngine::SINGLE, 0..150));
        let notes = engine.notes();
        assert!(
            notes.len() == 1 && notes[0].contains("lost") && notes[0].contains("80"),
            "{notes:?}"
        );
    }

    /// An error of the experiment is not one of the adapter.
    #[test]
    fn other_errors_are_not_hidden() {
        let engine = Automatic::new(Some(Box::new(Failing)), CpuEngine::SINGLE, Vec::new());
        let experiment = NormalMoments::new(64).expect("valid");
        assert!(engine.run(&experiment, STREAMS, 5..5, &|_, _| ()).is_err());
        assert_eq!(engine.backend(), "gpu");
    }
}
