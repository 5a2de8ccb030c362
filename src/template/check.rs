//! The checks on what a program uses, as diagnostics.

use super::analyse::{Analysis, Use};
use super::builtin::{FILTERS, FUNCTIONS, TESTS};
use crate::diagnostic::span::Span;
use crate::diagnostic::{
    Code, Diagnostic, Diagnostics, FUNCTION_NOT_HERE, UNKNOWN_ATTRIBUTE, UNKNOWN_FILTER,
    UNKNOWN_FUNCTION, UNKNOWN_NAME, UNKNOWN_TEST, suggest,
};
use crate::manifest::model::Program;
use crate::prompt::drift::Change;
use crate::text::document::Document;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The names at the location of a program.
#[derive(Debug, Clone, Default)]
pub struct NamesInScope {
    /// Facts, lets, and what else the place offers. For a template that others include or extend, also the
    /// [`Analysis::sets`] of those.
    pub names: Arc<BTreeSet<String>>,
    /// The names that hold documents, for [`super::analyse::template`].
    pub document_lists: BTreeSet<String>,
    /// The items of these lists, if not documents.
    pub listed: Listed,
    /// Whether `exists()` may be called here.
    pub exists: bool,
    /// Whether `loaded()` may be called here.
    pub loaded: bool,
    /// All lets and their positions: one that is not among the names is below.
    pub lets: Arc<BTreeMap<String, Span>>,
    /// Names that an overlay took away, and where.
    pub removed: Arc<BTreeMap<String, Span>>,
}

/// The items of the lists that a program sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Listed {
    /// Documents.
    #[default]
    Documents,
    /// Layers that have changed since a prompt was frozen.
    Changes,
}

impl Listed {
    fn attributes(self) -> &'static [&'static str] {
        match self {
            Self::Documents => Document::ATTRIBUTES,
            Self::Changes => Change::ATTRIBUTES,
        }
    }

    /// One of them, their list, and a short name for a loop.
    fn words(self) -> [&'static str; 3] {
        match self {
            Self::Documents => ["document", "documents", "d"],
            Self::Changes => ["change", Change::LIST, "c"],
        }
    }
}

impl Analysis {
    /// Reports every missing name that the program uses.
    pub fn check(&self, known: &NamesInScope, program: &Program, diagnostics: &mut Diagnostics) {
        for problem in &self.problems {
            diagnostics.push(problem.diagnostic(program));
        }
        for used in &self.names {
            if !used.maybe_set && !known.names.contains(&used.name) {
                let (name, span) = (&used.name, program.span_of(used.range.clone()));
                let message = format!("nothing here is called `{name}`");
                let found = Diagnostic::error(UNKNOWN_NAME, message).at(span);
                diagnostics.push_with(found, |found| {
                    let found = unknown_name(name, span, known, found);
                    match known.removed.get(name) {
                        Some(at) => found.related(*at, "removed here"),
                        None => found,
                    }
                });
            }
        }
        for (uses, all, code, what) in [
            (
                &self.attributes,
                known.listed.attributes(),
                UNKNOWN_ATTRIBUTE,
                known.listed.words()[0],
            ),
            (&self.filters, FILTERS, UNKNOWN_FILTER, "filter"),
            (&self.tests, TESTS, UNKNOWN_TEST, "test"),
            (&self.functions, FUNCTIONS, UNKNOWN_FUNCTION, "function"),
        ] {
            for used in uses.iter().filter(|u| !all.contains(&&*u.name)) {
                diagnostics.push(unknown(used, all, code, what, program));
            }
        }
        self.check_place(known, program, diagnostics);
    }

    fn check_place(&self, known: &NamesInScope, program: &Program, diagnostics: &mut Diagnostics) {
        for used in &self.functions {
            let allowed = match used.name.as_str() {
                "exists" => known.exists,
                "loaded" => known.loaded,
                _ => true,
            };
            if !allowed {
                let message = format!("{}() cannot be asked here", used.name);
                diagnostics.push(
                    Diagnostic::error(FUNCTION_NOT_HERE, message)
                        .at(program.span_of(used.range.clone()))
                        .help(
                            "ask it in the `when` of a layer or source, or in a layer's template",
                        ),
                );
            }
        }
    }
}

fn unknown(
    used: &Use,
    all: &'static [&'static str],
    code: Code,
    what: &str,
    program: &Program,
) -> Diagnostic {
    let span = program.span_of(used.range.clone());
    let message = match code {
        UNKNOWN_ATTRIBUTE => format!("no {what} has an attribute `{}`", used.name),
        _ => format!("there is no {what} `{}`", used.name),
    };
    let diagnostic = Diagnostic::error(code, message).at(span);
    if let Some(near) = suggest::nearest(&used.name, all.iter().copied()) {
        return diagnostic
            .help(format!("did you mean `{near}`?"))
            .suggest(span, near);
    }
    match (code, used.name.as_str()) {
        (UNKNOWN_FILTER, "tojson") => diagnostic.help("`json` writes JSON").suggest(span, "json"),
        (UNKNOWN_FILTER, "e" | "escape") => {
            diagnostic.help("nothing is escaped by itself; `xml` escapes for XML")
        }
        (UNKNOWN_FILTER, "safe") => {
            diagnostic.help("nothing is escaped, so there is no need for it")
        }
        (UNKNOWN_ATTRIBUTE | UNKNOWN_FUNCTION, _) => {
            diagnostic.help(format!("there are {}", suggest::list(all.iter().copied())))
        }
        _ => diagnostic,
    }
}

/// The help for an unknown name.
fn unknown_name(
    name: &str,
    span: Span,
    known: &NamesInScope,
    diagnostic: Diagnostic,
) -> Diagnostic {
    if let Some(at) = known.lets.get(name) {
        return diagnostic
            .related(*at, "it is here")
            .help(format!("a `let` sees those above it: move `let {name}` up"));
    }
    if let Some(near) = suggest::nearest(name, known.names.iter().map(String::as_str)) {
        return diagnostic
            .help(format!("did you mean `{near}`?"))
            .suggest(span, near);
    }
    if known.listed.attributes().contains(&name) {
        let [one, all, short] = known.listed.words();
        return diagnostic.help(format!(
            "`{name}` is an attribute of a {one}: write it after one, as in {{% for {short} in {all} %}}{{{{ {short}.{name} }}}}{{% endfor %}}"
        ));
    }
    match name {
        "capacity" => diagnostic.help(
            "`capacity` is known in the template of a layer whose content has a memory with it: memory \"FILE\" capacity=N",
        ),
        "content" | "documents" | "entries" | "dropped" => diagnostic.help(format!(
            "`{name}` is known in the template of a layer that has content"
        )),
        Change::LIST => diagnostic.help("`changes` is known in the template of a session's `reminder`"),
        "kept_head" | "kept_tail" | "omitted" => {
            diagnostic.help(format!("`{name}` is known in the `marker` of a budget"))
        }
        _ => diagnostic.help(format!("declare it: fact {name} string")),
    }
}
