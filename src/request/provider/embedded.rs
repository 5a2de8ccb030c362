//! The table inside the program. Only the needed rows are read: reading all of it would take ten times as long as most
//! commands.

use super::glob;
use super::read;
use super::table::Table;
use crate::diagnostic::Diagnostics;
use crate::diagnostic::span::Files;
use jiff::civil::Date;
use std::iter;
use std::sync::LazyLock;

/// Its text. Every row begins at the start of a line, and its head is one line.
pub(super) const TEXT: &str = include_str!("../../../layers/providers.kdl");

/// Its name in messages.
const NAME: &str = "builtin:providers";

/// A row, not yet read.
#[derive(Clone, Copy)]
pub(super) struct Row {
    /// Its text, up to the next row.
    text: &'static str,
}

impl Row {
    /// Its first line without the kind, if it is of this kind.
    fn head(self, kind: &str) -> Option<&'static str> {
        self.text.lines().next()?.strip_prefix(kind)
    }

    /// The name, if it is a provider.
    pub(super) fn provider(self) -> Option<&'static str> {
        quoted(self.head("provider ")?).next()
    }

    /// Whether it is a provider whose rows apply only as NAME/MODEL.
    pub(super) fn is_named(self) -> bool {
        self.head("provider ")
            .is_some_and(|head| head.contains(" named=#true"))
    }

    /// The patterns and the provider, if it is a model.
    pub(super) fn model(self) -> Option<(impl Iterator<Item = &'static str>, &'static str)> {
        let (patterns, provider) = self.head("model ")?.split_once(" provider=")?;
        Some((quoted(patterns), quoted(provider).next()?))
    }

    /// Whether it is a model of that name, of a provider that `counts`.
    pub(super) fn is_model(self, name: &str, counts: impl Fn(&str) -> bool) -> bool {
        self.model().is_some_and(|(mut patterns, provider)| {
            patterns.any(|p| glob::matches(p, name)) && counts(provider)
        })
    }
}

/// The texts in quotes.
fn quoted(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.split('"').skip(1).step_by(2)
}

/// All rows, in order.
pub(super) fn rows() -> impl Iterator<Item = Row> {
    ROWS.iter().copied()
}

static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let mut starts = vec![0];
    let text = rows_text();
    for (at, _) in text.match_indices('\n') {
        let row = &text[at + 1..];
        starts
            .extend((row.starts_with("provider ") || row.starts_with("model ")).then_some(at + 1));
    }
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    let rows = starts.iter().zip(ends);
    rows.map(|(start, end)| Row {
        text: &text[*start..end],
    })
    .collect()
});

fn rows_text() -> &'static str {
    let start = TEXT.find("\nprovider ").map_or(TEXT.len(), |at| at + 1);
    &TEXT[start..]
}

/// The day on which the table inside the program was put together.
#[must_use]
pub fn as_of() -> Date {
    read(|_| false).as_of
}

/// The rows that `keep` selects, read.
pub(super) fn read(keep: impl Fn(Row) -> bool) -> Table {
    let head = &TEXT[..TEXT.len() - rows_text().len()];
    let kept = rows().filter(|row| keep(*row)).map(|row| row.text);
    let text: String = iter::once(head).chain(kept).collect();
    let providers: Vec<&str> = rows().filter_map(Row::provider).collect();
    let mut files = Files::default();
    let file = files.add(NAME.to_owned(), text.clone());
    let table = read::table(file, &text, &providers, &mut Diagnostics::default());
    // That every row can be read is tested below, and rows do not depend on each other.
    table.expect("the table inside the program is well formed")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Diagnostics;
    use crate::request::provider::Provider;

    fn whole() -> Table {
        let mut files = Files::default();
        let file = files.add(NAME.to_owned(), TEXT.to_owned());
        let mut diags = Diagnostics::default();
        let table = read::table(file, TEXT, &[], &mut diags);
        assert!(diags.is_empty(), "{:?}", diags.iter().collect::<Vec<_>>());
        table.unwrap()
    }

    #[test]
    fn rows_read_alone_equal_those_of_the_whole_table() {
        let whole = whole();
        assert!(whole.models.len() > 50 && whole.providers.len() > 20);
        assert_eq!(read(|_| true), whole);
        let mut single = read(|_| false);
        for row in rows() {
            let text = row.text;
            let one = read(|other| std::ptr::eq(other.text, text));
            single.providers.extend(one.providers);
            single.models.extend(one.models);
        }
        assert_eq!(single, whole);
    }

    #[test]
    fn heads_agree_with_rows() {
        let whole = whole();
        let heads: Vec<_> = rows().filter_map(Row::model).collect();
        assert_eq!(heads.len(), whole.models.len());
        for ((patterns, provider), model) in heads.into_iter().zip(&whole.models) {
            assert!(patterns.eq(model.patterns.iter()));
            assert_eq!(provider, model.provider);
        }
        let names = rows().filter_map(|row| Some((row.provider()?, row.is_named())));
        let named = |p: &Provider| p.only_named;
        assert!(names.eq(whole.providers.iter().map(|p| (p.name.as_str(), named(p)))));
    }
}
