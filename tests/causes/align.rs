//! Lays two rows on each other.

use super::row::{Cell, Owner, Row, bytes};
use super::world::Doc;

/// Consecutive bytes of one use.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) used: usize,
    pub(crate) from: usize,
    pub(crate) cells: Vec<Cell>,
}

/// A stretch of both rows: the same piece, or what only one of them has.
#[derive(Clone, Debug)]
pub(crate) enum Stretch {
    Same(Run, Run),
    Gap(Vec<Run>, Vec<Run>),
}

fn runs(row: &Row) -> Vec<Run> {
    let mut out: Vec<Run> = Vec::new();
    for (at, c) in row.cells.iter().enumerate() {
        match out.last_mut() {
            Some(r) if r.used == c.used && r.cells.last().is_some_and(|l| l.at < c.at) => {
                r.cells.push(*c)
            }
            _ => out.push(Run {
                used: c.used,
                from: at,
                cells: vec![*c],
            }),
        }
    }
    out
}

/// Whether a run shows its document from the first byte on, without a gap and uncut.
fn whole(row: &Row, run: &Run) -> bool {
    let own = &row.uses[run.used];
    let mut at = run.cells.iter().zip(0..);
    at.all(|(cell, at)| cell.at == at) && !row.took_of(&own.chain, &own.owner)
}

/// The stretches of two rows, in order; `alike` are documents of the same text.
pub(crate) fn lay(a: &Row, b: &Row, alike: &dyn Fn(&Doc, &Doc) -> bool) -> Vec<Stretch> {
    let (ra, rb) = (runs(a), runs(b));
    let weight = |x: &Run, y: &Run| -> usize {
        let (of_x, of_y) = (&a.uses[x.used], &b.uses[y.used]);
        let same = bytes(&x.cells) == bytes(&y.cells);
        if of_x.key() != of_y.key() {
            // A file that has another name and the same text changes nothing, nor does another node that reads the same.
            return match (&of_x.owner, &of_y.owner) {
                (Owner::Doc(d), Owner::Doc(e)) if same && (of_x.chain == of_y.chain || d == e) => {
                    900
                }
                // One that another node shows instead is the same, if both show all of it.
                (Owner::Doc(d), Owner::Doc(e)) if d == e && whole(a, x) && whole(b, y) => 800,
                (Owner::Fact(f), Owner::Fact(g)) if f == g => 800,
                (Owner::Doc(d), Owner::Doc(e)) if same && alike(d, e) => 700,
                _ => 0,
            };
        }
        let begins = x.cells.first().map(|c| c.byte) == y.cells.first().map(|c| c.byte);
        let much = match a.uses[x.used].owner {
            Owner::Join(_) => 10,
            _ => 1000,
        };
        much + if same { 4 } else { 0 } + usize::from(begins)
    };
    let (n, m) = (ra.len(), rb.len());
    let mut best = vec![vec![0; m + 1]; n + 1];
    for i in (0..n).rev() {
        for j in (0..m).rev() {
            let w = weight(&ra[i], &rb[j]);
            let both = if w > 0 { w + best[i + 1][j + 1] } else { 0 };
            best[i][j] = both.max(best[i + 1][j]).max(best[i][j + 1]);
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut out = Vec::new();
    let (mut ga, mut gb) = (Vec::new(), Vec::new());
    while i < n || j < m {
        let w = if i < n && j < m {
            weight(&ra[i], &rb[j])
        } else {
            0
        };
        if w > 0 && best[i][j] == w + best[i + 1][j + 1] {
            if !ga.is_empty() || !gb.is_empty() {
                out.push(Stretch::Gap(
                    std::mem::take(&mut ga),
                    std::mem::take(&mut gb),
                ));
            }
            out.push(Stretch::Same(ra[i].clone(), rb[j].clone()));
            (i, j) = (i + 1, j + 1);
        } else if i < n && (j == m || best[i][j] == best[i + 1][j]) {
            ga.push(ra[i].clone());
            i += 1;
        } else {
            gb.push(rb[j].clone());
            j += 1;
        }
    }
    if !ga.is_empty() || !gb.is_empty() {
        out.push(Stretch::Gap(ga, gb));
    }
    out
}

/// The cells of runs, in order.
pub(crate) fn joined(runs: &[Run]) -> Vec<Cell> {
    runs.iter().flat_map(|r| r.cells.iter().copied()).collect()
}

/// How many bytes two rows of cells have in common at their start.
pub(crate) fn common(a: &[Cell], b: &[Cell]) -> usize {
    a.iter()
        .zip(b)
        .take_while(|(x, y)| x.byte == y.byte)
        .count()
}
