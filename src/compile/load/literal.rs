//! Literals of content nodes, and facts in their place.

use super::loader::ContentLoader;
use crate::compile::budget;
use crate::compile::plan::Node;
use crate::compile::unusable::unusable;
use crate::diagnostic::ErrorReported;
use crate::diagnostic::span::{Span, Spanned};
use crate::manifest::file_name::is_component;
use crate::manifest::{self, FileName, Lit, NamePart, Reading};
use crate::source::exclude::Exclude;
use crate::source::kind::Names;
use crate::source::place::Wanted;
use crate::source::wall;
use crate::template::fact::FactValue;
use crate::text::Json;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A name of a source with the values of its facts, each of which must be one plain component. A pattern is what it is.
pub(super) fn put_together(
    reading: &Reading,
    written: &str,
    parts: &[NamePart<Spanned<String>>],
    value: impl Fn(&str) -> Option<Arc<str>>,
) -> Wanted {
    if reading.kind.names == Names::Patterns {
        return Wanted::File(written.to_owned());
    }
    let mut out = String::new();
    for part in parts {
        match part {
            NamePart::Text(text) => out.push_str(text),
            NamePart::Fact(name) => match value(&name.value) {
                Some(value) if is_component(&value) => out.push_str(&value),
                _ => return Wanted::Nothing(written.to_owned()),
            },
        }
    }
    // Values that are plain alone can come together to something else, as two dots do.
    match wall::inside(&out) {
        Ok(()) => Wanted::File(out),
        Err(_) => Wanted::Nothing(written.to_owned()),
    }
}

/// A node `exclude` with the values of `names`.
pub(super) fn exclude(names: Vec<String>, written: &manifest::Exclude) -> Exclude {
    let beside = written.beside.as_ref().map(|file| file.text.to_string());
    Exclude { names, beside }
}

impl ContentLoader<'_> {
    /// The folders that are not entered.
    pub(super) fn excludes(
        &mut self,
        nodes: &[manifest::Exclude],
    ) -> Result<Vec<Exclude>, ErrorReported> {
        let mut one = |node: &manifest::Exclude| Ok(exclude(self.strings(&node.names)?, node));
        nodes.iter().map(&mut one).collect()
    }

    /// The values of arguments; a list gives several strings, a missing fact none.
    pub(super) fn strings(&mut self, lits: &[Lit<String>]) -> Result<Vec<String>, ErrorReported> {
        let mut out = Vec::new();
        for lit in lits {
            match lit {
                Lit::Value(v) => out.push(v.value.clone()),
                Lit::Fact(name) => {
                    let read = budget::lit_value(self.context.bound, &mut self.record, &name.value);
                    match read {
                        None => {}
                        Some(FactValue::List(items)) => {
                            let strings = items.items().iter().map(Json::as_text);
                            let Some(strings) = strings.collect::<Option<Vec<_>>>() else {
                                let fitting = "a list of strings";
                                return Err(self.unusable(&name.value, name.span, fitting));
                            };
                            out.extend(strings.into_iter().map(str::to_owned));
                        }
                        Some(value) => match value.printed() {
                            Some(text) => out.push(text.to_string()),
                            None => {
                                return Err(self.unusable(
                                    &name.value,
                                    name.span,
                                    "a string or a list of strings",
                                ));
                            }
                        },
                    }
                }
            }
        }
        Ok(out)
    }

    /// The names that a source looks for; a list gives several, a missing fact none.
    pub(super) fn names(&mut self, reading: &Reading) -> Result<Vec<Wanted>, ErrorReported> {
        let mut out = Vec::new();
        for name in &reading.names {
            match name {
                FileName::Fact(name) => {
                    let names = self.strings(&[Lit::Fact(name.clone())])?;
                    out.extend(names.into_iter().map(Wanted::File));
                }
                FileName::Written { written, parts } => {
                    let mut values = BTreeMap::new();
                    for part in parts {
                        let NamePart::Fact(name) = part else { continue };
                        let value = self.string(Some(&Lit::Fact(name.clone())))?;
                        values.insert(name.value.as_str(), value);
                    }
                    let value = |name: &str| values.get(name).cloned().flatten();
                    out.push(put_together(reading, &written.value, parts, value));
                }
            }
        }
        Ok(out)
    }

    /// `label=` or `about=`, if written and not missing.
    pub(super) fn string(
        &mut self,
        lit: Option<&Lit<String>>,
    ) -> Result<Option<Arc<str>>, ErrorReported> {
        match lit {
            None => Ok(None),
            Some(Lit::Value(v)) => Ok(Some(v.value.as_str().into())),
            Some(Lit::Fact(name)) => {
                match budget::lit_value(self.context.bound, &mut self.record, &name.value) {
                    None => Ok(None),
                    Some(value) => match value.printed() {
                        Some(text) => Ok(Some(text)),
                        None => {
                            Err(self.unusable(&name.value, name.span, "a string, number or date"))
                        }
                    },
                }
            }
        }
    }

    /// The label of a node: its own, else the name of the layer.
    pub(super) fn label_of(&mut self, node: &Node) -> Result<Arc<str>, ErrorReported> {
        let label = self.string(node.label.as_ref())?;
        Ok(label.unwrap_or_else(|| self.context.layer.name.clone()))
    }

    pub(super) fn unusable(&mut self, name: &str, span: Span, wanted: &str) -> ErrorReported {
        self.report(unusable(name, span, wanted))
    }
}
