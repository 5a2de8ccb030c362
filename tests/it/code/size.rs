//! `tools/size`, which counts the lines of code.

use super::tidy::top;
use crate::compare::git::git;
use crate::run::{Place, run};
use std::process::Command;

const RUST: &str = r##"//! Not a line.

/* A comment /* inside a comment */
   goes on. */ pub fn one() -> &'static str {
    "a text // of /* one line
    and another
" // its end
}

const QUOTE: char = '"'; // "
const RAW: &str = r#"// in a text " "#;
fn lifetime<'a>(text: &'a str) -> &'a str { text }

#[cfg(test)]
mod tests {
    // Not a line.
    #[test]
    fn braces() { assert_eq!("}", '}'.to_string()); }
}
const LAST: u8 = 1;
"##;

const KDL: &str = r##"// Not a line.
layer one { /* not counted */
    text #"// in a text"#

    text """
      // a line
      """
}
"##;

const JAVASCRIPT: &str = r#"/* Not
   a line. */
const path = "http://host"; // text
const parts = text.split(/\/\*|"/);
const shown = `// a
  text`;
"#;

const CSS: &str = "/* Not a line. */\na { content: \"/*\" }\n\nb { color: red } /* end */\n";

/// The numbers of each row of the table.
fn rows(place: &Place, args: &[&str]) -> Vec<String> {
    let mut command = Command::new("python3");
    command.arg(top().join("tools/size")).args(args);
    command.arg("--at").arg(place.path());
    let ran = run(command, b"");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let lines = ran.stdout().lines().skip(1);
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    lines.map(words).collect()
}

#[test]
fn size_counts_code_without_comments_and_tests() {
    let place = Place::new();
    place.file("src/lib.rs", RUST);
    place.file(
        "src/deep/folder/tests.rs",
        "fn one() {}\n\n// no\nfn two() {}\n",
    );
    place.file("src/deep/tests/judge.rs", "fn three() {}\n");
    place.file("src/deep/page.js", JAVASCRIPT);
    place.file("src/deep/page.css", CSS);
    place.file("layers/one.kdl", KDL);
    place.file("bindings/node/index.ts", "export {};\n");
    place.file("bindings/node/tests/one.mjs", "one();\ntwo();\n");
    place.file("tests/it/main.rs", "// no\nfn main() {}\n");
    place.file("benches/one.rs", "fn main() {}\n");
    git(&place, &["init", "--quiet"]);
    let expected = [
        "bindings/node 0 0 1 0 1 0",
        "layers 0 6 0 0 6 0",
        "src 9 0 0 0 9 5",
        "src/deep 0 0 4 2 6 3",
        "all but tests 9 6 5 2 22 8",
        "bindings/node/tests 0 0 2 0 2 0",
        "tests 1 0 0 0 1 0",
    ];
    assert_eq!(rows(&place, &[]), expected);
}

#[test]
fn size_compares_with_a_revision() {
    let place = Place::new();
    place.file("src/one/a.rs", "fn a() {\n    b();\n}\nfn c() {}\n");
    place.file("src/two/a.rs", "fn gone() {}\n");
    git(&place, &["init", "--quiet"]);
    git(&place, &["add", "."]);
    git(&place, &["commit", "--quiet", "--message", "one"]);
    // `c` moves, `b();` is indented, and what is new is a comment and `d`.
    place.file("src/one/b.rs", "fn c() {}\n// why\nfn d() {}\n");
    place.file("src/one/a.rs", "fn a() {\n        b();\n}\n");
    std::fs::remove_file(place.path().join("src/two/a.rs")).unwrap();
    let expected = [
        "src/one 5 0 0 0 5 0 0 1",
        "src/two 0 0 0 0 0 0 1 0",
        "all but tests 5 0 0 0 5 0 1 1",
    ];
    assert_eq!(rows(&place, &["HEAD"]), expected);
}
