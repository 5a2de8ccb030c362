//! The files that `promptc emit` reads in addition to the sources of the prompt, checked against each other and
//! against the output.

use super::Args;
use crate::diagnostic::{self, Diagnostic, Diagnostics, ErrorReported};
use crate::project::output;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Whether one option at most reads standard input, and whether the output is none of the inputs.
pub(super) fn check(args: &Args, diags: &mut Diagnostics) -> Result<(), ErrorReported> {
    let stdin = |path: &Option<PathBuf>| path.as_deref() == Some(Path::new("-"));
    let readers = [
        ("--artifact", stdin(&args.artifact)),
        ("--messages", stdin(&args.messages)),
        ("--facts", args.given.takes_stdin()),
    ];
    let readers: Vec<&str> = readers
        .into_iter()
        .filter_map(|(name, reads)| reads.then_some(name))
        .collect();
    if let [first, second, ..] = readers[..] {
        let message = format!("{first} and {second} both read standard input");
        let help = "write one of them to a file";
        return Err(
            diags.push(Diagnostic::error(diagnostic::CONFLICTING_SETTINGS, message).help(help))
        );
    }
    let Some(output) = &args.output else {
        return Ok(());
    };
    let inputs = args
        .artifact
        .iter()
        .chain(&args.messages)
        .chain(args.tables.files());
    let inputs: BTreeSet<PathBuf> = inputs.cloned().collect();
    if output::is_among(output, &inputs) {
        Err(diags.push(output::is_input(output)))
    } else {
        Ok(())
    }
}
