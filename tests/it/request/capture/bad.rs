//! Bad input: the rest is still read, and skipped parts are reported.

use super::{body, states};
use crate::run::Place;
use serde_json::json;

fn import(lines: &[u8], exit: i32) -> (Place, String) {
    let place = Place::new();
    place.file("bodies.jsonl", lines);
    let args = ["capture", "import", "bodies.jsonl", "-o", "log.jsonl"];
    let ran = place.run(&args).exits(exit);
    let said = ran.stderr.clone();
    (place, said)
}

#[test]
fn unreadable_lines_are_counted_and_the_rest_is_imported() {
    let good = format!("{}\n", body("Be brief."));
    let cut = json!({"model": "claude-opus-5-5", "system": "You are ... (litellm_truncated skipped 9 chars) ...",
        "messages": []});
    let lines: Vec<u8> = [
        good.as_bytes(),
        b"{\"model\": \"claude\n",
        b"[1, 2]\n",
        b"\xff\xfe\n",
        b"{\"hello\": \"world\"}\n",
        b"{\"model\": 7, \"messages\": \"none\", \"system\": 3}\n",
        format!("{cut}\n").as_bytes(),
        b"{\"request\": null}\n",
        good.replace("brief", "long").as_bytes(),
    ]
    .concat();
    let (place, said) = import(&lines, 0);
    assert_eq!(states(&place, "log.jsonl"), ["first", "broken"]);
    for reason in [
        "2 skipped, first in bodies.jsonl:2: a line that is not a complete JSON object",
        "1 skipped, first in bodies.jsonl:4: a line that is not UTF-8",
        "1 skipped, first in bodies.jsonl:5: a body of an unknown API",
        "1 skipped, first in bodies.jsonl:6: a body of another shape than its API has",
        "1 skipped, first in bodies.jsonl:7: a body that was cut",
        "1 skipped, first in bodies.jsonl:8: an entry without a body",
    ] {
        assert!(said.contains(reason), "{reason}\n{said}");
    }
}

#[test]
fn nothing_that_can_be_read_is_an_error_and_no_file() {
    for lines in [
        &b""[..],
        b"\n\n",
        b"hello",
        b"{}",
        b"\x00\x01\x02",
        b"[[[[[[",
    ] {
        let (place, said) = import(lines, 2);
        assert!(said.contains("nothing-imported"), "{said}");
        assert!(!place.path().join("log.jsonl").exists());
    }
}

#[test]
fn a_long_line_and_deep_json_do_no_harm() {
    let long = format!("{}\n", body(&"tulip ".repeat(2_000_000)));
    let deep = format!(
        "{{\"model\": \"m\", \"messages\": {}{}}}\n",
        "[".repeat(9_000),
        "]".repeat(9_000)
    );
    let (place, said) = import(format!("{deep}{long}").as_bytes(), 0);
    assert_eq!(states(&place, "log.jsonl"), ["first"]);
    assert!(said.contains("1 skipped"), "{said}");
}

#[test]
fn a_log_that_was_cut_is_read_up_to_there() {
    let lines = format!("{}\n{}\n", body("Be brief."), body("Be long."));
    let (place, _) = import(lines.as_bytes(), 0);
    let log = place.read("log.jsonl");
    let mut told = 0;
    for end in 46..log.len() {
        place.file("cut.jsonl", &log[..end]);
        let ran = place
            .run(&["capture", "diff", "cut.jsonl", "--format", "json"])
            .exits(0);
        let cut = ran.stderr.contains("the last line of `cut.jsonl` was cut");
        let whole = log[..end].ends_with('\n') || log[end..].starts_with('\n');
        assert_eq!(cut, !whole, "{end}: {}", ran.stderr);
        told += usize::from(cut);
    }
    assert!(told > 100);
}

#[test]
fn an_output_that_is_an_input_is_refused() {
    let place = Place::new();
    place.file("bodies.jsonl", format!("{}\n", body("x")));
    place.file("raw/1.request.json", body("x").to_string());
    place.file("raw/1.response.json", "{}");
    place.file("raw/index.jsonl", "");
    for (input, output) in [
        ("bodies.jsonl", "bodies.jsonl"),
        ("raw", "raw/1.request.json"),
        ("raw", "raw/1.response.json"),
        ("raw", "raw/index.jsonl"),
    ] {
        let ran = place.run(&["capture", "import", input, "-o", output]);
        let ran = ran.exits(2);
        assert!(ran.stderr.contains("output-is-input"), "{}", ran.stderr);
    }
}

#[test]
fn a_line_of_an_index_is_counted_with_the_blank_ones_before_it() {
    let place = Place::new();
    place.file("raw/1.request.json", body("x").to_string());
    place.file("raw/index.jsonl", "\n\n{}\n");
    let ran = place.run(&["capture", "import", "raw", "-o", "log.jsonl", "--verbose"]);
    let ran = ran.exits(0);
    assert!(ran.stderr.contains("index.jsonl:3"), "{}", ran.stderr);
}

#[test]
fn hostile_names_are_shown_harmlessly() {
    let place = Place::new();
    let mut request = body("x");
    request["tools"] = json!([{"name": "\u{1b}[31mred\u{202e}", "description": "a"}]);
    let mut other = request.clone();
    other["tools"][0]["description"] = "b".into();
    let line = |request| json!({"conversation": "\u{1b}]0;title\u{7}", "request": request});
    place.file(
        "bodies.jsonl",
        format!("{}\n{}\n", line(request), line(other)),
    );
    place
        .run(&["capture", "import", "bodies.jsonl", "-o", "log.jsonl"])
        .exits(0);
    for command in [
        &["capture", "diff", "log.jsonl"][..],
        &["capture", "show", "log.jsonl"],
    ] {
        let ran = place.run(command).exits(0);
        assert!(ran.stdout().contains("tool-changed"), "{}", ran.stdout());
        for bad in ['\u{1b}', '\u{7}', '\u{202e}'] {
            assert!(!ran.stdout().contains(bad), "{}", ran.stdout());
        }
    }
}

#[test]
fn a_log_is_compared_with_nothing_but_requests() {
    let (place, _) = import(format!("{}\n", body("x")).as_bytes(), 0);
    for b in ["bodies.jsonl", "missing.jsonl", "log.jsonl", "."] {
        let ran = place.run(&["capture", "diff", "log.jsonl", b]).exits(2);
        assert!(ran.stderr.contains("usage"), "{b}: {}", ran.stderr);
    }
}

#[test]
fn an_import_of_nothing_prints_nothing() {
    let place = Place::new();
    for path in ["missing", "."] {
        let ran = place.run(&["capture", "import", path]).exits(2);
        assert_eq!(ran.stdout(), "", "{path}");
    }
}
