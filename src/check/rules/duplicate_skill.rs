//! Two skills of one name in one listing.

use crate::check::{Build, Context, DocumentPlace, Finding, FindingSet, Rule, RuleInput};
use crate::diagnostic::{Code, ExitClass, Severity};
use crate::prompt::Ingredient;
use crate::source::skills::FILE;
use std::collections::{BTreeMap, BTreeSet};

pub(super) static RULE: Rule = Rule {
    code: Code {
        name: "duplicate-skill",
        exit: ExitClass::Success,
        summary: "a layer lists two skills of the same name",
        detail: "A model that asks for a skill by its name gets one of them, and nothing says which. Rename one, or leave its folder out with `exclude`. In a root with `many`, `shadow` lets the first folder win.",
    },
    severity: Severity::Warning,
    waivable: true,
    looks: &[RuleInput::Sources(run)],
};

/// The document of a skill.
#[derive(Clone, Copy, PartialEq, Eq)]
struct SkillFile<'b> {
    root: &'b str,
    path: &'b str,
    sha256: &'b str,
}

fn run(context: &Context<'_>, build: &Build, found: &mut FindingSet) {
    for layer in build.prompt.channels.iter().flat_map(|c| &c.layers) {
        let Some((written, site)) = context.analysis.layer(&layer.name) else {
            continue;
        };
        let unlisted = layer.unused.iter();
        let unlisted: BTreeSet<_> = unlisted
            .map(|u| (u.root.as_str(), u.path.as_str(), u.item.as_deref()))
            .collect();
        let mut seen: BTreeMap<&str, SkillFile<'_>> = BTreeMap::new();
        for ingredient in layer.ingredients.iter() {
            let Ingredient::Document {
                root,
                path,
                sha256,
                item: Some(name),
                ..
            } = ingredient
            else {
                continue;
            };
            // An entry of a memory has a number.
            let is_skill = path.rsplit('/').next() == Some(FILE);
            if !is_skill || unlisted.contains(&(root.as_str(), path.as_str(), Some(name.as_str())))
            {
                continue;
            }
            let this = SkillFile { root, path, sha256 };
            let first = *seen.entry(name).or_insert(this);
            // A file that two sources read is a duplicate document.
            if first == this {
                continue;
            }
            let message = format!(
                "the layer `{}` lists two skills called `{name}`: {}",
                layer.name,
                both(first, this)
            );
            let mut finding = Finding::new(&RULE, written.written.name.span, message)
                .within(site)
                .help("rename one in its front matter, or leave its folder out with `exclude`");
            finding.document = Some(DocumentPlace {
                root: root.clone(),
                path: path.clone(),
                line: 1,
            });
            finding.scenario.clone_from(&build.scenario);
            found.push(finding);
        }
    }
}

/// Both files, in words.
fn both(first: SkillFile<'_>, second: SkillFile<'_>) -> String {
    let SkillFile { root, path, .. } = first;
    let (other_root, other) = (second.root, second.path);
    if root != other_root {
        format!("`{path}` of the root `{root}` and `{other}` of the root `{other_root}`")
    } else if path != other {
        format!("`{path}` and `{other}` of the root `{root}`")
    } else {
        format!("`{path}` in two folders of the root `{root}`")
    }
}
