//! Two texts that differ, shown so that a reader sees how.
//!
//! All that is shown of a difference comes from here: an excerpt in a line ([`pair`]), or whole lines of a text diff
//! ([`lines`]). A character that cannot be seen is always an escape (`\u{a0}`). If the two would still look alike, those
//! that differ are escapes too: a composed and a decomposed é, a blank at the end, a Cyrillic а.

use super::common::pairs;
use super::{is_invisible, prefix};
use std::ops::Range;
use unicode_general_category::{GeneralCategory, get_general_category};
use unicode_normalization::UnicodeNormalization as _;
use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

/// The characters before and after a first difference that are looked at.
const NEAR: usize = 400;

/// The columns in which two lines have to look different, because less of a line is never shown.
const LEAST: usize = 14;

/// The place for an excerpt.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Room {
    /// Its columns.
    pub(crate) columns: usize,
    /// What stands for text that is left out.
    pub(crate) gap: &'static str,
}

impl Room {
    /// That of a value in an answer.
    pub(crate) const VALUE: Self = Self {
        columns: 60,
        gap: "…",
    };
}

/// A line of a text diff.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Line {
    /// Its parts, each with whether it is one of the words that differ.
    pub(crate) parts: Vec<(bool, String)>,
    /// The columns before the first difference; none of a line that is compared with no other.
    pub(crate) at: Option<usize>,
}

/// The characters that are written as escapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Escapes {
    /// Those that cannot be seen.
    Unseen,
    /// Also those that differ, unless they are visible ASCII.
    Differing,
    /// All but visible ASCII.
    All,
}

/// Both texts in a line each, around their first difference. They look different if the texts differ.
pub(crate) fn pair(old: &str, new: &str, room: Room) -> [String; 2] {
    if old == new {
        return [old, new].map(|text| alone(text, room));
    }
    shown(&Near::of(old, new), room).1
}

/// The beginning of a text, in a line.
pub(crate) fn alone(text: &str, room: Room) -> String {
    let end = end(text, 0);
    let units: Vec<String> = text[..end].chars().map(|c| drawn(c, false)).collect();
    excerpt(&units, (0, 0), (false, end < text.len()), room)
}

/// A whole line that is compared with no other. Blanks alone would not be seen.
pub(crate) fn line(text: &str) -> Line {
    let is_blank = text.trim().is_empty();
    Line {
        parts: vec![(false, text.chars().map(|c| drawn(c, is_blank)).collect())],
        at: None,
    }
}

/// Two whole lines that took each other's place. Words are marked where the two share most of theirs.
pub(crate) fn lines(old: &str, new: &str) -> [Line; 2] {
    if old == new {
        return [old, new].map(line);
    }
    let least = Room {
        columns: LEAST,
        ..Room::VALUE
    };
    let near = Near::of(old, new);
    let (escapes, _) = shown(&near, least);
    let differ = differing(near.texts, escapes);
    let marked = words(old, new);
    let at = prefix::common(old, new);
    [0, 1].map(|side| {
        let text = [old, new][side];
        let mut marks = marked[side].iter().peekable();
        let mut out = Line::default();
        let (mut columns, mut number) = (0, 0);
        for (byte, c) in text.char_indices() {
            let own = usize::checked_sub(number, near.start);
            let differs = own.and_then(|own| differ[side].get(own));
            let drawn = drawn(c, escapes == Escapes::All || differs == Some(&true));
            number += 1;
            if byte < at {
                columns += drawn.width();
            }
            while marks.next_if(|mark| mark.end <= byte).is_some() {}
            let mark = marks.peek().is_some_and(|mark| mark.contains(&byte));
            match out.parts.last_mut().filter(|(last, _)| *last == mark) {
                Some((_, part)) => part.push_str(&drawn),
                None => out.parts.push((mark, drawn)),
            }
        }
        out.at = Some(columns);
        out
    })
}

/// The text around a first difference.
struct Near<'t> {
    texts: [&'t str; 2],
    /// The characters before it.
    start: usize,
    /// Whether there is more after each.
    more: [bool; 2],
}

impl<'t> Near<'t> {
    fn of(old: &'t str, new: &'t str) -> Self {
        let at = prefix::common(old, new);
        let from = old[..at].char_indices().rev().take(NEAR).last();
        let from = from.map_or(at, |(from, _)| from);
        let ends = [old, new].map(|text| end(text, at));
        Self {
            texts: [&old[from..ends[0]], &new[from..ends[1]]],
            start: old[..from].chars().count(),
            more: [ends[0] < old.len(), ends[1] < new.len()],
        }
    }
}

/// The end of the text that is looked at after a place.
fn end(text: &str, at: usize) -> usize {
    let mut after = text[at..].char_indices().map(|(n, _)| at + n);
    after.nth(NEAR).unwrap_or(text.len())
}

/// Both excerpts, with the fewest escapes with which they look different.
fn shown(near: &Near<'_>, room: Room) -> (Escapes, [String; 2]) {
    let excerpts = |escapes| {
        let differ = differing(near.texts, escapes);
        let units = [0, 1].map(|side| -> Vec<String> {
            let chars = near.texts[side].chars().zip(&differ[side]);
            chars.map(|(c, differs)| drawn(c, *differs)).collect()
        });
        let same = units[0].iter().zip(&units[1]);
        let first = same.take_while(|(x, y)| x == y).count();
        let front = near.start > 0;
        let whole = |side: usize| !near.more[side] && width(&units[side]) <= room.columns;
        let from = if !front && whole(0) && whole(1) {
            0
        } else {
            let rest = units.each_ref().map(|units| width(&units[first..]));
            start(&units[0][..first], front, rest[0].max(rest[1]), room)
        };
        let gap = front || from > 0;
        [0, 1].map(|side| excerpt(&units[side], (from, first), (gap, near.more[side]), room))
    };
    for escapes in [Escapes::Unseen, Escapes::Differing] {
        let both = excerpts(escapes);
        if looks(&both[0]) != looks(&both[1]) {
            return (escapes, both);
        }
    }
    (Escapes::All, excerpts(Escapes::All))
}

/// The characters of both that are escaped as differing ones.
fn differing(texts: [&str; 2], escapes: Escapes) -> [Vec<bool>; 2] {
    let chars = texts.map(|text| text.chars().collect::<Vec<char>>());
    let mut out = chars
        .each_ref()
        .map(|all| vec![escapes == Escapes::All; all.len()]);
    if escapes == Escapes::Differing {
        out.iter_mut().for_each(|differs| differs.fill(true));
        for (a, b) in pairs(&chars[0], &chars[1]) {
            (out[0][a], out[1][b]) = (false, false);
        }
    }
    out
}

/// A character as it is shown.
fn drawn(c: char, differs: bool) -> String {
    match c {
        '\\' if differs => "\\\\".to_owned(),
        c if c.is_ascii_graphic() => c.to_string(),
        ' ' if differs => c.escape_unicode().to_string(),
        c if differs || is_unseen(c) => c.escape_default().to_string(),
        c => c.to_string(),
    }
}

/// Whether nothing of a character is seen, or nothing that tells it from others.
fn is_unseen(c: char) -> bool {
    c != ' '
        && (c.is_control()
            || is_invisible(c)
            || matches!(
                get_general_category(c),
                GeneralCategory::SpaceSeparator
                    | GeneralCategory::PrivateUse
                    | GeneralCategory::Unassigned
            )
            // Marks and letters that are blank, and those that choose among the forms of the character before them.
            || matches!(
                c,
                '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
                    | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{ffa0}' | '\u{e0100}'..='\u{e01ef}'
            ))
}

/// Where an excerpt begins, if not all of it can be shown: near the first difference, after which are so many columns, or
/// at the start of the text.
fn start(same: &[String], front: bool, rest: usize, room: Room) -> usize {
    if !front && width(same) <= room.columns / 2 {
        return 0;
    }
    let spare = room.columns.saturating_sub(rest + room.gap.width());
    let mut left = spare.max(room.columns / 3);
    let kept = same.iter().rev().take_while(|unit| {
        let taken = unit.width();
        let fits = taken <= left;
        left = left.saturating_sub(taken);
        fits
    });
    let mut from = same.len() - kept.count();
    // A mark stays with its letter.
    while from > 0 && same.get(from).is_some_and(|unit| unit.width() == 0) {
        from -= 1;
    }
    // What is left out of one column is no shorter.
    if from == 1 && !front { 0 } else { from }
}

/// What fits of a text, given character by character, from one of them on; the first that differs is always in it.
fn excerpt(
    units: &[String],
    (from, first): (usize, usize),
    (front, more): (bool, bool),
    room: Room,
) -> String {
    let gap = room.gap.width();
    let mut out = if front { room.gap } else { "" }.to_owned();
    let mut left = room.columns.saturating_sub(out.width());
    let rest = units.get(from..).unwrap_or_default();
    if !more && width(rest) <= left {
        out.extend(rest.iter().map(String::as_str));
        return out;
    }
    left = left.saturating_sub(gap);
    for (at, unit) in units.iter().enumerate().skip(from) {
        let taken = unit.width();
        if at > first && taken > left {
            out.push_str(room.gap);
            return out;
        }
        left = left.saturating_sub(taken);
        out.push_str(unit);
    }
    if more {
        out.push_str(room.gap);
    }
    out
}

fn width(units: &[String]) -> usize {
    units.iter().map(|unit| unit.width()).sum()
}

/// A text in the form in which texts that look alike are equal.
pub(crate) fn looks(text: &str) -> String {
    let seen = text.nfkc().map(twin).collect::<String>();
    seen.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Characters that look like others, and those.
const TWINS: &[(&str, &str)] = &[
    // Cyrillic and Greek letters.
    (
        "АВЕЅІЈКМНОРСТУХаеѕіјорсухԁԛԝһ",
        "ABESIJKMHOPCTYXaesijopcyxdqwh",
    ),
    ("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧονυ", "ABEZHIKMNOPTYXovu"),
    // Hyphens, dashes and quotes.
    ("‐‑‒–—―−", "-------"),
    ("‘’‚‛′ʼ“”„‟″", "''''''\"\"\"\"\""),
];

/// The ASCII character that looks like this one; itself if there is none.
fn twin(c: char) -> char {
    if c.is_ascii() {
        return c;
    }
    let mut found = TWINS.iter().filter_map(|(all, plain)| {
        let at = all.chars().position(|other| other == c)?;
        plain.chars().nth(at)
    });
    found.next().unwrap_or(c)
}

/// The words of each that the other does not have there, as ranges of bytes; none if the two share few.
fn words(old: &str, new: &str) -> [Vec<Range<usize>>; 2] {
    let split = [old, new].map(|text| text.split_word_bound_indices().collect::<Vec<_>>());
    let bare = split.each_ref().map(|all| {
        let words = all.iter().map(|(_, word)| *word);
        words.collect::<Vec<&str>>()
    });
    let mut differ = split.each_ref().map(|all| vec![true; all.len()]);
    let is_word = |word: &str| word.contains(char::is_alphanumeric);
    let mut common = 0;
    for (a, b) in pairs(&bare[0], &bare[1]) {
        (differ[0][a], differ[1][b]) = (false, false);
        common += usize::from(is_word(split[0][a].1));
    }
    let count = |all: &Vec<(usize, &str)>| all.iter().filter(|(_, word)| is_word(word)).count();
    if common * 4 <= count(&split[0]) + count(&split[1]) {
        return Default::default();
    }
    [0, 1].map(|side| {
        let all = split[side].iter().zip(&differ[side]);
        let marked = all.filter(|(_, differs)| **differs);
        marked.map(|((at, word), _)| *at..at + word.len()).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::{LEAST, Room, alone, is_unseen, lines, looks, pair};
    use proptest::prelude::*;

    fn both(old: &str, new: &str) -> [String; 2] {
        pair(old, new, Room::VALUE)
    }

    #[test]
    fn what_cannot_be_seen_is_an_escape() {
        for (old, new, shown) in [
            ("Be brief.", "Be brief. ", ["Be brief.", "Be brief.\\u{20}"]),
            (
                "caf\u{e9} 1",
                "cafe\u{301} 1",
                ["caf\\u{e9} 1", "cafe\\u{301} 1"],
            ),
            ("caf\u{e9} 1", "caf\u{e9} 2", ["caf\u{e9} 1", "caf\u{e9} 2"]),
            ("a b", "a\u{a0}b", ["a b", "a\\u{a0}b"]),
            ("a b", "a  b", ["a b", "a \\u{20}b"]),
            ("ab", "a\u{200b}b", ["ab", "a\\u{200b}b"]),
            ("\ta", "    a", ["\\ta", "    a"]),
            ("a\r", "a", ["a\\r", "a"]),
            ("a\nb", "a b", ["a\\nb", "a b"]),
            ("a\nb", "a\\nb", ["a\\nb", "a\\\\nb"]),
            ("rule a", "rule \u{430}", ["rule a", "rule \\u{430}"]),
            ("it's", "it\u{2019}s", ["it's", "it\\u{2019}s"]),
            ("\u{f900}", "\u{8c48}", ["\\u{f900}", "\\u{8c48}"]),
            ("привет", "пока", ["привет", "пока"]),
        ] {
            assert_eq!(both(old, new), shown);
        }
    }

    #[test]
    fn an_excerpt_is_around_the_first_difference() {
        let line = |end: &str| format!("{}{end}", "word ".repeat(60));
        assert_eq!(
            both(&line("one and more of it"), &line("two")),
            [
                "… word word word word word word word word one and more of it",
                "… word word word word word word word word two",
            ]
        );
        let room = Room {
            columns: 10,
            gap: "...",
        };
        assert_eq!(
            pair("abcdefghijkl", "abcdefghijkm", room),
            ["...fghijkl", "...fghijkm"]
        );
        assert_eq!(alone("abcdefghijkl", room), "abcdefg...");
    }

    #[test]
    fn words_are_marked_where_most_are_shared() {
        let marked = |old: &str, new: &str| {
            lines(old, new).map(|line| {
                let parts = line.parts.into_iter();
                parts
                    .map(|(mark, part)| if mark { format!("[{part}]") } else { part })
                    .collect::<String>()
            })
        };
        assert_eq!(
            marked("Lunch is at noon.", "Lunch is at one."),
            ["Lunch is at [noon].", "Lunch is at [one]."]
        );
        assert_eq!(
            marked("Run the linter.", "Run both linters."),
            ["Run the linter.", "Run both linters."]
        );
        assert_eq!(
            marked("the caf\u{e9} is open", "the cafe\u{301} is open"),
            ["the [caf\\u{e9}] is open", "the [cafe\\u{301}] is open"]
        );
    }

    /// Texts of characters that are easily taken for each other.
    fn text() -> impl Strategy<Value = String> {
        let tricky = "[ab \\t\\r\\n\u{a0}\u{200b}\u{e9}e\u{301}\u{323}\u{430}.…\\\\u{}20\u{fe0f}\u{2028}\u{3000}日'’–\u{e000}-]{0,30}";
        prop_oneof![
            tricky,
            ".{0,40}",
            ("[a日 ]{0,90}", tricky).prop_map(|(a, b)| a + &b)
        ]
    }

    proptest! {
        #[test]
        fn texts_that_differ_look_different(
            front in "[a é]{0,80}", old in text(), new in text(), end in text(),
            columns in 8_usize..80, ascii: bool,
        ) {
            let [old, new] = [old, new].map(|text| format!("{front}{text}{end}"));
            let room = Room { columns, gap: if ascii { "..." } else { "…" } };
            let shown = pair(&old, &new, room);
            prop_assert_eq!(old == new, shown[0] == shown[1], "{:?}", shown);
            prop_assert_eq!(old == new, looks(&shown[0]) == looks(&shown[1]), "{:?}", shown);
            prop_assert!(!shown.iter().any(|text| text.contains(is_unseen)), "{:?}", shown);
        }

        #[test]
        fn lines_that_differ_look_different(old in text(), new in text()) {
            let shown = lines(&old, &new).map(|line| {
                let text: String = line.parts.into_iter().map(|(_, part)| part).collect();
                (line.at, text)
            });
            prop_assert_eq!(old == new, looks(&shown[0].1) == looks(&shown[1].1), "{:?}", shown);
            prop_assert_eq!(shown[0].0, shown[1].0);
            prop_assert!(LEAST > 0 && !shown.iter().any(|(_, text)| text.contains(is_unseen)));
        }
    }
}
