//! Cuts a text as a budget says.

use super::row::Cell;
use super::world::Budget;

/// The size of a text.
pub(crate) fn size(cells: &[Cell], in_bytes: bool) -> usize {
    let starts = |c: &&Cell| in_bytes || !(0x80..0xC0).contains(&c.byte);
    cells.iter().filter(starts).count()
}

/// The rest of a text of at most `max`: head and tail, and the variables of the marker. None if it is dropped.
pub(crate) fn cut(
    cells: &[Cell],
    max: usize,
    budget: &Budget,
) -> Option<(Vec<Cell>, String, Vec<Cell>)> {
    let total = size(cells, budget.bytes);
    let (mut head, mut tail) = match budget.ends {
        None => (max, 0),
        Some((h, t)) => (max * h / 4, max * t / 4),
    };
    loop {
        let front = front(cells, head, budget.bytes);
        let back = back(cells, tail, budget.bytes);
        let (h, t) = (
            size(&cells[..front], budget.bytes),
            size(&cells[back..], budget.bytes),
        );
        let marker = marker(budget, total, total - h - t);
        let length = match budget.bytes {
            true => marker.len(),
            false => marker.chars().count(),
        };
        let sum = h + length + t;
        if sum <= max {
            return Some((cells[..front].to_vec(), marker, cells[back..].to_vec()));
        }
        if h == 0 && t == 0 {
            return None;
        }
        let excess = sum - max;
        let from_tail = t.min(excess);
        tail = t - from_tail;
        head = h - h.min(excess - from_tail);
    }
}

fn marker(budget: &Budget, total: usize, omitted: usize) -> String {
    match budget.numbers {
        true => format!("(-{omitted} of {total})"),
        false => "~~".to_owned(),
    }
}

fn starts(cells: &[Cell], at: usize) -> bool {
    cells
        .get(at)
        .is_none_or(|c| !(0x80..0xC0).contains(&c.byte))
}

/// Where `n` from the start end, down to a whole character.
fn front(cells: &[Cell], n: usize, in_bytes: bool) -> usize {
    (0..=cells.len())
        .rev()
        .find(|&at| starts(cells, at) && size(&cells[..at], in_bytes) <= n)
        .unwrap_or(0)
}

/// Where `n` from the end begin, down to a whole character.
fn back(cells: &[Cell], n: usize, in_bytes: bool) -> usize {
    (0..=cells.len())
        .find(|&at| starts(cells, at) && size(&cells[at..], in_bytes) <= n)
        .unwrap_or(cells.len())
}
