//! Invented documents: a file for each name that a source writes, so that what reads it finds something.

use crate::compile::bind::ResolvedInputs;
use crate::compile::plan::NodeUse;
use crate::diagnostic::span::Spanned;
use crate::manifest::{FileName, NamePart};
use crate::source::kind::{Makes, Names, SourceKind};
use crate::source::pattern::Pattern;
use crate::source::skills;
use crate::world::MapWorld;

/// A world with the documents that a node reads.
pub(super) fn with_documents(
    world: MapWorld,
    node: &NodeUse<'_>,
    bound: &ResolvedInputs,
) -> MapWorld {
    let Some(reading) = node.node.kind.reading() else {
        return world;
    };
    let text = match reading.kind.makes {
        Makes::Document | Makes::Entries(_) => "An invented text.\n",
        Makes::Data(_) => "{}\n",
        Makes::Listed => {
            "---\nname: invented\ndescription: An invented skill.\n---\n\nAn invented text.\n"
        }
    };
    let names = reading.names.iter();
    let names = names.filter_map(|name| path(reading.kind, name, bound));
    let roots = bound.bound_as(node.root());
    let folders = roots.flat_map(|root| &root.folders);
    let folders: Vec<_> = folders.filter(|folder| folder.is_disk()).collect();
    names.fold(world, |world, name| {
        let paths = folders
            .iter()
            .map(|folder| folder.folder.path().join(&name));
        paths.fold(world, |world, path| world.file(path, text))
    })
}

/// The path of a file that this name finds, inside its root. None if a fact in it is no text.
fn path(kind: &SourceKind, name: &FileName, bound: &ResolvedInputs) -> Option<String> {
    let name = match name {
        FileName::Written { written, .. } if kind.names == Names::Patterns => {
            return Some(Pattern::parse(&written.value).ok()?.example());
        }
        FileName::Written { parts, .. } => {
            let piece = |part: &NamePart<Spanned<String>>| match part {
                NamePart::Text(text) => Some(text.clone()),
                NamePart::Fact(name) => printed(bound, &name.value),
            };
            parts.iter().map(piece).collect::<Option<String>>()?
        }
        FileName::Fact(name) => printed(bound, &name.value)?,
    };
    Some(match kind.names {
        Names::Folder => format!("{name}/invented/{}", skills::FILE),
        _ => name,
    })
}

fn printed(bound: &ResolvedInputs, fact: &str) -> Option<String> {
    Some(bound.value(fact)?.printed()?.to_string())
}
