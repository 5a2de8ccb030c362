//! Law 3, every byte has an owner, of any prompt of a tree.

use super::building::Tree;
use promptc::prompt::{Channel, Ingredient, Layer, Prompt, Span};
use promptc::text::SpanKind;

pub(super) fn check(prompt: &Prompt, tree: &Tree<'_>) {
    assert_eq!(prompt.fault(), None);
    for channel in &prompt.channels {
        assert!(!channel.text.is_empty(), "an empty channel is left out");
        assert_eq!(channel.bytes, channel.text.len());
        assert_eq!(channel.chars, channel.text.chars().count());
        check_tiers(channel);
        let mut at = 0;
        for layer in &channel.layers {
            assert_eq!(layer.start, at, "layers tile the channel");
            assert!(layer.end > at, "an empty layer is absent");
            at = layer.end;
            check_layer(channel, layer, tree);
        }
        assert_eq!(at, channel.text.len(), "layers tile the channel");
    }
}

fn check_tiers(channel: &Channel) {
    let mut at = 0;
    for tier in &channel.tiers {
        assert_eq!(tier.start, at, "tiers tile the channel");
        assert!(channel.text.get(at..tier.end).is_some());
        at = tier.end;
    }
    assert_eq!(at, channel.text.len(), "tiers tile the channel");
}

fn check_layer(channel: &Channel, layer: &Layer, tree: &Tree<'_>) {
    let mut at = layer.start;
    for span in &layer.spans {
        assert_eq!(span.start, at, "spans tile the layer");
        assert!(span.end > at, "an empty span");
        at = span.end;
        check_span(&channel.text[span.start..span.end], layer, span, tree);
    }
    assert_eq!(at, layer.end, "spans tile the layer");
}

fn check_span(bytes: &str, layer: &Layer, span: &Span, tree: &Tree<'_>) {
    let ingredient = span.ingredient.map(|i| &layer.ingredients[i as usize]);
    let exact = match (span.kind, ingredient) {
        (SpanKind::Join, None) => true,
        (SpanKind::Document, Some(Ingredient::Document { path, .. })) => {
            // A root may be a folder of its own, so the path is the end of a name here.
            let of_path = |name: &str| name.ends_with(path.as_str());
            let built_in = !tree.iter().any(|(name, _)| of_path(name));
            let files = tree.iter().filter(|(name, _)| of_path(name));
            let mut texts = files.flat_map(|(_, file)| readings(&String::from_utf8_lossy(file)));
            built_in || texts.any(|text| stands_in(&text, span, bytes))
        }
        (SpanKind::Fact, Some(Ingredient::Fact { value, private, .. })) => {
            match value.as_ref().and_then(|v| v.as_text()) {
                Some(text) => readings(text).iter().any(|t| stands_in(t, span, bytes)),
                // A number is printed as no JSON need be; a value that is private is not there.
                None => *private || value.is_some(),
            }
        }
        (SpanKind::Template, Some(Ingredient::Template { file, line, .. })) => {
            let name = file.rsplit('/').next().unwrap_or(file);
            let found = tree.iter().find(|(path, _)| *path == name);
            match (found, line) {
                // What stands in a manifest has escapes, and what is built in is not in the tree.
                (None, _) | (_, Some(_)) => span.offset.is_some(),
                (Some((_, source)), None) => readings(&String::from_utf8_lossy(source))
                    .iter()
                    .any(|text| stands_in(text, span, bytes)),
            }
        }
        (SpanKind::Literal, Some(Ingredient::Literal { .. })) => span.offset.is_some(),
        (SpanKind::Fact, Some(Ingredient::Let { .. } | Ingredient::Root { .. })) => true,
        (SpanKind::Derived, Some(_)) => span.offset.is_none(),
        _ => false,
    };
    assert!(exact, "{span:?} {bytes:?} is not of {ingredient:?}");
}

fn stands_in(text: &str, span: &Span, bytes: &str) -> bool {
    let behind = span.offset.and_then(|at| text.get(at..));
    behind.is_some_and(|text| text.starts_with(bytes))
}

/// A text as it is and after the steps that a manifest can switch off: BOM off, line ends to LF.
fn readings(text: &str) -> Vec<String> {
    let plain = text.strip_prefix('\u{feff}').unwrap_or(text);
    let feeds = |text: &str| text.replace("\r\n", "\n").replace('\r', "\n");
    vec![text.to_owned(), plain.to_owned(), feeds(text), feeds(plain)]
}
