//! The stored parts of a session, restored.

use super::{Inputs, SessionMeta};
use crate::compile::Frozen;
use crate::prompt::{Deliver, Prompt, RecordedInputs, SCHEMA};
use crate::session::store::{Build, Delivered, Key, Result, StoreError};
use crate::world::RecordedWorld;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Contents by their names, from wherever they were read.
pub type Contents<'a> = dyn FnMut(&Key) -> Result<String> + 'a;

/// The most times that a session is read again which others change while it is read.
const TRIES: usize = 16;

/// Reads something that takes several steps of a store, from the beginning if others took away what is read.
///
/// # Errors
/// As `read`; [`StoreError::Gone`] if that happens again and again.
pub fn steady<T>(mut read: impl FnMut() -> Result<T>) -> Result<T> {
    for _ in 1..TRIES {
        match read() {
            Err(StoreError::Gone) => {}
            other => return other,
        }
    }
    read()
}

/// The frozen tiers of a build, and its inputs.
///
/// # Errors
/// If a content cannot be read, or the stored data contradicts itself.
pub fn restore(contents: &mut Contents<'_>, build: &Build) -> Result<(Frozen, Inputs)> {
    let inputs = Inputs::of(contents, build)?;
    let prompt = frozen(contents, build)?;
    let loaded = inputs.loaded.clone();
    Ok((Frozen { prompt, loaded }, inputs))
}

/// The frozen tiers of a build as a prompt.
///
/// # Errors
/// As [`restore`].
pub fn frozen(contents: &mut Contents<'_>, build: &Build) -> Result<Prompt> {
    let map = prompt(&contents(&build.map)?, "map")?;
    let mut texts = BTreeMap::new();
    for (deliver, key) in &build.texts {
        texts.insert(*deliver, contents(key)?);
    }
    whole(map, |deliver| texts.remove(&deliver)).map_err(StoreError::Damaged)
}

/// The frozen tiers at the time of the last delivered reminder, with their inputs.
///
/// # Errors
/// If a content cannot be read, or the stored data contradicts itself.
pub fn told(contents: &mut Contents<'_>, delivered: &Delivered) -> Result<Prompt> {
    let [told, files @ ..] = delivered.prompt.as_slice() else {
        return Err(StoreError::Damaged("a reminder is missing".to_owned()));
    };
    let mut prompt = prompt(&contents(told)?, "record of the last reminder")?;
    if let Some(inputs) = &mut prompt.inputs {
        let texts = texts(contents, files)?;
        Arc::make_mut(inputs).world.put_texts(texts);
    }
    match prompt.fault() {
        Some(fault) => Err(StoreError::Damaged(fault)),
        None => Ok(prompt),
    }
}

/// A map with its texts; the error is what is wrong with them.
pub(super) fn whole(
    mut map: Prompt,
    mut text: impl FnMut(Deliver) -> Option<String>,
) -> std::result::Result<Prompt, String> {
    for channel in &mut map.channels {
        channel.text = text(channel.deliver).ok_or("a text is missing")?;
    }
    match map.fault() {
        Some(fault) => Err(fault),
        None => Ok(map),
    }
}

impl Inputs {
    /// The inputs of a build; of an imported one only those that it may give.
    ///
    /// # Errors
    /// If a content cannot be read, or was written by another release.
    pub fn of(contents: &mut Contents<'_>, build: &Build) -> Result<Self> {
        let mut inputs: Self = parse(&contents(&build.inputs)?, "inputs")?;
        inputs.identity = SessionMeta::of(build)?.identity;
        Ok(if build.imported {
            inputs.of_import()
        } else {
            inputs
        })
    }
}

impl SessionMeta {
    /// The metadata of a build.
    ///
    /// # Errors
    /// If another release wrote it.
    pub fn of(build: &Build) -> Result<Self> {
        parse(&build.terms, "terms")
    }
}

/// The program files of a build.
///
/// # Errors
/// When a content cannot be read, or was written by another release.
pub fn program(contents: &mut Contents<'_>, build: &Build) -> Result<RecordedWorld> {
    let mut program: RecordedWorld = parse(&contents(&build.plan)?, "plan")?;
    program.put_texts(texts(contents, &build.files)?);
    Ok(program)
}

/// The record from which a build can be repeated, if it has one.
///
/// # Errors
/// When a content cannot be read, or was written by another release.
pub fn record(contents: &mut Contents<'_>, build: &Build) -> Result<Option<Arc<RecordedInputs>>> {
    let [record, files @ ..] = build.record.as_slice() else {
        return Ok(None);
    };
    let mut record: RecordedInputs = parse(&contents(record)?, "record of inputs")?;
    record.world.put_texts(texts(contents, files)?);
    Ok(Some(Arc::new(record)))
}

fn texts(contents: &mut Contents<'_>, keys: &[Key]) -> Result<Vec<String>> {
    keys.iter().map(contents).collect()
}

/// The fields that every artifact has, whatever its schema.
#[derive(serde::Deserialize)]
struct Shape {
    schema: u32,
    promptc: String,
}

/// A stored artifact.
fn prompt(text: &str, what: &str) -> Result<Prompt> {
    let Shape { schema, promptc } = parse(text, what)?;
    if schema == SCHEMA {
        parse(text, what)
    } else {
        Err(StoreError::OtherRelease(format!(
            "its {what} has schema {schema}, made by promptc {promptc}, and this release reads schema {SCHEMA}"
        )))
    }
}

/// Parses stored data. Its hash is right, so if it cannot be read, another release wrote it.
fn parse<T: serde::de::DeserializeOwned>(text: &str, what: &str) -> Result<T> {
    serde_json::from_str(text)
        .map_err(|_| StoreError::OtherRelease(format!("its {what} cannot be read by this release")))
}
