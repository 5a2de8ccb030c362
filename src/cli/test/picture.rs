//! The differences between a record and a build, in a few lines.

use crate::project::Compared;
use crate::project::snapshots::outcome::Difference;
use crate::report::{Document, Extent, Terminal, comparison};

/// The settings with which all of it is drawn, on a terminal too.
pub(super) const LOG: Terminal = Terminal {
    width: None,
    ascii: true,
};

/// The picture below a snapshot.
pub(super) fn below(difference: &Difference) -> Document {
    let mut out = Document::new();
    match (&difference.words, &difference.compared) {
        (Some(words), _) => words.lines().for_each(|line| out.line(line)),
        (None, Some(compared)) => out = comparison(compared, Extent::Around),
        (None, None) => {}
    }
    out
}

/// The comparison that is the picture below a snapshot.
pub(super) fn drawn_comparison(difference: &Difference) -> Option<&Compared> {
    let compared = difference.compared.as_ref();
    compared.filter(|_| difference.words.is_none())
}

/// The picture as lines of a log, without colours.
pub(super) fn lines(difference: &Difference) -> Vec<String> {
    drawn(&below(difference))
}

/// A document in lines of a log, without colours.
pub(super) fn drawn(document: &Document) -> Vec<String> {
    let drawn = LOG.draw_bare(document);
    drawn.lines().map(str::to_owned).collect()
}
