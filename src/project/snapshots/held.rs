//! Holds the members of prefix families against each other.

use super::build;
use super::outcome::Outcome;
use super::units::{self, Opened, Unit, Wanted};
use crate::compare::{Family, Grade, Sample, grade};
use crate::project::{Compared, Run, families};
use crate::prompt::Prompt;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The result of a family.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum FamilyStatus {
    /// Its members share what the manifest expects.
    Ok,
    /// The common prefix does not reach the end of `through`.
    Breaks,
    /// The common prefix is smaller than `at-least`.
    Short,
    /// A member does not build.
    Failed,
}

impl FamilyStatus {
    /// All, in the order of the summary.
    pub(crate) const ALL: [Self; 4] = [Self::Ok, Self::Breaks, Self::Short, Self::Failed];

    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Breaks => "breaks",
            Self::Short => "short",
            Self::Failed => "failed",
        }
    }

    fn of(grade: Option<&Grade>) -> Self {
        let Some(grade) = grade else {
            return Self::Failed;
        };
        let mut members = grade.members.iter();
        match members.any(|member| member.reaches == Some(false)) {
            true => Self::Breaks,
            false if grade.holds => Self::Ok,
            false => Self::Short,
        }
    }
}

/// A family and what became of it.
pub(crate) struct FamilyOutcome {
    /// The manifest.
    pub(crate) path: PathBuf,
    pub(crate) shown: String,
    /// The expectation.
    pub(crate) family: Family,
    pub(crate) status: FamilyStatus,
    /// The shared prefix of its members; none if one does not build.
    pub(crate) grade: Option<Grade>,
    /// The first member and each that does not hold, by the place of that among the others: of these the layer that parts them.
    pub(crate) parted: BTreeMap<usize, Compared>,
}

/// Checks the families that the filter selects, by their name or by a member. A member without a requested snapshot is
/// built for them alone.
pub(crate) fn all(
    opened: &[Opened],
    units: &[Unit<'_>],
    outcomes: &[Outcome],
    wanted: Wanted<'_>,
    run: &mut Run,
) -> Vec<FamilyOutcome> {
    let found = opened.iter().flat_map(|one| {
        let all = families::families_of(&one.manifest).into_iter();
        all.map(move |family| (one, family))
    });
    let is_wanted = |(one, family): &(&Opened, Family)| {
        let mut names = family.members.iter().chain([&family.name]);
        names.any(|name| units::selects(wanted, &one.shown, name))
    };
    let found: Vec<_> = found.filter(is_wanted).collect();
    let built = outcomes.iter().map(|outcome| {
        let prompt = outcome.now.as_ref().map(|(_, prompt)| prompt);
        ((&*outcome.path, &*outcome.scenario), prompt)
    });
    let mut built: BTreeMap<(&Path, &str), Option<&Prompt>> = built.collect();
    let others = units.iter().filter(|unit| {
        let mut families = found.iter().filter(|(one, _)| one.path == unit.path);
        !built.contains_key(&(unit.path, &*unit.scenario))
            && families.any(|(_, family)| family.members.contains(&unit.scenario))
    });
    let others: Vec<&Unit<'_>> = others.collect();
    let prompts = build::all(&others, run);
    let more = others.iter().zip(&prompts);
    built.extend(more.map(|(unit, prompt)| ((unit.path, &*unit.scenario), prompt.as_ref().ok())));
    found
        .into_iter()
        .map(|(one, family)| held(one, family, &built))
        .collect()
}

fn held(
    one: &Opened,
    family: Family,
    built: &BTreeMap<(&Path, &str), Option<&Prompt>>,
) -> FamilyOutcome {
    let prompt = |name: &String| built.get(&(&*one.path, &**name)).copied().flatten();
    let members = family.members.iter();
    let members = members.map(|name| {
        Some(Sample {
            scenario: name,
            prompt: prompt(name)?,
            shown: families::is_shown(&one.manifest, name),
        })
    });
    let samples: Option<Vec<Sample<'_>>> = members.collect();
    let grade = samples.as_ref().and_then(|all| grade(&family, all));
    let parted = samples.iter().zip(&grade).flat_map(|(all, grade)| {
        let members = grade.members.iter().enumerate();
        let parted = members.filter(|(_, member)| !member.holds);
        parted.map(|(at, member)| (at, Compared::parted(all[0], all[at + 1], &member.diff)))
    });
    FamilyOutcome {
        path: one.path.clone(),
        shown: one.shown.clone(),
        status: FamilyStatus::of(grade.as_ref()),
        parted: parted.collect(),
        grade,
        family,
    }
}
