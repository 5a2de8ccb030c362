//! Literals of content nodes, and facts that stand in their place.

use super::gather::Gatherer;
use crate::compile::bound;
use crate::compile::plan::Node;
use crate::compile::unusable::unusable;
use crate::diagnostic::Reported;
use crate::fact::FactValue;
use crate::manifest::Lit;
use crate::span::Span;
use std::sync::Arc;

impl Gatherer<'_> {
    /// The strings that arguments stand for; a list stands for several, a missing fact for none.
    pub(super) fn strings(&mut self, lits: &[Lit<String>]) -> Result<Vec<String>, Reported> {
        let mut out = Vec::new();
        for lit in lits {
            match lit {
                Lit::Value(v) => out.push(v.value.clone()),
                Lit::Fact(name) => {
                    let read = bound::lit_value(self.bound, &mut self.record, &name.value);
                    match read {
                        None => {}
                        Some(FactValue::List(items)) => {
                            for item in &items {
                                match item {
                                    serde_json::Value::String(s) => out.push(s.clone()),
                                    _ => {
                                        return Err(self.unusable(
                                            &name.value,
                                            name.span,
                                            "a list of strings",
                                        ));
                                    }
                                }
                            }
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

    /// `label=` or `about=`, if written and not missing.
    pub(super) fn string(
        &mut self,
        lit: Option<&Lit<String>>,
    ) -> Result<Option<Arc<str>>, Reported> {
        match lit {
            None => Ok(None),
            Some(Lit::Value(v)) => Ok(Some(v.value.as_str().into())),
            Some(Lit::Fact(name)) => {
                match bound::lit_value(self.bound, &mut self.record, &name.value) {
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

    pub(super) fn label(&mut self, node: &Node) -> Result<Option<Arc<str>>, Reported> {
        self.string(node.label.as_ref())
    }

    pub(super) fn unusable(&mut self, name: &str, span: Span, wanted: &str) -> Reported {
        self.report(unusable(name, span, wanted))
    }
}
