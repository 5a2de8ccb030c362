//! Writing HTML. What is no part of the program can get into a page only as text or as the value of an attribute, and both
//! are escaped.

use crate::report::escape::{self, plain, plain_lines};
use serde::Serialize;
use std::borrow::Cow;

/// A page, or a part of one.
#[derive(Debug, Default)]
pub(in crate::report) struct Html {
    text: String,
    /// The prefix of its ids, so that parts with equal ids can stand in one page.
    scope: String,
}

/// The attributes that name elements by their ids.
const NAMES: [&str; 4] = ["id", "for", "aria-labelledby", "aria-describedby"];

/// Attributes: a name of the program, a value from anywhere.
pub(in crate::report) type Attrs<'a> = &'a [(&'static str, &'a str)];

impl Html {
    /// A part whose ids begin with `scope`.
    pub(in crate::report) fn scoped(scope: impl Into<String>) -> Self {
        Self {
            text: String::new(),
            scope: scope.into(),
        }
    }

    /// Adds a part.
    pub(in crate::report) fn append(&mut self, part: &Self) {
        self.text.push_str(&part.text);
    }

    /// The length of the markup, in bytes.
    pub(in crate::report) fn len(&self) -> usize {
        self.text.len()
    }

    /// Whether an element has this id.
    pub(in crate::report) fn has(&self, id: &str) -> bool {
        self.text.contains(&format!(" id=\"{}{id}\"", self.scope))
    }

    /// The markup.
    pub(in crate::report) fn into_string(self) -> String {
        self.text
    }

    /// Markup that stands in the program.
    pub(in crate::report) fn markup(&mut self, markup: &'static str) {
        self.text.push_str(markup);
    }

    /// The beginning of an element; an attribute without a value stands as its name.
    pub(in crate::report) fn open(&mut self, tag: &'static str, attrs: Attrs<'_>) {
        self.begin(tag, attrs);
        self.text.push('>');
    }

    /// An element of a picture that has no content.
    pub(in crate::report) fn shape(&mut self, tag: &'static str, attrs: Attrs<'_>) {
        self.begin(tag, attrs);
        self.text.push_str("/>");
    }

    fn begin(&mut self, tag: &'static str, attrs: Attrs<'_>) {
        self.text.push('<');
        self.text.push_str(tag);
        for (name, value) in attrs {
            self.text.push(' ');
            self.text.push_str(name);
            if !value.is_empty() {
                self.text.push_str("=\"");
                escape::html(&plain(&self.in_scope(name, value)), false, &mut self.text);
                self.text.push('"');
            }
        }
    }

    fn in_scope<'v>(&self, name: &str, value: &'v str) -> Cow<'v, str> {
        match value.strip_prefix('#') {
            _ if self.scope.is_empty() => value.into(),
            Some(id) if name == "href" => format!("#{}{id}", self.scope).into(),
            _ if NAMES.contains(&name) => {
                let ids = value.split(' ').map(|id| format!("{}{id}", self.scope));
                ids.collect::<Vec<_>>().join(" ").into()
            }
            _ => value.into(),
        }
    }

    /// The end of an element.
    pub(in crate::report) fn close(&mut self, tag: &'static str) {
        self.text.push_str("</");
        self.text.push_str(tag);
        self.text.push('>');
    }

    /// A text; what controls a terminal or is not seen stands as its number.
    pub(in crate::report) fn text(&mut self, text: &str) {
        escape::html(&plain_lines(text), true, &mut self.text);
    }

    /// A sentence, in which names between backquotes are set as code.
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

    /// The data that the script of the page reads.
    pub(in crate::report) fn data(&mut self, value: &impl Serialize) {
        self.text
            .push_str("<script type=\"application/json\" id=\"data\">");
        let json = serde_json::to_string(value).unwrap_or_default();
        self.text.push_str(&escape::json_in_html(&json));
        self.text.push_str("</script>");
    }

    /// A text of a prompt, character by character; one that is not seen stands as an element with its number.
    pub(in crate::report) fn verbatim(&mut self, text: &str) {
        let mut rest = text;
        while let Some(at) = rest.find(escape::is_hidden) {
            let (seen, from) = rest.split_at(at);
            escape::html(seen, true, &mut self.text);
            let c = from.chars().next().unwrap_or_default();
            let number = format!("U+{:04X}", u32::from(c));
            self.leaf("i", &[("data-u", &number)], "");
            rest = &from[c.len_utf8()..];
        }
        escape::html(rest, true, &mut self.text);
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
    fn ids_of_a_part_begin_with_its_scope() {
        let mut html = Html::scoped("s1-");
        html.open(
            "a",
            &[
                ("id", "x"),
                ("href", "#y"),
                ("aria-labelledby", "x z"),
                ("title", "#y"),
            ],
        );
        assert!(html.has("x") && !html.has("y"));
        assert_eq!(
            html.into_string(),
            "<a id=\"s1-x\" href=\"#s1-y\" aria-labelledby=\"s1-x s1-z\" title=\"#y\">"
        );
    }

    #[test]
    fn names_between_marks_are_code() {
        assert_eq!(drawn(|h| h.prose("a `b<` c")), "a <code>b&lt;</code> c");
        assert_eq!(drawn(|h| h.prose("a `b")), "a `b");
        assert_eq!(drawn(|h| h.prose("``")), "<code></code>");
    }
}
