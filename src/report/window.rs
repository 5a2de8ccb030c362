//! The lines of two texts that a diff looks at: from shortly before the first that differs, and not too many, so that the
//! answer is the same on a slow machine.

/// The lines before the first difference that are shown with it.
pub(super) const AROUND: usize = 2;

/// The most lines that are compared.
const MOST: usize = 2_000;

/// The limit with `--full`.
const MOST_OF_ALL: usize = 50_000;

/// A part of two texts.
pub(super) struct Window<'t> {
    pub(super) old: &'t str,
    pub(super) new: &'t str,
    /// Lines after it that were not compared, of the text that has more.
    pub(super) beyond: usize,
}

/// The part of two texts that is compared.
pub(super) fn window<'t>(old: &'t str, new: &'t str, full: bool) -> Window<'t> {
    let mut starts: Vec<usize> = Vec::new();
    let mut at = 0;
    for (x, y) in old.split_inclusive('\n').zip(new.split_inclusive('\n')) {
        starts.push(at);
        if x != y {
            break;
        }
        at += x.len();
    }
    // With nothing but equal lines one text is the beginning of the other.
    if starts.last().is_none_or(|last| *last < at) {
        starts.push(at);
    }
    let from = if full {
        0
    } else {
        starts[starts.len().saturating_sub(AROUND + 1)]
    };
    let most = if full { MOST_OF_ALL } else { MOST };
    let ((old, x), (new, y)) = (cut(&old[from..], most), cut(&new[from..], most));
    Window {
        old,
        new,
        beyond: x.max(y),
    }
}

/// The first lines of a text, and how many it has besides.
fn cut(text: &str, most: usize) -> (&str, usize) {
    let mut ends = text.match_indices('\n').map(|(at, _)| at + 1);
    match ends.nth(most - 1) {
        None => (text, 0),
        Some(end) => (&text[..end], text[end..].split_inclusive('\n').count()),
    }
}
