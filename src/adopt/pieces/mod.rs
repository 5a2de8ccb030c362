//! The stable and the changing text inside of a group: first by lines, then by words.

mod part;
mod reader;
mod words;
mod lines;
mod whole;

pub(super) use part::BodyPart;

use reader::Reader;
use std::ops::Range;

/// The pieces of a group, at `at` in those dumps that have it. With `is_trimmed`, white space after it is ignored: each
/// of its lines then ends with a line end.
pub(super) fn pieces(
    texts: &[&str],
    at: &[Option<Range<usize>>],
    is_trimmed: bool,
) -> Vec<BodyPart> {
    let who: Vec<usize> = (0..at.len()).filter(|dump| at[*dump].is_some()).collect();
    let at: Vec<Range<usize>> = at.iter().flatten().cloned().collect();
    let mut reader = Reader::new(texts, who);
    match reader.lines(&at, is_trimmed) {
        Some(()) => reader.whole(),
        None => vec![BodyPart::Slot(reader.of_all(&at))],
    }
}

#[cfg(test)]
mod tests {
    use super::{BodyPart, pieces};

    /// The pieces as text: what changes in `[…|…]`.
    fn shown(texts: &[&str]) -> String {
        let at: Vec<_> = texts.iter().map(|t| Some(0..t.len())).collect();
        pieces(texts, &at, true)
            .iter()
            .map(|p| show(p, texts))
            .collect()
    }

    fn show(piece: &BodyPart, texts: &[&str]) -> String {
        let values = |at: &[Option<std::ops::Range<usize>>]| {
            let both = at.iter().zip(texts);
            let all = both.map(|(at, text)| at.clone().map_or("-", |at| &text[at]));
            all.collect::<Vec<_>>().join("|")
        };
        match piece {
            BodyPart::Text(text) => text.clone(),
            BodyPart::Slot(at) => format!("[{}]", values(at)),
            BodyPart::Lines(at, parts) => {
                let inner: String = parts.iter().map(|p| show(p, texts)).collect();
                format!("?{}{inner}?", at.iter().filter(|at| at.is_some()).count())
            }
        }
    }

    #[test]
    fn values_are_separated_from_the_text_around_them() {
        let all: &[(&[&str], &str)] = &[
            (
                &[
                    "Today is Monday, March 30, 2026.",
                    "Today is Tuesday, March 31, 2026.",
                ],
                "Today is [Monday, March 30, 2026|Tuesday, March 31, 2026].\n",
            ),
            (
                &[
                    "<env date=\"2026-03-30\" cwd=\"/a/b\">",
                    "<env date=\"2026-04-01\" cwd=\"/c\">",
                ],
                "<env date=\"[2026-03-30|2026-04-01]\" cwd=\"[/a/b|/c]\">\n",
            ),
            (&["- a\n- b", "- a\n- b\n- c"], "- a\n- b\n?1- c\n?"),
            (&["- a\n- c", "- a\n- b\n- c"], "- a\n?1- b\n?- c\n"),
            (
                &["x: 1\ny: 2", "x: 3\ny: 4", "x: 1\ny: 5"],
                "x: [1|3|1]\ny: [2|4|5]\n",
            ),
            (
                &[
                    "Today is Monday, March 30, 2026. The user is Ann.",
                    "Today is Wednesday, April 1, 2026. The user is Cy.",
                ],
                "Today is [Monday, March 30, 2026|Wednesday, April 1, 2026]. The user is [Ann|Cy].\n",
            ),
            (
                &["You have (12, 13) files.", "You have (4, 5) files."],
                "You have ([12, 13|4, 5]) files.\n",
            ),
            (&["é 1\r\nb", "é 2\r\nb"], "é [1|2]\r\nb\n"),
            (
                &["one two three", "four five six"],
                "[one two three|four five six]\n",
            ),
            (&["same", "same"], "same\n"),
            (&["a b ", "a b"], "a b[ |]\n"),
        ];
        for (texts, wanted) in all {
            assert_eq!(shown(texts), *wanted);
        }
    }

    #[test]
    fn a_list_after_its_opening_line_is_one_value() {
        let found = shown(&["Files:\nM a\nM b\n\nend", "Files:\nM c\nM b\n\nend"]);
        assert_eq!(found, "Files:\n[M a\nM b|M c\nM b]\n\nend\n");
        let found = shown(&["<m>\n- a\n- b\n</m>", "<m>\n</m>", "<m>\n- c\n</m>"]);
        assert_eq!(found, "<m>\n?2[- a\n- b|-|- c]\n?</m>\n");
    }

    #[test]
    fn lines_are_matched_by_their_labels() {
        let found = shown(&[
            "- a: 1\n- b: 2\n- z: 0",
            "- b: 3\n- c: 4\n- z: 0",
            "- a: 1\n- z: 0",
        ]);
        assert_eq!(found, "?2- a: 1\n??2- b: [2|3|-]\n??1- c: 4\n?- z: 0\n");
    }

    #[test]
    fn a_value_is_the_whole_text_after_its_label() {
        let found = shown(&[
            "Firm: Reed Ltd\nLeft: 3 days",
            "Firm: Reed & Lind Ltd\nLeft: 10 days",
        ]);
        assert_eq!(
            found,
            "Firm: [Reed Ltd|Reed & Lind Ltd]\nLeft: [3|10] days\n"
        );
    }
}
