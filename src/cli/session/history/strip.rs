//! The time as a row of signs, one for each part of it.

use crate::session::history::{By, Times};

/// The widest row.
const CELLS: usize = 60;

/// A row.
pub(crate) struct Strip {
    /// The signs.
    pub(crate) drawn: String,
    /// How many parts of the time one sign stands for.
    pub(crate) each: i64,
}

/// Draws what was rewritten when; nothing if there was no rebuild.
pub(crate) fn strip(times: &Times, ascii: bool) -> Option<Strip> {
    let numbers = || times.buckets.iter().map(|b| times.by.number(b.start));
    let (first, last) = (numbers().next()?, numbers().next_back()?);
    let parts = usize::try_from(last - first + 1).ok()?;
    let each = parts.div_ceil(CELLS);
    // By cell: how many rebuilds, and the tokens that they rewrote.
    let mut cells = vec![(0, 0); parts.div_ceil(each)];
    for (number, bucket) in numbers().zip(&times.buckets) {
        let at = usize::try_from(number - first).ok()? / each;
        let (rebuilds, lost) = cells.get_mut(at)?;
        *rebuilds += bucket.sum.rebuilds;
        *lost += bucket.sum.lost.tokens;
    }
    let most = cells.iter().map(|(_, lost)| *lost).max()?;
    let sign = |(rebuilds, lost): &(usize, usize)| sign(*rebuilds, *lost, most, ascii);
    Some(Strip {
        drawn: cells.iter().map(sign).collect(),
        each: i64::try_from(each).ok()?,
    })
}

/// What the signs mean.
pub(crate) fn legend(ascii: bool) -> &'static str {
    match ascii {
        true => "- no rebuild  _ nothing rewritten  1 little  9 most",
        false => "· no rebuild  ▁ nothing rewritten  ▂ little  █ most",
    }
}

/// The word for parts of the time.
pub(crate) fn parts(by: By) -> &'static str {
    match by {
        By::Hour => "hours",
        By::Day => "days",
        By::Week => "weeks",
        By::Month => "months",
    }
}

fn sign(rebuilds: usize, lost: usize, most: usize, ascii: bool) -> char {
    let levels: &[char] = match ascii {
        true => &['1', '2', '3', '4', '5', '6', '7', '8', '9'],
        false => &['▂', '▃', '▄', '▅', '▆', '▇', '█'],
    };
    match (rebuilds, lost, ascii) {
        (0, _, true) => '-',
        (0, _, false) => '·',
        (_, 0, true) => '_',
        (_, 0, false) => '▁',
        // Whatever was rewritten shows; only the most has the highest sign.
        _ => levels[(lost * levels.len()).div_ceil(most) - 1],
    }
}

#[cfg(test)]
mod tests {
    use super::sign;

    #[test]
    fn little_shows_and_only_the_most_is_highest() {
        let drawn = |ascii| -> String {
            [(0, 0), (1, 0), (1, 1), (1, 500), (2, 1000)]
                .map(|(rebuilds, lost)| sign(rebuilds, lost, 1000, ascii))
                .into_iter()
                .collect()
        };
        assert_eq!(drawn(true), "-_159");
        assert_eq!(drawn(false), "·▁▂▅█");
    }
}
