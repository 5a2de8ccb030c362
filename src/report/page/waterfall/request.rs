//! The row of a request, and what it opens to.

use super::drawn::Drawn;
use super::filter::BAR;
use super::fixes::{Fixes, MOST_CAUSES};
use super::row::{Row, bytes, kinds_of};
use super::talk::{Talk, model};
use super::texts::Texts;
use crate::project::capture::{Detail, RequestComparison};
use crate::report::html::{self, Html};
use crate::report::requests::{
    brief, diagnosed, edited, gap, judge, lines, named, share, state, told,
};
use crate::report::words::thousands;
use crate::report::{Document, Fact, Facts, Text};
use crate::request::whole::Cause;
use crate::text::passage::Passage;

/// The most bytes of a line that a cause shows.
const MOST_OF_LINE: usize = 400;

/// The row of a request, and what it opens to.
pub(super) fn request(
    html: &mut Html,
    (one, more): &Row,
    chain: usize,
    talk: &Talk<'_>,
    drawn: &Drawn<'_>,
    texts: &mut Texts,
) {
    row(html, one, more, (chain, drawn.widest));
    panel(html, one, more, (talk.model.is_some(), drawn), texts);
    html.close("details");
}

/// The line of a request. There are thousands of them, so its parts are styled by their places.
fn row(html: &mut Html, one: &RequestComparison, more: &Detail, (chain, widest): (usize, usize)) {
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
    // Chains of a conversation are named by it.
    let own = one.chain.strip_prefix(&one.conversation);
    let own = own.and_then(|own| own.strip_prefix('/'));
    let own = own.map_or(one.chain.clone(), |own| format!("chain {own}"));
    let indented = ["", "in-1", "in-2", "in-3"][chain.min(3)];
    let class = [("class", indented)];
    html.leaf("span", if chain == 0 { &[] } else { &class }, &own);
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
fn plain(
    html: &mut Html,
    after: Option<(&str, Text)>,
    [reused, new]: [String; 2],
    origin: Option<&str>,
) {
    html.markup("<p class=\"panel\">");
    let text = match after {
        Some((word, after)) => Text::new()
            .words(format!("{word} "))
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
        let text = if drawn.has(a) {
            Text::new().link(format!("r{a}"), number)
        } else {
            number.into()
        };
        let word = if one.across { "like" } else { "after" };
        (word, text.words(gap.unwrap_or_default()))
    });
    let is_plain = one.causes.is_empty() && one.edits.is_empty();
    if is_plain && is_one && one.reason.is_none() && one.diagnosis.is_none() {
        return plain(html, after, [reused, new], origin.as_deref());
    }
    html.markup("<div class=\"panel\">");
    let mut facts = Vec::new();
    facts.extend(after.map(|(word, text)| Fact::new(word, text)));
    if let Some(reason) = &one.reason {
        facts.push(Fact::new("reason", Text::new().code(reason)));
    }
    if one.state.is_compared() {
        let words = format!("{reused} reused, {again} read again, {new} new");
        facts.push(Fact::new("bytes", words));
    }
    facts.extend((one.edits.iter()).map(|edit| Fact::new("server", edited(edit))));
    if let Some(said) = &one.diagnosis {
        facts.push(Fact::new(judge(said), Text::new().code(diagnosed(said))));
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
    let lines = lines(cause, MOST_OF_LINE);
    if lines.iter().any(Option::is_some) {
        html.markup("<div class=\"diff\">");
        for (tag, line) in ["del", "ins"].into_iter().zip(&lines) {
            if let Some(line) = line {
                html.leaf(tag, &[], line);
            }
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
