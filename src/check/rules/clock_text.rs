//! A time of day in a stable layer.

use crate::check::page::Page;
use crate::check::rows::named;
use crate::check::texts::Search;
use crate::check::{Rule, RuleInput};
use crate::diagnostic::{Code, ExitClass, Severity};
use crate::prompt::Changes;
use std::ops::Range;

pub(super) static RULE: Rule = Rule {
    code: Code {
        name: "clock-text",
        exit: ExitClass::Success,
        summary: "a document or fact in a stable layer contains a time of day or a timestamp",
        detail: "Text with the current time differs at every build, and nothing after it is reused. Leave the time out, give it by a tool, or put the text into a `changes=turn` tier with `deliver=user`. Schedules, examples and code are not reported.",
    },
    severity: Severity::Warning,
    waivable: true,
    looks: &[RuleInput::Text(&SEARCH)],
};

static SEARCH: Search = Search {
    fits: Some(Changes::Turn),
    what: "a time of day",
    help: "leave the time out, or deliver it with the turn: a tier with `changes=turn deliver=user`, which `promptc build --channel user` writes",
    find: Some(alone),
};

/// A date and a time of day as a program prints them, alone on a line. More than two in one text are a history, in which each
/// stays what it is.
fn alone(page: &Page) -> Vec<Range<usize>> {
    if !page.hints.clock || !page.hints.date {
        return Vec::new();
    }
    let printed = page
        .find(named(RULE.code.name, "printed").regex())
        .into_iter();
    let alone = printed.filter(|hit| !is_midnight(&page.lower[hit.clone()]) && is_alone(page, hit));
    let alone: Vec<Range<usize>> = alone.collect();
    let together = |hit: &Range<usize>| {
        let owner = page.documents.iter().find(|d| d.contains(&(hit.end - 1)));
        let inside = |other: &&Range<usize>| owner.is_some_and(|o| o.contains(&(other.end - 1)));
        alone.iter().filter(inside).count()
    };
    alone
        .iter()
        .filter(|hit| together(hit) <= 2)
        .cloned()
        .collect()
}

/// Whether it is the beginning of a day, as in limits.
fn is_midnight(hit: &str) -> bool {
    hit.trim_end_matches('z').ends_with("00:00")
}

/// Whether a line has nothing but this time, tags and marks, or a label that does not say that it was set once.
fn is_alone(page: &Page, hit: &Range<usize>) -> bool {
    let line = page.line(hit.start);
    let before = &page.lower[line.start..hit.start];
    let behind = &page.lower[hit.end..line.end];
    let has_word = |text: &str| without_tags(text).contains(|c: char| c.is_alphanumeric());
    let zone = named(RULE.code.name, "zone")
        .regex()
        .find(behind)
        .map_or(0, |m| m.end());
    if has_word(&behind[zone..]) {
        return false;
    }
    let label = without_tags(before);
    let words = label
        .split(|c: char| !c.is_alphanumeric())
        .filter(|w| !w.is_empty());
    match words.count() {
        0 => true,
        1..=3 => {
            label.trim_end().ends_with([':', '=']) && !named(RULE.code.name, "once").is_in(&label)
        }
        _ => false,
    }
}

fn without_tags(text: &str) -> String {
    let mut out = String::new();
    let mut inside = false;
    for c in text.chars() {
        match c {
            '<' => inside = true,
            '>' => inside = false,
            c if !inside => out.push(c),
            _ => {}
        }
    }
    out
}
