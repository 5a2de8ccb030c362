//! KDL text in pieces, for tests of its layout; an independent implementation, for text that is known to be KDL.

/// A piece of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    /// A string with its quotes.
    Text(&'a str),
    /// A line comment without its line end, or a block comment.
    Comment(&'a str),
    /// White space inside a line.
    Space(&'a str),
    /// A line end.
    Newline(&'a str),
    /// Anything else.
    Other(char),
}

/// The pieces of `text`, in order.
pub(crate) fn pieces<'t>(text: &'t str) -> Vec<Piece<'t>> {
    let mut out = Vec::new();
    let mut rest = text.trim_start_matches('\u{feff}');
    while let Some(c) = rest.chars().next() {
        let hashes = rest.len() - rest.trim_start_matches('#').len();
        let (piece, length): (fn(&'t str) -> Piece<'t>, usize) = if rest[hashes..].starts_with('"')
        {
            (Piece::Text, string(rest, hashes))
        } else if rest.starts_with("//") {
            (Piece::Comment, rest.find(is_line_end).unwrap_or(rest.len()))
        } else if rest.starts_with("/*") {
            (Piece::Comment, block(rest))
        } else if rest.starts_with("\r\n") {
            (Piece::Newline, 2)
        } else if is_line_end(c) {
            (Piece::Newline, c.len_utf8())
        } else if c.is_whitespace() {
            let blank = |c: char| c.is_whitespace() && !is_line_end(c);
            (Piece::Space, rest.find(|c| !blank(c)).unwrap_or(rest.len()))
        } else {
            out.push(Piece::Other(c));
            rest = &rest[c.len_utf8()..];
            continue;
        };
        out.push(piece(&rest[..length]));
        rest = &rest[length..];
    }
    out
}

fn is_line_end(c: char) -> bool {
    "\r\n\u{b}\u{c}\u{85}\u{2028}\u{2029}".contains(c)
}

/// The length of a string with this number of `#` before it.
fn string(text: &str, hashes: usize) -> usize {
    let body = &text[hashes..];
    let quotes = if body.starts_with("\"\"\"") {
        "\"\"\""
    } else {
        "\""
    };
    let close = format!("{quotes}{}", "#".repeat(hashes));
    let mut at = hashes + quotes.len();
    while !text[at..].starts_with(&close) {
        let escape = hashes == 0 && text[at..].starts_with('\\');
        at += usize::from(escape);
        at += text[at..].chars().next().map_or(0, char::len_utf8);
        assert!(at < text.len(), "no string: {text}");
    }
    at + close.len()
}

fn block(text: &str) -> usize {
    let (mut at, mut depth) = (0, 0);
    loop {
        match &text[at..] {
            rest if rest.starts_with("/*") => (at, depth) = (at + 2, depth + 1),
            rest if rest.starts_with("*/") => (at, depth) = (at + 2, depth - 1),
            rest => at += rest.chars().next().map_or(1, char::len_utf8),
        }
        if depth == 0 {
            return at;
        }
    }
}

/// The comments of a text, in order, without white space at the ends of their lines.
pub(crate) fn comments(text: &str) -> Vec<String> {
    let comment = |piece: Piece<'_>| match piece {
        Piece::Comment(text) => Some(
            text.replace("\r\n", "\n")
                .split('\n')
                .map(str::trim_end)
                .collect::<Vec<_>>()
                .join("\n"),
        ),
        _ => None,
    };
    pieces(text).into_iter().filter_map(comment).collect()
}

#[test]
fn a_text_falls_into_pieces() {
    use Piece::{Comment, Newline, Other, Space, Text};
    assert_eq!(
        pieces("a \"\\\"//\"\r\n/* /* */ */#\"\"\"\n\"\n\"\"\"#//x"),
        [
            Other('a'),
            Space(" "),
            Text("\"\\\"//\""),
            Newline("\r\n"),
            Comment("/* /* */ */"),
            Text("#\"\"\"\n\"\n\"\"\"#"),
            Comment("//x"),
        ]
    );
}
