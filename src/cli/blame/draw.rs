//! Places and their sources, for people and for programs.

use super::Answer;
use crate::cli::ui::words::{entry, plain, thousands};
use crate::cli::ui::{FAINT, NAME, WARNING, class};
use crate::diagnostic::span::line_column;
use crate::prompt::blame::{Place, Side, Source, SourceRun};
use crate::prompt::{Channel, Ingredient};
use std::fmt::Write as _;
use std::ops::Range;
use unicode_width::UnicodeWidthStr as _;

/// How much of a line is shown, in columns of a terminal.
const WIDTH: usize = 64;

/// How much of that may stand in front of the place.
const FRONT: usize = 24;

/// How much of a fact's value is shown, in characters.
const VALUE: usize = 40;

/// For people.
pub(super) fn human(channel: &Channel, answers: &[Answer<'_>], more: usize) -> String {
    let mut out = String::new();
    for (number, answer) in answers.iter().enumerate() {
        if number > 0 {
            out.push('\n');
        }
        one(&mut out, channel, answer);
    }
    if more > 0 {
        let _ = writeln!(out, "\n… and {} more", thousands(more));
    }
    out
}

fn one(out: &mut String, channel: &Channel, answer: &Answer<'_>) {
    let found = &answer.found;
    let _ = writeln!(
        out,
        "{NAME}{} text, line {}, column {}{NAME:#}, {}",
        channel.deliver,
        thousands(found.line),
        thousands(found.column),
        bytes(&found.range())
    );
    let excerpt = Excerpt::of(&channel.text, answer);
    let number = found.line.to_string();
    let blank = " ".repeat(number.len());
    let shown = format!(" {}", excerpt.text);
    let _ = writeln!(out, "{FAINT}{number} |{FAINT:#}{}", shown.trim_end());
    let first = answer.stretches.first().map(|s| s.layer);
    let one_layer = answer.stretches.iter().all(|s| Some(s.layer) == first);
    for stretch in &answer.stretches {
        let layer = match one_layer {
            true => String::new(),
            false => format!("{}: ", stretch.layer),
        };
        let (mark, elsewhere) = match excerpt.mark(stretch) {
            Some(mark) => (mark, String::new()),
            None => {
                let (line, column) = line_column(&channel.text, stretch.start);
                (
                    " ".repeat(excerpt.marked),
                    format!(", from {line}:{column}"),
                )
            }
        };
        let _ = writeln!(
            out,
            "{FAINT}{blank} |{FAINT:#} {WARNING}{mark}{WARNING:#}  {layer}{}{elsewhere}",
            source(&stretch.source)
        );
    }
    let mut layers: Vec<&SourceRun<'_>> = answer.stretches.iter().collect();
    layers.dedup_by_key(|s| s.layer);
    for stretch in layers {
        let style = class(stretch.changes);
        let _ = writeln!(
            out,
            "layer {NAME}{}{NAME:#} ({style}{}{style:#}), tier {}",
            stretch.layer, stretch.changes, stretch.tier
        );
    }
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

/// What is shown of a line.
struct Excerpt<'a> {
    whole: &'a str,
    /// The part of the prompt that is shown.
    window: Range<usize>,
    /// As it is drawn.
    text: String,
    /// The columns in front of the window.
    margin: usize,
    /// The column behind the last mark.
    marked: usize,
}

impl<'a> Excerpt<'a> {
    fn of(whole: &'a str, answer: &Answer<'_>) -> Self {
        let (line, place) = (&answer.found.shown, answer.found.range());
        let window = window(whole, line, place.start);
        let cut_front = window.start > line.start;
        let ellipsis = |cut: bool| if cut { "…" } else { "" };
        let mut out = Self {
            whole,
            text: format!(
                "{}{}{}",
                ellipsis(cut_front),
                plain(&whole[window.clone()]),
                ellipsis(window.end < line.end)
            ),
            window,
            margin: usize::from(cut_front),
            marked: 0,
        };
        let ends = answer.stretches.iter().filter_map(|s| out.columns(s));
        out.marked = ends.map(|c| c.end).max().unwrap_or_default();
        out
    }

    /// The columns of a stretch, as far as it can be seen. A line's end has the column behind the line.
    fn columns(&self, stretch: &SourceRun<'_>) -> Option<Range<usize>> {
        let Range { start, end } = self.window;
        let first = stretch.start.max(start);
        if first > end || (first == end && !self.whole[end..].starts_with('\n')) {
            return None;
        }
        let last = stretch.end.clamp(first, end);
        // A map from outside may point into the middle of a character.
        let text = |from, to| self.whole.get(from..to).unwrap_or_default();
        let column = self.margin + columns(text(start, first));
        Some(column..column + columns(text(first, last)).max(1))
    }

    /// Carets below the stretch, and blanks up to where the sources stand.
    fn mark(&self, stretch: &SourceRun<'_>) -> Option<String> {
        let columns = self.columns(stretch)?;
        let (front, carets) = (" ".repeat(columns.start), "^".repeat(columns.len()));
        Some(format!("{:width$}", front + &carets, width = self.marked))
    }
}

/// How wide a text is on a terminal.
fn columns(text: &str) -> usize {
    plain(text).width()
}

/// The part of `line` around `at` that fits.
fn window(whole: &str, line: &Range<usize>, at: usize) -> Range<usize> {
    if columns(&whole[line.clone()]) <= WIDTH {
        return line.clone();
    }
    let at = at.clamp(line.start, line.end);
    let room = |chars: &mut dyn Iterator<Item = (usize, char)>, most: usize| {
        let mut used = 0;
        chars
            .take_while(|(_, c)| {
                used += columns(c.encode_utf8(&mut [0; 4]));
                used <= most
            })
            .last()
    };
    let front = room(&mut whole[line.start..at].char_indices().rev(), FRONT);
    let start = front.map_or(at, |(first, _)| line.start + first);
    let rest = &whole[start..line.end];
    let end = room(&mut rest.char_indices(), WIDTH);
    let end = end.map_or(0, |(last, c)| last + c.len_utf8());
    start..start + end
}

/// What a stretch comes from, in words.
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
fn placed(place: &Place) -> String {
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
        Side::Unnamed => "what has no name".to_owned(),
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
