//! Today's date in a layer that changes less often than daily.

use crate::check::dates::{clock, date, gap, weekday};
use crate::check::page::{Page, pattern};
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
    find,
};

/// A label that says today, and a date or a weekday.
static TODAY: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"\b(?:today(?:'s|’s|s)?(?:[ _-]date)?|(?:current|present|system|local)[ _-]?(?:date|day)|date[ _-]today|the date|it(?: is|'s|’s)(?: now| currently| today)?|now|(?:conversation|session|chat)[ _-]?(?:started|start|date|opened|began)(?: on)?|heute|heutiges datum|aktuelles datum|nous sommes(?: le)?|date du jour|aujourd'hui|aujourd’hui|hoy|fecha actual|oggi|data odierna)(?: ?\([^)\n]{1,24}\))?",
        gap!(),
        r"(?:(?:is|ist|es|è|the|now|currently|date|of the week|der|den|le|el)\b",
        gap!(),
        r"){0,3}(?:",
        date!(),
        "|",
        weekday!(),
        ")",
    ))
});

/// A heading that says today, and a date below it.
static HEADED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"^(?:#+ |\*\*)[^a-z0-9\n]*(?:current |the )?(?:today|today's date|today’s date|current date|date)[^a-z0-9\n]*\n\s*(?:[-*] )?",
        date!(),
        r"[ .*_]*$",
    ))
});

/// The patterns for scripts without blanks.
static WITHOUT_BLANKS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?:今天是|今日は|今日の日付|当前日期|現在の日付|现在是)[ :]*(?:：)?[ ]*\d{4}")
});

/// The state of something as of a date.
static AS_OF: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"(?:^[^a-z0-9\n]*|\b(?:status|state|snapshot|inventory|data|information|figures|weather|calendar|summary|overview|report|issues|tasks) (?:is )?)(?:current )?\bas of (?:today,? )?\(?",
        date!(),
        r"[ )*_.:\]]*$",
    ))
});

/// The text after a date that belongs to a time of day.
static TIME: LazyLock<Regex> =
    LazyLock::new(|| pattern(concat!(r"^(?:[ t,_]|, | at | um | à | - )+", clock!())));

/// The text before a hypothetical day.
static THOUGHT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:if|when|whether|unless|once|because|say|says|until|while|use|using|than|not|never)\b",
    )
});

fn find(page: &Page) -> Vec<Range<usize>> {
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
    let today = page
        .find(&TODAY)
        .into_iter()
        .filter(|hit| is_said(page, hit));
    let mut hits: Vec<Range<usize>> = today.collect();
    if page.has(&["as of"]) {
        hits.extend(page.find(&AS_OF));
    }
    if page.has(&["#", "**"]) && page.hints.date {
        hits.extend(page.find(&HEADED));
    }
    if page.has(&["今", "当前", "現在", "现在"]) {
        hits.extend(page.find(&WITHOUT_BLANKS));
    }
    // A pattern with a heading begins a line above.
    hits.sort_by_key(|hit| hit.end);
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
    if TIME.is_match(behind) || THOUGHT.is_match(clause) {
        return false;
    }
    // “It is” and “now” say much; with a bare date they must begin the sentence, and a weekday alone is not enough.
    let loose = ["it ", "it'", "it’", "now", "the date", "hoy", "oggi"];
    let is_loose = loose.iter().any(|l| text.starts_with(l));
    let begins = !clause.contains(|c: char| c.is_alphanumeric());
    // “today's monday meeting” and “it is 2026-03-30 that it expires”.
    let behind = behind.trim_start_matches(['*', '_', ' ']);
    let ends = !behind.starts_with(|c: char| c.is_alphanumeric());
    match has_year {
        true => !is_loose || begins && ends,
        false => !is_loose && begins && ends,
    }
}
