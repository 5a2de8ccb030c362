//! The locations of values of private facts in a manifest, so that no excerpt and no message shows them.
//!
//! A misspelt name or `private` must not reveal them. In a manifest that is not KDL their locations are unknown: then
//! only words of the language are shown.

use crate::diagnostic::Diagnostic;
use crate::diagnostic::suggest::nearest;
use crate::manifest::{FactType, grammar};
use crate::syntax::Tree;
use crate::syntax::lex::{Kind, Token};
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::LazyLock;

/// The nodes that hold values of facts.
const KINDS: &[&str] = &["fact", "set", "env"];
/// Properties of a fact that do not hold its value.
const OPEN_PROPERTIES: &[&str] = &["private", "optional", "env", "env-set", "clock", "changes"];
/// Children of a fact that hold no value of it; its allowed values are reported for an invalid one.
const OPEN_CHILDREN: &[&str] = &["one-of", "waive"];

/// The words of the language, which are no slip, and all that is shown of a manifest that is no KDL; `r` starts raw
/// strings of KDL 1.
static WORDS: LazyLock<BTreeSet<&str>> = LazyLock::new(|| {
    let rows = grammar::all();
    let own = rows.iter().flat_map(|row| row.words());
    own.chain(["r", "true", "false"]).collect()
});
/// A misspelling of `private` with one error.
const PRIVATE: &[&str] = &["priv", "vate", "iate", "pria"];

/// The facts that a manifest declares as private, and with a leading `$` the variables that they are read from.
pub(in crate::manifest) fn names(tree: &Tree, src: &str) -> BTreeSet<String> {
    // Most manifests have none.
    if !mentions(src) {
        return BTreeSet::new();
    }
    let tokens = tree.solid();
    let nodes = nodes(&tokens, src);
    let private = nodes.iter().filter(|n| n.is("fact") && n.is_private());
    private
        .flat_map(|n| {
            let name = n.word(1).unwrap_or_default().to_owned();
            [name].into_iter().chain(n.variable())
        })
        .collect()
}

/// The facts that a manifest sets and does not declare, so that only another file says whether they are private.
pub(in crate::manifest) fn undeclared(tree: &Tree, src: &str) -> BTreeSet<String> {
    let tokens = tree.solid();
    let nodes = nodes(&tokens, src);
    let of = |kind: &str| -> BTreeSet<String> {
        let named = nodes.iter().filter(|n| n.is(kind));
        named.filter_map(|n| n.word(1).map(str::to_owned)).collect()
    };
    let declared = of("fact");
    of("set").difference(&declared).cloned().collect()
}

/// The values of private facts in a manifest: their defaults, and what scenarios set, by name or by variable. `private` are
/// the names of all, also of those that a base declares.
pub(in crate::manifest) fn values(
    tree: &Tree,
    src: &str,
    private: &BTreeSet<String>,
) -> Vec<Range<usize>> {
    if private.is_empty() {
        return Vec::new();
    }
    let tokens = tree.solid();
    let nodes = nodes(&tokens, src);
    let named = |node: &Node| node.word(1).is_some_and(|name| private.contains(name));
    let facts: Vec<&Node> = nodes.iter().filter(|n| n.is("fact")).collect();
    // A name that is not declared here may be a misspelling of one of them.
    let public = |node: &Node| match node.is("env") {
        true => {
            let read = node.word(1).map(|name| format!("${name}"));
            facts
                .iter()
                .any(|n| !n.is_private() && n.variable() == read)
        }
        false => !named(node) && facts.iter().any(|n| n.word(1) == node.word(1)),
    };
    let mut out = Vec::new();
    for node in &nodes {
        if node.is("fact") && (node.is_private() || named(node)) {
            node.values(3, &mut out);
        } else if !node.is("fact") && !public(node) {
            node.values(2, &mut out);
        }
    }
    out.sort_by_key(|range| range.start);
    out
}

/// A possible name of a private fact, or of its variable, in a text that is not KDL.
pub(in crate::manifest) fn words(src: &str) -> BTreeSet<String> {
    let words = mentions(src).then(|| pieces(src).flat_map(|w| [w.to_owned(), format!("${w}")]));
    words.into_iter().flatten().collect()
}

/// A possible value in a text that is not KDL.
pub(in crate::manifest) fn veiled(src: &str) -> Vec<Range<usize>> {
    let hidden = pieces(src).filter(|word| !WORDS.contains(word));
    let place = |word: &str| {
        let start = word.as_ptr().addr() - src.as_ptr().addr();
        start..start + word.len()
    };
    hidden.map(place).collect()
}

/// The words of a text, of whatever it is made.
fn pieces(src: &str) -> impl Iterator<Item = &str> {
    let ends = |c: char| c.is_whitespace() || "=;{}()\"#".contains(c);
    src.split(ends).filter(|word| !word.is_empty())
}

/// Whether a text may say that a fact is private.
pub(in crate::manifest) fn mentions(src: &str) -> bool {
    PRIVATE.iter().any(|part| src.contains(part))
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
            // A short one may be inside of other words.
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
        let shows = |text: &str| match secret.len() {
            0..4 => unquoted(text) == secret,
            _ => text.contains(secret),
        };
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
    /// The one of [`KINDS`] that it is, or was meant to be.
    kind: &'static str,
    tokens: &'a [Token],
}

/// All nodes that hold values of facts, wherever they are.
fn nodes<'a>(tokens: &'a [Token], src: &'a str) -> Vec<Node<'a>> {
    let mut out = Vec::new();
    let mut at_start = true;
    for (at, token) in tokens.iter().enumerate() {
        if at_start && matches!(token.kind, Kind::Word | Kind::Text) {
            let name = &src[token.start..token.end];
            let exact = KINDS.iter().copied().find(|kind| *kind == name);
            let mut node = Node {
                src,
                kind: exact.unwrap_or(KINDS[0]),
                tokens: &tokens[at..end_of_node(tokens, at)],
            };
            let known = WORDS.contains(name);
            if exact.is_some() || !known && node.is_private() {
                out.push(node);
            } else if !known && let Some(kind) = nearest(name, KINDS.iter().copied()) {
                node.kind = kind;
                out.push(node);
            }
        }
        at_start = match token.kind {
            Kind::Newline | Kind::Semicolon | Kind::Open | Kind::Close => true,
            Kind::Slashdash => at_start,
            _ => false,
        };
    }
    out
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

    fn token(&self, at: usize) -> Option<Kind> {
        self.tokens.get(at).map(|t| t.kind)
    }

    fn is(&self, kind: &str) -> bool {
        self.kind == kind
    }

    /// The argument at `at`, without quotes.
    fn word(&self, at: usize) -> Option<&'a str> {
        matches!(self.token(at), Some(Kind::Word | Kind::Text))
            .then(|| self.text(at).trim_matches('"'))
    }

    fn is_private(&self) -> bool {
        let mut own = (1..self.tokens.len()).take_while(|at| self.token(*at) != Some(Kind::Open));
        own.any(|at| match self.token(at + 1) {
            Some(Kind::Equals) => mentions(self.text(at)) && !self.text(at + 2).ends_with("false"),
            _ => self.text(0) == self.kind && self.text(at) == "private",
        })
    }

    /// The variable of `env=`, with a leading `$`.
    fn variable(&self) -> Option<String> {
        let at = (1..self.tokens.len())
            .find(|at| self.text(*at) == "env" && self.token(at + 1) == Some(Kind::Equals))?;
        Some(format!("${}", self.word(at + 2)?))
    }

    /// Whether the argument at `at` is a type of facts, or nearly one.
    fn is_type(&self, at: usize) -> bool {
        let types = FactType::ALL.iter().map(|t| t.name());
        self.token(at) == Some(Kind::Word) && nearest(self.text(at), types).is_some()
    }

    /// Adds what may be a value, from the token at `from` on.
    fn values(&self, from: usize, out: &mut Vec<Range<usize>>) {
        let mut at = from;
        // A word in the place of the type that is not a type.
        if from == 3 && self.word(2).is_some() && !self.is_type(2) {
            at = 2;
        }
        let mut depth = 0_usize;
        let mut open_child = false;
        let mut child_starts = false;
        while at < self.tokens.len() {
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
                Kind::Word if depth == 0 && self.token(at + 1) == Some(Kind::Equals) => {
                    at += 2;
                    let open = OPEN_PROPERTIES.contains(&self.text(at - 2));
                    let value = self.tokens.get(at).filter(|_| !open);
                    out.extend(value.map(|t| t.start..t.end));
                }
                Kind::Word | Kind::Text if !(depth > 0 && open_child) => {
                    out.push(token.start..token.end);
                }
                _ => {}
            }
            at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{KINDS, OPEN_CHILDREN, OPEN_PROPERTIES, names, values, veiled};
    use crate::diagnostic::span::Files;
    use crate::manifest::grammar::{self, Type};
    use crate::syntax;

    fn shown(src: &str) -> String {
        let mut files = Files::default();
        let file = files.add("promptc.kdl", src);
        let places = match syntax::read(file, &src.into()) {
            Ok(tree) => values(&tree, src, &names(&tree, src)),
            Err(_) => veiled(src),
        };
        files.hide(file, &places);
        files.get(file).shown().to_owned()
    }

    #[test]
    fn the_words_are_those_of_the_grammar() {
        let all = grammar::all();
        assert!(
            KINDS
                .iter()
                .all(|kind| all.iter().any(|row| row.name == *kind))
        );
        let fact = all.iter().find(|row| row.id() == "fact").unwrap();
        for open in OPEN_PROPERTIES {
            let known = fact.properties().find(|property| property.name == *open);
            assert!(
                known.is_some_and(|property| property.takes != Type::Any),
                "{open}"
            );
        }
        for open in OPEN_CHILDREN {
            assert!(fact.child(open).is_some(), "{open}");
        }
    }

    #[test]
    fn only_values_of_private_facts_are_redacted() {
        for src in [
            "fact a string default=\"one\"\nfact b string private=#true env=B changes=day { one-of x y }",
            "fact a string default=one private=#false",
            "tier t { layer l { text \"private\" } }",
        ] {
            assert_eq!(shown(src), src);
        }
        for (src, hidden) in [
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
                "fact a string private=#true\nscenario s { set a \"one\"; set b two }",
                "fact a string private=#true\nscenario s { set a *****; set b *** }",
            ),
            (
                "fact a string private=#true env=A\nscenario s { env A \"one\"; env B two }",
                "fact a string private=#true env=A\nscenario s { env A *****; env B *** }",
            ),
            (
                "fat a string default=one privte=#true\nscenario s { st a two; set b three }",
                "fat a string default=*** privte=*****\nscenario s { st a ***; set b ***** }",
            ),
            (
                "fact a string private=#true default=\"\"\"\n  one\n  \"\"\"",
                "fact a string private=#true default=***\n*****\n*****",
            ),
        ] {
            assert_eq!(shown(src), hidden);
        }
    }

    #[test]
    fn only_words_of_the_language_are_shown_of_a_text_that_is_not_kdl() {
        for (src, hidden) in [
            (
                "fact a map private=#true env=\"A default=x {\n one two\n}\nlet l \"x\"",
                "fact * map private=#true env=\"* default=* {\n *** ***\n}\nlet * \"*\"",
            ),
            (
                "fact a string \"one\" private=true\nfact b string default=b",
                "fact * string \"***\" private=true\nfact * string default=*",
            ),
            (
                "fact a string default=/one/two private=#true",
                "fact * string default=******** private=#true",
            ),
        ] {
            assert_eq!(shown(src), hidden);
        }
    }
}
