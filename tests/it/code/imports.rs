//! Modules import upwards only, at every level, so there is no cycle.
//!
//! In each folder of `src` a module may name only those that its `mod.rs` (or `lib.rs`) declares above it. A name that a module
//! gets from its parent counts as the module that the parent has it from.

use crate::code::tidy::{code, rust, top};
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};

/// The path to a module or to an item in one, from the crate on.
type Way = Vec<String>;

/// A module: its declarations, its re-exports with their names, and all paths in its code.
#[derive(Default)]
struct Module {
    file: String,
    declares: Vec<String>,
    hands_on: BTreeMap<String, Way>,
    names: BTreeSet<Way>,
}

/// The modules of the library by their ways, without their tests.
fn modules() -> BTreeMap<Way, Module> {
    let top = top().join("src");
    let mut texts = BTreeMap::new();
    for (path, text) in rust("src") {
        let file = path.strip_prefix(&top).unwrap().with_extension("");
        let mut way: Way = file.iter().map(|p| p.to_str().unwrap().into()).collect();
        if way.last().is_some_and(|l| l == "mod" || l == "lib") {
            way.pop();
        }
        let is_test = way.iter().any(|part| part == "tests");
        if !is_test && way != ["main"] {
            texts.insert(way, (file.display().to_string(), code(&text)));
        }
    }
    let module = |(way, (file, code)): (Way, (String, String))| {
        let module = Module::read(&way, file, &code);
        (way, module)
    };
    texts.into_iter().map(module).collect()
}

/// `a::{b, c::d as e}` as `a::b` and `c::d`, each with the name that it gets.
fn each(written: &str) -> Vec<(String, String)> {
    let mut out = Vec::new();
    let (mut depth, mut start) = (0, 0);
    let parts = written.char_indices().filter_map(|(at, c)| {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                let part = &written[start..at];
                start = at + 1;
                return Some(part);
            }
            _ => {}
        }
        None
    });
    let mut parts: Vec<&str> = parts.collect();
    parts.push(&written[start..]);
    for part in parts.iter().map(|p| p.trim()).filter(|p| !p.is_empty()) {
        if let Some((head, rest)) = part.split_once('{') {
            let inner = rest.rsplit_once('}').unwrap().0;
            out.extend(
                each(inner)
                    .into_iter()
                    .map(|(way, name)| match way.as_str() {
                        "self" => (head.trim_end_matches("::").to_owned(), name),
                        _ => (format!("{head}{way}"), name),
                    }),
            );
        } else {
            let (way, name) = part.split_once(" as ").unwrap_or((part, part));
            let name = name.rsplit("::").next().unwrap();
            out.push((way.to_owned(), name.to_owned()));
        }
    }
    out
}

impl Module {
    fn read(way: &Way, file: String, code: &str) -> Self {
        let found = |pattern: &str| Regex::new(pattern).unwrap();
        let mut module = Module {
            file,
            declares: found(r"(?m)^\s*(?:pub(?:\([^)]*\))? )?mod (\w+);")
                .captures_iter(code)
                .map(|c| c[1].to_owned())
                .collect(),
            ..Module::default()
        };
        for used in found(r"(?m)^\s*(pub(?:\([^)]*\))? )?use ([^;]+);").captures_iter(code) {
            for (path, name) in each(&used[2]) {
                let Some(from) = module.absolute(way, &path) else {
                    continue;
                };
                if used.get(1).is_some() {
                    module.hands_on.insert(name, from.clone());
                }
                module.names.insert(from);
            }
        }
        for path in found(r"\b(?:crate|super|self)(?:::\w+)+").find_iter(code) {
            module.names.extend(module.absolute(way, path.as_str()));
        }
        module
    }

    /// `path`, as the module at `way` writes it, from the crate on; none for another crate's.
    fn absolute(&self, way: &Way, path: &str) -> Option<Way> {
        let mut parts = path.split("::").map(str::to_owned).peekable();
        let first = parts.peek()?.clone();
        let mut base = match first.as_str() {
            "crate" => Vec::new(),
            "self" | "super" => way.clone(),
            _ if self.declares.contains(&first) => way.clone(),
            _ => return None,
        };
        while parts.next_if(|p| p == "super").is_some() {
            base.pop()?;
        }
        parts.next_if(|p| p == "crate" || p == "self");
        base.extend(parts);
        Some(base)
    }
}

/// Where what `way` names is written, if a module on the way hands it on.
fn written(way: &Way, modules: &BTreeMap<Way, Module>) -> Way {
    for (at, name) in way.iter().enumerate() {
        // A function may be called as its module, and a way means the module.
        let module = modules.get(&way[..at]);
        let module = module.filter(|m| !m.declares.contains(name));
        if let Some(from) = module.and_then(|m| m.hands_on.get(name)) {
            let further: Way = from.iter().chain(&way[at + 1..]).cloned().collect();
            return written(&further, modules);
        }
    }
    way.clone()
}

/// Imports that still point down, each a cycle in its folder: who, and what it names.
const DOWN: [(&str, &str); 3] = [
    ("check/context", "check::order"),
    ("check/rules", "check::waive"),
    ("template/syntax", "template::failure"),
];

#[test]
fn modules_import_upwards_only() {
    let modules = modules();
    let (mut wrong, mut met) = (BTreeSet::new(), BTreeSet::new());
    for (way, module) in &modules {
        for name in &module.names {
            let named = written(name, &modules);
            let shared = way.iter().zip(&named).take_while(|(a, b)| a == b).count();
            let (Some(own), Some(other)) = (way.get(shared), named.get(shared)) else {
                continue;
            };
            let order = &modules[&way[..shared]].declares;
            let place = |name: &String| order.iter().position(|o| o == name);
            if let (Some(own), Some(at)) = (place(own), place(other))
                && at > own
            {
                let down = |(from, to): &(&str, &str)| {
                    module.file.starts_with(from) && named[..=shared].join("::") == *to
                };
                if let Some(known) = DOWN.iter().position(down) {
                    met.insert(known);
                    continue;
                }
                wrong.insert(format!(
                    "{}.rs imports `{}`, declared below it",
                    module.file,
                    named[..=shared].join("::")
                ));
            }
        }
    }
    let list: Vec<&str> = wrong.iter().map(String::as_str).collect();
    assert!(
        list.is_empty(),
        "{} imports:\n{}",
        list.len(),
        list.join("\n")
    );
    // A fixed one leaves the list.
    assert_eq!(met.len(), DOWN.len(), "{met:?}");
}

#[test]
fn the_names_of_a_use_are_found() {
    let found = each("crate::{a::{self, b}, c as d}, super::e::F as G");
    let found: Vec<String> = found
        .iter()
        .map(|(way, name)| format!("{way} {name}"))
        .collect();
    let all = [
        "crate::a self",
        "crate::a::b b",
        "crate::c d",
        "super::e::F G",
    ];
    assert_eq!(found, all);
}
