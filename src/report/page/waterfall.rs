//! The requests of a log: a row for each, which opens to its causes, and the texts that these are about.

use super::section;
use crate::project::capture::{Detail, RequestComparison};
use crate::report::html::{self, Html, WIDTH, rect};
use crate::report::requests::{
    brief, diagnosed, edited, evidence, gap, named, remedy, share, state, told, totals,
};
use crate::report::words::{count, thousands};
use crate::report::{Document, Fact, Facts, Text};
use crate::request::whole::{Cause, State};
use crate::text::passage::{Passage, passages};
use std::collections::BTreeMap;

/// The most bytes of texts in a page.
const MOST_OF_TEXTS: usize = 8_000_000;

/// The most bytes of a line that a cause shows.
const MOST_OF_LINE: usize = 400;

/// The most causes of a request that are told one by one.
const MOST_CAUSES: usize = 50;

/// What the parts of a bar are called, by their class.
const BAR: [(&str, &str); 3] = [
    ("reused", "reused"),
    ("again", "read again, though the request before has it too"),
    ("new", "new"),
];

type Row = (RequestComparison, Detail);

/// The rows, then the texts.
pub(super) fn draw(html: &mut Html, all: &[Row]) {
    let mut groups: Vec<(&str, Vec<&Row>)> = Vec::new();
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for row in all {
        let name = row.0.conversation.as_str();
        let at = *places.entry(name).or_insert(groups.len());
        match groups.get_mut(at) {
            Some((_, rows)) => rows.push(row),
            None => groups.push((name, vec![row])),
        }
    }
    let mut texts = Texts::default();
    section(html, "requests", "Requests", |html| {
        filter(html, all, &groups);
        legend(html);
        let widest = all.iter().map(|(one, more)| bytes(one, more).iter().sum());
        let widest = widest.max().unwrap_or(0);
        html.markup("<div id=\"waterfall\">");
        for (at, (name, rows)) in groups.iter().enumerate() {
            conversation(html, at, name, rows, widest, &mut texts);
        }
        html.markup("</div>");
    });
    if !texts.all.is_empty() {
        section(html, "texts", "Texts", |html| texts.draw(html));
    }
}

/// The script shows it, since nothing is filtered without one.
fn filter(html: &mut Html, all: &[Row], groups: &[(&str, Vec<&Row>)]) {
    html.markup("<form id=\"filter\" hidden>");
    let names = groups.iter().enumerate();
    let names = names.map(|(at, (name, rows))| (at.to_string(), *name, rows.len()));
    select(html, "of-conversation", "Conversation", names);
    let mut states: BTreeMap<&str, usize> = BTreeMap::new();
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for (one, _) in all {
        *states.entry(state(one.state)).or_default() += 1;
        for kind in kinds_of(one) {
            *kinds.entry(kind).or_default() += 1;
        }
    }
    for (id, label, words) in [("of-state", "State", states), ("of-cause", "Cause", kinds)] {
        let words = words.into_iter();
        select(
            html,
            id,
            label,
            words.map(|(word, n)| (word.to_owned(), word, n)),
        );
    }
    html.markup("<output id=\"shown\" for=\"of-conversation of-state of-cause\"></output></form>");
}

fn select<'a>(
    html: &mut Html,
    id: &'static str,
    label: &'static str,
    options: impl Iterator<Item = (String, &'a str, usize)>,
) {
    html.markup("<label>");
    html.text(label);
    html.text(" ");
    html.open("select", &[("id", id), ("autocomplete", "off")]);
    html.markup("<option value=\"*\">all</option>");
    for (value, name, n) in options {
        let name = format!("{name} ({})", thousands(n));
        html.leaf("option", &[("value", &value)], &name);
    }
    html.markup("</select></label>");
}

/// The kinds of its causes, each once.
fn kinds_of(one: &RequestComparison) -> Vec<&'static str> {
    let mut kinds: Vec<&str> = one.causes.iter().map(|cause| cause.kind.name()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

fn legend(html: &mut Html) {
    html.markup("<p class=\"legend\">The bytes of a request: ");
    for (class, words) in BAR {
        html.markup("<svg class=\"swatch\" viewBox=\"0 0 30 24\" aria-hidden=\"true\">");
        rect(html, class, 0, 30);
        html.markup("</svg>");
        html.leaf("span", &[], words);
        html.text(" ");
    }
    html.markup("</p>");
}

/// What of a request is reused, read again and new.
fn bytes(one: &RequestComparison, more: &Detail) -> [usize; 3] {
    match one.state {
        State::Incomplete => [0; 3],
        _ => [
            one.reused.bytes,
            more.not_reused.rewritten,
            more.not_reused.new,
        ],
    }
}

fn conversation(
    html: &mut Html,
    at: usize,
    name: &str,
    rows: &[&Row],
    widest: usize,
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
    html.text(name);
    html.text(" ");
    let totals = totals(rows.iter().map(|(one, _)| one));
    html.leaf(
        "small",
        &[],
        &format!("{}: {totals}", count(rows.len(), "request")),
    );
    html.close("h3");
    let mut lanes: BTreeMap<&str, usize> = BTreeMap::new();
    for (one, more) in rows {
        let next = lanes.len();
        let lane = *lanes.entry(&one.lane).or_insert(next);
        self::row(html, one, more, lane, widest, texts);
    }
    html.close("section");
}

fn row(
    html: &mut Html,
    one: &RequestComparison,
    more: &Detail,
    lane: usize,
    widest: usize,
    texts: &mut Texts,
) {
    let state = state(one.state);
    let (id, kinds) = (format!("r{}", one.b), kinds_of(one).join(" "));
    let class = format!("request {state}");
    let mut attrs = vec![
        ("class", class.as_str()),
        ("id", &id),
        ("data-state", state),
    ];
    if !kinds.is_empty() {
        attrs.push(("data-kinds", &kinds));
    }
    html.open("details", &attrs);
    html.markup("<summary>");
    html.leaf("span", &[("class", "n")], &format!("#{}", one.b));
    html.text(" ");
    let time = more.time.map(|time| time.strftime("%F %T").to_string());
    html.leaf("span", &[("class", "time")], &time.unwrap_or_default());
    html.text(" ");
    // Lanes of a conversation are named by it.
    let own = one.lane.strip_prefix(&one.conversation);
    let own = own.and_then(|own| own.strip_prefix('/'));
    let own = own.map_or(one.lane.clone(), |own| format!("lane {own}"));
    let class = ["lane", "lane in-1", "lane in-2", "lane in-3"][lane.min(3)];
    html.leaf("span", &[("class", class)], &own);
    html.text(" ");
    html.leaf("b", &[("class", "state")], state);
    html.text(" ");
    bar(html, bytes(one, more), widest);
    html.open("span", &[("class", "n")]);
    let share = share(one);
    html.text(&share);
    if !share.is_empty() {
        html.markup("<span class=\"unseen\"> reused</span>");
    }
    html.markup("</span> ");
    html.leaf("span", &[("class", "why")], &brief(one));
    html.markup("</summary>");
    panel(html, one, more, texts);
    html.close("details");
}

fn bar(html: &mut Html, bytes: [usize; 3], widest: usize) {
    html.markup("<svg class=\"picture\" viewBox=\"0 0 1000 24\" preserveAspectRatio=\"none\" aria-hidden=\"true\">");
    let place = |at: usize| at.saturating_mul(WIDTH).checked_div(widest).unwrap_or(0);
    let mut from = 0;
    for (bytes, (class, _)) in bytes.into_iter().zip(BAR) {
        let to = from + bytes;
        if bytes > 0 {
            rect(html, class, place(from), (place(to) - place(from)).max(3));
        }
        from = to;
    }
    html.markup("</svg>");
}

/// What a row opens to.
fn panel(html: &mut Html, one: &RequestComparison, more: &Detail, texts: &mut Texts) {
    html.markup("<div class=\"panel\">");
    let mut facts = Vec::new();
    if let Some(a) = one.a {
        let gap = one.gap.map(gap).map(|gap| format!(", {gap} before"));
        let text = Text::new().link(format!("r{a}"), format!("#{a}"));
        facts.push(Fact::new("after", text.words(gap.unwrap_or_default())));
    }
    if let Some(reason) = &one.reason {
        facts.push(Fact::new("reason", Text::new().code(reason)));
    }
    if one.state != State::Incomplete {
        let [reused, again, new] = bytes(one, more).map(thousands);
        let words = format!("{reused} reused, {again} read again, {new} new");
        facts.push(Fact::new("bytes", words));
    }
    facts.extend((one.edits.iter()).map(|edit| Fact::new("server", edited(edit))));
    if let Some(said) = &one.diagnosis {
        facts.push(Fact::new("provider", Text::new().code(diagnosed(said))));
    }
    if let Some(agent) = &one.agent {
        facts.push(Fact::new("agent", Text::new().code(named(agent))));
    }
    let model = Text::new().code(&one.model);
    facts.push(Fact::new(
        "model",
        model.words(format!(", {}", one.api.name())),
    ));
    facts.push(Fact::new("lane", Text::new().code(&one.lane)));
    if let Some(origin) = &more.origin {
        let line = origin.line.map_or(String::new(), |line| format!(":{line}"));
        facts.push(Fact::new(
            "source",
            Text::new().code(format!("{}{line}", origin.file)),
        ));
    }
    let mut document = Document::new();
    document.facts(Facts {
        facts,
        ..Facts::default()
    });
    html::blocks(html, &document, "h-requests");
    if !one.causes.is_empty() {
        html.markup("<ol class=\"causes\">");
        for (at, cause) in one.causes.iter().take(MOST_CAUSES).enumerate() {
            self::cause(html, one, cause, more.texts.get(at), texts);
        }
        html.markup("</ol>");
    }
    if let more @ 1.. = one.causes.len().saturating_sub(MOST_CAUSES) {
        html.leaf(
            "p",
            &[("class", "none")],
            &format!("and {} more", thousands(more)),
        );
    }
    html.close("div");
}

fn cause(
    html: &mut Html,
    one: &RequestComparison,
    cause: &Cause,
    both: Option<&[Option<Passage>; 2]>,
    texts: &mut Texts,
) {
    html.markup("<li>");
    html.leaf("b", &[], &told(cause));
    let lines = passages(cause.old.as_deref(), cause.new.as_deref(), MOST_OF_LINE);
    if lines.iter().any(Option::is_some) {
        html.markup("<div class=\"diff\">");
        for ((tag, sign), line) in [("del", "- "), ("ins", "+ ")].into_iter().zip(&lines) {
            let Some(line) = line else { continue };
            html.open(tag, &[]);
            html.text(sign);
            let gap = |bytes: usize| if bytes > 0 { "…" } else { "" };
            html.text(gap(line.before));
            html.verbatim(&line.text);
            html.text(gap(line.after));
            html.close(tag);
        }
        html.markup("</div>");
    }
    if let Some(advice) = &cause.advice {
        html.open("p", &[("class", "fix")]);
        html.text(&remedy(advice));
        html.text(" ");
        html.leaf("small", &[], &evidence(advice));
        html.close("p");
    }
    if let Some(both) = both.filter(|both| both.iter().any(Option::is_some)) {
        html.markup("<div class=\"both\">");
        let [a, b] = [one.a.unwrap_or_default(), one.b];
        for (request, word, passage) in [(a, "before", &both[0]), (b, "after", &both[1])] {
            let Some(passage) = passage else { continue };
            let label = format!("{} of #{request}", cause.at);
            match texts.place(passage, &label) {
                Some(at) => {
                    let href = format!("#t{at}");
                    let mut attrs = vec![("href", href.as_str())];
                    let line = passage.at.map(|at| passage.text[..at].matches('\n').count());
                    let line = line.map(|line| line.to_string());
                    attrs.extend(line.as_deref().map(|line| ("data-line", line)));
                    html.leaf("a", &attrs, &format!("{word}: {label}"));
                }
                None => html.leaf(
                    "p",
                    &[("class", "none")],
                    &format!("{word}: {label} is left out, as the page has its most of texts; one of a conversation has more"),
                ),
            }
            html.text(" ");
        }
        html.markup("</div>");
    }
    html.markup("</li>");
}

/// The texts of a page, each once.
#[derive(Default)]
struct Texts {
    all: Vec<(String, Passage)>,
    places: BTreeMap<(String, usize, usize), usize>,
    bytes: usize,
}

impl Texts {
    /// The place of a text, from 1. None if the page has no room for it.
    fn place(&mut self, passage: &Passage, label: &str) -> Option<usize> {
        let key = (passage.text.clone(), passage.before, passage.after);
        if let Some(at) = self.places.get(&key) {
            return Some(*at);
        }
        let bytes = self.bytes + passage.text.len();
        if bytes > MOST_OF_TEXTS {
            return None;
        }
        self.bytes = bytes;
        self.all.push((label.to_owned(), passage.clone()));
        self.places.insert(key, self.all.len());
        Some(self.all.len())
    }

    fn draw(&self, html: &mut Html) {
        for (at, (label, passage)) in self.all.iter().enumerate() {
            html.markup("<details class=\"whole\"><summary>");
            let size = passage.before + passage.text.len() + passage.after;
            html.text(&format!("{label}, {}", count(size, "byte")));
            html.markup("</summary>");
            html.open("div", &[("id", &format!("t{}", at + 1))]);
            left_out(html, passage.before, "in front");
            html.markup("<div class=\"text\">");
            html.verbatim(&passage.text);
            html.markup("</div>");
            left_out(html, passage.after, "behind");
            html.markup("</div></details>");
        }
    }
}

fn left_out(html: &mut Html, bytes: usize, place: &str) {
    if bytes > 0 {
        let words = format!("{} {place} are left out", count(bytes, "byte"));
        html.leaf("p", &[("class", "none")], &words);
    }
}
