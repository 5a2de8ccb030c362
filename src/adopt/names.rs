//! Names for layers, files and facts, from the words of the text.

use super::fact::{Confidence, Fact, FactKind, Pace, Why};
use super::kind::{Kind, common_kind};
use super::label;
use crate::text::document::Document;
use crate::text::normalise::is_blank;
use std::collections::BTreeSet;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// The longest name that is made from words, in bytes.
const LONGEST: usize = 32;
/// The number of words of a sentence that make a name.
const WORDS: usize = 4;

/// Words of small letters that have no more of them name nothing.
const SHORT: usize = 3;

/// Words that name nothing.
const EMPTY_WORDS: &[&str] = &[
    "a", "about", "after", "an", "and", "are", "as", "at", "be", "before", "by", "for", "from",
    "has", "have", "in", "into", "is", "it", "of", "on", "or", "over", "since", "than", "that",
    "the", "this", "to", "until", "was", "were", "when", "which", "with", "within", "without",
    "you", "your",
];

/// Words before a noun.
const DETERMINERS: &str = " a an das dem den der die ein eine el il la le our the this your ";

/// Words before the name of the person that is addressed.
const SELF: &str = "|You are|I am|Your name is|You are called|Du bist|Sie sind|Ich bin|";

/// A placeholder for the value of another fact, in the text around a place.
pub(super) const VALUE: char = '\u{FFFC}';

/// Names that are taken.
#[derive(Debug, Default)]
pub(super) struct Names {
    taken: BTreeSet<String>,
}

impl Names {
    /// Reserves `name`, or if it is in use the first free one of `name-2`, `name-3`, …; `between` is the hyphen.
    pub(super) fn take(&mut self, name: &str, between: char) -> String {
        let mut found = name.to_owned();
        let mut number = 1;
        while !self.taken.insert(found.clone()) {
            number += 1;
            found = format!("{name}{between}{number}");
        }
        found
    }

    /// Takes the first of `names` that is free; if none is, the first with a number.
    fn first(&mut self, names: &[(String, Why)]) -> (String, Why) {
        let free = names.iter().find(|(name, _)| !self.taken.contains(name));
        let free = free.or(names.first()).cloned();
        let (name, why) = free.unwrap_or(("value".to_owned(), Why::Layer));
        (self.take(&name, '_'), why)
    }
}

/// Gives the facts their names, those first that are surest; what of the text was edited once is its layer's wording.
pub(super) fn settle(facts: &mut [Fact]) {
    let mut names = Names::default();
    for fact in &mut *facts {
        fact.names.sort_by_key(|(_, why)| why.confidence());
        if fact.pace == Pace::Once && fact.kind == FactKind::Text && fact.is_sentence {
            let name = variable(&format!("{}_wording", fact.layer));
            fact.names.insert(0, (name, Why::Layer));
        }
    }
    let mut order: Vec<usize> = (0..facts.len()).collect();
    order.sort_by_key(|at| facts[*at].names.first().map(|(_, why)| why.confidence()));
    for at in order {
        (facts[at].name, facts[at].why) = names.first(&facts[at].names);
    }
}

/// A text in small letters without accents: `ß` is `ss`, `é` is `e`.
fn plain(text: &str) -> String {
    let letters = text.nfkd().filter(|c| !is_combining_mark(*c));
    let out: String = letters.filter(|c| !matches!(c, '\'' | '’')).collect();
    out.replace('ß', "ss").to_lowercase()
}

/// The words of a text with `between` between them, as far as they fit; nothing if it has none in ASCII.
fn words(text: &str, most: usize, between: char) -> String {
    let mut out = String::new();
    let text = plain(text);
    let all = text.split(|c: char| !c.is_ascii_alphanumeric());
    for word in all.filter(|w| !w.is_empty()).take(most) {
        let more = usize::from(!out.is_empty()) + word.len();
        if out.len() + more > LONGEST && !out.is_empty() {
            break;
        }
        if !out.is_empty() {
            out.push(between);
        }
        out.push_str(&word[..word.len().min(LONGEST)]);
    }
    out
}

/// A name for what is called `titles` in the dumps that have it, or has no title and begins with `firsts`; none if they have no
/// words in ASCII in common.
/// `is_first` says that it may say who the agent is.
pub(super) fn layer(
    titles: &[&str],
    firsts: &[&str],
    is_first: bool,
) -> Option<(String, Confidence)> {
    let (titled, first) = (shared(titles), shared(firsts));
    let name = words(&titled, usize::MAX, '-');
    if !name.is_empty() {
        return Some((name, Confidence::Sure));
    }
    if let Some(label) = firsts.first().and_then(|line| label::of_line(line)) {
        let name = words(numberless(label.name), WORDS, '-');
        let all_say = firsts.iter().all(|line| line.contains(label.name));
        if all_say && !name.is_empty() && label.name.split_whitespace().count() <= WORDS {
            return Some((name, Confidence::Sure));
        }
    }
    if is_first
        && ["You ", "I am ", "Du ", "Sie "]
            .iter()
            .any(|you| first.starts_with(you))
    {
        return Some(("identity".to_owned(), Confidence::Likely));
    }
    let name = match common_kind(firsts).name() {
        "" => subject(&first),
        kind => kind.to_owned(),
    };
    (!name.is_empty()).then_some((name, Confidence::Guess))
}

/// The beginning of a sentence: its first words that name something, up to one that does not or is a verb.
fn subject(sentence: &str) -> String {
    let all = sentence.split_whitespace();
    let mut all = all.skip_while(|w| is_empty_word(w)).peekable();
    let first = all.next().unwrap_or_default();
    let ends = |word: &str| word.ends_with([',', '.', ';', ':']);
    let is_noun = |word: &&str| !ends(first) && !is_empty_word(word) && !word.ends_with('s');
    let second = all.peek().copied().filter(is_noun).unwrap_or_default();
    match words(&format!("{first} {second}"), 2, '-') {
        name if name.is_empty() => words(sentence, WORDS, '-'),
        name => name,
    }
}

/// The words that the first of some lines shares with all others, in its order, without the number of an item.
fn shared(lines: &[&str]) -> String {
    let Some((first, rest)) = lines.split_first() else {
        return String::new();
    };
    let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
    let others: Vec<BTreeSet<String>> = rest
        .iter()
        .map(|line| line.split_whitespace().map(bare).collect())
        .collect();
    let words = numberless(label::without_item(first)).split_whitespace();
    let kept = words.filter(|word| others.iter().all(|other| other.contains(&bare(word))));
    kept.collect::<Vec<_>>().join(" ")
}

/// A name without the number after it: `Rule 4` is `Rule`.
fn numberless(name: &str) -> &str {
    let rest = name.trim_end_matches(|c: char| c.is_ascii_digit());
    match rest.strip_suffix(' ') {
        Some(rest) if !rest.trim().is_empty() => rest,
        _ => name,
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
        format!("{name}_text")
    } else {
        name
    }
}

/// The surroundings of a place, in the first dump that has it.
#[derive(Debug)]
pub(super) struct Site<'t> {
    /// The text before it in its layer.
    pub(super) before: String,
    /// The text after it in the dump.
    pub(super) after: String,
    /// The name of its layer.
    pub(super) layer: String,
    /// Its text in those dumps that have it.
    pub(super) values: Vec<&'t str>,
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
pub(super) fn fact(site: &Site<'_>) -> Vec<(String, Why)> {
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
    let of_whom = |name: &str| match name.is_empty() || name == whose {
        true => String::new(),
        false => format!("{whose}_{name}"),
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
    let (first, second) = match knows && !(is_moment && is_clause) {
        true => (of_kind, before),
        false => (before, of_kind),
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
pub(super) fn of_lines(site: &Site<'_>) -> Vec<(String, Why)> {
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

/// The words of a text that name something; all, if none does.
fn filled(text: &str) -> String {
    let all: Vec<&str> = text.split_whitespace().collect();
    let informative: Vec<&str> = all.iter().copied().filter(|w| !is_empty_word(w)).collect();
    let named = informative
        .iter()
        .any(|w| w.contains(|c: char| c.is_ascii_alphanumeric()));
    if named { informative } else { all }.join(" ")
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

/// Whether a word names nothing: it is in the list, or so short that it mostly joins others, in any language.
fn is_empty_word(word: &str) -> bool {
    let is_short = word.len() <= SHORT && word.chars().all(char::is_lowercase)
        || !word.contains(char::is_alphabetic);
    is_short || EMPTY_WORDS.contains(&word.to_ascii_lowercase().as_str())
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

#[cfg(test)]
mod tests {
    use super::{Confidence, Names, Site, Why, fact, layer, scenario, variable};

    #[test]
    fn facts_are_named_after_the_text_before_them() {
        let first = |value: &str, before: &str, after: &str| {
            let site = Site {
                before: before.to_owned(),
                after: after.to_owned(),
                layer: "env".to_owned(),
                values: vec![value],
            };
            let (name, why) = fact(&site).swap_remove(0);
            (name, why.confidence())
        };
        let all: &[(&str, &str, &str, &str, Confidence)] = &[
            ("2026-03-30", "Due date: ", "", "due_date", Confidence::Sure),
            ("2026-03-30", "Today is ", ".", "today", Confidence::Likely),
            (
                "2026-03-30",
                "Built for Ann on ",
                ".",
                "date",
                Confidence::Likely,
            ),
            (
                "/a",
                "x\n- Working directory: `",
                "`",
                "working_directory",
                Confidence::Sure,
            ),
            ("/a", "", "", "folder", Confidence::Likely),
            (
                "x",
                "<env cwd=\"a\" model=\"",
                "\"",
                "model",
                Confidence::Sure,
            ),
            ("x", "<branch>", "</branch>", "branch", Confidence::Sure),
            ("x", "| Town | ", " |", "town", Confidence::Sure),
            ("12", "There are ", " files.", "files", Confidence::Likely),
            (
                "x",
                "Done. Your shell is ",
                ".",
                "shell",
                Confidence::Likely,
            ),
            ("x", "Open files:\n", "", "open_files", Confidence::Sure),
            (
                "x",
                "## Guest\n\n- Name: ",
                "",
                "guest_name",
                Confidence::Sure,
            ),
            ("x", "Name: ", "", "env_name", Confidence::Sure),
            ("x", "6.1 Größe: ", "", "grosse", Confidence::Sure),
            (
                "x\ny",
                "# Orders\n\n|---|\n",
                "",
                "orders",
                Confidence::Sure,
            ),
            ("x", "# 概要\n", "", "env", Confidence::Guess),
        ];
        for (value, before, after, name, confidence) in all {
            let found = first(value, before, after);
            assert_eq!(found, ((*name).to_owned(), *confidence), "{before}");
        }
    }

    #[test]
    fn names_have_only_allowed_characters() {
        let named = |title: &str, text: &str| layer(&[title], &[text], true).unwrap().0;
        assert_eq!(named("Tool Use & Safety", ""), "tool-use-safety");
        assert_eq!(named("2. Tools", ""), "tools");
        assert_eq!(named("2026 plan", ""), "2026-plan");
        assert_eq!(named("", "You are Atlas."), "identity");
        assert_eq!(named("", "Rule 1: Be kind."), "rule");
        assert_eq!(
            named("", "Always answer in short sentences."),
            "always-answer"
        );
        assert_eq!(layer(&["概要"], &[""], true), None);
        // Changing text is no part of a name.
        let both = layer(&["Tools (7)", "Tools (8)"], &["", ""], true).unwrap();
        assert_eq!(both, ("tools".to_owned(), Confidence::Sure));
        assert_eq!(scenario("dumps/2026-03-30 a.txt"), "2026-03-30-a");
        assert_eq!(scenario("-.txt"), "dump");
        assert_eq!(variable("3 files"), "n_3_files");
    }

    #[test]
    fn a_name_is_taken_once() {
        let mut names = Names::default();
        let taken: Vec<String> = (0..3).map(|_| names.take("a", '-')).collect();
        assert_eq!(taken, ["a", "a-2", "a-3"]);
        let wanted = ["a", "b"].map(|name| (name.to_owned(), Why::Label));
        assert_eq!(names.first(&wanted).0, "b");
        assert_eq!(names.first(&wanted).0, "a_2");
    }
}
