//! Where a text can be cut so that the counts of its parts add up, whatever stands around.

use super::class::Class;

/// Whether a token ends between these two characters in every vocabulary, and what stands on each side counts the same
/// alone.
///
/// White space in front of a cut could count otherwise alone, so only line ends stand there.
fn is_seam(before: char, behind: char) -> bool {
    let line_end = |c| matches!(c, '\n' | '\r');
    match (Class::of(before), Class::of(behind)) {
        // Line ends and `/` belong to what stands in front of them.
        (Class::Space, Class::Space) => false,
        (Class::Space, _) => line_end(before) && behind != '/',
        (Class::Upper | Class::Lower | Class::Uncased | Class::Number, Class::Space) => true,
        (_, Class::Space) => !line_end(behind),
        (before, behind) => (before == Class::Number) != (behind == Class::Number),
    }
}

/// The first seam of `text` (bytes).
#[must_use]
pub fn first_seam(text: &str) -> Option<usize> {
    let pairs = text.char_indices().zip(text.char_indices().skip(1));
    let mut seams = pairs.filter(|((_, a), (_, b))| is_seam(*a, *b));
    seams.next().map(|(_, (at, _))| at)
}

/// The last seam of `text` (bytes) behind `from`, which is between two characters.
#[must_use]
pub fn last_seam(text: &str, from: usize) -> Option<usize> {
    let places = || text.char_indices().rev();
    let pairs = places().skip(1).zip(places());
    let mut seams = pairs.take_while(|(_, (at, _))| *at > from);
    let seam = seams.find(|((_, a), (_, b))| is_seam(*a, *b));
    seam.map(|(_, (at, _))| at)
}
