//! Checks on the code base itself.

use crate::docs::markdown::{Page, entries};
use crate::harness::files_below;
use promptc::check;
use promptc::diagnostic;
use promptc::source::builtin;
use promptc::source::recipes::RECIPES;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The longest function, in lines.
const LONGEST: usize = 80;

pub(crate) fn top() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All files below `folder`, in order of path.
fn files(folder: &str) -> Vec<PathBuf> {
    files_below(&top().join(folder))
}

pub(crate) fn rust(folder: &str) -> Vec<(PathBuf, String)> {
    let is_rust = |path: &PathBuf| path.extension().is_some_and(|e| e == "rs");
    let read = |path: PathBuf| (path.clone(), fs::read_to_string(path).unwrap());
    files(folder)
        .into_iter()
        .filter(is_rust)
        .map(read)
        .collect()
}

/// The code without comments and without the part after `#[cfg(test)]`.
pub(crate) fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]").next().unwrap();
    text.lines()
        .map(|l| format!("{}\n", without_comment(l)))
        .collect()
}

fn without_comment(line: &str) -> &str {
    // `//` inside a string is rare enough to be written otherwise.
    line.find("//").map_or(line, |at| &line[..at])
}

/// The modules that `text` declares, in order.
fn declared(text: &str) -> Vec<String> {
    let module = |line: &str| {
        let line = line
            .trim_start_matches("pub ")
            .trim_start_matches("pub(crate) ");
        let line = line.trim_start_matches("pub(super) ");
        Some(line.strip_prefix("mod ")?.strip_suffix(';')?.to_owned())
    };
    text.lines().filter_map(module).collect()
}

/// The modules of `lib.rs` and the sentence above each.
fn code_map() -> Vec<(String, String)> {
    let text = fs::read_to_string(top().join("src/lib.rs")).unwrap();
    let mut sentence = String::new();
    let mut map = Vec::new();
    for line in text.lines() {
        if let Some(words) = line.strip_prefix("// ") {
            sentence = words.to_owned();
        } else if let Some(module) = declared(line).pop() {
            map.push((module, std::mem::take(&mut sentence)));
        }
    }
    map
}

#[test]
fn the_code_map_is_that_of_the_page() {
    let map = code_map();
    let bare: Vec<&String> = map
        .iter()
        .filter(|(_, s)| !s.ends_with('.'))
        .map(|(m, _)| m)
        .collect();
    assert!(
        bare.is_empty(),
        "without a sentence in src/lib.rs: {bare:?}"
    );
    let there: BTreeSet<String> = map.iter().map(|(m, _)| m.clone()).collect();
    let files: BTreeSet<String> = entries(&top().join("src"))
        .iter()
        .map(|p| p.file_stem().unwrap().to_str().unwrap().to_owned())
        .filter(|name| name != "lib" && name != "main")
        .collect();
    assert_eq!(there, files);

    let page = Page::read("docs/architecture.md");
    let rows = page
        .rows
        .iter()
        .filter(|(section, _)| page.heading(*section) == "Code map");
    // The first two rows are the head of the table.
    let rows: Vec<(String, String)> = rows
        .skip(2)
        .map(|(_, row)| (row[0].trim_matches('`').to_owned(), row[1].clone()))
        .collect();
    assert_eq!(rows, map, "docs/architecture.md and src/lib.rs differ");
}

#[test]
fn the_stages_match_the_page() {
    let index = fs::read_to_string(top().join("src/compile/mod.rs")).unwrap();
    let page = Page::read("docs/architecture.md");
    let rows = page
        .rows
        .iter()
        .filter(|(section, _)| page.heading(*section) == "From a manifest to a prompt");
    let stages: Vec<&str> = rows
        .skip(2)
        .filter_map(|(_, row)| row[0].split('`').nth(1))
        .collect();
    assert_eq!(stages.len(), 7, "{stages:?}");
    let calls: Vec<Option<usize>> = stages
        .iter()
        .map(|s| index.find(&format!("{s}::{s}(")))
        .collect();
    assert!(
        calls.iter().all(Option::is_some) && calls.is_sorted(),
        "{calls:?}"
    );
}

#[test]
fn every_stage_names_itself() {
    // The stages are what `compile::stage` offers one by one.
    let index = fs::read_to_string(top().join("src/compile/mod.rs")).unwrap();
    let stages: Vec<&str> = index
        .lines()
        .filter_map(|l| l.trim().strip_prefix("pub use super::")?.split_once("::"))
        .map(|(module, _)| module)
        .collect();
    assert_eq!(stages.len(), 7, "{stages:?}");
    for module in stages {
        let path = top().join(format!("src/compile/{module}.rs"));
        let text = fs::read_to_string(&path)
            .or_else(|_| fs::read_to_string(top().join(format!("src/compile/{module}/mod.rs"))));
        let opens = text.is_ok_and(|t| t.starts_with("//! Stage "));
        assert!(opens, "{} does not open with `//! Stage`", path.display());
    }
}

#[test]
fn no_module_imports_everything_from_above() {
    // Test modules are part of what they test.
    for (path, text) in rust("src")
        .into_iter()
        .filter(|(p, _)| !p.ends_with("tests.rs"))
    {
        assert!(!code(&text).contains("use super::*"), "{}", path.display());
    }
}

#[test]
fn nothing_is_left_for_later() {
    // Written apart, so that this file does not find itself.
    let words = [
        concat!("todo", "!("),
        concat!("dbg", "!("),
        concat!("FIX", "ME"),
        concat!("XX", "X"),
    ];
    for (path, text) in rust("src").into_iter().chain(rust("tests")) {
        for word in words {
            assert!(!text.contains(word), "{} holds {word}", path.display());
        }
    }
}

#[test]
fn functions_fit_a_screen() {
    let shipped = rust("src")
        .into_iter()
        .filter(|(p, _)| !p.ends_with("tests.rs"));
    for (path, text) in shipped.chain(rust("tests")) {
        let text = code(&text);
        let mut open: Option<(&str, usize, usize)> = None;
        for (number, line) in text.lines().enumerate() {
            let indent = line.len() - line.trim_start().len();
            match open {
                None if is_function(line) && !line.trim_end().ends_with(['}', ';']) => {
                    open = Some((line, indent, number));
                }
                Some((name, depth, from)) if indent == depth && line.trim() == "}" => {
                    let lines = number - from + 1;
                    assert!(
                        lines <= LONGEST,
                        "{}: {lines} lines: {name}",
                        path.display()
                    );
                    open = None;
                }
                // A declaration without a body.
                Some((_, depth, _)) if indent == depth && line.trim_end().ends_with(';') => {
                    open = None
                }
                _ => {}
            }
        }
    }
}

fn is_function(line: &str) -> bool {
    let line = line.trim_start();
    let line = line
        .strip_prefix("pub")
        .map_or(line, |l| l.split_once(' ').map_or("", |p| p.1));
    line.trim_start_matches("const ").starts_with("fn ")
}

#[test]
fn text_files_end_with_a_line_end() {
    for folder in [
        "src",
        "tests",
        "layers",
        "templates",
        "schema",
        "examples",
        "docs",
        "benches",
    ] {
        for path in files(folder) {
            let Ok(text) = fs::read_to_string(&path) else {
                continue;
            };
            // Dumps, the snapshots of an example and what a recipe expects are prompts, which end where their text ends;
            // what a recipe reads is there byte for byte too.
            let recipe = path
                .strip_prefix(top().join("examples/recipes"))
                .is_ok_and(|p| p.iter().any(|name| name == "tree" || name == "expected"));
            // And what a manifest reads untrimmed ends where it ends.
            let untrimmed = path.ends_with("layers/text/hermes/TELEGRAM_RICH_MESSAGES_HINT.txt");
            let golden = recipe
                || untrimmed
                || path.starts_with(top().join("tests/dumps"))
                || path.to_string_lossy().ends_with(".snap.txt");
            let ends = golden || text.is_empty() || text.ends_with('\n');
            assert!(ends, "{} does not end with a line end", path.display());
        }
    }
}

#[test]
fn every_code_has_a_case_and_every_case_a_code() {
    let mut shown = BTreeSet::new();
    for path in files("tests/diagnostics") {
        let stem = path.file_stem().unwrap().to_str().unwrap();
        let name = stem.split("--").next().unwrap();
        let rule = || check::by_name(name).filter(|rule| rule.fails_builds());
        let code = diagnostic::by_name(name).or_else(|| rule().map(|rule| rule.code));
        shown.insert(
            code.unwrap_or_else(|| panic!("{}: no such code", path.display()))
                .name,
        );
    }
    let missing: Vec<&str> = diagnostic::ALL
        .iter()
        .map(|c| c.name)
        .filter(|c| !shown.contains(c))
        .collect();
    assert!(
        missing.is_empty(),
        "without a case in tests/diagnostics: {missing:?}"
    );
    assert!(diagnostic::ALL.len() >= 40);
    let names: BTreeSet<&str> = diagnostic::ALL.iter().map(|c| c.name).collect();
    assert_eq!(names.len(), diagnostic::ALL.len(), "two codes share a name");
}

/// A case in another folder, or a snapshot whose case is gone, would be checked by no test.
#[test]
fn every_case_is_run_and_every_snapshot_has_its_case() {
    let main = fs::read_to_string(top().join("tests/cases/main.rs")).unwrap();
    for path in files("tests") {
        let path = path.strip_prefix(top()).unwrap();
        let shown = path.display();
        let folder = path.iter().nth(1).unwrap().to_str().unwrap();
        let name = path.file_name().unwrap().to_str().unwrap();
        if name.ends_with(".case") {
            let run = folder == "corpus" || main.contains(&format!("(\"{folder}\", "));
            assert!(run, "{shown}: tests/cases/main.rs does not know its folder");
        }
        if folder == "snapshots"
            && let Some((_, case)) = name.split_once('@')
        {
            let case = case.strip_suffix(".snap").unwrap().replace("__", "/");
            let of = path.iter().nth(2).unwrap();
            let case = top().join("tests").join(of).join(case);
            assert!(case.is_file(), "{shown} belongs to no case");
        }
    }
}

#[test]
fn every_built_in_file_is_embedded() {
    let lists = [
        ("layers/text", "", builtin::TEXTS),
        ("templates", "", builtin::TEMPLATES),
    ];
    for (folder, suffix, list) in lists {
        for path in files(folder) {
            let name = path
                .strip_prefix(top().join(folder))
                .unwrap()
                .to_str()
                .unwrap();
            let name = name.replace('\\', "/");
            let name = name.strip_suffix(suffix).unwrap();
            assert!(
                list.iter().any(|e| e.name == name),
                "{folder}/{name} is not in src/source/builtin.rs"
            );
        }
    }
    // The table of providers is no manifest.
    for path in files("layers")
        .iter()
        .filter(|p| p.extension().is_some_and(|e| e == "kdl") && !p.ends_with("providers.kdl"))
    {
        let name = path.file_stem().unwrap().to_str().unwrap();
        // The table of providers is no manifest, and is in src/request/provider.
        assert!(
            name == "providers" || builtin::manifest(name).is_some(),
            "{name} is not in src/source/builtin.rs"
        );
    }
    for preset in builtin::PRESETS {
        assert!(
            builtin::manifest(preset.manifest).is_some(),
            "{}",
            preset.name
        );
        assert!(
            preset.texts.iter().all(|t| builtin::text(t).is_some()),
            "{}",
            preset.name
        );
        assert!(
            preset
                .templates
                .iter()
                .all(|t| builtin::template(t).is_some()),
            "{}",
            preset.name
        );
    }
}

#[test]
fn every_recipe_is_a_preset_with_all_its_templates() {
    let folders = entries(&top().join("examples/recipes")).into_iter();
    let names: Vec<PathBuf> = folders.filter(|path| path.is_dir()).collect();
    let known: Vec<&str> = RECIPES.iter().map(|recipe| recipe.name).collect();
    let name = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().to_owned();
    assert_eq!(names.iter().map(name).collect::<Vec<_>>(), known);
    for (folder, recipe) in names.iter().zip(RECIPES) {
        let beside = entries(folder).into_iter();
        let beside = beside.filter(|path| path.is_file()).map(|path| name(&path));
        let templates: Vec<String> = beside.filter(|name| name != "promptc.kdl").collect();
        let embedded: Vec<&str> = recipe.templates.iter().map(|t| t.name).collect();
        assert_eq!(templates, embedded, "{}", recipe.name);
    }
}
