//! Law 6: text stays text.

use super::content;
use super::model::{Layer, Manifest};
use super::oracle::{self, is_white};
use super::sample::{ALL, Sample, sample};
use super::{build, built, config, memory};
use promptc::compile::GivenInputs;
use promptc::text::SpanKind;
use proptest::collection::vec;
use proptest::prelude::{Strategy, any, prop_assert, proptest};
use std::collections::BTreeMap;
use std::path::Path;
use unicode_segmentation::UnicodeSegmentation as _;

proptest! {
    #![proptest_config(config(96))]

    #[test]
    fn text_stays_text(sample in sample(ALL)) {
        if let Ok(prompt) = built(&sample) {
            // Strings are UTF-8 by their type; what a carriage return needs is a fact that has one, or a switch.
            let allowed = newlines_off(&sample.manifest) || sample.facts.iter().any(|(_, v)| v.to_string().contains("\\r"));
            for channel in &prompt.channels {
                prop_assert!(allowed || !channel.text.contains('\r'), "{:?}", channel.text);
                for layer in &channel.layers {
                    let written = sample.manifest.tiers.iter().flat_map(|t| t.layers.iter().map(move |l| (t, l)));
                    let (tier, of) = written.into_iter().find(|(_, l)| l.name == layer.name).unwrap();
                    let trims = of.steps.trim.or(tier.steps.trim) != Some(false);
                    let join = layer.spans.first().filter(|s| s.kind == SpanKind::Join && layer.start > 0 && s.start == layer.start);
                    let own = &channel.text[join.map_or(layer.start, |j| j.end)..layer.end];
                    // A layer's budget comes after its trim.
                    if trims && of.budgets.is_empty() {
                        prop_assert!(!own.starts_with(is_white) && !own.ends_with(is_white), "{own:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn cuts_keep_clusters_whole((text, max, unit, head, tail) in cut()) {
        let manifest = format!(
            "promptc 1\nroot workspace default=\".\"\ntier t {{\nlayer a {{\nfile \"a.md\" {{\n\
             budget {max} {unit} head={head:?} tail={tail:?} marker=\"|\"\n}}\n}}\n}}\n"
        );
        let files = BTreeMap::from([
            ("promptc.kdl".to_owned(), manifest.into_bytes()),
            ("a.md".to_owned(), text.clone().into_bytes()),
        ]);
        let prompt = build(&memory(&files), Path::new("/base/promptc.kdl"), &GivenInputs::default()).unwrap();
        let readings = oracle::readings(&text, false);
        let whole = readings[0].as_str();
        let lead = whole.len() - whole.trim_start_matches(is_white).len();
        let counted = oracle::trimmed(whole);
        let mut bounds: Vec<usize> = counted.grapheme_indices(true).map(|(at, _)| at + lead).collect();
        bounds.push(lead + counted.len());
        for channel in &prompt.channels {
            let layer = &channel.layers[0];
            for span in layer.spans.iter().filter(|s| s.kind == SpanKind::Document) {
                let (from, to) = (span.offset.unwrap(), span.offset.unwrap() + span.end - span.start);
                // The trim after the cut may remove white space from its edges.
                let clean = |at: usize, beside: Option<char>| bounds.contains(&at) || beside.is_some_and(is_white);
                prop_assert!(clean(from, whole[..from].chars().next_back()), "starts at {from} of {whole:?}");
                prop_assert!(clean(to, whole[to..].chars().next()), "ends at {to} of {whole:?}");
            }
        }
    }
}

/// A text with clusters in it, and a budget that cuts it.
fn cut() -> impl Strategy<Value = (String, usize, &'static str, f64, f64)> {
    let row = vec(any::<u16>(), 8..40);
    (row, 1_usize..60, 0_usize..3, 0_u8..=10, 0_u8..=10).prop_map(|(row, max, unit, head, tail)| {
        let text: String = row
            .iter()
            .map(|n| content::PIECES[usize::from(*n) % content::PIECES.len()])
            .collect();
        let unit = ["chars", "bytes", "lines"][unit];
        (
            text,
            max,
            unit,
            f64::from(head) / 10.0,
            f64::from(tail) / 10.0,
        )
    })
}

/// Whether the newline step is switched off somewhere.
pub(super) fn newlines_off(manifest: &Manifest) -> bool {
    let off = |l: &Layer| {
        l.steps.newlines == Some(false) || l.nodes().iter().any(|n| n.steps.newlines == Some(false))
    };
    manifest
        .tiers
        .iter()
        .any(|t| t.steps.newlines == Some(false) || t.layers.iter().any(off))
}

/// A sample with every line end of its files and its manifest written as CRLF.
pub(super) fn with_crlf(sample: &Sample) -> Sample {
    let mut out = sample.clone();
    for bytes in out.files.values_mut() {
        // A file that is no text stays as it is.
        if let Ok(text) = std::str::from_utf8(bytes) {
            *bytes = text
                .replace("\r\n", "\n")
                .replace('\n', "\r\n")
                .into_bytes();
        }
    }
    out
}
