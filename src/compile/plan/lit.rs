//! The types that facts may have in place of a literal.

use super::names;
use super::programs::Programs;
use super::why::Why;
use crate::diagnostic::span::Spanned;
use crate::diagnostic::{self as codes, Diagnostic};
use crate::manifest::{FactType, Lit};

pub(super) fn is_label(kind: FactType) -> bool {
    names::is_text(kind)
}

pub(super) fn is_path(kind: FactType) -> bool {
    matches!(kind, FactType::String | FactType::List)
}

pub(super) fn is_size(kind: FactType) -> bool {
    kind == FactType::Int
}

pub(super) fn is_fraction(kind: FactType) -> bool {
    matches!(kind, FactType::Int | FactType::Float)
}

/// Checks a `(fact)NAME` and returns its dependencies. The type of a let is unknown before it is computed.
pub(super) fn lit<T>(lit: &Lit<T>, fits: fn(FactType) -> bool, programs: &mut Programs<'_>) -> Why {
    let Lit::Fact(name) = lit else {
        return Why::default();
    };
    programs.note_read(&name.value);
    let all = [FactType::String, FactType::Int];
    let kind = all.into_iter().find(|kind| fits(*kind));
    let kind = kind.map_or("string", FactType::name);
    match programs.fact(&name.value) {
        Some(fact) if !fits(fact.kind.value) => {
            programs.diags.push(
                Diagnostic::error(
                    codes::FACT_NOT_USABLE,
                    format!(
                        "`{}` is a {}, which is not allowed here",
                        name.value,
                        fact.kind.value.name()
                    ),
                )
                .at(name.span)
                .related(fact.kind.span, "declared here")
                .help(format!("a fact of the type `{kind}` may stand here")),
            );
        }
        Some(_) => {}
        None if programs.is_let(&name.value) => {}
        None => names::unknown_fact(programs.manifest, name, kind, programs.diags),
    }
    if programs.is_private(&name.value) {
        programs.diags.push(
            Diagnostic::error(
                codes::FACT_NOT_USABLE,
                format!(
                    "`{}` is private, and a value here is shown in maps and messages",
                    name.value
                ),
            )
            .at(name.span)
            .help("a private value may be tested and printed, and nothing else"),
        );
    }
    programs.name_why(&name.value, name.span)
}

pub(super) fn text_fact(name: &Spanned<String>, programs: &mut Programs<'_>) {
    programs.note_read(&name.value);
    match programs.fact(&name.value) {
        Some(fact) if !names::is_text(fact.kind.value) => {
            let kind = fact.kind.value.name();
            programs.diags.push(
                Diagnostic::error(
                    codes::FACT_NOT_USABLE,
                    format!(
                        "`{}` is a {kind}, and only a string, number or date can be text",
                        name.value
                    ),
                )
                .at(name.span)
                .related(fact.kind.span, "declared here")
                .help("print it with a template, such as {{ x | join(', ') }} or {{ x | json }}"),
            );
        }
        Some(_) => {}
        None if programs.is_let(&name.value) => {}
        None => names::unknown_fact(programs.manifest, name, "string", programs.diags),
    }
}
