//! Files of similar names next to those that a build looked for and did not find.

use super::bind::bind;
use super::given::GivenInputs;
use super::plan::{Needs, Plan};
use crate::diagnostic::Diagnostics;
use crate::diagnostic::span::Span;
use crate::diagnostic::suggest::nearest;
use crate::manifest::FileName;
use crate::prompt::{Ingredient, Prompt, Unused, UnusedReason};
use crate::source::kind::Names;
use crate::source::place::{BoundRoot, join};
use crate::world::World;
use std::collections::{BTreeMap, BTreeSet};

/// A missing file, and one of a similar name in the same folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NearFile {
    /// The name in the manifest.
    pub span: Span,
    /// The root's name.
    pub root: String,
    /// The path inside the root that is missing.
    pub path: String,
    /// The path of the other file.
    pub near: String,
}

/// The files that `prompt` lacks and that are probably misspelled. Those that it looks for under their own names are no
/// answer. Reads the listings of the folders of missing files, and nothing else.
pub fn near_files(
    plan: &Plan,
    given: &GivenInputs,
    world: &dyn World,
    prompt: &Prompt,
) -> Vec<NearFile> {
    let (missing, named) = looked_for(prompt);
    if missing.is_empty() {
        return Vec::new();
    }
    let roots_alone = Needs::named(Some(BTreeSet::new()), None).or_null();
    // A root that has no folder now was reported by the build.
    let Ok(bound) = bind(
        plan,
        given,
        world,
        &roots_alone,
        &mut Diagnostics::default(),
    ) else {
        return Vec::new();
    };
    let mut listed = BTreeMap::new();
    let analysis = plan.analyse();
    let mut out = Vec::new();
    for node in analysis.of_prompt() {
        let Some(reading) = node.node.kind.reading() else {
            continue;
        };
        let climbs = node.way().any(|around| around.settings.search.is_some());
        if climbs || !matches!(reading.kind.names, Names::File | Names::Files) {
            continue;
        }
        // Of the uses of `manifest`, the one that looks furthest.
        let root = bound.bound_as(node.root());
        let Some(root) = root.max_by_key(|root| root.folders.len()) else {
            continue;
        };
        for name in &reading.names {
            let FileName::Written { written, .. } = name else {
                continue;
            };
            let Some(path) = name
                .constant()
                .filter(|path| missing.contains(&(node.root(), path)))
            else {
                continue;
            };
            if let Some(near) = near(root, path, &named, &mut listed, world) {
                out.push(NearFile {
                    span: written.span,
                    root: node.root().to_owned(),
                    path: path.to_owned(),
                    near,
                });
            }
        }
    }
    out
}

type Paths<'p> = BTreeSet<(&'p str, &'p str)>;

/// Roots and paths: of the missing files, and of all files that the prompt names.
fn looked_for(prompt: &Prompt) -> (Paths<'_>, Paths<'_>) {
    let layers = || prompt.channels.iter().flat_map(|channel| &channel.layers);
    let unused = layers().flat_map(|layer| &layer.unused);
    let unused = unused.chain(prompt.absent.iter().flat_map(|absent| &absent.unused));
    let of = |unused: &&Unused| unused.reason == UnusedReason::Missing;
    let missing = unused.clone().filter(of).map(place).collect();
    let read = layers().flat_map(|layer| layer.ingredients.iter());
    let read = read.filter_map(|ingredient| match ingredient {
        Ingredient::Document { root, path, .. } => Some((root.as_str(), path.as_str())),
        _ => None,
    });
    (missing, unused.map(place).chain(read).collect())
}

fn place(unused: &Unused) -> (&str, &str) {
    (&unused.root, &unused.path)
}

/// The file in the folder of `path` that was probably meant.
fn near<'r>(
    root: &'r BoundRoot,
    path: &str,
    named: &Paths<'_>,
    listed: &mut BTreeMap<(&'r str, String), Vec<String>>,
    world: &dyn World,
) -> Option<String> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let key = (root.name.as_ref(), folder.to_owned());
    let names = listed
        .entry(key)
        .or_insert_with(|| root.names(world, folder));
    let (stem, extension) = parts(name);
    // To compare two names costs the product of their lengths; `nearest` takes none that is longer.
    let short = |name: &str| name.chars().count() <= 100;
    let known = names
        .iter()
        .filter(|other| short(stem) && short(other))
        .filter(|other| {
            let (other_stem, other_extension) = parts(other);
            let path = join(folder, other);
            other_extension.eq_ignore_ascii_case(extension)
            // `part1.md` is no slip of `part2.md`.
            && letters(other_stem) != letters(stem)
            && is_slip(other_stem, stem)
            && !named.contains(&(root.name.as_ref(), path.as_str()))
        });
    let stems: BTreeMap<&str, &str> = known
        .map(|other| (parts(other).0, other.as_str()))
        .collect();
    let found = nearest(stem, stems.keys().copied())?;
    Some(join(folder, stems.get(found)?))
}

/// The name before its extension, and the extension.
fn parts(name: &str) -> (&str, &str) {
    name.rsplit_once('.').unwrap_or((name, ""))
}

/// Whether few letters differ, and case: of short names, which are often alike by chance, one.
fn is_slip(one: &str, other: &str) -> bool {
    let most = 1 + one.chars().count().min(other.chars().count()) / 6;
    strsim::damerau_levenshtein(&one.to_lowercase(), &other.to_lowercase()) <= most
}

fn letters(stem: &str) -> String {
    stem.chars().filter(|c| !c.is_ascii_digit()).collect()
}
