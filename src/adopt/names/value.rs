//! Names for the value of a place, from the text around it.

use super::words::{WORDS, filled, is_empty_word, shared, variable, words};
use crate::adopt::fact::Why;
use crate::adopt::kind::{Kind, common_kind};
use crate::adopt::label;
use crate::text::document::Document;
use crate::text::normalise::is_blank;

/// Words before a noun.
const DETERMINERS: &str = " a an das dem den der die ein eine el il la le our the this your ";

/// Words before the name of the person that is addressed.
const SELF: &str = "|You are|I am|Your name is|You are called|Du bist|Sie sind|Ich bin|";

/// A placeholder for the value of another fact, in the text around a place.
pub(in crate::adopt) const VALUE: char = '\u{FFFC}';

/// The surroundings of a place, in the first dump that has it.
#[derive(Debug)]
pub(in crate::adopt) struct Site<'t> {
    /// The text before it in its layer.
    pub(in crate::adopt) before: String,
    /// The text after it in the dump.
    pub(in crate::adopt) after: String,
    /// The name of its layer.
    pub(in crate::adopt) layer: String,
    /// Its text in those dumps that have it.
    pub(in crate::adopt) values: Vec<&'t str>,
}

impl<'t> Site<'t> {
    /// The heading above the place, in its layer.
    fn heading(&self) -> Option<&str> {
        let mut lines = self.before.lines().rev();
        lines
            .find_map(|line| line.strip_prefix('#'))
            .map(|line| line.trim_matches(['#', ' ']))
    }

    /// The line of the place, up to the place; if the line continues one above, that line too.
    fn line(&self) -> &str {
        let line = self.before.rsplit(['\n', '\r']).next().unwrap_or_default();
        let above = self.before[..self.before.len() - line.len()].trim_end_matches(['\n', '\r']);
        let above = above.rsplit(['\n', '\r']).next().unwrap_or_default();
        let goes_on = line.trim().is_empty()
            && !self.before.ends_with("\n\n")
            && above.ends_with(char::is_alphabetic);
        if goes_on { above } else { line }
    }
}

/// Names for the value of a place, the best first. One that is taken goes on with the heading above or the layer.
pub(in crate::adopt) fn fact(site: &Site<'_>) -> Vec<(String, Why)> {
    if site.values.iter().all(|v| is_blank(v)) {
        return named([("end_of_text".to_owned(), Why::Kind)], &site.layer);
    }
    let kind = common_kind(&site.values);
    let next = site
        .after
        .split(['\n', '\r', VALUE])
        .next()
        .unwrap_or_default();
    let counted = name_after(site.line(), next, kind);
    let heading = site.heading().map(heading_words).unwrap_or_default();
    let whose = match heading.as_str() {
        "" => site.layer.as_str(),
        heading => heading,
    };
    let whose = whose.rsplit('_').next().unwrap_or_default();
    let of_whom = |name: &str| {
        if name.is_empty() || name == whose {
            String::new()
        } else {
            format!("{whose}_{name}")
        }
    };
    let label = label(&site.before).unwrap_or_default();
    // The number of an item says nothing.
    let mut lines = site.before.rsplit(['\n', '\r']);
    let is_first = lines.next().is_none_or(str::is_empty);
    if is_first && kind == Kind::Number && next.starts_with(['.', ')']) {
        return named([], &site.layer);
    }
    // `Today is` says what a date is, `of the ticket on` does so less than that it is a date.
    let (before, is_clause) = informative(site.line(), next.is_empty());
    let is_moment = matches!(kind, Kind::Date | Kind::Time | Kind::Moment);
    let knows = !matches!(kind, Kind::Number | Kind::Other | Kind::Path | Kind::Url);
    let (of_kind, before) = ((kind.name().to_owned(), Why::Kind), (before, Why::Before));
    let own_before = (of_whom(&before.0), Why::Before);
    let (first, second) = if knows && !(is_moment && is_clause) {
        (of_kind, before)
    } else {
        (before, of_kind)
    };
    // A list is named after the line above it.
    let is_list = site.values.iter().any(|v| v.contains('\n'));
    let of_list = if is_list {
        heading.clone()
    } else {
        String::new()
    };
    let own_label = of_whom(&label);
    let all = [
        (label, Why::Label),
        (own_label, Why::Label),
        (of_list, Why::Heading),
        (counted, Why::Behind),
        first,
        second,
        own_before,
    ];
    named(all, &site.layer)
}

/// Names for the fact that says whether lines are there.
pub(in crate::adopt) fn of_lines(site: &Site<'_>) -> Vec<(String, Why)> {
    let firsts: Vec<&str> = site
        .values
        .iter()
        .map(|value| value.trim().lines().next().unwrap_or_default())
        .collect();
    let title = firsts.first().and_then(|line| {
        let line = line.strip_prefix('#')?;
        Some(words(line, WORDS, '_'))
    });
    let item = firsts.first().and_then(|line| label::of_line(line));
    let label = item.map(|item| {
        // The name of a function, without what it is given.
        let name = item.name.split('(').next().unwrap_or_default();
        words(name, WORDS, '_')
    });
    let own = words(&filled(&shared(&firsts)), 3, '_');
    let all = [
        (title.unwrap_or_default(), Why::Label),
        (label.unwrap_or_default(), Why::Label),
        (own, Why::Own),
    ];
    named(all, &site.layer)
}

/// The proposals that may be names, and last the name of the layer.
fn named<const N: usize>(all: [(String, Why); N], layer: &str) -> Vec<(String, Why)> {
    let is_name = |(name, _): &(String, Why)| {
        !name.is_empty() && !Document::RESERVED.contains(&name.as_str())
    };
    let all = all
        .into_iter()
        .filter(is_name)
        .chain([(layer.to_owned(), Why::Layer)]);
    all.map(|(name, why)| (variable(&name), why)).collect()
}

/// A heading as a name: a long one up to the words that only say more, such as `of the last days`.
fn heading_words(heading: &str) -> String {
    let all: Vec<&str> = heading.split_whitespace().collect();
    let more = all.iter().skip(1).position(|word| is_empty_word(word));
    let end = match more {
        Some(at) if all.len() > WORDS => at + 1,
        _ => all.len(),
    };
    let all = &all[..end];
    let start = all
        .iter()
        .position(|w| !is_empty_word(w))
        .unwrap_or_default();
    words(&all[start..].join(" "), WORDS, '_')
}

/// The name that the word after a value gives it, if the value is a count or is between an article and its noun.
fn name_after(line: &str, next: &str, kind: Kind) -> String {
    let article = line.split_whitespace().next_back().unwrap_or_default();
    let is_article =
        line.ends_with(' ') && DETERMINERS.contains(&format!(" {} ", article.to_lowercase()));
    let clause = next
        .split(['.', ',', ';', ':', '('])
        .next()
        .unwrap_or_default();
    let all = clause.strip_prefix(' ').unwrap_or_default();
    let all: Vec<&str> = all.split_whitespace().collect();
    let is_code =
        |word: &str| word.len() > 1 && word.chars().all(|c| c.is_uppercase() || !c.is_alphabetic());
    match all.iter().find(|w| !is_empty_word(w)) {
        Some(noun) if kind == Kind::Number && !is_code(noun) => words(noun, 1, '_'),
        Some(noun) if is_article && all.first() == Some(noun) && !is_code(noun) => {
            words(noun, 1, '_')
        }
        _ => String::new(),
    }
}

/// The name that the words before a value give it: the last words of its clause, without the vague ones around them.
/// The flag says whether these are all there are; a short line that ends with the value is all of them.
fn informative(line: &str, ends_line: bool) -> (String, bool) {
    let clause = line.trim_end_matches(|c: char| !c.is_alphanumeric() && c != VALUE);
    if SELF.contains(&format!("|{}|", clause.trim())) {
        return ("agent_name".to_owned(), true);
    }
    let clause = clause
        .rsplit(['.', ',', ';', ':', '(', '|', VALUE])
        .next()
        .unwrap_or_default();
    let mut all: Vec<&str> = clause.split_whitespace().collect();
    let is_said = all
        .last()
        .is_some_and(|w| ["is", "are", "ist", "sind"].contains(w));
    while all.last().is_some_and(|w| is_empty_word(w)) {
        all.pop();
    }
    if is_said {
        // `the limit without a code is` is about the limit.
        let start = all
            .iter()
            .position(|w| !is_empty_word(w))
            .unwrap_or_default();
        let more = all.iter().skip(start).position(|w| is_empty_word(w));
        all.truncate(more.map_or(all.len(), |more| start + more));
    }
    // From the last word that names nothing on: `the user is on the model` is about the model.
    let is_label = ends_line && all.len() < WORDS && clause.len() == line.trim_end().len();
    let from = all
        .iter()
        .rposition(|w| is_empty_word(w) && !is_label)
        .map_or(0, |at| at + 1);
    let from = from.max(all.len().saturating_sub(3));
    (words(&all[from..].join(" "), 3, '_'), from == 0)
}

/// The name that a label before a value gives it: `Working directory: `, `cwd="`, `<cwd>`, `| cwd | `, or a line above
/// that ends with a colon.
fn label(before: &str) -> Option<String> {
    let before =
        before.trim_end_matches([' ', '\t', '"', '\'', '`', '(', '[', '{', '*', '\n', '\r']);
    let line = before.lines().next_back()?;
    if line.ends_with('|') {
        let cell = label::of_line(line)?;
        return Some(heading_words(cell.name)).filter(|l| !l.is_empty());
    }
    if let Some(rest) = line.strip_suffix('>') {
        let name = &rest[rest.rfind('<')? + 1..];
        let name = name.split_whitespace().next()?;
        return (!name.starts_with('/')).then(|| words(name, WORDS, '_'));
    }
    let rest = label::without_item(line).strip_suffix([':', '='])?;
    let rest = rest.trim_end_matches(['*', '"', '\'', '`', ' ']);
    let is_attribute = line.ends_with('=');
    let clause = rest
        .rsplit(|c: char| {
            ".;,|({<>\"".contains(c) || c == VALUE || is_attribute && c.is_whitespace()
        })
        .next()?;
    Some(heading_words(clause)).filter(|l| !l.is_empty())
}
