//! Names of files and patterns in sources.

use crate::compile::plan::lit::{is_label, is_path, lit};
use crate::compile::plan::programs::Programs;
use crate::compile::plan::why::Why;
use crate::diagnostic::span::Literal;
use crate::diagnostic::{self as codes, Diagnostic};
use crate::manifest::{Exclude, FileName, Lit, NamePart};
use crate::source::pattern::{Name, Pattern};
use crate::source::wall;

/// Checks the name of a file and returns the facts in it.
pub(super) fn file_name(name: &FileName, programs: &mut Programs<'_>) -> Why {
    let (written, parts) = match name {
        FileName::Fact(name) => return lit::<()>(&Lit::Fact(name.clone()), is_path, programs),
        FileName::Written { written, parts } => (written, parts),
    };
    // A value is one plain component, so that any one represents all.
    let example: String = parts
        .iter()
        .map(|part| match part {
            NamePart::Text(text) => text.as_str(),
            NamePart::Fact(_) => "x",
        })
        .collect();
    if let Err(obstacle) = wall::inside(&example) {
        let obstacle = obstacle.about(&written.value);
        programs.diags.push(obstacle.diagnostic().at(written.span));
    }
    let facts = parts.iter().filter_map(|part| match part {
        NamePart::Text(_) => None,
        NamePart::Fact(name) => Some(Lit::<()>::Fact(name.clone())),
    });
    facts.fold(Why::default(), |mut why, fact| {
        why.add(lit(&fact, is_label, programs));
        why
    })
}

/// Checks a pattern of names and returns its dependencies.
pub(super) fn pattern(pattern: &FileName, programs: &mut Programs<'_>) -> Why {
    match pattern {
        FileName::Fact(name) => lit::<()>(&Lit::Fact(name.clone()), is_path, programs),
        FileName::Written { written, .. } => {
            if let Err(obstacle) = Pattern::parse(&written.value) {
                programs.diags.push(obstacle.diagnostic().at(written.span));
            }
            Why::default()
        }
    }
}

/// Checks the names of folders that are not entered.
pub(super) fn check_excludes(excludes: &[Exclude], programs: &mut Programs<'_>) {
    for name in excludes.iter().flat_map(|e| &e.names) {
        if let Lit::Value(name) = name
            && let Err(obstacle) = Name::parse(&name.value)
        {
            programs.diags.push(obstacle.diagnostic().at(name.span));
        }
    }
}

/// Checks patterns of texts.
pub(super) fn check_texts<'p>(
    patterns: impl Iterator<Item = &'p Lit<String>>,
    programs: &mut Programs<'_>,
) {
    for pattern in patterns {
        if let Lit::Value(pattern) = pattern
            && let Err(obstacle) = Name::of_text(&pattern.value)
        {
            programs.diags.push(obstacle.diagnostic().at(pattern.span));
        }
    }
}

/// A delimiter that no text holds once its line ends are LF.
pub(super) fn check_delimiter(delimiter: &Literal, newlines: bool, programs: &mut Programs<'_>) {
    if newlines && delimiter.text.contains('\r') {
        programs.diags.push(
            Diagnostic::error(
                codes::CONFLICTING_SETTINGS,
                "this delimiter is never found: the text has LF line ends when it is split",
            )
            .at(delimiter.span)
            .help("write \\n for the end of a line, or keep the others: newlines #false"),
        );
    }
}
