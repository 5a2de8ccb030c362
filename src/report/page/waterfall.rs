//! The requests of a log: what broke, a row for each request, which opens to its causes, and the texts that these are about.

use super::section;
use crate::project::capture::{Detail, RequestComparison};
use crate::report::history::argument;
use crate::report::html::{self, Html, rect};
use crate::report::requests::{
    action, brief, diagnosed, edited, evidence, gap, named, remedy, share, state, told, totals,
};
use crate::report::words::{count, share as share_of, thousands};
use crate::report::{Cell, Document, Fact, Facts, Table, Text};
use crate::request::provider::amount::Usd;
use crate::request::whole::{Advice, Cause, State};
use crate::text::passage::{Passage, passages};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// The most bytes of a page, as far as texts can be cut so that they fit.
const MOST_OF_PAGE: usize = 1_920_000;

/// The bytes of the heading of a conversation without its name, and of its place in the filter.
const HEADING: usize = 500;

/// The most breaks that are named as the most expensive.
const MOST_WORST: usize = 10;

/// The least bytes of each text.
const LEAST_OF_TEXT: usize = 500;

/// The most bytes of each text, by how much room there is.
const TEXTS: [usize; 5] = [20_000, 8_000, 4_000, 2_000, 1_000];

/// The most bytes of a line that a cause shows.
const MOST_OF_LINE: usize = 400;

/// The most causes of a request that are shown one by one.
const MOST_CAUSES: usize = 50;

/// The names of the parts of a bar, by their class.
const BAR: [(&str, &str); 3] = [
    ("reused", "reused"),
    ("again", "read again, though the request before has it too"),
    ("new", "new"),
];

type Row = (RequestComparison, Detail);

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
    drawn.rows = drawn.fitting(&order, MOST_OF_PAGE.saturating_sub(broken.len()));
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

/// The requests of a conversation.
struct Talk<'a> {
    name: &'a str,
    rows: Vec<&'a Row>,
    /// The model of all of them, if it is one.
    model: Option<String>,
}

/// The conversations, in the order of the log.
fn talks(all: &[Row]) -> Vec<Talk<'_>> {
    let mut out: Vec<Talk<'_>> = Vec::new();
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for row in all {
        let name = row.0.conversation.as_str();
        let at = *places.entry(name).or_insert(out.len());
        match out.get_mut(at) {
            Some(talk) => talk.rows.push(row),
            None => out.push(Talk {
                name,
                rows: vec![row],
                model: None,
            }),
        }
    }
    for talk in &mut out {
        let first = model(&talk.rows[0].0);
        let is_one = talk.rows.iter().all(|(one, _)| model(one) == first);
        talk.model = is_one.then_some(first);
    }
    out
}

/// The loss of a request: dollars, tokens and bytes, as far as they are known.
fn loss((one, more): &Row) -> (Usd, u64, usize) {
    let lost = one.bill.iter().flat_map(|bill| &bill.lost);
    let (usd, tokens) = lost.fold((Usd::default(), 0), |(usd, tokens), lost| {
        let cost = lost.cost.map_or(Usd::default(), |cost| cost.0);
        (usd + cost, tokens + lost.tokens)
    });
    (usd, tokens, more.not_reused.rewritten)
}

/// The rows to draw, and the settings that they share.
struct Drawn<'a> {
    fixes: &'a Fixes<'a>,
    /// The bytes of the largest request.
    widest: usize,
    talks: Vec<Talk<'a>>,
    /// The numbers of the requests that have a row.
    rows: BTreeSet<usize>,
}

impl Drawn<'_> {
    fn has(&self, number: usize) -> bool {
        self.rows.contains(&number)
    }

    /// The first of these requests that have room with their texts.
    fn fitting(&self, order: &[&Row], room: usize) -> BTreeSet<usize> {
        let talks = self.talks.iter().map(|talk| (talk.name, talk));
        let talks: BTreeMap<&str, &Talk<'_>> = talks.collect();
        let (mut names, mut out) = (BTreeSet::new(), BTreeSet::new());
        let (mut texts, mut bytes) = (Texts::default(), 0);
        for row in order {
            let name = row.0.conversation.as_str();
            let mut part = Html::default();
            let before = texts.all.len();
            request(&mut part, row, 0, talks[name], self, &mut texts);
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
}

/// The breaks that cost most, if there are more than one sees at a glance.
fn worst(html: &mut Html, order: &[&Row], drawn: &Drawn<'_>) {
    let breaks = order.iter().filter(|row| is_break(row));
    if breaks.clone().count() <= MOST_WORST {
        return;
    }
    let breaks: Vec<_> = breaks.take(MOST_WORST).collect();
    let priced = breaks.iter().any(|row| loss(row).0 > Usd::default());
    let mut columns = vec![
        "request",
        "conversation",
        "first cause",
        ">bytes read again",
    ];
    columns.extend(priced.then_some(">lost"));
    let mut table = Table::new(&columns);
    for row in breaks {
        let (one, more) = row;
        let number = format!("#{}", one.b);
        let number = match drawn.has(one.b) {
            true => Text::new().link(format!("r{}", one.b), number),
            false => number.into(),
        };
        let lost = priced.then(|| Cell::from(loss(row).0.to_string()));
        let cells = [
            number.into(),
            one.conversation.clone().into(),
            brief(one).into(),
            thousands(more.not_reused.rewritten).into(),
        ];
        table.row(cells.into_iter().chain(lost));
    }
    html.markup("<h3 id=\"h-worst\">Most expensive breaks</h3>");
    html::table(html, &table, "h-worst", "worst");
}

/// Whether `promptc diff` lists a request.
fn is_break((one, _): &Row) -> bool {
    matches!(one.state, State::Broken | State::Expired)
}

/// How many requests have no row, and the command that lists them.
fn left(html: &mut Html, name: &str, order: &[&Row], drawn: &Drawn<'_>) {
    let left = order.iter().filter(|row| !drawn.has(row.0.b));
    if left.clone().next().is_none() {
        return;
    }
    let again = |rows: &mut dyn Iterator<Item = &&Row>| -> usize {
        rows.map(|row| row.1.not_reused.rewritten).sum()
    };
    let breaks = left.clone().filter(|row| is_break(row)).count();
    let others = left.clone().count() - breaks;
    let share = share_of(again(&mut left.clone()), again(&mut order.iter()));
    let mut without = Vec::new();
    if breaks > 0 {
        without.push(format!(
            "{} with {share} of the bytes that were read again",
            count(breaks, "break")
        ));
    }
    if others > 0 {
        without.push(format!("{} that broke nothing", count(others, "request")));
    }
    let words = format!(
        "{} of {} have a row: those that lost most. {} not shown. This lists every break; `--conversation ID` has a page of one conversation:",
        thousands(drawn.rows.len()),
        count(order.len(), "request"),
        match without.as_slice() {
            [one] if breaks + others == 1 => format!("{one} is"),
            all => format!("{} are", all.join(" and ")),
        }
    );
    html.said("p", &[("class", "left")], &words);
    html.markup("<p class=\"command\">");
    html.leaf("code", &[], &format!("promptc diff {}", argument(name)));
    html.markup("</p>");
}

/// How often a kind of cause was the first, and the bytes that were read again then.
fn kinds(all: &[Row]) -> Vec<(&'static str, usize, usize)> {
    let mut sums: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (one, more) in all {
        if let Some(first) = one.causes.first() {
            let (times, bytes) = sums.entry(first.kind.name()).or_default();
            *times += 1;
            *bytes += more.not_reused.rewritten;
        }
    }
    let sums = sums
        .into_iter()
        .map(|(kind, (times, bytes))| (kind, times, bytes));
    let mut sums: Vec<_> = sums.collect();
    sums.sort_by_key(|(_, _, bytes)| std::cmp::Reverse(*bytes));
    sums
}

fn broke(kinds: &[(&str, usize, usize)]) -> Table {
    let mut table = Table::new(&["first cause", "read again", ">requests", ">bytes", ">share"]);
    let all: usize = kinds.iter().map(|(.., bytes)| bytes).sum();
    let most = kinds.iter().map(|(.., bytes)| *bytes).max().unwrap_or(0);
    for (kind, times, bytes) in kinds {
        let part = *bytes;
        table.row([
            Cell::from(Text::new().name(*kind)),
            Cell::Share {
                part,
                most,
                changes: None,
            },
            thousands(*times).into(),
            thousands(*bytes).into(),
            share_of(*bytes, all).into(),
        ]);
    }
    table
}

/// The fixes, each once.
struct Fixes<'a>(Vec<(&'a Advice, usize)>);

impl<'a> Fixes<'a> {
    /// The fixes of all causes, the most frequent first.
    fn of(all: &'a [Row]) -> Self {
        let mut counts: BTreeMap<&Advice, usize> = BTreeMap::new();
        let causes = all
            .iter()
            .flat_map(|(one, _)| one.causes.iter().take(MOST_CAUSES));
        for advice in causes.filter_map(|cause| cause.advice.as_ref()) {
            *counts.entry(advice).or_default() += 1;
        }
        let mut out: Vec<_> = counts.into_iter().collect();
        out.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        Self(out)
    }

    fn draw(&self, html: &mut Html) {
        if self.0.is_empty() {
            return;
        }
        html.markup("<h3>What to do</h3><ol class=\"fixes\">");
        for (at, (advice, times)) in self.0.iter().enumerate() {
            html.open("li", &[("id", &format!("fix-{}", at + 1))]);
            html.prose(&remedy(advice));
            html.text(" ");
            let from = evidence(advice);
            html.leaf(
                "small",
                &[],
                &format!("{} of these causes; {from}", thousands(*times)),
            );
            html.close("li");
        }
        html.markup("</ol>");
    }

    /// A link to an advice, with what to do.
    fn link(&self, html: &mut Html, advice: &Advice) {
        let at = self.0.iter().position(|(known, _)| *known == advice);
        let number = at.unwrap_or_default() + 1;
        html.markup("<p class=\"fix\">");
        html.leaf(
            "a",
            &[("href", &format!("#fix-{number}"))],
            &format!("Fix {number}"),
        );
        html.text(": ");
        html.prose(&action(advice));
        html.markup("</p>");
    }
}

/// The script shows it, since nothing is filtered without one.
fn filter(html: &mut Html, shown: &[&Row], talks: &[Talk<'_>]) {
    html.markup("<form id=\"filter\" hidden>");
    let mut sizes: BTreeMap<&str, usize> = BTreeMap::new();
    for (one, _) in shown {
        *sizes.entry(&one.conversation).or_default() += 1;
    }
    let names = talks
        .iter()
        .filter_map(|talk| sizes.get_key_value(talk.name));
    let names = names.enumerate();
    let names = names.map(|(at, (name, rows))| (at.to_string(), *name, *rows));
    select(html, "of-conversation", "Conversation", names);
    let mut states: BTreeMap<&str, usize> = BTreeMap::new();
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for (one, _) in shown {
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
        html.markup("<span><svg class=\"swatch\" viewBox=\"0 0 30 24\" aria-hidden=\"true\">");
        rect(html, class, 0, 30);
        html.markup("</svg>");
        html.text(words);
        html.markup("</span> ");
    }
    html.markup("<span><svg class=\"swatch\" viewBox=\"0 0 30 24\" aria-hidden=\"true\">");
    rect(html, "mark", 12, 4);
    html.markup("</svg>breakpoint</span></p>");
}

/// The reused, the repeated and the new bytes of a request.
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
    let mut lanes: BTreeMap<&str, usize> = BTreeMap::new();
    for row in &talk.rows {
        let next = lanes.len();
        let lane = *lanes.entry(&row.0.lane).or_insert(next);
        if drawn.has(row.0.b) {
            request(html, row, lane, talk, drawn, texts);
        }
    }
    html.close("section");
}

/// The row of a request, and what it opens to.
fn request(
    html: &mut Html,
    (one, more): &Row,
    lane: usize,
    talk: &Talk<'_>,
    drawn: &Drawn<'_>,
    texts: &mut Texts,
) {
    row(html, one, more, (lane, drawn.widest));
    panel(html, one, more, (talk.model.is_some(), drawn), texts);
    html.close("details");
}

/// The model of a request and the API that it was sent to.
fn model(one: &RequestComparison) -> String {
    format!("{}, {}", one.model, one.api.name())
}

/// The line of a request. There are thousands of them, so its parts are styled by their places.
fn row(html: &mut Html, one: &RequestComparison, more: &Detail, (lane, widest): (usize, usize)) {
    let state = state(one.state);
    let (id, kinds) = (format!("r{}", one.b), kinds_of(one).join(" "));
    let class = format!("request {state}");
    let mut attrs = vec![("class", class.as_str()), ("id", &id)];
    if !kinds.is_empty() {
        attrs.push(("data-kinds", &kinds));
    }
    html.open("details", &attrs);
    html.markup("<summary>");
    html.leaf("span", &[], &format!("#{}", one.b));
    html.text(" ");
    let time = more.time.map(|time| time.strftime("%F %T").to_string());
    html.leaf("span", &[], &time.unwrap_or_default());
    html.text(" ");
    // Lanes of a conversation are named by it.
    let own = one.lane.strip_prefix(&one.conversation);
    let own = own.and_then(|own| own.strip_prefix('/'));
    let own = own.map_or(one.lane.clone(), |own| format!("lane {own}"));
    let indented = ["", "in-1", "in-2", "in-3"][lane.min(3)];
    let class = [("class", indented)];
    html.leaf("span", if lane == 0 { &[] } else { &class }, &own);
    html.text(" ");
    html.leaf("b", &[], state);
    html.text(" ");
    bar(html, bytes(one, more), &more.marked, widest);
    html.open("span", &[]);
    let share = share(one);
    html.text(&share);
    if !share.is_empty() {
        html.leaf("i", &[], " reused");
    }
    html.markup("</span> ");
    html.leaf("span", &[], &brief(one));
    html.markup("</summary>");
}

fn bar(html: &mut Html, bytes: [usize; 3], marked: &[usize], widest: usize) {
    html.markup("<svg>");
    let mut from = 0;
    for (bytes, (class, _)) in bytes.into_iter().zip(BAR) {
        if bytes > 0 {
            // What is narrower than a line is still visible.
            let width = bytes.max(widest / 300);
            let [x, width] = [from, width].map(|part| narrow(part, widest));
            let mut attrs = vec![("class", class), ("width", width.as_str())];
            if from > 0 {
                attrs.push(("x", &x));
            }
            html.shape("rect", &attrs);
        }
        from += bytes;
    }
    for at in marked.iter().filter(|at| **at <= from) {
        let x = narrow(*at, widest);
        html.shape("rect", &[("class", "mark"), ("x", &x)]);
    }
    html.markup("</svg>");
}

/// A share as an attribute of SVG, in thousandths: a bar is a few hundred points wide.
fn narrow(part: usize, whole: usize) -> String {
    let permille = (part * 1_000).checked_div(whole).unwrap_or(0);
    match permille % 10 {
        0 => format!("{}%", permille / 10),
        tenth => format!("{}.{tenth}%", permille / 10),
    }
}

/// The panel of a request that changes nothing before its end.
fn plain(html: &mut Html, after: Option<Text>, [reused, new]: [String; 2], origin: Option<&str>) {
    html.markup("<p class=\"panel\">");
    let text = match after {
        Some(after) => Text::new()
            .words("after ")
            .text(after)
            .words(format!("; {reused} bytes reused, {new} new")),
        None => Text::new().words(format!("{new} bytes")),
    };
    let text = match origin {
        Some(origin) => text.words("; ").code(origin),
        None => text,
    };
    html::inline(html, &text);
    html.markup("</p>");
}

/// The panel that a row opens. A request without findings has one line.
fn panel(
    html: &mut Html,
    one: &RequestComparison,
    more: &Detail,
    (is_one, drawn): (bool, &Drawn<'_>),
    texts: &mut Texts,
) {
    let [reused, again, new] = bytes(one, more).map(thousands);
    let origin = more.origin.as_ref().map(|origin| {
        let line = origin.line.map_or(String::new(), |line| format!(":{line}"));
        format!("{}{line}", origin.file)
    });
    let after = one.a.map(|a| {
        let gap = one.gap.map(gap).map(|gap| format!(", {gap} before"));
        let number = format!("#{a}");
        let text = match drawn.has(a) {
            true => Text::new().link(format!("r{a}"), number),
            false => number.into(),
        };
        text.words(gap.unwrap_or_default())
    });
    let is_plain = one.causes.is_empty() && one.edits.is_empty();
    if is_plain && is_one && one.reason.is_none() && one.diagnosis.is_none() {
        return plain(html, after, [reused, new], origin.as_deref());
    }
    html.markup("<div class=\"panel\">");
    let mut facts = Vec::new();
    facts.extend(after.map(|text| Fact::new("after", text)));
    if let Some(reason) = &one.reason {
        facts.push(Fact::new("reason", Text::new().code(reason)));
    }
    if one.state != State::Incomplete {
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
    if !is_one {
        facts.push(Fact::new("model", Text::new().code(model(one))));
    }
    facts.extend(origin.map(|origin| Fact::new("source", Text::new().code(origin))));
    let mut document = Document::new();
    document.facts(Facts {
        facts,
        ..Facts::default()
    });
    html::blocks(html, &document, "h-requests");
    if !one.causes.is_empty() {
        html.markup("<ol class=\"causes\">");
        for (at, cause) in one.causes.iter().take(MOST_CAUSES).enumerate() {
            self::cause(html, one, (cause, more.texts.get(at)), drawn.fixes, texts);
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
    (cause, both): (&Cause, Option<&[Option<Passage>; 2]>),
    fixes: &Fixes<'_>,
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
        fixes.link(html, advice);
    }
    if let Some(both) = both.filter(|both| both.iter().any(Option::is_some)) {
        html.markup("<div class=\"both\">");
        let [a, b] = [one.a.unwrap_or_default(), one.b];
        for (request, word, passage) in [(a, "before", &both[0]), (b, "after", &both[1])] {
            let Some(passage) = passage else { continue };
            let label = format!("{} of #{request}", cause.at);
            let href = format!("#t{}", texts.place(passage, &label));
            html.leaf("a", &[("href", &href)], &format!("{word}: {label}"));
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
}

impl Texts {
    /// The place of a text, from 1.
    fn place(&mut self, passage: &Passage, label: &str) -> usize {
        let key = (passage.text.clone(), passage.before, passage.after);
        if let Some(at) = self.places.get(&key) {
            return *at;
        }
        self.all.push((label.to_owned(), passage.clone()));
        self.places.insert(key, self.all.len());
        self.all.len()
    }

    /// All of them in `room` bytes: as much around each difference as there is room for.
    fn draw(&self, html: &mut Html, room: usize) {
        let drawn = TEXTS.into_iter().map(|most| {
            let mut part = Html::default();
            self.draw_from(&mut part, 0, most);
            part
        });
        let mut drawn = drawn.skip_while(|part| part.len() > room);
        match drawn.next() {
            Some(part) => html.append(&part),
            None => self.draw_from(html, 0, LEAST_OF_TEXT),
        }
    }

    /// The texts from an index on, each cut around its difference.
    fn draw_from(&self, html: &mut Html, from: usize, most: usize) {
        for (at, (label, passage)) in self.all.iter().enumerate().skip(from) {
            let passage = passage.cut(most);
            let id = format!("t{}", at + 1);
            let line = passage
                .at
                .map(|at| passage.text[..at].matches('\n').count().to_string());
            html.markup("<details class=\"whole\"><summary>");
            let size = passage.before + passage.text.len() + passage.after;
            html.text(&format!("{label}, {}", count(size, "byte")));
            html.markup("</summary>");
            let mut attrs = vec![("id", id.as_str())];
            attrs.extend(line.as_deref().map(|line| ("data-line", line)));
            html.open("div", &attrs);
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
