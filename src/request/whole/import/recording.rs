//! A file that another program recorded: read line by line, where its format has a request a line.

use super::{Format, ImportResult, Members, NEAR, Reader, Reading, Verdicts};
use crate::request::whole::log::LogReader;
use std::io::{self, BufRead, Chain, Cursor, Read as _};

/// The most bytes of a line.
const LINE: u64 = 64 << 20;

/// The bytes after which no further line is read to find the format.
const HEAD: usize = 1 << 20;

/// The first bytes of a zstd file.
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// The mark of the byte order.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// A file whose beginning was read.
pub struct Recording<R> {
    input: Chain<Cursor<Vec<u8>>, R>,
    /// Its format, by how it begins; none if it is none of them.
    pub format: Option<Format>,
    /// Whether it is packed.
    pub is_packed: bool,
    /// Whether it is a log already, and no recording.
    pub is_log: bool,
    /// Whether it has objects of Claude Code's status line, and no recording.
    pub is_status: bool,
    /// Whether its first line is an object.
    pub(super) is_lines: bool,
}

impl<R: BufRead> Recording<R> {
    /// Reads the beginning.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn open(mut input: R) -> io::Result<Self> {
        let mut head = Vec::new();
        for _ in 0..NEAR {
            let read = (&mut input).take(LINE).read_until(b'\n', &mut head)?;
            if read == 0 || !head.ends_with(b"\n") || head.len() > HEAD {
                break;
            }
        }
        if head.starts_with(MARK) {
            head.drain(..MARK.len());
        }
        let text = String::from_utf8_lossy(&head);
        let first = text.trim_start().lines().next().unwrap_or_default();
        let line = Members::read(first);
        let is_status = line.as_ref().is_some_and(Verdicts::are_in);
        Ok(Self {
            format: Format::of(&text).filter(|_| !is_status),
            is_packed: head.starts_with(ZSTD),
            is_log: LogReader::<R>::begins(&text),
            is_status,
            is_lines: line.is_some(),
            input: Cursor::new(head).chain(input),
        })
    }

    /// Hands each entry on, in order, as [`Format::read`] does. A document of more than `most` bytes is not read: false.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn read(
        mut self,
        format: Format,
        reading: Reading<'_>,
        most: u64,
        each: &mut dyn FnMut(usize, ImportResult),
    ) -> io::Result<bool> {
        if let (Reader::Line(read), true) = (format.reader(), self.is_lines) {
            self.lines(&mut |number, line| {
                match line {
                    Ok(line) => super::of_line(line, read, &mut |found| each(number, found)),
                    Err(reason) => each(number, Err(reason)),
                }
                true
            })?;
            return Ok(true);
        }
        let mut bytes = Vec::new();
        (&mut self.input).take(most + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > most {
            return Ok(false);
        }
        let text = match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        };
        format.read(&text, reading, each);
        Ok(true)
    }

    /// Notes the verdicts of objects of Claude Code's status line; `passed` takes the lines without one.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn verdicts(
        mut self,
        verdicts: &mut Verdicts,
        passed: &mut dyn FnMut(usize, &'static str),
    ) -> io::Result<()> {
        self.lines(&mut |number, line| {
            if let Err(reason) = line.and_then(|line| verdicts.note(line)) {
                passed(number, reason);
            }
            true
        })
    }

    /// Hands each line on that is not empty, with its number, as long as they are wanted.
    pub(super) fn lines(
        &mut self,
        each: &mut dyn FnMut(usize, Result<&str, &'static str>) -> bool,
    ) -> io::Result<()> {
        let mut line = Vec::new();
        let mut is_wanted = true;
        for number in 1.. {
            if !is_wanted {
                break;
            }
            line.clear();
            if (&mut self.input).take(LINE).read_until(b'\n', &mut line)? == 0 {
                break;
            }
            if line.len() as u64 == LINE && !line.ends_with(b"\n") {
                self.input.skip_until(b'\n')?;
                is_wanted = each(number, Err("a line of more than 64 MiB"));
                continue;
            }
            is_wanted = match std::str::from_utf8(&line) {
                Err(_) => each(number, Err("a line that is not UTF-8")),
                Ok(text) if text.trim().is_empty() => true,
                Ok(text) => each(number, Ok(text.trim_end_matches(['\n', '\r']))),
            };
        }
        Ok(())
    }
}
