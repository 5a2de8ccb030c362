//! The table of usage fields, `layers/usage.txt`: what each counts, and which other fields have its tokens in them.
//!
//! It is the only place that knows the names of fields. A name means the same in every API, so that the usage of a gateway, which mixes
//! names, is read like any other.

use crate::text::Json;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// What a field counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// The input.
    Input,
    /// Input that no other field has.
    Extra,
    /// Read from a cache.
    Read,
    /// Written to a cache.
    Write,
    /// The part of it with a time to live, such as `5m`.
    WriteFor(&'static str),
    /// The answer.
    Output,
    /// What the model thought.
    Thinking,
    /// The sum, which decides whether thinking is in the output.
    Total,
    /// The sum, which has to be right.
    Sum,
    /// Tokens that another field has too.
    Part,
    /// No tokens.
    Other,
    /// The usage of other work.
    Usage,
}

/// The words of kinds; `write:TTL` is one more.
const KINDS: [(&str, Kind); 11] = [
    ("input", Kind::Input),
    ("extra", Kind::Extra),
    ("read", Kind::Read),
    ("write", Kind::Write),
    ("output", Kind::Output),
    ("thinking", Kind::Thinking),
    ("total", Kind::Total),
    ("sum", Kind::Sum),
    ("part", Kind::Part),
    ("other", Kind::Other),
    ("usage", Kind::Usage),
];

/// A row of the table.
#[derive(Debug)]
struct Field {
    kind: Kind,
    /// The fields that have its tokens in them.
    inside: Vec<&'static str>,
}

static FIELDS: LazyLock<BTreeMap<&str, Field>> = LazyLock::new(|| {
    let text = include_str!("../../../layers/usage.txt");
    let rows = text.lines().filter(|line| !line.starts_with('#'));
    rows.filter_map(field).collect()
});

/// `FIELD KIND [in FIELD…]`.
fn field(line: &'static str) -> Option<(&'static str, Field)> {
    let mut words = line.split_whitespace();
    let (name, kind) = (words.next()?, words.next()?);
    let kind = match kind.strip_prefix("write:") {
        Some(ttl) => Kind::WriteFor(ttl),
        None => KINDS.iter().find(|(word, _)| *word == kind)?.1,
    };
    let inside = words.skip(1).collect();
    Some((name, Field { kind, inside }))
}

/// The fields of a usage that the table has, and the names of others with a number.
#[derive(Debug, Default)]
pub(super) struct Found<'u> {
    /// The counts, by kind and name. A value that is no count is none.
    counts: BTreeMap<(Kind, &'static str), Option<u64>>,
    /// The usages of other work.
    pub(super) besides: Vec<&'u Json>,
    /// The names of fields with a number that the table does not have.
    pub(super) unknown: BTreeSet<String>,
}

impl<'u> Found<'u> {
    /// Looks up all fields of a usage.
    pub(super) fn of(usage: &'u Json) -> Self {
        let mut found = Self::default();
        found.look(usage, String::new());
        found
    }

    fn look(&mut self, value: &'u Json, path: String) {
        let known = FIELDS.get_key_value(path.as_str());
        match (known, value) {
            (_, Json::Null)
            | (
                Some((
                    _,
                    Field {
                        kind: Kind::Part | Kind::Other,
                        ..
                    },
                )),
                _,
            ) => {}
            (
                Some((
                    _,
                    Field {
                        kind: Kind::Usage, ..
                    },
                )),
                usage,
            ) => self.besides.push(usage),
            (Some((name, field)), value) => self.count(field.kind, name, number(value)),
            (None, Json::Object(members)) => {
                let dot = if path.is_empty() { "" } else { "." };
                for (key, inner) in &**members {
                    self.look(inner, format!("{path}{dot}{key}"));
                }
            }
            (None, Json::List(items)) => {
                for item in &**items {
                    let word = item.get("type").or(item.get("ttl")).and_then(Json::as_text);
                    self.look(item, format!("{path}[{}]", word.unwrap_or_default()));
                }
            }
            (None, Json::Number(number)) if number.as_f64() != Some(0.0) => {
                const LONGEST: usize = 80;
                self.unknown.insert(path.chars().take(LONGEST).collect());
            }
            (None, Json::Number(_) | Json::Bool(_) | Json::Text(_)) => {}
        }
    }

    /// Notes a count. Those of the items of a list are added.
    fn count(&mut self, kind: Kind, name: &'static str, count: Option<u64>) {
        let before = self.counts.get(&(kind, name)).copied();
        let before = before.filter(|_| name.contains('[')).unwrap_or(Some(0));
        let sum = before
            .zip(count)
            .map(|(sum, count)| sum.saturating_add(count));
        self.counts.insert((kind, name), sum);
    }

    /// Whether each value is a count of tokens that a request can have.
    pub(super) fn are_counts(&self) -> bool {
        const MOST: u64 = 1 << 40;
        let mut all = self.counts.values();
        all.all(|count| count.is_some_and(|count| count <= MOST))
    }

    /// The count of a kind; none if no field has it. Of several names the largest count is the one that the provider filled.
    pub(super) fn get(&self, kind: Kind) -> Option<u64> {
        self.fields(kind).map(|(_, count)| count).max()
    }

    /// Whether it has a field of the table.
    pub(super) fn has(&self, name: &str) -> bool {
        self.counts.keys().any(|(_, known)| *known == name)
    }

    fn fields(&self, kind: Kind) -> impl Iterator<Item = (&'static str, u64)> {
        let all = self.counts.iter().filter(move |((of, _), _)| *of == kind);
        all.filter_map(|((_, name), count)| Some((*name, (*count)?)))
    }

    /// The written tokens whose time to live is said, by it.
    pub(super) fn writes(&self) -> BTreeMap<&'static str, u64> {
        let all = self.counts.keys().filter_map(|(kind, _)| match kind {
            Kind::WriteFor(ttl) => Some((*ttl, self.get(*kind)?)),
            _ => None,
        });
        all.collect()
    }

    /// Whether the tokens of a kind are in those of another.
    pub(super) fn is_in(&self, part: Kind, whole: Kind) -> bool {
        let counted = |kind| {
            let most = self.get(kind);
            self.fields(kind)
                .filter(move |(_, count)| Some(*count) == most)
        };
        let wholes: Vec<&str> = counted(whole).map(|(name, _)| name).collect();
        let mut rows = counted(part).filter_map(|(name, _)| FIELDS.get(name));
        rows.any(|row| row.inside.iter().any(|name| wholes.contains(name)))
    }
}

fn number(value: &Json) -> Option<u64> {
    match value {
        Json::Number(number) => number.as_u64(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_is_read_and_names_fields_that_are_there() {
        let text = include_str!("../../../layers/usage.txt");
        let rows = text
            .lines()
            .filter(|l| !l.is_empty() && !l.starts_with('#'));
        assert_eq!(rows.count(), FIELDS.len());
        for (name, field) in &*FIELDS {
            for inside in &field.inside {
                let whole = FIELDS.get(inside).map(|whole| whole.kind);
                assert!(matches!(whole, Some(Kind::Input | Kind::Output)), "{name}");
            }
        }
    }
}
