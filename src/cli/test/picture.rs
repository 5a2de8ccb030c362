//! How a record and a build differ, in a few lines.

use crate::project::records::outcome::Difference;
use crate::report::words::plain;
use crate::report::{Extent, Terminal, comparison};

/// What is shown below a record: lines as of a log. Nothing foreign in them works on a terminal; they may be coloured.
pub(super) fn lines(difference: &Difference) -> Vec<String> {
    let log = Terminal {
        width: None,
        ascii: true,
    };
    match (&difference.words, &difference.compared) {
        (Some(words), _) => vec![plain(words)],
        (None, Some(compared)) => {
            let drawn = log.draw(&comparison(compared, Extent::Around));
            drawn.lines().map(str::to_owned).collect()
        }
        (None, None) => Vec::new(),
    }
}
