//! The advice about two prompts as edits of the manifest. Each edit is tried before it is shown.

use super::check::path_of;
use super::{BuildCall, Run};
use crate::check::{self, advised};
use crate::compare::{Advice, AdviceKind, Diff, elsewhere, own_text};
use crate::compile::{self, Plan};
use crate::diagnostic::Severity;
use crate::prompt::{Deliver, Prompt};
use crate::world::{EditedWorld, World};

/// How many places of a layer are tried at most.
const MOST_TRIES: usize = 4;

/// An advice as an edit of the manifest.
#[derive(Debug)]
pub(crate) struct AdvisedEdit {
    /// The advice that it follows; its layer may move less far than the comparison alone advises.
    pub(crate) advice: Advice,
    /// How messages call the manifest.
    pub(crate) file: String,
    /// The text before and after, without what must not be shown.
    pub(crate) shown: [String; 2],
}

/// The edit of each advice about a comparison, in which `a` was before and `b` is the build of `call`. There is none where no
/// edit is known, where a layer would have another text, or where `promptc check` would find more than now.
pub(crate) fn edits(
    call: &BuildCall,
    (a, b): (&Prompt, &Prompt),
    diff: &Diff,
) -> Vec<Option<AdvisedEdit>> {
    let advice = diff.advice.iter();
    advice
        .map(|advice| edit(call, (a, b), diff, advice))
        .collect()
}

fn edit(
    call: &BuildCall,
    (a, b): (&Prompt, &Prompt),
    diff: &Diff,
    advice: &Advice,
) -> Option<AdvisedEdit> {
    let world = call.project.world();
    let mut run = Run::default();
    let plan = planned(call, world, &mut run)?;
    let manifest = plan.manifest();
    let path = path_of(manifest, &run)?;
    let before = counts(&plan, &run);
    let others = elsewhere(diff, advice, (a, b)).into_iter().take(MOST_TRIES);
    for advice in std::iter::once(advice.clone()).chain(others) {
        let Some(text) = advised(&advice, &plan, &run.files) else {
            continue;
        };
        let edited = EditedWorld::new(world, &path, text).ok()?;
        let mut after = Run::default();
        let Some(plan) = planned(call, &edited, &mut after) else {
            continue;
        };
        let found = counts(&plan, &after);
        if found.iter().zip(&before).any(|(now, had)| now > had) {
            continue;
        }
        let Ok(built) = call.build_in(&edited, &mut after) else {
            continue;
        };
        // Of a fact that says less the texts are others.
        if advice.kind == AdviceKind::Order && !same_texts(b, &built.prompt) {
            continue;
        }
        let file = run.files.get(manifest.file);
        let new = after.files.get(plan.manifest().file).shown().to_owned();
        return Some(AdvisedEdit {
            advice,
            file: file.name.to_string(),
            shown: [file.shown().to_owned(), new],
        });
    }
    None
}

fn planned(call: &BuildCall, world: &dyn World, run: &mut Run) -> Option<Plan> {
    let given = call.inputs.read(world, &mut run.diags);
    let manifest = call.project.open_in(world, run).ok()?;
    let Run { files, diags, .. } = run;
    compile::prepare(&manifest, &given, world, files, diags).ok()
}

/// How many errors the rules find in a plan, and how many findings there are.
fn counts(plan: &Plan, run: &Run) -> [usize; 2] {
    let report = check::check(plan, &run.files, &[], &check::Options::default());
    let errors = report
        .findings
        .iter()
        .filter(|f| f.rule.severity == Severity::Error);
    [errors.count(), report.findings.len()]
}

/// Whether two prompts have the same layers with the same texts, in whatever order.
fn same_texts(a: &Prompt, b: &Prompt) -> bool {
    Deliver::ALL.into_iter().all(|deliver| {
        let channels = [a, b].map(|prompt| prompt.channel(deliver));
        let mut layers = channels
            .iter()
            .flatten()
            .flat_map(|channel| &channel.layers);
        layers.all(|layer| own_text(a, deliver, &layer.name) == own_text(b, deliver, &layer.name))
    })
}
