//! The layout of a manifest: its text again, with the same nodes, spellings and comments.
//!
//! Modules are declared bottom-up.

mod trivia;
mod value;
mod tree;
mod columns;
mod print;
mod same;

use super::file::MAX_PROGRAM;
use crate::diagnostic::span::{FileId, Files};
use crate::diagnostic::{self, Diagnostic, Diagnostics, ErrorReported};
use crate::syntax;
use unicode_width::UnicodeWidthChar as _;

/// The most columns that a line may have before children leave it.
const WIDTH: usize = 120;

/// How many columns the parts of a table may reach to: columns may lead a line somewhat further than children may.
const TABLE: usize = WIDTH + 2 * STEP;

/// The indentation of children, in columns.
const STEP: usize = 4;

/// The columns of a text without line ends. Each character counts by itself, so that a text has the columns of its parts.
fn width(text: &str) -> usize {
    text.chars().map(|c| c.width().unwrap_or(0)).sum()
}

/// The text of `file` in the layout of `promptc fmt`, which depends on nothing but that text. It need not be a manifest that
/// can be built: KDL 2 is enough.
///
/// # Errors
/// When it is not KDL 2; or when the new text would not say the same or be too large to be read, which leaves it as it is.
pub fn formatted(
    file: FileId,
    files: &Files,
    diags: &mut Diagnostics,
) -> Result<String, ErrorReported> {
    let src = files.get(file).text.clone();
    let tree = syntax::read(file, &src).map_err(|faults| {
        let reported = faults.into_iter().map(|fault| diags.push(fault));
        // There is at least one.
        reported
            .last()
            .unwrap_or_else(|| diags.push(broken(file, files)))
    })?;
    let text = print::print(&tree::tree(&src, tree.tokens()));
    if text.len() as u64 > MAX_PROGRAM && src.len() as u64 <= MAX_PROGRAM {
        let name = &files.get(file).name;
        let message = format!("`{name}` would be larger than 1 MiB when it is formatted");
        return Err(diags.push(Diagnostic::error(diagnostic::PROGRAM_TOO_LARGE, message)));
    }
    if same::same(file, &tree, &src, &text) {
        Ok(text)
    } else {
        Err(diags.push(broken(file, files)))
    }
}

/// The error that no manifest should lead to.
fn broken(file: FileId, files: &Files) -> Diagnostic {
    let name = &files.get(file).name;
    let message = format!("`{name}` cannot be formatted: its meaning would change");
    Diagnostic::error(diagnostic::OUTPUT_NOT_WRITTEN, message)
        .help("this is a mistake of promptc; please report it with the file")
}
