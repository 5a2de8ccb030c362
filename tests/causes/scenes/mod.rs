//! The scenes: what the model does not print.

mod budgets;
mod entries;
mod files;
mod overlays;

use super::random::Random;
use super::scene::Scene;

/// A scene of a seed.
pub(crate) fn scene(r: &mut Random) -> Scene {
    let all: [fn(&mut Random) -> Scene; 16] = [
        budgets::tiers,
        budgets::prompt,
        budgets::tokens,
        budgets::swapped,
        budgets::steps,
        budgets::whole,
        entries::memory,
        entries::skills,
        entries::listed,
        files::roots,
        files::imports,
        files::searched,
        files::scanned,
        files::templates,
        overlays::refined,
        overlays::moved,
    ];
    all[r.below(all.len())](r)
}

const WORDS: [&str; 10] = [
    "ada",
    "berth",
    "crane",
    "dock",
    "crane dock",
    "ebb",
    "flood",
    "slip",
    "x",
    "été",
];

/// A line.
fn line(r: &mut Random) -> String {
    let n = r.from(1, 4);
    let words: Vec<&str> = (0..n).map(|_| *r.pick(&WORDS)).collect();
    words.join(" ")
}

/// Some lines.
fn text(r: &mut Random) -> String {
    let n = r.from(1, 4);
    let lines: Vec<String> = (0..n).map(|_| line(r)).collect();
    lines.join("\n") + "\n"
}

/// A document with what may happen to it.
fn document(s: &mut Scene, r: &mut Random, path: &str) {
    let now = text(r);
    with(s, r, path, &now);
}

/// A document of this text with what may happen to it.
fn with(s: &mut Scene, r: &mut Random, path: &str, now: &str) {
    s.file(path, now);
    let lines: Vec<&str> = now.lines().collect();
    let at = r.below(lines.len());
    let joined = |l: &[String]| l.join("\n") + "\n";
    let own: Vec<String> = lines.iter().map(|l| (*l).to_owned()).collect();
    let mut edited = own.clone();
    edited[at] = line(r);
    s.edits(path, Some(&joined(&edited)));
    let mut longer = own.clone();
    longer.insert(at + 1, line(r));
    s.edits(path, Some(&joined(&longer)));
    let mut grown = own.clone();
    grown.extend((0..3).map(|_| line(r)));
    s.edits(path, Some(&joined(&grown)));
    if own.len() > 1 {
        let mut shorter = own;
        shorter.remove(at);
        s.edits(path, Some(&joined(&shorter)));
    }
    s.edits(path, None);
}
