//! The book: `docs/SUMMARY.md` lists every page once, and nothing else.

use crate::docs::markdown::{Page, entries, top};
use std::collections::BTreeSet;
use std::fs;

/// The targets of a page's links.
fn links(page: &Page) -> Vec<&str> {
    let targets = page.prose.split("](").skip(1);
    targets.map(|t| t.split(')').next().unwrap()).collect()
}

#[test]
fn the_summary_lists_every_page_once() {
    let summary = Page::read("docs/SUMMARY.md");
    let listed = links(&summary);
    let set: BTreeSet<&str> = listed.iter().copied().collect();
    assert_eq!(set.len(), listed.len(), "a page is listed twice");
    let mut there = BTreeSet::new();
    for folder in ["", "checks/", "dev/"] {
        for path in entries(&top().join("docs").join(folder)) {
            let name = path.file_name().unwrap().to_str().unwrap();
            if name.ends_with(".md") && name != "SUMMARY.md" {
                there.insert(format!("{folder}{name}"));
            }
        }
    }
    let there: BTreeSet<&str> = there.iter().map(String::as_str).collect();
    assert_eq!(set, there);
}

#[test]
fn the_book_is_made_from_the_pages() {
    let book = fs::read_to_string(top().join("book.toml")).unwrap();
    assert!(book.contains("src = \"docs\"\n"), "{book}");
}

/// Only rules are left out: the page about checks lists them.
#[test]
fn the_index_leads_to_every_page() {
    let index = Page::read("docs/index.md");
    let summary = Page::read("docs/SUMMARY.md");
    let led: BTreeSet<&str> = links(&index).into_iter().collect();
    let missing: Vec<&str> = links(&summary)
        .into_iter()
        .filter(|page| !page.starts_with("checks/") && *page != "index.md" && !led.contains(page))
        .collect();
    assert!(missing.is_empty(), "docs/index.md leads not to {missing:?}");
}

#[test]
fn the_readme_is_read_on_one_screen_and_a_half() {
    let readme = Page::read("README.md");
    let long = readme.text.lines().find(|line| line.chars().count() > 100);
    assert_eq!(long, None);
    assert!(readme.text.lines().count() <= 100);
    assert!(links(&readme).len() <= 11, "ten links, and the picture");
}
