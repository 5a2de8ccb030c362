//! A listing of files with sizes and times, in a stable layer.

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
        name: "file-tree",
        exit: ExitClass::Success,
        summary: "a document or fact in a stable layer contains a listing of files with sizes and times",
        detail: "Each edit of a listed file changes the text, and nothing after it is reused. Let the agent list files when it needs to, or list names only. A tree of names is not reported.",
    },
    severity: Severity::Warning,
    waivable: true,
    looks: &[RuleInput::Text(&SEARCH)],
};

static SEARCH: Search = Search {
    fits: Some(Changes::Turn),
    what: "a listing of files with sizes or times",
    help: "let a tool list the files, or deliver it with the turn: a tier with `changes=turn deliver=user`, which `promptc build --channel user` writes",
    find: Some(find),
};

/// A line of `ls -l`, or of a listing on Windows.
static ENTRY: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"^[ \t]*[-dlbcps](?:[r-][w-][xsStT-]){3}[.+@]?\s+\d+\s+\S+\s+\S+\s+[\d.,]+[KMGTkB]*\s+\S+\s+\S+\s+\S+",
        r"|^[ \t]*(?:\d\d[/.]\d\d[/.]\d{4}|\d{4}-\d\d-\d\d) +\d\d:\d\d(?: [AP]M)? +(?:<DIR>|[\d.,]+) +\S+",
        r"|^[-da][-a][-r][-h][-s][-l]? +\d{1,4}[/.]\d{1,2}[/.]\d{2,4} +\d{1,2}:\d\d(?: [AP]M)? +\d* *\S+",
    ))
});

/// The fewest paths that make a listing.
const LEAST: usize = 3;

/// Listings. They also count inside code, where they are mostly shown, unless a command or an example is above.
fn find(page: &Page) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    // Listings in code count too, so the text without code is not enough.
    if !["rw", "r--", "<DIR>", "-a-"]
        .iter()
        .any(|m| page.text.contains(m))
        && !page.hints.clock
    {
        return out;
    }
    let mut run: Option<(Range<usize>, usize)> = None;
    let mut before = "";
    for (start, line) in crate::check::page::lines(&page.text).chain([(page.text.len(), "")]) {
        let end = start + line.len();
        let listed = ENTRY.is_match(line);
        match (&mut run, listed) {
            (Some((range, count)), true) => {
                range.end = end;
                *count += 1;
            }
            (None, true) if !before.trim_start().starts_with(['$', '#', '%', '>']) => {
                run = Some((start..end, 1));
            }
            (None, true) => {}
            (_, false) => {
                let whole = run.take().filter(|(_, count)| *count >= LEAST);
                out.extend(
                    whole
                        .map(|(range, _)| range)
                        .filter(|r| !page.is_example(r.start)),
                );
            }
        }
        // The total before a listing is part of it.
        if !listed && !line.trim_start().starts_with("total ") {
            before = line;
        }
    }
    out
}
