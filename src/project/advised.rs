//! The advice about two prompts as edits of the manifest. Each edit is tried before it is shown.

use super::base::place_of;
use super::{BuildCall, Compared, Run};
use crate::check::{self, advised};
use crate::compare::{Advice, AdviceKind, Diff, elsewhere, followed};
use crate::compile::{self, Plan};
use crate::diagnostic::Diagnostics;
use crate::diagnostic::span::Files;
use crate::manifest::Manifest;
use crate::prompt::Prompt;
use crate::world::{EditedWorld, World};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// An advice as an edit of the manifest.
#[derive(Debug)]
pub(crate) struct AdvisedEdit {
    /// The advice that it follows; its layer may move less far than the comparison alone advises.
    pub(crate) advice: Advice,
    /// How messages call the manifest.
    pub(crate) file: String,
    /// The text before and after.
    pub(crate) shown: [String; 2],
}

/// The edit of each advice about a comparison, in which `a` was before and `b` is the build of `call`. There is none where no
/// edit is known, or where `promptc check` would find more than now.
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
    let path = place(&plan, &run)?;
    let before = findings(&plan, &run.files);
    // Other places are built only where this one is none.
    let others = std::iter::once_with(|| elsewhere(diff, advice, [a, b])).flatten();
    for advice in std::iter::once(advice.clone()).chain(others) {
        let Some(text) = advised(&advice, &plan, &run.files) else {
            continue;
        };
        let edited = EditedWorld::new(world, &path, text).ok()?;
        let mut after = Run::default();
        let Some(plan) = planned(call, &edited, &mut after) else {
            continue;
        };
        if is_more(&before, &findings(&plan, &after.files)) {
            continue;
        }
        let file = run.files.get(manifest.file);
        let new = after.files.get(plan.manifest().file).text.to_string();
        return Some(AdvisedEdit {
            advice,
            file: file.name.to_string(),
            shown: [file.text.to_string(), new],
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

/// Leaves out the advice about a comparison whose move would make `promptc check` of B's manifest find more: another place that does not is
/// advised instead, if there is one.
pub(crate) fn retain(compared: &mut Compared) {
    let Compared { a, b, diff, .. } = compared;
    let is_order = |advice: &Advice| advice.kind == AdviceKind::Order;
    let Some(inputs) = b
        .inputs
        .as_deref()
        .filter(|_| diff.advice.iter().any(is_order))
    else {
        return;
    };
    let found = |edit: &dyn Fn(&Plan) -> Option<Manifest>| {
        let (mut files, mut diags) = (Files::default(), Diagnostics::default());
        let plan = compile::prepare_recorded(inputs, edit, &mut files, &mut diags);
        plan.ok().map(|plan| findings(&plan, &files))
    };
    let before = found(&|_| None).unwrap_or_default();
    let holds = |advice: &Advice| {
        let after = found(&|plan| followed(advice, plan));
        after.is_some_and(|after| !is_more(&before, &after))
    };
    let all = std::mem::take(&mut diff.advice).into_iter();
    let kept = all.filter_map(|advice| {
        if !is_order(&advice) || holds(&advice) {
            return Some(advice);
        }
        elsewhere(diff, &advice, [a, b]).into_iter().find(holds)
    });
    diff.advice = kept.collect();
}

/// The file of the manifest; none if it is built in.
fn place(plan: &Plan, run: &Run) -> Option<PathBuf> {
    let manifest = plan.manifest();
    place_of(manifest.file, &manifest.origin, &run.files)
}

/// How often each rule finds something in a plan.
fn findings(plan: &Plan, files: &Files) -> BTreeMap<&'static str, usize> {
    let report = check::check(plan, files, &[], &check::Options::default());
    let mut out = BTreeMap::new();
    for finding in &report.findings {
        *out.entry(finding.rule.code.name).or_default() += 1;
    }
    out
}

/// Whether a rule finds more after an edit than before.
fn is_more(before: &BTreeMap<&str, usize>, after: &BTreeMap<&str, usize>) -> bool {
    let had = |rule: &str| before.get(rule).copied().unwrap_or(0);
    after.iter().any(|(rule, count)| *count > had(rule))
}
