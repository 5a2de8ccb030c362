//! `promptc test` and the snapshots that it keeps.

use crate::run::{Place, Ran, run};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use std::fs;
use std::path::Path;

/// Two scenarios, five layers; no two of their files are read by one layer.
const MANIFEST: &str = "promptc 1
root workspace default=\".\"
fact user string optional=#true
tier stable {
    layer one { file \"one.md\" }
    layer two { file \"two.md\" }
    layer three { file \"three.md\" }
}
tier late {
    layer four when=\"user is defined\" { template \"You talk to {{ user }}.\" }
    layer five { file \"five.md\" }
}
scenario ann { set user Ann }
scenario nobody
";

fn place() -> Place {
    let place = Place::new();
    place.file("promptc.kdl", MANIFEST);
    for name in ["one", "two", "three", "five"] {
        place.file(&format!("{name}.md"), format!("This is {name}.\n"));
    }
    place
}

fn recorded() -> Place {
    let place = place();
    place.run(&["test", "--accept"]).exits(0);
    place
}

fn git(place: &Place, args: &[&str]) -> Ran {
    let mut command = std::process::Command::new("git");
    command
        .args(["-c", "user.name=A", "-c", "user.email=a@example.org"])
        .args(args)
        .current_dir(place.path())
        .env("GIT_CONFIG_GLOBAL", "/dev/null");
    run(command, b"")
}

fn lines(text: &str) -> Vec<&str> {
    text.lines().collect()
}

/// The words at the start of the lines about a snapshot.
fn statuses(ran: &Ran) -> Vec<&str> {
    let lines = ran.stdout().lines().filter(|l| !l.starts_with(' '));
    let words = lines.filter_map(|l| l.split_whitespace().next());
    words.filter(|w| w.parse::<u32>().is_err()).collect()
}

#[test]
fn an_accepted_record_is_ok_until_it_differs() {
    let place = place();
    let new = place.run(&["test"]).exits(1);
    assert_eq!(statuses(&new), ["new", "new"]);
    assert_eq!(
        statuses(&place.run(&["test", "--accept"]).exits(0)),
        ["accepted", "accepted"]
    );
    assert_eq!(statuses(&place.run(&["test"]).exits(0)), ["ok", "ok"]);
    assert!(place.read("snapshots/ann.txt").ends_with("This is five."));

    place.file("two.md", "This is another two.\n");
    let ran = place.run(&["test"]).exits(1);
    assert_eq!(statuses(&ran), ["differs", "differs"]);
    for words in [
        "layer `two` (tier stable) at line 3",
        "differs  two.md changed",
        "- This is two.",
        "+ This is another two.",
    ] {
        assert!(ran.stdout().contains(words), "{words}:\n{}", ran.stdout());
    }
    let before = place.read("promptc.lock");
    place.run(&["test", "--accept", "ann"]).exits(0);
    assert_eq!(statuses(&place.run(&["test"]).exits(1)), ["ok", "differs"]);
    let after = place.read("promptc.lock");
    let changed = lines(&before)
        .iter()
        .zip(lines(&after))
        .filter(|(a, b)| *a != b)
        .count();
    assert_eq!(changed, 2, "the layer and the file of one scenario");
}

#[test]
fn a_record_of_a_manifest_without_scenarios_is_called_default() {
    let place = Place::new();
    place.file(
        "x.kdl",
        "promptc 1\nfact home string env=HOME default=nowhere\ntier t { layer l { fact home } }\n",
    );
    place.run(&["test", "--accept"]).exits(0);
    // The environment is not read, so it cannot differ.
    assert_eq!(place.read("snapshots/x/default.txt"), "nowhere");
    let mut command = place.command(&["test", "--twice"]);
    command.env("HOME", "/elsewhere");
    assert_eq!(statuses(&run(command, b"").exits(0)), ["ok"]);
    assert!(place.read("x.lock").starts_with("{\"promptc-lock\":5"));
}

#[test]
fn a_clock_without_a_scenario_needs_a_time() {
    let place = Place::new();
    place.file(
        "promptc.kdl",
        "promptc 1\nfact today date clock=utc changes=day\ntier t { layer l { template \"{{ today }}\" } }\n",
    );
    place.run(&["test"]).exits(2);
    let now = ["test", "--now", "2026-03-30T09:00:00Z"];
    place.run(&[&now[..], &["--accept"]].concat()).exits(0);
    place.run(&[&now[..], &["--twice"]].concat()).exits(0);
    place
        .run(&["test", "--now", "2026-03-31T09:00:00Z"])
        .exits(1);
}

#[test]
fn a_record_without_text_is_still_compared() {
    let place = place();
    let manifest = MANIFEST.replace("scenario nobody", "scenario nobody snapshot=#false");
    place.file("promptc.kdl", manifest);
    place.run(&["test", "--accept"]).exits(0);
    assert!(fs::metadata(place.path().join("snapshots/nobody.txt")).is_err());
    assert!(!place.read("promptc.lock").contains("This is"));
    place.run(&["test"]).exits(0);
    place.file("three.md", "This is a new three.\n");
    let ran = place.run(&["test", "nobody"]).exits(1);
    for words in [
        "layer `three` (tier stable) at line 5",
        "three.md changed",
        "a snapshot without text: the layer is known, but not the byte",
    ] {
        assert!(ran.stdout().contains(words), "{words}:\n{}", ran.stdout());
    }
    assert!(
        !ran.stdout().contains("--- layer"),
        "there is no text to show"
    );
}

#[test]
fn a_private_value_is_in_no_lock() {
    let place = Place::new();
    place.file(
        "promptc.kdl",
        "promptc 1\nfact phone string private=#true default=\"secret-value\"\ntier t { layer l when=phone { text \"There is a phone.\" } }\nscenario s snapshot=#false\n",
    );
    place.run(&["test", "--accept"]).exits(0);
    let lock = place.read("promptc.lock");
    assert!(lock.contains("\"private\":true") && !lock.contains("secret-value"));
}

#[test]
fn orphans_are_reported_and_removed() {
    let place = recorded();
    place.file("other/promptc.kdl", MANIFEST);
    for name in ["one", "two", "three", "five"] {
        place.file(&format!("other/{name}.md"), name);
    }
    place.file("gone.kdl", MANIFEST);
    place.run(&["test", "--accept"]).exits(0);
    fs::remove_file(place.path().join("gone.kdl")).unwrap();
    fs::remove_file(place.path().join("other/promptc.kdl")).unwrap();
    place.file("snapshots/stray.txt", "a text of no scenario");
    place.file("snapshots/lost/stray.txt", "a text of no manifest");
    place.file("snapshots/notes.md", "not ours");
    let manifest = MANIFEST.replace("scenario ann { set user Ann }\n", "");
    place.file("promptc.kdl", manifest);
    let ran = place.run(&["test"]).exits(1);
    assert_eq!(
        statuses(&ran),
        ["orphaned", "orphaned", "ok", "stale"],
        "{}",
        ran.stdout()
    );
    place.run(&["test", "--accept"]).exits(0);
    assert_eq!(statuses(&place.run(&["test"]).exits(0)), ["ok"]);
    let left: Vec<_> = files(place.path());
    assert_eq!(
        left,
        [
            "five.md",
            "one.md",
            "other/five.md",
            "other/one.md",
            "other/three.md",
            "other/two.md",
            "promptc.kdl",
            "promptc.lock",
            "snapshots/lost/stray.txt",
            "snapshots/nobody.txt",
            "snapshots/notes.md",
            "snapshots/stray.txt",
            "three.md",
            "two.md"
        ]
    );
}

/// All files below a folder, without those of git.
fn files(top: &Path) -> Vec<String> {
    let mut out = Vec::new();
    let mut open = vec![top.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                out.push(path.strip_prefix(top).unwrap().display().to_string());
            }
        }
    }
    out.sort();
    out
}

#[test]
fn records_in_a_folder_of_their_own() {
    const TEST: [&str; 5] = ["test", "--snapshots", "kept", "-m", "."];
    let place = Place::new();
    let manifest = |text: &str| format!("promptc 1\ntier t {{ layer l {{ text {text} }} }}\n");
    for name in ["promptc", "a/x", "a/x/promptc"] {
        place.file(&format!("{name}.kdl"), manifest("\"one\""));
    }
    let manifests = files(place.path());
    let accept = [&TEST[..], &["--accept"]].concat();
    place.run(&accept).exits(0);
    place.run(&TEST).exits(0);
    place.run(&[&TEST[..], &["--twice"]].concat()).exits(0);
    let kept = [
        "kept/a/x.lock",
        "kept/a/x/default.txt",
        "kept/a/x/promptc.lock",
        "kept/a/x/promptc/default.txt",
        "kept/promptc.lock",
        "kept/promptc/default.txt",
    ];
    let new = |files: Vec<String>| -> Vec<String> {
        let new = files.into_iter().filter(|file| !manifests.contains(file));
        new.collect()
    };
    assert_eq!(new(files(place.path())), kept);

    // Without the option these are snapshots of nothing, and no one's to remove.
    let beside = place.run(&["test"]).exits(1);
    assert_eq!(statuses(&beside), ["new", "new", "new"]);

    place.file("a/x.kdl", manifest("\"two\""));
    fs::remove_file(place.path().join("a/x/promptc.kdl")).unwrap();
    let ran = place.run(&TEST).exits(1);
    assert_eq!(statuses(&ran), ["orphaned", "differs", "ok"]);
    let one = ["test", "--snapshots", "kept", "-m", "promptc.kdl"];
    assert_eq!(statuses(&place.run(&one).exits(0)), ["ok"]);
    place.run(&accept).exits(0);
    assert_eq!(place.read("kept/a/x/default.txt"), "two");
    assert_eq!(
        new(files(place.path())),
        [kept[0], kept[1], kept[4], kept[5]]
    );
    fs::remove_file(place.path().join("a/x.kdl")).unwrap();
    place.run(&accept).exits(0);
    assert_eq!(new(files(place.path())), [kept[4], kept[5]]);

    let outside = place.path().join("promptc.kdl");
    let ran = place.run(&[
        "test",
        "--snapshots",
        "kept",
        "-m",
        outside.to_str().unwrap(),
    ]);
    assert!(ran.exits(2).stderr.contains("has no place below `kept`"));
}

#[test]
fn a_filter_selects_and_never_selects_nothing() {
    let place = recorded();
    place.file(
        "a b/ü.kdl",
        "promptc 1\ntier t { layer l { text \"x\" } }\n",
    );
    assert_eq!(statuses(&place.run(&["test", "nobody"]).exits(0)), ["ok"]);
    let ran = place.run(&["test", "a b/ü"]).exits(1);
    assert_eq!(statuses(&ran), ["new"]);
    place.run(&["test", "nowhere"]).exits(2);
    let ran = place.run(&["test", "-m", "a b"]).exits(1);
    assert_eq!(statuses(&ran), ["new"]);
    place.run(&["test", "-m", "./promptc.kdl"]).exits(0);
    // A failed build is an error, and nothing is accepted with it.
    place.file("broken.kdl", "promptc 1\nnonsense\n");
    place.run(&["test", "--accept"]).exits(2);
    assert!(fs::metadata(place.path().join("a b/ü.lock")).is_err());
    place.run(&["test", "a b/ü", "--accept"]).exits(0);
    place.run(&["test", "a b/ü"]).exits(0);
}

#[test]
fn a_review_follows_its_answers() {
    let place = recorded();
    place.file("two.md", "This is another two.\n");
    let review = |keys: &str| run(place.command(&["test", "--review"]), keys.as_bytes());
    let ran = review("").exits(1);
    assert!(ran.stdout().contains("0 accepted, 0 rejected, 2 left open"));
    let ran = review("d\nr\nq\n").exits(1);
    assert!(ran.stdout().contains("0 accepted, 1 rejected, 1 left open"));
    ran.shows("  + This is another two.");
    let ran = review("R\n").exits(1);
    assert!(ran.stdout().contains("0 accepted, 2 rejected, 0 left open"));
    place.run(&["test"]).exits(1);
    let ran = review("?\nr\na\n").exits(1);
    assert!(ran.stdout().contains("1 accepted, 1 rejected, 0 left open"));
    assert_eq!(statuses(&place.run(&["test"]).exits(1)), ["differs", "ok"]);
    review("A\n").exits(0);
    place.run(&["test"]).exits(0);
    let ran = review("").exits(0);
    assert!(ran.stdout().contains("0 accepted, 0 rejected, 0 left open"));
}

#[test]
fn changes_of_different_layers_merge() {
    let place = place();
    git(&place, &["init", "-q", "-b", "main"]).exits(0);
    let save = |edit: &[(&str, &str)], branch: &str| {
        git(&place, &["checkout", "-q", "-B", branch, "main"]);
        for (path, text) in edit {
            place.file(path, text);
        }
        place.run(&["test", "--accept"]).exits(0);
        git(&place, &["add", "."]).exits(0);
        git(&place, &["commit", "-q", "-m", branch]).exits(0);
    };
    save(&[], "main");
    let three = MANIFEST.replace(
        "    layer three {",
        "    // Lines below move.\n\n    layer extra { text \"Extra.\" }\n    layer three {",
    );
    // Neighbours, a layer that vanishes, a new one above others, and another value of one scenario.
    save(&[("one.md", "This is a longer one.\n")], "a");
    save(&[("two.md", " \n")], "b");
    save(&[("promptc.kdl", &three)], "c");
    git(&place, &["checkout", "-q", "main"]).exits(0);
    for branch in ["a", "b", "c"] {
        git(&place, &["merge", "-q", "-m", branch, branch]).exits(0);
        let ran = place.run(&["test"]);
        assert_eq!(
            ran.code,
            0,
            "after {branch}:\n{}{}",
            ran.stdout(),
            ran.stderr
        );
    }
    assert!(
        place
            .read("snapshots/ann.txt")
            .starts_with("This is a longer one.\n\nExtra.\n\nThis is three.")
    );
}

#[test]
fn a_conflict_is_resolved_by_accepting() {
    let place = recorded();
    git(&place, &["init", "-q", "-b", "main"]).exits(0);
    git(&place, &["add", "."]).exits(0);
    git(&place, &["commit", "-q", "-m", "0"]).exits(0);
    for branch in ["a", "b"] {
        git(&place, &["checkout", "-q", "-b", branch, "main"]).exits(0);
        place.file("two.md", format!("This is two of {branch}.\n"));
        place.run(&["test", "--accept"]).exits(0);
        git(&place, &["commit", "-q", "-a", "-m", branch]).exits(0);
    }
    assert_ne!(git(&place, &["merge", "a"]).code, 0);
    let ran = place.run(&["test"]).exits(2);
    ran.says("[lock-conflict]");
    assert!(ran.stdout.is_empty());
    // Of a lock that cannot be read, no part can be kept.
    place.run(&["test", "--accept", "ann"]).exits(2);
    place.file("two.md", "This is two of both.\n");
    place.run(&["test", "--accept"]).exits(0);
    place.run(&["test"]).exits(0);
}

#[test]
fn an_edited_or_lost_snapshot_is_reported_and_rewritten() {
    let place = recorded();
    place.file("snapshots/ann.txt", "This is one.\n\nThis is 2.");
    let ran = place.run(&["test"]).exits(2);
    ran.says("differs first in the layer `two`");
    // The other snapshot is still reported, though not as a result.
    assert!(ran.stderr.contains("ok        promptc.kdl  nobody") && ran.stdout.is_empty());
    place.run(&["test", "--accept"]).exits(0);
    let text = place.read("snapshots/ann.txt").replace('\n', "\r\n");
    place.file("snapshots/ann.txt", text);
    let ran = place.run(&["test"]).exits(2);
    ran.says("snapshots/** -text");
    fs::remove_file(place.path().join("snapshots/ann.txt")).unwrap();
    let ran = place.run(&["test"]).exits(2);
    ran.says("[snapshot-missing]");
    place.run(&["test", "--accept"]).exits(0);
    // Line ends of the lock do not matter.
    let lock = place.read("promptc.lock").replace('\n', "\r\n");
    place.file("promptc.lock", lock);
    place.run(&["test"]).exits(0);
}

#[cfg(target_os = "linux")]
#[test]
fn differences_between_processes_are_found() {
    let place = Place::new();
    place.file(
        "promptc.kdl",
        "promptc 1\nroot kernel default=\"/proc/self\"\ntier t { layer calm { text \"calm\" }\nlayer lively { file \"cmdline\" root=kernel } }\nscenario s\n",
    );
    let ran = place.run(&["test", "--twice"]).exits(1);
    assert!(ran.stdout().starts_with("unstable"), "{}", ran.stdout());
    ran.shows("layer `lively`, document kernel:cmdline");
    let calm = recorded();
    assert_eq!(
        statuses(&calm.run(&["test", "--twice"]).exits(0)),
        ["ok", "ok"]
    );
}

#[test]
fn reports_for_programs() {
    let place = recorded();
    place.file("two.md", "This is <two> & \"more\" \u{1b}[31m.\n");
    place.file(
        "odd & end.kdl",
        "promptc 1\ntier t { layer l { text \"x\" } }\n",
    );
    let ran = place
        .run(&["test", "--format", "json", "--junit", "report.xml"])
        .exits(1);
    let json: serde_json::Value = serde_json::from_slice(&ran.stdout).unwrap();
    assert_eq!(json["ok"], false);
    assert_eq!(json["summary"]["differs"], 2);
    assert_eq!(json["snapshots"][1]["layer"], "two");
    assert_eq!(json["snapshots"][1]["comparison"]["break"]["line"], 3);
    let xml = place.read("report.xml");
    assert!(xml.contains("classname=\"odd &amp; end.kdl\""), "{xml}");
    assert!(xml.contains("+ This is &lt;two&gt; &amp; "), "{xml}");
    assert!(
        xml.contains("tests=\"3\" failures=\"3\" errors=\"0\""),
        "{xml}"
    );
    assert!(!xml.contains('\u{1b}'));
    let again = place.run(&["test", "--junit", "again.xml"]).exits(1);
    assert_eq!(place.read("again.xml"), xml);
    assert!(!again.stdout().contains('\u{1b}'));
}

#[test]
fn only_a_terminal_gets_colours() {
    let place = recorded();
    place.file("two.md", "This is another two.\n");
    for color in ["auto", "always", "never"] {
        let ran = place.run(&["test", "--format", "json", "--color", color]);
        let json: serde_json::Value = serde_json::from_slice(&ran.exits(1).stdout).unwrap();
        let message = json["snapshots"][0]["message"].as_str().unwrap();
        assert!(message.contains("broke    layer `two`"), "{message}");
        assert!(!message.contains('\u{1b}'), "{color}: {message:?}");
        let coloured = color == "always";
        for command in [&["test"][..], &["test", "--review"]] {
            let command = place.command(&[command, &["--color", color]].concat());
            let ran = run(command, b"d\nq\n").exits(1);
            assert!(ran.stdout().contains("layer `two`"));
            assert_eq!(
                ran.stdout().contains('\u{1b}'),
                coloured,
                "{}",
                ran.stdout()
            );
        }
    }
}

/// A manifest whose layer is cut, with a snapshot.
fn cut() -> Place {
    let place = Place::new();
    let manifest = "promptc 1\nroot workspace default=\".\"\nfact who string default=Ann\ntier t {\n  layer   top { text \"Top.\" }\n  layer cut { file \"long.md\"; budget 20 marker=\"\" }\n  layer who { template \"You are {{ who }}.\" }\n}\n";
    place.file("promptc.kdl", manifest);
    place.file("long.md", format!("{}\n", "0123456789".repeat(5)));
    place.run(&["test", "--accept"]).exits(0);
    assert_eq!(place.run(&["test"]).exits(0).stdout().lines().count(), 2);
    place
}

#[test]
fn what_no_reader_gets_fails_no_snapshot() {
    let place = cut();
    let manifest = place.read("promptc.kdl");
    let ok = |name: &str, text: &str| {
        place.file(name, text);
        assert_eq!(statuses(&place.run(&["test"]).exits(0)), ["ok"], "{text}");
    };
    ok("promptc.kdl", &format!("// A comment.\n\n{manifest}"));
    let inside = manifest.replace("budget 20", "// Why.\n\n      budget 20");
    ok("promptc.kdl", &inside);
    let template = manifest.replace("{{ who }}", "{# A comment. #}{{ who }}");
    ok("promptc.kdl", &template);
    place.file("promptc.kdl", &inside);
    place.run(&["fmt"]).exits(0);
    assert_ne!(place.read("promptc.kdl"), inside);
    ok(
        "long.md",
        &format!("{}, and more that is cut\n", "0123456789".repeat(9)),
    );
    // What is left of it counts.
    place.file("long.md", "0123456789-0123456789-0123456789\n");
    assert_eq!(statuses(&place.run(&["test"]).exits(1)), ["differs"]);
}

#[test]
fn a_difference_of_the_map_alone_is_named() {
    let place = cut();
    let manifest = place.read("promptc.kdl");
    place.file("other.md", place.read("long.md"));
    let accepted = |from: &str, to: &str, words: &[&str]| {
        assert!(manifest.contains(from), "{from}");
        place.file("promptc.kdl", manifest.replace(from, to));
        let ran = place.run(&["test"]).exits(1);
        assert_eq!(statuses(&ran), ["differs"]);
        ran.shows("          the text is the same, and its map differs:\n");
        for words in words {
            ran.shows(&format!("          {words}\n"));
        }
        assert_eq!(
            ran.stdout().lines().count(),
            words.len() + 3,
            "{}",
            ran.stdout()
        );
    };
    let renamed = "layer `head` was called `top`";
    accepted("layer   top", "layer head", &[renamed]);
    let file = "layer `cut`: text of `workspace:other.md`, was of `workspace:long.md`";
    accepted("\"long.md\"", "\"other.md\"", &[file]);
    accepted("tier t ", "tier u ", &["tier `u` was called `t`"]);
    let slow = "layer `who`: volatility deploy, was session";
    accepted("default=Ann", "default=Ann changes=deploy", &[slow]);
    let literal = [
        "layer `who`: facts none, was `who`",
        "layer `who`: text of `promptc.kdl`, was of a template in `promptc.kdl`",
        "layer `who`: text of `promptc.kdl`, was of the fact `who`",
        slow,
    ];
    accepted(
        "template \"You are {{ who }}.\"",
        "text \"You are Ann.\"",
        &literal,
    );
    let absent = "layer `extra` is new";
    accepted(
        "  layer cut",
        "  layer extra when=\"who == 'Bob'\" { text x }\n  layer cut",
        &[absent],
    );
    let json = place.run(&["test", "--format", "json"]).exits(1);
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(json["snapshots"][0]["layer"], "extra");
    let message = json["snapshots"][0]["message"].as_str().unwrap();
    assert!(message.ends_with(absent), "{message}");
}

/// The cases of a JUnit report: name of the suite, name of the case, and what is wrong.
fn junit(xml: &str) -> Vec<(String, String, String)> {
    let mut reader = Reader::from_str(xml);
    let (mut cases, mut suite) = (Vec::new(), String::new());
    loop {
        let event = reader.read_event().unwrap();
        let name = |start: &BytesStart<'_>| {
            let name = start.try_get_attribute("name").unwrap().unwrap();
            name.value.into_owned()
        };
        match event {
            Event::Eof => return cases,
            Event::Start(start) if start.name().as_ref() == "testsuite" => {
                suite = name(&start);
            }
            Event::Start(start) | Event::Empty(start) if start.name().as_ref() == "testcase" => {
                cases.push((suite.clone(), name(&start), String::new()));
            }
            Event::Text(text) => {
                if let Some((_, _, wrong)) = cases.last_mut() {
                    wrong.push_str(&text);
                }
            }
            _ => {}
        }
    }
}

#[test]
fn a_junit_report_has_a_case_for_unreadable_and_failed_scenarios() {
    let place = recorded();
    place.file("bad.kdl", "promptc 1\ntier t { layer l { txt \"x\" } }\n");
    let two = "promptc 1\nfact n string\ntier t { layer l { fact n } }\nscenario one { set n x }\nscenario none\n";
    place.file("two.kdl", two);
    place.run(&["test", "--junit", "report.xml"]).exits(2);
    let xml = place.read("report.xml");
    assert!(
        xml.contains("tests=\"5\" failures=\"1\" errors=\"2\""),
        "{xml}"
    );
    let cases = junit(&xml);
    let names: Vec<_> = cases
        .iter()
        .map(|(s, c, _)| (s.as_str(), c.as_str()))
        .collect();
    let all = [
        ("bad.kdl", "manifest"),
        ("promptc.kdl", "ann"),
        ("promptc.kdl", "nobody"),
        ("two.kdl", "one"),
        ("two.kdl", "none"),
    ];
    assert_eq!(names, all);
    assert!(cases[0].2.contains("error[unknown-node]"), "{xml}");
    assert!(cases[0].2.contains("bad.kdl:2:20"), "{xml}");
    assert!(cases[4].2.contains("the scenario does not build"), "{xml}");
    assert!(cases[4].2.contains("error[missing-fact]"), "{xml}");
    assert!(!xml.contains('\u{1b}'));
    // Also if there is nothing else.
    let alone = Place::new();
    alone.file("bad.kdl", "promptc 1\ntier t { layer l { txt \"x\" } }\n");
    alone.run(&["test", "--junit", "report.xml"]).exits(2);
    assert_eq!(junit(&alone.read("report.xml")).len(), 1);
}

#[test]
fn a_junit_report_is_xml_whatever_a_text_holds() {
    let place = recorded();
    // All that a text may hold and a document of XML may not.
    let odd = (0..=0xffff_u32)
        .filter_map(char::from_u32)
        .filter(|c| !matches!(u32::from(*c), 0x9 | 0xa | 0xd | 0x20..=0xd7ff | 0xe000..=0xfffd));
    for (at, c) in odd.enumerate() {
        place.file("two.md", format!("{at}{c}.\n"));
        place
            .run(&["test", "ann", "--junit", "report.xml"])
            .exits(1);
        let xml = place.read("report.xml");
        assert!(!xml.contains(c), "{c:?}");
        assert_eq!(junit(&xml).len(), 1);
    }
}

#[test]
fn records_of_a_revision() {
    let place = Place::new();
    let inner = "a folder/ü";
    place.file(&format!("{inner}/promptc.kdl"), MANIFEST);
    git(&place, &["init", "-q", "-b", "main"]).exits(0);
    place.run(&["test", "--accept"]).exits(0);
    git(&place, &["add", "."]).exits(0);
    git(&place, &["commit", "-q", "-m", "0"]).exits(0);
    place.file(&format!("{inner}/one.md"), "One is here now.");
    place.run(&["test", "--accept"]).exits(0);
    place.run(&["test"]).exits(0);
    let below = place.path().join(inner);
    for (folder, env) in [
        (place.path(), None),
        (&below, None),
        (place.path(), Some(".git")),
    ] {
        let mut command = place.command(&["test", "--against", "main"]);
        command.current_dir(folder);
        command.envs(env.map(|dir| ("GIT_DIR", dir)));
        let ran = run(command, b"").exits(1);
        assert_eq!(statuses(&ran), ["differs", "differs"], "{}", ran.stdout());
        ran.shows("layer `one`");
    }
    git(&place, &["commit", "-q", "-a", "-m", "1"]).exits(0);
    place.run(&["test", "--against", "HEAD"]).exits(0);
    let ran = place.run(&["test", "--against", "HEAD~1"]).exits(1);
    assert_eq!(statuses(&ran), ["differs", "differs"]);
}

#[cfg(unix)]
#[test]
fn an_early_end_of_git_is_reported() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = recorded();
    git(&place, &["init", "-q", "-b", "main"]).exits(0);
    git(&place, &["add", "."]).exits(0);
    git(&place, &["commit", "-q", "-m", "0"]).exits(0);
    let script = "#!/bin/sh\ncase \"$*\" in *cat-file*) kill -9 $$ ;; esac\nPATH=\"${PATH#*:}\"\nexec git \"$@\"\n";
    let program = place.file("bin/git", script);
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = place.command(&["test", "--against", "main"]);
    let path = std::env::var("PATH").unwrap();
    command.env(
        "PATH",
        format!("{}:{path}", place.path().join("bin").display()),
    );
    let ran = run(command, b"").exits(3);
    assert!(
        ran.stderr
            .contains("`git cat-file` was ended before it was done"),
        "{}",
        ran.stderr
    );
    assert!(ran.stdout.is_empty());
}

#[test]
fn parts_have_no_records_and_bases_only_those_of_their_scenarios() {
    let place = Place::new();
    let base =
        "promptc 1\nfact who string\ntier t { layer a { fact who } }\ninclude \"parts/*.kdl\"\n";
    place.file("core/core.kdl", base);
    place.file(
        "core/parts/m.kdl",
        "promptc 1\nlayer m after=a { text \"m\" }\n",
    );
    place.file(
        "team/promptc.kdl",
        "promptc 1\nextends \"../core/core.kdl\"\nscenario s { set who Ann }\n",
    );
    let all = place.run(&["test", "--accept"]).exits(0);
    assert_eq!(
        all.stdout(),
        "accepted  team/promptc.kdl  s\n1 snapshot: 1 accepted\n"
    );
    // Alone the base is a manifest like any other, with a snapshot of its own.
    let alone = place.run(&["test", "-m", "core", "--accept"]).exits(2);
    alone.says("missing-fact");
    // A part that nothing includes is a broken manifest.
    place.file("core/core.kdl", base.replace("include", "// include"));
    let broken = place.run(&["test"]).exits(2);
    broken.says("core/parts/m.kdl");
}

#[test]
fn a_layer_that_a_cut_leaves_beginning_with_a_join_is_recorded_whole() {
    let place = Place::new();
    place.file(
        "promptc.kdl",
        "promptc 1\ntier t join=\"\" {\n trim #false\n layer a { all join=\" + \" { text \"one\\n\"; text two } ; budget 1 lines tail=1.0 marker=\"\" }\n layer b { all join=\" - \" { text \"one\\n\"; text two } ; budget 1 lines tail=1.0 marker=\"\" }\n}\n",
    );
    assert_eq!(place.run(&["build"]).exits(0).stdout(), " + two - two");
    place.run(&["test", "--accept"]).exits(0);
    let ran = place.run(&["test"]).exits(0);
    assert_eq!(statuses(&ran), ["ok"]);
}
