//! `check --fix`: the same layers with the same texts and every comment, in an order in which nothing more can be moved safely.

use super::sample::{ALL, MANIFEST, Sample, sample};
use super::{build, config, given, memory};
use crate::run::Place;
use promptc::compare::own_text;
use promptc::prompt::Prompt;
use proptest::test_runner::TestRunner;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The manifest with comments above its tiers and a waiver that nothing needs.
fn commented(sample: &Sample) -> String {
    let mut out = String::new();
    let mut tiers = 0;
    for line in sample.manifest.kdl().lines() {
        if let Some(rest) = line.strip_prefix("tier ") {
            let name = rest.split([' ', '{']).next().unwrap();
            let comment = match tiers % 3 {
                0 => format!("\n// about {name}\n"),
                1 => format!("// far from {name}\n\n/* more\n   about\n*/\n// about {name}\n"),
                _ => format!("\n// about {name}\n"),
            };
            out.push_str(&comment);
            tiers += 1;
        }
        out.push_str(line);
        out.push('\n');
    }
    out.push_str("// The end.\nwaive too-many-breakpoints because=\"nothing\"\n");
    out
}

/// Every comment line, sorted.
fn comments(text: &str) -> Vec<&str> {
    let mut out: Vec<&str> = text
        .lines()
        .filter(|l| {
            ["// ", "/* ", "   about", "*/"]
                .iter()
                .any(|c| l.starts_with(c))
        })
        .collect();
    out.sort_unstable();
    out
}

/// The texts of the layers, without joins, and why the others are not there.
fn told(prompt: &Prompt) -> BTreeMap<String, String> {
    let mut out = BTreeMap::new();
    for channel in &prompt.channels {
        for layer in &channel.layers {
            let text = own_text(prompt, channel.deliver, &layer.name);
            out.insert(layer.name.clone(), format!("{} {text}", layer.tier));
        }
    }
    for absent in &prompt.absent {
        out.insert(
            absent.layer.clone(),
            format!("{} {}", absent.tier, absent.reason),
        );
    }
    out
}

fn report(place: &Place, extra: &[&str]) -> Option<Value> {
    let args = [&["check", "-m", MANIFEST, "--format", "json"], extra].concat();
    let ran = place.run(&args);
    assert!(ran.code < 3, "{}", ran.stderr);
    // A manifest that cannot be planned cannot be fixed.
    (ran.code < 2).then(|| {
        let report: Value = serde_json::from_slice(&ran.stdout).unwrap();
        report["manifests"][0].clone()
    })
}

/// Whether a tier was moved.
fn check(sample: &Sample) -> bool {
    let mut files = sample.files.clone();
    let before = commented(sample);
    files.insert(MANIFEST.to_owned(), before.clone().into_bytes());
    let place = Place::new();
    for (path, bytes) in &files {
        place.file(path, bytes);
    }
    let manifest = Path::new("/base").join(MANIFEST);
    let old = build(&memory(&files), &manifest, &given(sample));
    let Some(fixed) = report(&place, &["--fix"]) else {
        assert_eq!(place.read(MANIFEST), before, "an error, and it was written");
        return false;
    };
    assert_eq!(fixed["fixes"]["refused"], Value::Null);
    let after = place.read(MANIFEST);

    assert_eq!(comments(&before), comments(&after), "{after}");
    let lines: Vec<&str> = after.lines().collect();
    for pair in lines.windows(2) {
        if let Some(name) = pair[0].strip_prefix("// about ") {
            assert!(pair[1].starts_with(&format!("tier {name}")), "{after}");
        }
    }
    assert!(!after.contains("waive"), "{after}");

    files.insert(MANIFEST.to_owned(), after.clone().into_bytes());
    let new = build(&memory(&files), &manifest, &given(sample));
    match (&old, &new) {
        (Ok(old), Ok(new)) => assert_eq!(told(old), told(new), "{after}"),
        (old, new) => assert_eq!(old.is_ok(), new.is_ok(), "{after}"),
    }

    let again = report(&place, &["--fix"]).unwrap();
    assert_eq!(
        place.read(MANIFEST),
        after,
        "a second --fix changes something"
    );
    for finding in again["findings"].as_array().unwrap() {
        assert_eq!(finding["fixable"], false, "{finding}\n{after}");
    }
    // If no layer queries another, nothing prevents stable tiers from coming first.
    if !after.contains("loaded(") {
        assert_eq!(again["order"], Value::Null, "{after}");
        let mut classes: BTreeMap<String, Vec<u64>> = BTreeMap::new();
        for tier in sample_tiers(&again) {
            classes.entry(tier.0).or_default().push(tier.1);
        }
        for (channel, classes) in classes {
            assert!(classes.is_sorted(), "{channel}: {classes:?}\n{after}");
        }
    }
    let made = fixed["fixes"]["made"].as_array().unwrap();
    made.iter()
        .any(|m| m["code"] == "tier-behind-more-volatile")
}

/// The channel and rank of each tier, from the report of `check` about its layers and promise.
fn sample_tiers(report: &Value) -> Vec<(String, u64)> {
    let rank = |class: &Value| {
        let classes = ["never", "deploy", "session", "day", "turn"];
        let at = classes.iter().position(|c| class == c);
        at.map(|at| at as u64)
    };
    let tiers = report["tiers"].as_array().unwrap().iter();
    tiers
        .filter_map(|tier| {
            let layers = tier["layers"].as_array().unwrap().iter();
            let highest = layers.filter_map(|l| rank(&l["changes"])).max()?;
            let own = rank(&tier["declared"]).unwrap_or(highest);
            Some((tier["channel"].as_str().unwrap().to_owned(), own))
        })
        .collect()
}

#[test]
fn fixes_keep_every_layer_and_every_comment() {
    let moved = AtomicUsize::new(0);
    let config = config(96);
    let cases = config.cases as usize;
    TestRunner::new(config)
        .run(&sample(ALL), |sample| {
            moved.fetch_add(usize::from(check(&sample)), Ordering::Relaxed);
            Ok(())
        })
        .unwrap();
    let moved = moved.into_inner();
    println!("{moved} of {cases} manifests had a tier to move");
    assert!(
        moved * 10 > cases,
        "only {moved} of {cases} had a tier to move"
    );
}
