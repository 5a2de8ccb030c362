//! Line ends of several kinds, or a byte order mark, in the prompt.

use crate::check::page::Page;
use crate::check::texts::Search;
use crate::check::{Rule, RuleInput};
use crate::diagnostic::{Code, ExitClass, Severity};
use std::ops::Range;

pub(super) static RULE: Rule = Rule {
    code: Code {
        name: "mixed-line-ends",
        exit: ExitClass::Success,
        summary: "a document brings different line ends or a byte order mark into the prompt",
        detail: "Another editor, or a checkout with other settings, writes the same text in other bytes, and nothing after the first difference is reused. promptc normalises line ends and a leading byte order mark, unless `newlines #false` or `bom #false` is set.",
    },
    severity: Severity::Warning,
    waivable: true,
    looks: &[RuleInput::Text(&SEARCH)],
};

static SEARCH: Search = Search {
    fits: None,
    what: "bytes that editors and checkouts change",
    help: "let promptc normalise them: remove `newlines #false` or `bom #false`, or save the document with one kind of line ends",
    find: Some(find),
};

/// The first place of each kind that should not be there.
fn find(page: &Page) -> Vec<Range<usize>> {
    let mut hits: Vec<Range<usize>> = page
        .text
        .match_indices('\u{feff}')
        .map(|(at, mark)| at..at + mark.len())
        .collect();
    let bytes = page.text.as_bytes();
    for owned in &page.documents {
        let (mut count_newlines, mut pairs, mut returns) = (None, None, None);
        for at in owned.clone() {
            let kind = match bytes[at] {
                b'\r' if bytes.get(at + 1) == Some(&b'\n') => &mut pairs,
                b'\r' => &mut returns,
                b'\n' if at == 0 || bytes[at - 1] != b'\r' => &mut count_newlines,
                _ => continue,
            };
            kind.get_or_insert(at);
        }
        let mut kinds: Vec<usize> = [count_newlines, pairs, returns]
            .into_iter()
            .flatten()
            .collect();
        kinds.sort_unstable();
        // Where the second kind begins.
        hits.extend(kinds.get(1).map(|at| *at..at + 1));
    }
    hits.sort_by_key(|hit| hit.start);
    hits
}
