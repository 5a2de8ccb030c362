//! The world as it is.

use super::{Entry, Kind, World};
use std::ffi::OsString;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The world as it is: the only code of the library that touches files, environment and clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct DiskWorld;

#[expect(
    clippy::disallowed_methods,
    reason = "this is the door that the others have to use"
)]
impl World for DiskWorld {
    fn kind(&self, path: &Path) -> io::Result<Kind> {
        Ok(kind_of(std::fs::metadata(path)?.file_type()))
    }

    fn kind_of_name(&self, path: &Path) -> io::Result<Kind> {
        Ok(kind_of(std::fs::symlink_metadata(path)?.file_type()))
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        std::fs::canonicalize(path)
    }

    fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        // Opening alone can block (a FIFO) where it cannot be asked not to. What was opened is asked in any case, since
        // another file may have taken the name in between.
        if cfg!(not(unix)) {
            regular(std::fs::metadata(path)?.file_type())?;
        }
        let file = open(path)?;
        let metadata = file.metadata()?;
        regular(metadata.file_type())?;
        let most = limit.saturating_add(1);
        let mut bytes =
            Vec::with_capacity(usize::try_from(metadata.len().min(most)).unwrap_or(0) + 1);
        file.take(most).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn stream(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let file = std::fs::File::open(path)?;
        file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn list(&self, path: &Path) -> io::Result<Vec<Entry>> {
        std::fs::read_dir(path)?
            .map(|entry| {
                let entry = entry?;
                Ok(Entry {
                    name: entry.file_name(),
                    kind: kind_of(entry.file_type()?),
                })
            })
            .collect()
    }

    fn env(&self, name: &str) -> Option<OsString> {
        // The system's function panics on names that no variable can have.
        let possible = !name.is_empty() && !name.contains(['=', '\0']);
        possible.then(|| std::env::var_os(name)).flatten()
    }

    fn home(&self) -> Option<PathBuf> {
        let name = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
        let home = std::env::var_os(name).filter(|home| !home.is_empty());
        home.map(PathBuf::from)
    }

    fn now(&self) -> i64 {
        let seconds = |d: Duration| i64::try_from(d.as_secs()).unwrap_or(i64::MAX);
        match SystemTime::now().duration_since(UNIX_EPOCH) {
            Ok(since) => seconds(since),
            Err(before) => -seconds(before.duration()),
        }
    }

    fn stdin(&self, limit: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let most = limit.saturating_add(1);
        io::stdin().lock().take(most).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

fn kind_of(kind: std::fs::FileType) -> Kind {
    if kind.is_file() {
        Kind::File
    } else if kind.is_dir() {
        Kind::Folder
    } else if kind.is_symlink() {
        Kind::Link
    } else {
        Kind::Other
    }
}

fn regular(kind: std::fs::FileType) -> io::Result<()> {
    if kind.is_file() {
        return Ok(());
    }
    let kind = if kind.is_dir() {
        io::ErrorKind::IsADirectory
    } else {
        io::ErrorKind::InvalidInput
    };
    Err(kind.into())
}

/// Opens for reading, without waiting for the other end of a FIFO.
pub(super) fn open(path: &Path) -> io::Result<std::fs::File> {
    let mut options = std::fs::OpenOptions::new();
    options.read(true);
    #[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        // O_NONBLOCK
        options.custom_flags(if cfg!(target_vendor = "apple") {
            0x4
        } else {
            0o4000
        });
    }
    options.open(path)
}
