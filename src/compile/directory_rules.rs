//! The directory rules of a folder: stages 3 to 7 for a text of its own, of which sources are read in that folder. It is no part of
//! the prompt, and nothing of the prompt is read for it.

use super::bind::{self, ResolvedInputs};
use super::given::GivenInputs;
use super::load::Level;
use super::missing_report::{self, Lookup};
use super::plan::{Plan, Reach};
use super::{assemble, control, fit, load, render};
use crate::diagnostic::{Diagnostics, ErrorReported};
use crate::manifest::Order;
use crate::prompt::Prompt;
use crate::source::reach::{self, Reached};
use crate::source::wall::{Folder, Obstacle};
use crate::world::World;
use std::path::Path;

/// The directory rules of a manifest about folders, with facts and roots.
#[derive(Debug)]
pub struct DirectoryRulesReader {
    plan: Plan,
    reach: Reach,
    bound: ResolvedInputs,
}

impl DirectoryRulesReader {
    /// Gives the facts and roots that the directory rules of a plan read their values; none if the manifest has no directory rules.
    ///
    /// # Errors
    /// When one of them has no value, or a wrong one.
    pub fn bind(
        plan: Plan,
        given: &GivenInputs,
        world: &dyn World,
        diags: &mut Diagnostics,
    ) -> Result<Option<Self>, ErrorReported> {
        let Some((plan, reach, needs)) = plan.into_directory_rules() else {
            return Ok(None);
        };
        let bound = bind::bind(&plan, given, world, &needs, diags)?;
        Ok(Some(Self { plan, reach, bound }))
    }

    /// The root inside of which folders have rules.
    #[must_use]
    pub fn root(&self) -> &str {
        &self.reach.root
    }

    /// The order of the folders of one path.
    #[must_use]
    pub fn order(&self) -> Order {
        self.reach.order
    }

    /// The text between the texts of two folders.
    #[must_use]
    pub fn join(&self) -> &str {
        self.plan.tiers.first().map_or("", |tier| &tier.join.text)
    }

    /// The folders that `path` leads to, which counts from the folder of the root.
    ///
    /// # Errors
    /// When the folder of the root is none, or cannot be looked at.
    pub fn reached(&self, world: &dyn World, path: &Path) -> Result<Reached, Obstacle> {
        match self.folder() {
            Some(folder) => reach::reached(world, folder, path, self.reach.levels),
            None => Ok(Reached::nowhere()),
        }
    }

    /// The name of a folder, a path inside the root, in stores.
    #[must_use]
    pub fn absolute(&self, world: &dyn World, folder: &str) -> String {
        let top = self.folder().map_or(Path::new(""), Folder::path);
        let top = world.canonical(top).unwrap_or_else(|_| top.to_owned());
        top.join(folder).to_string_lossy().into_owned()
    }

    /// The directory rules about a folder, as a prompt of one layer; without text if there is none.
    ///
    /// # Errors
    /// When something in it cannot be read, or a template fails.
    pub fn folder_rules(
        &self,
        world: &dyn World,
        folder: &str,
        diags: &mut Diagnostics,
    ) -> Result<Prompt, ErrorReported> {
        let level = Level {
            root: self.reach.root.clone(),
            folder: folder.to_owned(),
        };
        let (plan, bound) = (&self.plan, &self.bound);
        let loaded = load::load_at(plan, bound, world, Some(&level), diags)?;
        let lookup = Lookup {
            searched: Some(&self.reach.root),
            ..Lookup::new(world)
        };
        missing_report::warn(plan, bound, &loaded, &lookup, diags);
        let rendered = render::render(plan, bound, loaded, diags)?;
        let fitted = fit::fit(plan, bound, rendered, diags)?;
        let prompt = assemble::assemble(plan, fitted);
        control::warn(plan, bound, &prompt, diags);
        Ok(prompt)
    }

    fn folder(&self) -> Option<&Folder> {
        let root = self.bound.roots.get(&*self.reach.root)?;
        root.folders.first().map(|f| &f.folder)
    }
}
