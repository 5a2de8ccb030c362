//! A random value in a stable layer.

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
        name: "volatile-text",
        exit: ExitClass::Success,
        summary: "a document or fact in a stable layer contains a long random value, or the number of a process or port",
        detail: "A program generates a new value each time, and nothing after it is reused. Leave it out or deliver it with the turn (`deliver=user`). Checksums, keys, addresses, links and code are not reported.",
    },
    severity: Severity::Warning,
    waivable: true,
    looks: &[RuleInput::Text(&SEARCH)],
};

static SEARCH: Search = Search {
    fits: Some(Changes::Turn),
    what: "a value that looks generated",
    help: "leave it out, or deliver it with the turn: a tier with `changes=turn deliver=user`",
    find: Some(find),
};

/// Hexadecimal digits in a row.
static HEX: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b[0-9a-f]{32,128}\b"));

/// A label of something that is used once, and a word of mixed letters; in the letters of the text.
static NONCE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        "\\b(?:[Nn]once|NONCE|[Cc][Ss][Rr][Ff][ _-]?[Tt]oken|[Ss]ession[ _-]?[Tt]oken|[Rr]equest[ _-]?[Tt]oken|[Ee][Tt]ag|[Ss]alt|[Cc]ursor|[Cc]ache[ _-]?[Bb]uster|[Rr]andom(?:[ _-]?[Ss]eed)?)\\b(?:[ \t*_\"'<>|:=(\\[]|is )+(?:W/\")?([A-Za-z0-9+/_-]{12,200}={0,2})",
    )
});

/// The name that a container gives its host.
static HOST: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        "\\b(?:host ?name|container(?: id)?|host)[\"*_]*(?: *[:=]|>| is)[ \t*_\"]*([0-9a-f]{12})\\b",
    )
});

/// The number of a port that a system gave.
static PORT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        "(?:^[^a-z0-9\\n]*(?:[a-z-]+ )?port[\"*_]*(?:[ \t]*[:=>])[ \t*_\"']*|\\b(?:listening|running|bound|available|started) (?:on|at) (?:port |(?:https?://)?(?:localhost|127\\.0\\.0\\.1):)|https?://(?:localhost|127\\.0\\.0\\.1):)(\\d{5})\\b",
    )
});

/// Lines about values that stay: checksums, keys, addresses; and values that other rules report.
static KEPT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"sha-?(?:1|256|384|512)|\bmd5\b|\bblake|checksum|digest|integrity|\bcommits?\b|\brevisions?\b|\brev\b|\bpinned?\b|upstream|submodule|\btags?\b|versions?\b|releases?\b|\bkeys?\b|\b(?:project|client|app|application|tenant|account|team|workspace|page|database|organi[sz]ation|installation|gist|document|resource|folder|file|object|owner|item|node)[ _-]?ids?\b|address|contract|wallet|\bgpg\b|fingerprint|licen[cs]e|docker|\bimages?\b|sentry|\bdsn\b|\b(?:trace|span)[ _-]?id|traceparent|["']id["']|@|0x"#,
    )
});

fn find(page: &Page) -> Vec<Range<usize>> {
    let mut hits = Vec::new();
    let long = page.hints.word >= 12;
    for hit in page.find_if(page.hints.word >= 32, &HEX) {
        let text = &page.lower[hit.clone()];
        let mixed = text.contains(|c: char| c.is_ascii_digit());
        // This is the length of commit hashes, which `git-state` reports.
        let commit = text.len() == 40;
        if mixed
            && !commit
            && is_varied(text, 10)
            && !is_in_path(page, &hit)
            && !is_kept(page, &hit)
        {
            hits.push(hit);
        }
    }
    // A word of mixed letters may be split by `+`, `/` and `-`.
    let once = [
        "nonce", "token", "etag", "salt", "cursor", "cache", "random",
    ];
    let labelled = page.has(&once) && page.hints.digits > 0;
    for found in labelled
        .then(|| NONCE.captures_iter(&page.plain))
        .into_iter()
        .flatten()
    {
        let Some(value) = found.get(1) else { continue };
        let digits = value.as_str().contains(|c: char| c.is_ascii_digit());
        let letters = value.as_str().contains(|c: char| c.is_ascii_alphabetic());
        let path = value.as_str().matches('/').count() > 2;
        if digits
            && letters
            && !path
            && is_varied(value.as_str(), 8)
            && !page.is_example(value.start())
        {
            hits.push(value.range());
        }
    }
    let hosts = (long && page.has(&["host", "container"])).then(|| HOST.captures_iter(&page.lower));
    let hosts = hosts.into_iter().flatten().filter_map(|f| f.get(1));
    let hosts = hosts.filter(|h| is_varied(h.as_str(), 6) && !page.is_example(h.start()));
    hits.extend(hosts.map(|h| h.range()));
    let ports = (page.hints.digits >= 5).then(|| PORT.captures_iter(&page.lower));
    let ports = ports.into_iter().flatten().filter_map(|f| f.get(1));
    hits.extend(ports.filter(|p| is_given(p.as_str())).map(|p| p.range()));
    hits.sort_by_key(|hit| hit.start);
    hits.dedup_by(|b, a| a.end > b.start);
    hits
}

/// Whether it is part of a link or file name, which name something.
fn is_in_path(page: &Page, hit: &Range<usize>) -> bool {
    let line = page.line(hit.start);
    let before = &page.lower[line.start..hit.start];
    let word = before.rsplit([' ', '\t', '(', '"', '\'']).next();
    word.is_some_and(|w| w.contains("://") || w.ends_with(['/', '-', '.', '_']) || w.contains('/'))
}

fn is_kept(page: &Page, hit: &Range<usize>) -> bool {
    KEPT.is_match(page.lower_line(hit.start))
}

/// Whether a system hands out this port; of these the round ones and those of known servers were chosen.
fn is_given(port: &str) -> bool {
    let chosen = [
        "50051", "50052", "54321", "54322", "54323", "54324", "61613", "61616", "55432",
    ];
    let number: u32 = port.parse().unwrap_or(0);
    (49152..=65535).contains(&number) && !number.is_multiple_of(100) && !chosen.contains(&port)
}
