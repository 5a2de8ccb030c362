//! Names as sources write them: `"{platform}.md"`.

use crate::diagnostic::span::{Literal, Spanned};
use std::ops::Range;

/// The argument of a source: the name of a file or folder, or a pattern of names.
#[derive(Debug, Clone)]
pub enum FileName {
    /// Written out.
    Written {
        /// As written, braces and all.
        written: Spanned<String>,
        /// Its pieces, in order.
        parts: Vec<NamePart<Spanned<String>>>,
    },
    /// `(fact)NAME`: the value of a fact or let; a list gives several names.
    Fact(Spanned<String>),
}

/// A piece of a file's name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NamePart<F> {
    /// These characters.
    Text(String),
    /// `{NAME}`: the value of a fact or let, which must be one plain component.
    Fact(F),
}

/// Braces in a name that do not name a fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameFault {
    /// Where, in bytes of the name.
    pub at: Range<usize>,
    /// The error.
    pub why: &'static str,
}

impl FileName {
    /// Reads a name that is written out.
    ///
    /// # Errors
    /// When a brace does not belong to a `{NAME}` and is not doubled.
    pub fn parse(literal: &Literal) -> Result<Self, NameFault> {
        let spanned = |part: NamePart<Range<usize>>| match part {
            NamePart::Text(text) => NamePart::Text(text),
            NamePart::Fact(at) => NamePart::Fact(Spanned::new(
                literal.text[at.clone()].to_owned(),
                literal.span_of(at),
            )),
        };
        Ok(Self::Written {
            written: Spanned::new(literal.text.to_string(), literal.span),
            parts: parts(&literal.text)?.into_iter().map(spanned).collect(),
        })
    }

    /// Its form in the manifest: the name, or that of its fact.
    #[must_use]
    pub fn written(&self) -> &str {
        match self {
            Self::Written { written, .. } => &written.value,
            Self::Fact(name) => &name.value,
        }
    }

    /// Whether it is written without facts, in a form that is the name itself: a doubled brace is none.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.constant() == Some(self.written())
    }

    /// The facts and lets that it is made of.
    pub fn facts(&self) -> impl Iterator<Item = &Spanned<String>> {
        let (whole, parts) = match self {
            Self::Fact(name) => (Some(name), &[][..]),
            Self::Written { parts, .. } => (None, &parts[..]),
        };
        let inside = parts.iter().filter_map(|part| match part {
            NamePart::Fact(name) => Some(name),
            NamePart::Text(_) => None,
        });
        whole.into_iter().chain(inside)
    }

    /// The name, if it has one and no fact is part of it.
    #[must_use]
    pub fn constant(&self) -> Option<&str> {
        match self {
            Self::Written { parts, .. } => match parts.as_slice() {
                [NamePart::Text(text)] => Some(text),
                _ => None,
            },
            Self::Fact(_) => None,
        }
    }
}

/// The pieces of a name: facts by the locations of their names. A literal brace is doubled: `{{` and `}}`.
///
/// # Errors
/// When a brace does not belong to a `{NAME}` and is not doubled.
pub fn parts(name: &str) -> Result<Vec<NamePart<Range<usize>>>, NameFault> {
    let mut out = Vec::new();
    let mut text = String::new();
    let mut at = 0;
    while let Some(c) = name[at..].chars().next() {
        let next = at + c.len_utf8();
        let doubled = name[next..].starts_with(c);
        match c {
            '{' | '}' if doubled => {
                text.push(c);
                at = next + 1;
                continue;
            }
            '{' => {
                let fact = fact(name, next)?;
                at = fact.end + 1;
                if !text.is_empty() {
                    out.push(NamePart::Text(std::mem::take(&mut text)));
                }
                out.push(NamePart::Fact(fact));
                continue;
            }
            '}' => {
                return Err(NameFault {
                    at: at..next,
                    why: "this brace closes nothing",
                });
            }
            c => text.push(c),
        }
        at = next;
    }
    if !text.is_empty() {
        out.push(NamePart::Text(text));
    }
    Ok(out)
}

/// The name of the fact that begins at `start`, after its brace.
fn fact(name: &str, start: usize) -> Result<Range<usize>, NameFault> {
    let Some(length) = name[start..].find('}') else {
        return Err(NameFault {
            at: start - 1..start,
            why: "this brace is not closed",
        });
    };
    let inside = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let fact = &name[start..start + length];
    if fact.is_empty()
        || fact.starts_with(|c: char| c.is_ascii_digit())
        || !fact.chars().all(inside)
    {
        return Err(NameFault {
            at: start - 1..start + length + 1,
            why: "these braces hold no name of a fact",
        });
    }
    Ok(start..start + length)
}

/// Whether a value may be in a name: one plain component, which cannot lead to another folder.
#[must_use]
pub fn is_component(value: &str) -> bool {
    !value.is_empty()
        && value != "."
        && value != ".."
        && !value.contains(|c: char| matches!(c, '/' | '\\') || c.is_control())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(name: &str) -> Result<String, &'static str> {
        let parts = parts(name).map_err(|fault| fault.why)?;
        let one = |part: &NamePart<Range<usize>>| match part {
            NamePart::Text(text) => format!("[{text}]"),
            NamePart::Fact(at) => format!("<{}>", &name[at.clone()]),
        };
        Ok(parts.iter().map(one).collect())
    }

    #[test]
    fn names_are_taken_apart() {
        assert_eq!(shown("a.md").as_deref(), Ok("[a.md]"));
        assert_eq!(shown("").as_deref(), Ok(""));
        assert_eq!(shown("{p}.md").as_deref(), Ok("<p>[.md]"));
        assert_eq!(shown("x/{p}{q_2}é").as_deref(), Ok("[x/]<p><q_2>[é]"));
        assert_eq!(shown("{{a}}{{{b}}}").as_deref(), Ok("[{a}{]<b>[}]"));
    }

    #[test]
    fn braces_are_closed_and_hold_a_name() {
        assert_eq!(shown("{a"), Err("this brace is not closed"));
        assert_eq!(shown("a}"), Err("this brace closes nothing"));
        for name in ["{}", "{a b}", "{1a}", "{a.b}", "{é}", "{ a }"] {
            let why = "these braces hold no name of a fact";
            assert_eq!(shown(name), Err(why), "{name}");
        }
    }

    #[test]
    fn components_are_plain() {
        for value in ["a", "a.b", "...", "é f", "-", "~"] {
            assert!(is_component(value), "{value}");
        }
        for value in ["", ".", "..", "a/b", "/a", "a\\b", "a\nb", "\u{0}"] {
            assert!(!is_component(value), "{value:?}");
        }
    }
}
