//! Builds in memory, with what must hold of every one of them.

use super::owners;
use promptc::compile::{FactsFile, GivenInputs, compile};
use promptc::diagnostic::span::{Files, Span};
use promptc::diagnostic::{Diagnostics, Severity};
use promptc::manifest;
use promptc::prompt::Prompt;
use promptc::world::MapWorld;
use std::path::Path;

/// Files beside a manifest `promptc.kdl`, by name.
pub(super) type Tree<'a> = [(&'a str, &'a [u8])];

/// The prompt of a tree and facts in JSON, or the codes of the errors.
///
/// It is built twice: both times the same must come out, down to the messages.
pub(super) fn build(tree: &Tree<'_>, facts: Option<&[u8]>) -> Result<Prompt, Vec<&'static str>> {
    let (first, told) = built(tree, facts);
    let (second, told_again) = built(tree, facts);
    assert_eq!(first, second, "the same inputs gave something else");
    assert_eq!(told, told_again, "the same inputs were told otherwise");
    if let Ok(prompt) = &first {
        owners::check(prompt, tree);
        let json = serde_json::to_string(prompt).unwrap();
        let back: Prompt = serde_json::from_str(&json).unwrap();
        assert_eq!(back, *prompt, "the artifact does not read back");
    }
    first
}

type Built = (Result<Prompt, Vec<&'static str>>, Vec<String>);

fn built(tree: &Tree<'_>, facts: Option<&[u8]>) -> Built {
    let world = tree.iter().fold(MapWorld::new(), |world, (name, bytes)| {
        world.file(Path::new("/base").join(name), *bytes)
    });
    let given = GivenInputs {
        facts: facts.map(file).into_iter().collect(),
        ..GivenInputs::default()
    };
    let (mut files, mut diags) = (Files::default(), Diagnostics::default());
    let result = manifest::open(&world, Some("/base/promptc.kdl"), &mut files, &mut diags)
        .and_then(|m| compile(&m, &given, &world, &mut files, &mut diags));
    check_told(&files, &diags);
    let errors = diags.iter().filter(|d| d.severity == Severity::Error);
    let codes: Vec<&'static str> = errors.map(|d| d.code.name).collect();
    let told = diags.iter().map(|d| format!("{d:?}")).collect();
    let result = match result {
        Ok(prompt) => {
            assert!(codes.is_empty(), "a prompt, and errors: {codes:?}");
            Ok(prompt)
        }
        Err(_) => {
            assert!(!codes.is_empty(), "no prompt, and no error");
            Err(codes)
        }
    };
    (result, told)
}

fn file(bytes: &[u8]) -> FactsFile {
    FactsFile::new("facts.json", bytes)
}

/// Every place that is told lies in its file, between two characters.
pub(super) fn check_told(files: &Files, diags: &Diagnostics) {
    for diagnostic in diags.iter() {
        assert!(!diagnostic.message.is_empty());
        let related = diagnostic.related.iter().map(|(span, _)| *span);
        let suggested = diagnostic.suggestion.iter().map(|s| s.span);
        for span in diagnostic.span.into_iter().chain(related).chain(suggested) {
            assert!(
                excerpt(files, span).is_some(),
                "{diagnostic:?} leads nowhere"
            );
        }
    }
}

fn excerpt(files: &Files, span: Span) -> Option<&str> {
    files.get(span.file).text.get(span.range())
}

/// A KDL string that says `text`.
pub(super) fn kdl(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() || !c.is_ascii() => {
                out.push_str(&format!("\\u{{{:x}}}", u32::from(c)));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
