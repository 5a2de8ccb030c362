//! A header with an id at the head of the prompt.

use crate::check::page::{Page, pattern};
use crate::check::random::{is_made_up, is_varied};
use crate::check::texts::Search;
use crate::check::{Rule, RuleInput};
use crate::diagnostic::{Code, ExitClass, Severity};
use crate::prompt::Changes;
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

pub(super) static RULE: Rule = Rule {
    code: Code {
        name: "request-header",
        exit: ExitClass::Success,
        summary: "a document or fact in a stable layer begins with a header with the id of a request or a trace",
        detail: "A header that differs at each request, at the start of the text, makes the whole prompt miss the cache. Send it as part of the request, not of its text. If it must be in the text, deliver it with the turn (`deliver=user`).",
    },
    severity: Severity::Warning,
    waivable: true,
    looks: &[RuleInput::Text(&SEARCH)],
};

static SEARCH: Search = Search {
    fits: Some(Changes::Turn),
    what: "a header with an id",
    help: "keep headers out of the prompt: they belong to the request",
    find: Some(find),
};

/// The part of the prompt, and the number of lines of a document, that count as its head.
const HEAD: usize = 2000;
const FIRST_LINES: usize = 5;

/// A header with a value.
static HEADER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^[ \t>*_-]*(x-[a-z0-9-]+|(?:[a-z-]*request|correlation|trace|span)-id|cf-ray)[*_]*:[ \t]*(\S[^\n]*)$",
    )
});

/// Headers with an unmistakable format, anywhere in the text.
static SURE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"\bcc_version=[^\s;]+;[^\n]*\bcch=[0-9a-z]+",
        r"|\bx-[a-z0-9-]*billing-header:[^\n]*=[^\s;]*\d",
        r"|\btraceparent[ \t]*[:=][ \t]*\d\d-[0-9a-f]{32}-[0-9a-f]{16}-\d\d\b",
        "|\\b(?:trace|span)[ _-]?id[\"*_]*[ \t]*[:=>][ \t*_\"']*[0-9a-f]{16,32}\\b",
    ))
});

fn find(page: &Page) -> Vec<Range<usize>> {
    let words = ["cc_version", "billing-header", "trace", "span"];
    let sure = page.find_if(page.has(&words), &SURE).into_iter();
    let mut hits: Vec<Range<usize>> = sure
        .filter(|hit| {
            let text = &page.lower[hit.clone()];
            let id = text.rsplit(['=', ':', '>', ' ', '"', '\'']).next();
            !text.contains("id") || id.is_some_and(|id| is_varied(id, 6))
        })
        .collect();
    let headed = page.has(&["x-", "-id", "cf-ray"]) && page.hints.word >= 5;
    for found in headed
        .then(|| HEADER.captures_iter(&page.lower))
        .into_iter()
        .flatten()
    {
        let (Some(name), Some(value)) = (found.get(1), found.get(2)) else {
            continue;
        };
        let known = hits.iter().any(|h| h.contains(&name.start()));
        if !known
            && is_head(page, name.start())
            && has_id(value.as_str())
            && !page.is_example(name.start())
        {
            hits.push(name.start()..value.end());
        }
    }
    hits.sort_by_key(|hit| hit.start);
    hits
}

/// Whether it is near the top of the prompt or of the layer.
fn is_head(page: &Page, at: usize) -> bool {
    let lines = page.lower[..at].lines().filter(|l| !l.trim().is_empty());
    page.start + at < HEAD || lines.count() < FIRST_LINES
}

/// Whether a word of the value looks drawn at random.
fn has_id(value: &str) -> bool {
    let mut words = value.split(|c: char| !c.is_ascii_alphanumeric());
    words.any(|word| is_made_up(word) || word.len() >= 12 && is_varied(word, 8))
}
