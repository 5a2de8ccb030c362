//! The block or tag of a template that is left open. The engine reports only the place where it noticed that.

use super::config;
use crate::diagnostic::TEMPLATE_SYNTAX;
use crate::template::failure::Failure;
use minijinja::machinery::{Token, tokenize};
use std::ops::Range;

/// The statements that begin a block, each with its end.
const BLOCKS: [(&str, &str); 9] = [
    ("autoescape", "endautoescape"),
    ("block", "endblock"),
    ("call", "endcall"),
    ("filter", "endfilter"),
    ("for", "endfor"),
    ("if", "endif"),
    ("macro", "endmacro"),
    ("set", "endset"),
    ("with", "endwith"),
];

/// A block that is open.
struct Open {
    word: &'static str,
    end: &'static str,
    /// The bytes of its first tag.
    at: Range<usize>,
}

/// A tag that is open.
struct Tag<'s> {
    start: usize,
    close: &'static str,
    /// Its first word, of a statement.
    word: Option<&'s str>,
    /// Whether it sets a variable to a value, and so begins no block.
    assigns: bool,
}

/// The first tag that ends another block than the open one; else the tag or innermost block that is open at the end.
pub(super) fn find(source: &str) -> Option<Failure> {
    let mut blocks: Vec<Open> = Vec::new();
    let mut tag: Option<Tag<'_>> = None;
    // A token that cannot be read is the engine's to report.
    for (token, span) in tokenize(source, false, config()).map_while(Result::ok) {
        let at = span.start_offset as usize..span.end_offset as usize;
        match (token, &mut tag) {
            (Token::BlockStart, _) => tag = Some(Tag::new(at.start, "%}")),
            (Token::VariableStart, _) => tag = Some(Tag::new(at.start, "}}")),
            (Token::VariableEnd, _) => tag = None,
            (Token::BlockEnd, _) => {
                let closed = tag.take();
                if let Some(open) = closed.and_then(|tag| tag.opens(at.end)) {
                    blocks.push(open);
                }
            }
            (Token::Assign, Some(tag)) => tag.assigns = true,
            (Token::Ident(word), Some(tag)) if tag.close == "%}" && tag.word.is_none() => {
                tag.word = Some(word);
                if let Some((_, end)) = BLOCKS.iter().find(|(_, end)| *end == word) {
                    match blocks.pop() {
                        Some(open) if open.end == *end => {}
                        open => return Some(other_end(source, end, open.as_ref(), at)),
                    }
                }
            }
            _ => {}
        }
    }
    if let Some(Tag { start, close, .. }) = tag {
        let opened = if close == "%}" { "{%" } else { "{{" };
        let failure = Failure::new(TEMPLATE_SYNTAX, format!("`{opened}` is not closed"));
        let help = format!("write `{close}` where it ends");
        return Some(failure.at(start..start + opened.len()).help(help));
    }
    let Open { word, end, at } = blocks.pop()?;
    let failure = Failure::new(TEMPLATE_SYNTAX, format!("`{{% {word} %}}` is not closed"));
    let help = format!("write `{{% {end} %}}` where it ends");
    Some(failure.at(at).help(help))
}

/// The failure for an end that is not that of the innermost open block.
fn other_end(source: &str, end: &str, open: Option<&Open>, at: Range<usize>) -> Failure {
    let message = format!("`{{% {end} %}}` closes nothing");
    let failure = Failure::new(TEMPLATE_SYNTAX, message).at(at);
    let Some(Open { end, at, .. }) = open else {
        return failure.help("remove it, or open its block before it");
    };
    let short = |tag: &&str| tag.chars().count() <= 60 && !tag.contains('\n');
    let tag = source.get(at.clone()).filter(short);
    let tag = tag.map_or("another block".to_owned(), |tag| format!("`{tag}`"));
    failure.help(format!("{tag} is still open: write `{{% {end} %}}` before"))
}

impl<'s> Tag<'s> {
    fn new(start: usize, close: &'static str) -> Self {
        Self {
            start,
            close,
            word: None,
            assigns: false,
        }
    }

    /// The block that the tag begins; `end` is where it ends.
    fn opens(self, end: usize) -> Option<Open> {
        let word = self.word.filter(|word| *word != "set" || !self.assigns)?;
        let (word, close) = BLOCKS.iter().find(|(begin, _)| *begin == word)?;
        Some(Open {
            word,
            end: close,
            at: self.start..end,
        })
    }
}
