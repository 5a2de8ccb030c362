//! Every file in `tests/fix/` is a manifest that `check --fix` mends: what it prints and what the manifest is then stands in a
//! snapshot. `--diff` writes nothing and says the same, and a second `--fix` finds nothing to do.

use crate::case::Case;
use crate::run::Place;
use serde_json::Value;
use std::path::Path;

fn show(path: &Path) -> String {
    let case = Case::parse(&std::fs::read_to_string(path).unwrap());
    let place = Place::new();
    case.lay_out(&place);
    let line = &case.lines[0];
    let run = |extra: &[&str]| {
        let ran = case.run(line, extra, &place).unwrap();
        let text = String::from_utf8(ran.stdout).unwrap();
        (ran.code, text, ran.stderr)
    };
    let before = place.read("promptc.kdl");
    let (code, diff, _) = run(&["--diff"]);
    assert_eq!(place.read("promptc.kdl"), before, "--diff writes nothing");
    let (told, json, stderr) = run(&["--diff", "--format", "json"]);
    let planned: Value = serde_json::from_str(&json).unwrap_or_else(|e| panic!("{e}: {stderr}"));
    let (fixed, text, stderr) = run(&["--fix"]);
    assert_eq!((told, fixed), (code, code), "{stderr}");
    let after = place.read("promptc.kdl");
    assert_eq!(
        planned["fixes"]["made"].as_array().unwrap().is_empty(),
        after == before
    );
    let (again, rest, _) = run(&["--fix"]);
    assert_eq!(
        place.read("promptc.kdl"),
        after,
        "a second --fix changes something"
    );
    assert_eq!(again, code);
    assert!(rest.contains("nothing to fix in `promptc.kdl`") || rest.contains("not fixed"));
    for hidden in &case.hides {
        assert!(
            !format!("{diff}{text}{json}").contains(hidden),
            "shows {hidden}"
        );
    }
    // With CRLF a snapshot would not show which line ends are there.
    let after = after.replace('\r', "<CR>");
    format!("{diff}\n== --fix\n{text}\n== promptc.kdl\n{after}")
}

#[test]
fn safe_edits_are_made_and_nothing_else() {
    insta::with_settings!({
        snapshot_path => "../snapshots/fix",
        prepend_module_to_snapshot => false,
        omit_expression => true,
    }, {
        insta::glob!("../fix", "*.case", |path| {
            insta::assert_snapshot!("fix", show(path));
        });
    });
}
