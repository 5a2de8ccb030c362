//! The record of a build's inputs, and the build from such a record alone.

use super::bind::ResolvedInputs;
use super::given::{FixedInputs, GivenInputs};
use super::plan::Plan;
use super::roots;
use crate::manifest::{BUILT_IN, Manifest, Origin};
use crate::prompt::{FactOrigin, Hidden, LANGUAGE, RecordedFact, RecordedInputs};
use crate::text::Json;
use crate::text::tokens::Tokenizer;
use crate::world::{Places, Recorder, World, tidied};
use data_encoding::HEXLOWER;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// The record of a build, in which `recorder` was asked for the manifest, the plan and the documents.
pub(super) fn record(
    plan: &Plan,
    given: &GivenInputs,
    bound: &ResolvedInputs,
    recorder: Recorder<'_>,
) -> RecordedInputs {
    let manifest = &plan.manifest;
    let folders = folders(manifest, bound, &recorder);
    let places = Places::new(&recorder, folders);
    let path = |path: &Path| places.path(path).unwrap_or_default();
    let mut roots: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, folder) in &bound.outside {
        roots.entry(name.clone()).or_default().push(path(folder));
    }
    let manifests = manifest.sheets.iter().map(|sheet| match &sheet.origin {
        Origin::BuiltIn { name } => format!("{BUILT_IN}{name}"),
        Origin::Disk { folder } => path(&folder.join(file_name(&sheet.name))),
    });
    RecordedInputs {
        promptc: env!("CARGO_PKG_VERSION").to_owned(),
        language: LANGUAGE,
        manifests: manifests.collect(),
        facts: facts(plan, bound),
        roots,
        tokenizer: given.tokenizer.map(|tokenizer| tokenizer.name.to_owned()),
        without: given.without.clone(),
        world: recorder.tape().placed(places),
    }
}

/// The last part of a manifest's name in the map.
fn file_name(name: &str) -> &str {
    name.rsplit(['/', '\\']).next().unwrap_or(name)
}

/// The folders that are read in, by the names of their places.
fn folders(
    manifest: &Manifest,
    bound: &ResolvedInputs,
    recorder: &Recorder<'_>,
) -> Vec<(String, PathBuf)> {
    let here = recorder.canonical(Path::new(".")).unwrap_or_default();
    let mut out = Vec::new();
    let roots = bound.roots.values();
    for root in roots.filter(|root| *root.name != *roots::MANIFEST) {
        let disk = root.folders.iter().filter(|folder| folder.is_disk());
        for (at, folder) in disk.enumerate() {
            let name = match at {
                0 => root.name.to_string(),
                _ => format!("{}#{}", root.name, at + 1),
            };
            out.push((name, tidied(&here.join(folder.folder.path()))));
        }
    }
    let homes = manifest
        .sheets
        .iter()
        .filter_map(|sheet| match &sheet.origin {
            Origin::Disk { folder } => Some(tidied(&here.join(folder))),
            Origin::BuiltIn { .. } => None,
        });
    let Some(home) = homes.reduce(|one, other| common(&one, &other)) else {
        return out;
    };
    // A file with `..` in its name has to be found by that name.
    let paths = recorder.paths().into_iter().map(|path| here.join(path));
    let ways = paths.filter_map(|path| Some((tidied(&path), highest(&path)?)));
    let own = |path: &Path| {
        path.starts_with(&home) || !out.iter().any(|(_, root)| path.starts_with(root))
    };
    let ways = ways.filter(|(path, _)| own(path)).map(|(_, way)| way);
    let home = ways.fold(home.clone(), |home, way| common(&home, &way));
    out.insert(0, (roots::MANIFEST.to_owned(), home));
    out
}

/// The highest folder that a path with `..` leads through.
fn highest(path: &Path) -> Option<PathBuf> {
    let (mut folder, mut highest) = (PathBuf::new(), None::<PathBuf>);
    for part in path.components() {
        if part == Component::ParentDir {
            folder.pop();
            highest = Some(highest.map_or_else(|| folder.clone(), |above| common(&above, &folder)));
        } else {
            folder.push(part);
        }
    }
    highest
}

/// The nearest folder that holds both.
fn common(one: &Path, other: &Path) -> PathBuf {
    let both = one.components().zip(other.components());
    let same = both.take_while(|(a, b)| a == b);
    same.map(|(part, _)| part).collect()
}

/// The record without the values of private facts that the manifest gives: their hashes stand for them. Without the
/// manifest's text they could not be read in it.
pub(super) fn without_private(manifest: &Manifest, mut inputs: RecordedInputs) -> RecordedInputs {
    for fact in manifest.facts.iter().filter(|fact| fact.is_private()) {
        let name = &fact.name.value;
        if let Some(RecordedFact::Known { value, .. }) = inputs.facts.get(name) {
            let private = private_hash(prompt_name(manifest), name, value);
            let value = Hidden(Some(value.clone()));
            let hidden = RecordedFact::Private { private, value };
            inputs.facts.insert(name.clone(), hidden);
        }
    }
    inputs
}

/// The values of all facts; of a private one that the manifest does not give only the hash.
fn facts(plan: &Plan, bound: &ResolvedInputs) -> BTreeMap<String, RecordedFact> {
    let prompt = prompt_name(&plan.manifest);
    let fact = |written: &crate::manifest::Fact| {
        let name = &written.name.value;
        let (value, origin) = (bound.facts.get(name)?.to_json(), bound.origin(name));
        // The record has the manifest, and with it the values that it gives.
        let fact = if written.is_private() && origin != FactOrigin::Manifest {
            let private = private_hash(prompt, name, &value);
            RecordedFact::Private {
                private,
                value: Hidden(Some(value)),
            }
        } else {
            RecordedFact::Known { value, origin }
        };
        Some((name.clone(), fact))
    };
    plan.facts().filter_map(|of| fact(of.written)).collect()
}

fn prompt_name(manifest: &Manifest) -> &str {
    let name = manifest.name.as_ref();
    name.map_or("", |name| name.value.as_str())
}

/// The hash of a private value. Without the key, equal values of two facts could be seen.
pub(crate) fn private_hash(prompt: &str, fact: &str, value: &Json) -> String {
    let key = format!("{prompt}\0{fact}");
    let value = serde_json::to_vec(value).unwrap_or_default();
    // A key may have any length.
    let mac = Hmac::<Sha256>::new_from_slice(key.as_bytes());
    let hash = mac.map(|mac| mac.chain_update(value).finalize().into_bytes());
    hash.map_or_else(|_| String::new(), |hash| HEXLOWER.encode(&hash))
}

/// What a call gives that repeats a build; `private` are the values of private facts.
pub(super) fn given(inputs: &RecordedInputs, private: &BTreeMap<String, Json>) -> GivenInputs {
    let known = inputs.facts.iter().filter_map(|(name, fact)| match fact {
        RecordedFact::Known { value, .. } => Some((name.clone(), value.clone())),
        RecordedFact::Private { value, .. } => {
            let value = private.get(name).or(value.0.as_ref());
            Some((name.clone(), value?.clone()))
        }
    });
    let roots = inputs.roots.iter().flat_map(|(name, folders)| {
        let folder = |folder: &String| (name.clone(), PathBuf::from(folder));
        folders.iter().map(folder)
    });
    GivenInputs {
        fixed: Some(Arc::new(FixedInputs {
            facts: known.collect(),
            roots: roots.collect(),
        })),
        tokenizer: inputs.tokenizer.as_deref().and_then(Tokenizer::parse),
        without: inputs.without.clone(),
        ..GivenInputs::default()
    }
}
