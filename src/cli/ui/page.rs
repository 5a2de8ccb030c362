//! Pages for stdout and stderr; the text that a command builds is not one of them.

use crate::report::{Document, markdown};
use crate::text::{TextKind, inert, inert_json};

/// A text that neither a terminal nor a host that reads a log obeys. Nothing else can be given to `Ui`.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Page {
    text: String,
    /// Whether it has colours, which are removed where the output is no terminal.
    drawn: bool,
}

impl Page {
    /// A page for people.
    pub(crate) fn drawn(text: impl AsRef<str>) -> Self {
        Self {
            text: inert(text.as_ref(), TextKind::Page),
            drawn: true,
        }
    }

    /// An answer as Markdown.
    pub(crate) fn markdown(document: &Document) -> Self {
        Self::drawn(markdown::draw(document))
    }

    /// A text from outside, whole; its own colours are escaped too.
    pub(crate) fn foreign(text: &str) -> Self {
        Self::drawn(inert(text, TextKind::Lines))
    }

    /// A value for programs: the same value, whatever is escaped of its strings.
    pub(crate) fn json(json: &str) -> Self {
        Self {
            text: inert_json(json),
            drawn: false,
        }
    }

    /// Commands for a host, which are to be obeyed: their parts are escaped where they are put together.
    pub(crate) fn commands(text: String) -> Self {
        Self { text, drawn: false }
    }

    /// Joins pages with an empty line between them, if there is none.
    pub(crate) fn apart(pages: impl IntoIterator<Item = Self>) -> Self {
        let pages = pages.into_iter().filter(|page| !page.text.is_empty());
        pages.fold(Self::default(), |all, page| {
            let apart = if all.text.is_empty() || all.text.ends_with("\n\n") {
                ""
            } else {
                "\n"
            };
            Self {
                text: all.text + apart + &page.text,
                drawn: page.drawn,
            }
        })
    }

    /// Whether nothing of `text` was changed.
    pub(super) fn is(&self, text: &str) -> bool {
        self.text == text
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn is_drawn(&self) -> bool {
        self.drawn
    }
}

impl FromIterator<Self> for Page {
    /// Concatenates pages of one kind.
    fn from_iter<I: IntoIterator<Item = Self>>(pages: I) -> Self {
        pages.into_iter().fold(Self::default(), |all, page| Self {
            text: all.text + &page.text,
            drawn: page.drawn,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Page;

    #[test]
    fn escaped_json_is_the_same_value() {
        let value =
            "##[group] ##vso[task.x] \u{9b}2J\u{7f}\u{1b} ::x:: é\u{200d}\u{2028} \\##[x]\\";
        let json = serde_json::to_string(value).unwrap();
        let page = Page::json(&json);
        let again: String = serde_json::from_str(page.text()).unwrap();
        assert_eq!(again, value);
        let works = |c: char| c.is_control();
        assert!(!page.text().contains("##") && !page.text().contains(works));
        assert!(Page::json("{\n  \"a\": \"é # ## b\"\n}\n").is("{\n  \"a\": \"é # ## b\"\n}\n"));
    }
}
