//! The common beginning of two texts.

/// The number of bytes that are compared at a time; the first pair of differing chunks is compared byte by byte.
const CHUNK: usize = 4096;

/// The common prefix of two texts in bytes, down to a whole character of both.
pub(crate) fn common(a: &str, b: &str) -> usize {
    let mut at = bytes(a.as_bytes(), b.as_bytes());
    while !(a.is_char_boundary(at) && b.is_char_boundary(at)) {
        at -= 1;
    }
    at
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
