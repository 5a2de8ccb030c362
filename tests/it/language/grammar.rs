//! The grammar table: what it says is what the reader takes, in both directions, and what the pages show.

use crate::docs::markdown::{Page, top};
use promptc::diagnostic::span::Files;
use promptc::diagnostic::{Diagnostic, Diagnostics};
use promptc::manifest;
use promptc::manifest::grammar::{self, Argument, Property, Row, Times, Type};
use promptc::world::MapWorld;
use std::collections::BTreeSet;

/// The error about a value or name that is not allowed at its location.
const REFUSALS: &[&str] = &[
    "unknown-node",
    "unknown-property",
    "wrong-type",
    "unknown-value",
    "out-of-range",
    "extra-argument",
    "missing-argument",
    "invalid-name",
    "duration-syntax",
    "unexpected-annotation",
];

const BASE: &str = "promptc 1
tier t {
    layer a { text x }
    layer b { text x; budget 5 }
}
";

/// The errors of a manifest that holds `node` at its top level, with or without a base.
fn told(node: &str, overlay: bool) -> Vec<Diagnostic> {
    let extends = if overlay {
        "extends \"base.kdl\"\n"
    } else {
        ""
    };
    let head = if node.starts_with("promptc") {
        ""
    } else {
        "promptc 1\n"
    };
    let world = MapWorld::new()
        .file("/m.kdl", format!("{head}{extends}{node}\n"))
        .file("/base.kdl", BASE)
        .file("/layers/a.kdl", "join \"x\"\n");
    let (mut files, mut diags) = (Files::default(), Diagnostics::default());
    let _ = manifest::open(&world, Some("/m.kdl"), &mut files, &mut diags);
    diags.iter().cloned().collect()
}

/// The location of a node: the node around it with `{}` in its place, up to the top level, and whether that is an
/// overlay's.
fn place(row: &Row) -> (String, bool) {
    let (every, overlay) = grammar::top_level();
    if every.iter().any(|top| top.id() == row.id()) {
        return ("{}".to_owned(), false);
    }
    if overlay.iter().any(|top| top.id() == row.id()) {
        return ("{}".to_owned(), true);
    }
    if row.of_overlays {
        return ("refine b { {} }".to_owned(), true);
    }
    let all = grammar::all();
    let around = all.iter().find(|above| {
        above
            .child(row.name)
            .is_some_and(|child| child.id() == row.id())
    });
    let around = around.unwrap_or_else(|| panic!("{} stands nowhere", row.id()));
    let (outer, overlay) = place(around);
    let head = match row.id() {
        "placeholder" => "scan untrusted",
        "root.default" => "root r many=#true",
        "holding" => "root r above=b",
        _ => around.example.split(" {").next().unwrap(),
    };
    let fill = match around.id() {
        "layer" | "overlay.layer" | "first" | "all" | "directory-rules" if !row.is_content() => {
            "text x; "
        }
        _ => "",
    };
    (
        outer.replace("{}", &format!("{head} {{ {fill}{{}} }}")),
        overlay,
    )
}

fn told_of(row: &Row, node: &str) -> Vec<Diagnostic> {
    let (around, overlay) = place(row);
    told(&around.replace("{}", node), overlay)
}

fn samples(takes: Type) -> Vec<String> {
    let one = |text: &str| vec![text.to_owned()];
    match takes {
        Type::Text("ZONE") => one("utc"),
        Type::Text("TOKENIZER") => promptc::text::tokens::ALL
            .iter()
            .map(|t| t.name.to_owned())
            .collect(),
        Type::Text(_) | Type::Template | Type::Regex => one("\"x\""),
        Type::Expression => one("\"true\""),
        Type::Name | Type::Variable | Type::Of(_) => one("b"),
        Type::Bool => vec!["#true".to_owned(), "#false".to_owned()],
        Type::Size | Type::Number => one("1"),
        Type::Whole(least, most) => vec![least.to_string(), most.to_string()],
        Type::Fraction => one("0.5"),
        Type::Duration => one("\"5m\""),
        Type::Word(words) => words.iter().map(|word| format!("\"{word}\"")).collect(),
        Type::BoolOr(word) => vec!["#true".to_owned(), "#false".to_owned(), word.to_owned()],
        Type::Any => vec!["1".to_owned(), "#true".to_owned(), "x".to_owned()],
    }
}

/// A value that is none of these.
fn wrong(takes: Type) -> Option<&'static str> {
    match takes {
        Type::Any => None,
        Type::Text(_)
        | Type::Template
        | Type::Regex
        | Type::Expression
        | Type::Name
        | Type::Variable
        | Type::Of(_) => Some("7"),
        _ => Some("\"no such value\""),
    }
}

/// A node with that property, and with the properties that it requires.
fn with(row: &Row, property: &Property, value: &str) -> String {
    let of_template = row.arguments.iter().any(|a| a.takes == Type::Template);
    let arguments = row
        .arguments
        .iter()
        .filter(|argument| match argument.times {
            Times::One | Times::Many => true,
            Times::AtMostOne | Times::Any => match (row.id(), property.name) {
                ("budget" | "budget-of-layer", "each" | "total" | "floor") => false,
                ("budget" | "budget-of-layer", _) => {
                    argument.name == "maximum" || property.name == "tokenizer"
                }
                _ => of_template && !["file", "root"].contains(&property.name),
            },
        });
    let sample = |argument: &Argument| match argument.name {
        "unit" => "tokens".to_owned(),
        _ => samples(argument.takes).remove(0),
    };
    let arguments: Vec<String> = arguments.map(sample).collect();
    let beside = match (row.id(), property.name) {
        ("overlay.layer", "after" | "before") | ("refine-tier", "tier") => "",
        ("overlay.layer", _) => "after=b",
        ("refine-tier", _) => "tier=t",
        ("root", "holding") => "above=b",
        ("root", "above") => "holding=x",
        ("root", "in") => "default=x",
        ("fact", _) => "string",
        ("budget" | "budget-of-layer", "floor") => "total=9",
        ("budget-of-tier", "tokenizer") => "tokens",
        (_, "search") => "from=b",
        (_, "from") => "search=up",
        (_, "order") if row.name != "directory-rules" => "search=every-level from=b",
        (_, "root") if of_template => "file=\"x\"",
        _ => "",
    };
    let body = match row.example.split_once(" {") {
        Some((_, body)) if !of_template => format!(" {{{body}"),
        _ => String::new(),
    };
    // A tier that is refined has a row of its own.
    if row.id() == "refine" && property.name == "tier" {
        return format!("refine tier={value}");
    }
    let arguments = arguments.join(" ");
    format!(
        "{} {arguments} {beside} {}={value}{body}",
        row.name, property.name
    )
}

fn refused(found: &[Diagnostic]) -> Vec<String> {
    let of = |d: &&Diagnostic| REFUSALS.contains(&d.code.name);
    found
        .iter()
        .filter(of)
        .map(|d| format!("{}: {}", d.code.name, d.message))
        .collect()
}

#[test]
fn every_example_is_read() {
    let mut wrong = Vec::new();
    for row in grammar::all() {
        if row.id() == "map-entry" {
            continue;
        }
        let found = told_of(row, row.example);
        if !found.is_empty() {
            let found: Vec<&str> = found.iter().map(|d| d.message.as_str()).collect();
            wrong.push(format!("{}: {}", row.example, found.join(", ")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_property_is_read_with_each_of_its_values() {
    let mut found = Vec::new();
    for row in grammar::all() {
        for property in row.properties() {
            for value in samples(property.takes) {
                let node = with(row, property, &value);
                let refused = refused(&told_of(row, &node));
                if !refused.is_empty() {
                    found.push(format!("{node}: {}", refused.join(", ")));
                }
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn no_property_accepts_more_than_the_table_says() {
    let mut found = Vec::new();
    for row in grammar::all() {
        for property in row.properties() {
            let fact = with(row, property, "(fact)b");
            let annotated = told_of(row, &fact)
                .iter()
                .any(|d| d.code.name == "unexpected-annotation");
            if annotated == property.or_fact {
                found.push(format!("{fact}: or_fact is {}", property.or_fact));
            }
            let Some(value) = wrong(property.takes) else {
                continue;
            };
            let node = with(row, property, value);
            let told = told_of(row, &node);
            let Some(first) = told.iter().find(|d| REFUSALS.contains(&d.code.name)) else {
                found.push(format!("{node} is taken"));
                continue;
            };
            // All words that it takes are named.
            if let Type::Word(words) = property.takes {
                let named: BTreeSet<&str> = first.message.split('`').skip(1).step_by(2).collect();
                let all: BTreeSet<&str> = words.iter().copied().collect();
                let more = ["no such value", property.name];
                let named: BTreeSet<&str> = named
                    .into_iter()
                    .filter(|word| !more.contains(word) || all.contains(word))
                    .collect();
                if named != all {
                    found.push(format!("{node}: {}", first.message));
                }
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn every_row_has_a_description_and_a_unique_name() {
    let all = grammar::all();
    let ids: BTreeSet<&str> = all.iter().map(|row| row.id()).collect();
    assert_eq!(ids.len(), all.len());
    for row in &all {
        let named = row.properties().map(|p| p.name);
        let names: Vec<&str> = named.collect();
        let once: BTreeSet<&str> = names.iter().copied().collect();
        assert_eq!(names.len(), once.len(), "{}", row.id());
        assert!(
            !row.about.is_empty() && !row.example.is_empty(),
            "{}",
            row.id()
        );
        for property in row.properties() {
            assert!(!property.about.is_empty(), "{} {}", row.id(), property.name);
        }
    }
    for kind in promptc::source::KINDS {
        assert!(all.iter().any(|row| row.name == kind.word), "{}", kind.word);
    }
}

/// The mark before a table that is generated from the grammar. It lists the rows: `ID` is a node, `ID.*` all its
/// properties, `ID.NAME` one of them, `*` all nodes of the top level.
const MARK: &str = "<!-- Generated from src/manifest/grammar: ";

/// `UPDATE_DOCS=1` writes them.
#[test]
fn the_tables_of_the_pages_are_current() {
    let mut tables = 0;
    for path in ["docs/language.md", "docs/overlays.md", "docs/scan.md"] {
        let page = Page::read(path);
        let mut out = String::new();
        let mut rest = page.text.as_str();
        while let Some((before, after)) = rest.split_once(MARK) {
            let (items, after) = after.split_once(" -->\n").unwrap();
            let end = after.find("\n\n").unwrap() + 1;
            out += &format!("{before}{MARK}{items} -->\n{}", table(items));
            rest = &after[end..];
            tables += 1;
        }
        out += rest;
        if out == page.text {
            continue;
        }
        assert!(
            std::env::var_os("UPDATE_DOCS").is_some(),
            "{path} is not current: run it with UPDATE_DOCS=1"
        );
        std::fs::write(top().join(path), out).unwrap();
    }
    assert!(tables >= 12, "{tables}");
}

fn table(items: &str) -> String {
    let all = grammar::all();
    let find = |id: &str| all.iter().copied().find(|row| row.id() == id);
    let items: Vec<&str> = items.split(' ').collect();
    let mut lines = Vec::new();
    for item in &items {
        if *item == "*" {
            lines.extend(grammar::top_level().0.into_iter().map(line));
        } else if let Some(row) = find(item) {
            lines.push(line(row));
        } else {
            let (id, name) = item.rsplit_once('.').unwrap();
            let row = find(id).unwrap_or_else(|| panic!("there is no node {id}"));
            let own = items[0].split('.').next() == Some(id) || items[0] == *item;
            let of = if own { "" } else { row.name };
            let those = row.properties().filter(|p| name == "*" || p.name == name);
            lines.extend(those.map(|property| setting(property, of)));
        }
    }
    let nodes = lines.iter().filter(|line| !line.contains('=')).count();
    let head = match (
        items.iter().all(|i| i.ends_with(".*")),
        nodes == lines.len(),
    ) {
        (true, _) => "Property",
        (_, true) => "Node",
        _ => "Property or node",
    };
    format!("| {head} | Meaning |\n|---|---|\n{}\n", lines.join("\n"))
}

fn line(row: &Row) -> String {
    let arguments: String = row
        .arguments
        .iter()
        .map(|a| format!(" {}", a.written()))
        .collect();
    let braces = match row.children().next() {
        Some(_) => " { … }",
        None => "",
    };
    let written = match row.arguments {
        [
            Argument {
                takes: Type::Template,
                ..
            },
        ] => {
            format!(
                "`{name} \"TEMPLATE\"`, `{name} file=\"FILE\"`",
                name = row.name
            )
        }
        _ => format!("`{}{arguments}{braces}`", row.name),
    };
    cells(&written, row.about)
}

fn setting(property: &Property, of: &str) -> String {
    let of = if of.is_empty() {
        String::new()
    } else {
        format!(" of `{of}`")
    };
    let default = property
        .default
        .map(|value| format!(" (default `{value}`)"));
    let about = format!("{}{}", property.about, default.unwrap_or_default());
    cells(&format!("`{}`{of}", property.written()), &about)
}

fn cells(first: &str, second: &str) -> String {
    let cell = |text: &str| text.replace('|', "\\|");
    format!("| {} | {} |", cell(first), cell(second))
}
