//! A manifest with its world, and all that can be asked of it.
//!
//! This module has what a front end needs besides arguments and drawing. A function that a front end calls takes a
//! `Run`, which collects the findings; the methods of [`Project`] make one for each call.

pub(crate) mod input;
mod run;
mod time;
pub(crate) mod moment;
mod error;
pub(crate) mod output;
pub(crate) mod artifact;
mod inputs;
mod compared;
pub(crate) mod families;
pub(crate) mod base;
pub(crate) mod advised;
pub(crate) mod snapshots;
mod sources;
pub(crate) mod capture;
pub(crate) mod check;
pub(crate) mod fix;
pub(crate) mod check_each;
pub(crate) mod memory;
pub(crate) mod folders;
pub(crate) mod repository;
pub(crate) mod usage;
pub(crate) mod service;
mod overlay;
pub(crate) mod model;
pub(crate) mod emit;
pub(crate) mod batch;
#[cfg(feature = "sqlite")]
pub(crate) mod sessions;
#[cfg(feature = "sqlite")]
pub(crate) mod compare;
#[cfg(feature = "sqlite")]
pub(crate) mod directory_rules;
#[cfg(feature = "sqlite")]
mod named;
mod engine;
pub mod requests;
#[cfg(any(feature = "insta", test))]
pub mod insta;

pub use batch::Batch;
pub use check::{Fixes, Made};
#[cfg(feature = "sqlite")]
pub use compare::CompareOptions;
pub use compared::Compared;
pub use emit::EmitRequest;
pub use engine::Engine;
pub use error::{Answer, Error, Findings};
pub use families::{AtLeast, Expected, FamilyChange, families_of};
pub use inputs::BuildInputs;
pub(crate) use inputs::{BuildCall, Built, Carrier, MAX_FACTS, carried, is_value, no_file_name};
pub use memory::MemoryOptions;
#[cfg(feature = "sqlite")]
pub use named::SessionOptions;
pub(crate) use run::Run;
pub use service::CheckOptions;
#[cfg(feature = "sqlite")]
pub use sessions::{Session, StoreOptions};
pub(crate) use time::time;

use crate::diagnostic::span::Files;
use crate::diagnostic::{Diagnostic, Diagnostics, ErrorReported, MANIFEST_NOT_FOUND};
use crate::manifest::{self, Manifest};
use crate::world::World;
use std::sync::Arc;

/// A manifest and the world that it is read in.
#[derive(Clone)]
pub struct Project {
    /// The manifest's name, if one was given; else the nearest one above the current directory is meant.
    name: Option<String>,
    world: Arc<dyn World + Send + Sync>,
}

impl Project {
    /// The manifest of that name, which may be its folder, or the nearest one; nothing is read yet.
    pub(crate) fn named(name: Option<String>, world: Arc<dyn World + Send + Sync>) -> Self {
        let name = name.map(|name| manifest::in_folder(world.as_ref(), &name));
        Self { name, world }
    }

    /// The manifest's name, if one was given.
    pub(crate) fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The world that it is read in.
    pub(crate) fn world(&self) -> &(dyn World + Send + Sync) {
        self.world.as_ref()
    }

    /// The world, shared.
    pub(crate) fn shared_world(&self) -> Arc<dyn World + Send + Sync> {
        self.world.clone()
    }

    /// Whether a manifest is named, or is here or above.
    pub(crate) fn is_found(&self) -> bool {
        self.name.is_some() || manifest::exists_above(self.world())
    }

    /// Reads the manifest.
    pub(crate) fn read(&self, run: &mut Run) -> Result<Arc<Manifest>, ErrorReported> {
        self.open_in(self.world(), run)
    }

    /// A user who names a scenario in place of a manifest gets the right option.
    fn suggest_scenario(&self, world: &dyn World, told: usize, diags: &mut Diagnostics) {
        let Some(name) = self.name() else { return };
        let is_missing = |d: &Diagnostic| d.code == MANIFEST_NOT_FOUND && d.span.is_none();
        if !diags.iter().nth(told).is_some_and(is_missing) {
            return;
        }
        let (mut files, mut unheard) = (Files::default(), Diagnostics::default());
        let nearest = manifest::open(world, None, &mut files, &mut unheard);
        let scenarios = nearest.iter().flat_map(|nearest| &nearest.scenarios);
        if { scenarios }.any(|scenario| scenario.name.value == name) {
            let help = format!("`{name}` is a scenario of the nearest manifest: --scenario {name}");
            let all = std::mem::take(diags);
            *diags = all.map(|diagnostic| {
                if is_missing(&diagnostic) {
                    diagnostic.help(help.clone())
                } else {
                    diagnostic
                }
            });
        }
    }

    /// Reads the manifest in another world.
    pub(crate) fn open_in(
        &self,
        world: &dyn World,
        run: &mut Run,
    ) -> Result<Arc<Manifest>, ErrorReported> {
        let Run { files, diags, .. } = &mut *run;
        let told = diags.iter().count();
        let manifest = manifest::open(world, self.name(), files, diags);
        let manifest = manifest.inspect_err(|_| self.suggest_scenario(world, told, diags))?;
        run.add_walls(&manifest);
        Ok(manifest)
    }
}
