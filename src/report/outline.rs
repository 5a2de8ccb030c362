//! A prompt in parts, from the whole down to sections of documents, each with its tokens.

use super::words::{count, entry};
use crate::adopt::sections_of;
use crate::prompt::{Changes, Channel, Ingredient, Layer, Prompt};
use crate::request::cost::tokenizer;
use crate::text::SpanKind;
use std::collections::BTreeMap;
use std::ops::Range;

/// A part is named if it is at least so much of the whole that it is in: one of so many.
const SMALL: usize = 100;

/// The most parts; where there are more, sections are left out, then documents.
const MOST: usize = 1_500;

/// A part of a prompt.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    /// Its kind.
    pub(crate) kind: PartKind,
    /// Its name.
    pub(crate) name: String,
    /// The place of the part that it is in.
    pub(crate) parent: Option<usize>,
    /// How often it may change.
    pub(crate) changes: Changes,
    /// The tokens before it.
    pub(crate) from: usize,
    /// Its tokens.
    pub(crate) tokens: usize,
}

/// The kind of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum PartKind {
    /// All of it.
    Prompt,
    /// A tier.
    Tier,
    /// A layer.
    Layer,
    /// The text of one source.
    Source,
    /// A section of that.
    Section,
}

impl PartKind {
    /// Its name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Prompt => "prompt",
            Self::Tier => "tier",
            Self::Layer => "layer",
            Self::Source => "source",
            Self::Section => "section",
        }
    }

    /// Its depth in the prompt.
    pub(crate) fn level(self) -> usize {
        self as usize
    }
}

/// The parts of a prompt, each before those in it.
#[must_use]
pub(crate) fn outline(prompt: &Prompt) -> Vec<Part> {
    let deepest = [PartKind::Section, PartKind::Source, PartKind::Layer];
    let all = deepest.into_iter().map(|deepest| parts(prompt, deepest));
    let mut all = all.skip_while(|parts| parts.len() > MOST);
    all.next().unwrap_or_default()
}

/// A part as bytes of its channel.
struct PartRange {
    kind: PartKind,
    name: String,
    changes: Changes,
    range: Range<usize>,
}

fn parts(prompt: &Prompt, deepest: PartKind) -> Vec<Part> {
    let tokenizer = tokenizer(None, prompt.tokenizer(), None);
    let mut out = vec![Part {
        kind: PartKind::Prompt,
        name: prompt.name.clone().unwrap_or_else(|| "prompt".to_owned()),
        parent: None,
        changes: Changes::Never,
        from: 0,
        tokens: 0,
    }];
    for channel in &prompt.channels {
        let places = places(channel, deepest);
        let mut ends: Vec<usize> = (places.iter())
            .flat_map(|place| [place.range.start, place.range.end])
            .chain([0, channel.text.len()])
            .collect();
        ends.sort_unstable();
        ends.dedup();
        let before = out[0].tokens;
        let counts = tokenizer.count_parts(&channel.text, &ends);
        let sums = counts.iter().scan(before, |sum, count| {
            *sum += count;
            Some(*sum)
        });
        let at: BTreeMap<usize, usize> = ends.iter().copied().zip(sums).collect();
        let mut open: Vec<usize> = vec![0];
        for PartRange {
            kind,
            name,
            changes,
            range,
        } in places
        {
            open.truncate(kind.level());
            let [from, to] =
                [range.start, range.end].map(|byte| at.get(&byte).copied().unwrap_or(before));
            let parent = open.last().copied();
            open.push(out.len());
            let tokens = to - from;
            out.push(Part {
                kind,
                name,
                parent,
                changes,
                from,
                tokens,
            });
        }
        out[0].changes = out[0].changes.max(
            channel
                .tiers
                .iter()
                .map(|t| t.changes)
                .max()
                .unwrap_or(Changes::Never),
        );
        out[0].tokens = at.get(&channel.text.len()).copied().unwrap_or(before);
    }
    out
}

fn places(channel: &Channel, deepest: PartKind) -> Vec<PartRange> {
    let mut out = Vec::new();
    for tier in channel.tiers.iter().filter(|tier| tier.start < tier.end) {
        out.push(PartRange {
            kind: PartKind::Tier,
            name: tier.name.clone(),
            changes: tier.changes,
            range: tier.start..tier.end,
        });
        for layer in channel
            .layers
            .iter()
            .filter(|layer| layer.tier == tier.name)
        {
            let place = |kind, name, range| PartRange {
                kind,
                name,
                changes: layer.changes,
                range,
            };
            out.push(place(
                PartKind::Layer,
                layer.name.clone(),
                layer.start..layer.end,
            ));
            if deepest < PartKind::Source {
                continue;
            }
            let whole = layer.start..layer.end;
            let sources = large(&sources(layer), &whole);
            for (name, range) in sources {
                out.push(place(PartKind::Source, name, range.clone()));
                if deepest < PartKind::Section {
                    continue;
                }
                let own = large(&sections(&channel.text[range.clone()], range.start), &range);
                // A source of one section is that section.
                if own.len() > 1 {
                    out.extend(
                        own.into_iter()
                            .map(|(name, range)| place(PartKind::Section, name, range)),
                    );
                }
            }
        }
    }
    out
}

type Named = (String, Range<usize>);

/// The stretches of a layer by where they are from: each document, and what templates and facts made between documents.
fn sources(layer: &Layer) -> Vec<Named> {
    let document = |ingredient: Option<u32>| {
        let item = layer.ingredients.get(ingredient? as usize)?;
        let Ingredient::Document { path, item, .. } = item else {
            return None;
        };
        Some(format!("{path}{}", entry(item.as_deref())))
    };
    let spans = layer.spans.iter().filter(|span| span.start < span.end);
    let spans: Vec<_> = spans
        .map(|span| (document(span.ingredient), span))
        .collect();
    let runs = spans.chunk_by(|(a, _), (b, _)| a == b);
    let run = |run: &[(Option<String>, &crate::prompt::Span)]| {
        let (first, last) = (run.first()?, run.last()?);
        let name = match &first.0 {
            Some(name) => name.clone(),
            None => made(run.iter().map(|(_, span)| *span)).to_owned(),
        };
        Some((name, first.1.start..last.1.end))
    };
    runs.filter_map(run).collect()
}

/// The kind of most bytes between documents.
fn made<'s>(spans: impl Iterator<Item = &'s crate::prompt::Span>) -> &'static str {
    let mut sums: BTreeMap<&str, usize> = BTreeMap::new();
    for span in spans {
        let word = match span.kind {
            SpanKind::Document => "document",
            SpanKind::Fact => "fact",
            SpanKind::Template | SpanKind::Join => "template",
            SpanKind::Literal => "text of the manifest",
            SpanKind::Derived => "derived",
        };
        *sums.entry(word).or_default() += span.end - span.start;
    }
    let most = sums.into_iter().max_by_key(|(_, bytes)| *bytes);
    most.map_or("template", |(word, _)| word)
}

/// The sections of a text that begins at `start`.
fn sections(text: &str, start: usize) -> Vec<Named> {
    let marks = sections_of(text);
    let ends = marks.iter().skip(1).map(|(at, _)| *at).chain([text.len()]);
    let mut out: Vec<Named> = Vec::new();
    if let Some((first, _)) = marks.first().filter(|(first, _)| *first > 0) {
        out.push(("beginning".to_owned(), start..start + first));
    }
    let sections = marks.iter().zip(ends);
    out.extend(sections.map(|((at, title), end)| (title.clone(), start + at..start + end)));
    out
}

/// The parts, with small neighbours joined to one.
fn large(all: &[Named], whole: &Range<usize>) -> Vec<Named> {
    let is_small = |(_, range): &Named| range.len() * SMALL < whole.len();
    let runs = all.chunk_by(|a, b| is_small(a) && is_small(b));
    let run = |run: &[Named]| match run {
        [one] => Some(one.clone()),
        several => {
            let name = count(several.len(), "small part");
            Some((name, several.first()?.1.start..several.last()?.1.end))
        }
    };
    runs.filter_map(run).collect()
}

#[cfg(test)]
mod tests {
    use super::{large, sections};

    #[test]
    fn sections_begin_at_headings_and_cover_the_text() {
        let text = "Be kind.\n\n# One\nx\n## Two\ny\n";
        let found = sections(text, 7);
        let names: Vec<_> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["beginning", "One", "Two"]);
        let parts: String = found
            .iter()
            .map(|(_, at)| &text[at.start - 7..at.end - 7])
            .collect();
        assert_eq!(parts, text);
    }

    #[test]
    fn small_adjacent_parts_become_one() {
        let part = |name: &str, from, to| (name.to_owned(), from..to);
        let all = [
            part("a", 0, 500),
            part("b", 500, 501),
            part("c", 501, 503),
            part("d", 503, 1_000),
        ];
        let found = large(&all, &(0..1_000));
        assert_eq!(
            found,
            [
                part("a", 0, 500),
                part("2 small parts", 500, 503),
                part("d", 503, 1_000)
            ]
        );
    }
}
