//! What a store keeps, as it was before.

use super::{Inputs, Terms};
use crate::compile::Frozen;
use crate::prompt::Prompt;
use crate::store::{Build, Result, Store, StoreError};
use crate::world::Tape;

/// The kept tiers of a build, and what was given to it.
///
/// # Errors
/// When the store cannot be read, or what it keeps contradicts itself.
pub fn thaw(store: &mut dyn Store, build: &Build) -> Result<(Frozen, Inputs)> {
    let inputs = Inputs::of(store, build)?;
    let mut prompt: Prompt = parse(&store.content(&build.map)?, "map")?;
    for channel in &mut prompt.channels {
        let key = build.texts.get(&channel.deliver);
        let key = key.ok_or_else(|| StoreError::Damaged("a text is missing".to_owned()))?;
        channel.text = store.content(key)?;
    }
    if let Some(fault) = prompt.fault() {
        return Err(StoreError::Damaged(fault));
    }
    let loaded = inputs.loaded.clone();
    Ok((Frozen { prompt, loaded }, inputs))
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
