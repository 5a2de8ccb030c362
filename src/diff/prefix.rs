//! What two texts have in common at their start.

/// How many bytes are compared at once; the first pair of chunks that differs is looked at byte by byte.
const CHUNK: usize = 4096;

/// The common prefix of two texts in bytes, down to a whole character of both.
#[must_use]
pub fn common(a: &str, b: &str) -> usize {
    let mut at = bytes(a.as_bytes(), b.as_bytes());
    while !(a.is_char_boundary(at) && b.is_char_boundary(at)) {
        at -= 1;
    }
    at
}

/// The common end of two texts in bytes, whole characters only; it does not reach into their first `skip` bytes.
#[must_use]
pub fn common_end(a: &str, b: &str, skip: usize) -> usize {
    let (x, y) = (&a.as_bytes()[skip..], &b.as_bytes()[skip..]);
    let mut chunks = 0;
    for (x, y) in x.rchunks(CHUNK).zip(y.rchunks(CHUNK)) {
        if x != y {
            break;
        }
        chunks += x.len();
    }
    let rest = x[..x.len() - chunks]
        .iter()
        .rev()
        .zip(y[..y.len() - chunks].iter().rev())
        .take_while(|(x, y)| x == y)
        .count();
    let mut end = chunks + rest;
    while !a.is_char_boundary(a.len() - end) {
        end -= 1;
    }
    end
}

fn bytes(a: &[u8], b: &[u8]) -> usize {
    let mut at = 0;
    for (x, y) in a.chunks(CHUNK).zip(b.chunks(CHUNK)) {
        if x != y {
            let same = x.iter().zip(y).take_while(|(x, y)| x == y).count();
            return at + same;
        }
        at += x.len();
    }
    at
}
