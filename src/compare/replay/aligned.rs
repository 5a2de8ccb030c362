//! Two records of inputs with the same names for the same places.

use super::node::PlainNode;
use crate::prompt::RecordedInputs;
use crate::world::{renamed, tidied};
use std::path::Path;

/// The folders of a path, without its place.
fn folders(path: &str) -> Vec<&str> {
    let mut parts: Vec<&str> = path.split('/').skip(2).collect();
    parts.pop();
    parts
}

/// The place of a path, `/NAME`.
fn place(path: &str) -> &str {
    let end = path.get(1..).and_then(|rest| rest.find('/'));
    end.map_or(path, |at| &path[..=at])
}

/// Whether a path is a place of its own.
fn is_place(path: &str) -> bool {
    place(path) == path
}

/// The records in which manifest and roots of both are at the same paths, as far as that can be.
pub(super) fn aligned([a, b]: [&RecordedInputs; 2]) -> [RecordedInputs; 2] {
    let mut both = [a.clone(), b.clone()];
    align_manifests(&mut both);
    place_roots(&mut both);
    align_roots(&mut both);
    both
}

/// A root that the caller gives on one side only lies on the other side where its manifest says.
fn place_roots(both: &mut [RecordedInputs; 2]) {
    for (side, other) in [(0, 1), (1, 0)] {
        let given: Vec<String> = both[other].roots.keys().cloned().collect();
        for name in given {
            if both[side].roots.contains_key(&name) {
                continue;
            }
            let manifests = both[side].manifests.iter();
            let mut folders = manifests.filter_map(|path| {
                let text = both[side].world.file(path)?;
                default_folder(&name, path, &PlainNode::read(text)?)
            });
            if let Some(folder) = folders.next() {
                both[side].roots.insert(name, vec![folder]);
            }
        }
    }
}

/// The folder that a manifest gives a root.
fn default_folder(root: &str, path: &str, nodes: &[PlainNode]) -> Option<String> {
    let mut nodes = nodes.iter();
    let node = nodes.find(|node| node.name == "root" && node.argument() == Some(root))?;
    let folder = node.text("default")?;
    let home = Path::new(path).parent()?;
    let folder = tidied(&home.join(folder));
    Some(folder.to_string_lossy().into_owned())
}

/// Manifests may lie at different depths below the folder that holds all files of a manifest.
fn align_manifests(both: &mut [RecordedInputs; 2]) {
    let main = |side: &RecordedInputs| side.manifests.first().cloned().unwrap_or_default();
    let mains = both.each_ref().map(main);
    let of = mains.each_ref().map(|path| folders(path));
    for (side, other) in [(0, 1), (1, 0)] {
        if let Some(above) = of[other].strip_suffix(&*of[side])
            && !above.is_empty()
        {
            let from = place(&mains[side]).to_owned();
            let to = format!("{from}/{}", above.join("/"));
            both[side].rename(&from, &to, false);
        }
    }
    let [from, to] = both.each_ref().map(main);
    if from != to {
        both[0].rename(&from, &to, true);
        both[0].manifests[0] = to;
    }
}

/// A root may be a place of its own on one side, and lie in another one on the other side.
fn align_roots(both: &mut [RecordedInputs; 2]) {
    let roots = both[0].roots.iter().flat_map(|(name, folders)| {
        let other = both[1].roots.get(name).into_iter().flatten();
        let pairs = folders.iter().zip(other).enumerate();
        pairs.map(move |(at, (x, y))| (name.clone(), at, [x.clone(), y.clone()]))
    });
    let mut roots: Vec<(String, usize, [String; 2])> = roots.collect();
    // What is around others comes first.
    roots.sort_by_key(|(.., [x, y])| x.len() + y.len());
    let mut known: Vec<([String; 2], String)> = Vec::new();
    for (name, at, paths) in roots {
        let [x, y] = &paths;
        let within = known.iter().find_map(|([of_x, of_y], own)| {
            let [x, y] = [renamed(x, of_x, own)?, renamed(y, of_y, own)?];
            (x == y).then_some(x)
        });
        let is_new = within.is_none();
        let own = within.unwrap_or_else(|| {
            let own = [x, y].into_iter().find(|path| is_place(path) || x == y);
            own.cloned().unwrap_or_else(|| format!("/{name}"))
        });
        for (side, path) in both.iter_mut().zip(&paths) {
            if is_new && *path != own {
                side.rename(path, &own, true);
            }
            if let Some(folders) = side.roots.get_mut(&name) {
                folders[at].clone_from(&own);
            }
        }
        known.push((paths, own));
    }
}
