//! `promptc agent skills` through the binary: what is listed is what the prompt lists, and nothing else is shown.

use crate::run::{Place, Ran};
use serde_json::Value;

const MANIFEST: &str = r#"promptc 1
root skills many=#true { default "own" "shared" }
fact off list { default legacy }
fact elsewhere string
scan words { scopes all; rule bad "attack" scope=all }
tier t {
    layer other { template "{{ elsewhere }}" }
    layer skills when="false" {
        skills "." root=skills {
            allow "a*" "b*" "l*" "r*" "s*" "n*" "x*"
            deny "*-internal"
            hide "{% if name in off %} switched off {% endif %}"
            shadow
            scan words on-hit=drop
        }
        template "{% for e in entries %}{{ e.name }}\n{% endfor %}"
    }
}
"#;

fn skill(place: &Place, folder: &str, meta: &str, text: &str) {
    let document = format!("---\n{meta}\n---\n{text}");
    place.file(&format!("{folder}/SKILL.md"), document);
}

fn place() -> Place {
    let place = Place::new();
    place.file("promptc.kdl", MANIFEST);
    skill(
        &place,
        "own/docs/alpha",
        "description: First of all.\nlicense: MIT",
        "Do this.\n",
    );
    place.file("own/docs/alpha/references/more.md", "\n  more\r\n");
    place.file("own/docs/alpha/references/bad.md", "an attack");
    place.file("own/docs/alpha/scripts/run.py", "print()\n");
    skill(&place, "own/legacy", "description: Old.", "Long ago.");
    skill(&place, "own/beta-internal", "description: Ours.", "Secret.");
    skill(&place, "own/charlie", "description: Not allowed.", "No.");
    skill(&place, "own/raid", "description: Bad.", "an attack");
    skill(
        &place,
        "shared/alpha",
        "description: Another alpha.",
        "Do that.",
    );
    skill(
        &place,
        "shared/net/nets",
        "name: nets\ndescription: |\n  Two\n  lines.",
        "Knot.",
    );
    place
}

fn skills(place: &Place, args: &[&str]) -> Ran {
    place.run(&[&["agent", "skills"], args].concat())
}

fn json(place: &Place, args: &[&str]) -> Value {
    let ran = skills(place, &[args, &["--format", "json"]].concat()).exits(0);
    serde_json::from_slice(&ran.stdout).unwrap()
}

/// A build stops at it, but a query for the reason or for another skill succeeds.
#[test]
fn an_unreadable_skill_stops_no_other() {
    let place = Place::new();
    let manifest = "promptc 1\nroot s default=\".\"\ntier t { layer l { skills \".\" root=s } }\n";
    place.file("promptc.kdl", manifest);
    skill(&place, "a", "name: [x", "Bad.");
    skill(&place, "b", "description: Good.", "Do it.");
    place.run(&["build"]).exits(2);
    let ran = skills(&place, &["list"]).exits(0);
    let said = "its front matter cannot be read: it is not well-formed YAML (line 2)\n";
    assert!(ran.stdout().ends_with(said), "{}", ran.stdout());
    let report = json(&place, &["list"]);
    let told = |at: usize| {
        let skill = &report["skills"][at];
        (
            skill["name"].clone(),
            skill["listed"].clone(),
            skill["reason"].clone(),
        )
    };
    assert_eq!(told(0), ("a".into(), false.into(), "unreadable".into()));
    assert_eq!(told(1), ("b".into(), true.into(), Value::Null));
    let ran = skills(&place, &["show", "b"]).exits(0);
    assert!(ran.stdout().ends_with("Do it.\n"), "{}", ran.stdout());
    let ran = skills(&place, &["show", "a"]).exits(2);
    assert!(
        ran.stderr.starts_with("error[skill-not-listed]: "),
        "{}",
        ran.stderr
    );
}

/// Every command that reads the skills warns of front matter that is not read whole, and builds as before.
#[test]
fn front_matter_that_is_read_in_part_is_reported() {
    let place = Place::new();
    let about = "name: page\ndescription: Reads a page: then\n  says which claims are wrong.";
    skill(&place, ".claude/skills/page", about, "Read it.");
    let told = "`.claude/skills/page/SKILL.md`, line 4: `description` is read without this line, “says which claims are wrong.”";
    for args in [
        &["init"][..],
        &["build"],
        &["build", "-v"],
        &["agent", "skills", "list"],
        &["build", "--session", "one"],
    ] {
        let ran = place.run(args).exits(0);
        let warned = ran.stderr.matches("warning[partial-frontmatter]").count();
        assert_eq!(warned, 1, "{args:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(told), "{args:?}: {}", ran.stderr);
    }
    place.run(&["check"]).exits(0);
    place.run(&["check", "--sources"]).exits(0);
    let denied = ["check", "--sources", "--fail-on", "partial-frontmatter"];
    let ran = place.run(&denied).exits(1);
    assert_eq!(ran.stdout().matches(told).count(), 1, "{}", ran.stdout());
    // A frozen session is not built, so nothing is read.
    let ran = place.run(&["build", "--session", "one"]).exits(0);
    assert!(ran.stderr.is_empty(), "{}", ran.stderr);
}

/// It is an error at its file, and other skills are still listed.
#[test]
fn a_description_that_is_a_list_is_an_error() {
    let place = Place::new();
    let manifest = "promptc 1\nroot s default=\".\"\ntier t { layer l { skills \".\" root=s } }\n";
    place.file("promptc.kdl", manifest);
    skill(&place, "a", "name: able\ndescription: [x, y]", "Bad.");
    skill(&place, "b", "description: Good.", "Do it.");
    let ran = place.run(&["build"]).exits(2);
    let said = "error[frontmatter-syntax]: the front matter of `a/SKILL.md` cannot be read (line 3): the description is a list";
    assert!(ran.stderr.starts_with(said), "{}", ran.stderr);
    let ran = skills(&place, &["list"]).exits(0);
    assert!(ran.stdout().starts_with("1 skill\n"), "{}", ran.stdout());
    assert!(ran.stdout().contains("able"), "{}", ran.stdout());
}

/// More warnings than are stored hide no error of a later layer.
#[test]
fn many_warnings_hide_no_error() {
    let place = Place::new();
    let manifest = "promptc 1\nroot s default=\".\"\ntier t {\n    layer l { skills \"s\" root=s; frontmatter parse lenient }\n    layer m { file \"none.md\" root=s missing=error }\n}\n";
    place.file("promptc.kdl", manifest);
    for number in 0..150 {
        let folder = format!("s/{number}");
        skill(&place, &folder, "description: a: b\n  more", "Text.");
    }
    let ran = place.run(&["build"]).exits(2);
    assert!(ran.stderr.contains("error[missing-file]"), "{}", ran.stderr);
    assert!(
        ran.stderr
            .ends_with("error: 1 error; nothing was written\n"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_bad_import_is_the_fault_of_no_other_skill() {
    let place = Place::new();
    let manifest = "promptc 1\nroot s default=\".\"\ntier t { layer l { skills \".\" root=s { imports at } } }\n";
    place.file("promptc.kdl", manifest);
    skill(&place, "a", "description: Imports.", "See @./more.md.");
    place.file("a/more.md", "---\nx: [\n---\nMore.\n");
    skill(&place, "b", "description: Good.", "Do it.");
    for args in [&["build"][..], &["agent", "skills", "list"]] {
        let ran = place.run(args).exits(2);
        let said = "error[frontmatter-syntax]: the front matter of `a/more.md` cannot be read";
        assert!(ran.stderr.starts_with(said), "{}", ran.stderr);
    }
}

#[test]
fn every_skill_is_listed_with_its_use() {
    let place = place();
    let report = json(&place, &["list"]);
    let all = report["skills"].as_array().unwrap().iter();
    let fates: Vec<(&str, &str)> = all
        .map(|s| {
            (
                s["path"].as_str().unwrap(),
                s["reason"].as_str().unwrap_or("listed"),
            )
        })
        .collect();
    let expected = [
        ("beta-internal/SKILL.md", "denied"),
        ("charlie/SKILL.md", "not-allowed"),
        ("docs/alpha/SKILL.md", "listed"),
        ("legacy/SKILL.md", "hidden"),
        ("raid/SKILL.md", "replaced"),
        ("alpha/SKILL.md", "shadowed"),
        ("net/nets/SKILL.md", "listed"),
    ];
    assert_eq!(fates, expected);
    assert_eq!(report["skills"][3]["hidden"], "switched off");
    assert_eq!(report["skills"][2]["category"], "docs");
    assert_eq!(report["skills"][6]["root_index"], 1);
    let human = skills(&place, &["list"]).exits(0);
    human.says("warning[replaced]");
    insta::assert_snapshot!("skills_list", human.stdout());
}

/// The list has the variables of the layer's template, also where facts decide.
#[test]
fn the_list_is_that_of_the_prompt() {
    let place = place();
    let manifest = MANIFEST.replace("when=\"false\"", "");
    place.file("promptc.kdl", manifest);
    for off in ["[]", "[\"nets\", \"alpha\"]"] {
        let set = format!("off={off}");
        let report = json(&place, &["list", "--set", &set]);
        let all = report["skills"].as_array().unwrap().iter();
        let listed = all.filter(|s| s["listed"] == true);
        let names: Vec<&str> = listed.map(|s| s["name"].as_str().unwrap()).collect();
        let build = place
            .run(&["build", "--set", "elsewhere=", "--set", &set])
            .exits(0);
        let built: Vec<&str> = build.stdout().lines().collect();
        assert_eq!(names, built, "{off}");
        assert!(!built.is_empty());
    }
}

#[test]
fn reports_fit_their_schema() {
    let place = place();
    let schema = place.run(&["schema", "skills"]).exits(0);
    let schema: Value = serde_json::from_slice(&schema.stdout).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    let runs: [&[&str]; 3] = [
        &["list"],
        &["show", "alpha"],
        &["show", "alpha", "--file", "references/more.md"],
    ];
    for args in runs {
        let mut report = json(&place, args);
        assert!(schema.is_valid(&report), "{report:#}");
        report["more"] = Value::Null;
        assert!(!schema.is_valid(&report), "anything fits");
    }
}

#[test]
fn a_skill_is_shown_with_its_metadata_and_the_files_next_to_it() {
    let place = place();
    let shown = skills(&place, &["show", "alpha"]).exits(0);
    let expected = "docs/alpha/SKILL.md\ndescription: First of all.\nlicense: MIT\n\nDo this.\n";
    assert_eq!(shown.stdout(), expected);
    let report = json(&place, &["show", "alpha"]);
    assert_eq!(report["text"], "Do this.");
    assert_eq!(report["meta"]["license"], "MIT");
    let files = serde_json::json!(["references/bad.md", "references/more.md", "scripts/run.py"]);
    assert_eq!(report["files"], files);
    let nets = skills(&place, &["show", "nets"]).exits(0);
    nets.shows("description: \"Two\\nlines.\\n\"");
}

/// A file next to a skill is returned byte for byte; a scan of the source applies to it too.
#[test]
fn a_file_next_to_a_skill_is_shown_unchanged() {
    let place = place();
    let ran = skills(&place, &["show", "alpha", "--file", "references/more.md"]).exits(0);
    assert_eq!(ran.stdout(), "\n  more\r\n");
    let refused = skills(&place, &["show", "alpha", "--file", "references/bad.md"]).exits(2);
    assert_eq!(refused.stdout(), "");
    let manifest = MANIFEST.replace("on-hit=drop", "on-hit=replace placeholder=\"[{{ name }}]\"");
    place.file("promptc.kdl", manifest);
    let replaced = skills(&place, &["show", "alpha", "--file", "references/bad.md"]).exits(0);
    assert_eq!(replaced.stdout(), "[bad.md]");
    replaced.says("warning[replaced]");
    let report = json(&place, &["show", "raid"]);
    assert_eq!(
        (&report["text"], &report["replaced"]),
        (&"[raid]".into(), &true.into())
    );
    assert_eq!(report["findings"][0]["rule"], "bad");
}

#[test]
fn an_unlisted_file_is_not_shown() {
    let place = place();
    for name in ["beta-internal", "charlie", "legacy", "raid"] {
        for more in [&[][..], &["--file", "SKILL.md"], &["--format", "json"]] {
            let ran = skills(&place, &[&["show", name], more].concat()).exits(2);
            assert_eq!(ran.stdout(), "");
            ran.says("error[skill-not-listed]");
        }
    }
    let alpha = json(&place, &["show", "alpha"]);
    assert_eq!(alpha["skill"]["root_index"], 0, "the shadowed one is shown");
}

#[test]
fn several_layers_have_lists_of_their_own() {
    let place = Place::new();
    place.file(
        "promptc.kdl",
        "promptc 1\nroot workspace default=\".\"\n\
         tier t {\n    layer one { skills \"a\" }\n    layer two { text \"x\"; part index { all { skills \"b\"; skills \"c\" } } }\n}\n",
    );
    for folder in ["a/x", "b/y", "c/z"] {
        skill(&place, folder, "description: x", "text");
    }
    let names = |layer: &str| -> Vec<String> {
        let report = json(&place, &["list", "--layer", layer]);
        assert_eq!(report["layer"], layer);
        let all = report["skills"].as_array().unwrap().iter();
        all.map(|s| s["name"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(names("one"), ["x"]);
    assert_eq!(names("two"), ["y", "z"]);
    skills(&place, &["show", "z", "--layer", "two"]).exits(0);
    skills(&place, &["show", "z", "--layer", "one"]).exits(2);
}

/// A search upwards finds the same as in a build.
#[test]
fn a_group_that_climbs_finds_the_nearest_or_all() {
    let place = Place::new();
    for (folder, name) in [("p/skills/outer", "outer"), ("p/q/skills/inner", "inner")] {
        skill(&place, folder, &format!("name: {name}"), "text");
    }
    for (search, expected) in [
        ("up", vec!["inner"]),
        ("every-level order=outer-first", vec!["outer", "inner"]),
        ("every-level order=inner-first", vec!["inner", "outer"]),
    ] {
        place.file(
            "promptc.kdl",
            format!(
                "promptc 1\nroot project default=\"p\"\nroot workspace default=\"p/q\"\n\
                 tier t {{ layer l {{ all root=project search={search} from=workspace {{ skills \"skills\" }}; \
                 template \"{{% for e in entries %}}{{{{ e.name }}}}\\n{{% endfor %}}\" }} }}\n"
            ),
        );
        let report = json(&place, &["list"]);
        let all = report["skills"].as_array().unwrap().iter();
        let names: Vec<&str> = all.map(|s| s["name"].as_str().unwrap()).collect();
        assert_eq!(names, expected, "{search}");
        let build = place.run(&["build"]).exits(0);
        assert_eq!(
            build.stdout().lines().collect::<Vec<_>>(),
            expected,
            "{search}"
        );
    }
}
