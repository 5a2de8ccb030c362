//! Bars. Their widths are attributes of SVG, which the policy of the page allows; a style of their own it would not.

use super::html::Html;
use super::prompt::{View, chip};
use crate::check;
use crate::cli::diff::{Cell, Look, head, more, strips};
use crate::cli::ui::words::{count, share};
use crate::project::Compared;
use crate::prompt::{Changes, Channel, Deliver};
use std::collections::BTreeSet;

/// The width of all bars, in units of their own.
const WIDTH: usize = 1000;

/// The cells of the picture of a break: finer than a terminal's, made by the same sums.
const CELLS: usize = 250;

/// A comparison is drawn with all signs, and with the text around changes.
pub(super) const LOOK: Look = Look {
    ascii: false,
    full: false,
};

/// A bar that is so much of the widest one.
pub(super) fn share_bar(html: &mut Html, part: usize, whole: usize, class: &str) {
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

/// The prompt, channel by channel: how much of it is of which class.
pub(super) fn alone(html: &mut Html, view: &View<'_>) {
    html.markup(
        "<section id=\"prefix\" aria-labelledby=\"h-prefix\"><h2 id=\"h-prefix\">Prefix</h2>",
    );
    let mut classes: BTreeSet<Changes> = BTreeSet::new();
    let longest = view.prompt.channels.iter().map(|c| c.text.len()).max();
    let longest = longest.unwrap_or(0);
    for channel in &view.prompt.channels {
        if view.prompt.channels.len() > 1 || channel.deliver != Deliver::System {
            html.leaf("h3", &[], &format!("{} text", channel.deliver));
        }
        layers(html, channel, longest);
        tiers(html, channel);
        classes.extend(channel.layers.iter().map(|l| l.changes));
        classes.extend(channel.tiers.iter().map(|t| t.changes));
    }
    if classes.is_empty() {
        html.markup("<p class=\"none\">The prompt is empty.</p></section>");
        return;
    }
    html.markup("<p class=\"legend\">How often it may change: ");
    for class in classes {
        html.markup("<span>");
        chip(html, class);
        html.text(&format!(" {}", check::when(class)));
        html.markup("</span> ");
    }
    html.markup("</p></section>");
}

/// The layers of a channel, in the scale in which the longest channel takes the whole width.
fn layers(html: &mut Html, channel: &Channel, longest: usize) {
    html.markup("<svg class=\"picture\" viewBox=\"0 0 1000 24\" preserveAspectRatio=\"none\" aria-hidden=\"true\">");
    let place = |at: usize| (at * WIDTH).checked_div(longest).unwrap_or(0);
    let mut layers = channel.layers.iter().peekable();
    while let Some(layer) = layers.next() {
        let (from, to) = (place(layer.start), place(layer.end));
        // A hair between layers, more between tiers; a layer that is narrower than that is drawn all the same.
        let gap = match layers.peek().is_some_and(|next| next.tier != layer.tier) {
            true => 5,
            false => 1,
        };
        let width = (to - from).saturating_sub(gap).max(2);
        rect(html, layer.changes.name(), from, width);
    }
    html.markup("</svg>");
}

fn rect(html: &mut Html, class: &str, from: usize, width: usize) {
    let [x, width] = [from, width].map(|n| n.to_string());
    let attrs = [
        ("class", class),
        ("x", x.as_str()),
        ("width", width.as_str()),
        ("height", "24"),
    ];
    html.leaf("rect", &attrs, "");
}

fn tiers(html: &mut Html, channel: &Channel) {
    html.markup("<ol class=\"tiers\">");
    for tier in &channel.tiers {
        html.markup("<li>");
        html.leaf("b", &[], &tier.name);
        html.text(" ");
        chip(html, tier.changes);
        let bytes = tier.end - tier.start;
        let all = share(bytes, channel.bytes);
        html.text(&format!(" {}, {all}", count(bytes, "byte")));
        html.markup("</li>");
    }
    html.markup("</ol>");
}

/// What broke between two prompts, as the terminal and Markdown say it, with the same bar.
pub(super) fn pair(html: &mut Html, compared: &Compared) {
    html.markup(
        "<section id=\"prefix\" aria-labelledby=\"h-prefix\"><h2 id=\"h-prefix\">Prefix</h2>",
    );
    html.markup("<p class=\"sides\"><span>A, what may be cached: ");
    html.leaf("code", &[], &compared.a_name);
    html.markup("</span> <span>B, what is sent now: ");
    html.leaf("code", &[], &compared.b_name);
    html.markup("</span></p>");
    lines(
        html,
        head(compared, LOOK)
            .iter()
            .map(|l| (l.word, l.text.as_str())),
    );
    broken(html, compared);
    let more = more(compared, LOOK);
    if !more.is_empty() {
        lines(html, more.iter().map(|l| (l.word, l.text.as_str())));
    }
    html.markup("</section>");
}

/// Lines with the word that says what each is about.
pub(super) fn lines<'a>(html: &mut Html, lines: impl Iterator<Item = (&'a str, &'a str)>) {
    html.markup("<dl class=\"lines\">");
    for (word, text) in lines {
        html.open("div", &[("class", word)]);
        html.leaf("dt", &[], word);
        html.said("dd", &[], text);
        html.close("div");
    }
    html.markup("</dl>");
}

/// The bar of the channel that broke.
fn broken(html: &mut Html, compared: &Compared) {
    let strips = strips(compared, CELLS);
    if strips.is_empty() {
        return;
    }
    html.markup("<svg class=\"picture\" viewBox=\"0 0 1000 24\" preserveAspectRatio=\"none\" aria-hidden=\"true\">");
    let cells: usize = strips.iter().map(|s| s.cells.len()).sum();
    let place = |at: usize| (at * WIDTH).checked_div(cells).unwrap_or(0);
    let mut at = 0;
    for strip in &strips {
        let last = at + strip.cells.len();
        for run in strip.cells.chunk_by(|a, b| a == b) {
            let class = format!("{} {}", strip.tier.changes, run[0].word());
            let (from, to) = (place(at), place(at + run.len()));
            at += run.len();
            let gap = usize::from(at == last) * 2;
            rect(html, &class, from, (to - from).saturating_sub(gap).max(1));
        }
    }
    html.markup("</svg><ol class=\"tiers\">");
    for strip in &strips {
        html.markup("<li>");
        html.leaf("b", &[], &strip.tier.name);
        html.text(" ");
        chip(html, strip.tier.changes);
        html.text(" ");
        html.text(&parts(&strip.cells));
        html.markup("</li>");
    }
    html.markup("</ol><p class=\"legend\">");
    for cell in Cell::ALL {
        html.markup("<svg class=\"swatch\" viewBox=\"0 0 30 24\" aria-hidden=\"true\">");
        html.leaf(
            "rect",
            &[("class", cell.word()), ("width", "30"), ("height", "24")],
            "",
        );
        html.markup("</svg>");
        html.leaf("span", &[], cell.word());
        html.text(" ");
    }
    html.markup("</p>");
}

/// What of a tier is kept, broken and rewritten, in words.
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
