//! The id of a session, request or run in a stable layer.

use crate::check::page::{Page, pattern};
use crate::check::random::is_varied;
use crate::check::texts::Search;
use crate::check::{Rule, RuleInput};
use crate::diagnostic::{Code, ExitClass, Severity};
use crate::prompt::Changes;
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

pub(super) static RULE: Rule = Rule {
    code: Code {
        name: "uuid-text",
        exit: ExitClass::Success,
        summary: "a document or fact in a stable layer contains the id of a session, request or run",
        detail: "A new id is a new text, and nothing after it can be reused, not even between two sessions of one user. Leave it out: a model rarely needs it, and a tool can add it. Permanent ids, and ids in code, are not reported.",
    },
    severity: Severity::Warning,
    waivable: true,
    looks: &[RuleInput::Text(&SEARCH)],
};

static SEARCH: Search = Search {
    fits: Some(Changes::Turn),
    what: "the id of a run",
    help: "leave the id out, or deliver it with the turn: a tier with `changes=turn deliver=user`, which `promptc build --channel user` writes",
    find: Some(find),
};

/// The things that are started repeatedly and have an id.
macro_rules! run_id {
    () => {
        r"(?:session|conversation|request|run|trace|span|thread|chat|turn|message|invocation|correlation|instance|process|container|execution|interaction|call|completion|nonce|sandbox|scratchpad|worker|boot|task|job|subagent)"
    };
}

/// A label that names a run, and a UUID or ULID.
static LABELLED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"\b",
        run_id!(),
        r"(?:s|[ _-]?(?:id|uuid|ulid|guid|key|identifier|token|dir|directory))?\b",
        "(?:[ \t*_\"'<>|:=(\\[,/.#-]|is |–|—|[a-z_-]*/){1,12}",
        r"(?:[a-z]{2,10}[_-])?([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-7][0-9a-hjkmnp-tv-z]{25})\b",
    ))
});

/// An id with a prefix that says what it is of.
static PREFIXED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?:^|[^a-z0-9_/-])((?:req|request|sess|session|run|thread|conv|msg|trace|call|toolu|chatcmpl|resp|inv)[_-][a-z0-9]{14,40})\b",
    )
});

/// The ids that appear in every manual.
const KNOWN: &[&str] = &[
    "123e4567-e89b-12d3-a456-426614174000",
    "550e8400-e29b-41d4-a716-446655440000",
    "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
    "f47ac10b-58cc-4372-a567-0e02b2c3d479",
    "01arz3ndektsv4rrffq69g5fav",
];

fn find(page: &Page) -> Vec<Range<usize>> {
    let mut hits = Vec::new();
    if page.hints.word < 12 {
        return hits;
    }
    for regex in [&*LABELLED, &*PREFIXED] {
        for found in regex.captures_iter(&page.lower) {
            let Some(id) = found.get(1) else { continue };
            let text = id.as_str();
            let mixed = text.contains(|c: char| c.is_ascii_digit());
            if mixed && is_varied(text, 8) && !KNOWN.contains(&text) && !page.is_example(id.start())
            {
                hits.push(id.range());
            }
        }
    }
    hits.sort_by_key(|hit| hit.start);
    hits
}
