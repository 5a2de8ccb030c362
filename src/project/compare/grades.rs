//! The prefix families of scenarios that are compared.

use super::operand::Operand;
use super::revision;
use super::side::CompareCall;
use crate::compare::{Family, Grade, Sample, grade};
use crate::manifest::Manifest;
use crate::project::{Compared, Expected, FamilyChange, Run, families};
use crate::prompt::Prompt;
use crate::world::DiskWorld;
use std::sync::Arc;

/// The shared prefixes of each family before and after, as far as its members are compared. The expectation is that of
/// the manifest of B; without one there is none.
pub(crate) fn grades(
    all: &[Compared],
    [_, b]: [Option<&str>; 2],
    args: &CompareCall,
) -> Vec<FamilyChange> {
    if all.iter().filter(|one| one.snapshot.is_some()).count() < 2 {
        return Vec::new();
    }
    let Some(manifest) = manifest(b, args) else {
        return Vec::new();
    };
    let families = families::families_of(&manifest).into_iter();
    families
        .filter_map(|family| change(family, &manifest, all))
        .collect()
}

/// The manifest of B. Its errors are reported where it is built.
fn manifest(b: Option<&str>, args: &CompareCall) -> Option<Arc<Manifest>> {
    let mut unheard = Run::default();
    let project = &args.build.project;
    match Operand::parse(b.unwrap_or(".")) {
        Operand::Git(name) => {
            let revision = revision::open(name, &mut unheard).ok()?;
            project.open_in(&revision, &mut unheard).ok()
        }
        _ => project.open_in(&DiskWorld, &mut unheard).ok(),
    }
}

fn change(mut family: Family, manifest: &Manifest, all: &[Compared]) -> Option<FamilyChange> {
    let compared = |name: &str| all.iter().find(|one| one.snapshot.as_deref() == Some(name));
    family.members.retain(|name| compared(name).is_some());
    let side = |known: fn(&Compared) -> bool, prompt: fn(&Compared) -> &Prompt| {
        let members = family.members.iter().map(|name| {
            let one = compared(name).filter(|one| known(one))?;
            Some(Sample {
                scenario: name,
                prompt: prompt(one),
                shown: families::is_shown(manifest, name),
            })
        });
        let members: Option<Vec<Sample<'_>>> = members.collect();
        grade(&family, &members?)
    };
    let before: Option<Grade> = side(Compared::is_exact, |one| &one.a);
    let after = side(|one| one.b_known, |one| &one.b);
    if family.members.len() < 2 {
        return None;
    }
    Some(FamilyChange {
        family: family.name.clone(),
        expects: Expected::of(&family),
        before,
        after,
    })
}
