//! The map of every built-in and example: spans marked `document` equal the document, and nearly all bytes of documents
//! are marked. Text that filters made of a document, and the values of its front matter, are derived from it. Its name
//! and path are counted separately, since they are not its bytes, and so is the JSON that a `json` source rewrote.

#![allow(clippy::print_stdout, reason = "the shares are worth reading")]

use crate::build::recipes::recipes;
use promptc::compile::{FactsFile, GivenInputs, compile};
use promptc::diagnostic::Diagnostics;
use promptc::diagnostic::span::Files;
use promptc::manifest;
use promptc::prompt::{Channel, Ingredient, Layer, Prompt, sha256};
use promptc::source::builtin;
use promptc::text::SpanKind;
use promptc::world::DiskWorld;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// One build: what it is called, the manifest, and what it is given.
struct Build {
    name: String,
    manifest: String,
    given: GivenInputs,
}

fn top() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn below(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            below(&entry.path(), out);
        } else {
            out.push(entry.path());
        }
    }
}

/// Every file that a build may read, by the hash of its bytes: the text after the newline and BOM steps.
fn texts() -> BTreeMap<String, String> {
    let mut paths = Vec::new();
    for folder in ["examples", "layers", "tests/map"] {
        below(&top().join(folder), &mut paths);
    }
    let mut out = BTreeMap::new();
    for path in paths {
        let bytes = fs::read(path).unwrap();
        let hash = sha256(&bytes);
        if let Ok(text) = String::from_utf8(bytes) {
            let text = text.replace("\r\n", "\n").replace('\r', "\n");
            out.insert(
                hash,
                text.strip_prefix('\u{FEFF}').unwrap_or(&text).to_owned(),
            );
        }
    }
    out
}

/// Every built-in in a workspace that has everything, plainly and in each scenario, and every example.
fn builds() -> Vec<Build> {
    let mut out = Vec::new();
    let fixture = top().join("tests/map");
    for built_in in builtin::MANIFESTS {
        // Rules and nothing else.
        if built_in.name == "scan@1" {
            continue;
        }
        let (plain, _) = built_in.name.split_once('@').unwrap();
        let facts = fixture.join(format!("{plain}.json"));
        let given = GivenInputs {
            roots: vec![("workspace".to_owned(), fixture.join("workspace"))],
            now: Some("2026-11-23T09:00:00Z".to_owned()),
            ..GivenInputs::default()
        };
        with_scenarios(
            &mut out,
            &format!("builtin:{}", built_in.name),
            &given,
            &facts,
        );
    }
    for entry in fs::read_dir(top().join("examples")).unwrap() {
        let folder = entry.unwrap().path();
        let manifest = folder.join("promptc.kdl");
        if !manifest.exists() {
            continue;
        }
        let given = GivenInputs {
            now: Some("2026-11-23T09:00:00Z".to_owned()),
            ..GivenInputs::default()
        };
        with_scenarios(
            &mut out,
            manifest.to_str().unwrap(),
            &given,
            &folder.join("facts.json"),
        );
    }
    for recipe in recipes() {
        let manifest = recipe.join("promptc.kdl");
        let plain = out.len();
        let (given, facts) = (GivenInputs::default(), recipe.join("facts.json"));
        with_scenarios(&mut out, manifest.to_str().unwrap(), &given, &facts);
        // Without a scenario it reads the folders of the user who runs the tests.
        out.remove(plain);
    }
    out.sort_by(|a, b| a.name.cmp(&b.name));
    out
}

fn with_scenarios(out: &mut Vec<Build>, manifest: &str, given: &GivenInputs, facts: &Path) {
    let mut files = Files::default();
    let parsed = manifest::open(
        &DiskWorld,
        Some(manifest),
        &mut files,
        &mut Diagnostics::default(),
    )
    .unwrap();
    let short = manifest.rsplit("/examples/").next().unwrap();
    let mut add = |suffix: &str, given: GivenInputs| {
        out.push(Build {
            name: format!("{short}{suffix}"),
            manifest: manifest.to_owned(),
            given,
        });
    };
    add("", given.clone());
    if let Ok(bytes) = fs::read(facts) {
        let facts = vec![FactsFile::new("facts.json", &bytes)];
        add(
            " with facts",
            GivenInputs {
                facts,
                ..given.clone()
            },
        );
    }
    for scenario in &parsed.scenarios {
        let name = scenario.name.value.clone();
        add(
            &format!(" {name}"),
            GivenInputs {
                scenario: Some(name),
                ..given.clone()
            },
        );
    }
}

fn prompt(build: &Build) -> Prompt {
    let (mut files, mut diags) = (Files::default(), Diagnostics::default());
    let built = manifest::open(&DiskWorld, Some(&build.manifest), &mut files, &mut diags)
        .and_then(|m| compile(&m, &build.given, &DiskWorld, &mut files, &mut diags));
    built.unwrap_or_else(|_| {
        let messages: Vec<_> = diags.iter().map(|d| d.message.clone()).collect();
        panic!("{}: {messages:?}", build.name)
    })
}

/// Bytes that come from documents.
#[derive(Debug, Default, Clone, Copy)]
struct Share {
    exact: usize,
    derived: usize,
    names: usize,
    canonical: usize,
}

impl Share {
    fn percent(self) -> f64 {
        let whole = self.exact + self.derived;
        if whole == 0 {
            100.0
        } else {
            100.0 * self.exact as f64 / whole as f64
        }
    }

    fn add(&mut self, other: Self) {
        self.exact += other.exact;
        self.derived += other.derived;
        self.names += other.names;
        self.canonical += other.canonical;
    }
}

fn share(build: &str, channel: &Channel, layer: &Layer, texts: &BTreeMap<String, String>) -> Share {
    let mut share = Share::default();
    let mut at = layer.start;
    for span in &layer.spans {
        assert_eq!(
            span.start, at,
            "{build}: the spans of `{}` do not tile it",
            layer.name
        );
        at = span.end;
        let ingredient = span.ingredient.map(|i| &layer.ingredients[i as usize]);
        let Some(Ingredient::Document {
            path, sha256, item, ..
        }) = ingredient
        else {
            assert_ne!(
                span.kind,
                SpanKind::Document,
                "{build}: a document span of `{}` without document",
                layer.name
            );
            continue;
        };
        let length = span.end - span.start;
        let bytes = &channel.text[span.start..span.end];
        match (span.kind, span.offset) {
            (SpanKind::Document, Some(offset)) => {
                let there = |text: &String| text.get(offset..offset + length) == Some(bytes);
                // The hash of an entry of a memory is its own, and its offset counts in the file.
                let found = match (texts.get(sha256), item) {
                    (Some(text), _) => there(text),
                    (None, Some(_)) => texts.values().any(there),
                    (None, None) => panic!("{build}: {path} was not found"),
                };
                assert!(found, "{build}: {path} at {offset}");
                share.exact += length;
            }
            (SpanKind::Derived, None) if path.ends_with(".json") => share.canonical += length,
            (SpanKind::Derived, None)
                if path.rsplit('/').next() == Some(bytes) || bytes.ends_with(path.as_str()) =>
            {
                share.names += length
            }
            (SpanKind::Derived, None) => share.derived += length,
            other => panic!("{build}: a span of {path} is {other:?}"),
        }
    }
    assert_eq!(
        at, layer.end,
        "{build}: the spans of `{}` do not tile it",
        layer.name
    );
    share
}

#[test]
fn document_spans_are_the_documents() {
    let texts = texts();
    let mut all = Share::default();
    let mut small = Vec::new();
    for build in builds() {
        let mut own = Share::default();
        for channel in &prompt(&build).channels {
            for layer in &channel.layers {
                own.add(share(&build.name, channel, layer, &texts));
            }
        }
        println!(
            "{:6.2} % of {:6} bytes exact  {}",
            own.percent(),
            own.exact + own.derived,
            build.name
        );
        if own.percent() < 99.0 {
            small.push(build.name);
        }
        all.add(own);
    }
    println!(
        "{:6.2} % of {:6} bytes exact  all; besides {} bytes of names and paths, {} of canonical JSON",
        all.percent(),
        all.exact + all.derived,
        all.names,
        all.canonical
    );
    assert!(
        all.exact > 50_000,
        "the workspaces are too small to say anything"
    );
    assert!(small.is_empty(), "less than 99 % exact: {small:?}");
}

#[test]
fn facts_of_a_let_of_a_let_are_ingredients_of_a_condition() {
    let place = crate::run::Place::new();
    place.file(
        "promptc.kdl",
        r#"promptc 1
fact model string
let lm "model | lower"
let enforced "lm is containing_any(['gpt'])"
tier t {
  layer a when=enforced { text "a" }
  layer b when="lm == 'gpt'" { text "b" }
}
"#,
    );
    let ran = place.run(&["build", "--format", "json", "--set", "model=GPT"]);
    let artifact: serde_json::Value = serde_json::from_slice(&ran.exits(0).stdout).unwrap();
    let layers = artifact["channels"][0]["layers"].as_array().unwrap();
    for (layer, lets) in layers.iter().zip([&["lm", "enforced"][..], &["lm"]]) {
        let ingredients = layer["ingredients"].as_array().unwrap();
        let named = |kind: &str, name: &str| {
            let found = |i: &serde_json::Value| i["kind"] == kind && i[kind] == name;
            assert!(ingredients.iter().any(found), "{name}: {ingredients:?}");
        };
        named("fact", "model");
        lets.iter().for_each(|name| named("let", name));
    }
}
