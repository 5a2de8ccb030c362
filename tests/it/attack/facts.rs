//! Facts that could fill the memory: their stored form is at most some times their text, whatever they are, and their text
//! has a limit.

use crate::run::Place;
use std::fs;
use std::io::Read as _;
use std::process::Stdio;

/// Of each text, in bytes: little less than a facts file may have.
const SIZE: usize = 4_000_000;

/// How many times its text a fact may take. The limit of a file keeps that below 200 MiB.
const MOST: usize = 40;

/// Lists of nothing but one item. A list in a list with one value takes the most.
const ITEMS: [&str; 11] = [
    "1",
    "\"x\"",
    "-0",
    "1e9",
    "\"\"",
    "[]",
    "[1]",
    "[[[[[[1]]]]]]",
    "{\"a\":1}",
    "{\"name\":\"x\",\"id\":12,\"tags\":[\"a\",\"b\"]}",
    "\"twenty characters it has\"",
];

const MANIFEST: &str = r#"promptc 1
root workspace default="."
fact f list optional=#true
tier t {
  layer long { file "long.txt" }
  layer all when="f is defined" { template "{{ f | length }}" }
  layer some when="f is defined" { template "{{ f[7] | string }}{% for x in f[:9] %}{{ x | string }}{% endfor %}" }
}
"#;

/// The most memory that the program has had when it begins to print, in KiB. The prompt is longer than a pipe takes.
fn peak(place: &Place, facts: &str) -> usize {
    place.file("facts.json", facts);
    let mut command = place.command(&["build", "--facts", "facts.json"]);
    let mut child = (command.stdout(Stdio::piped())).spawn().unwrap();
    let mut to = child.stdout.take().unwrap();
    to.read_exact(&mut [0]).unwrap();
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    std::io::copy(&mut to, &mut std::io::sink()).unwrap();
    assert!(child.wait().unwrap().success());
    let line = status.lines().find(|l| l.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
fn facts_take_at_most_forty_times_their_text() {
    let place = Place::new();
    place.file("promptc.kdl", MANIFEST);
    place.file("long.txt", "a line of it\n".repeat(100_000));
    let none = peak(&place, "{}");
    for item in ITEMS {
        let items = vec![item; SIZE / (item.len() + 1)].join(",");
        let facts = format!("{{\"f\":[{items}]}}");
        let taken = 1024 * peak(&place, &facts).saturating_sub(none);
        let times = taken.div_ceil(facts.len());
        assert!(times <= MOST, "{item}: {times} times its text");
    }
}
