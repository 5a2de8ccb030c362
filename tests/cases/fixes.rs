//! Fixes: what `check --fix` prints and what the manifest is then are a snapshot. `--diff` writes nothing and reports the
//! same, and a second `--fix` finds nothing to do.

use crate::{CaseFile, snapshot};
use libtest_mimic::{Completion, Failed};
use serde_json::Value;

pub(crate) fn verify(file: &CaseFile) -> Result<Completion, Failed> {
    snapshot::compare("fix", "fix", file, &show(file));
    Ok(Completion::Completed)
}

fn show(file: &CaseFile) -> String {
    let (case, place) = file.laid_out();
    let line = &case.lines[0];
    let run = |extra: &[&str]| {
        let ran = case.run(line, extra, &place).unwrap();
        let text = String::from_utf8(ran.stdout).unwrap();
        (ran.code, text, ran.stderr)
    };
    let before = place.read("promptc.kdl");
    let (code, diff, _) = run(&["--diff"]);
    assert_eq!(place.read("promptc.kdl"), before, "--diff writes nothing");
    let (planned_code, json, stderr) = run(&["--diff", "--format", "json"]);
    let planned: Value = serde_json::from_str(&json).unwrap_or_else(|e| panic!("{e}: {stderr}"));
    let (fixed, text, stderr) = run(&["--fix"]);
    assert_eq!((planned_code, fixed), (code, code), "{stderr}");
    let after = place.read("promptc.kdl");
    assert_eq!(
        planned["manifests"][0]["fixes"]["made"]
            .as_array()
            .unwrap()
            .is_empty(),
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
