//! A base is built the same through overlays that say nothing, wherever they are: without a scenario, and with each of the base's.

use super::before::with_scenario;
use super::sample::{ALL, MANIFEST, Sample, sample};
use super::{build, config, given, memory};
use promptc::compile::GivenInputs;
use promptc::prompt::{Deliver, Ingredient, Prompt};
use proptest::collection::vec;
use proptest::prelude::prop_assert_eq;
use proptest::test_runner::TestRunner;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::Path;

/// The scenarios of the base: the facts of the sample, and other folders.
pub(super) const SCENARIOS: [&str; 3] = ["", "s", "folders"];
/// Where overlays are, each of which extends the one before it. A folder above the base's has its files by other paths.
pub(super) const FOLDERS: [&str; 5] = ["team", "agent/below", "a/b/c", "team/of", "agent"];

type Texts = BTreeMap<Deliver, String>;

#[test]
fn an_overlay_that_says_nothing_changes_nothing() {
    let next_to_bases = Cell::new(0);
    let mut runner = TestRunner::new(config(200));
    let folders = vec(0..FOLDERS.len(), 1..17);
    let ran = runner.run(&(sample(ALL), folders), |(sample, folders)| {
        let (files, top) = extended(&sample, &folders);
        for scenario in SCENARIOS {
            let given = match scenario {
                "" => given(&sample),
                name => GivenInputs {
                    scenario: Some(name.to_owned()),
                    ..GivenInputs::default()
                },
            };
            let [base, over] = [MANIFEST, &*top].map(|manifest| {
                let world = memory(&files);
                build(&world, &Path::new("/base").join(manifest), &given)
            });
            let layers = over.iter().flat_map(|prompt| &prompt.channels);
            let layers = layers.flat_map(|channel| &channel.layers);
            let found = layers.flat_map(|layer| layer.ingredients.iter());
            let found = found.filter(|i| matches!(i, Ingredient::Document { base: 1.., .. }));
            next_to_bases.set(next_to_bases.get() + found.count());
            let [base, over] = [base, over].map(|built| built.map(|prompt| texts(&prompt)));
            prop_assert_eq!(base, over, "{:?} {:?}", scenario, top);
        }
        Ok(())
    });
    if let Err(error) = ran {
        panic!("{error}");
    }
    assert!(next_to_bases.get() > 5, "{next_to_bases:?}");
}

/// The files of a sample with scenarios and overlays, and the manifest of the outermost overlay.
pub(super) fn extended(sample: &Sample, folders: &[usize]) -> (BTreeMap<String, Vec<u8>>, String) {
    let mut files = with_scenario(sample);
    let base = files.get_mut(MANIFEST).unwrap();
    base.extend(
        b"scenario folders {\n    root workspace \"notes\"\n    root rules \"../r1\" \"skills\"\n    root gone \".\"\n}\n",
    );
    let mut below = MANIFEST.to_owned();
    for (at, folder) in folders.iter().enumerate() {
        let folder = FOLDERS[*folder];
        let out = "../".repeat(folder.split('/').count());
        let overlay = format!("promptc 1\nextends \"{out}{below}\"\n");
        let path = format!("{folder}/o{at}.kdl");
        files.insert(path.clone(), overlay.into_bytes());
        below = path;
    }
    (files, below)
}

fn texts(prompt: &Prompt) -> Texts {
    let channels = prompt.channels.iter();
    channels.map(|c| (c.deliver, c.text.clone())).collect()
}
