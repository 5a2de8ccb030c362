//! Writing HTML. What is no part of the program can get into a page only as text or as the value of an attribute, and both
//! are escaped.

use crate::report::escape::{self, plain, plain_lines};
use serde::Serialize;

/// A page, or a part of one.
#[derive(Debug, Default)]
pub(in crate::report) struct Html(String);

/// Attributes: a name of the program, a value from anywhere.
pub(in crate::report) type Attrs<'a> = &'a [(&'static str, &'a str)];

impl Html {
    /// One part behind another.
    pub(in crate::report) fn joined(mut front: Self, behind: Self) -> Self {
        front.0.push_str(&behind.0);
        front
    }

    /// Whether an element has this id.
    pub(in crate::report) fn has(&self, id: &str) -> bool {
        self.0.contains(&format!(" id=\"{id}\""))
    }

    /// The markup.
    pub(in crate::report) fn into_string(self) -> String {
        self.0
    }

    /// Markup that stands in the program.
    pub(in crate::report) fn markup(&mut self, markup: &'static str) {
        self.0.push_str(markup);
    }

    /// The beginning of an element; an attribute without a value stands as its name.
    pub(in crate::report) fn open(&mut self, tag: &'static str, attrs: Attrs<'_>) {
        self.0.push('<');
        self.0.push_str(tag);
        for (name, value) in attrs {
            self.0.push(' ');
            self.0.push_str(name);
            if !value.is_empty() {
                self.0.push_str("=\"");
                escape::html(&plain(value), false, &mut self.0);
                self.0.push('"');
            }
        }
        self.0.push('>');
    }

    /// The end of an element.
    pub(in crate::report) fn close(&mut self, tag: &'static str) {
        self.0.push_str("</");
        self.0.push_str(tag);
        self.0.push('>');
    }

    /// A text; what controls a terminal or is not seen stands as its number.
    pub(in crate::report) fn text(&mut self, text: &str) {
        escape::html(&plain_lines(text), true, &mut self.0);
    }

    /// The same, of a sentence with names between backquotes, which are set as code.
    pub(in crate::report) fn prose(&mut self, text: &str) {
        let mut parts = text.split('`').peekable();
        let mut is_code = false;
        while let Some(part) = parts.next() {
            match (is_code, parts.peek().is_some()) {
                (true, true) => self.leaf("code", &[], part),
                // A last mark that nothing closes is a mark.
                (true, false) => self.text(&format!("`{part}")),
                (false, _) => self.text(part),
            }
            is_code = !is_code;
        }
    }

    /// An element with a text.
    pub(in crate::report) fn leaf(&mut self, tag: &'static str, attrs: Attrs<'_>, text: &str) {
        self.open(tag, attrs);
        self.text(text);
        self.close(tag);
    }

    /// An element with a sentence.
    pub(in crate::report) fn said(&mut self, tag: &'static str, attrs: Attrs<'_>, text: &str) {
        self.open(tag, attrs);
        self.prose(text);
        self.close(tag);
    }

    /// What the script of the page reads.
    pub(in crate::report) fn data(&mut self, value: &impl Serialize) {
        self.0
            .push_str("<script type=\"application/json\" id=\"data\">");
        let json = serde_json::to_string(value).unwrap_or_default();
        self.0.push_str(&escape::json_in_html(&json));
        self.0.push_str("</script>");
    }

    /// A text of a prompt, character by character; one that is not seen stands as an element with its number.
    pub(in crate::report) fn verbatim(&mut self, text: &str) {
        let mut rest = text;
        while let Some(at) = rest.find(escape::is_hidden) {
            let (seen, from) = rest.split_at(at);
            escape::html(seen, true, &mut self.0);
            let c = from.chars().next().unwrap_or_default();
            let number = format!("U+{:04X}", u32::from(c));
            self.leaf("i", &[("data-u", &number)], "");
            rest = &from[c.len_utf8()..];
        }
        escape::html(rest, true, &mut self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::Html;

    fn drawn(draw: impl FnOnce(&mut Html)) -> String {
        let mut html = Html::default();
        draw(&mut html);
        html.into_string()
    }

    #[test]
    fn nothing_from_outside_is_markup() {
        let bad = "</script><img src=x onerror=\"a\">&\r\u{0}\u{202e}";
        assert_eq!(
            drawn(|h| h.leaf("p", &[("title", bad)], bad)),
            "<p title=\"&lt;/script&gt;&lt;img src=x onerror=&quot;a&quot;&gt;&amp;\\r\\u{0}\\u{202e}\">\
             &lt;/script&gt;&lt;img src=x onerror=&quot;a&quot;&gt;&amp;\\r\\u{0}\\u{202e}</p>"
        );
        assert_eq!(
            drawn(|h| h.verbatim("a::b\n ::stop::x\n##[group]")),
            "a::b\n &#58;:stop::x\n&#35;#[group]"
        );
        assert_eq!(
            drawn(|h| h.verbatim("<b>\té\n\u{200b}\r")),
            "&lt;b&gt;\té\n<i data-u=\"U+200B\"></i><i data-u=\"U+000D\"></i>"
        );
    }

    #[test]
    fn names_between_marks_are_code() {
        assert_eq!(drawn(|h| h.prose("a `b<` c")), "a <code>b&lt;</code> c");
        assert_eq!(drawn(|h| h.prose("a `b")), "a `b");
        assert_eq!(drawn(|h| h.prose("``")), "<code></code>");
    }
}
