//! How `promptc diff` recognizes its operands: artifacts, texts, and other files; and leading byte order marks.

use crate::run::{Place, run};

const MANIFEST: &str = "promptc 1
fact who string default=x
tier t { layer l { template \"You talk to {{ who }}.\" } }
";

fn place() -> Place {
    let place = Place::new();
    place.file("promptc.kdl", MANIFEST);
    let built = place.run(&["build", "--format", "json"]).exits(0);
    place.file("a.json", &built.stdout);
    place
}

/// The file with byte order marks before it.
fn marked(place: &Place, from: &str, to: &str, marks: usize) {
    let text = place.read(from);
    place.file(to, format!("{}{text}", "\u{feff}".repeat(marks)));
}

#[test]
fn standard_input_is_read_once() {
    let place = place();
    for args in [
        &["diff", "-", "-"][..],
        &["report", "-", "-"],
        &["diff", "-", "--facts", "-"],
        &["diff", ".", "-", "--facts", "-"],
    ] {
        let artifact = place.read("a.json");
        let ran = run(place.command(args), artifact.as_bytes()).exits(2);
        ran.says("error[usage]");
        assert!(ran.stderr.contains("both read standard input"));
        assert!(ran.stdout.is_empty());
    }
    let artifact = place.read("a.json");
    let one = place.command(&["diff", "-", "--fail-on", "change"]);
    run(one, artifact.as_bytes()).exits(0);
}

#[test]
fn one_leading_byte_order_mark_is_ignored() {
    let place = place();
    marked(&place, "a.json", "b.json", 1);
    place.file(
        "history.json",
        "[{\"role\": \"user\", \"content\": \"hi\"}]",
    );
    marked(&place, "history.json", "marked.json", 1);
    place.run(&["build", "--session", "s"]).exits(0);
    let exported = place.run(&["session", "export", "s"]).exits(0);
    place.file("s.json", &exported.stdout);
    marked(&place, "s.json", "t.json", 1);
    let same = |plain: &[&str], marked: &[&str]| {
        let [a, b] = [plain, marked].map(|args| place.run(args).exits(0).stdout);
        assert!(!a.is_empty());
        assert_eq!(a, b, "{marked:?}");
    };
    let diff = ["diff", "--format", "json", "--fail-on", "change", "a.json"];
    place.run(&[&diff[..], &["b.json"]].concat()).exits(0);
    same(
        &["explain", "--artifact", "a.json"],
        &["explain", "--artifact", "b.json"],
    );
    let emit = ["emit", "openai", "--model", "gpt-6.1-sol", "--artifact"];
    let history = |artifact, history| [&emit[..], &[artifact, "--messages", history]].concat();
    same(
        &history("a.json", "history.json"),
        &history("b.json", "marked.json"),
    );
    place
        .run(&["session", "import", "t.json", "--id", "u"])
        .exits(0);
    let here = ["diff", "session:s", "session:u", "--fail-on", "change"];
    place.run(&here).exits(0);
    // Of two the second is no mark.
    marked(&place, "a.json", "two.json", 2);
    place.run(&["explain", "--artifact", "two.json"]).exits(2);
    // A text is what its bytes are.
    place.file("a.txt", "You talk to x.");
    marked(&place, "a.txt", "b.txt", 1);
    place
        .run(&["diff", "a.txt", "b.txt", "--fail-on", "change"])
        .exits(1);
}

#[test]
fn json_that_is_no_artifact_is_not_taken_for_a_prompt() {
    let place = place();
    let outputs: [&[&str]; 5] = [
        &["check", "--format", "json"],
        &["explain", "--format", "json"],
        &["diff", "a.json", "--format", "json"],
        &["session", "list", "--format", "json"],
        &["schema", "prompt"],
    ];
    for output in outputs {
        let written = place.run(output).exits(0).stdout;
        place.file("c.json", &written);
        for marks in [0, 1] {
            marked(&place, "c.json", "d.json", marks);
            for operands in [
                &["d.json", "."][..],
                &[".", "d.json"],
                &["a.json", "d.json"],
            ] {
                let ran = place.run(&[&["diff"], operands].concat()).exits(2);
                assert!(ran.stderr.contains("error[artifact-syntax]"), "{output:?}");
                ran.says("`d.json`");
                ran.says(".txt");
            }
        }
        run(place.command(&["diff", "-"]), &written).exits(2);
        // A file that is named as a text is one.
        place.file("c.txt", &written);
        place.run(&["diff", "c.txt", "."]).exits(0);
    }
    // A text that begins like JSON is still a text.
    for text in [
        "{",
        "{{ who }} talks.",
        "{\"a\": 1} is JSON.",
        "[1, 2]",
        "{a: 1}",
    ] {
        place.file("e.md", text);
        place.run(&["diff", "e.md", "."]).exits(0);
    }
}

#[test]
fn recorded_needs_a_revision() {
    let place = place();
    place.run(&["test", "--accept"]).exits(0);
    for operands in [&["snapshot:default"][..], &[], &["a.json", "."]] {
        let ran = place
            .run(&[&["diff", "--recorded"], operands].concat())
            .exits(2);
        ran.says("error[usage]");
        ran.says("--recorded");
    }
}
