//! What the rebuilds of sessions did to the cached prefix, by layer, cause, reason and time.

use super::html::Html;
use super::picture::{lines, share_bar};
use super::prompt::chip;
use super::search;
use crate::cli::session::history::cost;
use crate::cli::session::history::human::head;
use crate::cli::session::history::strip::{self, strip};
use crate::cli::session::history::words::{
    argument, cold, counted, gone, layer, most, part, tokens, tools, what,
};
use crate::cli::ui::words::{count, share, thousands};
use crate::session::history::{Broken, History, LayerSum, Rebuild, Spent, rfc3339};

/// How many rebuilds are listed, the newest.
const MOST: usize = 500;

/// The whole picture; `store` is the option that leads to the store, if the call had one.
pub(super) fn draw(html: &mut Html, history: &History, store: Option<&str>) {
    html.markup(
        "<section id=\"prefix\" aria-labelledby=\"h-prefix\"><h2 id=\"h-prefix\">Prefix</h2>",
    );
    let costs = cost::lines(history);
    let notes = [
        ("cold", cold(history)),
        ("tokens", counted(history)),
        ("tools", tools(history)),
        ("gone", gone(history)),
    ];
    let head = head(history);
    let notes: Vec<_> = notes
        .into_iter()
        .filter_map(|(word, text)| Some((word, text?)))
        .collect();
    let all = head.iter().map(|(word, text)| (*word, text.as_str()));
    let all = all.chain(costs.iter().map(|text| ("cost", text.as_str())));
    lines(
        html,
        all.chain(notes.iter().map(|(word, text)| (*word, text.as_str()))),
    );
    html.markup("</section>");
    if history.all.rebuilds > 0 {
        search::form(html, "the history");
    }
    if !history.layers.is_empty() {
        layers(html, history);
    }
    if !history.causes.is_empty() {
        causes(html, history);
    }
    if history.all.rebuilds > 0 {
        reasons(html, history);
        time(html, history);
        rebuilds(html, history, store);
    }
}

/// A table of breaks: what broke, how often, what that rewrote, as a bar too, and what it cost if that is told.
struct Table<'a> {
    id: &'static str,
    title: &'static str,
    first: &'static str,
    middle: &'static [&'static str],
    history: &'a History,
}

struct Row<'a> {
    name: Box<dyn FnOnce(&mut Html) + 'a>,
    middle: Vec<String>,
    lost: usize,
    class: &'static str,
    spent: Option<Spent>,
    below: Vec<String>,
}

impl Table<'_> {
    fn draw(&self, html: &mut Html, rows: Vec<Row<'_>>) {
        let Self {
            id,
            title,
            first,
            middle,
            history,
        } = self;
        let heading = format!("h-{id}");
        html.open("section", &[("id", id), ("aria-labelledby", &heading)]);
        html.leaf("h2", &[("id", &heading)], title);
        html.open(
            "div",
            &[
                ("class", "scroll"),
                ("tabindex", "0"),
                ("role", "group"),
                ("aria-labelledby", &heading),
            ],
        );
        html.markup("<table class=\"sums\"><thead><tr>");
        html.leaf("th", &[("scope", "col")], first);
        html.markup("<th scope=\"col\" class=\"wide\">rewritten</th>");
        let last = history.cost.as_ref().map(cost::head);
        for name in middle
            .iter()
            .copied()
            .chain(["tokens", "share"])
            .chain(last)
        {
            html.leaf("th", &[("scope", "col"), ("class", "n")], name);
        }
        html.markup("</tr></thead><tbody>");
        let most = rows.iter().map(|row| row.lost).max().unwrap_or(0);
        for row in rows {
            self.row(html, row, most);
        }
        html.markup("</tbody></table></div></section>");
    }

    fn row(&self, html: &mut Html, row: Row<'_>, most: usize) {
        let history = self.history;
        html.markup("<tr><th scope=\"row\">");
        (row.name)(html);
        for line in &row.below {
            html.said("p", &[], line);
        }
        html.markup("</th><td class=\"wide\">");
        share_bar(html, row.lost, most, row.class);
        html.markup("</td>");
        let sums = [
            tokens(row.lost, history),
            share(row.lost, history.all.lost.tokens),
        ];
        let spent = history
            .cost
            .as_ref()
            .map(|cost| cost::cell(row.spent, cost));
        for cell in row.middle.into_iter().chain(sums).chain(spent) {
            html.leaf("td", &[("class", "n")], &cell);
        }
        html.markup("</tr>");
    }
}

fn layers(html: &mut Html, history: &History) {
    let row = |sum: &LayerSum| {
        let (name, changes) = (layer(sum, history), sum.changes);
        let times = |cause: &crate::session::history::CauseSum| {
            let times = match cause.broke {
                1 => "once".to_owned(),
                n => format!("{} times", thousands(n)),
            };
            format!("{}, {times}", what(&cause.cause))
        };
        Row {
            name: Box::new(move |html| {
                html.leaf("b", &[], &name);
                if let Some(changes) = changes {
                    html.text(" ");
                    chip(html, changes);
                }
            }),
            middle: vec![thousands(sum.broke), thousands(sum.hidden)],
            lost: sum.lost.tokens,
            class: sum.changes.map_or("used", crate::prompt::Changes::name),
            spent: sum.cost,
            below: sum.causes.iter().map(times).collect(),
        }
    };
    let table = Table {
        id: "layers",
        title: "Layers",
        first: "layer, and why it broke the prefix",
        middle: &["breaks", "hidden"],
        history,
    };
    table.draw(html, history.layers.iter().map(row).collect());
}

fn causes(html: &mut Html, history: &History) {
    let rows = history.causes.iter().map(|row| Row {
        name: Box::new(|html| html.text(row.kind.name())),
        middle: vec![thousands(row.broke)],
        lost: row.lost.tokens,
        class: "used",
        spent: row.cost,
        below: Vec::new(),
    });
    let table = Table {
        id: "causes",
        title: "Causes",
        first: "cause",
        middle: &["breaks"],
        history,
    };
    table.draw(html, rows.collect());
}

fn reasons(html: &mut Html, history: &History) {
    let rows = history.reasons.iter().map(|row| Row {
        name: Box::new(|html| html.text(&row.reason)),
        middle: vec![thousands(row.sum.rebuilds), thousands(row.sum.broke)],
        lost: row.sum.lost.tokens,
        class: "used",
        spent: row.sum.cost,
        below: Vec::new(),
    });
    let table = Table {
        id: "reasons",
        title: "Reasons",
        first: "why it was built anew",
        middle: &["rebuilds", "breaks"],
        history,
    };
    table.draw(html, rows.collect());
}

fn time(html: &mut Html, history: &History) {
    let times = &history.times;
    let buckets = times.buckets.first().zip(times.buckets.last());
    let (Some(strip), Some((first, last))) = (strip(times, false), buckets) else {
        return;
    };
    html.markup("<section id=\"time\" aria-labelledby=\"h-time\"><h2 id=\"h-time\">Time</h2>");
    html.leaf(
        "p",
        &[("class", "strip"), ("aria-hidden", "true")],
        &strip.drawn,
    );
    let (from, to) = (part(times.by, first.start), part(times.by, last.start));
    let word = strip::parts(times.by);
    let each = match strip.each {
        1 => String::new(),
        n => format!(", a sign is {n} {word}"),
    };
    let most = most(history).map_or(String::new(), |most| format!("; {most}"));
    html.leaf(
        "p",
        &[],
        &format!("{word} from {from} to {to} UTC{each}{most}"),
    );
    html.leaf("p", &[("class", "legend")], strip::legend(false));
    html.markup("</section>");
}

fn rebuilds(html: &mut Html, history: &History, store: Option<&str>) {
    html.markup(
        "<section id=\"rebuilds\" aria-labelledby=\"h-rebuilds\"><h2 id=\"h-rebuilds\">Rebuilds</h2>\
         <div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-labelledby=\"h-rebuilds\"><table class=\"list\">\
         <thead><tr><th scope=\"col\">rebuild</th>\
         <th scope=\"col\">layer and cause</th><th scope=\"col\" class=\"n\">kept</th>\
         <th scope=\"col\" class=\"n\">rewritten</th></tr></thead><tbody>",
    );
    for rebuild in history.rebuilds.iter().rev().take(MOST) {
        one(html, rebuild, store);
    }
    html.markup("</tbody></table></div>");
    let more = history.rebuilds.len().saturating_sub(MOST);
    if more > 0 {
        let text = format!("{} before these.", count(more, "rebuild"));
        html.leaf("p", &[("class", "none")], &text);
    }
    html.markup("</section>");
}

fn one(html: &mut Html, rebuild: &Rebuild, store: Option<&str>) {
    let change = &rebuild.change;
    html.markup("<tr>");
    html.markup("<th scope=\"row\">");
    let (session, from, to) = (&rebuild.session, rebuild.from, rebuild.to);
    html.leaf("b", &[], session);
    html.text(&format!(" {from} → {to}"));
    let at = rfc3339(rebuild.at);
    html.leaf("p", &[], &format!("{} UTC", at.trim_end_matches('Z')));
    html.leaf("p", &[], &rebuild.reason);
    html.markup("</th>");
    html.markup("<td>");
    match &change.broken {
        None => html.text("the same bytes"),
        Some(broken) => {
            broke(html, broken, "");
            for hidden in &change.hidden {
                html.markup("<p>");
                broke(html, hidden, "hidden: ");
                html.markup("</p>");
            }
            let operand = |n: u64| argument(&format!("session:{session}@{n}"));
            let store = store.map(|named| format!(" {named}")).unwrap_or_default();
            let look = format!("promptc diff {} {}{store}", operand(from), operand(to));
            html.markup("<p>");
            html.leaf("code", &[], &look);
            html.markup("</p>");
        }
    }
    html.markup("</td>");
    for size in [&change.kept, &change.lost] {
        let text = size.counted().map_or_else(
            || count(size.bytes, "byte"),
            |t| {
                format!(
                    "{}{}",
                    if t.estimate { "~" } else { "" },
                    thousands(t.count)
                )
            },
        );
        html.leaf("td", &[("class", "n")], &text);
    }
    html.markup("</tr>");
}

fn broke(html: &mut Html, broken: &Broken, word: &'static str) {
    html.text(word);
    html.leaf("b", &[], broken.layer.as_deref().unwrap_or("(no layer)"));
    if let Some(changes) = broken.changes {
        html.text(" ");
        chip(html, changes);
    }
    let causes: Vec<String> = broken.causes.iter().map(what).collect();
    if !causes.is_empty() {
        html.text(" ");
        html.prose(&causes.join("; "));
    }
}
