//! The patterns of rules that search one line at a time: rows of `rules/texts.kdl`.

use super::page::Page;
use crate::diagnostic::span::Files;
use crate::syntax::{self, Node, Scalar};
use crate::text::scan::{Pattern, words};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, LazyLock};

/// The rows of a rule.
#[derive(Debug, Default)]
struct Rows {
    /// Found in every page in which it can find something; building all patterns takes longer than searching a prompt.
    needs: Option<Pattern>,
    /// What it reports.
    finds: Vec<LinePattern>,
    /// The patterns that its code uses, by name.
    named: BTreeMap<String, Pattern>,
}

/// A pattern, and what excuses its matches.
#[derive(Debug)]
struct LinePattern {
    pattern: Pattern,
    /// Words of which every match has one.
    words: Vec<String>,
    /// Whether every match has a digit, on the line of its word.
    digit: bool,
    /// Whether the value after a label may be code.
    code: bool,
    unless: Vec<Exception>,
}

/// A pattern that excuses a match.
#[derive(Debug)]
struct Exception {
    place: Place,
    pattern: Pattern,
}

/// Where an exception is looked for.
#[derive(Debug, Clone, Copy)]
enum Place {
    /// In the match itself.
    Match,
    /// On the line of the match, before it.
    Before,
    /// On the line of the match, after it.
    After,
    /// On the line of the match.
    Line,
}

/// The places of the rows of a rule in a page that are no examples.
pub(super) fn find(page: &Page, rule: &str) -> Vec<Range<usize>> {
    let rows = ROWS.get(rule).into_iter();
    let can_be = |rows: &&Rows| {
        rows.needs
            .as_ref()
            .is_none_or(|needs| needs.is_in(&page.whole))
    };
    let finds = rows.filter(can_be).flat_map(|rows| &rows.finds);
    finds.flat_map(|find| find.places(page)).collect()
}

/// The pattern of that name that the code of a rule uses.
pub(super) fn named(rule: &str, name: &str) -> &'static Pattern {
    let found = ROWS.get(rule).and_then(|rows| rows.named.get(name));
    found.unwrap_or_else(|| unreachable!("a test runs every rule"))
}

impl LinePattern {
    fn places(&self, page: &Page) -> Vec<Range<usize>> {
        let searched = if self.digit {
            page.numbered()
        } else {
            &page.lower
        };
        if !self.words.is_empty() && !self.words.iter().any(|word| searched.contains(word)) {
            return Vec::new();
        }
        let text = if self.code { &page.whole } else { &page.lower };
        let all = self.pattern.regex().find_iter(text).map(|m| m.range());
        all.filter(|hit| {
            let in_code = self.code && page.is_code(label(text, hit));
            !in_code && !page.is_example(hit.start) && !self.is_excused(page, text, hit)
        })
        .collect()
    }

    fn is_excused(&self, page: &Page, text: &str, hit: &Range<usize>) -> bool {
        let line = page.line(hit.start);
        let end = page.line(hit.end).end;
        self.unless.iter().any(|unless| {
            let place = match unless.place {
                Place::Match => hit.clone(),
                Place::Before => line.start..hit.start,
                Place::After => hit.end..end,
                Place::Line => line.clone(),
            };
            unless.pattern.is_in(&text[place])
        })
    }
}

/// The first letter or digit of a match.
fn label(text: &str, hit: &Range<usize>) -> usize {
    let first = text[hit.clone()].find(char::is_alphanumeric);
    hit.start + first.unwrap_or(0)
}

static ROWS: LazyLock<BTreeMap<String, Rows>> = LazyLock::new(|| {
    let text: Arc<str> = include_str!("rules/texts.kdl").into();
    let file = Files::default().add("rules/texts.kdl", text.clone());
    let tree = syntax::read(file, &text);
    let tree = tree.unwrap_or_else(|_| unreachable!("a test reads the file"));
    let mut parts = Parts::default();
    let mut rows = BTreeMap::new();
    for node in tree.nodes().iter() {
        match node.name().value() {
            "part" => parts.add(argument(node, 0), argument(node, 1)),
            _ => drop(rows.insert(argument(node, 0).to_owned(), of_rule(node, &parts))),
        }
    }
    rows
});

/// Texts that patterns contain as `{NAME}`.
#[derive(Debug, Default)]
struct Parts(Vec<(String, String)>);

impl Parts {
    /// Adds a part, in which those before it are filled in.
    fn add(&mut self, name: &str, text: &str) {
        let text = self.filled(text);
        self.0.push((format!("{{{name}}}"), text));
    }

    fn filled(&self, text: &str) -> String {
        let fill = |text: String, (name, part): &(String, String)| text.replace(name, part);
        self.0.iter().fold(text.to_owned(), fill)
    }

    fn pattern(&self, text: &str) -> Pattern {
        Pattern::embedded(format!("(?m){}", self.filled(text)))
    }
}

fn of_rule(rule: Node<'_>, parts: &Parts) -> Rows {
    let mut rows = Rows::default();
    for row in rule.below().iter() {
        match row.name().value() {
            "needs" => rows.needs = Some(parts.pattern(argument(row, 0))),
            "find" => rows.finds.push(LinePattern {
                pattern: parts.pattern(argument(row, 0)),
                words: property(row, "words").into_iter().flat_map(words).collect(),
                digit: has(row, "digit"),
                code: has(row, "code"),
                unless: row.below().iter().map(|u| exception(u, parts)).collect(),
            }),
            _ => drop(
                rows.named
                    .insert(argument(row, 0).to_owned(), parts.pattern(argument(row, 1))),
            ),
        }
    }
    rows
}

fn exception(unless: Node<'_>, parts: &Parts) -> Exception {
    let place = match property(unless, "in") {
        Some("before") => Place::Before,
        Some("after") => Place::After,
        Some("line") => Place::Line,
        _ => Place::Match,
    };
    let pattern = parts.pattern(argument(unless, 0));
    Exception { place, pattern }
}

fn argument<'t>(node: Node<'t>, at: usize) -> &'t str {
    match node.arguments().nth(at).map(|entry| entry.value()) {
        Some(Scalar::Text(text)) => text,
        _ => unreachable!("a test reads the file"),
    }
}

fn has(node: Node<'_>, flag: &str) -> bool {
    let mut names = node.entries().filter_map(|entry| entry.name());
    names.any(|name| name.value() == flag)
}

fn property<'t>(node: Node<'t>, name: &str) -> Option<&'t str> {
    let mut entries = node.entries();
    let entry = entries.find(|entry| entry.name().is_some_and(|n| n.value() == name))?;
    match entry.value() {
        Scalar::Text(text) => Some(text),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_compiles() {
        let rows: Vec<&Rows> = ROWS.values().collect();
        for find in rows.iter().flat_map(|rows| &rows.finds) {
            assert!(!find.pattern.is_in(""), "{find:?}");
            for unless in &find.unless {
                let _ = unless.pattern.regex();
            }
        }
        for pattern in rows.iter().flat_map(|rows| rows.named.values()) {
            let _ = pattern.regex();
            assert!(!pattern.as_str().contains("{date}"), "{pattern:?}");
        }
    }
}
