//! Leads a place in a prompt back to its source. The map alone is asked: no manifest and no document is read.

use crate::prompt::{Changes, Channel, Ingredient, Layer, Span};
use crate::text::Json;
use crate::text::SpanKind;
use schemars::JsonSchema;
use serde::Serialize;
use std::ops::Range;

/// A run of bytes that have one source.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SourceRun<'a> {
    /// First byte, in the channel's text.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
    /// Its layer.
    pub layer: &'a str,
    /// The tier of that layer.
    pub tier: &'a str,
    /// How often that layer may differ.
    pub changes: Changes,
    /// The source of its first byte.
    pub source: Source<'a>,
}

/// Where a stretch comes from.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Source<'a> {
    /// Copied from a document.
    Document {
        /// The root's name.
        root: &'a str,
        /// The path inside the root.
        path: &'a str,
        /// The name or number of the entry among those of its source, if it is one.
        #[serde(skip_serializing_if = "Option::is_none")]
        item: Option<&'a str>,
        /// Where in the document.
        #[serde(flatten)]
        place: SourcePosition,
    },
    /// Printed from a fact.
    Fact {
        /// The fact.
        #[serde(rename = "fact")]
        name: &'a str,
        /// Bytes into the value as it prints.
        offset: Option<usize>,
        /// The value; null if it is private.
        value: Option<&'a Json>,
    },
    /// A template's own text.
    Template {
        /// The template's file, or the manifest if it is inline.
        #[serde(rename = "path")]
        file: &'a str,
        /// Where in the template.
        #[serde(flatten)]
        place: SourcePosition,
    },
    /// Text of the manifest.
    Literal {
        /// The manifest.
        #[serde(rename = "path")]
        file: &'a str,
        /// Where in the text.
        #[serde(flatten)]
        place: SourcePosition,
    },
    /// Put between two texts.
    Join {
        /// The texts before and after it.
        between: [Side<'a>; 2],
    },
    /// Made by a filter, a macro or a `set` block; also an attribute of a document.
    Derived {
        /// The ingredient that it was made from, if that has a name.
        from: Option<&'a Ingredient>,
    },
}

/// A place in a source's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SourcePosition {
    /// Bytes into the text.
    pub offset: Option<usize>,
    /// The line in the file, from 1, as far as the map knows it.
    pub line: Option<usize>,
    /// The column in that line, from 1 and in characters. The map has lines only, so it is known where a line's
    /// beginning is.
    pub column: Option<usize>,
    /// The number of lines of the text between `line` and the place. Not 0 only in texts of a manifest, where a
    /// line of the text need not be a line of the file.
    pub lines_behind: usize,
}

/// A text next to a join.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Side<'a> {
    /// A layer.
    Layer(&'a str),
    /// Something in the same layer.
    Ingredient(&'a Ingredient),
    /// Something that has no name.
    Unnamed,
}

/// The stretches that `range` of the channel's text consists of, in order. What the map does not cover is left out.
#[must_use]
pub fn trace(channel: &Channel, range: Range<usize>) -> Vec<SourceRun<'_>> {
    let mut out = Vec::new();
    for (at, layer) in channel.layers.iter().enumerate() {
        if layer.end <= range.start || layer.start >= range.end {
            continue;
        }
        for (number, span) in layer.spans.iter().enumerate() {
            let start = span.start.max(range.start);
            let end = span.end.min(range.end);
            if start < end {
                out.push(SourceRun {
                    start,
                    end,
                    layer: &layer.name,
                    tier: &layer.tier,
                    changes: layer.changes,
                    source: source(channel, at, number, start),
                });
            }
        }
    }
    out
}

/// The source of the byte at `start`, which lies in span `number` of layer `at`.
fn source(channel: &Channel, at: usize, number: usize, start: usize) -> Source<'_> {
    let layer = &channel.layers[at];
    let span = &layer.spans[number];
    let ingredient = owner(layer, span);
    let exact = || place(channel, span, start, false);
    match (span.kind, ingredient) {
        (SpanKind::Join, _) => Source::Join {
            between: between(channel, at, number),
        },
        (
            SpanKind::Document,
            Some(Ingredient::Document {
                root, path, item, ..
            }),
        ) => Source::Document {
            root,
            path,
            item: item.as_deref(),
            place: exact(),
        },
        (SpanKind::Fact, Some(Ingredient::Fact { name, value, .. })) => Source::Fact {
            name,
            offset: exact().offset,
            value: value.as_ref(),
        },
        (SpanKind::Template, Some(Ingredient::Template { file, line, .. })) => Source::Template {
            file,
            place: place(channel, span, start, line.is_some()),
        },
        (SpanKind::Literal, Some(Ingredient::Literal { file, .. })) => Source::Literal {
            file,
            place: place(channel, span, start, true),
        },
        (_, from) => Source::Derived { from },
    }
}

fn owner<'a>(layer: &'a Layer, span: &Span) -> Option<&'a Ingredient> {
    layer.ingredients.get(span.ingredient? as usize)
}

/// The place of the byte at `start` of the prompt in the source that `span` was copied from; `in_manifest` says that the
/// source is a string of a manifest.
fn place(channel: &Channel, span: &Span, start: usize, in_manifest: bool) -> SourcePosition {
    // The bytes before the place are those of the source, so they can be counted here.
    let before = channel.text.get(span.start..start).unwrap_or_default();
    let lines = before.bytes().filter(|b| *b == b'\n').count();
    let last = before.rsplit('\n').next().unwrap_or_default();
    // As many bytes as line ends before a span: there is nothing else before it.
    let from_the_margin = span.offset.is_some_and(|o| span.line == Some(o + 1));
    let column = (!in_manifest && (lines > 0 || from_the_margin)).then(|| last.chars().count() + 1);
    let (further, behind) = if in_manifest { (0, lines) } else { (lines, 0) };
    SourcePosition {
        offset: span.offset.map(|offset| offset + (start - span.start)),
        line: span.line.map(|line| line + further),
        column,
        lines_behind: behind,
    }
}

/// The neighbours of the join that is span `number` of layer `at`.
fn between(channel: &Channel, at: usize, number: usize) -> [Side<'_>; 2] {
    let layer = &channel.layers[at];
    if number == 0 {
        let front = at.checked_sub(1).map(|before| &channel.layers[before]);
        let front = front.map_or(Side::Unnamed, |l| Side::Layer(&l.name));
        return [front, Side::Layer(&layer.name)];
    }
    let side = |mut spans: Box<dyn Iterator<Item = &Span>>| {
        let found = spans.find_map(|span| owner(layer, span));
        found.map_or(Side::Unnamed, Side::Ingredient)
    };
    let front = side(Box::new(layer.spans[..number].iter().rev()));
    [front, side(Box::new(layer.spans[number + 1..].iter()))]
}

#[cfg(test)]
mod tests {
    use super::{Side, Source, SourcePosition, trace};
    use crate::prompt::{Changes, Channel, Definition, Deliver, Ingredient, Layer, Span, sha256};
    use crate::text::SpanKind;

    fn layer(name: &str, spans: &[(usize, usize, SpanKind, Option<usize>, usize)]) -> Layer {
        let span = |(start, end, kind, ingredient, line): &(_, _, _, Option<usize>, _)| Span {
            start: *start,
            end: *end,
            kind: *kind,
            ingredient: ingredient.map(|i| u32::try_from(i).unwrap()),
            offset: ingredient.map(|_| 2),
            line: ingredient.map(|_| *line),
            of: None,
        };
        Layer {
            name: name.into(),
            tier: "t".into(),
            start: spans[0].0,
            end: spans[spans.len() - 1].1,
            chars: 0,
            tokens: None,
            changes: Changes::Session,
            sha256: sha256(""),
            ingredients: vec![
                Ingredient::Document {
                    root: "w".into(),
                    base: 0,
                    path: "a.md".into(),
                    sha256: sha256(""),
                    bytes: 0,
                    chars: 0,
                    kept: 0,
                    dropped: 0,
                    imported_by: None,
                    item: None,
                    findings: Vec::new(),
                },
                Ingredient::Literal {
                    file: "promptc.kdl".into(),
                    line: 7,
                    sha256: sha256(""),
                },
            ]
            .into(),
            spans: spans.iter().map(span).collect(),
            unused: Vec::new(),
            definition: Definition::default(),
        }
    }

    /// "é\nbb" of a document, a join, "x\ny" of the manifest; then a join and a layer of the same document.
    fn channel() -> Channel {
        use SpanKind::{Document, Join, Literal};
        let text = "é\nbb--x\ny==é\n";
        Channel {
            deliver: Deliver::System,
            text: text.into(),
            bytes: text.len(),
            chars: text.chars().count(),
            tokens: None,
            tokenizer: None,
            estimate: false,
            tiers: Vec::new(),
            layers: vec![
                layer(
                    "one",
                    &[
                        (0, 5, Document, Some(0), 3),
                        (5, 7, Join, None, 0),
                        (7, 10, Literal, Some(1), 7),
                    ],
                ),
                layer(
                    "two",
                    &[(10, 12, Join, None, 0), (12, 15, Document, Some(0), 2)],
                ),
            ],
        }
    }

    fn place(
        offset: usize,
        line: usize,
        column: Option<usize>,
        lines_behind: usize,
    ) -> SourcePosition {
        SourcePosition {
            offset: Some(offset),
            line: Some(line),
            column,
            lines_behind,
        }
    }

    #[test]
    fn a_place_in_a_document_has_the_line_and_column_that_the_map_knows() {
        let channel = channel();
        let document = |at: usize| match &trace(&channel, at..at + 1)[..] {
            [stretch] => match stretch.source {
                Source::Document { place, .. } => place,
                ref other => panic!("{other:?}"),
            },
            other => panic!("{other:?}"),
        };
        // Two bytes are before it in line 3: they can only be line ends, so its column is known.
        assert_eq!(document(0), place(2, 3, Some(1), 0));
        assert_eq!(document(2), place(4, 3, Some(2), 0));
        assert_eq!(document(4), place(6, 4, Some(2), 0));
        // Two bytes before it and one line end: it may be anywhere in its line.
        assert_eq!(document(12), place(2, 2, None, 0));
        assert_eq!(document(14), place(4, 2, None, 0));
    }

    #[test]
    fn a_string_of_the_manifest_may_hold_line_ends_that_are_none_of_the_file() {
        let channel = channel();
        let source = &trace(&channel, 9..10)[0].source;
        assert_eq!(
            *source,
            Source::Literal {
                file: "promptc.kdl",
                place: place(4, 7, None, 1)
            }
        );
    }

    #[test]
    fn a_join_names_its_neighbours() {
        let channel = channel();
        let sides = |at: usize| match trace(&channel, at..at + 1)[0].source {
            Source::Join { between } => between,
            ref other => panic!("{other:?}"),
        };
        assert_eq!(sides(10), [Side::Layer("one"), Side::Layer("two")]);
        let ingredients = &channel.layers[0].ingredients;
        let [document, literal] = &ingredients[..] else {
            panic!("two ingredients");
        };
        assert_eq!(
            sides(5),
            [Side::Ingredient(document), Side::Ingredient(literal)]
        );
    }

    #[test]
    fn a_range_is_covered_by_its_stretches() {
        let channel = channel();
        for start in 0..channel.bytes {
            for end in start..channel.bytes {
                let mut at = start;
                for stretch in trace(&channel, start..end) {
                    assert_eq!(stretch.start, at);
                    at = stretch.end;
                }
                assert_eq!(at, end);
            }
        }
        assert!(trace(&channel, 99..120).is_empty());
    }

    #[test]
    fn a_foreign_map_may_be_wrong() {
        let mut channel = channel();
        channel.layers[0].spans[0].end = 99;
        channel.layers[0].spans[0].ingredient = Some(9);
        channel.layers[1].spans[0].start = 1;
        for at in 0..120 {
            let _ = trace(&channel, at..at + 1);
        }
    }
}
