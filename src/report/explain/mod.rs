//! The layers of a prompt, and what each is made of.

mod fates;
mod find;
mod budget;
pub(crate) mod provider;
pub(crate) mod json;

pub use budget::{
    budgets, budgets_of, fits, layers as layers_of, line as budget, share as share_of,
};
pub use fates::{LayerStatus, fates, fates_of};
pub(crate) use find::chosen;

use super::document::{Document, Fact, Facts, Items};
use super::text::{Style, Text};
use super::words::{counted, entry, plain, share, thousands, tokens};
use crate::prompt::{Deliver, Index, Ingredient, Layer, Prompt, Tokens, Unused};
use crate::text::SpanKind;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// The most characters of a fact's value that are shown.
const VALUE: usize = 60;

/// The prompt and all its layers.
#[must_use]
pub fn prompt(prompt: &Prompt, fates: &[LayerStatus<'_>]) -> Document {
    let mut out = Document::new();
    let name = prompt.name.as_deref().unwrap_or("prompt");
    let name = Text::new().name(name);
    out.heading(name.words(format!("  {}", prompt.fingerprint)));
    for channel in &prompt.channels {
        let tokens = match channel.counted() {
            None => String::new(),
            Some(all) => format!(", {} ({})", tokens(&all), all.tokenizer),
        };
        let size = size(channel.bytes, channel.chars);
        out.line(format!("{}: {size}{tokens}", channel.deliver.text_name()));
    }
    let index = Index::of(prompt);
    for tier in fates.chunk_by(|a, b| a.tier() == b.tier()) {
        out.heading(heading(tier[0], &index));
        out.push(layers(
            tier.iter().map(|fate| (line(*fate), details(*fate))),
        ));
    }
    let notices = prompt.notices.iter().map(|notice| {
        let word = if notice.is_loss() { "lost" } else { "note" };
        Fact::new(word, notice.sentence())
    });
    out.facts(Facts {
        facts: notices.collect(),
        ..Facts::default()
    });
    out
}

/// One layer with who owns its bytes.
#[must_use]
pub fn layer(fate: LayerStatus<'_>) -> Document {
    let mut out = Document::new();
    out.heading(format!("tier {}{}", fate.tier(), channel(fate)));
    let mut facts = details(fate);
    if let LayerStatus::Present(channel, present) = fate {
        let (start, end) = (thousands(present.start), thousands(present.end));
        let place = format!(
            "bytes {start} to {end} of the {}",
            channel.deliver.text_name()
        );
        facts.push("place", place);
        facts.push("hash", present.sha256.as_str());
        owners(&mut facts, present);
    }
    out.push(layers([(line(fate), facts)].into_iter()));
    out
}

/// Layers below their tier.
fn layers(layers: impl Iterator<Item = (Text, Facts)>) -> Items {
    let items = layers.map(|(line, facts)| {
        let mut below = Document::new();
        below.facts(facts);
        (line, below)
    });
    Items {
        indent: 2,
        inner: 4,
        items: items.collect(),
    }
}

/// "tier stable (session)"; the class is known if the tier has a place in a channel.
fn heading(fate: LayerStatus<'_>, index: &Index<'_>) -> Text {
    let (name, channel) = (fate.tier(), channel(fate));
    let text = Text::new().name(format!("tier {name}"));
    match index.tier(name) {
        Some((_, tier)) => text
            .words(" (")
            .class(tier.changes)
            .words(format!("){channel}")),
        None => text.words(channel),
    }
}

/// Where the text of the layer's tier goes, if it is not the system prompt.
fn channel(fate: LayerStatus<'_>) -> String {
    match fate.deliver() {
        Deliver::System => String::new(),
        deliver => format!(", delivered as {deliver}"),
    }
}

/// A layer in one line.
fn line(fate: LayerStatus<'_>) -> Text {
    let text = Text::new().name(fate.name()).words("  ");
    match fate {
        LayerStatus::Present(channel, layer) => {
            let bytes = layer.end - layer.start;
            let mut size = size(bytes, layer.chars);
            if let Some((count, all)) = layer.tokens.zip(channel.counted()) {
                let _ = write!(size, ", {}", tokens(&Tokens { count, ..all }));
            }
            let share = share(bytes, channel.bytes);
            text.class(layer.changes)
                .words(format!("  {size}  {share}"))
        }
        LayerStatus::Absent(layer, _) => text
            .styled(Style::Warning, "absent")
            .words(format!(" ({}): {}", layer.reason, layer.detail)),
    }
}

/// The inputs of a layer; documents that were read but do not count come after it, with the others.
fn details(fate: LayerStatus<'_>) -> Facts {
    let (ingredients, unused): (&[Ingredient], &[Unused]) = match fate {
        LayerStatus::Present(_, layer) => (&layer.ingredients, &layer.unused),
        LayerStatus::Absent(layer, _) => (&layer.ingredients, &layer.unused),
    };
    let mut out = Facts::faint(10);
    let left_out: BTreeSet<DocumentId<'_>> = unused
        .iter()
        .map(|u| (&*u.root, &*u.path, u.item.as_deref()))
        .collect();
    let mut read: BTreeMap<DocumentId<'_>, (usize, Vec<&Ingredient>)> = BTreeMap::new();
    for item in ingredients {
        if let Some((place, bytes)) = uncounted(item) {
            read.entry(place)
                .or_insert((bytes, Vec::new()))
                .1
                .push(item);
        }
    }
    let rejected =
        |item: &&Ingredient| uncounted(item).is_some_and(|(place, _)| left_out.contains(&place));
    for item in ingredients.iter().filter(|i| !rejected(i)) {
        let (kind, text) = ingredient(item);
        out.push(kind, text);
        findings(&mut out, item);
    }
    for Unused {
        root,
        path,
        item,
        reason,
    } in unused
    {
        let read = read.get(&(root.as_str(), path.as_str(), item.as_deref()));
        let size = read.map_or(String::new(), |(n, _)| {
            format!("  {}", counted(*n, "bytes"))
        });
        let number = entry(item.as_deref());
        out.push("not used", format!("{root}:{path}{number}{size}  {reason}"));
        let same = read.map(|(_, same)| same.as_slice()).unwrap_or_default();
        same.iter().for_each(|item| findings(&mut out, item));
    }
    out
}

/// Root, path and entry.
type DocumentId<'p> = (&'p str, &'p str, Option<&'p str>);

/// The findings of a scan in a document, one a line.
fn findings(out: &mut Facts, item: &Ingredient) {
    for finding in item.findings() {
        out.push("found", format!("{}  {}", finding.id, finding.place()));
    }
}

/// The identity and the size of a document that was read and whose text does not count.
fn uncounted(item: &Ingredient) -> Option<(DocumentId<'_>, usize)> {
    match item {
        Ingredient::Document {
            root,
            path,
            bytes,
            kept: 0,
            dropped: 0,
            item,
            ..
        } => Some(((root, path, item.as_deref()), *bytes)),
        _ => None,
    }
}

/// The kind of an ingredient and what is to be said about it.
pub fn ingredient(item: &Ingredient) -> (&'static str, String) {
    match item {
        Ingredient::Document {
            root,
            path,
            bytes,
            kept,
            dropped,
            imported_by,
            item,
            base,
            ..
        } => {
            let entry = entry(item.as_deref());
            let mut text = format!("{root}:{path}{entry}  {}", counted(*bytes, "bytes"));
            if *base > 0 {
                let _ = write!(text, ", next to base {base}");
            }
            if let Some(by) = imported_by {
                let _ = write!(text, ", imported by {by}");
            }
            if *dropped > 0 {
                let (kept, dropped) = (thousands(*kept), counted(*dropped, "chars"));
                let _ = write!(text, ", kept {kept}, dropped {dropped}");
            }
            ("document", text)
        }
        Ingredient::Fact {
            name,
            private: true,
            ..
        } => ("fact", format!("{name} (private)")),
        Ingredient::Fact { name, value, .. } => match value {
            Some(value) => ("fact", format!("{name} = {}", clip(&value.to_string()))),
            None => ("fact", format!("{name} is missing")),
        },
        Ingredient::Let { name, expression } => ("let", format!("{name} = {}", clip(expression))),
        Ingredient::Template { file, line, .. } => match line {
            Some(line) => ("template", format!("{file}:{line}")),
            None => ("template", file.clone()),
        },
        Ingredient::Literal { file, line, .. } => ("text", format!("{file}:{line}")),
        Ingredient::Root { name, shown } => ("root", format!("{name} is written as {shown}")),
        Ingredient::Condition {
            expression, value, ..
        } => ("condition", format!("{} is {value}", clip(expression))),
        Ingredient::Exists { root, path, value } => {
            ("exists", format!("{path} in {root} is {value}"))
        }
        Ingredient::Loaded { layer, value } => ("loaded", format!("{layer} is {value}")),
        Ingredient::Budget { .. } => ("budget", budget::line(item)),
    }
}

/// The bytes of each owner, in the order of first use.
fn owners(out: &mut Facts, layer: &Layer) {
    let mut bytes: BTreeMap<(u32, SpanKind), usize> = BTreeMap::new();
    for span in &layer.spans {
        let owner = span.ingredient.unwrap_or(u32::MAX);
        *bytes.entry((owner, span.kind)).or_default() += span.end - span.start;
    }
    for ((owner, kind), bytes) in bytes {
        let who = match layer.ingredients.get(owner as usize) {
            Some(item) => format!("{} {}", ingredient(item).0, named(item)) + &number_of(item),
            None if kind == SpanKind::Join => "the join".to_owned(),
            None => "unnamed".to_owned(),
        };
        let how = match kind {
            SpanKind::Derived => ", derived",
            _ => "",
        };
        out.push("bytes", format!("{:>7}  {who}{how}", thousands(bytes)));
    }
}

fn number_of(item: &Ingredient) -> String {
    match item {
        Ingredient::Document { item, .. } => entry(item.as_deref()),
        _ => String::new(),
    }
}

/// The name of an ingredient.
pub fn named(item: &Ingredient) -> &str {
    match item {
        Ingredient::Document { path, .. } => path,
        Ingredient::Fact { name, .. }
        | Ingredient::Let { name, .. }
        | Ingredient::Root { name, .. } => name,
        Ingredient::Template { file, .. } | Ingredient::Literal { file, .. } => file,
        Ingredient::Condition { expression, .. } => expression,
        Ingredient::Exists { path, .. } => path,
        Ingredient::Loaded { layer, .. } => layer,
        Ingredient::Budget { of, .. } => of,
    }
}

/// Bytes and characters, in words.
pub fn size(bytes: usize, chars: usize) -> String {
    format!("{}, {}", counted(bytes, "bytes"), counted(chars, "chars"))
}

/// The beginning of a long text, in one line.
fn clip(text: &str) -> String {
    let line = plain(&text.replace(['\n', '\r'], " "));
    match line.char_indices().nth(VALUE) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::{LayerStatus, layer, prompt};
    use crate::prompt::{
        Absent, Changes, Channel, Definition, Deliver, Ingredient, Layer, Notice, Prompt, Reason,
        Span, Tier, Unused, UnusedReason, sha256,
    };
    use crate::report::{Document, Terminal};
    use crate::text::SpanKind;

    fn sample() -> Prompt {
        let text = "You help.\n\n## Project\nabcd…";
        let ingredients = vec![
            Ingredient::Document {
                root: "workspace".into(),
                base: 0,
                path: "AGENTS.md".into(),
                sha256: sha256("abcdefgh"),
                bytes: 8,
                chars: 8,
                kept: 4,
                dropped: 4,
                imported_by: None,
                item: None,
                findings: Vec::new(),
            },
            Ingredient::Template {
                file: "promptc.kdl".into(),
                line: Some(12),
                sha256: sha256("t"),
            },
            Ingredient::Budget {
                unit: "chars".into(),
                max: 5,
                before: 8,
                after: 5,
                of: "AGENTS.md".into(),
                spread: Some("each".into()),
                head: Some(4),
                marker: Some(1),
                tail: Some(0),
                left: Some(20),
                floor: None,
                entries: None,
                dropped: None,
                by: None,
            },
            Ingredient::Condition {
                expression: "not quiet".into(),
                value: true,
                inputs: Vec::new(),
                node: None,
            },
            Ingredient::Fact {
                name: "key".into(),
                value: None,
                private: true,
            },
            Ingredient::Fact {
                name: "user".into(),
                value: Some("Ann".into()),
                private: false,
            },
        ];
        let span = |start, end, kind, ingredient: Option<u32>| Span {
            start,
            end,
            kind,
            ingredient,
            offset: ingredient.map(|_| 0),
            line: None,
            of: None,
        };
        Prompt {
            inputs: None,
            overlays: std::sync::Arc::default(),
            schema: 1,
            promptc: "0.1.0".into(),
            language: 1,
            name: Some("atlas".into()),
            fingerprint: sha256(text),
            manifest_sha256: sha256("m"),
            channels: vec![Channel {
                deliver: Deliver::System,
                text: text.into(),
                bytes: text.len(),
                chars: text.chars().count(),
                tokens: None,
                tokenizer: None,
                estimate: false,
                tiers: vec![Tier {
                    name: "stable".into(),
                    changes: Changes::Session,
                    start: 0,
                    end: text.len(),
                    fingerprint: sha256(text),
                    definition: Definition::default(),
                }],
                layers: vec![Layer {
                    name: "rules".into(),
                    tier: "stable".into(),
                    start: 0,
                    end: text.len(),
                    chars: text.chars().count(),
                    tokens: None,
                    changes: Changes::Session,
                    sha256: sha256(text),
                    ingredients: ingredients.into(),
                    spans: vec![
                        span(0, 9, SpanKind::Template, Some(1)),
                        span(9, 11, SpanKind::Join, None),
                        span(11, 22, SpanKind::Template, Some(1)),
                        span(22, 26, SpanKind::Document, Some(0)),
                        span(26, 29, SpanKind::Derived, Some(0)),
                    ],
                    unused: vec![Unused {
                        root: "workspace".into(),
                        path: "SOUL.md".into(),
                        item: None,
                        reason: UnusedReason::Missing,
                    }],
                    definition: Definition::default(),
                }],
            }],
            absent: vec![Absent {
                layer: "heartbeat".into(),
                tier: "turn".into(),
                reason: Reason::Condition,
                detail: "`heartbeat` is false".into(),
                ingredients: vec![Ingredient::Condition {
                    expression: "heartbeat".into(),
                    value: false,
                    inputs: Vec::new(),
                    node: None,
                }]
                .into(),
                unused: Vec::new(),
                definition: Definition::default(),
            }],
            notices: vec![Notice {
                code: "cut".into(),
                layer: Some("rules".into()),
                message: "AGENTS.md was cut from 8 to 5 chars".into(),
            }],
            without: Vec::new(),
            fits: Vec::new(),
            session: None,
        }
    }

    fn plain(document: &Document) -> String {
        Terminal::default().draw_bare(document)
    }

    #[test]
    fn all_layers_are_drawn_with_their_ingredients() {
        let sample = sample();
        let (channel, rules) = sample.layer("rules").unwrap();
        let fates = [
            LayerStatus::Present(channel, rules),
            LayerStatus::Absent(&sample.absent[0], Deliver::User),
        ];
        insta::assert_snapshot!(plain(&prompt(&sample, &fates)));
    }

    #[test]
    fn one_layer_is_drawn_with_the_owners_of_its_bytes() {
        let sample = sample();
        let (channel, rules) = sample.layer("rules").unwrap();
        insta::assert_snapshot!(plain(&layer(LayerStatus::Present(channel, rules))));
        insta::assert_snapshot!(plain(&layer(LayerStatus::Absent(
            &sample.absent[0],
            Deliver::User
        ))));
    }
}
