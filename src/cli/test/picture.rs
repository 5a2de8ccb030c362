//! How a record and a build differ, in a few lines.

use crate::cli::diff;
use crate::cli::ui::words::plain;
use crate::project::records::outcome::Difference;

/// What is shown below a record. Fit for a terminal: nothing foreign in them works there. They may be coloured.
pub(super) fn lines(difference: &Difference) -> Vec<String> {
    match (&difference.words, &difference.compared) {
        (Some(words), _) => vec![plain(words)],
        (None, Some(compared)) => diff::picture(compared).lines().map(str::to_owned).collect(),
        (None, None) => Vec::new(),
    }
}
