//! Builds by promptc, and its diffs.

use promptc::compile::{FactsFile, GivenInputs, build_recorded, prepare};
use promptc::diagnostic::Diagnostics;
use promptc::diagnostic::span::Files;
use promptc::manifest;
use promptc::prompt::Prompt;
use promptc::world::{MapWorld, Recorder};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

/// The sources of one prompt: files by their path, with the manifest `promptc.kdl`, and facts.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Side {
    pub(crate) files: BTreeMap<String, String>,
    pub(crate) facts: serde_json::Map<String, Value>,
}

/// A layer as promptc made it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Made {
    pub(crate) channel: String,
    pub(crate) name: String,
    pub(crate) text: String,
    /// Where its own text begins in the channel.
    pub(crate) start: usize,
    /// The join before it.
    pub(crate) join: String,
}

/// A prompt with what is asked of it.
pub(crate) struct Built {
    pub(crate) prompt: Prompt,
    pub(crate) layers: Vec<Made>,
    /// The channels with their texts, in the order of a request.
    pub(crate) channels: Vec<(String, String)>,
}

impl Built {
    pub(crate) fn layer(&self, name: &str) -> Option<&Made> {
        self.layers.iter().find(|l| l.name == name)
    }

    pub(crate) fn channel(&self, name: &str) -> &str {
        let found = self.channels.iter().find(|c| c.0 == name);
        found.map_or("", |c| c.1.as_str())
    }
}

/// Builds; the error says what promptc said.
pub(crate) fn build(side: &Side) -> Result<Built, String> {
    let mut disk = MapWorld::new();
    for (path, text) in &side.files {
        disk = disk.file(format!("/base/{path}"), text.clone());
    }
    let facts = Value::Object(side.facts.clone()).to_string();
    let given = GivenInputs {
        facts: vec![FactsFile::new("facts.json", &facts.into_bytes())],
        ..GivenInputs::default()
    };
    let (mut files, mut diags) = (Files::default(), Diagnostics::default());
    let recorder = Recorder::new(&disk);
    let plan = manifest::open(&recorder, Some("/base/promptc.kdl"), &mut files, &mut diags)
        .and_then(|m| prepare(&m, &given, &recorder, &mut files, &mut diags));
    let built = plan.and_then(|plan| build_recorded(&plan, &given, recorder, &mut diags));
    let (mut prompt, inputs) = built.map_err(|_| {
        let said = |d: &promptc::diagnostic::Diagnostic| format!("{}: {}", d.code.name, d.message);
        let said: Vec<String> = diags.iter().map(said).collect();
        said.join("; ")
    })?;
    prompt.inputs = Some(Arc::new(inputs));
    let mut channels = Vec::new();
    let mut layers = Vec::new();
    for channel in &prompt.channels {
        let name = channel.deliver.name().to_owned();
        for layer in &channel.layers {
            let start = match layer.spans.first() {
                Some(s) if s.kind == promptc::text::SpanKind::Join => s.end,
                _ => layer.start,
            };
            layers.push(Made {
                channel: name.clone(),
                name: layer.name.clone(),
                text: channel.text[start..layer.end].to_owned(),
                start,
                join: channel.text[layer.start..start].to_owned(),
            });
        }
        channels.push((name, channel.text.to_string()));
    }
    Ok(Built {
        prompt,
        layers,
        channels,
    })
}

/// The diff of two prompts, as data.
pub(crate) fn diff(a: &Built, b: &Built) -> Value {
    let report = promptc::compare::diff(&a.prompt, &b.prompt);
    serde_json::to_value(&report).expect("a report is JSON")
}

/// Both sides and texts, for who looks at a failure.
pub(crate) fn show(a: &Side, b: &Side, built: &[&Built; 2]) -> String {
    let mut out = String::new();
    for (name, side) in [("A", a), ("B", b)] {
        let other = if name == "A" { b } else { a };
        for (path, text) in &side.files {
            if name == "A" || other.files.get(path) != Some(text) {
                let _ = writeln!(out, "=== {name} {path}\n{text}");
            }
        }
        for path in other.files.keys().filter(|p| !side.files.contains_key(*p)) {
            let _ = writeln!(out, "=== {name} {path} is not there");
        }
        let facts = Value::Object(side.facts.clone());
        let _ = writeln!(out, "=== {name} facts {facts}");
    }
    for (name, built) in ["A", "B"].iter().zip(built) {
        for layer in &built.layers {
            let _ = writeln!(
                out,
                "--- {name} {} {}\n{}",
                layer.channel, layer.name, layer.text
            );
        }
    }
    out
}
