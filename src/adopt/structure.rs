//! The structure of a text: headings, sections in tags, and lines used as headings. Code in fences is ignored.

use super::label::{self, tag_name};
use super::lines::{Line, lines};
use std::collections::BTreeMap;
use std::ops::Range;

/// The rank of a section in tags, in a text that consists mostly of such sections.
const SECTION: u8 = 0;
/// The rank of a section in tags elsewhere; those of headings are their levels.
pub(super) const MINOR_SECTION: u8 = 7;
/// A line in bold type.
const BOLD: u8 = 8;
/// A short line that ends with a colon, is in capitals, or is alone above the text that it heads.
const LABEL: u8 = 9;
/// A paragraph that begins with a label, in a text that consists mostly of such paragraphs.
const LABELLED: u8 = 10;
/// The rank added for text inside a section in tags.
const INSIDE: u8 = 11;

/// The longest line that may be a heading, in bytes.
const LONGEST_LABEL: usize = 60;

/// The most closing tags that are tried for an opening one.
const DEEPEST: usize = 1_000;

/// A place where a part of a text begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mark {
    /// The byte of its first character.
    pub(super) at: usize,
    /// The lower, the higher it is in the text's order of parts.
    pub(super) rank: u8,
    /// The name of the part; empty if its text must say so.
    pub(super) title: String,
}

/// All places at which a part begins, by byte.
pub(super) fn marks(text: &str) -> Vec<Mark> {
    let reader = Reader::new(text);
    let sections = reader.sections();
    let covered: usize = sections.iter().map(|s| reader.bytes(s)).sum();
    let rank = if covered * 2 >= text.len() {
        SECTION
    } else {
        MINOR_SECTION
    };
    let mut found: BTreeMap<usize, Mark> = BTreeMap::new();
    let mut add = |line: usize, rank: u8, title: String| {
        let at = reader.start(line);
        found.entry(at).or_insert(Mark { at, rank, title });
    };
    for section in &sections {
        add(section.lines.start, rank, section.name.to_owned());
    }
    for section in &sections {
        if let Some(next) = reader.next_text(section.lines.end) {
            let title = String::new();
            // A heading says what the line after a section belongs to.
            if reader.heading(next).is_none() {
                add(next, rank, title);
            }
        }
    }
    let mut is_inside = vec![false; reader.lines.len()];
    for section in &sections {
        is_inside[section.lines.clone()].fill(true);
    }
    let (paragraphs, labelled) = reader.paragraphs();
    let mostly_labelled = labelled.len() * 2 >= paragraphs;
    for (line, inside) in is_inside.into_iter().enumerate() {
        let deeper = if inside { INSIDE } else { 0 };
        if let Some((level, title)) = reader.heading(line) {
            add(line, level + deeper, title);
        } else if let Some(title) = labelled.get(&line).filter(|_| mostly_labelled) {
            add(line, LABELLED + deeper, (*title).to_owned());
        }
    }
    found.into_values().collect()
}

/// A section in tags: from the line of the opening tag to the end of the line of the closing one.
struct Section<'t> {
    name: &'t str,
    lines: Range<usize>,
}

struct Reader<'t> {
    text: &'t str,
    lines: Vec<Line>,
    /// Whether each line is code or a fence around it.
    is_code: Vec<bool>,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str) -> Self {
        let lines = lines(text, 0..text.len());
        let is_code = code(text, &lines);
        Self {
            text,
            lines,
            is_code,
        }
    }

    fn line(&self, line: usize) -> &'t str {
        self.lines
            .get(line)
            .map_or("", |l| &self.text[l.content.clone()])
    }

    /// The byte of a line's first character.
    fn start(&self, line: usize) -> usize {
        let content = self.line(line);
        self.lines[line].content.start + (content.len() - content.trim_start().len())
    }

    fn bytes(&self, section: &Section<'_>) -> usize {
        self.lines[section.lines.end - 1].end - self.lines[section.lines.start].content.start
    }

    /// The first line from `line` on that says something.
    fn next_text(&self, line: usize) -> Option<usize> {
        (line..self.lines.len()).find(|l| !self.line(*l).trim().is_empty())
    }

    /// The outermost sections in tags.
    fn sections(&self) -> Vec<Section<'t>> {
        let mut closing: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        let mut opening: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for line in (0..self.lines.len()).filter(|l| !self.is_code[*l]) {
            if let Some(name) = closed_by(self.line(line)) {
                closing.entry(name).or_default().push(line);
            }
            if let Some(name) = opened_by(self.line(line)) {
                opening.entry(name).or_default().push(line);
            }
        }
        let mut out = Vec::new();
        let mut line = 0;
        while line < self.lines.len() {
            let name = opened_by(self.line(line)).filter(|_| !self.is_code[line]);
            let end = name.and_then(|name| {
                let ends = closing.get(name)?;
                Some((name, matching(line, opening.get(name)?, ends)?))
            });
            match end {
                Some((name, end)) => {
                    out.push(Section {
                        name,
                        lines: line..end + 1,
                    });
                    line = end + 1;
                }
                None => line += 1,
            }
        }
        out
    }

    /// The level and title of a line that heads what follows.
    fn heading(&self, line: usize) -> Option<(u8, String)> {
        if *self.is_code.get(line)? {
            return None;
        }
        let raw = self.line(line);
        let content = raw.trim();
        if content.is_empty() || raw.len() - raw.trim_start().len() > 3 {
            return None;
        }
        let hashes = content.bytes().take_while(|b| *b == b'#').count();
        if (1..=6).contains(&hashes)
            && content[hashes..]
                .chars()
                .next()
                .is_none_or(char::is_whitespace)
        {
            let title = content[hashes..].trim().trim_end_matches('#').trim();
            return Some((u8::try_from(hashes).ok()?, title.to_owned()));
        }
        if let Some((level, title)) = between_marks(content) {
            return Some((level, title.to_owned()));
        }
        let first = line == 0 || self.line(line - 1).trim().is_empty();
        if !first || raw.starts_with(char::is_whitespace) {
            return None;
        }
        let below = self.line(line + 1).trim_end();
        if below.len() >= 3 && is_plain(content) {
            for (mark, level) in [('=', 1), ('-', 2)] {
                if below.chars().all(|c| c == mark) {
                    return Some((level, content.to_owned()));
                }
            }
        }
        if content.len() > LONGEST_LABEL {
            return None;
        }
        let is_title = is_label(content) || self.is_alone(line) && !self.next_is_alone(line);
        is_title.then(|| (LABEL, content.trim_end_matches(':').to_owned()))
    }

    /// Whether a line is a paragraph that is no sentence and no item.
    fn is_alone(&self, line: usize) -> bool {
        let blank = |line: usize| self.line(line).trim().is_empty();
        let content = self.line(line).trim_end();
        let is_short = content.len() <= LONGEST_LABEL && is_plain(content);
        let begins = |c: char| c.is_uppercase() || c.is_ascii_digit();
        let said = content.ends_with(['.', '!', '?', ',', ';', '"']) || content.contains(": ");
        let alone =
            (line == 0 || blank(line - 1)) && line + 1 < self.lines.len() && blank(line + 1);
        is_short && content.starts_with(begins) && !said && alone
    }

    /// Whether the text below a line could be of its kind, or is missing.
    fn next_is_alone(&self, line: usize) -> bool {
        self.next_text(line + 1)
            .is_none_or(|next| self.is_alone(next))
    }

    /// How many paragraphs there are, and the labels of those that begin with one, by line.
    fn paragraphs(&self) -> (usize, BTreeMap<usize, &'t str>) {
        let begins = |line: &usize| {
            let blank = |line: usize| self.line(line).trim().is_empty();
            !blank(*line) && (*line == 0 || blank(*line - 1))
        };
        let all: Vec<usize> = (0..self.lines.len()).filter(begins).collect();
        let named = |line: &usize| {
            let content = self.line(*line);
            let found = label::of_line(content).filter(|l| content.starts_with(l.name))?;
            let is_name = found.name.starts_with(char::is_uppercase)
                && found.name.split_whitespace().count() <= 4
                && !self.is_code[*line];
            is_name.then_some((*line, found.name))
        };
        (all.len(), all.iter().filter_map(named).collect())
    }
}

/// The level and title of a line that is between marks: `== Rules ==`, `--- Rules ---`, `[Rules]`.
fn between_marks(content: &str) -> Option<(u8, &str)> {
    let (title, level) = [("==", 2), ("--", BOLD), ("**", BOLD)]
        .iter()
        .find_map(|(mark, level)| Some((content.strip_prefix(mark)?.strip_suffix(mark)?, *level)))
        .or_else(|| Some((content.strip_prefix('[')?.strip_suffix(']')?, BOLD)))?;
    let title = title.trim_matches(['=', '-', '*', ' ']);
    let is_title = title.starts_with(char::is_alphabetic)
        && title.len() <= LONGEST_LABEL
        && !title.contains(['[', ']', '"', ',', ':'])
        && !title.contains("**");
    is_title.then_some((level, title))
}

/// Whether a line is neither an item of a list nor a row of marks.
fn is_plain(content: &str) -> bool {
    content.chars().any(char::is_alphanumeric)
        && !content.starts_with(['-', '*', '+', '>', '|', '<'])
}

fn is_label(content: &str) -> bool {
    let letters = || content.chars().filter(|c| c.is_alphabetic());
    let capitals = letters().count() >= 3 && letters().all(char::is_uppercase);
    is_plain(content) && (capitals || content.ends_with(':') && !content.contains(". "))
}

/// Whether each line is code in a fence. A fence that is never closed is no fence.
fn code(text: &str, lines: &[Line]) -> Vec<bool> {
    let fences: Vec<Option<Fence>> = lines
        .iter()
        .map(|l| Fence::of(&text[l.content.clone()]))
        .collect();
    let mut out = vec![false; lines.len()];
    // By mark, the length from which on no fence is closed any more.
    let mut hopeless: BTreeMap<char, usize> = BTreeMap::new();
    let mut at = 0;
    while at < lines.len() {
        if let Some(open) = fences[at]
            && hopeless.get(&open.mark).is_none_or(|n| open.length < *n)
        {
            let closes = |f: &Option<Fence>| f.is_some_and(|f| f.closes(open));
            match fences[at + 1..].iter().position(closes) {
                None => {
                    hopeless.insert(open.mark, open.length);
                }
                Some(after) => {
                    out[at..=at + 1 + after].fill(true);
                    at += 1 + after;
                }
            }
        }
        at += 1;
    }
    out
}

/// A line of backticks or tildes.
#[derive(Debug, Clone, Copy)]
struct Fence {
    mark: char,
    length: usize,
    /// Whether nothing follows it.
    bare: bool,
}

impl Fence {
    fn of(line: &str) -> Option<Self> {
        let line = line.trim();
        let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let rest = line.trim_start_matches(mark);
        let length = line.len() - rest.len();
        (length >= 3 && !rest.contains(mark)).then_some(Self {
            mark,
            length,
            bare: rest.is_empty(),
        })
    }

    fn closes(self, open: Self) -> bool {
        self.bare && self.mark == open.mark && self.length >= open.length
    }
}

/// The name of the tag that a line opens at its beginning and does not close.
fn opened_by(line: &str) -> Option<&str> {
    let inner = line.strip_prefix('<')?;
    let name = tag_name(inner)?;
    let close = inner.find('>')?;
    let rest = &inner[name.len()..close];
    let opens = rest.is_empty() || rest.starts_with(' ') && !rest.ends_with('/');
    (opens && !inner[close..].contains(&format!("</{name}>"))).then_some(name)
}

/// The name of the tag that a line closes, at its beginning or at its end.
fn closed_by(line: &str) -> Option<&str> {
    let line = line.trim_end();
    let at = if line.starts_with("</") {
        0
    } else {
        line.ends_with('>').then(|| line.rfind("</"))??
    };
    let inner = &line[at + 2..];
    let name = tag_name(inner)?;
    inner[name.len()..].starts_with('>').then_some(name)
}

/// The line that closes what `line` opens, others of the same name in between skipped.
fn matching(line: usize, opening: &[usize], closing: &[usize]) -> Option<usize> {
    let opens = &opening[opening.partition_point(|l| *l <= line)..];
    let ends = &closing[closing.partition_point(|l| *l <= line)..];
    // The nth closing one matches if at most n others were opened before it.
    ends.iter()
        .take(DEEPEST)
        .enumerate()
        .find(|(n, end)| opens.partition_point(|l| l < end) <= *n)
        .map(|(_, end)| *end)
}

#[cfg(test)]
mod tests {
    use super::marks;

    fn found(text: &str) -> Vec<(u8, String)> {
        marks(text).into_iter().map(|m| (m.rank, m.title)).collect()
    }

    fn is(text: &str, wanted: &[(u8, &str)]) {
        let found = found(text);
        let found: Vec<(u8, &str)> = found.iter().map(|(r, t)| (*r, t.as_str())).collect();
        assert_eq!(found, wanted, "{text}");
    }

    #[test]
    fn headings_have_levels() {
        is(
            "# A\ntext\n## B ##\n#no\n\nC\n===\n\nD\n---\n- e\n---\n",
            &[(1, "A"), (2, "B"), (1, "C"), (2, "D")],
        );
    }

    #[test]
    fn code_has_no_headings() {
        is("```sh\n# a\n```\n# b\n~~~~\n# c\n```\n~~~~\n", &[(1, "b")]);
        is("```\n# not closed\n", &[(1, "not closed")]);
    }

    #[test]
    fn sections_are_the_outermost() {
        let text = "<a>\n<b>\nx\n</b>\n# in\n</a>\nbetween\n<c d=\"e\">\ny</c>\n";
        is(text, &[(0, "a"), (12, "in"), (0, ""), (0, "c")]);
        is("<a>\n<a>\nx\n</a>\ny\n</a>\nz", &[(0, "a"), (0, "")]);
        is(
            "<a>\nx\n</a>\n\n<b c=\"2\">\ny\n</b>\nz",
            &[(0, "a"), (0, "b"), (0, "")],
        );
        is("<open>\nx\n<br/>\n<i>y</i>\n", &[]);
    }

    #[test]
    fn lines_can_be_headings() {
        is(
            "Words.\n\nTOOLS\nx\n\n**Style**\ny\n\nRules:\n\n- one:\n",
            &[(9, "TOOLS"), (8, "Style"), (9, "Rules")],
        );
    }
}
