//! A reader of the pages that reports are: it knows the HTML that they are written in, and no more.

/// A tag of a page: its name and its attributes.
#[derive(Debug)]
pub(crate) struct Tag<'p> {
    /// Its name; that of an end begins with `/`.
    pub(crate) name: &'p str,
    /// Its attributes, unescaped.
    pub(crate) attrs: Vec<(&'p str, String)>,
}

impl Tag<'_> {
    /// The value of an attribute.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let found = self.attrs.iter().find(|(n, _)| *n == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// The content of a page in a browser, apart from its style and script: tags, and the texts between them.
pub(crate) enum Token<'p> {
    Tag(Tag<'p>),
    Text(String),
}

fn unescaped(text: &str) -> String {
    let text = text.replace("&lt;", "<").replace("&gt;", ">");
    let text = text.replace("&#58;", ":").replace("&#35;", "#");
    text.replace("&quot;", "\"").replace("&amp;", "&")
}

fn tag(inside: &str) -> Tag<'_> {
    let (name, mut rest) = inside.split_once(' ').unwrap_or((inside, ""));
    let mut attrs = Vec::new();
    while !rest.is_empty() {
        let end = rest.find([' ', '=']).unwrap_or(rest.len());
        let name = &rest[..end];
        rest = &rest[end..];
        match rest.strip_prefix("=\"") {
            Some(value) => {
                let (value, behind) = value.split_once('"').expect("a quoted value");
                attrs.push((name, unescaped(value)));
                rest = behind.trim_start_matches(' ');
            }
            None => {
                attrs.push((name, String::new()));
                rest = rest.trim_start_matches(' ');
            }
        }
    }
    Tag { name, attrs }
}

/// All that there is in a page, in order.
pub(crate) fn tokens(page: &str) -> Vec<Token<'_>> {
    let mut out = Vec::new();
    let mut rest = page;
    while let Some(at) = rest.find('<') {
        if at > 0 {
            out.push(Token::Text(unescaped(&rest[..at])));
        }
        let (inside, behind) = rest[at + 1..].split_once('>').expect("an end of the tag");
        let found = tag(inside);
        rest = behind;
        // Nothing inside of these two is markup.
        if let "script" | "style" = found.name {
            let end = if found.name == "script" {
                "</script>"
            } else {
                "</style>"
            };
            rest = &rest[rest.find(end).expect("its end")..];
        }
        out.push(Token::Tag(found));
    }
    out
}

/// The texts of a page without its tags.
pub(crate) fn said(page: &str) -> String {
    let text = |token| match token {
        Token::Text(text) => Some(text),
        Token::Tag(_) => None,
    };
    tokens(page).into_iter().filter_map(text).collect()
}

/// Ids are met once, and all that is named and linked is there.
pub(crate) fn is_linked(page: &str) {
    let found = tokens(page);
    let tags = found.iter().filter_map(|token| match token {
        Token::Tag(tag) => Some(tag),
        Token::Text(_) => None,
    });
    let mut ids = std::collections::BTreeSet::new();
    for id in tags.clone().filter_map(|tag| tag.get("id")) {
        assert!(ids.insert(id), "{id}");
    }
    for tag in tags {
        let named = ["aria-labelledby", "aria-describedby", "for"];
        let named = named.iter().filter_map(|name| tag.get(name));
        let named = named.flat_map(|ids| ids.split(' '));
        for id in named.chain(tag.get("href").and_then(|href| href.strip_prefix('#'))) {
            assert!(ids.contains(id), "{tag:?}");
        }
    }
}
