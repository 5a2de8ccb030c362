//! Places of a prompt and their sources.

mod find;
mod json;

pub use find::{LineColumn, PlaceQuery, TextPlace};
pub(crate) use json::Report;

use crate::diagnostic::span::line_column;
use crate::diagnostic::{ARTIFACT_SYNTAX, Diagnostic, NO_SUCH_PLACE};
use crate::prompt::blame::{Side, Source, SourcePosition, SourceRun, trace};
use crate::prompt::{Channel, Deliver, Ingredient, Prompt};
use crate::report::document::{Block, Document};
use crate::report::escape::plain;
use crate::report::excerpt::{Excerpt, Mark};
use crate::report::text::Text;
use crate::report::words::{entry, thousands};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Write as _;
use std::ops::Range;

/// The most characters of a fact's value that are shown.
const VALUE: usize = 40;

/// A place of a text with what it is made of.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "Found")]
pub struct Sourced<'a> {
    /// The place.
    #[serde(flatten)]
    pub found: TextPlace,
    /// Its parts, in order.
    pub stretches: Vec<SourceRun<'a>>,
}

/// A channel of a prompt.
///
/// # Errors
/// Where the prompt has none such.
pub fn channel(prompt: &Prompt, deliver: Deliver) -> Result<&Channel, Box<Diagnostic>> {
    prompt.channel(deliver).ok_or_else(|| {
        let message = format!("the prompt has no {}", deliver.text_name());
        let diagnostic = Diagnostic::error(NO_SUCH_PLACE, message);
        let there: Vec<String> = prompt
            .channels
            .iter()
            .map(|c| format!("--channel {}", c.deliver))
            .collect();
        Box::new(diagnostic.help(if there.is_empty() {
            "it has no text at all; `promptc explain` shows why".to_owned()
        } else {
            format!("it has text for {}", there.join(" and "))
        }))
    })
}

/// The places of a channel that are asked for, with their sources, and how many more there are.
///
/// # Errors
/// Where there is no such place, or the map does not cover it.
pub fn find<'a>(
    channel: &'a Channel,
    asked: PlaceQuery<'_>,
) -> Result<(Vec<Sourced<'a>>, usize), Box<Diagnostic>> {
    let (found, more) = find::places(channel, asked)?;
    let mut out = Vec::new();
    for found in found {
        let stretches = trace(channel, found.range());
        if stretches.is_empty() {
            let message = format!("the map has no owner for byte {}", found.start);
            let diagnostic = Diagnostic::error(ARTIFACT_SYNTAX, message);
            let help = "build the prompt again: a map covers every byte";
            return Err(Box::new(diagnostic.help(help)));
        }
        out.push(Sourced { found, stretches });
    }
    Ok((out, more))
}

/// Places, each with its sources, and how many more there are.
#[must_use]
pub fn blame(channel: &Channel, places: &[Sourced<'_>], more: usize) -> Document {
    let mut out = Document::new();
    for place in places {
        one(&mut out, channel, place);
    }
    if more > 0 {
        out.blocks.push(Block::Lines(vec![
            format!("… and {} more", thousands(more)).into(),
        ]));
    }
    out
}

fn one(out: &mut Document, channel: &Channel, place: &Sourced<'_>) {
    let (line, column) = (thousands(place.found.line), thousands(place.found.column));
    let heading = format!(
        "{}, line {line}, column {column}",
        channel.deliver.text_name()
    );
    let bytes = bytes(&place.found.range());
    out.heading(Text::new().name(heading).words(format!(", {bytes}")));
    let start = place.found.shown.start;
    let first = place.stretches.first().map(|s| s.layer);
    let one_layer = place.stretches.iter().all(|s| Some(s.layer) == first);
    let marks = place.stretches.iter().map(|stretch| {
        let layer = if one_layer {
            String::new()
        } else {
            format!("{}: ", stretch.layer)
        };
        let (line, column) = line_column(&channel.text, stretch.start);
        Mark {
            range: stretch.start.saturating_sub(start)..stretch.end.saturating_sub(start),
            text: format!("{layer}{}", source(&stretch.source)).into(),
            elsewhere: format!(", from {line}:{column}"),
        }
    });
    let mut layers: Vec<&SourceRun<'_>> = place.stretches.iter().collect();
    layers.dedup_by_key(|s| s.layer);
    let layers = layers.into_iter().map(|stretch| {
        let name = Text::from("layer ").name(stretch.layer).words(" (");
        name.class(stretch.changes)
            .words(format!("), tier {}", stretch.tier))
    });
    out.push(Excerpt {
        number: place.found.line,
        line: channel
            .text
            .get(place.found.shown.clone())
            .unwrap_or_default()
            .to_owned(),
        at: place.found.start.saturating_sub(start),
        ended: channel.text[place.found.shown.end..].starts_with('\n'),
        marks: marks.collect(),
        below: layers.collect(),
    });
}

/// "byte 46", "bytes 46 to 49".
fn bytes(range: &Range<usize>) -> String {
    match range.len() {
        1 => format!("byte {}", thousands(range.start)),
        _ => format!(
            "bytes {} to {}",
            thousands(range.start),
            thousands(range.end)
        ),
    }
}

/// The source of a stretch, in words.
fn source(source: &Source<'_>) -> String {
    match source {
        Source::Document {
            root,
            path,
            item,
            place,
        } => {
            let (path, place) = (plain(path), placed(place));
            format!("document {root}:{path}{place}{}", entry(*item))
        }
        Source::Fact { name, value, .. } => match value {
            Some(value) => format!("fact {name} = {}", clip(&value.to_string())),
            None => format!("fact {name} (private)"),
        },
        Source::Template { file, place } => format!("template {}{}", plain(file), placed(place)),
        Source::Literal { file, place } => format!("text {}{}", plain(file), placed(place)),
        Source::Join {
            between: [front, behind],
        } => format!("join between {} and {}", side(front), side(behind)),
        Source::Derived { from: Some(from) } => format!("derived from {}", named(from)),
        Source::Derived { from: None } => "derived by a template".to_owned(),
    }
}

/// ":12:3", as far as it is known; without a column, the byte.
fn placed(place: &SourcePosition) -> String {
    let mut out = String::new();
    if let Some(line) = place.line {
        let _ = write!(out, ":{line}");
    }
    match (place.column, place.offset) {
        (Some(column), _) => _ = write!(out, ":{column}"),
        (None, Some(offset)) => _ = write!(out, ", byte {} of it", thousands(offset)),
        (None, None) => {}
    }
    match place.lines_behind {
        0 => {}
        1 => out.push_str(", a line further on"),
        n => _ = write!(out, ", {} lines further on", thousands(n)),
    }
    out
}

fn side(side: &Side<'_>) -> String {
    match side {
        Side::Layer(name) => format!("layer {name}"),
        Side::Ingredient(ingredient) => named(ingredient),
        Side::Unnamed => "unnamed text".to_owned(),
    }
}

fn named(ingredient: &Ingredient) -> String {
    match ingredient {
        Ingredient::Document {
            root, path, item, ..
        } => format!("document {root}:{}{}", plain(path), entry(item.as_deref())),
        Ingredient::Fact { name, .. } => format!("fact {name}"),
        Ingredient::Let { name, .. } => format!("let {name}"),
        Ingredient::Root { name, .. } => format!("root {name}"),
        Ingredient::Template { file, line, .. } => match line {
            Some(line) => format!("template {}:{line}", plain(file)),
            None => format!("template {}", plain(file)),
        },
        Ingredient::Literal { file, line, .. } => format!("text {}:{line}", plain(file)),
        Ingredient::Condition { expression, .. } => format!("condition {}", clip(expression)),
        Ingredient::Exists { root, path, .. } => format!("exists {root}:{}", plain(path)),
        Ingredient::Loaded { layer, .. } => format!("loaded {layer}"),
        Ingredient::Budget { of, .. } => format!("budget of {}", plain(of)),
    }
}

/// The beginning of a long text.
fn clip(text: &str) -> String {
    let text = plain(text);
    match text.char_indices().nth(VALUE) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}
