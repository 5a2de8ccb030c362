//! What a store keeps, as it was before.

use super::{Inputs, Terms};
use crate::compile::Frozen;
use crate::prompt::{Deliver, Prompt};
use crate::store::{Build, Delivered, Result, Store, StoreError};
use crate::world::Tape;
use std::collections::BTreeMap;

/// The kept tiers of a build, and what was given to it.
///
/// # Errors
/// When the store cannot be read, or what it keeps contradicts itself.
pub fn thaw(store: &mut dyn Store, build: &Build) -> Result<(Frozen, Inputs)> {
    let inputs = Inputs::of(store, build)?;
    let prompt = frozen(store, build)?;
    let loaded = inputs.loaded.clone();
    Ok((Frozen { prompt, loaded }, inputs))
}

/// The kept tiers of a build as a prompt.
///
/// # Errors
/// As [`thaw`].
pub fn frozen(store: &mut dyn Store, build: &Build) -> Result<Prompt> {
    let map: Prompt = parse(&store.content(&build.map)?, "map")?;
    let mut texts = BTreeMap::new();
    for (deliver, key) in &build.texts {
        texts.insert(*deliver, store.content(key)?);
    }
    whole(map, |deliver| texts.remove(&deliver)).map_err(StoreError::Damaged)
}

/// The kept tiers as they were when drift was told last.
///
/// # Errors
/// When the store cannot be read, or what it keeps contradicts itself.
pub fn told(store: &mut dyn Store, delivered: &Delivered) -> Result<Prompt> {
    let prompt: Prompt = parse(&store.content(&delivered.prompt)?, "note of what was told")?;
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
    /// What was given to a build.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn of(store: &mut dyn Store, build: &Build) -> Result<Self> {
        parse(&store.content(&build.inputs)?, "inputs")
    }
}

impl Terms {
    /// Under which terms a build is kept.
    ///
    /// # Errors
    /// When they were written by another release.
    pub fn of(build: &Build) -> Result<Self> {
        parse(&build.terms, "terms")
    }
}

/// The program files of a build.
///
/// # Errors
/// When the store cannot be read.
pub fn program(store: &mut dyn Store, build: &Build) -> Result<Tape> {
    parse(&store.content(&build.plan)?, "plan")
}

/// What was kept is whole, since its hash is right; so what cannot be read was written by another release.
fn parse<T: serde::de::DeserializeOwned>(text: &str, what: &str) -> Result<T> {
    serde_json::from_str(text)
        .map_err(|error| StoreError::Other(format!("its {what} is not of this release: {error}")))
}
