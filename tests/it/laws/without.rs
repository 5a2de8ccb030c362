//! A layer that the caller leaves out yields nothing, as if its `when` were false.

use super::sample::{ALL, MANIFEST, PLAIN, Sample, sample};
use super::{built, config, given, memory};
use promptc::compare::{CauseKind, diff};
use promptc::compile::GivenInputs;
use promptc::prompt::{Channel, Deliver, Layer, Prompt};
use promptc::text::SpanKind;
use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};
use std::collections::BTreeMap;
use std::path::Path;

/// The sample without one of its layers, built by the option.
fn variant(sample: &Sample, layer: &str) -> Result<Prompt, Vec<&'static str>> {
    let given = GivenInputs {
        without: vec![layer.to_owned()],
        ..given(sample)
    };
    let manifest = Path::new("/base").join(MANIFEST);
    super::build(&memory(&sample.files), &manifest, &given)
}

/// The sample whose layer has `when` false.
fn ruled_out(sample: &Sample, name: &str) -> Sample {
    let mut out = sample.clone();
    let layers = out.manifest.tiers.iter_mut().flat_map(|t| &mut t.layers);
    for layer in layers.filter(|layer| layer.name == name) {
        layer.when = Some("false".to_owned());
    }
    let manifest = out.manifest.kdl().into_bytes();
    out.files.insert(MANIFEST.to_owned(), manifest);
    out
}

/// A layer of the sample.
fn pick(sample: &Sample, number: usize) -> String {
    let names: Vec<&str> = sample.manifest.layers().map(|l| l.name.as_str()).collect();
    names[number % names.len()].to_owned()
}

fn texts(prompt: &Prompt) -> BTreeMap<Deliver, String> {
    let channels = prompt.channels.iter();
    channels.map(|c| (c.deliver, c.text.clone())).collect()
}

/// A layer's text with the join before it, and without: a join may also be what is left of the layer's own start.
fn slices<'a>(channel: &'a Channel, layer: &Layer) -> [&'a str; 2] {
    let joins = layer.spans.first().filter(|s| s.kind == SpanKind::Join);
    let start = joins.map_or(layer.start, |join| join.end);
    [layer.start, start].map(|start| &channel.text[start..layer.end])
}

proptest! {
    #![proptest_config(config(256))]

    #[test]
    fn a_variant_has_the_bytes_of_a_condition_that_is_false(sample in sample(ALL), number in any::<u8>()) {
        let layer = pick(&sample, usize::from(number));
        let (by_option, by_condition) = (variant(&sample, &layer), built(&ruled_out(&sample, &layer)));
        if let Ok(prompt) = &by_option {
            prop_assert_eq!(&prompt.without[..], std::slice::from_ref(&layer));
            prop_assert!(prompt.layer(&layer).is_none());
        }
        let [by_option, by_condition] = [by_option, by_condition].map(|built| built.map(|p| texts(&p)));
        prop_assert_eq!(by_option, by_condition, "{}", layer);
    }

    #[test]
    fn without_budgets_only_the_layer_and_joins_are_missing(sample in sample(PLAIN), number in any::<u8>()) {
        let layer = pick(&sample, usize::from(number));
        let (Ok(whole), Ok(variant)) = (built(&sample), variant(&sample, &layer)) else {
            return Ok(());
        };
        for channel in &whole.channels {
            let rest = channel.layers.iter().filter(|l| l.name != layer);
            let other = variant.channel(channel.deliver);
            let others = other.map_or(&[][..], |other| &other.layers);
            prop_assert_eq!(rest.clone().count(), others.len());
            for (old, new) in rest.zip(others) {
                let [old, new] = [slices(channel, old), slices(other.unwrap(), new)];
                prop_assert!(old.iter().any(|text| new.contains(text)), "{}: {:?} {:?}", layer, old, new);
            }
        }
    }

    #[test]
    fn a_comparison_names_the_option(sample in sample(ALL), number in any::<u8>(), back in any::<bool>()) {
        let layer = pick(&sample, usize::from(number));
        let (Ok(whole), Ok(variant)) = (built(&sample), variant(&sample, &layer)) else {
            return Ok(());
        };
        let found = if back { diff(&variant, &whole) } else { diff(&whole, &variant) };
        for place in found.first.iter().chain(&found.hidden) {
            let kinds: Vec<CauseKind> = place.reasons().iter().map(|cause| cause.kind).collect();
            prop_assert!(!kinds.is_empty(), "{}: {:?}", layer, place);
            if place.layer.as_ref() == Some(&layer) {
                prop_assert_eq!(kinds, [CauseKind::LayerLeftOut]);
            }
        }
    }
}
