//! The label of a value on its line: `Label: value`, `key = value`, `| cell | value |`, `<tag>value`.

/// The longest label, in bytes and in words.
const LONGEST: usize = 60;
const MOST_WORDS: usize = 6;
/// The most words before a dash that are a label.
const MOST_BEFORE_DASH: usize = 2;

/// The label of the rest of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Label<'t> {
    /// The name, without the list mark before it.
    pub(super) name: &'t str,
    /// The byte of the line at which the value begins.
    pub(super) value: usize,
}

/// The label of a line; none if it begins with no value's name.
pub(super) fn of_line(line: &str) -> Option<Label<'_>> {
    let rest = without_item(line);
    let start = line.len() - rest.len();
    if let Some(row) = rest.strip_prefix('|') {
        let (cell, value) = row.split_once('|')?;
        let is_rule = !cell.contains(char::is_alphanumeric);
        return (!is_rule).then(|| Label {
            name: cell.trim(),
            value: line.len() - value.trim_start().len(),
        });
    }
    if let Some(inner) = rest.strip_prefix('<') {
        let name = tag_name(inner)?;
        return inner.find('>').map(|end| Label {
            name,
            value: start + 1 + end + 1,
        });
    }
    let colon = rest
        .find(": ")
        .or(rest.ends_with(':').then(|| rest.len() - 1));
    let equals = rest
        .find('=')
        .filter(|at| !rest[..*at].trim_end().contains(char::is_whitespace));
    let dash = [" - ", " – ", " — "]
        .iter()
        .filter_map(|dash| rest.find(dash))
        .min();
    let dash = dash.filter(|at| rest[..*at].split_whitespace().count() <= MOST_BEFORE_DASH);
    let end = [colon, equals, dash].into_iter().flatten().min()?;
    let name = rest[..end].trim_matches(['*', '"', '\'', '`', ' ']);
    let words = name.split_whitespace().count();
    let is_short = name.len() <= LONGEST && (1..=MOST_WORDS).contains(&words);
    let is_sentence = name.contains(['.', '!', '?']) && name.contains(". ");
    let value = &rest[end + 1..].trim_start_matches(['*', '_', '-', '–', '—', ' ']);
    (is_short && !is_sentence && name.contains(char::is_alphanumeric)).then(|| Label {
        name,
        value: line.len() - value.len(),
    })
}

/// A line without its list mark: `- `, `1. `, `2) `, `6.1 `.
pub(super) fn without_item(line: &str) -> &str {
    let rest = line.trim_start();
    let marked = ["- ", "* ", "+ ", "• "].into_iter();
    if let Some(rest) = marked.filter_map(|mark| rest.strip_prefix(mark)).next() {
        return rest.trim_start();
    }
    let number = rest.find(|c: char| !c.is_ascii_digit() && !matches!(c, '.' | ')'));
    let (number, text) = rest.split_at(number.unwrap_or(rest.len()));
    let is_number = number.starts_with(|c: char| c.is_ascii_digit()) && number.contains(['.', ')']);
    match text.strip_prefix(' ') {
        Some(text) if is_number => text.trim_start(),
        _ => rest,
    }
}

/// The name that a tag begins with, after its `<`.
pub(super) fn tag_name(text: &str) -> Option<&str> {
    let inside = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':');
    let name = &text[..text.find(|c| !inside(c)).unwrap_or(text.len())];
    name.starts_with(char::is_alphabetic).then_some(name)
}

/// Whether a list may begin after a line: it ends with a colon or opens a bracket or a tag, or is the rule of a table.
pub(super) fn opens(line: &str) -> bool {
    let line = line.trim();
    let opened = line.ends_with([':', '[', '{', '(']);
    opened || line.starts_with('<') && line.ends_with('>') || is_table_rule(line)
}

/// Whether a list ends before a line: it is blank or closes something.
pub(super) fn closes(line: &str) -> bool {
    let line = line.trim();
    line.is_empty()
        || ["</", "]", "}", ")", "```"]
            .iter()
            .any(|end| line.starts_with(end))
}

/// Whether a line is neither an item nor a sentence, and closes nothing.
pub(super) fn is_loose(line: &str) -> bool {
    let is_item = without_item(line).len() < line.trim_start().len();
    !is_item && !closes(line) && !line.trim_end().ends_with(['.', '!', '?'])
}

/// Whether a text is nothing but the end of a line.
pub(super) fn is_line_end(text: &str) -> bool {
    matches!(text, "\n" | "\r\n" | "\r")
}

fn is_table_rule(line: &str) -> bool {
    line.starts_with('|') && line.contains('-') && line.chars().all(|c| "|-: ".contains(c))
}

#[cfg(test)]
mod tests {
    use super::{closes, of_line, opens, without_item};

    #[test]
    fn a_line_may_name_its_value() {
        let all: &[(&str, Option<(&str, &str)>)] = &[
            ("Name: Ann Lee", Some(("Name", "Ann Lee"))),
            ("- **Name**: Ann", Some(("Name", "Ann"))),
            ("6.1 Name: Ann", Some(("Name", "Ann"))),
            ("  \"name\": \"Ann\",", Some(("name", "\"Ann\","))),
            ("cwd=/srv/app", Some(("cwd", "/srv/app"))),
            ("| Name | Ann |", Some(("Name", "Ann |"))),
            ("|---|---|", None),
            ("| Name |", Some(("Name", ""))),
            ("<name>Ann</name>", Some(("name", "Ann</name>"))),
            (
                "5.5 look(page) - reads a page",
                Some(("look(page)", "reads a page")),
            ),
            ("Open files:", Some(("Open files", ""))),
            ("Say who you are. Then: go on", None),
            ("At 09:15 all is well", None),
            ("words", None),
            ("", None),
        ];
        for (line, wanted) in all {
            let found = of_line(line).map(|l| (l.name, &line[l.value..]));
            assert_eq!(found, *wanted, "{line}");
        }
    }

    #[test]
    fn the_list_mark_is_not_part_of_an_item() {
        for line in ["- a", "* a", "1. a", "12) a", "5.5 a", "  - a", "a"] {
            assert_eq!(without_item(line), "a", "{line}");
        }
        assert_eq!(without_item("2026 plan"), "2026 plan");
    }

    #[test]
    fn lists_are_between_opening_and_closing_lines() {
        assert!(
            ["Files:", "|---|:-:|", "<memory>", "x = ["]
                .iter()
                .all(|l| opens(l))
        );
        assert!(["", "</memory>", "],", "```"].iter().all(|l| closes(l)));
        assert!(!opens("a line") && !closes("- item"));
    }
}
