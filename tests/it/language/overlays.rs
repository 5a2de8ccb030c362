//! The output of `explain --merged` is a manifest that builds the same prompt.

use crate::case::Case;
use crate::run::Place;
use std::fs;
use std::path::Path;

/// Cases whose base has folders of its own: the merged manifest is in another one.
const OWN_FOLDERS: [&str; 5] = [
    "overlay-facts-roots.case",
    "overlay-include.case",
    "overlay-locked.case",
    "overlay-root-manifest.case",
    "overlay-scenarios.case",
];

#[test]
fn the_merged_manifest_builds_the_same() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/language");
    let mut seen = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if !name.starts_with("overlay-") || OWN_FOLDERS.contains(&name.as_str()) {
            continue;
        }
        let case = Case::parse(&fs::read_to_string(&path).unwrap());
        let place = Place::new();
        case.lay_out(&place);
        let team = place.path().join("team").is_dir();
        if !team && !place.path().join("promptc.kdl").exists() {
            continue;
        }
        let file = |name: &str| {
            if team {
                format!("team/{name}")
            } else {
                name.to_owned()
            }
        };
        let options: &[&str] = if team {
            &["--set", "persona=Kind."]
        } else {
            &[]
        };
        let manifest = file("promptc.kdl");
        let build = |manifest: &str| {
            let args = [&["build", "-m", manifest], options].concat();
            place.run(&args).exits(0).stdout
        };
        let merged = place
            .run(&["explain", "--merged", "-m", &manifest])
            .exits(0);
        place.file(&file("flat.kdl"), merged.stdout);
        assert_eq!(build(&file("flat.kdl")), build(&manifest), "{name}");
        // Merged once, there is nothing left to merge.
        let again = place
            .run(&["explain", "--merged", "-m", &file("flat.kdl")])
            .exits(0);
        let text = String::from_utf8(again.stdout).unwrap();
        assert!(
            !text.contains("extends") && !text.contains("refine"),
            "{name}:\n{text}"
        );
        seen += 1;
    }
    assert!(seen >= 4, "the cases are gone");
}
