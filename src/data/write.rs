//! Writing files that are either complete or untouched.

use super::DataError;
use super::interrupt::uninterrupted;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Writes `bytes` to `path`; see [`write_atomic_with`].
///
/// # Errors
/// [`DataError::File`] with the path and the system's answer.
pub fn write_atomic(path: impl AsRef<Path>, bytes: &[u8]) -> Result<(), DataError> {
    write_atomic_with(path, |out| out.write_all(bytes))
}

/// Writes what `content` produces to `path`, so that a reader finds either the old file or the
/// complete new one: a temporary file in the same directory is renamed over the target when
/// everything is on disk, and removed when anything fails.
///
/// A symbolic link is followed; something that is not a plain file (a pipe, `/dev/stdout`) is
/// written to directly.
///
/// # Errors
/// [`DataError::File`] with the path and the system's (or the closure's) answer.
pub fn write_atomic_with(
    path: impl AsRef<Path>,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), DataError> {
    let path = path.as_ref();
    write(path, content).map_err(|e| DataError::writing(e).in_file(path))
}

fn write(path: &Path, content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let existing = fs::metadata(path).ok();
    if existing.as_ref().is_some_and(|m| !m.is_file() && !m.is_dir()) {
        let mut out = BufWriter::new(File::options().write(true).open(path)?);
        content(&mut out)?;
        return out.flush();
    }
    let target = if existing.is_some() { fs::canonicalize(path)? } else { path.to_path_buf() };
    let directory = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let _guard = uninterrupted();
    let mut temporary = builder().tempfile_in(directory)?;
    if let Some(existing) = existing {
        temporary.as_file().set_permissions(existing.permissions())?;
    }
    let mut out = BufWriter::new(temporary.as_file_mut());
    content(&mut out)?;
    out.flush()?;
    drop(out);
    temporary.as_file().sync_all()?;
    temporary.persist(&target)?;
    Ok(())
}

/// Temporary files are private by default; the result must have the usual permissions.
fn builder() -> tempfile::Builder<'static, 'static> {
    #[allow(unused_mut)] // mutated on Unix only
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder
}
