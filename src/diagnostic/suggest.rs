//! Near misses: which known name was probably meant.

/// Names of more characters have no near ones: to compare two costs the product of their lengths.
const LONGEST: usize = 100;

/// The known name nearest to `name`, if one is near enough to be a slip of the fingers.
/// Of equally near ones the first in `known` is taken.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = match name.chars().count() {
        0..=3 => 1,
        4..=5 => 2,
        6..=LONGEST => 3,
        _ => return None,
    };
    let fold = |s: &str| s.to_lowercase().replace('_', "-");
    let folded = fold(name);
    let length = folded.chars().count();
    let mut best: Option<(usize, &str)> = None;
    for candidate in known {
        let other = fold(candidate);
        if other.chars().count().abs_diff(length) > limit {
            continue;
        }
        let distance = strsim::damerau_levenshtein(&folded, &other);
        if distance <= limit
            && distance < candidate.chars().count()
            && best.is_none_or(|(d, _)| distance < d)
        {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Whether one name is probably a slip of the other: few letters differ, and case. Of short names, which are often alike by
/// chance, one letter.
pub(crate) fn is_slip(one: &str, other: &str) -> bool {
    let (chars, others) = (one.chars().count(), other.chars().count());
    let most = 1 + chars.min(others) / 6;
    // To compare the letters takes far longer.
    let has_near_length = one.len().abs_diff(other.len()) <= 4 * most;
    has_near_length
        && chars.max(others) <= LONGEST
        && strsim::damerau_levenshtein(&one.to_lowercase(), &other.to_lowercase()) <= most
}

/// "`a`, `b` and `c`".
#[must_use]
pub fn list<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    joined(names, "and")
}

/// "`a`, `b` or `c`".
#[must_use]
pub fn choice<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    joined(names, "or")
}

fn joined<'a>(names: impl IntoIterator<Item = &'a str>, last_word: &str) -> String {
    let names: Vec<String> = names.into_iter().map(|n| format!("`{n}`")).collect();
    match names.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [head @ .., last] => format!("{} {last_word} {last}", head.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_near_and_a_long_name_is_not() {
        assert_eq!(
            nearest("Wokspace", ["workspace", "text"]),
            Some("workspace")
        );
        assert_eq!(nearest("a_b", ["a-c", "a-b"]), Some("a-b"));
        assert_eq!(nearest("work", ["workspace"]), None);
        let long = "x".repeat(200_000);
        assert_eq!(nearest(&long, [&long[1..]]), None);
    }
}
