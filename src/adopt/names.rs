//! Names for layers, files and facts, from the words of the text.

use super::kind::Kind;
use crate::text::document::Document;
use std::collections::BTreeSet;

/// The longest name that is made from words, in bytes.
const LONGEST: usize = 32;
/// How many words of a sentence make a name.
const WORDS: usize = 4;

/// Words that name nothing.
const EMPTY_WORDS: &[&str] = &[
    "a", "an", "and", "are", "as", "at", "be", "by", "for", "from", "has", "have", "in", "is",
    "it", "of", "on", "or", "that", "the", "this", "to", "was", "were", "with", "you", "your",
];

/// Names that are taken.
#[derive(Debug, Default)]
pub(super) struct Names {
    taken: BTreeSet<String>,
}

impl Names {
    /// Takes `name`, or if it is taken the first of `name-2`, `name-3`, … that is not; `between` stands for the hyphen.
    pub(super) fn take(&mut self, name: &str, between: char) -> String {
        let mut found = name.to_owned();
        let mut number = 1;
        while !self.taken.insert(found.clone()) {
            number += 1;
            found = format!("{name}{between}{number}");
        }
        found
    }

    /// Takes the first of `names` that is free; if none is, the last with a number.
    pub(super) fn first(&mut self, names: &[String], between: char) -> String {
        let free = names.iter().find(|n| !self.taken.contains(*n));
        let last = names.last().map_or("value", String::as_str);
        self.take(&free.map_or(last.to_owned(), String::clone), between)
    }
}

/// The words of a text in lower case with `between` between them; nothing if it has none in ASCII.
fn words(text: &str, most: usize, between: char) -> String {
    let mut out = String::new();
    let text = text.replace(['\'', '’'], "");
    let all = text.split(|c: char| !c.is_ascii_alphanumeric());
    for word in all.filter(|w| !w.is_empty()).take(most) {
        let more = usize::from(!out.is_empty()) + word.len();
        if out.len() + more > LONGEST && !out.is_empty() {
            break;
        }
        if !out.is_empty() {
            out.push(between);
        }
        out.push_str(&word[..word.len().min(LONGEST)].to_ascii_lowercase());
    }
    out
}

/// A name for what is called `title`, or has no title and begins with `text`; none if it has no words in ASCII.
pub(super) fn layer(title: &str, text: &str) -> Option<String> {
    let text = text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{FEFF}');
    let first = text.lines().next().unwrap_or_default();
    let (title, first) = (unnumbered(title), unnumbered(first));
    let name = match title {
        "" if first.starts_with("You are ") || first.starts_with("I am ") => "identity".to_owned(),
        "" => words(first, WORDS, '-'),
        title => words(title, usize::MAX, '-'),
    };
    (!name.is_empty()).then_some(name)
}

/// A line without the number of an item in front.
fn unnumbered(line: &str) -> &str {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    match rest.strip_prefix(['.', ')']) {
        Some(rest) if !line.starts_with(['.', ')']) => rest,
        _ => line,
    }
}

/// A name for the scenario of a dump, from its file's name.
pub(super) fn scenario(file: &str) -> String {
    let name = file.rsplit(['/', '\\']).next().unwrap_or_default();
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let kept = |c: char| {
        if c.is_ascii_alphanumeric() || c == '_' || c == '.' {
            c
        } else {
            '-'
        }
    };
    let name: String = stem.chars().map(kept).take(LONGEST * 2).collect();
    let name = name.trim_matches(['-', '.']);
    match name.is_empty() {
        true => "dump".to_owned(),
        false => name.to_owned(),
    }
}

/// A name that templates can use as a variable.
pub(super) fn variable(name: &str) -> String {
    let name = words(name, usize::MAX, '_');
    if name.is_empty() {
        "value".to_owned()
    } else if name.starts_with(|c: char| c.is_ascii_digit()) {
        format!("n_{name}")
    } else if Document::RESERVED.contains(&name.as_str()) {
        format!("{name}_")
    } else {
        name
    }
}

/// Names for `value`, the best first: of `kind`, with `before` and `behind` it in the text, in the layer called `layer`.
pub(super) fn fact(
    kind: Kind,
    value: &str,
    (before, behind): (&str, &str),
    layer: &str,
) -> Vec<String> {
    let of_kind = match kind {
        Kind::Date => Some("date"),
        Kind::Time => Some("time"),
        Kind::Moment => Some("now"),
        Kind::Path => Some("folder"),
        Kind::Url => Some("url"),
        Kind::Number | Kind::Other => None,
    };
    let label = label(before);
    let line = before.lines().next_back().unwrap_or_default();
    let line = if before.ends_with(['\n', '\r']) {
        ""
    } else {
        line
    };
    let next = behind.split(['\n', '\r']).next().unwrap_or_default();
    let counted = match kind {
        Kind::Number => Some(words(next, 1, '_')),
        _ => None,
    };
    let clause = line.rsplit(['.', ';', '(']).next().unwrap_or_default();
    let said = telling(clause);
    let own = match value.split_whitespace().count() {
        0 | 1 => String::new(),
        _ => words(&filled(value), 3, '_'),
    };
    let first = matches!(kind, Kind::Date | Kind::Time | Kind::Moment);
    let of_kind = of_kind.map(str::to_owned);
    let (early, late) = if first {
        (of_kind, None)
    } else {
        (None, of_kind)
    };
    let all = [
        early,
        label,
        late,
        counted,
        Some(said),
        Some(own),
        Some(layer.to_owned()),
    ];
    all.into_iter()
        .flatten()
        .filter(|name| !name.is_empty())
        .map(|name| variable(&name))
        .collect()
}

/// The words of a text that name something; all, if none does.
fn filled(text: &str) -> String {
    let all: Vec<&str> = text.split_whitespace().collect();
    let telling: Vec<&str> = all.iter().copied().filter(|w| !is_empty_word(w)).collect();
    let named = telling
        .iter()
        .any(|w| w.contains(|c: char| c.is_ascii_alphanumeric()));
    if named { telling } else { all }.join(" ")
}

fn is_empty_word(word: &str) -> bool {
    EMPTY_WORDS.contains(&word.to_ascii_lowercase().as_str())
}

/// The last words of a clause, without those that say little at its ends.
fn telling(clause: &str) -> String {
    let mut all: Vec<&str> = clause.split_whitespace().collect();
    while all.last().is_some_and(|w| is_empty_word(w)) {
        all.pop();
    }
    let last = &all[all.len().saturating_sub(3)..];
    let from = last
        .iter()
        .position(|w| !is_empty_word(w))
        .unwrap_or(last.len());
    words(&last[from..].join(" "), 3, '_')
}

/// What a text in front of a value calls it: `Working directory: `, `cwd="`, `<cwd>`, or a line with a colon above it.
pub(super) fn label(before: &str) -> Option<String> {
    let before = before.trim_end_matches([' ', '\t', '"', '\'', '`', '(', '[', '*', '\n', '\r']);
    let line = before.lines().next_back()?;
    if let Some(rest) = line.strip_suffix('>') {
        let name = &rest[rest.rfind('<')? + 1..];
        let name = name.split_whitespace().next()?;
        return (!name.starts_with('/')).then(|| words(name, WORDS, '_'));
    }
    let rest = line.strip_suffix([':', '='])?;
    let rest = rest.trim_end_matches(['*', '"', '\'', '`', ' ']);
    let is_attribute = line.ends_with('=');
    let clause = rest
        .rsplit(|c: char| ".;,|({<>\"".contains(c) || is_attribute && c.is_whitespace())
        .next()?;
    let all: Vec<&str> = clause.split_whitespace().collect();
    let last = &all[all.len().saturating_sub(WORDS)..];
    Some(words(&last.join(" "), WORDS, '_')).filter(|l| !l.is_empty())
}

#[cfg(test)]
mod tests {
    use super::{Kind, Names, fact, layer, scenario, variable};

    #[test]
    fn facts_are_named_after_what_they_are_or_what_stands_there() {
        let first =
            |kind, before: &str, behind: &str| fact(kind, "x", (before, behind), "env")[0].clone();
        assert_eq!(first(Kind::Date, "Today's date: ", ""), "date");
        assert_eq!(
            first(Kind::Path, "x\n- Working directory: `", "`"),
            "working_directory"
        );
        assert_eq!(first(Kind::Path, "Go to ", ""), "folder");
        assert_eq!(first(Kind::Other, "<env cwd=\"a\" model=\"", "\""), "model");
        assert_eq!(first(Kind::Other, "<branch>", "</branch>"), "branch");
        assert_eq!(first(Kind::Number, "There are ", " files."), "files");
        assert_eq!(first(Kind::Other, "Done. Your shell is ", "."), "shell");
        assert_eq!(first(Kind::Other, "Open files:\n", ""), "open_files");
        assert_eq!(first(Kind::Other, "Name: ", ""), "name_");
        assert_eq!(first(Kind::Other, "**Model**: ", ""), "model");
        assert_eq!(first(Kind::Other, "# 概要\n", ""), "env");
    }

    #[test]
    fn names_hold_what_names_may_hold() {
        let named = |title, text| layer(title, text).unwrap();
        assert_eq!(named("Tool Use & Safety", ""), "tool-use-safety");
        assert_eq!(named("2. Tools", ""), "tools");
        assert_eq!(named("2026 plan", ""), "2026-plan");
        assert_eq!(named("", "You are Atlas."), "identity");
        assert_eq!(
            named(
                "",
                "
Always answer in short sentences."
            ),
            "always-answer-in-short"
        );
        assert_eq!(layer("概要", ""), None);
        assert_eq!(scenario("dumps/2026-03-30 a.txt"), "2026-03-30-a");
        assert_eq!(scenario("-.txt"), "dump");
        assert_eq!(variable("3 files"), "n_3_files");
    }

    #[test]
    fn a_name_is_taken_once() {
        let mut names = Names::default();
        let taken: Vec<String> = (0..3).map(|_| names.take("a", '-')).collect();
        assert_eq!(taken, ["a", "a-2", "a-3"]);
        assert_eq!(names.first(&["a".to_owned(), "b".to_owned()], '_'), "b");
    }
}
