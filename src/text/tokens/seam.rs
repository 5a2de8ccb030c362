//! Where a text can be cut so that the counts of its parts add up, whatever the surrounding text.

use super::class::Class;

/// Whether a token ends between these two characters in every vocabulary, and each side counts the same alone.
///
/// White space before a cut could count differently alone, so only line ends are allowed there.
fn is_seam(before: char, after: char) -> bool {
    let line_end = |c| matches!(c, '\n' | '\r');
    match (Class::of(before), Class::of(after)) {
        // Line ends and `/` belong to the text before them.
        (Class::Space, Class::Space) => false,
        (Class::Space, _) => line_end(before) && after != '/',
        (Class::Upper | Class::Lower | Class::Uncased | Class::Number, Class::Space) => true,
        (_, Class::Space) => !line_end(after),
        (before, after) => (before == Class::Number) != (after == Class::Number),
    }
}

/// The first seam of `text` (bytes).
#[must_use]
pub fn first_seam(text: &str) -> Option<usize> {
    let pairs = text.char_indices().zip(text.char_indices().skip(1));
    let mut seams = pairs.filter(|((_, a), (_, b))| is_seam(*a, *b));
    seams.next().map(|(_, (at, _))| at)
}

/// The last seam of `text` (bytes) after `from`, which is between two characters.
#[must_use]
pub fn last_seam(text: &str, from: usize) -> Option<usize> {
    let places = || text.char_indices().rev();
    let pairs = places().skip(1).zip(places());
    let mut seams = pairs.take_while(|(_, (at, _))| *at > from);
    let seam = seams.find(|((_, a), (_, b))| is_seam(*a, *b));
    seam.map(|(_, (at, _))| at)
}
