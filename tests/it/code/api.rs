//! The door of the library, as a listing: a change of it is seen in review. `UPDATE=1` writes it.

use crate::code::tidy::{code, rust, top};
use std::fmt::Write as _;
use std::fs;

/// The public items of a file, a line each: its heads without bodies.
fn items(code: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut open: Option<String> = None;
    for line in code.lines() {
        let line = line.trim();
        let own = line.starts_with("impl ") && !line.contains(" for ");
        let public = line.starts_with("pub ") && !line.starts_with("pub mod");
        if open.is_none() && !public && !own {
            continue;
        }
        let head = match open.take() {
            Some(head) => format!("{head} {line}"),
            None => line.to_owned(),
        };
        // A field ends with its comma, everything else with its body.
        let field = head.starts_with("pub ") && head.ends_with(',') && !head.contains('(');
        let used = head.starts_with("pub use");
        if field || line.ends_with(';') || !used && line.ends_with(['{', '}']) {
            out.push(head.trim_end_matches(['{', ';', ',']).trim().to_owned());
        } else {
            open = Some(head);
        }
    }
    // An `impl` is a head of what is public in it.
    let is_impl = |item: &String| item.starts_with("impl ");
    let shown =
        |at: &usize| !is_impl(&out[*at]) || out.get(at + 1).is_some_and(|next| !is_impl(next));
    (0..out.len())
        .filter(shown)
        .map(|at| out[at].clone())
        .collect()
}

#[test]
fn the_listing_of_the_door_is_current() {
    let mut listing = String::new();
    let root = fs::read_to_string(top().join("src/lib.rs")).unwrap();
    let uses = items(&code(&root));
    for used in uses.iter().filter(|item| item.starts_with("pub use")) {
        writeln!(listing, "{used}").unwrap();
    }
    for (path, text) in rust("src/answer").into_iter().chain(rust("src/project")) {
        let path = path.strip_prefix(top()).unwrap();
        let tests = path
            .iter()
            .any(|part| part == "tests" || part == "tests.rs");
        let items = items(&code(&text));
        if tests || !items.iter().any(|item| item.starts_with("pub ")) {
            continue;
        }
        writeln!(listing, "\n{}", path.display()).unwrap();
        for item in items {
            let indent = if item.starts_with("impl ") { "" } else { "  " };
            writeln!(listing, "{indent}{item}").unwrap();
        }
    }
    let file = top().join("tests/api.txt");
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&file, &listing).unwrap();
    }
    let known = fs::read_to_string(&file).unwrap_or_default();
    assert!(
        known == listing,
        "tests/api.txt is not the library's door: UPDATE=1 writes it"
    );
}
