//! Glob patterns, by our own rules: the same on every system and over characters, not bytes.

use super::wall::{Obstacle, leaves};

/// The most alternatives that the braces of one name may expand to.
const MOST_ALTERNATIVES: usize = 256;

/// A pattern of one name: `*`, `?`, `[a-z]`, `[!a]` and `{a,b}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// Without braces; it matches if one of them does.
    alternatives: Vec<Vec<GlobToken>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum GlobToken {
    /// This character.
    Char(char),
    /// Any one character.
    One,
    /// Any characters, or none.
    Many,
    /// A character of (or, negated, outside of) these ranges.
    Class {
        negated: bool,
        ranges: Vec<(char, char)>,
    },
}

impl GlobToken {
    fn takes(&self, c: char) -> bool {
        match self {
            Self::Char(own) => *own == c,
            Self::One | Self::Many => true,
            Self::Class { negated, ranges } => {
                ranges.iter().any(|(from, to)| (*from..=*to).contains(&c)) != *negated
            }
        }
    }
}

impl GlobToken {
    /// A character that it takes. None if it leaves out all letters.
    fn example(&self) -> Option<char> {
        match self {
            Self::Char(c) => Some(*c),
            Self::One | Self::Many => Some('a'),
            Self::Class {
                negated: false,
                ranges,
            } => ranges.first().map(|(from, _)| *from),
            Self::Class { negated: true, .. } => ('a'..='z').find(|c| self.takes(*c)),
        }
    }
}

impl Name {
    /// Reads a pattern.
    ///
    /// # Errors
    /// [`Obstacle::Pattern`] if it is not well formed.
    pub fn parse(pattern: &str) -> Result<Self, Obstacle> {
        Self::read(pattern).map_err(|why| malformed(pattern, why))
    }

    /// Reads a pattern of any text, in which a slash is a character as others are.
    ///
    /// # Errors
    /// [`Obstacle::Pattern`] if it is not well formed.
    pub fn of_text(pattern: &str) -> Result<Self, Obstacle> {
        Self::made_of(pattern).map_err(|why| malformed(pattern, why))
    }

    fn read(pattern: &str) -> Result<Self, &'static str> {
        if pattern.contains(['/', '\\']) || pattern.contains(char::is_control) {
            return Err("holds a slash, a backslash or a control character");
        }
        Self::made_of(pattern)
    }

    fn made_of(pattern: &str) -> Result<Self, &'static str> {
        if pattern.is_empty() {
            return Err("is empty");
        }
        let alternatives = alternatives(pattern)?;
        let alternatives = alternatives
            .iter()
            .map(|a| pieces(a))
            .collect::<Result<_, _>>()?;
        Ok(Self { alternatives })
    }

    /// Whether the whole of `name` matches.
    #[must_use]
    pub fn matches(&self, name: &str) -> bool {
        self.alternatives.iter().any(|pieces| fits(pieces, name))
    }

    /// As [`Name::matches`], but a leading dot must be written as such.
    #[must_use]
    pub fn matches_visible(&self, name: &str) -> bool {
        let written = |pieces: &[GlobToken]| pieces.first() == Some(&GlobToken::Char('.'));
        let hidden = name.starts_with('.');
        let mut alternatives = self.alternatives.iter();
        alternatives.any(|pieces| (!hidden || written(pieces)) && fits(pieces, name))
    }

    /// A name that it matches.
    fn example(&self) -> String {
        let pieces = self.alternatives.first().into_iter().flatten();
        pieces.filter_map(GlobToken::example).collect()
    }

    /// The one name that it matches, if it has neither wildcards nor choices.
    #[must_use]
    pub fn literal(&self) -> Option<String> {
        let [pieces] = self.alternatives.as_slice() else {
            return None;
        };
        let chars = pieces.iter().map(|piece| match piece {
            GlobToken::Char(c) => Some(*c),
            _ => None,
        });
        chars.collect()
    }
}

/// Multiplies the braces out.
fn alternatives(pattern: &str) -> Result<Vec<String>, &'static str> {
    let mut done = Vec::new();
    let mut todo = vec![pattern.to_owned()];
    while let Some(next) = todo.pop() {
        if done.len() + todo.len() >= MOST_ALTERNATIVES {
            return Err("expands to more than 256 alternatives in one name");
        }
        let Some(Braces {
            open,
            close,
            commas,
        }) = braces(&next)?
        else {
            done.push(next);
            continue;
        };
        let mut from = open + 1;
        for to in commas.into_iter().chain([close]) {
            todo.push(format!(
                "{}{}{}",
                &next[..open],
                &next[from..to],
                &next[close + 1..]
            ));
            from = to + 1;
        }
    }
    Ok(done)
}

/// Where braces open and close, and the commas directly inside.
struct Braces {
    open: usize,
    close: usize,
    commas: Vec<usize>,
}

/// The first braces outside of a class.
fn braces(pattern: &str) -> Result<Option<Braces>, &'static str> {
    let mut open = None;
    let mut depth = 0_usize;
    let mut commas = Vec::new();
    let mut skip = 0;
    for (at, c) in pattern.char_indices() {
        match c {
            _ if at < skip => {}
            '[' => skip = at + class_len(&pattern[at..])?,
            '{' => {
                depth += 1;
                open = open.or(Some(at));
            }
            '}' if depth == 0 => return Err("closes a brace that it did not open"),
            '}' => {
                depth -= 1;
                if let (0, Some(open)) = (depth, open) {
                    let close = at;
                    return Ok(Some(Braces {
                        open,
                        close,
                        commas,
                    }));
                }
            }
            ',' if depth == 1 => commas.push(at),
            _ => {}
        }
    }
    match depth {
        0 => Ok(None),
        _ => Err("opens a brace that it does not close within the name"),
    }
}

/// The length of the class that `pattern` begins with; a `]` directly after its start is one of its characters.
fn class_len(pattern: &str) -> Result<usize, &'static str> {
    let start = if pattern[1..].starts_with(['!', '^']) {
        2
    } else {
        1
    };
    let first = usize::from(pattern[start..].starts_with(']'));
    let close = pattern[start + first..].find(']');
    close
        .map(|at| start + first + at + 1)
        .ok_or("opens a class that it does not close within the name")
}

/// The pieces of a pattern without braces.
fn pieces(pattern: &str) -> Result<Vec<GlobToken>, &'static str> {
    let mut pieces = Vec::new();
    let mut rest = pattern;
    while let Some(c) = rest.chars().next() {
        let mut len = c.len_utf8();
        pieces.push(match c {
            '*' if rest[1..].starts_with('*') => {
                return Err("has a `**` that is not alone in its component");
            }
            '*' => GlobToken::Many,
            '?' => GlobToken::One,
            '[' => {
                len = class_len(rest)?;
                class(&rest[1..len - 1])?
            }
            c => GlobToken::Char(c),
        });
        rest = &rest[len..];
    }
    Ok(pieces)
}

/// A class from the text between its brackets.
fn class(inner: &str) -> Result<GlobToken, &'static str> {
    let negated = inner.starts_with(['!', '^']);
    let chars: Vec<char> = inner.chars().skip(usize::from(negated)).collect();
    let mut ranges = Vec::new();
    let mut rest = chars.as_slice();
    loop {
        rest = match rest {
            [] => return Ok(GlobToken::Class { negated, ranges }),
            [from, '-', to, rest @ ..] if from <= to => {
                ranges.push((*from, *to));
                rest
            }
            [_, '-', _, ..] => return Err("has a range that runs backwards"),
            [one, rest @ ..] => {
                ranges.push((*one, *one));
                rest
            }
        };
    }
}

/// Whether the pieces match all of `name`. A `*` that turns out too short is only ever lengthened at the last one met, so
/// the time is bounded by the product of both lengths.
fn fits(pieces: &[GlobToken], name: &str) -> bool {
    let mut rest = name;
    let mut at = 0;
    let mut retry: Option<(usize, &str)> = None;
    loop {
        match (pieces.get(at), rest.chars().next()) {
            (None, None) => return true,
            (Some(GlobToken::Many), _) => {
                at += 1;
                retry = Some((at, rest));
                continue;
            }
            (Some(piece), Some(c)) if piece.takes(c) => {
                at += 1;
                rest = &rest[c.len_utf8()..];
                continue;
            }
            _ => {}
        }
        let Some((after, from)) = retry else {
            return false;
        };
        let Some(c) = from.chars().next() else {
            return false;
        };
        let longer = &from[c.len_utf8()..];
        retry = Some((after, longer));
        at = after;
        rest = longer;
    }
}

/// A pattern of a path inside a root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    text: String,
    pub(super) parts: Vec<Part>,
}

/// One component of a [`Pattern`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    /// `**`: any number of folders, or none.
    Deep,
    /// A name without wildcards.
    Literal(String),
    /// A name with wildcards.
    Name(Name),
}

impl Pattern {
    /// Parses a pattern. `**` at the end means every file below.
    ///
    /// # Errors
    /// [`Obstacle::Leaves`] if it leaves the root by its form, [`Obstacle::Pattern`] if it is not well formed.
    pub fn parse(pattern: &str) -> Result<Self, Obstacle> {
        if let Some(why) = leaves(pattern).filter(|_| !pattern.is_empty()) {
            return Err(Obstacle::Leaves {
                path: pattern.to_owned(),
                why,
            });
        }
        let part = |part: &str| match part {
            "**" => Ok(Part::Deep),
            part => {
                let name = Name::read(part)?;
                Ok(name
                    .literal()
                    .map_or_else(|| Part::Name(name), Part::Literal))
            }
        };
        let parts = pattern.split('/').map(part).collect::<Result<Vec<_>, _>>();
        let mut parts = parts.map_err(|why| malformed(pattern, why))?;
        parts.dedup_by(|a, b| *a == Part::Deep && *b == Part::Deep);
        if parts.last() == Some(&Part::Deep) {
            let every = Name::read("*").map_err(|why| malformed(pattern, why))?;
            parts.push(Part::Name(every));
        }
        Ok(Self {
            text: pattern.to_owned(),
            parts,
        })
    }

    /// As written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// A path that it matches.
    #[must_use]
    pub fn example(&self) -> String {
        let names = self.parts.iter().filter_map(|part| match part {
            Part::Deep => None,
            Part::Literal(name) => Some(name.clone()),
            Part::Name(name) => Some(name.example()),
        });
        names.collect::<Vec<_>>().join("/")
    }

    /// The path before its first wildcard (empty if it begins with one), and the rest from there on, if it has one.
    #[must_use]
    pub fn literal_start(&self) -> (String, Option<String>) {
        let literals = self.parts.iter().map_while(|part| match part {
            Part::Literal(name) => Some(name.as_str()),
            Part::Deep | Part::Name(_) => None,
        });
        let start: Vec<&str> = literals.collect();
        let rest: Vec<&str> = self.text.split('/').skip(start.len()).collect();
        let rest = (!rest.is_empty()).then(|| rest.join("/"));
        (start.join("/"), rest)
    }

    /// Whether it finds a file of this path, if there is one.
    #[must_use]
    pub fn matches(&self, path: &str) -> bool {
        let names: Vec<&str> = path.split('/').collect();
        reaches(&self.parts, &names)
    }
}

fn reaches(parts: &[Part], names: &[&str]) -> bool {
    let Some((part, after)) = parts.split_first() else {
        return names.is_empty();
    };
    if *part == Part::Deep {
        // Folders that are hidden are not entered.
        let open = names.iter().take_while(|n| !n.starts_with('.')).count();
        return (0..=open.min(names.len())).any(|skip| reaches(after, &names[skip..]));
    }
    names.split_first().is_some_and(|(name, rest)| {
        let fits = match part {
            Part::Literal(literal) => literal == name,
            Part::Name(pattern) => pattern.matches_visible(name),
            Part::Deep => false,
        };
        fits && reaches(after, rest)
    })
}

fn malformed(pattern: &str, why: &str) -> Obstacle {
    Obstacle::Pattern {
        pattern: pattern.to_owned(),
        why: why.to_owned(),
    }
}

#[cfg(test)]
mod tests;
