//! The inputs that a snapshot names: found again in git or in the work tree, or unknown.

use super::revisions::{commit, git};
use crate::run::{Place, run};
use promptc::compile::rebuild;
use promptc::diagnostic::Diagnostics;
use promptc::diagnostic::span::Files;
use promptc::prompt::RecordedInputs;
use promptc::{BuildInputs, CompareOptions, Compared, Deliver, Project, Prompt};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Command;

const MANIFEST: &str = "promptc 1
root workspace default=\".\"
fact user string optional=#true
tier stable {
    layer one { file \"one.md\" }
    layer two { file \"two.md\" }
    layer notes { glob \"notes/*.md\" }
}
tier late {
    layer who when=\"user is defined\" { template \"You talk to {{ user }}.\" }
}
scenario ann { set user Ann }
scenario nobody { root workspace \".\" }
";

/// A folder below which the manifest is in `at`.
fn place(at: &str) -> Place {
    let place = Place::new();
    place.file(&format!("{at}promptc.kdl"), MANIFEST);
    for name in ["one", "two", "notes/a"] {
        place.file(&format!("{at}{name}.md"), format!("This is {name}.\n"));
    }
    place
}

fn accepted(at: &str) -> Place {
    let place = place(at);
    accept(&place);
    place
}

fn accept(place: &Place) {
    place.run(&["test", "--accept"]).exits(0);
}

fn repository() -> Place {
    let place = place("");
    git(&place, &["init", "-q", "-b", "main"]);
    accept(&place);
    commit(&place);
    place
}

/// The snapshot of a scenario, and a build now.
fn compared(folder: &Path, scenario: &str) -> Compared {
    let manifest = folder.join("promptc.kdl");
    let project = Project::open(manifest.to_str().unwrap()).unwrap();
    let snapshot = format!("snapshot:{scenario}");
    let operands = [Some(&*snapshot), Some(".")];
    let compared = project.compare(operands, &BuildInputs::new(), &CompareOptions::default());
    compared.unwrap().value.pop().unwrap()
}

/// The inputs of the snapshot of `ann`.
fn inputs(folder: &Path) -> Option<RecordedInputs> {
    compared(folder, "ann")
        .a
        .inputs
        .map(|inputs| (*inputs).clone())
}

fn is_built_from_its_inputs(prompt: &Prompt) {
    let inputs = prompt.inputs.as_deref().expect("it has inputs");
    let (mut files, mut diags) = (Files::default(), Diagnostics::default());
    let again = rebuild(inputs, &Default::default(), &mut files, &mut diags).unwrap();
    assert_eq!(again.text(Deliver::System), prompt.text(Deliver::System));
}

/// The lock with each line changed by `edit`; a line that it makes null is left out.
fn edited(place: &Place, at: &str, edit: impl Fn(&mut Value)) {
    let name = format!("{at}promptc.lock");
    let lock = place.read(&name);
    let mut lines = lock.lines().filter(|line| !line.is_empty());
    let mut out = format!("{}\n", lines.next().unwrap());
    for line in lines {
        let mut line: Value = serde_json::from_str(line).unwrap();
        edit(&mut line);
        if !line.is_null() {
            out.push_str(&format!("\n{line}\n"));
        }
    }
    place.file(&name, out);
}

fn is_input(line: &Value, path: &str) -> bool {
    line["line"] == "input" && line["path"] == path
}

/// The lines of the inputs of a scenario.
fn lines(place: &Place, scenario: &str) -> Vec<String> {
    let lock = place.read("promptc.lock");
    let of = format!("\",\"scenario\":\"{scenario}\",");
    let lines = lock
        .lines()
        .filter(|line| line.starts_with("{\"line\":\"input"));
    lines
        .filter(|line| line.contains(&of))
        .map(str::to_owned)
        .collect()
}

#[test]
fn both_sides_of_a_comparison_have_their_inputs() {
    let place = repository();
    let now = compared(place.path(), "ann").b;
    for scenario in ["ann", "nobody"] {
        let Compared { a, b, .. } = compared(place.path(), scenario);
        is_built_from_its_inputs(&a);
        is_built_from_its_inputs(&b);
        assert_eq!(a.inputs, b.inputs, "{scenario}");
    }
    place.file("one.md", "This is another one.\n");
    place.file("notes/b.md", "This is new.\n");
    commit(&place);
    place.file("two.md", "This is another two.\n");
    for scenario in ["ann", "nobody"] {
        let Compared { a, b, .. } = compared(place.path(), scenario);
        is_built_from_its_inputs(&a);
        is_built_from_its_inputs(&b);
        assert_ne!(a.inputs, b.inputs, "{scenario}");
    }
    assert_eq!(compared(place.path(), "ann").a.inputs, now.inputs);
    // They may be gone from the work tree altogether.
    let text = place.read("promptc.kdl").replace("two.md", "one.md");
    place.file("promptc.kdl", text);
    fs::remove_file(place.path().join("two.md")).unwrap();
    assert_eq!(compared(place.path(), "ann").a.inputs, now.inputs);
}

#[test]
fn without_a_repository_they_are_in_the_work_tree() {
    for at in ["", "a/b/"] {
        let place = accepted(at);
        let folder = place.path().join(at);
        let now = compared(&folder, "ann");
        is_built_from_its_inputs(&now.a);
        assert_eq!(now.a.inputs, now.b.inputs);
        // What the snapshot does not name says nothing about it.
        place.file(&format!("{at}notes/b.md"), "This is new.\n");
        assert_eq!(compared(&folder, "ann").a.inputs, now.a.inputs);
        place.file(&format!("{at}two.md"), "This is another two.\n");
        let changed = compared(&folder, "ann");
        assert_eq!(changed.a.inputs, None);
        assert!(changed.diff.first.is_some() && changed.b.inputs.is_some());
    }
}

#[test]
fn a_content_that_no_commit_has_is_unknown() {
    let place = place("");
    git(&place, &["init", "-q", "-b", "main"]);
    place.file("two.md", "This is seen by no commit.\n");
    accept(&place);
    assert!(inputs(place.path()).is_some());
    place.file("two.md", "This is two.\n");
    commit(&place);
    assert_eq!(inputs(place.path()), None);
    place.run(&["diff"]).exits(0);
    place.run(&["diff", "git:HEAD", "--recorded"]).exits(0);
    place.run(&["test"]).exits(1);
}

#[test]
fn blobs_are_named_as_the_repository_names_them() {
    for format in ["sha1", "sha256"] {
        let place = place("");
        let object_format = format!("--object-format={format}");
        git(&place, &["init", "-q", "-b", "main", &object_format]);
        accept(&place);
        commit(&place);
        let blob = git(&place, &["rev-parse", "HEAD:two.md"]);
        let blob = format!("\"blob\":\"{}\"", blob.stdout().trim());
        assert!(place.read("promptc.lock").contains(&blob), "{format}");
        place.file("two.md", "This is another two.\n");
        assert!(inputs(place.path()).is_some(), "{format}");
    }
}

#[test]
fn other_inputs_of_the_same_prompt_are_no_difference() {
    let place = accepted("");
    let lock = place.read("promptc.lock");
    place.file("promptc.kdl", format!("// A comment.\n{MANIFEST}"));
    place.file("other.md", "Nothing prints this.\n");
    place.run(&["test", "--twice"]).exits(0);
    accept(&place);
    assert_eq!(place.read("promptc.lock"), lock);
    // Only what changed is written, with its inputs.
    let before = ["ann", "nobody"].map(|scenario| lines(&place, scenario));
    place.file("promptc.kdl", MANIFEST.replace("You talk", "You now talk"));
    place.run(&["test"]).exits(1);
    accept(&place);
    let after = ["ann", "nobody"].map(|scenario| lines(&place, scenario));
    assert_ne!(before[0], after[0]);
    assert_eq!(before[1], after[1]);
    let changed = |all: &[Vec<String>; 2]| all[0].iter().filter(|l| !before[0].contains(l)).count();
    assert_eq!(changed(&after), 1, "the manifest");
    is_built_from_its_inputs(&compared(place.path(), "ann").a);
}

#[test]
fn a_snapshot_without_inputs_gets_them() {
    let place = accepted("");
    let before = lines(&place, "ann");
    let is_of_inputs = |line: &Value| line["line"] == "input" || line["line"] == "inputs";
    edited(&place, "", |line| {
        if is_of_inputs(line) && line["scenario"] == "ann" {
            *line = Value::Null;
        }
    });
    place.run(&["test"]).exits(0);
    assert_eq!(inputs(place.path()), None);
    assert!(lines(&place, "ann").is_empty());
    accept(&place);
    assert_eq!(lines(&place, "ann"), before);
}

#[test]
fn hostile_inputs_are_none() {
    let place = repository();
    place.file("secret.txt", "not committed\n");
    let lock = place.read("promptc.lock");
    place.file("two.md", "This is another two.\n");
    assert!(inputs(place.path()).is_some());
    let two = "/manifest/two.md";
    let one = git(&place, &["rev-parse", "HEAD:one.md"]);
    let commit = git(&place, &["rev-parse", "HEAD"]);
    let other = |blob: &str| {
        edited(&place, "", |line| {
            if is_input(line, two) {
                line["blob"] = json!(blob);
            }
        });
        assert_eq!(inputs(place.path()), None, "{blob}");
        place.run(&["diff"]).exits(0);
        place.file("promptc.lock", &lock);
    };
    other(one.stdout().trim());
    other(commit.stdout().trim());
    for blob in [
        "",
        "HEAD:two.md",
        "--help",
        ":two.md",
        "HEAD:two.md\nHEAD:one.md",
        "a\u{0}b",
    ] {
        other(blob);
    }
    other(&"0".repeat(40));
    other(&"Z".repeat(64));
    let fields = [
        ("path", json!("/manifest/../../etc/passwd")),
        ("path", json!("/manifest//etc/passwd")),
        ("path", json!("C:\\two.md")),
        ("path", json!("two.md")),
    ];
    for (field, value) in fields {
        edited(&place, "", |line| {
            if is_input(line, two) {
                line[field] = value.clone();
            }
        });
        assert_eq!(inputs(place.path()), None, "{value}");
        place.run(&["diff"]).exits(0);
        place.file("promptc.lock", &lock);
    }
    for (field, value) in [
        ("promptc", json!("99.0.0")),
        ("promptc", json!("")),
        ("language", json!(99)),
        ("manifests", json!([])),
        ("manifests", json!(["/manifest/../promptc.kdl"])),
        ("roots", json!({"workspace": ["/etc"], "home": ["../x"]})),
    ] {
        edited(&place, "", |line| {
            if line["line"] == "inputs" {
                line[field] = value.clone();
            }
        });
        assert_eq!(inputs(place.path()), None, "{field} {value}");
        place.run(&["test"]).exits(1);
        place.file("promptc.lock", &lock);
    }
}

#[test]
fn nothing_outside_of_the_repository_is_read() {
    // The manifest may say that its place is higher, where the secret is.
    for is_repository in [false, true] {
        let place = place("home/project/");
        let folder = place.path().join("home/project");
        if is_repository {
            fs::create_dir(folder.join(".git")).unwrap();
            fs::remove_dir(folder.join(".git")).unwrap();
            let mut init = Command::new("git");
            init.args(["init", "-q"]).current_dir(&folder);
            run(init, b"").exits(0);
        }
        accept(&place);
        place.file("home/two.md", "This is a secret.\n");
        let secret = promptc::world::sha256("This is a secret.\n");
        let climbing = |path: &str| {
            edited(&place, "home/project/", |line| {
                let text = line
                    .to_string()
                    .replace("\"/manifest/", "\"/manifest/project/");
                *line = serde_json::from_str(&text).unwrap();
                if line["line"] == "input" && line["path"] == "/manifest/project/two.md" {
                    line["path"] = json!(path);
                    line["answers"]["content"] = json!(secret);
                }
            });
        };
        let lock = place.read("home/project/promptc.lock");
        // Of a file inside it would be taken, wherever its place begins.
        place.file("home/project/deep/two.md", "This is a secret.\n");
        climbing("/manifest/project/deep/two.md");
        assert!(inputs(&folder).is_some(), "{is_repository}");
        place.file("home/project/promptc.lock", &lock);
        climbing("/manifest/two.md");
        assert_eq!(inputs(&folder), None, "{is_repository}");
        #[cfg(unix)]
        {
            place.file("home/project/promptc.lock", &lock);
            climbing("/manifest/project/link.md");
            std::os::unix::fs::symlink("../two.md", folder.join("link.md")).unwrap();
            assert_eq!(inputs(&folder), None, "{is_repository}");
        }
    }
}

#[test]
fn lines_of_inputs_that_do_not_fit_are_malformed() {
    let place = accepted("");
    let lock = place.read("promptc.lock");
    let twice = lines(&place, "ann").pop().unwrap();
    let all = lines(&place, "ann").remove(0);
    for (wrong, why) in [
        (
            lock.replace(&twice, &format!("{twice}\n\n{twice}")),
            "a second time",
        ),
        (
            lock.replace(&all, &format!("{all}\n\n{all}")),
            "a second time",
        ),
        (lock.replace(&all, ""), "is before the inputs"),
        (
            lock.replace("\"line\":\"input\",", "\"line\":\"input\",\"more\":1,"),
            "unknown field",
        ),
    ] {
        place.file("promptc.lock", wrong);
        let ran = place.run(&["test"]).exits(2);
        ran.says("[lock-malformed]");
        ran.says(why);
        accept(&place);
        assert_eq!(place.read("promptc.lock"), lock);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_folder_whose_name_is_not_utf_8_is_in_no_lock_and_no_artifact() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    let place = place("");
    let folder = place.path().join(OsStr::from_bytes(b"caf\xe9"));
    fs::create_dir_all(folder.join("notes")).unwrap();
    for name in ["promptc.kdl", "one.md", "two.md", "notes/a.md"] {
        fs::copy(place.path().join(name), folder.join(name)).unwrap();
    }
    let there = |args: &[&str]| {
        let mut command = place.command(args);
        command.current_dir(&folder);
        run(command, b"").exits(0)
    };
    there(&["test", "--accept"]);
    let lock = fs::read_to_string(folder.join("promptc.lock")).unwrap();
    assert!(!lock.contains("caf"), "{lock}");
    there(&["diff"]);
    let scenario = ["--scenario", "ann"];
    there(
        &[
            &["build", "--format", "json", "-o", "a.json"][..],
            &scenario,
        ]
        .concat(),
    );
    there(&[&["diff", "a.json", "."][..], &scenario].concat());
}
