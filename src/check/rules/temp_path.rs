//! A temporary path in a stable layer.

use crate::check::page::{Page, pattern};
use crate::check::random::is_made_up;
use crate::check::texts::Search;
use crate::check::{Rule, RuleInput};
use crate::diagnostic::{Code, ExitClass, Severity};
use crate::prompt::Changes;
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

pub(super) static RULE: Rule = Rule {
    code: Code {
        name: "temp-path",
        exit: ExitClass::Success,
        summary: "a document or fact in a stable layer names a temporary file or folder",
        detail: "A folder with a random name differs in every process, and nothing after its name is reused. Use a stable name or link, or deliver it with the turn (`deliver=user`). A bare `/tmp` and names that people chose are not reported.",
    },
    severity: Severity::Warning,
    waivable: true,
    looks: &[RuleInput::Text(&SEARCH)],
};

static SEARCH: Search = Search {
    fits: Some(Changes::Turn),
    what: "a temporary path",
    help: "name a stable folder, or deliver it with the turn: a tier with `changes=turn deliver=user`, which `promptc build --channel user` writes",
    find: Some(find),
};

/// A path below a folder for temporary files.
static BELOW: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"(?:/private)?(?:/var)?/tmp/[a-z0-9._/+@~-]+|/dev/shm/[a-z0-9._/+@~-]+",
        r"|(?:%temp%|%tmp%|\$tmpdir|\$\{tmpdir\}|\$env:temp|\b[a-z]:\\{1,2}users\\{1,2}[a-z0-9._ ~-]+\\{1,2}appdata\\{1,2}local\\{1,2}temp)[\\/]{1,2}[a-z0-9._\\/{}+~-]+",
    ))
});

/// A name in the format of `mktemp` and similar programs, anywhere; in the letters of the text.
static MADE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"[/\\](?:tmp\.([A-Za-z0-9]{8,12})|tmp([a-z0-9_]{8}))\b"));

fn find(page: &Page) -> Vec<Range<usize>> {
    if !page.has(&["/tmp", "\\tmp", "/dev/shm", "temp", "%tmp%"]) {
        return Vec::new();
    }
    let mut hits = page.find(&BELOW);
    hits.retain(|hit| has_made_up_name(&page.plain[hit.clone()]));
    for found in MADE.captures_iter(&page.plain) {
        let name = found.get(1).or(found.get(2)).map_or("", |m| m.as_str());
        let mixed = name.contains(|c: char| c.is_ascii_digit());
        let letters = name.contains(|c: char| c.is_ascii_lowercase())
            && name.contains(|c: char| c.is_ascii_uppercase());
        let at = found.get_match().range();
        if (mixed || letters) && !page.is_example(at.start) {
            hits.push(at);
        }
    }
    hits
}

/// Whether a part of the path looks drawn at random.
fn has_made_up_name(path: &str) -> bool {
    let mut words = path.split(['/', '\\', '.', '-', '_', '{', '}', '+', '~', '@', ' ']);
    words.any(is_made_up)
}
