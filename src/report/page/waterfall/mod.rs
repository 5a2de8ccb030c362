//! The requests of a log: what broke, a row for each request, which opens to its causes, and the texts that these are about.

mod row;
mod talk;
mod texts;
mod fixes;
mod drawn;
mod breaks;
mod filter;
mod request;

use super::section;
use crate::report::html::{self, Html};
use crate::report::requests::totals;
use crate::report::words::{count, thousands};
use breaks::{broke, kinds, left, worst};
use drawn::Drawn;
use filter::{filter, legend};
use fixes::Fixes;
use request::request;
use row::{Row, bytes, loss};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use talk::{Talk, talks};
use texts::{LEAST_OF_TEXT, Texts};

/// The most bytes of a page, as far as texts can be cut so that they fit.
const MOST_OF_PAGE: usize = 1_920_000;

/// The bytes of the heading of a conversation without its name, and of its place in the filter.
const HEADING: usize = 500;

/// Draws the breaks, then the rows, then the texts; `name` is the log.
pub(super) fn draw(html: &mut Html, name: &str, all: &[Row]) {
    let fixes = Fixes::of(all);
    let kinds = kinds(all);
    let mut broken = Html::default();
    if !kinds.is_empty() {
        html::table(&mut broken, &broke(&kinds), "h-causes", "sums sort");
    }
    let widest = all.iter().map(|(one, more)| bytes(one, more).iter().sum());
    let mut drawn = Drawn {
        fixes: &fixes,
        widest: widest.max().unwrap_or(0),
        talks: talks(all),
        rows: all.iter().map(|(one, _)| one.b).collect(),
    };
    // The most expensive first; of equals the first.
    let mut order: Vec<&Row> = all.iter().collect();
    order.sort_by_cached_key(|row| Reverse(loss(row)));
    drawn.rows = fitting(&drawn, &order, MOST_OF_PAGE.saturating_sub(broken.len()));
    if !kinds.is_empty() {
        section(html, "causes", "What broke", |html| {
            html.append(&broken);
            worst(html, &order, &drawn);
            fixes.draw(html);
        });
    }
    let shown: Vec<&Row> = all.iter().filter(|row| drawn.has(row.0.b)).collect();
    let mut texts = Texts::default();
    section(html, "requests", "Requests", |html| {
        left(html, name, &order, &drawn);
        filter(html, &shown, &drawn.talks);
        legend(html);
        html.markup("<div id=\"waterfall\">");
        let talks = drawn.talks.iter();
        let talks = talks.filter(|talk| talk.rows.iter().any(|row| drawn.has(row.0.b)));
        for talk in talks.enumerate() {
            conversation(html, talk, &drawn, &mut texts);
        }
        html.markup("</div>");
    });
    if !texts.all.is_empty() {
        let room = MOST_OF_PAGE.saturating_sub(html.len());
        section(html, "texts", "Texts", |html| texts.draw(html, room));
    }
}

/// The first of these requests that have room with their texts.
fn fitting(drawn: &Drawn<'_>, order: &[&Row], room: usize) -> BTreeSet<usize> {
    let talks = drawn.talks.iter().map(|talk| (talk.name, talk));
    let talks: BTreeMap<&str, &Talk<'_>> = talks.collect();
    let (mut names, mut out) = (BTreeSet::new(), BTreeSet::new());
    let (mut texts, mut bytes) = (Texts::default(), 0);
    for row in order {
        let name = row.0.conversation.as_str();
        let mut part = Html::default();
        let before = texts.all.len();
        request(&mut part, row, 0, talks[name], drawn, &mut texts);
        texts.draw_from(&mut part, before, LEAST_OF_TEXT);
        bytes += part.len();
        if names.insert(name) {
            bytes += HEADING + 2 * name.len();
        }
        if bytes > room {
            break;
        }
        out.insert(row.0.b);
    }
    out
}

/// The rows of a conversation.
fn conversation(
    html: &mut Html,
    (at, talk): (usize, &Talk<'_>),
    drawn: &Drawn<'_>,
    texts: &mut Texts,
) {
    let (heading, at) = (format!("conversation-{at}"), at.to_string());
    html.open(
        "section",
        &[
            ("class", "conversation"),
            ("aria-labelledby", &heading),
            ("data-c", &at),
        ],
    );
    html.open("h3", &[("id", &heading)]);
    html.text(talk.name);
    html.text(" ");
    let totals = totals(talk.rows.iter().map(|(one, _)| one));
    let model = talk.model.iter().map(|model| format!("; {model}"));
    let model: String = model.collect();
    let rows = talk.rows.iter().filter(|row| drawn.has(row.0.b)).count();
    let left = match talk.rows.len() - rows {
        0 => String::new(),
        _ => format!("; {} shown", thousands(rows)),
    };
    let words = format!(
        "{}: {totals}{model}{left}",
        count(talk.rows.len(), "request")
    );
    html.leaf("small", &[], &words);
    html.close("h3");
    let mut chains: BTreeMap<&str, usize> = BTreeMap::new();
    for row in &talk.rows {
        let next = chains.len();
        let chain = *chains.entry(&row.0.chain).or_insert(next);
        if drawn.has(row.0.b) {
            request(html, row, chain, talk, drawn, texts);
        }
    }
    html.close("section");
}
