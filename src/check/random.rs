//! Whether a word looks drawn at random rather than chosen by a person.

/// Whether a part of a file's name looks made up by a program: `xK3f9Qa2`, `8f3a2b1c`, `48213`.
pub(super) fn is_made_up(word: &str) -> bool {
    if word.len() < 5 || !word.bytes().all(|b| b.is_ascii_alphanumeric()) {
        return false;
    }
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    if digits == word.len() {
        // Four digits are years and ports, eight may be a date, and round numbers are chosen.
        let date = word.len() == 8 && word.starts_with("20");
        return !date && !word.ends_with("000");
    }
    if digits == 0 || word.len() < 6 {
        return false;
    }
    let vowels = |b: u8| matches!(b.to_ascii_lowercase(), b'a' | b'e' | b'i' | b'o' | b'u');
    changes(word) >= 3 || digits >= 5 || changes(word) == 1 && !word.bytes().any(vowels)
}

/// The number of times that letters and digits alternate.
fn changes(word: &str) -> usize {
    let pairs = word.as_bytes().windows(2);
    pairs
        .filter(|p| p[0].is_ascii_digit() != p[1].is_ascii_digit())
        .count()
}

/// Whether a long word of digits and letters is too varied to be a placeholder such as `00000000` or `deadbeefdeadbeef`.
pub(super) fn is_varied(word: &str, least: usize) -> bool {
    let mut seen = [false; 256];
    for byte in word.bytes().filter(u8::is_ascii_alphanumeric) {
        seen[usize::from(byte.to_ascii_lowercase())] = true;
    }
    seen.iter().filter(|s| **s).count() >= least && !is_run(word)
}

/// Whether it counts up, such as `0123456789abcdef`.
fn is_run(word: &str) -> bool {
    let bytes: Vec<u8> = word.bytes().filter(u8::is_ascii_alphanumeric).collect();
    let follows = |p: &&[u8]| {
        let (a, b) = (char::from(p[0]), char::from(p[1]));
        match (a.to_digit(36), b.to_digit(36)) {
            (Some(a), Some(b)) => b == a + 1 || b == 0,
            _ => false,
        }
    };
    let up = bytes.windows(2).filter(follows).count();
    up * 2 >= bytes.len()
}
