//! A world built by promptc, and compared with the expected text.

use super::kdl;
use super::print::print;
use super::world::World;
use promptc::compile::{FactsFile, GivenInputs, build_recorded, prepare};
use promptc::diagnostic::span::Files;
use promptc::diagnostic::{Diagnostics, ErrorReported};
use promptc::manifest;
use promptc::prompt::{Deliver, Prompt};
use promptc::world::{MapWorld, Recorder};
use std::sync::Arc;

/// The name of the manifest in causes.
pub(super) const MANIFEST: &str = "promptc.kdl";

/// Builds a world; what is wrong unless the prompt has the layers that the world prints, with their texts.
pub(super) fn build(world: &World) -> Result<Prompt, String> {
    let prompt = compiled(world)?;
    let expected: Vec<(&str, String, String)> = print(world)
        .into_iter()
        .filter_map(|l| Some((l.deliver, l.text()?, l.name)))
        .collect();
    let mut got = Vec::new();
    for channel in &prompt.channels {
        for layer in &channel.layers {
            let text = channel.text[own(layer)..layer.end].to_owned();
            got.push((channel.deliver.name(), text, layer.name.clone()));
        }
    }
    if got == expected {
        Ok(prompt)
    } else {
        Err(format!(
            "the build and the model differ: {got:#?}, expected {expected:#?}\n{}",
            kdl::manifest(world)
        ))
    }
}

/// The start of a layer's text, after the join before it.
pub(super) fn own(layer: &promptc::prompt::Layer) -> usize {
    match layer.spans.first() {
        Some(span) if span.kind == promptc::text::SpanKind::Join => span.end,
        _ => layer.start,
    }
}

/// The channels that a world prints, for those who look at a failure.
pub(super) fn texts(prompt: &Prompt) -> String {
    let text = |d: &Deliver| format!("--- {d}\n{}\n", prompt.text(*d));
    Deliver::ALL.iter().map(text).collect()
}

fn compiled(world: &World) -> Result<Prompt, String> {
    let source = kdl::manifest(world);
    let mut disk = MapWorld::new().file("/base/promptc.kdl", source.clone());
    for (path, document) in &world.documents {
        disk = disk.file(format!("/base/ws/{path}"), kdl::document(document));
    }
    for (name, body) in &world.templates {
        disk = disk.file(format!("/base/templates/{name}"), kdl::template(body));
    }
    let given = GivenInputs {
        facts: vec![FactsFile::new(
            "facts.json",
            &kdl::facts(world).to_string().into_bytes(),
        )],
        ..GivenInputs::default()
    };
    let (mut files, mut diags) = (Files::default(), Diagnostics::default());
    let mut build = || {
        let recorder = Recorder::new(&disk);
        let manifest =
            manifest::open(&recorder, Some("/base/promptc.kdl"), &mut files, &mut diags)?;
        let plan = prepare(&manifest, &given, &recorder, &mut files, &mut diags)?;
        let (prompt, inputs) = build_recorded(&plan, &given, recorder, &mut diags)?;
        let inputs = Some(Arc::new(inputs));
        Ok::<_, ErrorReported>(Prompt { inputs, ..prompt })
    };
    let built = build();
    let said: Vec<String> = diags
        .iter()
        .map(|d| format!("{}: {}", d.code.name, d.message))
        .collect();
    built.map_err(|_| format!("no build: {said:?}\n{source}"))
}
