//! Today's date in a layer that changes less often than daily.

use crate::check::page::{Page, pattern};
use crate::check::rows::named;
use crate::check::texts::Search;
use crate::check::{Rule, RuleInput};
use crate::diagnostic::{Code, ExitClass, Severity};
use crate::prompt::Changes;
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

pub(super) static RULE: Rule = Rule {
    code: Code {
        name: "date-text",
        exit: ExitClass::Success,
        summary: "a document or fact with today's date is in a layer that changes less often than daily",
        detail: "At midnight the text changes, and everything after it is written to the cache again. Declare the fact or source `changes=day` and put its layer into a tier of that volatility, after more stable tiers.",
    },
    severity: Severity::Warning,
    waivable: true,
    looks: &[RuleInput::Text(&SEARCH)],
};

static SEARCH: Search = Search {
    fits: Some(Changes::Day),
    what: "the date of today",
    help: "declare it `changes=day` and move its layer into a tier of that volatility, after more stable tiers",
    find: Some(today),
};

/// The text before a hypothetical day.
static THOUGHT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:if|when|whether|unless|once|because|say|says|until|while|use|using|than|not|never)\b",
    )
});

/// A label that says today, and a date or a weekday.
fn today(page: &Page) -> Vec<Range<usize>> {
    let weekdays = [
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
    ];
    if !page.hints.date && !page.has(&weekdays) && !page.has(&["heute", "hoy", "oggi"]) {
        return Vec::new();
    }
    let mut hits = page.find(named(RULE.code.name, "today").regex());
    hits.retain(|hit| is_said(page, hit));
    hits
}

/// Whether the line says so: no condition, no other date, and no time, which is for `clock-text`.
fn is_said(page: &Page, hit: &Range<usize>) -> bool {
    let line = page.line(hit.start);
    let before = &page.lower[line.start..hit.start];
    let behind = &page.lower[hit.end..line.end];
    let text = &page.lower[hit.clone()];
    let clause = before.rsplit(['.', ';', ':']).next().unwrap_or(before);
    let has_year = text.contains(|c: char| c.is_ascii_digit());
    if named(RULE.code.name, "time").is_in(behind) || THOUGHT.is_match(clause) {
        return false;
    }
    // “It is” and “now” say much; with a bare date they must begin the sentence, and a weekday alone is not enough.
    let loose = ["it ", "it'", "it’", "now", "the date", "hoy", "oggi"];
    let is_loose = loose.iter().any(|l| text.starts_with(l));
    let begins = !clause.contains(|c: char| c.is_alphanumeric());
    // “today's monday meeting” and “it is 2026-03-30 that it expires”.
    let behind = behind.trim_start_matches(['*', '_', ' ']);
    let ends = !behind.starts_with(|c: char| c.is_alphanumeric());
    if has_year {
        !is_loose || begins && ends
    } else {
        !is_loose && begins && ends
    }
}
