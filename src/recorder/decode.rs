//! The text of a body that may be packed.

use super::spool::Spool;
use flate2::read::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use ruzstd::decoding::StreamingDecoder;
use std::io::{self, BufRead, BufReader, Read};

/// The most bytes of a body that are read: those of a line that is imported.
pub(super) const MOST: u64 = 64 << 20;

const TOO_LONG: &str = "a body of more than 64 MiB";

/// The most times that a body is packed.
const MOST_CODINGS: usize = 4;

/// The first bytes of bodies that are packed without a header that says so.
const MAGIC: &[(&[u8], &str)] = &[(b"\x28\xb5\x2f\xfd", "zstd"), (b"\x1f\x8b", "gzip")];

/// The bytes that a body means. One that breaks off is read as far as it goes.
///
/// # Errors
/// Why it cannot be read.
pub(super) fn decoded(spool: &mut Spool, coding: Option<&str>) -> Result<Vec<u8>, &'static str> {
    const UNREAD: &str = "a body whose copy could not be read";
    if spool.is_cut() {
        return Err(TOO_LONG);
    }
    let from = spool.reader().map_err(|_| UNREAD)?;
    let mut from: Box<dyn BufRead + '_> = Box::new(BufReader::new(from));
    let start = from.fill_buf().map_err(|_| UNREAD)?;
    let magic = MAGIC.iter().find(|(magic, _)| start.starts_with(magic));
    let codings = coding.or(magic.map(|(_, coding)| *coding));
    let codings = codings.unwrap_or_default();
    if codings.split(',').count() > MOST_CODINGS {
        return Err("a body that is packed more than four times");
    }
    // The last encoding is named last.
    for coding in codings.split(',').rev() {
        from = unpacked(from, &coding.trim().to_ascii_lowercase())?;
    }
    let mut bytes = Vec::new();
    // An error is where it breaks off.
    let _ = from.take(MOST + 1).read_to_end(&mut bytes);
    if bytes.len() as u64 > MOST {
        Err(TOO_LONG)
    } else {
        Ok(bytes)
    }
}

fn unpacked<'a>(
    mut from: Box<dyn BufRead + 'a>,
    coding: &str,
) -> Result<Box<dyn BufRead + 'a>, &'static str> {
    let unpacked: Box<dyn Read + 'a> = match coding {
        "" | "identity" => return Ok(from),
        "gzip" | "x-gzip" => Box::new(MultiGzDecoder::new(from)),
        // Some send what RFC 9110 calls deflate, some what it was made of.
        "deflate" => match from.fill_buf() {
            Ok([first, second, ..]) if is_zlib(*first, *second) => Box::new(ZlibDecoder::new(from)),
            _ => Box::new(DeflateDecoder::new(from)),
        },
        "br" => Box::new(brotli_decompressor::Decompressor::new(from, 1 << 14)),
        "zstd" => Box::new(Frames(Some(Frame::Between(from)))),
        _ => return Err("a body that is packed in a way that promptc does not know"),
    };
    Ok(Box::new(BufReader::new(unpacked)))
}

fn is_zlib(first: u8, second: u8) -> bool {
    first & 0x0f == 8 && (u16::from(first) << 8 | u16::from(second)).is_multiple_of(31)
}

/// Frames of zstd, one after the other.
struct Frames<R: Read>(Option<Frame<R>>);

enum Frame<R: Read> {
    Between(R),
    Inside(Box<StreamingDecoder<R, ruzstd::decoding::FrameDecoder>>),
}

impl<R: BufRead> Read for Frames<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.0.take() {
                Some(Frame::Between(mut from)) => {
                    if from.fill_buf()?.is_empty() {
                        return Ok(0);
                    }
                    let frame = StreamingDecoder::new(from).map_err(io::Error::other)?;
                    self.0 = Some(Frame::Inside(Box::new(frame)));
                }
                Some(Frame::Inside(mut frame)) => match frame.read(out)? {
                    0 => self.0 = Some(Frame::Between(frame.into_inner())),
                    read => {
                        self.0 = Some(Frame::Inside(frame));
                        return Ok(read);
                    }
                },
                None => return Ok(0),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::spool::Memory;
    use super::*;

    #[test]
    fn a_body_is_packed_a_few_times_at_most() {
        let mut spool = Spool::new(&Memory::default(), MOST);
        let many = vec!["deflate"; 100_000].join(",");
        let refused = decoded(&mut spool, Some(&many));
        assert_eq!(refused, Err("a body that is packed more than four times"));
        assert_eq!(
            decoded(&mut spool, Some("identity, identity")),
            Ok(Vec::new())
        );
    }
}
