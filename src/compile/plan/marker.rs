//! The markers of budgets that write none, and the placeholder of scans that write none.

use crate::manifest::Unit;
use crate::prompt::{DEFAULT_MARKER, Ingredient, sha256};
use crate::template::Engine;
use crate::text::tokens::Tokenizer;

/// The key of the marker that a budget without `marker` uses.
pub(in crate::compile) fn default_marker(unit: Unit) -> String {
    format!("{DEFAULT_MARKER}{}", unit.word())
}

/// The key of the placeholder that a scan without `placeholder` uses.
pub(in crate::compile) const DEFAULT_PLACEHOLDER: &str = "default-placeholder";

/// The placeholder of scans that write none.
pub(super) fn add_default_placeholder(engine: &mut Engine) {
    let source = "[{{ label }} left out: {{ findings | map(attribute='id') | join(', ') }}]";
    let ingredient = Ingredient::Template {
        file: DEFAULT_PLACEHOLDER.to_owned(),
        line: None,
        sha256: sha256(source),
    };
    // As with the markers.
    engine.add_analysed_template(DEFAULT_PLACEHOLDER, source.into(), ingredient);
}

/// The markers of budgets that write none.
pub(super) fn add_default_markers(engine: &mut Engine) {
    let tokens = Unit::Tokens(Tokenizer::O200K);
    for unit in Unit::PLAIN.into_iter().chain([tokens]) {
        let source = format!(
            "\n\n[… {{{{ label }}}}: {{{{ omitted }}}} of {{{{ total }}}} {} left out …]\n\n",
            unit.word()
        );
        let ingredient = Ingredient::Template {
            file: default_marker(unit),
            line: None,
            sha256: sha256(&source),
        };
        // The source is a constant of this file; that it compiles is what every cut with a default marker tests.
        engine.add_analysed_template(&default_marker(unit), source.into(), ingredient);
    }
}
