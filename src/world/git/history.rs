//! The versions of a file in the history of a repository.

use super::run;
use crate::diagnostic::Diagnostic;
use std::ffi::OsStr;
use std::path::Path;

/// A version of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    /// The commit that brought it.
    pub commit: String,
    /// The object with its content.
    pub object: String,
}

/// `git log` without a program that settings name, and without what they add to its lines.
const LOG: [&str; 15] = [
    // A path is a path: in one that a log names no character stands for others.
    "--literal-pathspecs",
    // To do a merge again would run its drivers and filters.
    "-c",
    "log.diffMerges=separate",
    "-c",
    "log.showRoot=true",
    "log",
    "--format=%H",
    "--raw",
    // A merge may have a version that none of its parents has.
    "-m",
    "--no-abbrev",
    "--no-renames",
    "--no-show-signature",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
];

/// The versions of a file up to `HEAD`, the newest first; at most so many.
pub(super) fn of(folder: &Path, path: &Path, most: usize) -> Result<Vec<Version>, Box<Diagnostic>> {
    let most = format!("--max-count={most}");
    let args = LOG.map(OsStr::new).into_iter();
    let args = args.chain([&*most, "-z", "HEAD", "--"].map(OsStr::new));
    let ran = run::git(folder, args.chain([path.as_os_str()]))?;
    if !ran.success {
        return Err(ran.failed("log"));
    }
    let mut versions = Vec::new();
    let mut commit = String::new();
    let mut fields = ran.stdout.split(|byte| *byte == 0);
    while let Some(field) = fields.next() {
        let text = String::from_utf8_lossy(field);
        let text = text.trim_start_matches('\n');
        // `:MODE MODE OBJECT OBJECT STATUS`, then the path: of a folder what is in it.
        match text.strip_prefix(':') {
            None if text.is_empty() => {}
            None => commit = text.to_owned(),
            Some(change) => {
                let is_it = fields.next().is_some_and(|of| run::path(of) == path);
                let object = change.split(' ').nth(3).unwrap_or_default();
                if is_it {
                    versions.push(Version {
                        commit: commit.clone(),
                        object: object.to_owned(),
                    });
                }
            }
        }
    }
    Ok(versions)
}
