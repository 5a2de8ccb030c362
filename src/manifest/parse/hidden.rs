//! Where values of private facts stand in a manifest, so that no excerpt and no message shows them.
//!
//! This works on tokens, since a manifest that cannot be read must not show them either; where a slip hides what a word
//! is, it is taken for a value.

use crate::diagnostic::Diagnostic;
use crate::diagnostic::suggest::nearest;
use crate::manifest::FactType;
use crate::syntax::lex::{Kind, Lexed, Token, is_space, newline};
use std::collections::BTreeSet;
use std::ops::Range;

/// The nodes that hold values of facts.
const KINDS: &[&str] = &["fact", "set", "env"];
/// Properties of a fact whose values are no value of it.
const OPEN_PROPERTIES: &[&str] = &["private", "optional", "env", "env-set", "clock", "changes"];
/// Children of a fact that hold no value of it; what it may be is told where something else is given.
const OPEN_CHILDREN: &[&str] = &["one-of", "waive"];

/// The facts that `src` declares as private, and with a `$` in front the variables that they are read from.
pub(in crate::manifest) fn names(lexed: &Lexed, src: &str) -> BTreeSet<String> {
    // Most manifests have none.
    if !src.contains("private") {
        return BTreeSet::new();
    }
    let nodes = nodes(lexed, src);
    let private = nodes.iter().filter(|n| n.is("fact") && n.is_private());
    private
        .flat_map(|n| {
            let name = n.word(1).unwrap_or_default().to_owned();
            [name].into_iter().chain(n.variable())
        })
        .collect()
}

/// The facts that `src` sets and does not declare, so that only another file says whether they are private.
pub(in crate::manifest) fn undeclared(lexed: &Lexed, src: &str) -> BTreeSet<String> {
    let nodes = nodes(lexed, src);
    let of = |kind: &str| -> BTreeSet<String> {
        let named = nodes.iter().filter(|n| n.is(kind));
        named.filter_map(|n| n.word(1).map(str::to_owned)).collect()
    };
    let declared = of("fact");
    of("set").difference(&declared).cloned().collect()
}

/// The values of private facts in `src`: their defaults, and what scenarios set, by name or by variable. `private` are the
/// names of all, also of those that a base declares.
pub(in crate::manifest) fn values(
    lexed: &Lexed,
    src: &str,
    private: &BTreeSet<String>,
) -> Vec<Range<usize>> {
    if private.is_empty() {
        return Vec::new();
    }
    let nodes = nodes(lexed, src);
    let named = |node: &Node| node.word(1).is_some_and(|name| private.contains(name));
    let read = |node: &Node| {
        let name = node.word(1).map(|name| format!("${name}"));
        name.is_some_and(|name| private.contains(&name))
    };
    let mut out = Vec::new();
    for node in &nodes {
        if node.is("fact") && (node.is_private() || named(node)) {
            node.values(3, &mut out);
        } else if node.is("set") && named(node) || node.is("env") && read(node) {
            node.values(2, &mut out);
        }
    }
    out.sort_by_key(|range| range.start);
    out
}

/// `diagnostic` without the values at `hidden`.
pub(in crate::manifest) fn without(
    mut diagnostic: Diagnostic,
    src: &str,
    hidden: &[Range<usize>],
) -> Diagnostic {
    let secrets = hidden.iter().map(|range| unquoted(&src[range.clone()]));
    for secret in secrets.filter(|s| !s.is_empty()) {
        let clean = |text: &mut String| {
            // A short one may stand inside of other words.
            *text = match secret.len() {
                0..4 => {
                    let is = |piece: &str| unquoted(piece) == secret;
                    let pieces = text.split('`');
                    let pieces = pieces.map(|piece| if is(piece) { "…" } else { piece });
                    pieces.collect::<Vec<_>>().join("`")
                }
                _ => text.replace(secret, "…"),
            };
        };
        clean(&mut diagnostic.message);
        let others = diagnostic.help.iter_mut().chain(&mut diagnostic.label);
        others.for_each(clean);
        let shows = |text: &str| text.contains(secret);
        if diagnostic
            .suggestion
            .as_ref()
            .is_some_and(|s| shows(&s.text))
        {
            diagnostic.suggestion = None;
        }
    }
    diagnostic
}

/// A word or string without its quotes.
fn unquoted(text: &str) -> &str {
    text.trim_matches(['"', '#']).trim()
}

/// A node: its tokens, with those of its children.
struct Node<'a> {
    src: &'a str,
    tokens: &'a [Token],
    /// How many tokens stand in front of a string that is not closed on its line.
    sure: usize,
    /// What could not be told apart any more, if that begins in this node.
    rest: Option<Range<usize>>,
}

/// All nodes that hold values of facts, wherever they stand.
fn nodes<'a>(lexed: &'a Lexed, src: &'a str) -> Vec<Node<'a>> {
    let tokens = &lexed.tokens;
    let end = tokens.last().map_or(0, |t| t.end);
    let line = src[end..].find('\n').map_or(src.len(), |at| end + at);
    let rest = (!lexed.faults.is_empty() && !src[end..line].trim().is_empty()).then_some(end..line);
    let mut out = Vec::new();
    let mut at_start = true;
    for (at, token) in tokens.iter().enumerate() {
        let word = matches!(token.kind, Kind::Word | Kind::Text);
        if at_start && word && KINDS.contains(&&src[token.start..token.end]) {
            let own = &tokens[at..end_of_node(tokens, at)];
            let open = own.iter().position(|token| is_open_string(*token, src));
            let taken = open.map_or("", |open| &src[own[open].start..own[open].end]);
            // With a brace it took, what stands behind may belong to the node.
            let tokens = if taken.contains('{') {
                &tokens[at..]
            } else {
                own
            };
            let last = tokens.last().is_some_and(|t| t.end == end);
            out.push(Node {
                src,
                tokens,
                sure: open.unwrap_or(tokens.len()),
                rest: rest.clone().filter(|_| last),
            });
        }
        at_start = match token.kind {
            Kind::Newline | Kind::Semicolon | Kind::Open | Kind::Close => true,
            Kind::Slashdash => at_start,
            _ => false,
        };
    }
    out
}

/// Whether a token is a string that is not closed on its line, with all that stands in the line behind it.
fn is_open_string(token: Token, src: &str) -> bool {
    token.kind == Kind::Word && src[token.start..].starts_with('"')
}

/// One past the last token of the node that starts at `start`.
fn end_of_node(tokens: &[Token], start: usize) -> usize {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(start) {
        match token.kind {
            Kind::Open => depth += 1,
            Kind::Close if depth == 0 => return at,
            Kind::Close => depth -= 1,
            Kind::Newline | Kind::Semicolon if depth == 0 => return at,
            _ => {}
        }
    }
    tokens.len()
}

impl<'a> Node<'a> {
    fn text(&self, at: usize) -> &'a str {
        self.tokens
            .get(at)
            .map_or("", |t| &self.src[t.start..t.end])
    }

    fn kind(&self, at: usize) -> Option<Kind> {
        self.tokens.get(at).map(|t| t.kind)
    }

    fn is(&self, name: &str) -> bool {
        self.text(0) == name
    }

    /// The argument at `at`, without quotes.
    fn word(&self, at: usize) -> Option<&'a str> {
        matches!(self.kind(at), Some(Kind::Word | Kind::Text))
            .then(|| self.text(at).trim_matches('"'))
    }

    fn is_private(&self) -> bool {
        let says = |at: usize| {
            self.text(at) == "private"
                && !(self.kind(at + 1) == Some(Kind::Equals)
                    && self.text(at + 2).ends_with("false"))
        };
        let rest = self.rest.clone().map_or("", |range| &self.src[range]);
        let mut unsure = [self.text(self.sure), rest].into_iter();
        (1..self.sure).any(says) || unsure.any(|text| text.contains("private"))
    }

    /// What `env=` says, with a `$` in front.
    fn variable(&self) -> Option<String> {
        let at = (1..self.tokens.len())
            .find(|at| self.text(*at) == "env" && self.kind(at + 1) == Some(Kind::Equals))?;
        Some(format!("${}", self.word(at + 2)?))
    }

    /// Whether the argument at `at` is a type of facts, or nearly one.
    fn is_type(&self, at: usize) -> bool {
        let types = FactType::ALL.iter().map(|t| t.name());
        self.kind(at) == Some(Kind::Word) && nearest(self.text(at), types).is_some()
    }

    /// Adds what may be a value, from the token at `from` on.
    fn values(&self, from: usize, out: &mut Vec<Range<usize>>) {
        let mut at = from;
        // What stands in the place of the type and is not meant as one.
        if from == 3 && self.word(2).is_some() && !self.is_type(2) {
            at = 2;
        }
        let mut depth = 0_usize;
        let mut open_child = false;
        let mut child_starts = false;
        while at < self.sure {
            let token = self.tokens[at];
            match token.kind {
                Kind::Open => {
                    depth += 1;
                    child_starts = depth == 1 && self.is("fact");
                }
                Kind::Close => depth = depth.saturating_sub(1),
                Kind::Newline | Kind::Semicolon => child_starts = depth == 1 && self.is("fact"),
                Kind::Word | Kind::Text if child_starts => {
                    open_child = OPEN_CHILDREN.contains(&self.text(at));
                    child_starts = false;
                }
                Kind::Word if self.kind(at + 1) == Some(Kind::Equals) => {
                    let open = depth == 0 && OPEN_PROPERTIES.contains(&self.text(at));
                    let value = self.value_behind(at + 1);
                    at += 2;
                    if !(open || depth > 0 && open_child) {
                        out.extend(value);
                        continue;
                    }
                }
                Kind::Word | Kind::Text if !(depth > 0 && open_child) => {
                    out.push(token.start..self.end_of_word(token.end));
                }
                _ => {}
            }
            at += 1;
        }
        let unsure = self.tokens[self.sure..].iter();
        let words = unsure.filter(|t| matches!(t.kind, Kind::Word | Kind::Text));
        out.extend(words.map(|token| token.start..self.end_of_word(token.end)));
        out.extend(self.rest.clone());
    }

    /// The value behind the `=` at `at`, or what stands in its place.
    fn value_behind(&self, at: usize) -> Option<Range<usize>> {
        let start = self.tokens.get(at)?.end;
        let start = start
            + self.src[start..]
                .chars()
                .take_while(|c| is_space(*c))
                .map(char::len_utf8)
                .sum::<usize>();
        let whole = self.tokens.get(at + 1).filter(|t| t.start == start);
        let end = self.end_of_word(whole.map_or(start, |t| t.end));
        (start < end).then_some(start..end)
    }

    /// Where the word ends that goes on at `at`.
    fn end_of_word(&self, at: usize) -> usize {
        let ends = |c: char| {
            is_space(c) || matches!(c, ';' | '{' | '}') || newline(c.encode_utf8(&mut [0; 4])) > 0
        };
        self.src[at..].find(ends).map_or(self.src.len(), |n| at + n)
    }
}

#[cfg(test)]
mod tests {
    use super::{names, values};
    use crate::span::Files;
    use crate::syntax::lex::lex;

    fn shown(src: &str) -> String {
        let mut files = Files::default();
        let file = files.add("promptc.kdl", src);
        let lexed = lex(file, src);
        files.hide(file, &values(&lexed, src, &names(&lexed, src)));
        files.get(file).shown().to_owned()
    }

    #[test]
    fn values_of_private_facts_are_hidden_and_nothing_else() {
        for src in [
            "fact a string default=\"one\"\nfact b string private=#true env=B changes=day { one-of x y }",
            "fact a string default=one private=#false",
            "tier t { layer l { text \"private\" } }",
        ] {
            assert_eq!(shown(src), src);
        }
        for (src, hidden) in [
            (
                "fact a map private=#true env=\"A default=x {\n one two\n}\nlet l \"x\"",
                "fact a map private=#true env=**************\n *** ***\n}\n*** * ***",
            ),
            (
                "fact a string default=\"one private=#true\ntier t",
                "fact a string default=******************\ntier t",
            ),
            (
                "fact a string private=#true default=\"\none=two",
                "fact a string private=#true default=*\none=two",
            ),
            (
                "fact a string default=\"one\" private=#true env=A",
                "fact a string default=***** private=#true env=A",
            ),
            (
                "fact a string private=#true { default \"one\" two; one-of three }",
                "fact a string private=#true { default ***** ***; one-of three }",
            ),
            (
                "fact a map private=#true { default { one two; x { y z } } }",
                "fact a map private=#true { default { *** ***; * { * * } } }",
            ),
            (
                "fact a string defualt=one private=#true x=y",
                "fact a string defualt=*** private=#true x=*",
            ),
            (
                "fact a string \"one\" private=true\nfact b string default=b",
                "fact a string ***** private=true\nfact b string default=b",
            ),
            (
                "fact a string default=/one/two private=#true",
                "fact a string default=******** private=#true",
            ),
            ("fact a \"one\" private=#true", "fact a ***** private=#true"),
            ("fact a value private=#true", "fact a ***** private=#true"),
            (
                "fact a strng private=#true default=one",
                "fact a strng private=#true default=***",
            ),
            (
                "/- fact a string private=#true default=one",
                "/- fact a string private=#true default=***",
            ),
            (
                "fact a string default=\"one private=#true\nx",
                "fact a string default=******************\nx",
            ),
            (
                "fact a string private=#true\nscenario s { set a \"one\"; set b two }",
                "fact a string private=#true\nscenario s { set a *****; set b two }",
            ),
            (
                "fact a string private=#true env=A\nscenario s { env A \"one\"; env B two }",
                "fact a string private=#true env=A\nscenario s { env A *****; env B two }",
            ),
            (
                "fact a string private=#true default=\"\"\"\n  one\n  \"\"\"",
                "fact a string private=#true default=***\n*****\n*****",
            ),
        ] {
            assert_eq!(shown(src), hidden);
        }
    }
}
