//! The texts of changed layers, as `promptc diff` shows them.

use super::html::Html;
use super::picture::LOOK;
use crate::cli::diff::{Changed, Row, changed, rows};
use crate::cli::ui::words::count;
use crate::project::Compared;
use similar::ChangeTag;

/// How many rows of a layer are shown.
const MOST: usize = 400;

/// All of them; nothing if no text is known or differs.
pub(super) fn draw(html: &mut Html, compared: &Compared) {
    let all = changed(compared);
    if all.is_empty() {
        return;
    }
    html.markup("<section id=\"changed\" aria-labelledby=\"h-changed\"><h2 id=\"h-changed\">Changed text</h2>");
    for layer in &all {
        one(html, layer);
    }
    html.close("section");
}

fn one(html: &mut Html, layer: &Changed) {
    let rows = rows(layer, LOOK);
    let lines = |tag| {
        let of = |row: &&Row| matches!(row, Row::Line(t, _) if *t == tag);
        rows.rows.iter().filter(of).count()
    };
    let (gone, new) = (lines(ChangeTag::Delete), lines(ChangeTag::Insert));
    html.markup("<details open><summary>");
    html.leaf("b", &[], &layer.name);
    html.text(&format!(
        " {} removed, {} added",
        count(gone, "line"),
        count(new, "line")
    ));
    html.markup("</summary>");
    let label = format!("changed text of {}", layer.name);
    html.open(
        "div",
        &[
            ("class", "diff"),
            ("role", "group"),
            ("tabindex", "0"),
            ("aria-label", &label),
        ],
    );
    for row in rows.rows.iter().take(MOST) {
        line(html, row);
    }
    html.close("div");
    let hidden = rows.rows.len().saturating_sub(MOST) + rows.beyond;
    if hidden > 0 {
        let more = count(hidden, "line");
        html.leaf(
            "p",
            &[("class", "none")],
            &format!("{more} more: promptc diff --full shows all"),
        );
    }
    html.markup("</details>");
}

fn line(html: &mut Html, row: &Row) {
    let Row::Line(tag, parts) = row else {
        html.leaf("div", &[("class", "gap")], "⋮");
        return;
    };
    // An element of its own says it to those who do not see signs and colours.
    let (tag, sign) = match tag {
        ChangeTag::Equal => ("div", "  "),
        ChangeTag::Delete => ("del", "- "),
        ChangeTag::Insert => ("ins", "+ "),
    };
    html.open(tag, &[]);
    html.text(sign);
    for (marked, part) in parts {
        match marked {
            true => html.leaf("u", &[], part),
            false => html.text(part),
        }
    }
    html.close(tag);
}
