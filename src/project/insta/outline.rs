//! A prompt without its text: layers and what they are made from.

use crate::prompt::{Ingredient, Layer, Prompt};
use std::fmt::Write as _;

/// The layers of a prompt and what each is made from, a line each.
#[must_use]
pub fn outline(prompt: &Prompt) -> String {
    let mut out = String::new();
    for channel in &prompt.channels {
        let _ = writeln!(
            out,
            "{}: {} bytes",
            channel.deliver.text_name(),
            channel.bytes
        );
        for tier in &channel.tiers {
            let _ = writeln!(out, "  tier {} ({})", tier.name, tier.changes);
            for layer in channel.layers.iter().filter(|l| l.tier == tier.name) {
                layer_outline(&mut out, layer);
            }
        }
    }
    for absent in &prompt.absent {
        let _ = writeln!(
            out,
            "absent {} ({}): {}",
            absent.layer, absent.reason, absent.detail
        );
    }
    for notice in &prompt.notices {
        let _ = writeln!(out, "{} {}", notice.code, notice.sentence());
    }
    out
}

fn layer_outline(out: &mut String, layer: &Layer) {
    let _ = writeln!(
        out,
        "    layer {}: {} bytes, {}",
        layer.name,
        layer.end - layer.start,
        short(&layer.sha256)
    );
    for ingredient in &layer.ingredients {
        let _ = writeln!(out, "      {}", named(ingredient));
    }
}

fn named(ingredient: &Ingredient) -> String {
    match ingredient {
        Ingredient::Document {
            root,
            path,
            sha256,
            kept,
            dropped,
            ..
        } => match dropped {
            0 => format!("document {root}:{path}, {}", short(sha256)),
            _ => format!(
                "document {root}:{path}, kept {kept}, dropped {dropped} chars, {}",
                short(sha256)
            ),
        },
        Ingredient::Fact {
            name,
            private: true,
            ..
        } => format!("fact {name} (private)"),
        Ingredient::Fact {
            name,
            value: Some(value),
            ..
        } => format!("fact {name} = {value}"),
        Ingredient::Fact {
            name, value: None, ..
        } => format!("fact {name} is missing"),
        Ingredient::Let { name, expression } => format!("let {name} = {expression}"),
        // Lines are left out: an edit above would change them, and nothing else.
        Ingredient::Template { file, sha256, .. } => format!("template {file}, {}", short(sha256)),
        Ingredient::Literal { file, sha256, .. } => format!("text {file}, {}", short(sha256)),
        Ingredient::Root { name, shown } => format!("root {name} is written as {shown}"),
        Ingredient::Condition {
            expression, value, ..
        } => format!("condition {expression} is {value}"),
        Ingredient::Exists { root, path, value } => format!("exists {root}:{path} is {value}"),
        Ingredient::Loaded { layer, value } => format!("loaded {layer} is {value}"),
        Ingredient::Budget {
            unit,
            max,
            before,
            after,
            of,
            ..
        } => {
            format!("budget of {of}: {before} to {after} of {max} {unit}")
        }
    }
}

/// Enough of a hash to see that it is another one.
fn short(sha256: &str) -> &str {
    sha256.get(..19).unwrap_or(sha256)
}
