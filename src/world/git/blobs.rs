//! The content of objects, read through one `git cat-file --batch`.

use super::{object, run};
use crate::diagnostic::Diagnostic;
use std::ffi::OsStr;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

/// A running `git cat-file --batch`.
#[derive(Debug)]
pub struct Blobs {
    child: Child,
    /// Both are there until the end.
    pipes: Option<(ChildStdin, BufReader<ChildStdout>)>,
}

impl Blobs {
    pub(super) fn start(folder: &Path) -> Result<Self, Box<Diagnostic>> {
        let args = ["cat-file", "--batch"].map(OsStr::new);
        let mut child = run::command(folder, args)?
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| run::not_started(&error))?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        Ok(Self {
            child,
            pipes: pipes.map(|(input, output)| (input, BufReader::new(output))),
        })
    }

    /// The content of an object, at most `limit` bytes and one more.
    ///
    /// # Errors
    /// When `object` is not the whole name of one that git has here, or git fails.
    pub fn read(&mut self, object: &str, limit: u64) -> io::Result<Vec<u8>> {
        if !object::is_whole(object) {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        match self.ask(object, limit) {
            Ok(Some(bytes)) => Ok(bytes),
            Ok(None) => Err(io::Error::other(format!(
                "git does not have the object {object}, and promptc fetches none; `git fetch --refetch --no-filter` completes a partial clone"
            ))),
            Err(error) => {
                // The next answer can no longer be assigned.
                self.pipes = None;
                Err(error)
            }
        }
    }

    /// The content of an object; none if git does not have it, and other objects can be read then.
    fn ask(&mut self, object: &str, limit: u64) -> io::Result<Option<Vec<u8>>> {
        let ended = || io::Error::other("`git cat-file` was ended before it was done");
        let (input, output) = self.pipes.as_mut().ok_or_else(ended)?;
        writeln!(input, "{object}").map_err(|_| ended())?;
        input.flush().map_err(|_| ended())?;
        let mut head = String::new();
        output.read_line(&mut head)?;
        // `OBJECT TYPE SIZE`, or `OBJECT missing`.
        let mut words = head.split_whitespace().skip(1);
        let size: u64 = match (words.next(), words.next().map(str::parse)) {
            (Some(_), Some(Ok(size))) => size,
            (Some("missing"), _) => return Ok(None),
            _ => return Err(ended()),
        };
        let most = size.min(limit.saturating_add(1));
        let mut bytes = Vec::new();
        output.take(most).read_to_end(&mut bytes)?;
        // The rest of the object and the line end after it.
        let rest = size - most + 1;
        let skipped = io::copy(&mut output.take(rest), &mut io::sink())?;
        if bytes.len() as u64 == most && skipped == rest {
            Ok(Some(bytes))
        } else {
            Err(ended())
        }
    }
}

impl Drop for Blobs {
    fn drop(&mut self) {
        // Git ends when its input does.
        self.pipes = None;
        let _ = self.child.wait();
    }
}
