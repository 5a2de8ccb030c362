//! An amount over time: a row of signs, one for each part of the time.

use crate::session::history::{By, Times};

/// The widest row.
const CELLS: usize = 60;

/// An amount over time.
#[derive(Debug, Clone)]
pub struct Spark {
    /// The word for the parts of the time.
    pub(super) word: &'static str,
    /// By part of the time: how often something happened, and how much that was.
    cells: Vec<(usize, usize)>,
    /// The number of parts of the time that one sign is for.
    each: usize,
    /// The first part and the last.
    pub(super) ends: [String; 2],
    /// When it was most.
    pub(super) most: Option<String>,
}

impl Spark {
    /// The rewritten amounts over time; nothing if there was no rebuild.
    pub(super) fn of(times: &Times, ends: [String; 2], most: Option<String>) -> Option<Self> {
        let numbers = || times.buckets.iter().map(|b| times.by.number(b.start));
        let (first, last) = (numbers().next()?, numbers().next_back()?);
        let parts = usize::try_from(last - first + 1).ok()?;
        let each = parts.div_ceil(CELLS);
        let mut cells = vec![(0, 0); parts.div_ceil(each)];
        for (number, bucket) in numbers().zip(&times.buckets) {
            let at = usize::try_from(number - first).ok()? / each;
            let (rebuilds, lost) = cells.get_mut(at)?;
            *rebuilds += bucket.sum.rebuilds;
            *lost += bucket.sum.lost.tokens;
        }
        Some(Self {
            word: parts_of(times.by),
            cells,
            each,
            ends,
            most,
        })
    }

    /// The signs.
    pub(super) fn signs(&self, ascii: bool) -> String {
        let most = self.cells.iter().map(|(_, lost)| *lost).max().unwrap_or(0);
        let sign = |(rebuilds, lost): &(usize, usize)| sign(*rebuilds, *lost, most, ascii);
        self.cells.iter().map(sign).collect()
    }

    /// The meaning of the signs.
    pub(super) fn legend(&self, ascii: bool) -> &'static str {
        if ascii {
            "- no rebuild  _ nothing rewritten  1 little  9 most"
        } else {
            "· no rebuild  ▁ nothing rewritten  ▂ little  █ most"
        }
    }

    /// The number of parts of the time that one sign is for, if it is not one, after `between`.
    pub(super) fn each(&self, between: &str) -> String {
        match self.each {
            1 => String::new(),
            n => format!("{between}a sign is {n} {}", self.word),
        }
    }

    /// When that was.
    pub(super) fn about(&self) -> String {
        let [from, to] = &self.ends;
        let time = if from == to {
            format!("{from} UTC")
        } else {
            format!("{from} to {to} UTC")
        };
        let most = self.most.as_ref().map(|most| format!(", {most}"));
        time + &most.unwrap_or_default()
    }
}

/// The word for parts of the time.
fn parts_of(by: By) -> &'static str {
    match by {
        By::Hour => "hours",
        By::Day => "days",
        By::Week => "weeks",
        By::Month => "months",
    }
}

fn sign(rebuilds: usize, lost: usize, most: usize, ascii: bool) -> char {
    let levels: &[char] = if ascii {
        &['1', '2', '3', '4', '5', '6', '7', '8', '9']
    } else {
        &['▂', '▃', '▄', '▅', '▆', '▇', '█']
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
