//! Quoted and raw strings, and those of KDL 1.

use super::{Kind, Lexer, MAX_FAULTS, is_space, is_word, line_length, newline};
use crate::diagnostic::{Diagnostic, KDL_VERSION_1};

impl Lexer<'_> {
    pub(super) fn quoted(&mut self) -> Option<()> {
        let rest = self.rest();
        let many = rest.starts_with("\"\"\"");
        let close = if many { "\"\"\"" } else { "\"" };
        let mut at = close.len();
        while at < rest.len() {
            let tail = &rest[at..];
            if tail.starts_with(close) {
                if many && self.lost_end(at).is_some() {
                    break;
                }
                self.token(Kind::Text, at + close.len());
                return Some(());
            }
            if let Some(escaped) = tail.strip_prefix('\\') {
                at += 1 + escaped_length(escaped);
            } else if !many && newline(tail) > 0 {
                break;
            } else {
                at += tail.chars().next().map_or(1, char::len_utf8);
            }
        }
        let (message, help) = if many {
            (
                "the string is not closed",
                "close it with `\"\"\"` on a line of its own",
            )
        } else {
            (
                "the string is not closed on its line",
                "close it with `\"`, or write a string of several lines between `\"\"\"`, each on a line of its own",
            )
        };
        self.unclosed(self.at..self.at + close.len(), message, help);
        // Other errors are reported in the same run.
        let end = if many { self.lost_end(at) } else { Some(at) };
        end.map(|end| self.token(Kind::Bad, end))
    }

    /// How far a string of several lines goes that lacks its end, if that is sure; the text has quotes at `at`, or ends there.
    ///
    /// All of its lines are indented further than the one that it begins on, and the line after them closes a brace.
    fn lost_end(&self, at: usize) -> Option<usize> {
        let rest = self.rest();
        let body = rest.get(..at).unwrap_or(rest);
        // Spaces and escaped white space may be before the quotes.
        let before = body.trim_end_matches(|c| is_space(c) || c == '\\');
        let closed = before.ends_with(|c: char| newline(c.encode_utf8(&mut [0; 4])) > 0);
        let sure = body.contains('\n') && self.out.faults.len() < MAX_FAULTS;
        if !sure || body.len() < rest.len() && closed {
            return None;
        }
        let blank = |c: char| matches!(c, ' ' | '\t');
        let line = self.src[..self.at].rfind('\n').map_or(0, |feed| feed + 1);
        let line = &self.src[line..];
        let indentation = &line[..line.len() - line.trim_start_matches(blank).len()];
        let mut lines = body.split_inclusive('\n');
        let mut end = lines.next()?.len();
        let first = end;
        for line in lines {
            let further = line.strip_prefix(indentation);
            if !line.trim().is_empty() && !further.is_some_and(|line| line.starts_with(blank)) {
                let sure = end > first && line.trim_start().starts_with('}');
                return sure.then(|| body[..end].trim_end().len());
            }
            end += line.len();
        }
        None
    }

    /// A raw string or a keyword.
    pub(super) fn hash(&mut self) -> Option<()> {
        let rest = self.rest();
        let hashes = rest.len() - rest.trim_start_matches('#').len();
        if rest[hashes..].starts_with('"') {
            return self.raw(hashes);
        }
        let name = rest[1..].find(|c| !is_word(c)).unwrap_or(rest.len() - 1);
        if hashes > 1 || name == 0 {
            self.stray();
        } else {
            self.token(Kind::Word, 1 + name);
        }
        Some(())
    }

    fn raw(&mut self, hashes: usize) -> Option<()> {
        let rest = self.rest();
        let body = &rest[hashes..];
        let many = body.starts_with("\"\"\"") && newline(&body[3..]) > 0;
        let quotes = if many { "\"\"\"" } else { "\"" };
        let close = format!("{quotes}{}", "#".repeat(hashes));
        let from = hashes + quotes.len();
        let found = rest[from..].find(&close);
        if let Some(length) = found
            && if many {
                self.lost_end(from + length).is_none()
            } else {
                !has_newline(&rest[from..from + length])
            }
        {
            self.token(Kind::Text, from + length + close.len());
            return Some(());
        }
        let help = format!("close it with `{close}`");
        self.unclosed(
            self.at..self.at + from,
            "the raw string is not closed",
            &help,
        );
        let end = if many {
            self.lost_end(found.map_or(rest.len(), |length| from + length))
        } else {
            Some(line_length(rest))
        };
        end.map(|end| self.token(Kind::Bad, end))
    }

    /// `r"…"` and `r#"…"#`.
    pub(super) fn raw_of_version_1(&mut self) -> Option<()> {
        let rest = self.rest();
        let hashes = rest[1..].len() - rest[1..].trim_start_matches('#').len();
        let from = 1 + hashes + 1;
        let close = format!("\"{}", "#".repeat(hashes));
        let Some(length) = rest[from..].find(&close) else {
            let range = self.at..self.at + from;
            return self.unclosed(range, "the raw string is not closed", "write `#\"…\"#`");
        };
        let body = &rest[from..from + length];
        let end = from + length + close.len();
        let mut fault = Diagnostic::error(KDL_VERSION_1, "raw strings of KDL 1 start with `r`")
            .at(self.span(self.at..self.at + end))
            .help("write `#\"…\"#`");
        if !has_newline(body) {
            let hashes = "#".repeat(hashes.max(1));
            fault = fault.suggest(
                self.span(self.at..self.at + end),
                format!("{hashes}\"{body}\"{hashes}"),
            );
        }
        self.fault(fault);
        self.token(Kind::Bad, end);
        Some(())
    }
}

fn has_newline(s: &str) -> bool {
    s.char_indices().any(|(i, _)| newline(&s[i..]) > 0)
}

/// The length of what `\` takes with it: a run of white space, or one character.
fn escaped_length(s: &str) -> usize {
    let blank = |c: char| is_space(c) || newline(c.encode_utf8(&mut [0; 4])) > 0;
    match s.find(|c| !blank(c)).unwrap_or(s.len()) {
        0 => s.chars().next().map_or(0, char::len_utf8),
        run => run,
    }
}
