//! The directory rules: a layer that no tier of the prompt has.

use super::inherited::Inherited;
use super::{lead, tier};
use crate::compile::plan::fit::Bounded;
use crate::compile::plan::programs::Programs;
use crate::compile::plan::{DirectoryRules, Reach};
use crate::compile::roots::{TEXT, WORKSPACE};
use crate::diagnostic::span::Spanned;
use crate::diagnostic::{self as codes, Diagnostic};
use crate::manifest::{self, Manifest, Node, Order, Root};
use crate::prompt::Changes;

pub(in crate::compile::plan) fn directory_rules<'a>(
    manifest: &'a Manifest,
    programs: &mut Programs<'a>,
) -> Option<DirectoryRules> {
    let written = manifest.directory_rules.as_ref()?;
    let root = root(written, programs);
    let layers = written.tier.layers.iter();
    for node in layers.flat_map(manifest::Layer::nodes) {
        stays_in_its_folder(node, programs);
    }
    let of_prompt = programs.enter_directory_rules();
    let lead = lead(manifest);
    let mut around = Inherited::new(written.tier.join.clone().unwrap_or_else(|| lead.clone()));
    around.root.clone_from(&root);
    let around = (&lead, around);
    let mut tier = tier(
        &written.tier,
        Bounded::none(),
        around,
        Changes::Never,
        programs,
    );
    let questions = programs.leave_directory_rules(of_prompt);
    let root = root?;
    for layer in &mut tier.layers {
        // Its folders are those of the root, whatever its sources read.
        layer.why.add(programs.root_why(&root.value, root.span));
    }
    let order = written.order.as_ref();
    Some(DirectoryRules {
        reach: Reach {
            root: root.value.as_str().into(),
            levels: written.levels,
            order: order.map_or(Order::OuterFirst, |o| o.value),
        },
        tier,
        questions,
    })
}

/// The root whose folders have directory rules; it has one folder.
fn root(
    written: &manifest::DirectoryRules,
    programs: &mut Programs<'_>,
) -> Option<Spanned<String>> {
    let root = match &written.root {
        Some(root) => (programs.roots.known(root, programs.diags)).then(|| root.clone())?,
        None if programs.roots.declared(WORKSPACE).is_some() => {
            Spanned::new(WORKSPACE.to_owned(), written.span)
        }
        None => {
            programs.diags.push(
                Diagnostic::error(
                    codes::NO_WORKSPACE_ROOT,
                    "the directory rules name no root, and there is no root `workspace`",
                )
                .at(written.span)
                .help("declare `root workspace default=\".\"`, or write `root=NAME` here"),
            );
            return None;
        }
    };
    let declared = programs.roots.declared(&root.value);
    if root.value == TEXT || declared.is_some_and(Root::is_many) {
        let message = format!("the root `{}` is more than one folder", root.value);
        let found = Diagnostic::error(codes::CONFLICTING_SETTINGS, message).at(root.span);
        programs.diags.push(
            found.help("directory rules are about the folders inside of one: name another root"),
        );
    }
    Some(root)
}

/// Reports a search: it starts at the folder of a root, and not where the directory rules are made.
fn stays_in_its_folder(node: &Node, programs: &mut Programs<'_>) {
    if let Some(search) = &node.settings.search {
        let message = "directory rules are made in one folder, and `search=` leads out of it";
        programs.diags.push(
            Diagnostic::error(codes::CONFLICTING_SETTINGS, message)
                .at(search.span)
                .help("remove it; `levels=` on the directory rules sets how many parent folders get directory rules"),
        );
    }
}
