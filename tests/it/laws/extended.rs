//! A base is built the same through overlays that say nothing, wherever they are: without a scenario, and with each of the base's.

use super::before::with_scenario;
use super::sample::{ALL, MANIFEST, Sample, sample};
use super::{build, config, given, memory};
use promptc::compile::GivenInputs;
use promptc::prompt::{Deliver, Prompt};
use proptest::prelude::{any, prop_assert_eq, proptest};
use std::collections::BTreeMap;
use std::path::Path;

/// The scenarios of the base: the facts of the sample, and other folders.
const SCENARIOS: [&str; 3] = ["", "s", "folders"];
/// Where overlays are, each of which extends the one before it. A folder above the base's has its files by other paths.
const FOLDERS: [&str; 5] = ["team", "agent/below", "a/b/c", "team/of", "agent"];

type Texts = BTreeMap<Deliver, String>;

proptest! {
    #![proptest_config(config(200))]

    #[test]
    fn an_overlay_that_says_nothing_changes_nothing(
        sample in sample(ALL),
        folders in proptest::collection::vec(0..FOLDERS.len(), 1..17),
        levels in any::<bool>(),
    ) {
        let (files, top) = extended(&sample, &folders, levels);
        for scenario in SCENARIOS {
            let given = GivenInputs {
                scenario: (!scenario.is_empty()).then(|| scenario.to_owned()),
                ..if scenario.is_empty() { given(&sample) } else { GivenInputs::default() }
            };
            let [base, over] = [MANIFEST, &*top].map(|manifest| {
                let world = memory(&files);
                build(&world, &Path::new("/base").join(manifest), &given).map(|p| texts(&p))
            });
            prop_assert_eq!(base, over, "{:?} {:?}", scenario, top);
        }
    }
}

/// The files of a sample with scenarios and overlays, and the manifest of the outermost overlay.
fn extended(
    sample: &Sample,
    folders: &[usize],
    is_chain: bool,
) -> (BTreeMap<String, Vec<u8>>, String) {
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
        if !is_chain {
            break;
        }
    }
    (files, below)
}

fn texts(prompt: &Prompt) -> Texts {
    let channels = prompt.channels.iter();
    channels.map(|c| (c.deliver, c.text.clone())).collect()
}
