//! Bars. Their widths are attributes of SVG, which the policy of a page allows; a style of their own it would not.

use super::write::Html;
use crate::prompt::Changes;
use crate::report::bar::{Bar, Cell, Strip};
use crate::report::spark::Spark;
use crate::report::words::share;

/// The width of all bars, in units of their own.
pub(in crate::report) const WIDTH: usize = 1000;

/// The cells of the picture of a break: finer than a terminal's, made by the same sums.
const CELLS: usize = 250;

/// A word for a class of change, coloured as everywhere.
pub(in crate::report) fn chip(html: &mut Html, changes: Changes) {
    let class = format!("chip {changes}");
    html.leaf("span", &[("class", &class)], changes.name());
}

/// A bar that is so much of the widest one.
pub(in crate::report) fn share_bar(html: &mut Html, part: usize, whole: usize, class: &str) {
    let width = part.saturating_mul(WIDTH).checked_div(whole).unwrap_or(0);
    let width = width.max(usize::from(part > 0) * 4).to_string();
    html.markup("<svg class=\"bar\" viewBox=\"0 0 1000 10\" preserveAspectRatio=\"none\" aria-hidden=\"true\">");
    let attrs = [
        ("class", class),
        ("width", width.as_str()),
        ("height", "10"),
    ];
    html.leaf("rect", &attrs, "");
    html.markup("</svg>");
}

/// A part of a picture.
pub(in crate::report) fn rect(html: &mut Html, class: &str, from: usize, width: usize) {
    let [x, width] = [from, width].map(|n| n.to_string());
    let attrs = [
        ("class", class),
        ("x", x.as_str()),
        ("width", width.as_str()),
        ("height", "24"),
    ];
    html.leaf("rect", &attrs, "");
}

/// The bar of the channel that broke, and what of each tier is kept.
pub(super) fn bar(html: &mut Html, bar: &Bar) {
    let strips = bar.strips(CELLS);
    html.markup("<svg class=\"picture\" viewBox=\"0 0 1000 24\" preserveAspectRatio=\"none\" aria-hidden=\"true\">");
    cells(html, &strips);
    html.markup("</svg><ol class=\"tiers\">");
    for strip in &strips {
        html.markup("<li>");
        html.leaf("b", &[], strip.tier);
        html.text(" ");
        chip(html, strip.changes);
        html.text(" ");
        html.text(&parts(&strip.cells));
        html.markup("</li>");
    }
    html.markup("</ol><p class=\"legend\">");
    for cell in Cell::ALL {
        html.markup("<svg class=\"swatch\" viewBox=\"0 0 30 24\" aria-hidden=\"true\">");
        let attrs = [("class", cell.word()), ("width", "30"), ("height", "24")];
        html.leaf("rect", &attrs, "");
        html.markup("</svg>");
        html.leaf("span", &[], cell.word());
        html.text(" ");
    }
    html.markup("</p>");
}

fn cells(html: &mut Html, strips: &[Strip<'_>]) {
    let all: usize = strips.iter().map(|s| s.cells.len()).sum();
    let place = |at: usize| (at * WIDTH).checked_div(all).unwrap_or(0);
    let mut at = 0;
    for strip in strips {
        let last = at + strip.cells.len();
        for run in strip.cells.chunk_by(|a, b| a == b) {
            let class = format!("{} {}", strip.changes, run[0].word());
            let (from, to) = (place(at), place(at + run.len()));
            at += run.len();
            let gap = usize::from(at == last) * 2;
            rect(html, &class, from, (to - from).saturating_sub(gap).max(1));
        }
    }
}

/// The kept, broken and rewritten parts of a tier, in words.
fn parts(cells: &[Cell]) -> String {
    let of = |cell: Cell| cells.iter().filter(|c| **c == cell).count();
    match Cell::ALL.map(of) {
        [0, 0, 0] => "no text".to_owned(),
        [_, 0, 0] => "kept".to_owned(),
        [0, 0, _] => "rewritten".to_owned(),
        [0, _, _] => "broken at its start".to_owned(),
        [kept, ..] => format!("{} kept, then broken", share(kept, cells.len())),
    }
}

/// A row of signs, when that was, and what the signs mean.
pub(super) fn spark(html: &mut Html, spark: &Spark) {
    let attrs = [("class", "strip"), ("aria-hidden", "true")];
    html.leaf("p", &attrs, &spark.signs(false));
    let (word, about, each) = (spark.word, spark.about(), spark.each("; "));
    html.leaf("p", &[], &format!("{word}, {about}{each}"));
    html.leaf("p", &[("class", "legend")], spark.legend(false));
}
