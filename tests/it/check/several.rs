//! Several manifests at once: a broken one hides no other, and shared findings are reported once.

use crate::run::Place;
use serde_json::Value;

/// A good manifest, a broken one, two that include one file with a finding, and one on a base.
fn place() -> Place {
    let place = Place::new();
    let one = "promptc 1\ntier t { layer l { text \"x\" } }\n";
    place.file("good/promptc.kdl", one);
    place.file(
        "broken/promptc.kdl",
        "promptc 1\ntier t { layer l { text \"x } }\n",
    );
    place.file("shared.kdl", "fact unused string default=x\n");
    for folder in ["a", "b"] {
        let manifest = one.replace("promptc 1\n", "promptc 1\ninclude \"../shared.kdl\"\n");
        place.file(&format!("{folder}/promptc.kdl"), &manifest);
    }
    place.file("on/base.kdl", format!("{one}fact who string default=x\n"));
    let on = "promptc 1\nextends \"base.kdl\"\nrefine tier=t { layer m { fact who } }\n";
    place.file("on/promptc.kdl", on);
    place
}

#[test]
fn a_broken_manifest_hides_no_other() {
    let ran = place().run(&["check", "-m", "."]).exits(2);
    assert!(
        ran.stderr.contains("broken/promptc.kdl:2:25"),
        "{}",
        ran.stderr
    );
    let end = "\
a/promptc.kdl: 0 errors, 1 warning
b/promptc.kdl: 0 errors, 1 warning
good/promptc.kdl: 0 errors, 0 warnings
on/promptc.kdl: 0 errors, 0 warnings
4 manifests: 0 errors, 2 warnings
";
    assert!(ran.stdout().ends_with(end), "{}", ran.stdout());
    let named = [
        "check",
        "-m",
        "good/promptc.kdl",
        "-m",
        "broken/promptc.kdl",
        "-m",
        "none.kdl",
    ];
    let ran = place().run(&named).exits(2);
    for told in ["broken/promptc.kdl:2:25", "there is no manifest `none.kdl`"] {
        assert!(ran.stderr.contains(told), "{}", ran.stderr);
    }
    let end = "good/promptc.kdl: 0 errors, 0 warnings\n1 manifest: 0 errors, 0 warnings\n";
    assert_eq!(ran.stdout(), end);
}

#[test]
fn manifests_and_folders_are_named_with_m() {
    let place = place();
    let both = place.run(&["check", "-m", "on", "-m", "good"]).exits(0);
    assert!(
        both.stdout()
            .ends_with("2 manifests: 0 errors, 0 warnings\n")
    );
    let named = place.run(&["check", "-m", "good"]).exits(0);
    let end = "good/promptc.kdl: 0 errors, 0 warnings\n1 manifest: 0 errors, 0 warnings\n";
    assert_eq!(named.stdout(), end);
    // Twice is once.
    let twice = place
        .run(&["check", "-m", "good", "-m", "good/promptc.kdl"])
        .exits(0);
    assert_eq!(twice.stdout(), end);
}

#[test]
fn programs_get_the_results_of_all() {
    let place = place();
    let run = |format| {
        place
            .run(&["check", "-m", ".", "--format", format])
            .exits(2)
    };
    let json: Value = serde_json::from_str(run("json").stdout()).unwrap();
    let paths = json["manifests"].as_array().unwrap().iter();
    let paths: Vec<_> = paths
        .map(|manifest| manifest["path"].as_str().unwrap())
        .collect();
    let all = [
        "a/promptc.kdl",
        "b/promptc.kdl",
        "good/promptc.kdl",
        "on/promptc.kdl",
    ];
    assert_eq!(paths, all);
    let errors = json["errors"].as_array().unwrap();
    let [error] = &errors[..] else {
        panic!("{errors:?}")
    };
    assert_eq!(error["path"], "broken/promptc.kdl");

    let sarif: Value = serde_json::from_str(run("sarif").stdout()).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap().iter();
    let ids: Vec<_> = results.map(|r| r["ruleId"].as_str().unwrap()).collect();
    assert_eq!(ids, ["unused-fact", "kdl-syntax"]);

    let github = run("github");
    let lines: Vec<_> = github.stdout().lines().collect();
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines[0].contains("file=shared.kdl,line=1,"), "{lines:?}");
    assert!(
        lines[1].starts_with("::error file=broken/promptc.kdl,line=2,"),
        "{lines:?}"
    );
}

#[test]
fn fixes_are_made_in_each() {
    let place = Place::new();
    let wrong = "promptc 1\nfact a string default=x changes=turn\ntier lively changes=turn { layer l { fact a } }\ntier calm changes=deploy { layer m { text \"x\" } }\n";
    place.file("a/promptc.kdl", wrong);
    place.file("b/promptc.kdl", wrong);
    let ran = place.run(&["check", "-m", ".", "--fix"]).exits(0);
    for folder in ["a", "b"] {
        let after = place.read(&format!("{folder}/promptc.kdl"));
        assert!(
            after.find("calm").unwrap() < after.find("lively").unwrap(),
            "{}",
            ran.stdout()
        );
    }
    let again = place.run(&["check", "-m", ".", "--fix"]).exits(0);
    again.shows("nothing to fix in `a/promptc.kdl`");
    again.shows("nothing to fix in `b/promptc.kdl`");
}
