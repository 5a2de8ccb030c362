//! Control characters in a prompt: nobody sees them.

use super::bind::ResolvedInputs;
use super::plan::Plan;
use crate::diagnostic::{CONTROL_CHARACTER, Diagnostic, Diagnostics, DocumentPlace};
use crate::prompt::{Channel, Ingredient, Layer, Prompt, Span};
use crate::text::{SpanKind, measure};

/// The control characters that one source brings into a layer.
struct Brought<'p> {
    source: &'p Ingredient,
    first: char,
    /// The line of the first in a file, if it is known.
    line: Option<usize>,
    count: usize,
}

/// Warns of the control characters in the layers that were built now. Those that the manifest itself writes are escapes
/// there, and meant.
pub(super) fn warn(plan: &Plan, bound: &ResolvedInputs, prompt: &Prompt, diags: &mut Diagnostics) {
    for channel in prompt.channels.iter().filter(|c| has_some(&c.text)) {
        for tier in plan.tiers.iter().filter(|t| t.deliver == channel.deliver) {
            if tier.frozen && bound.front.is_some() {
                continue;
            }
            for planned in &tier.layers {
                let layer = channel.layers.iter().find(|l| *l.name == *planned.name);
                for brought in layer.into_iter().flat_map(|layer| in_layer(channel, layer)) {
                    diags.push(brought.warning().at(planned.span));
                }
            }
        }
    }
}

/// Whether a character is one that text has no use for.
fn is_one(c: char) -> bool {
    c.is_control() && !matches!(c, '\t' | '\n' | '\r')
}

/// Whether a text may have one. It looks at bytes, which is fast: nearly no text has any.
fn has_some(text: &str) -> bool {
    let mut before = 0;
    text.bytes().any(|byte| {
        let is_c1 = before == 0xC2 && byte < 0xA0;
        before = byte;
        is_c1 || byte < b' ' && !matches!(byte, b'\t' | b'\n' | b'\r') || byte == 0x7F
    })
}

fn in_layer<'p>(channel: &'p Channel, layer: &'p Layer) -> Vec<Brought<'p>> {
    let mut all: Vec<Brought<'p>> = Vec::new();
    let written = [SpanKind::Literal, SpanKind::Join];
    for span in layer.spans.iter().filter(|s| !written.contains(&s.kind)) {
        let text = &channel.text[span.start..span.end];
        let source = span
            .ingredient
            .and_then(|i| layer.ingredients.get(i as usize));
        let (Some(source), true) = (source, has_some(text)) else {
            continue;
        };
        let mut found = text.char_indices().filter(|(_, c)| is_one(*c));
        let Some((at, first)) = found.next() else {
            continue;
        };
        let count = 1 + found.count();
        match all.iter_mut().find(|other| is_same(other.source, source)) {
            Some(other) => other.count += count,
            None => all.push(Brought {
                source,
                first,
                line: line(span, &text[..at]),
                count,
            }),
        }
    }
    all
}

fn line(span: &Span, before: &str) -> Option<usize> {
    let exact = matches!(span.kind, SpanKind::Document | SpanKind::Template);
    let line = span.line.filter(|_| exact)?;
    Some(line + before.matches('\n').count())
}

/// Whether two ingredients are of one file, or one fact.
fn is_same(one: &Ingredient, other: &Ingredient) -> bool {
    match (one, other) {
        (
            Ingredient::Document { root, path, .. },
            Ingredient::Document {
                root: other_root,
                path: other_path,
                ..
            },
        ) => (root, path) == (other_root, other_path),
        _ => one == other,
    }
}

impl Brought<'_> {
    fn warning(&self) -> Diagnostic {
        let line = self
            .line
            .map_or(String::new(), |line| format!(", line {line}"));
        let (from, is_shown) = match self.source {
            Ingredient::Document { path, .. } => (format!("`{path}`{line}"), true),
            Ingredient::Template { file, .. } => (format!("`{file}`{line}"), true),
            Ingredient::Fact { name, private, .. } => (format!("the fact `{name}`"), !private),
            Ingredient::Let { name, .. } => (format!("the let `{name}`"), false),
            _ => ("the layer".to_owned(), false),
        };
        // A let may print a private fact.
        let what = if is_shown {
            format!("the control character U+{:04X}", u32::from(self.first))
        } else {
            "a control character".to_owned()
        };
        let more = match self.count {
            1 => String::new(),
            2 => ", and 1 more from there".to_owned(),
            count => {
                let more = measure::thousands(&(count - 1).to_string());
                format!(", and {more} more from there")
            }
        };
        let (place, help) = match self.source {
            Ingredient::Document { root, path, .. } => {
                let place = DocumentPlace {
                    root: root.clone(),
                    path: path.clone(),
                    line: self.line.unwrap_or(1),
                };
                let help =
                    "remove it there; a scan with `invisible-unicode` keeps such a document out";
                (Some(place), help)
            }
            _ => (None, "remove it there"),
        };
        let message = format!("{from}: {what} reaches the prompt{more}");
        Diagnostic::warning(CONTROL_CHARACTER, message)
            .in_document(place)
            .help(help)
    }
}
