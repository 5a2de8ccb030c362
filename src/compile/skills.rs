//! The skills of a manifest: stages 3 and 4 for the sources of skills of one layer, and nothing else.

use super::bind::{self, ResolvedInputs};
use super::given::GivenInputs;
use super::load::{Asking, Skill};
use super::plan::Plan;
use crate::diagnostic::{Diagnostics, ErrorReported};
use crate::prompt::Notice;
use crate::world::World;

/// The skills of one layer, with facts and roots.
#[derive(Debug)]
pub struct Skills {
    /// A plan of that layer alone.
    plan: Plan,
    bound: ResolvedInputs,
}

impl Skills {
    /// The layers that have sources of skills, in order.
    #[must_use]
    pub fn layers(plan: &Plan) -> Vec<String> {
        let layers = plan.tiers.iter().flat_map(|tier| &tier.layers);
        let with = layers.filter(|layer| layer.nodes().any(|node| node.kind.is_listed()));
        with.map(|layer| layer.name.to_string()).collect()
    }

    /// Gives the facts and roots that a layer reads their values; none if there is no such layer.
    ///
    /// # Errors
    /// When one of them has no value, or a wrong one.
    pub fn bind(
        plan: Plan,
        layer: &str,
        given: &GivenInputs,
        world: &dyn World,
        diags: &mut Diagnostics,
    ) -> Result<Option<Self>, ErrorReported> {
        let Some((plan, needs)) = plan.into_layer(layer) else {
            return Ok(None);
        };
        let bound = bind::bind(&plan, given, world, &needs, diags)?;
        Ok(Some(Self { plan, bound }))
    }

    /// All skills that are found, in order, with how each is used: they are checked as for the prompt, but conditions
    /// of the layer and around its sources are not evaluated. Also the texts that scans replaced or left out.
    ///
    /// # Errors
    /// When one of them cannot be read.
    pub fn all(
        &self,
        world: &dyn World,
        diags: &mut Diagnostics,
    ) -> Result<(Vec<Skill>, Vec<Notice>), ErrorReported> {
        self.asking(world).all(diags)
    }

    /// A file next to a skill, as a path inside its folder: its text unchanged, or a placeholder if a scan requires it.
    ///
    /// # Errors
    /// When there is none, it leaves the root, or it cannot be read.
    pub fn beside(
        &self,
        skill: &Skill,
        file: &str,
        world: &dyn World,
        diags: &mut Diagnostics,
    ) -> Result<(Skill, Vec<Notice>), ErrorReported> {
        self.asking(world).beside(skill, file, diags)
    }

    /// The files next to a skill, as paths inside its folder, without hidden ones.
    ///
    /// # Errors
    /// When a folder cannot be read, or there are more than 2,000.
    pub fn files(
        &self,
        skill: &Skill,
        world: &dyn World,
        diags: &mut Diagnostics,
    ) -> Result<Vec<String>, ErrorReported> {
        let found = self.asking(world).files(skill, diags);
        found.map(|(files, _)| files)
    }

    fn asking<'a>(&'a self, world: &'a dyn World) -> Asking<'a> {
        Asking {
            plan: &self.plan,
            bound: &self.bound,
            // There is one tier, and in it one layer.
            layer: &self.plan.tiers[0].layers[0],
            world,
        }
    }
}
