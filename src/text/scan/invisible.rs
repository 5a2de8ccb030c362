//! Characters that are invisible to people and that a model reads.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// The placeholder for the number in the template of an id.
const HEX: &str = "{hex}";

/// The invisible characters to look for, and the name of a finding.
#[derive(Debug, Clone)]
pub struct Invisible {
    /// The characters, in the order in which they report.
    chars: Vec<Range<u32>>,
    /// The characters, sorted, each with its place in that order.
    sorted: Vec<(Range<u32>, usize)>,
    /// Whether writing that needs such a character may have it.
    allows_writing: bool,
    id: String,
}

/// Why a list of characters cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListError {
    /// A `-` has no character on one side, or a smaller one after it.
    Range(usize),
    /// A letter or another printable character of ASCII, at this byte.
    Visible(usize),
    /// There is no character in it.
    Empty,
}

impl Invisible {
    /// The default id of a finding.
    pub const ID: &'static str = "invisible-U+{hex}";

    /// Controls but tabs and line ends, the characters that hide text or change its direction, and those that carry
    /// invisible text. Some of them are
    /// legitimate in writing and are found only elsewhere, see [`Writing`].
    const USUAL: &'static str = "\0-\u{8}\u{b}\u{c}\u{e}-\u{1f}\u{7f}-\u{9f}\u{200b}-\u{200d}\u{2060}-\u{2064}\u{feff}\u{202a}-\u{202e}\u{2066}-\u{206f}\u{e0000}-\u{e007f}\u{fe00}-\u{fe0f}\u{e0100}-\u{e01ef}\u{34f}\u{115f}\u{1160}\u{17b4}\u{17b5}\u{180b}-\u{180f}\u{3164}\u{ffa0}\u{fff9}-\u{fffb}\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}";

    /// The usual characters.
    #[must_use]
    pub fn usual(id: Option<&str>) -> Self {
        let mut usual = Self::listed(Self::USUAL, id)
            .unwrap_or_else(|_| unreachable!("the list of this file is well formed"));
        usual.allows_writing = true;
        usual
    }

    /// These characters, wherever they are: one after the other, `a-b` for all from a to b. In the id, `{hex}` is the
    /// number in at least four digits.
    ///
    /// # Errors
    /// When the list is not well formed or contains a visible character.
    pub fn listed(list: &str, id: Option<&str>) -> Result<Self, ListError> {
        let chars = ranges(list)?;
        let mut sorted: Vec<(Range<u32>, usize)> = chars.iter().cloned().zip(0..).collect();
        sorted.sort_by_key(|(range, order)| (range.start, *order));
        Ok(Self {
            chars,
            sorted,
            allows_writing: false,
            id: id.unwrap_or(Self::ID).to_owned(),
        })
    }

    /// Each distinct character once, at its first place, in the order of the list.
    pub(super) fn find<'s>(&self, text: &str) -> Vec<(Cow<'s, Arc<str>>, Range<usize>)> {
        let mut found: BTreeMap<(usize, u32), usize> = BTreeMap::new();
        let mut writing = Writing::default();
        for (at, c) in text.char_indices() {
            let order = if c.is_ascii_graphic() || c == ' ' {
                None
            } else {
                self.order(c)
            };
            let in_use = self.allows_writing && writing.takes(c);
            if let Some(order) = order
                && !in_use
            {
                found.entry((order, u32::from(c))).or_insert(at);
            }
        }
        let name = |number: u32| self.id.replace(HEX, &format!("{number:04X}"));
        let finding = |((_, number), at): ((usize, u32), usize)| {
            let length = char::from_u32(number).map_or(1, char::len_utf8);
            (Cow::Owned(name(number).into()), at..at + length)
        };
        found.into_iter().map(finding).collect()
    }

    /// The place of a character in the list.
    fn order(&self, c: char) -> Option<usize> {
        let number = u32::from(c);
        let after = self
            .sorted
            .partition_point(|(range, _)| range.start <= number);
        // Of ranges that overlap the first that is written counts.
        let those = self.sorted[..after].iter().rev();
        let those = those.filter(|(range, _)| range.contains(&number));
        those.map(|(_, order)| *order).min()
    }

    /// The number of listed characters.
    #[must_use]
    pub fn len(&self) -> usize {
        self.chars.iter().map(|r| r.len()).sum()
    }

    /// Whether none is listed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.chars.is_empty()
    }
}

fn ranges(list: &str) -> Result<Vec<Range<u32>>, ListError> {
    let mut out: Vec<Range<u32>> = Vec::new();
    let mut open = None;
    for (at, c) in list.char_indices() {
        let number = u32::from(c);
        if c == '-' {
            if open.is_some() || out.is_empty() {
                return Err(ListError::Range(at));
            }
            open = Some(at);
        } else if c.is_ascii_graphic() || c == ' ' {
            return Err(ListError::Visible(at));
        } else if open.take().is_some() {
            match out.last_mut() {
                Some(last) if last.len() == 1 && last.start <= number => last.end = number + 1,
                _ => return Err(ListError::Range(at)),
            }
        } else {
            out.push(number..number + 1);
        }
    }
    match open {
        Some(at) => Err(ListError::Range(at)),
        None if out.is_empty() => Err(ListError::Empty),
        None => Ok(out),
    }
}

/// Legitimate invisible characters: a joiner in an emoji, or after a letter of a script that joins or stacks its
/// letters; a break after a letter of a script without spaces; one variation selector after its base; the tags of a
/// flag.
#[derive(Debug, Default)]
struct Writing {
    /// The last character that is not one of these itself.
    base: Option<char>,
    /// The number of invisible ones after it.
    run: usize,
    /// Whether the first of them is a variation selector.
    varied: bool,
    /// In the tags of a flag: how many there are.
    flag: Option<usize>,
}

/// The most tags of a flag, without the one that ends it.
const MOST_TAGS: usize = 6;

impl Writing {
    /// Takes the next character of a text; says whether it has its place there.
    fn takes(&mut self, c: char) -> bool {
        let number = u32::from(c);
        let first = self.run == 0;
        let base = self.base.unwrap_or(' ');
        if first {
            self.varied = matches!(number, 0xFE00..=0xFE0F);
        }
        self.flag = match (self.flag, number) {
            (Some(tags), 0xE0030..=0xE0039 | 0xE0061..=0xE007A) if tags < MOST_TAGS => {
                Some(tags + 1)
            }
            (Some(1..), 0xE007F) => {
                self.flag = None;
                return true;
            }
            (_, 0x1F3F4) => Some(0),
            _ => None,
        };
        if self.flag.is_some_and(|tags| tags > 0) {
            return true;
        }
        match number {
            0x200B => {
                self.run += 1;
                first && has_no_spaces(base)
            }
            0x200C | 0x200D => {
                self.run += 1;
                // An emoji is joined after its own variation selector.
                (first && joins(base))
                    || ((first || self.run == 2 && self.varied) && is_emoji(base))
            }
            0xFE00..=0xFE0F | 0xE0100..=0xE01EF => {
                self.run += 1;
                first
                    && (!base.is_ascii() || base.is_ascii_digit() || "#*".contains(base))
                    && !base.is_whitespace()
            }
            0x180B..=0x180F => {
                self.run += 1;
                first && (0x1820..=0x18AA).contains(&u32::from(base))
            }
            0x34F | 0x115F | 0x1160 | 0x17B4 | 0x17B5 => {
                self.run += 1;
                first && !base.is_ascii() && !base.is_whitespace()
            }
            _ => {
                (self.base, self.run) = (Some(c), 0);
                false
            }
        }
    }
}

/// Letters whose neighbours change their shape, or that a joiner keeps apart.
fn joins(c: char) -> bool {
    matches!(u32::from(c),
        0x0600..=0x0DFF | 0x0F00..=0x109F | 0x1700..=0x18AF | 0x1A20..=0x1CFF | 0xA800..=0xAAFF
        | 0xFB50..=0xFDFF | 0xFE70..=0xFEFC | 0x10A00..=0x11FFF)
}

/// Letters of scripts that write no space between words.
fn has_no_spaces(c: char) -> bool {
    matches!(u32::from(c), 0x0E00..=0x109F | 0x1780..=0x17FF | 0x1950..=0x1AAF | 0xA9E0..=0xAA7F)
}

/// Pictures, their skin tones and keycaps.
fn is_emoji(c: char) -> bool {
    matches!(u32::from(c), 0x203C | 0x2049 | 0x20E3 | 0x2122 | 0x2139 | 0x2190..=0x2BFF
        | 0x3030 | 0x303D | 0x3297 | 0x3299 | 0x1F000..=0x1FAFF)
}
