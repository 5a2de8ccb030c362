//! Locations in program text: files, spans, and values with their span.

use std::ops::Range;
use std::sync::Arc;

/// A file known to [`Files`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(u32);

impl FileId {
    /// Its place in the order in which files were read, from 0.
    #[must_use]
    pub fn index(self) -> u32 {
        self.0
    }
}

/// A byte range in one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// A span over `range` (bytes) of `file`.
    #[must_use]
    pub fn new(file: FileId, range: Range<usize>) -> Self {
        let clamp = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Self {
            file,
            start: clamp(range.start),
            end: clamp(range.end),
        }
    }

    /// The bytes it covers.
    #[must_use]
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A value together with the place that it was written at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// The location of the value.
    pub span: Span,
}

impl<T> Spanned<T> {
    /// Pairs `value` with `span`.
    pub fn new(value: T, span: Span) -> Self {
        Self { value, span }
    }
}

/// One program file: a manifest or a template. Documents are not program files and are not stored here.
#[derive(Debug, Clone)]
pub struct File {
    /// Its name in diagnostics.
    pub name: Arc<str>,
    /// Its text.
    pub text: Arc<str>,
    /// Where its lines start.
    pub lines: Lines,
    /// The text with what must not be shown covered, if there is any.
    covered: Option<Arc<str>>,
}

impl File {
    /// The text as people may see it: of the same length, with what is hidden covered.
    #[must_use]
    pub fn shown(&self) -> &str {
        self.covered.as_deref().unwrap_or(&self.text)
    }
}

/// The bytes at which the lines of a text start, so that a place is found without counting again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lines {
    starts: Arc<[u32]>,
    /// The number of characters before every [`STRIDE`] bytes.
    chars: Arc<[u32]>,
}

/// Bytes between two places at which characters are counted.
const STRIDE: usize = 256;

impl Lines {
    /// The line starts of `text`.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let small = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let ends = text.match_indices('\n').map(|(at, _)| small(at + 1));
        let mut chars = vec![0];
        let mut before = 0;
        for stride in text.as_bytes().chunks(STRIDE) {
            before += if stride.is_ascii() {
                stride.len()
            } else {
                stride.iter().filter(|b| begins_char(**b)).count()
            };
            chars.push(small(before));
        }
        Self {
            chars: chars.into(),
            starts: std::iter::once(0).chain(ends).collect(),
        }
    }

    /// The line and column of a byte offset of the `text` that these are the lines of, both from 1; columns count
    /// characters.
    #[must_use]
    pub fn line_column(&self, text: &str, offset: usize) -> (usize, usize) {
        let end = text.floor_char_boundary(offset);
        let chars = |at: usize| {
            let stride = at / STRIDE;
            let behind = &text.as_bytes()[stride * STRIDE..at];
            let before = self.chars.get(stride).map_or(0, |n| *n as usize);
            before + behind.iter().filter(|b| begins_char(**b)).count()
        };
        let line = self.line(end);
        let start = self.start(line).unwrap_or(0);
        (line, chars(end) - chars(start) + 1)
    }

    /// The line of a byte offset, from 1.
    #[must_use]
    pub fn line(&self, offset: usize) -> usize {
        let offset = u32::try_from(offset).unwrap_or(u32::MAX);
        self.starts.partition_point(|start| *start <= offset)
    }

    /// The byte at which a line starts, if there is one of that number.
    #[must_use]
    pub fn start(&self, line: usize) -> Option<usize> {
        self.starts.get(line.checked_sub(1)?).map(|at| *at as usize)
    }
}

/// The program files of one run, in the order in which they were read.
#[derive(Debug, Clone, Default)]
pub struct Files(Vec<File>);

impl Files {
    /// Adds a file and gives its id.
    pub fn add(&mut self, name: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> FileId {
        let id = FileId(u32::try_from(self.0.len()).unwrap_or(u32::MAX));
        let text = text.into();
        self.0.push(File {
            name: name.into(),
            lines: Lines::of(&text),
            text,
            covered: None,
        });
        id
    }

    /// Covers places of a file, so that no excerpt shows them.
    pub fn hide(&mut self, id: FileId, places: &[Range<usize>]) {
        let file = &mut self.0[id.0 as usize];
        if places.is_empty() {
            return;
        }
        // The same number of bytes, so that later offsets stay valid.
        let mut bytes = file.text.as_bytes().to_vec();
        for place in places {
            let inside = bytes.get_mut(place.clone()).into_iter().flatten();
            inside.filter(|b| **b != b'\n').for_each(|b| *b = b'*');
        }
        file.covered = Some(String::from_utf8_lossy(&bytes).into());
    }

    /// Their number.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Adds `prefix` to the names of the files from number `from` (counted from 0) on, so that diagnostics show
    /// their origin.
    pub fn mark(&mut self, from: usize, prefix: &str) {
        for file in self.0.iter_mut().skip(from) {
            file.name = format!("{prefix}{}", file.name).into();
        }
    }

    /// The file with this `id`.
    #[must_use]
    pub fn get(&self, id: FileId) -> &File {
        &self.0[id.0 as usize]
    }

    /// Line and column of a byte offset, both from 1; columns count characters.
    #[must_use]
    pub fn line_column(&self, id: FileId, offset: usize) -> (usize, usize) {
        let file = self.get(id);
        file.lines.line_column(&file.text, offset)
    }
}

fn begins_char(byte: u8) -> bool {
    byte & 0xC0 != 0x80
}

/// The number of line feeds in `bytes`.
#[must_use]
pub fn count_newlines(bytes: &[u8]) -> usize {
    // A sum that fits a byte is made of many bytes in one step; 255 of them cannot overflow it.
    let in_chunk = |chunk: &[u8]| chunk.iter().map(|b| u8::from(*b == b'\n')).sum::<u8>();
    bytes.chunks(255).map(|c| usize::from(in_chunk(c))).sum()
}

/// The line of byte `offset` in `text`, from 1.
#[must_use]
pub fn line_at(text: &str, offset: usize) -> usize {
    count_newlines(&text.as_bytes()[..offset.min(text.len())]) + 1
}

/// Line and column of a byte offset in `text`, both from 1; columns count characters (code points).
#[must_use]
pub fn line_column(text: &str, offset: usize) -> (usize, usize) {
    let mut end = offset.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let before = &text[..end];
    let line = count_newlines(before.as_bytes()) + 1;
    let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
    (line, column)
}

/// A string in a manifest, with a mapping from its decoded bytes to bytes of the file.
///
/// A KDL string may contain escapes, so byte `n` of the text need not be byte `n` after the quote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Literal {
    /// The decoded text.
    pub text: Arc<str>,
    /// The whole literal in the file, quotes included.
    pub span: Span,
    /// Ascending pairs (byte in `text`, byte in the file); between two pairs both advance alike.
    /// Empty if the way back is not known.
    map: Vec<(u32, u32)>,
}

impl Literal {
    /// A literal with its offset map (see the field); an empty map makes every place the whole literal.
    #[must_use]
    pub fn new(text: impl Into<Arc<str>>, span: Span, map: Vec<(u32, u32)>) -> Self {
        Self {
            text: text.into(),
            span,
            map,
        }
    }

    /// The place in the file of a byte range of the decoded text.
    #[must_use]
    pub fn span_of(&self, range: Range<usize>) -> Span {
        let place = |offset: usize| {
            let offset = u32::try_from(offset).unwrap_or(u32::MAX);
            let at = self.map.partition_point(|(text, _)| *text <= offset);
            let (text, file) = *self.map.get(at.checked_sub(1)?)?;
            Some((file + (offset - text)).min(self.span.end))
        };
        match (place(range.start), place(range.end)) {
            (Some(start), Some(end)) if start <= end => Span {
                file: self.span.file,
                start,
                end,
            },
            _ => self.span,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_know_every_place() {
        for text in [
            "",
            "\n",
            "a\né\n",
            &"é\nlong".repeat(300),
            &"aé🚀".repeat(500),
        ] {
            let lines = Lines::of(text);
            for offset in 0..=text.len() + 2 {
                let place = line_column(text, offset);
                assert_eq!(lines.line_column(text, offset), place, "{offset}");
            }
        }
    }

    #[test]
    fn all_feeds_count() {
        for n in [0, 1, 254, 255, 256, 511, 1000] {
            assert_eq!(count_newlines("\n".repeat(n).as_bytes()), n);
            assert_eq!(count_newlines("é\n".repeat(n).as_bytes()), n);
        }
        assert_eq!(count_newlines(b"\r\x0b\x0c"), 0);
    }
}
