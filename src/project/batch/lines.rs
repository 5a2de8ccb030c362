//! The lines of a batch.

use crate::diagnostic::{self, Diagnostic};
use crate::manifest;
use crate::project::input::{NAME_A_FILE, Takes, What};
use crate::project::{MAX_FACTS, is_value, no_file_name};
use crate::world::DiskWorld;
use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::path::Path;

/// One line, without its end.
#[derive(Debug)]
pub(super) enum Line {
    /// Its bytes.
    Bytes(Vec<u8>),
    /// It is longer than facts may be; it was skipped.
    TooLong,
    /// Reading failed, or found no end of a line: there are no more.
    Failed(io::Error),
}

/// The lines of a reader. No more than one is held.
pub(super) struct Lines<R> {
    from: BufReader<R>,
    most: u64,
    ended: bool,
}

/// The most lines that are passed on at once.
const MOST_AT_ONCE: usize = 16;

/// How many times the length of a line is skipped in search of its end.
const SKIPPED: u64 = 255;

/// The wording of errors about a file of lines.
const LINES: What = What {
    noun: "facts file",
    missing: diagnostic::FACTS_NOT_FOUND,
    help: "--batch takes the path of a file with a JSON object on each line, or `-` for standard input",
    folder: NAME_A_FILE,
    unreadable: diagnostic::UNREADABLE_PROGRAM,
    // A line is read at a time; there may be any number.
    limit: u64::MAX,
    large: "",
    takes: Takes::Streams,
};

/// The lines of the file at `path`, or of standard input for `-`.
pub(super) fn open(path: &Path) -> Result<Lines<impl Read + Send + 'static>, Box<Diagnostic>> {
    let from: Box<dyn Read + Send> = if path == Path::new("-") {
        Box::new(io::stdin())
    } else {
        Box::new(file(path).map_err(|error| {
            if is_value(&DiskWorld, path) {
                return Box::new(no_file_name("--batch"));
            }
            let name = manifest::shown(&DiskWorld, path);
            Box::new(LINES.unread(&name, &error))
        })?)
    };
    Ok(Lines::new(
        BufReader::with_capacity(1 << 16, from),
        MAX_FACTS,
    ))
}

#[expect(
    clippy::disallowed_methods,
    reason = "World reads whole files, and a batch may be larger than memory"
)]
fn file(path: &Path) -> io::Result<File> {
    let file = File::open(path)?;
    if file.metadata()?.is_dir() {
        Err(ErrorKind::IsADirectory.into())
    } else {
        Ok(file)
    }
}

impl<R: Read> Lines<R> {
    /// Lines of at most `most` bytes.
    fn new(from: BufReader<R>, most: u64) -> Self {
        Self {
            from,
            most,
            ended: false,
        }
    }

    /// All lines, several at once where they can be had without waiting: few at first, so that each thread gets some.
    pub(super) fn chunks(mut self) -> impl Iterator<Item = Vec<Line>> {
        let mut dealt = 0_usize;
        std::iter::from_fn(move || {
            let most = (1 + dealt / 8).min(MOST_AT_ONCE);
            dealt += 1;
            let mut lines = vec![self.next()?];
            while lines.len() < most && self.from.buffer().contains(&b'\n') {
                lines.extend(self.next());
            }
            Some(lines)
        })
    }

    fn read(&mut self) -> io::Result<Option<Line>> {
        let mut bytes = Vec::new();
        let mut line = (&mut self.from).take(self.most.saturating_add(1));
        if line.read_until(b'\n', &mut bytes)? == 0 {
            return Ok(None);
        }
        if bytes.pop_if(|last| *last == b'\n').is_some() || bytes.len() as u64 <= self.most {
            return Ok(Some(Line::Bytes(bytes)));
        }
        drop(bytes);
        let mut rest = (&mut self.from).take(self.most.saturating_mul(SKIPPED));
        rest.skip_until(b'\n')?;
        match rest.limit() {
            // A device may have no line end at all.
            0 => Err(ErrorKind::FileTooLarge.into()),
            _ => Ok(Some(Line::TooLong)),
        }
    }
}

impl<R: Read> Iterator for Lines<R> {
    type Item = Line;

    fn next(&mut self) -> Option<Line> {
        if self.ended {
            return None;
        }
        let line = self.read();
        self.ended = !matches!(line, Ok(Some(_)));
        line.unwrap_or_else(|error| Some(Line::Failed(error)))
    }
}

#[cfg(test)]
mod tests {
    use super::{Line, Lines};
    use std::io::{self, BufReader, Read};

    fn lines(from: impl Read, buffer: usize) -> Vec<String> {
        let lines = Lines::new(BufReader::with_capacity(buffer, from), 3);
        let show = |line| match line {
            Line::Bytes(bytes) => String::from_utf8(bytes).unwrap(),
            Line::TooLong => "too long".to_owned(),
            Line::Failed(error) => error.to_string(),
        };
        lines.map(show).collect()
    }

    #[test]
    fn lines_have_an_end_and_a_limit() {
        for buffer in [1, 2, 3, 100] {
            let all = |text: &'static str| lines(text.as_bytes(), buffer);
            assert!(all("").is_empty());
            assert_eq!(all("\n"), [""]);
            assert_eq!(all("a\n\nabc"), ["a", "", "abc"]);
            assert_eq!(all("abc\nabcd\nb\n"), ["abc", "too long", "b"]);
            assert_eq!(all("abcd\nabcdefgh"), ["too long", "too long"]);
            assert_eq!(all("ab\r\n"), ["ab\r"]);
            let endless = lines(b"abc\n".chain(io::repeat(0)), buffer);
            let too_large = io::Error::from(io::ErrorKind::FileTooLarge).to_string();
            assert_eq!(endless, ["abc", &too_large]);
        }
    }

    #[test]
    fn a_reader_that_fails_ends_the_lines() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("broken"))
            }
        }
        assert_eq!(lines(b"a\nb".chain(Broken), 1), ["a", "broken"]);
    }
}
