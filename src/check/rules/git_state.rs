//! Output of git in a stable layer.

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
        name: "git-state",
        exit: ExitClass::Success,
        summary: "a document or fact in a stable layer contains output of git: a status, a branch, the last commits",
        detail: "Each commit, edit and checkout changes the text, and nothing after it is reused. Let the agent run git when it needs to know, or deliver it with the turn (`deliver=user`). Instructions about git, and output inside code, are not reported.",
    },
    severity: Severity::Warning,
    waivable: true,
    looks: &[RuleInput::Text(&SEARCH)],
};

static SEARCH: Search = Search {
    fits: Some(Changes::Turn),
    what: "the state of a git repository",
    help: "let a tool ask git, or deliver it with the turn: a tier with `changes=turn deliver=user`, which `promptc build --channel user` writes",
    find: Some(find),
};

/// A label and the name of a branch, which may be code.
static BRANCH: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"\b(?:current|active|checked[ -]out|git|working)[ _-](?:git[ _-])?branch(?: name)?["*_]*(?:[ \t]*[:=]|>|[ \t]+is:?)[ \t*_"'`]*([a-z0-9][a-z0-9._/#+-]*)[ \t*_"'`,;.]*(?:$|</|\((?:ahead|behind|clean|dirty))"#,
    )
});

/// A label of the newest commit, and its hash; the head of an entry of `git log`.
static COMMIT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"(?:\b(?:current|latest|last|newest|most recent)[ _-]?(?:git[ _-])?(?:commit|revision|rev|sha|head)(?:[ _-]?(?:hash|sha|id))?",
        "(?:[ \t*_\"'`<>|:=(\\[-]|is |at )+",
        // Whole hashes after a bare “commit:” are mostly pins in lists.
        r"|^[^a-z0-9\n]*(?:head|git[ _-]?(?:commit|head|revision|sha))(?:[ _-]?(?:hash|sha|id))?[^a-z0-9\n]*[:=][ \t\x22*_]*)([0-9a-f]{7,40})\b",
        r"|^[^a-z0-9\n]*(?:commit|revision|sha)(?:[ _-]?(?:hash|sha|id))?[\x22*_]*[ \t]*[:=][ \t\x22*_]*([0-9a-f]{7,12})\b",
        r"|^commit ([0-9a-f]{40})(?: \([^\n]*\))?$",
    ))
});

/// A line of `git log --oneline`.
static ONELINE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^[ \t]*(?:[*|-][ \t]+)?([0-9a-f]{7,12}) (?:\([^)\s][^)\n]*\) )?\S"));

/// A line of `git status --porcelain`.
static PORCELAIN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?: [MADT]|[MARCT] |[MARC][MD]|DD|AU|UD|UA|DU|AA|UU|\?\?|!!|[MADR]) ([A-Za-z0-9._@/+-]+(?: -> [A-Za-z0-9._@/+-]+)?)[ \t]*$",
    )
});

/// The beginning of a log.
static LOG: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"\b(?:recent|last|latest|newest) commits?\b[^a-z0-9\n]*$|\bgit log\b[^a-z0-9\n]*$")
});

/// The beginning of a status.
static STATUS: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\b(?:git ?)?(?:status|changes|changed files)\b[^a-z0-9\n]*$|<git"));

fn find(page: &Page) -> Vec<Range<usize>> {
    let mut hits = Vec::new();
    if page.has(&["branch"]) {
        hits.extend(branches(page));
    }
    if page.hints.word >= 7 {
        for found in COMMIT.captures_iter(&page.lower) {
            let at = found.get_match().range();
            let hash = found.iter().skip(1).flatten().next();
            if hash.is_some_and(|h| is_hash(h.as_str())) && !page.is_example(at.start) {
                hits.push(at);
            }
        }
        hits.extend(log(page));
    }
    hits.extend(status(page));
    hits
}

/// A label outside of code whose value may be code.
fn branches(page: &Page) -> Vec<Range<usize>> {
    let found = BRANCH.captures_iter(&page.whole).filter_map(|found| {
        let at = found.get_match().range();
        let in_code = page.is_code(at.start);
        let placeholder = ["name", "your-branch", "branch-name", "x", "unknown"];
        let name = found.get(1).map_or("", |m| m.as_str());
        let real = !in_code && !placeholder.contains(&name) && !page.is_example(at.start);
        real.then_some(at)
    });
    found.collect()
}

/// Whether it has digits and letters, so that it is no number and no word.
fn is_hash(text: &str) -> bool {
    text.contains(|c: char| c.is_ascii_digit()) && text.contains(|c: char| c.is_ascii_alphabetic())
}

/// At least two commits in a row.
fn log(page: &Page) -> Vec<Range<usize>> {
    let commit = |line: &str| {
        let found = ONELINE.captures(line);
        let hash = found.as_ref().and_then(|f| f.get(1));
        // A word such as “facade1” is none.
        hash.is_some_and(|h| h.as_str().bytes().filter(u8::is_ascii_digit).count() >= 2)
    };
    let any_word = |range: &Range<usize>| {
        let lines = page.plain[range.clone()].lines();
        let mut hashes = lines.filter_map(|l| Some(ONELINE.captures(l)?.get(1)?.as_str()));
        hashes.any(is_hash)
    };
    let mut hits = rows(page, 2, &commit);
    hits.extend(behind(page, &LOG, &commit));
    hits.retain(any_word);
    hits
}

/// At least two entries of a status in a row, or one after a label of it.
fn status(page: &Page) -> Vec<Range<usize>> {
    let entry = |line: &str| {
        let found = PORCELAIN.captures(line);
        let path = found.as_ref().and_then(|f| f.get(1));
        path.is_some_and(|p| p.as_str().contains(['/', '.']))
    };
    let mut hits = rows(page, 2, &entry);
    hits.extend(behind(page, &STATUS, &entry));
    hits
}

/// The lines directly after a label of them.
fn behind(page: &Page, label: &Regex, is_one: &dyn Fn(&str) -> bool) -> Vec<Range<usize>> {
    let mut hits = Vec::new();
    let mut before = "";
    for (start, line) in page.lines() {
        let lower = before.to_ascii_lowercase();
        if is_one(line) && label.is_match(&lower) && !page.is_example(start) {
            hits.push(start..start + line.len());
        }
        if !line.trim().is_empty() {
            before = line;
        }
    }
    hits
}

/// Stretches of at least `least` lines that are all alike.
fn rows(page: &Page, least: usize, is_one: &dyn Fn(&str) -> bool) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut run: Option<(Range<usize>, usize)> = None;
    for (start, line) in page.lines().chain([(page.plain.len(), "")]) {
        let end = start + line.len();
        match (&mut run, is_one(line)) {
            (Some((range, count)), true) => {
                range.end = end;
                *count += 1;
            }
            (None, true) => run = Some((start..end, 1)),
            (_, false) => {
                let whole = run
                    .take()
                    .filter(|(range, count)| *count >= least && !page.is_example(range.start));
                out.extend(whole.map(|(range, _)| range));
            }
        }
    }
    out
}
