//! A string as written: its text, and the way back from each byte of the text to the file.

use super::lex::{is_space, newline};
use std::ops::Range;

/// The error of a string, and its position.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct BadString {
    /// The place in the file.
    pub(super) range: Range<usize>,
    /// The error.
    pub(super) message: String,
    /// The fix.
    pub(super) help: &'static str,
}

/// The text of the well-formed string that is written as `raw`.
pub(crate) fn text(raw: &str) -> Option<String> {
    decode(raw, 0).ok().map(|decoded| decoded.text)
}

fn bad<T>(
    range: Range<usize>,
    message: impl Into<String>,
    help: &'static str,
) -> Result<T, BadString> {
    let message = message.into();
    Err(BadString {
        range,
        message,
        help,
    })
}

/// A text and where its parts come from.
#[derive(Debug, Clone)]
pub(super) struct Decoded {
    pub(super) text: String,
    /// As in [`Literal`](crate::diagnostic::span::Literal).
    pub(super) map: Vec<(u32, u32)>,
    /// Where the next byte comes from if nothing is left out.
    next: Option<usize>,
}

impl Decoded {
    /// Adds `text`, written as `length` bytes from `place` on.
    fn push(&mut self, text: &str, place: usize, length: usize) {
        if self.next != Some(place) {
            self.mark(place);
        }
        self.text.push_str(text);
        self.next = (text.len() == length).then_some(place + length);
    }

    fn mark(&mut self, place: usize) {
        let pair = (u32::try_from(self.text.len()), u32::try_from(place));
        if let (Ok(text), Ok(file)) = pair {
            self.map.push((text, file));
        }
    }
}

/// Reads `raw`, a complete string, which is at byte `base`.
pub(super) fn decode(raw: &str, base: usize) -> Result<Decoded, BadString> {
    let mut out = Decoded {
        text: String::with_capacity(raw.len()),
        map: Vec::new(),
        next: None,
    };
    let hashes = raw.len() - raw.trim_start_matches('#').len();
    let quoted = &raw[hashes..raw.len().saturating_sub(hashes).max(hashes)];
    let from = base + hashes;
    let end = if quoted.len() >= 6 && quoted.starts_with("\"\"\"") {
        if newline(&quoted[3..]) == 0 {
            let help = "the text of a string of several lines starts on the line after `\"\"\"`";
            return bad(from..from + 3, "a line end must follow `\"\"\"`", help);
        }
        many_lines(
            &mut out,
            &quoted[3..quoted.len() - 3],
            from + 3,
            hashes == 0,
        )?
    } else {
        let body = quoted[1..].strip_suffix('"').unwrap_or_default();
        if hashes > 0 && body == "\"" {
            let help = "write `\"\\\"\"`";
            return bad(
                base..base + raw.len(),
                "a raw string cannot hold a quote alone",
                help,
            );
        }
        one_line(&mut out, body, from + 1, hashes == 0)?;
        from + 1 + body.len()
    };
    out.mark(end);
    Ok(out)
}

/// Adds `body`, which is at `base`, with its escapes resolved if it has any.
fn one_line(out: &mut Decoded, body: &str, base: usize, escapes: bool) -> Result<(), BadString> {
    let mut at = 0;
    while at < body.len() {
        let tail = &body[at..];
        if escapes && tail.starts_with('\\') {
            let blank = blank_length(&tail[1..]);
            if blank > 0 {
                at += 1 + blank;
                continue;
            }
            let Some((c, length)) = escape(tail) else {
                return bad_escape(tail, base + at);
            };
            out.push(c.encode_utf8(&mut [0; 4]), base + at, length);
            at += length;
        } else {
            let plain = match tail.find('\\') {
                Some(length) if escapes => length,
                _ => tail.len(),
            };
            out.push(&tail[..plain], base + at, plain);
            at += plain;
        }
    }
    Ok(())
}

fn bad_escape<T>(tail: &str, at: usize) -> Result<T, BadString> {
    let shown: String = tail.chars().take(2).collect();
    let help = "the escapes are `\\\\`, `\\\"`, `\\n`, `\\r`, `\\t`, `\\b`, `\\f`, `\\s` and `\\u{…}`; in a raw string, `#\"…\"#`, a backslash is a character";
    bad(
        at..at + shown.len(),
        format!("`{shown}` is not an escape"),
        help,
    )
}

/// Adds the lines of `body` without the indentation of its last line. Returns where the text ends.
fn many_lines(
    out: &mut Decoded,
    body: &str,
    base: usize,
    escapes: bool,
) -> Result<usize, BadString> {
    let lines = split_lines(body, escapes);
    let close = base + body.len();
    let last = lines.last().copied().unwrap_or_default();
    let (true, Some(prefix)) = (lines.len() > 1, indentation(&body[last.0..], escapes)) else {
        let help = "write the text first, then a line end, then `\"\"\"`";
        let message = "the closing `\"\"\"` must be on a line of its own";
        return bad(close..close + 3, message, help);
    };
    let mut end = base + newline(body);
    // The first line is the text after the opening quotes: nothing.
    for (index, (start, stop)) in lines[..lines.len() - 1].iter().copied().enumerate().skip(1) {
        let line = &body[start..stop];
        if index > 1 {
            let (_, before) = lines[index - 1];
            out.push("\n", base + before, start - before);
        }
        end = base + stop;
        if indentation(line, escapes).is_some() {
            out.next = None;
            continue;
        }
        let Some(content) = line.strip_prefix(prefix.as_str()) else {
            let indent = line.len() - line.trim_start_matches(is_space).len();
            let help = "every line starts with the white space before the closing `\"\"\"`";
            let place = base + start..base + start + indent.max(1);
            return bad(
                place,
                "the line is not indented as the end of its string",
                help,
            );
        };
        one_line(out, content, base + start + prefix.len(), escapes)?;
    }
    Ok(end)
}

/// First and last byte of each line; a line end after `\` does not end one.
fn split_lines(body: &str, escapes: bool) -> Vec<(usize, usize)> {
    let mut lines = Vec::new();
    let (mut start, mut at) = (0, 0);
    while at < body.len() {
        let tail = &body[at..];
        let line_end = newline(tail);
        if line_end > 0 {
            lines.push((start, at));
            at += line_end;
            start = at;
        } else if escapes && tail.starts_with('\\') {
            let blank = blank_length(&tail[1..]);
            let one = tail[1..].chars().next().map_or(0, char::len_utf8);
            at += 1 + if blank > 0 { blank } else { one };
        } else {
            at += tail.chars().next().map_or(1, char::len_utf8);
            // A character that is neither `\` nor begins a line end.
            let ends = |b: &u8| matches!(b, b'\\' | b'\r' | b'\n' | 0xB | 0xC | 0xC2 | 0xE2);
            let plain = body.as_bytes()[at..].iter().position(ends);
            at += plain.unwrap_or(body.len() - at);
        }
    }
    lines.push((start, body.len()));
    lines
}

/// The white space of an otherwise empty line, without white space after `\`.
fn indentation(line: &str, escapes: bool) -> Option<String> {
    let mut prefix = String::new();
    let mut at = 0;
    while let Some(c) = line[at..].chars().next() {
        if is_space(c) {
            prefix.push(c);
            at += c.len_utf8();
        } else if escapes && c == '\\' {
            at += 1 + Some(blank_length(&line[at + 1..])).filter(|n| *n > 0)?;
        } else {
            return None;
        }
    }
    Some(prefix)
}

/// The length of the white space and line ends that `s` starts with.
fn blank_length(s: &str) -> usize {
    let mut at = 0;
    while let Some(c) = s[at..].chars().next() {
        let line_end = newline(&s[at..]);
        match line_end {
            0 if is_space(c) => at += c.len_utf8(),
            0 => break,
            _ => at += line_end,
        }
    }
    at
}

/// The character of an escape, and the escape's length.
fn escape(s: &str) -> Option<(char, usize)> {
    let plain = match s[1..].chars().next()? {
        '\\' => '\\',
        '"' => '"',
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        's' => ' ',
        'u' => {
            let digits = s.get(3..s.find('}')?)?;
            let hex = digits.len() <= 6 && digits.bytes().all(|b| b.is_ascii_hexdigit());
            let digits = Some(digits).filter(|_| hex && s[2..].starts_with('{'))?;
            let c = char::from_u32(u32::from_str_radix(digits, 16).ok()?)?;
            return Some((c, digits.len() + 4));
        }
        _ => return None,
    };
    Some((plain, 2))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::span::{Files, Literal, Span};

    /// Reads the one argument of `node RAW` with kdl and with us; both must agree on whether it is a string.
    fn read(raw: &str) -> Option<(Literal, String)> {
        let src = format!("node {raw}\n");
        let mut files = Files::default();
        let file = files.add("promptc.kdl", src.as_str());
        let oracle = kdl::KdlDocument::parse_v2(&src);
        let own = decode(raw, 5);
        assert_eq!(oracle.is_ok(), own.is_ok(), "{src}");
        let (oracle, own) = (oracle.ok()?, own.ok()?);
        let text = oracle.nodes()[0].entries()[0].value().as_string()?;
        assert_eq!(own.text, text, "{src}");
        let span = Span::new(file, 5..5 + raw.len());
        Some((Literal::new(own.text, span, own.map), src))
    }

    /// Every character leads to a place that is written so.
    fn check(raw: &str) {
        let Some((literal, src)) = read(raw) else {
            return;
        };
        let decoded = decode(raw, 5).expect(raw);
        assert_eq!(decoded.text, &*literal.text, "{raw}");
        for (at, c) in literal.text.char_indices() {
            let place = literal.span_of(at..at + c.len_utf8()).range();
            let written = &src[place.clone()];
            let plain = written.starts_with(c);
            let escaped = escape_of(written) == Some(c);
            let line_end = c == '\n' && newline(written) > 0;
            assert!(
                plain || escaped || line_end,
                "{raw}: {at} {c:?} at {place:?} {written:?}"
            );
        }
        let end = literal.text.len();
        let place = literal.span_of(end..end);
        assert!(place.end <= literal.span.end && place.start >= literal.span.start);
    }

    fn escape_of(written: &str) -> Option<char> {
        written
            .starts_with('\\')
            .then(|| escape(written))?
            .map(|e| e.0)
    }

    #[test]
    fn each_kind_of_string() {
        for raw in [
            "\"\"",
            "\"plain\"",
            r#""a\nb\"c\\d\u{1F600}e\sf""#,
            "\"a\\  \n   b\"",
            "\"äöü\\tß\"",
            "#\"a\\nb\"#",
            "##\"a\"#b\"##",
            "\"\"\"\n  a\n    b\n\n  c\\n\\\"\n  \"\"\"",
            "\"\"\"\r\n\ta\r\n\tb\r\n\t\"\"\"",
            "\"\"\"\n  a \\\n      b\n  c\n  \"\"\"",
            "\"\"\"\n  a\n     \n  b\n  \"\"\"",
            "\"\"\"\n\"\"\"",
            "\"\"\"\n\n\n\"\"\"",
            "#\"\"\"\n  a\\n\n   b\n  \"\"\"#",
        ] {
            check(raw);
        }
    }

    #[test]
    fn places_are_exact() {
        let (literal, src) =
            read("\"\"\"\n    one {{ two }}\n    three\n    \"\"\"").expect("text");
        assert_eq!(&*literal.text, "one {{ two }}\nthree");
        assert_eq!(&src[literal.span_of(7..10).range()], "two");
        assert_eq!(&src[literal.span_of(14..19).range()], "three");
        let (literal, src) = read(r#""a\n{{ b }}""#).expect("text");
        assert_eq!(&src[literal.span_of(5..6).range()], "b");
    }

    #[test]
    fn bad_strings_have_a_place() {
        let at = |raw: &str| decode(raw, 0).expect_err(raw).range;
        assert_eq!(at(r#""a\qb""#), 2..4);
        assert_eq!(at(r#""a\u{110000}""#), 2..4);
        assert_eq!(at("\"\"\"a\"\"\""), 0..3);
        assert_eq!(at("\"\"\"\n a\n  \"\"\""), 4..5);
        assert_eq!(at("\"\"\"\n a\"\"\""), 6..9);
    }

    #[test]
    fn random_strings() {
        let mut seed = 7u64;
        let mut random = |n: usize| {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(seed >> 33).expect("31 bits") % n
        };
        let parts = [
            "\\q",
            "a",
            "é",
            "😀",
            "\\n",
            "\\\\",
            "\\\"",
            "\\u{e9}",
            "\\u{1F600}",
            " ",
            "\\s",
            "{{",
            "\\ \n ",
        ];
        for _ in 0..2000 {
            let mut line =
                || -> String { (0..random(8)).map(|_| parts[random(parts.len())]).collect() };
            check(&format!("\"{}\"", line()));
            check(&format!(
                "\"\"\"\n  {}\n  {}\n\n  {}\n  \"\"\"",
                line(),
                line(),
                line()
            ));
        }
    }
}
