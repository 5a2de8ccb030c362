//! `llms.txt` (see llmstxt.org) and `llms-full.txt`: an index of the pages, and the pages in one file, for programs that read them.
//!
//! Both are made from `docs/SUMMARY.md` and the pages. `UPDATE_DOCS=1 cargo test --test it -- docs::llms` writes them. Two branches that
//! edit pages change the same lines here: `.gitattributes` lets git take the lines of both, and this test asks for the command.

use crate::docs::commands::updating;
use crate::docs::markdown::{Page, top};
use regex::Regex;
use std::fmt::Write as _;
use std::fs;

/// Pages that are in the index only, so that the whole stays a size that a model can read.
const INDEX_ONLY: [&str; 4] = [
    "checks/",
    "performance.md",
    "benchmarks.md",
    "conformance.md",
];

/// A page of the summary: the heading that it is under, its title, its path below `docs`.
struct Entry {
    part: String,
    title: String,
    path: String,
}

fn entries() -> Vec<Entry> {
    let summary = Page::read("docs/SUMMARY.md");
    let mut part = String::new();
    let mut out = Vec::new();
    for line in summary.prose.lines() {
        if let Some(heading) = line.strip_prefix("# ") {
            heading.clone_into(&mut part);
        } else if let Some(link) = line.trim_start().strip_prefix("- [") {
            let (title, path) = link.strip_suffix(')').unwrap().split_once("](").unwrap();
            out.push(Entry {
                part: part.clone(),
                title: title.to_owned(),
                path: path.to_owned(),
            });
        }
    }
    out
}

/// The first sentence of a page's prose, without links.
fn first_sentence(page: &Page) -> String {
    let is_prose = |p: &&str| p.starts_with(|c: char| c.is_alphabetic() || "`*[".contains(c));
    let paragraph = page.prose.split("\n\n").find(is_prose);
    let paragraph = paragraph.unwrap_or_else(|| panic!("{} has no prose", page.path));
    let link = Regex::new(r"\[([^\]]*)\]\([^)]*\)").unwrap();
    let text = link.replace_all(paragraph, "$1").replace('\n', " ");
    let sentence = text.split_inclusive(". ").next().unwrap().trim();
    format!("{}.", sentence.trim_end_matches(['.', ':']))
}

fn index() -> String {
    let mut out = format!(
        "# promptc\n\n> {}\n",
        first_sentence(&Page::read("README.md"))
    );
    let (checks, pages): (Vec<Entry>, Vec<Entry>) = entries()
        .into_iter()
        .partition(|e| e.path.starts_with("checks/"));
    let mut part = String::new();
    // What the format calls optional may be skipped by a reader with little room.
    let checks = checks.into_iter().map(|check| Entry {
        part: "Optional".to_owned(),
        ..check
    });
    for entry in pages.into_iter().chain(checks) {
        if entry.part != part {
            let _ = write!(out, "\n## {}\n\n", entry.part);
            part.clone_from(&entry.part);
        }
        let path = format!("docs/{}", entry.path);
        let about = first_sentence(&Page::read(&path));
        let _ = writeln!(out, "- [{}]({path}): {about}", entry.title);
    }
    out
}

fn whole() -> String {
    let of_docs = entries().into_iter().map(|entry| entry.path);
    let of_docs = of_docs.filter(|path| !INDEX_ONLY.iter().any(|left| path.starts_with(left)));
    let paths = of_docs.map(|path| format!("docs/{path}"));
    std::iter::once("README.md".to_owned())
        .chain(paths)
        .map(|path| format!("<!-- {path} -->\n\n{}\n", Page::read(&path).text))
        .collect()
}

#[test]
fn both_files_are_made_from_the_pages() {
    for (path, real) in [("llms.txt", index()), ("llms-full.txt", whole())] {
        let file = top().join(path);
        if fs::read_to_string(&file).is_ok_and(|shown| shown == real) {
            continue;
        }
        assert!(
            updating(),
            "{path} is not current: UPDATE_DOCS=1 cargo test --test it -- docs::llms"
        );
        fs::write(&file, real).unwrap();
    }
}

#[test]
fn a_first_sentence_has_no_links_and_ends_with_a_full_stop() {
    let of = |text: &str| first_sentence(&Page::parse("p.md", text.to_owned()));
    assert_eq!(
        of("# A\n\n1. [b](#b)\n\nReads `A.md`\nof a [root](r.md), once. And more.\n"),
        "Reads `A.md` of a root, once."
    );
    assert_eq!(of("# A\n\nIt reads:\n\n```sh\nx\n```\n"), "It reads.");
}
