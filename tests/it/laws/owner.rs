//! Law 3: every byte has an owner.

use super::oracle::{self, hash};
use super::sample::{ALL, Sample, sample};
use super::{built, config};
use promptc::prompt::{Channel, Ingredient, Layer, Prompt, Span};
use promptc::text::SpanKind;
use proptest::prelude::{prop_assert_eq, proptest};

proptest! {
    #![proptest_config(config(96))]

    #[test]
    fn every_byte_has_an_owner(sample in sample(ALL)) {
        if let Ok(prompt) = built(&sample) {
            prop_assert_eq!(&prompt.manifest_sha256, &hash(sample.manifest.kdl().as_bytes()));
            for channel in &prompt.channels {
                check_channel(&sample, channel);
            }
            check_documents(&sample, &prompt);
            let system = prompt.channels.iter().find(|c| c.deliver.name() == "system");
            prop_assert_eq!(&prompt.fingerprint, &hash(system.map_or("", |c| &c.text).as_bytes()));
        }
    }
}

fn check_channel(sample: &Sample, channel: &Channel) {
    let text = channel.text.as_str();
    assert_eq!(
        (channel.bytes, channel.chars),
        (text.len(), text.chars().count())
    );
    assert!(!text.is_empty());
    let mut at = 0;
    for layer in &channel.layers {
        assert_eq!(layer.start, at, "layers tile the channel");
        assert!(layer.end > at);
        at = layer.end;
        check_layer(sample, text, layer);
    }
    assert_eq!(at, text.len());
    at = 0;
    for tier in &channel.tiers {
        assert_eq!(tier.start, at, "tiers tile the channel");
        at = tier.end;
        assert_eq!(tier.fingerprint, hash(&text.as_bytes()[..tier.end]));
        for layer in channel.layers.iter().filter(|l| l.tier == tier.name) {
            assert!(tier.start <= layer.start && layer.end <= tier.end);
        }
    }
    assert_eq!(at, text.len());
}

fn check_layer(sample: &Sample, text: &str, layer: &Layer) {
    let own = &text[layer.start..layer.end];
    assert_eq!(layer.sha256, hash(own.as_bytes()));
    assert_eq!(layer.chars, own.chars().count());
    let mut at = layer.start;
    for (index, span) in layer.spans.iter().enumerate() {
        assert_eq!(span.start, at, "spans tile the layer");
        assert!(span.end > at);
        at = span.end;
        check_span(sample, &text[span.start..span.end], layer, span, index);
    }
    assert_eq!(at, layer.end);
}

fn check_span(sample: &Sample, bytes: &str, layer: &Layer, span: &Span, index: usize) {
    let ingredient = span.ingredient.map(|i| &layer.ingredients[i as usize]);
    let offset = span.offset.unwrap_or(usize::MAX);
    let stands_in = |whole: &str| {
        whole
            .get(offset..)
            .is_some_and(|rest| rest.starts_with(bytes))
    };
    let exact = match (span.kind, ingredient) {
        (SpanKind::Join, None) => {
            let joins = oracle::joins(&sample.manifest);
            // A cut may have fallen into a join, but not into the one before the layer.
            joins.contains(bytes) || (index > 0 && joins.iter().any(|j| j.contains(bytes)))
        }
        (
            SpanKind::Document,
            Some(Ingredient::Document {
                root,
                path,
                sha256,
                item,
                ..
            }),
        ) => {
            let read = oracle::read(sample, root, path, sha256, item.as_deref());
            let is_file = oracle::files(sample, root, path).any(|file| *file == *read);
            // The offsets of an entry count in its file.
            let files = oracle::files(sample, root, path).filter(|f| !is_file || ***f == *read);
            let texts = files.filter_map(|file| std::str::from_utf8(file).ok());
            let switches = oracle::has_switches(&sample.manifest);
            texts
                .flat_map(|text| oracle::readings(text, switches))
                .any(|r| stands_in(&r))
        }
        (SpanKind::Fact, Some(Ingredient::Fact { value, .. })) => {
            match oracle::printed(&serde_json::to_value(value).unwrap()) {
                // A fact that is used as content is normalised.
                Some(text) => oracle::readings(&text, true).iter().any(|r| stands_in(r)),
                None => true,
            }
        }
        (SpanKind::Template, Some(Ingredient::Template { sha256, .. })) => oracle::programs(sample)
            .iter()
            .any(|(hash, text)| hash == sha256 && stands_in(text)),
        (SpanKind::Literal, Some(Ingredient::Literal { sha256, .. })) => {
            let is_it = |text: &str| oracle::readings(text, true).iter().any(|r| stands_in(r));
            oracle::programs(sample)
                .iter()
                .any(|(hash, text)| hash == sha256 && is_it(text))
        }
        (SpanKind::Derived, Some(_)) => span.offset.is_none(),
        _ => false,
    };
    assert!(exact, "{span:?} {bytes:?} is not of {ingredient:?}");
}

/// Sizes and hashes of the documents are those of the files.
fn check_documents(sample: &Sample, prompt: &Prompt) {
    for (_, ingredient) in oracle::ingredients(prompt) {
        if let Ingredient::Document {
            root,
            path,
            sha256,
            bytes,
            chars,
            kept,
            dropped,
            item,
            ..
        } = ingredient
        {
            let file = &*oracle::read(sample, root, path, sha256, item.as_deref());
            assert_eq!(*bytes, file.len());
            let text = std::str::from_utf8(file).unwrap();
            // An entry is taken out of a text that went through these steps.
            let mut readings = oracle::readings(text, oracle::has_switches(&sample.manifest));
            readings.extend(item.is_some().then(|| text.to_owned()));
            assert!(
                readings.iter().any(|r| r.chars().count() == *chars),
                "{path}: {chars} characters"
            );
            assert!(
                kept + dropped <= *chars,
                "{path}: {kept} + {dropped} of {chars}"
            );
        }
    }
}
