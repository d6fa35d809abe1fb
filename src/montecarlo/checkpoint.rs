//! What a simulation has computed so far, in a file that proves itself (M14).
//!
//! | bytes | content |
//! |---|---|
//! | 8 | `rootrate` |
//! | 4 | version of the format, little endian like all that follows |
//! | 4 | length of the header |
//! | … | the header, JSON: what the values belong to, and how many there are |
//! | 8 each | the values, replicate after replicate |
//! | 4 | CRC-32 of everything before |

use std::fmt::{self, Write as _};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use flate2::Crc;
use serde::{Deserialize, Serialize};

use super::{Engine, Experiment, MonteCarloError, Precision, Samples, Streams};
use crate::data::{DataError, write_atomic_with};

const MAGIC: &[u8; 8] = b"rootrate";
const VERSION: u32 = 1;
/// Bytes before the header, and after the values.
const HEAD: usize = 16;
const TAIL: usize = 4;
/// Least time between two writings, and its least ratio to the time that one takes.
const BETWEEN: Duration = Duration::from_secs(3);
const RATIO: u32 = 20;

/// What values belong to: nothing else may be continued with them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Identity {
    program: String,
    experiment: Fingerprint,
    seed: u64,
    stream: u32,
    first: u64,
    engine: String,
    precision: String,
    outputs: usize,
}

/// Of an experiment, parameters and all: length, FNV-1a and CRC-32 of its `Debug` text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Fingerprint {
    length: u64,
    fnv1a: u64,
    crc32: u32,
}

#[derive(Debug, Serialize, Deserialize)]
struct Header {
    identity: Identity,
    replicates: u64,
    redone: u64,
}

impl Identity {
    pub(super) fn new(
        engine: &dyn Engine,
        experiment: &dyn Experiment,
        streams: Streams,
        first: u64,
    ) -> Self {
        let precision = match engine.precision() {
            Precision::Double => "double",
            Precision::Single => "single",
        };
        Self {
            program: env!("CARGO_PKG_VERSION").to_owned(),
            experiment: Fingerprint::of(experiment),
            seed: streams.seed,
            stream: streams.experiment,
            first,
            engine: engine.name(),
            precision: precision.to_owned(),
            outputs: experiment.outputs(),
        }
    }

    /// What `found` differs in, for the user.
    fn difference(&self, found: &Self) -> Option<String> {
        let differ = |what: &str, found: &dyn fmt::Display, own: &dyn fmt::Display| {
            Some(format!("it belongs to {what} {found}, this simulation has {own}"))
        };
        if self.experiment != found.experiment || self.outputs != found.outputs {
            let text = "it belongs to another experiment, or to other parameters of this one";
            Some(text.to_owned())
        } else if self.seed != found.seed {
            differ("seed", &found.seed, &self.seed)
        } else if self.stream != found.stream {
            differ("experiment number", &found.stream, &self.stream)
        } else if self.first != found.first {
            differ("first replicate", &found.first, &self.first)
        } else if self.engine != found.engine || self.precision != found.precision {
            differ("engine", &found.engine, &self.engine).map(|text| {
                text + ": their last digits differ; choose the same by --backend and --precision"
            })
        } else if self.program != found.program {
            differ("version", &found.program, &self.program)
        } else {
            None
        }
    }
}

impl Fingerprint {
    fn of(experiment: &dyn Experiment) -> Self {
        let mut hasher = Hasher { length: 0, fnv1a: 0xCBF2_9CE4_8422_2325, crc: Crc::new() };
        // the hasher never refuses
        let _ = write!(hasher, "{experiment:?}");
        Self { length: hasher.length, fnv1a: hasher.fnv1a, crc32: hasher.crc.sum() }
    }
}

#[derive(Debug)]
struct Hasher {
    length: u64,
    fnv1a: u64,
    crc: Crc,
}

impl fmt::Write for Hasher {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.length += text.len() as u64;
        self.crc.update(text.as_bytes());
        for byte in text.bytes() {
            self.fnv1a = (self.fnv1a ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3);
        }
        Ok(())
    }
}

/// The file of one simulation.
#[derive(Debug)]
pub(super) struct Checkpoint {
    path: PathBuf,
    identity: Identity,
    /// Replicates in the file, and when to write next.
    written: Option<(u64, Instant)>,
}

impl Checkpoint {
    pub(super) fn new(path: &Path, identity: Identity) -> Self {
        Self { path: path.to_path_buf(), identity, written: None }
    }

    fn error(&self, problem: impl Into<String>) -> MonteCarloError {
        MonteCarloError::Checkpoint { path: self.path.clone(), problem: problem.into() }
    }

    /// The values in the file; `None` if there is no file.
    ///
    /// # Errors
    /// A file that cannot be read, is damaged, or belongs to something else.
    pub(super) fn read(&mut self) -> Result<Option<Samples>, MonteCarloError> {
        // a pipe or a device would be read for ever
        if fs::metadata(&self.path).is_ok_and(|m| !m.is_file() && !m.is_dir()) {
            return Err(self.error("not a plain file: name one, or a new one"));
        }
        let bytes = match fs::read(&self.path) {
            Ok(bytes) => bytes,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(self.error(format!("cannot read: {e}"))),
        };
        let (header, values) = parse(&bytes).map_err(|problem| self.error(problem))?;
        if header.replicates == 0 && values.is_empty() {
            // ended before its first round: it belongs to nothing yet
            return Ok(None);
        }
        if let Some(difference) = self.identity.difference(&header.identity) {
            return Err(self.error(difference));
        }
        let values = values
            .chunks_exact(8)
            .map(|b| f64::from_le_bytes(b.try_into().expect("eight bytes")))
            .collect();
        let Identity { first, outputs, .. } = self.identity;
        let samples = Samples::new(first, outputs, values, header.redone)?;
        if samples.replicates() != header.replicates {
            return Err(self.error(DAMAGED));
        }
        self.written = Some((header.replicates, Instant::now() + BETWEEN));
        Ok(Some(samples))
    }

    /// Writes `samples` if the last writing is long enough ago.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub(super) fn write_if_due(&mut self, samples: &Samples) -> Result<(), MonteCarloError> {
        match self.written {
            Some((_, due)) if Instant::now() < due => Ok(()),
            _ => self.write(samples),
        }
    }

    /// Writes `samples`, unless the file has them.
    ///
    /// # Errors
    /// The system's refusal.
    pub(super) fn write(&mut self, samples: &Samples) -> Result<(), MonteCarloError> {
        let replicates = samples.replicates();
        if self.written.is_some_and(|(written, _)| written == replicates) {
            return Ok(());
        }
        let begun = Instant::now();
        let identity = self.identity.clone();
        let header = Header { identity, replicates, redone: samples.redone() };
        let header = serde_json::to_vec(&header).expect("numbers and strings");
        write_atomic_with(&self.path, |out| serialise(out, &header, samples.values())).map_err(
            |error| match error {
                DataError::File { problem, .. } => self.error(problem.to_string()),
                other => self.error(other.to_string()),
            },
        )?;
        let pause = BETWEEN.max(RATIO * begun.elapsed());
        self.written = Some((replicates, Instant::now() + pause));
        Ok(())
    }
}

const DAMAGED: &str =
    "it is damaged (truncated or altered): remove it to begin again, or restore a copy";

fn serialise(out: &mut dyn Write, header: &[u8], values: &[f64]) -> io::Result<()> {
    let mut crc = Crc::new();
    let mut put = |bytes: &[u8]| {
        crc.update(bytes);
        out.write_all(bytes)
    };
    put(MAGIC)?;
    put(&VERSION.to_le_bytes())?;
    put(&(header.len() as u32).to_le_bytes())?;
    put(header)?;
    for chunk in values.chunks(8192) {
        let bytes: Vec<u8> = chunk.iter().flat_map(|v| v.to_le_bytes()).collect();
        put(&bytes)?;
    }
    out.write_all(&crc.sum().to_le_bytes())
}

/// The header and the bytes of the values, once all is known to be whole.
fn parse(bytes: &[u8]) -> Result<(Header, &[u8]), String> {
    let word = |at: usize| {
        bytes.get(at..at + 4).map(|b| u32::from_le_bytes(b.try_into().expect("four bytes")))
    };
    if !bytes.starts_with(MAGIC) {
        return Err("it is not a checkpoint of this program: use another file name".to_owned());
    }
    let (Some(version), Some(length)) = (word(8), word(12)) else { return Err(DAMAGED.into()) };
    if version > VERSION {
        return Err(format!(
            "its format {version} is that of a newer program, this one reads {VERSION}"
        ));
    }
    let length = length as usize;
    let Some(rest) = bytes.len().checked_sub(HEAD + TAIL).and_then(|n| n.checked_sub(length))
    else {
        return Err(DAMAGED.into());
    };
    let mut crc = Crc::new();
    crc.update(&bytes[..bytes.len() - TAIL]);
    if word(bytes.len() - TAIL) != Some(crc.sum()) || !rest.is_multiple_of(8) {
        return Err(DAMAGED.into());
    }
    let (header, values) = bytes[HEAD..bytes.len() - TAIL].split_at(length);
    let header = serde_json::from_slice(header).map_err(|_| DAMAGED.to_owned())?;
    Ok((header, values))
}
