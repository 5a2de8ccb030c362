//! Writing results: to stdout, or to a file in one step.
#![allow(
    clippy::disallowed_methods,
    reason = "the commands write; World only reads"
)]

use crate::diagnostic::{self, Diagnostic, Diagnostics, Reported};
use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Writes `bytes` to stdout. A reader that went away is no error.
pub(crate) fn to_stdout(bytes: &[u8], diags: &mut Diagnostics) -> Result<(), Reported> {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            let message = format!("standard output could not be written: {}", reason(&error));
            Err(diags.push(Diagnostic::error(diagnostic::OUTPUT_NOT_WRITTEN, message)))
        }
        _ => Ok(()),
    }
}

/// Writes `bytes` to the file at `path`: whole, or not at all.
pub(crate) fn to_file(path: &Path, bytes: &[u8], diags: &mut Diagnostics) -> Result<(), Reported> {
    write(path, bytes).map_err(|error| {
        let message = format!(
            "`{}` could not be written: {}",
            path.display(),
            reason(&error)
        );
        diags.push(Diagnostic::error(diagnostic::OUTPUT_NOT_WRITTEN, message))
    })
}

/// Makes the folder that a file is to stand in.
pub(crate) fn folder_of(path: &Path, diags: &mut Diagnostics) -> Result<(), Reported> {
    let folder = path.parent().unwrap_or(Path::new(""));
    fs::create_dir_all(folder).map_err(|error| {
        let (shown, why) = (folder.display(), reason(&error));
        let message = format!("the folder `{shown}` could not be made: {why}");
        diags.push(Diagnostic::error(diagnostic::OUTPUT_NOT_WRITTEN, message))
    })
}

/// Removes a file if it is there, and its folder if nothing else is in it and it is one of snapshots.
pub(crate) fn remove(path: &Path, diags: &mut Diagnostics) -> Result<(), Reported> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            let (shown, why) = (path.display(), reason(&error));
            let message = format!("`{shown}` could not be removed: {why}");
            return Err(diags.push(Diagnostic::error(diagnostic::OUTPUT_NOT_WRITTEN, message)));
        }
        _ => {}
    }
    let folders = path.ancestors().skip(1);
    let mut folders = folders.take_while(|f| f.components().any(|c| c.as_os_str() == "snapshots"));
    // One that is not empty stays.
    while folders.next().is_some_and(|f| fs::remove_dir(f).is_ok()) {}
    Ok(())
}

fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(meta) if meta.is_file() => {
            // A link stays, the file behind it is replaced. Opening it says whether it may be written: a rename would
            // replace a file that its owner has locked.
            let real = fs::canonicalize(path)?;
            OpenOptions::new().append(true).open(&real)?;
            replace(&real, bytes, Some(meta.permissions()))
        }
        Ok(_) => {
            // A device or FIFO has no old content to keep, and must not be replaced by a file.
            let mut file = OpenOptions::new().write(true).open(path)?;
            match file.write_all(bytes).and_then(|()| file.flush()) {
                Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
                result => result,
            }
        }
        Err(error) if error.kind() == ErrorKind::NotFound => replace(&behind(path)?, bytes, None),
        Err(error) => Err(error),
    }
}

/// Where a link leads that ends nowhere, so that the file comes to stand there and the link stays; any other path as it is.
fn behind(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    // The system has followed them all and found nothing, so there is no circle; it counts to 40 itself.
    for _ in 0..40 {
        match fs::symlink_metadata(&path) {
            Ok(meta) if meta.is_symlink() => {
                let target = fs::read_link(&path)?;
                path = path.parent().unwrap_or(Path::new("")).join(target);
            }
            _ => break,
        }
    }
    Ok(path)
}

/// Writes a file beside `path` and puts it in its place; `keep` is the mode of the file that stood there.
fn replace(path: &Path, bytes: &[u8], keep: Option<fs::Permissions>) -> io::Result<()> {
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let mut file = fresh().tempfile_in(folder)?;
    file.write_all(bytes)?;
    if let Some(permissions) = keep {
        file.as_file().set_permissions(permissions)?;
    }
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// A temporary file with the mode that a new file has, which is the umask's to narrow.
fn fresh() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".promptc-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder
}

/// Why writing failed, without paths (that of a temporary file would differ from run to run).
pub(crate) fn reason(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "the folder does not exist".to_owned(),
        ErrorKind::NotADirectory => "a file stands where the path needs a folder".to_owned(),
        ErrorKind::IsADirectory => "it is a folder".to_owned(),
        ErrorKind::PermissionDenied => "permission denied".to_owned(),
        ErrorKind::ReadOnlyFilesystem => "the file system is read-only".to_owned(),
        ErrorKind::StorageFull => "no space is left on the device".to_owned(),
        other => other.to_string(),
    }
}
