//! A build in the form for a store.

use super::{Identity, Inputs, KEY, SessionMeta};
use crate::compile::{Freezing, GivenInputs, Plan};
use crate::diagnostic::Diagnostic;
use crate::prompt::{Prompt, RecordedInputs};
use crate::session::store::{NewBuild, Reason};
use crate::text::Json;
use crate::world::RecordedWorld;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A build that may be stored.
#[derive(Debug, Clone)]
pub struct Kept {
    /// The built prompt.
    pub made: Freezing,
    /// Under which terms.
    pub terms: SessionMeta,
    /// From what.
    pub inputs: Inputs,
    /// The program files.
    pub program: RecordedWorld,
}

/// Puts together the stored parts of a build. `manifest` is how the manifest was named, `source` its file, `folder`
/// the current directory; the folders of `given` are absolute.
#[must_use]
pub fn keep(
    plan: &Plan,
    made: Freezing,
    program: RecordedWorld,
    given: &GivenInputs,
    manifest: Option<&str>,
    source: Option<String>,
    folder: &Path,
) -> Kept {
    let refresh = plan.refresh();
    let watched = refresh.facts.iter().filter_map(|fact| {
        let value = made.watched.get(&fact.value)?;
        Some((fact.value.clone(), value.clone()))
    });
    let watched: BTreeMap<String, Json> = watched.collect();
    Kept {
        terms: SessionMeta {
            name: made.prompt.name.clone(),
            manifest: source,
            events: refresh.events.iter().map(|e| e.value.clone()).collect(),
            idle: refresh.idle.as_ref().map(|i| i.value),
            ambient: plan.is_ambient(&watched),
            facts: watched,
            identity: Identity::default(),
            bytes: made
                .frozen
                .prompt
                .channels
                .iter()
                .map(|c| (c.deliver, c.bytes))
                .collect(),
            live: plan.live(),
        },
        inputs: Inputs {
            folder: folder.to_owned(),
            manifest: manifest.map(str::to_owned),
            scenario: given.scenario.clone(),
            tokenizer: given.tokenizer.map(|t| t.name.to_owned()),
            roots: given.roots.clone(),
            facts: made.remembered.clone(),
            private: made.private.clone(),
            loaded: made.frozen.loaded.clone(),
            read: BTreeSet::new(),
            imported: false,
            identity: Identity::default(),
        },
        program,
        made,
    }
}

impl Kept {
    /// Notes which files were read for it, with absolute paths: program files and documents.
    #[must_use]
    pub fn from(mut self, read: &BTreeSet<PathBuf>) -> Self {
        let read = read.iter().filter_map(|path| path.to_str());
        self.inputs.read = read.map(str::to_owned).collect();
        self
    }

    /// Notes who the session is; `key` was drawn for this build alone.
    ///
    /// # Errors
    /// When a path leads to no single value of a fact.
    pub fn identified(mut self, plan: &Plan, key: [u8; KEY]) -> Result<Self, Box<Diagnostic>> {
        self.terms.identity = Identity::of(plan.identity(), &self.made.watched, key)?;
        Ok(self)
    }

    /// As it goes into a store.
    ///
    /// # Errors
    /// When a path has no JSON form, since it is not UTF-8.
    pub fn build(&self, at: i64, reason: Reason) -> Result<NewBuild, serde_json::Error> {
        let frozen = &self.made.frozen.prompt;
        let texts = frozen.channels.iter();
        let mut program = self.program.clone();
        Ok(NewBuild {
            files: program.take_texts(),
            record: record(frozen)?,
            at,
            reason,
            terms: serde_json::to_string(&self.terms)?,
            texts: texts.map(|c| (c.deliver, c.text.clone())).collect(),
            map: serde_json::to_string(&without_texts(frozen))?,
            plan: serde_json::to_string(&program)?,
            inputs: serde_json::to_string(&self.inputs)?,
            imported: false,
        })
    }
}

/// The inputs that a prompt carries, and the contents that they name.
fn record(prompt: &Prompt) -> Result<Vec<String>, serde_json::Error> {
    let Some(inputs) = &prompt.inputs else {
        return Ok(Vec::new());
    };
    let mut inputs = RecordedInputs::clone(inputs);
    let files = inputs.world.take_texts();
    let record = serde_json::to_string(&inputs)?;
    Ok([vec![record], files].concat())
}

/// A prompt in the form for a store, of which a reminder is delivered: as an artifact, then the contents that its inputs name.
#[must_use]
pub fn delivered(mut prompt: Prompt) -> Vec<String> {
    let inputs = prompt.inputs.as_mut().map(Arc::make_mut);
    let files = inputs.map(|inputs| inputs.world.take_texts());
    // Strings, numbers and lists always have a JSON form.
    let artifact = serde_json::to_string(&prompt).unwrap_or_default();
    [vec![artifact], files.unwrap_or_default()].concat()
}

/// The map alone: texts and inputs are stored separately.
fn without_texts(prompt: &Prompt) -> Prompt {
    let mut map = prompt.clone();
    map.inputs = None;
    for channel in &mut map.channels {
        channel.text = String::new();
    }
    map
}
