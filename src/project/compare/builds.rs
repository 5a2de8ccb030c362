//! Builds of scenarios, as `promptc test` makes them.

use super::side::CompareCall;
use crate::compare::snapshot::DEFAULT;
use crate::compile::{self, GivenInputs, Plan};
use crate::diagnostic::ErrorReported;
use crate::manifest::Manifest;
use crate::project::Run;
use crate::project::inputs::build_comparable;
use crate::prompt::Prompt;
use crate::world::{DiskWorld, Hermetic, Recorder, World};
use std::sync::Arc;

/// Whether a snapshot's name belongs to a build of the manifest: a scenario, or the build without one.
pub(super) fn stands(args: &CompareCall, manifest: &Manifest, name: &str) -> bool {
    declares(manifest, name) || is_bare(args, manifest, name)
}

fn declares(manifest: &Manifest, name: &str) -> bool {
    manifest.scenarios.iter().any(|s| s.name.value == name)
}

/// Whether a name belongs to a build without any scenario. In a manifest with scenarios, the name means a scenario.
fn is_bare(args: &CompareCall, manifest: &Manifest, name: &str) -> bool {
    let asked =
        args.build.inputs.scenario.as_deref().is_some() && manifest.tried().next().is_some();
    name == DEFAULT && !declares(manifest, name) && !asked
}

/// Builds scenarios of a manifest, as `promptc test` does.
pub(super) struct Builds<'a> {
    args: &'a CompareCall,
    world: &'a dyn World,
    manifest: &'a Arc<Manifest>,
    /// The plan of all scenarios that write neither roots nor variables, with what was asked for it, once one of them was
    /// built.
    plan: Option<(Plan, Recorder<'a>)>,
}

impl<'a> Builds<'a> {
    pub(super) fn new(
        args: &'a CompareCall,
        world: &'a dyn World,
        manifest: &'a Arc<Manifest>,
    ) -> Self {
        Self {
            args,
            world,
            manifest,
            plan: None,
        }
    }

    /// Builds the scenario of that name; one that is not declared is an error.
    pub(super) fn scenario(&mut self, name: &str, run: &mut Run) -> Result<Prompt, ErrorReported> {
        let bare = is_bare(self.args, self.manifest, name);
        let given = GivenInputs {
            scenario: (!bare).then(|| name.to_owned()),
            ..self.args.build.inputs.read(&DiskWorld, &mut run.diags)
        };
        let hermetic = Hermetic { world: self.world };
        let world: &dyn World = if bare { &hermetic } else { self.world };
        let Run { files, diags, .. } = &mut *run;
        let mut scenarios = self.manifest.scenarios.iter();
        let shares = scenarios
            .find(|s| Some(&s.name.value) == given.scenario.as_ref())
            .is_some_and(|s| s.roots.is_empty() && s.env.is_empty());
        if !shares {
            let recorder = self.opened(world);
            let plan = compile::prepare(self.manifest, &given, &recorder, files, diags)?;
            return build_comparable(&plan, &given, recorder, diags);
        }
        let (plan, recorder) = match &self.plan {
            Some(shared) => shared,
            None => {
                let recorder = self.opened(self.world);
                let plan = compile::prepare(self.manifest, &given, &recorder, files, diags)?;
                self.plan.insert((plan, recorder))
            }
        };
        build_comparable(plan, &given, recorder.fork(), diags)
    }

    /// A recorder that was asked for the manifest, whose findings are known.
    fn opened<'w>(&self, world: &'w dyn World) -> Recorder<'w> {
        let recorder = Recorder::new(world);
        let project = &self.args.build.project;
        let _ = project.open_in(&recorder, &mut Run::default());
        recorder
    }
}
