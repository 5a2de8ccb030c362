//! The prompt by tokens: a row for each level from the whole down to sections, and the same as a table.

use super::prompt::View;
use super::section;
use crate::report::explain::LayerStatus;
use crate::report::html::{self, Html};
use crate::report::outline::{Part, PartKind, outline};
use crate::report::words::{count, share, thousands};
use crate::report::{Cell, Table, Text};

/// The height of a row, and of the gap below it.
const ROW: usize = 28;
const GAP: usize = 2;

/// A name is drawn in a part of at least so much of the width: one of so many.
const NAMED: usize = 20;

pub(super) fn draw(html: &mut Html, view: &View<'_>) {
    let parts = outline(view.prompt);
    let all = parts.first().map_or(0, |part| part.tokens);
    if all == 0 {
        return;
    }
    section(html, "tokens", "Tokens", |html| {
        html.markup(
            "<p class=\"hint\" hidden>Click a part to see it as wide as the page. By keyboard: arrows lead from part to part, Enter \
             zooms in, Escape zooms out.</p>",
        );
        picture(html, &parts, all);
        html.markup("<p class=\"chosen\" aria-live=\"polite\" hidden></p>");
        html.markup("<details class=\"parts-of\"><summary>");
        html.text(&format!(
            "The same as a table, {}",
            count(parts.len(), "part")
        ));
        html.markup("</summary>");
        html::table(html, &table(view, &parts, all), "h-tokens", "sums sort");
        html.markup("</details>");
    });
}

fn picture(html: &mut Html, parts: &[Part], all: usize) {
    let deepest = parts
        .iter()
        .map(|part| part.kind.level())
        .max()
        .unwrap_or(0);
    let height = ((deepest + 1) * ROW).to_string();
    let label = format!(
        "{} by tier, layer, source and section; the table below has the same",
        count(all, "token")
    );
    html.open(
        "svg",
        &[
            ("class", "icicle"),
            ("height", &height),
            ("role", "img"),
            ("aria-label", &label),
        ],
    );
    for part in parts {
        let class = format!("{} at-{}", part.changes, part.kind.level());
        let y = (part.kind.level() * ROW).to_string();
        let (x, width) = (percent(part.from, all), percent(part.tokens, all));
        let height = (ROW - GAP).to_string();
        html.open(
            "svg",
            &[
                ("class", &class),
                ("x", &x),
                ("y", &y),
                ("width", &width),
                ("height", &height),
            ],
        );
        html.shape("rect", &[("width", "100%"), ("height", "100%")]);
        if part.tokens * NAMED >= all {
            html.leaf("text", &[("x", "6"), ("y", "18")], &part.name);
        }
        html.close("svg");
    }
    html.close("svg");
}

/// A share as an attribute of SVG.
pub(super) fn percent(part: usize, whole: usize) -> String {
    let millionths = (part * 1_000_000).checked_div(whole).unwrap_or(0);
    format!("{}.{:04}%", millionths / 10_000, millionths % 10_000)
}

fn table(view: &View<'_>, parts: &[Part], all: usize) -> Table {
    let mut table = Table::new(&["part", "is a", "in", "changes", ">tokens", ">share"]);
    for part in parts {
        let name = match part.kind {
            PartKind::Layer => view.name(&part.name),
            _ => Text::new().name(&part.name),
        };
        table.row([
            name,
            part.kind.name().into(),
            within(parts, part).into(),
            changes(part),
            thousands(part.tokens).into(),
            share(part.tokens, all).into(),
        ]);
    }
    table
}

fn changes(part: &Part) -> Text {
    match part.kind {
        PartKind::Tier | PartKind::Layer => Text::new().class(part.changes),
        _ => Text::new(),
    }
}

/// The parts around a part, the outermost first, without the whole.
fn within(parts: &[Part], part: &Part) -> String {
    let around = std::iter::successors(part.parent, |at| parts.get(*at)?.parent);
    let mut names: Vec<&str> = around
        .filter(|at| *at > 0)
        .map(|at| parts[at].name.as_str())
        .collect();
    names.reverse();
    names.join(" › ")
}

/// The layers as a table.
pub(super) fn layers(html: &mut Html, view: &View<'_>) {
    let present = view.fates.iter().filter_map(|fate| match fate {
        LayerStatus::Present(channel, layer) => Some((*channel, *layer)),
        LayerStatus::Absent(..) => None,
    });
    let present: Vec<_> = present.collect();
    if present.is_empty() {
        return;
    }
    let all: usize = view
        .prompt
        .channels
        .iter()
        .filter_map(|channel| channel.tokens)
        .sum();
    section(html, "layers", "Layers", |html| {
        let is_pair = view.beside.is_some();
        let mut columns = vec![
            "layer",
            "tier",
            "changes",
            "share of tokens",
            ">tokens",
            ">share",
        ];
        columns.extend(is_pair.then_some("beside A"));
        let mut table = Table::new(&columns);
        let most = present
            .iter()
            .filter_map(|(_, layer)| layer.tokens)
            .max()
            .unwrap_or(0);
        for (channel, layer) in present {
            let tokens = layer.tokens.unwrap_or_default();
            let bar = Cell::Share {
                part: tokens,
                most,
                changes: Some(layer.changes),
            };
            let mut row: Vec<Cell> = vec![
                view.name(&layer.name).into(),
                layer.tier.as_str().into(),
                Text::new().class(layer.changes).into(),
                bar,
                thousands(tokens).into(),
                share(tokens, all).into(),
            ];
            row.extend(view.fate(channel, layer).map(|(word, _)| word.into()));
            table.row(row);
        }
        html::table(html, &table, "h-layers", "layers sort");
    });
}

/// The places of a channel that a provider is asked to keep the text up to, and where the text that lasts ends: a byte, a name, and
/// whether it is a breakpoint.
pub(super) fn marks(html: &mut Html, marks: &[(usize, String)], whole: usize) {
    if marks.is_empty() {
        return;
    }
    html.markup("<svg class=\"marks\" height=\"18\" aria-hidden=\"true\">");
    // Those that are too close for two names have one.
    let close = |a: &(usize, String), b: &(usize, String)| (b.0 - a.0) * 20 < whole;
    for group in marks.chunk_by(close) {
        let names: Vec<&str> = group.iter().map(|(_, name)| name.as_str()).collect();
        for (at, (byte, _)) in group.iter().enumerate() {
            let x = percent(*byte, whole);
            let attrs = [
                ("x", x.as_str()),
                ("width", "1"),
                ("height", "18"),
                ("overflow", "visible"),
            ];
            html.open("svg", &attrs);
            html.shape("path", &[("d", "M-5 10H5L0 17Z")]);
            if at == 0 {
                let (anchor, x) = if *byte * 2 > whole {
                    ("end", "-8")
                } else {
                    ("start", "8")
                };
                let attrs = [("x", x), ("y", "15"), ("text-anchor", anchor)];
                html.leaf("text", &attrs, &names.join(", "));
            }
            html.close("svg");
        }
    }
    html.close("svg");
}
