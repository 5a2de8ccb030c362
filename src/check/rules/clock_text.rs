//! A time of day in a stable layer.

use crate::check::dates::{clock, date, gap, month, weekday};
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
    find,
};

/// The labels of a text that a program writes repeatedly.
macro_rules! written {
    () => {
        r"(?:updated|refreshed|generated|regenerated|modified|sync(?:ed|hronized)|fetched|rendered|compiled|captured|checked|exported|retrieved|collected|rebuilt|taken|saved|indexed|scanned|polled)"
    };
}

/// A label that says now, a date and a time of day.
static LABELLED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"\b(?:(?:current|local|system|server|present|user)[ _-]?(?:date|time|datetime|timestamp)|currentdate(?:time)?|today|now|it is|it's|nous sommes|heute ist|hoy es|time[ _-]?stamp|date ?(?:and|&|/|_) ?time|datetime|time|as of|built at|build time|(?:conversation|session|chat|process|server)[ _-]?(?:started|start|began|resumed|opened)|stand|",
        written!(),
        r")[^\n.;]{0,28}?",
        date!(),
        r"(?:[ t,_]|, | at | um | à | a las |-| - )+",
        clock!(),
    ))
});

/// A label that says now, and a time of day without a date.
static NOW: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"(?:\b(?:current|local|system|server|present)[ _-]time|\bcurrenttime|\btime now|\b(?:the|local) time is(?: now| currently)?|\bit(?: is|'s|’s) (?:now|currently)|\blast[ _-]?",
        written!(),
        r"(?:[ _-](?:at|on))?|^[^a-z0-9\n]*",
        written!(),
        r"(?: at| on)?)",
        gap!(),
        r"(?:is |at |on )?",
        gap!(),
        r"\b",
        clock!(),
    ))
});

/// A heading that says now, and a time of day below it.
static HEADED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"^(?:#+ |\*\*)[^a-z0-9\n]*(?:current |local |system |the )*(?:date ?(?:and|&|/) ?time|datetime|time|date|timestamp|now|today|clock)[^a-z0-9\n]*\n\s*(?:[-*] )?(?:",
        date!(),
        r"(?:[ t,_]|, | at | um | à |-| - )+)?\b",
        clock!(),
        r"(?: ?\([a-z/_ ]+\)| [a-z]{3,5})?[ .*_]*$",
    ))
});

/// A line of its own with the seconds of a day.
static SECONDS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        "^[^a-z0-9\\n]*time[\"*_]*(?: *[:=]|>)[ \t*_\"]*(?:0[1-9]|1\\d|2[0-3]):[0-5]\\d:[0-5]\\d\\b",
    )
});

/// A date and a time of day as a program prints them.
static PRINTED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"\b\d{4}-\d\d-\d\d[t ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:z\b| ?[+-]\d\d:?\d\d\b)?|",
        date!(),
        r"(?:,? |, | at )",
        clock!(),
    ))
});

/// Times in the format of the command `date` and of mail headers; people do not write it by hand.
static MACHINE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"\b",
        weekday!(),
        r",? (?:",
        month!(),
        r" +\d{1,2} |\d{1,2} ",
        month!(),
        r" \d{4} )\d\d:\d\d:\d\d(?: [a-z]{3,5}| [+-]\d{4})?(?: \d{4})?\b",
    ))
});

/// Seconds, milli- or microseconds since 1970 after a label of time.
static EPOCH: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"\b(?:unix[ _-]?(?:time|timestamp)|epoch(?:[ _-]?(?:time|seconds|millis|ms))?|time[ _-]?stamp(?:[ _-]?ms)?|ts|now|(?:current|server|system)[ _-]?time|(?:updated|generated|started|rendered|fetched|captured|refreshed)[ _-]?(?:at|on|time|ts)?)(?:[ _-]ms)?",
        gap!(),
        r"(?:is |at )?1[5-9]\d{8}(?:\d{3}|\d{6})?\b",
    ))
});

/// A weekday or zone after a time.
static ZONE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"^ ?\(?(?:",
        weekday!(),
        r"|utc|gmt|[a-z]{2,4}t|local time|[a-z]+/[a-z_]+)?(?: ?[+-]\d\d?(?::?\d\d)?)?\)?",
    ))
});

/// A fixed time: an appointment, a limit, a habit.
static FIXED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:before|since|until|till|after|between|deadline|due|expires?|expired|valid|born|released|published|scheduled?|starting|ending|incident|outage)\b",
    )
});

/// The words that make a time without a date a habit.
static HABIT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:every|daily|weekly|monthly|each|nightly|hourly|always|usually|weekdays?|weekends?|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|hours|opens?|opening|close[sd]?|standup|stand-up|meetings?|schedule[ds]?|cron|shifts?|deadline|until|between|when|if|window|maintenance|freeze|office|before|after|is|are|be|gets?) [^\n]*\d|\d[:h]\d\d ?(?:-|–|—|to|until) ?\d",
    )
});

/// The label of a line whose value was set once by a person.
static ONCE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:created|published|released|deadline|due|expires?|expiry|born|since|until|start|end|valid|cut-?off|effective|from|to|before|after|when|scheduled|event|date|version|incident|introduced|changed|fixed|merged|closed|resolved)\b",
    )
});

fn find(page: &Page) -> Vec<Range<usize>> {
    let mut hits = Vec::new();
    if page.hints.clock && page.hints.date {
        hits.extend(dated(page));
    }
    if page.hints.clock {
        let now = page.find(&NOW).into_iter();
        hits.extend(now.filter(|hit| !is_habit(page, hit)));
        hits.extend(page.find(&HEADED));
        hits.extend(page.find(&SECONDS));
    }
    if page.hints.digits >= 10 {
        let epoch = page.find(&EPOCH).into_iter();
        hits.extend(epoch.filter(|hit| !page.lower[hit.clone()].ends_with("00000")));
    }
    // A pattern with a heading begins a line above.
    hits.sort_by_key(|hit| hit.end);
    hits
}

/// Times with a date.
fn dated(page: &Page) -> Vec<Range<usize>> {
    let text = |hit: &Range<usize>| &page.lower[hit.clone()];
    let labelled = page.find(&LABELLED).into_iter();
    let mut hits: Vec<Range<usize>> = labelled
        .filter(|hit| !is_midnight(text(hit)) && !FIXED.is_match(text(hit)))
        .collect();
    let printed = page.find(&PRINTED).into_iter();
    let alone = printed.filter(|hit| !is_midnight(text(hit)) && is_alone(page, hit));
    let alone: Vec<Range<usize>> = alone.collect();
    // More of them in one text are a history, in which each stays what it is.
    let together = |hit: &Range<usize>| {
        let owner = page.documents.iter().find(|d| d.contains(&(hit.end - 1)));
        let inside = |other: &&Range<usize>| owner.is_some_and(|o| o.contains(&(other.end - 1)));
        alone.iter().filter(inside).count()
    };
    hits.extend(alone.iter().filter(|hit| together(hit) <= 2).cloned());
    // A signature has its date, and one by another author stays.
    let machine = page.find(&MACHINE).into_iter();
    hits.extend(machine.filter(|hit| !page.lower_line(hit.start).contains('@')));
    hits
}

/// Whether it is the beginning of a day, as in limits.
fn is_midnight(hit: &str) -> bool {
    hit.contains("00:00")
        && !hit.contains(":00:00.")
        && hit.trim_end_matches('z').ends_with("00:00")
}

fn is_habit(page: &Page, hit: &Range<usize>) -> bool {
    // What the label itself says, such as “the time is”, is not what makes it a habit.
    let line = page.line(hit.start);
    let before = &page.lower[line.start..hit.start];
    let behind = &page.lower[hit.end..line.end];
    let range = ["-", "–", "—", " -", " –", " —", " to ", " until "];
    let digit = behind.trim_start_matches([' ', '-', '–', '—']);
    let goes_on = range.iter().any(|r| behind.starts_with(r));
    HABIT.is_match(&format!("{before} 0"))
        || HABIT.is_match(&format!("{behind} 0"))
        || goes_on && digit.starts_with(|c: char| c.is_ascii_digit())
}

/// Whether a line has nothing but this time, tags and marks, or a label that does not say that it was set once.
fn is_alone(page: &Page, hit: &Range<usize>) -> bool {
    let line = page.line(hit.start);
    let before = &page.lower[line.start..hit.start];
    let behind = &page.lower[hit.end..line.end];
    let has_word = |text: &str| without_tags(text).contains(|c: char| c.is_alphanumeric());
    let zone = ZONE.find(behind).map_or(0, |m| m.end());
    if has_word(&behind[zone..]) {
        return false;
    }
    let label = without_tags(before);
    let words = label
        .split(|c: char| !c.is_alphanumeric())
        .filter(|w| !w.is_empty());
    match words.count() {
        0 => true,
        1..=3 => label.trim_end().ends_with([':', '=']) && !ONCE.is_match(&label),
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
