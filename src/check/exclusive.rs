//! Whether two conditions can be seen to exclude each other, by their text alone.

/// Whether no facts make both true: one says `not` of the other, or both hold one name against different values.
pub(super) fn exclude(a: &str, b: &str) -> bool {
    let (a, b) = (parts(a), parts(b));
    a.iter().any(|x| b.iter().any(|y| contradict(x, y)))
}

/// What must all be true for an expression to be true.
fn parts(expression: &str) -> Vec<String> {
    let text = bare(expression);
    let mut out = Vec::new();
    let mut from = 0;
    for (at, word) in words(text) {
        match word {
            // `x or y` and `x if y else z` say nothing about their parts.
            "or" | "if" | "else" => return vec![text.to_owned()],
            "and" => {
                out.push(&text[from..at]);
                from = at + word.len();
            }
            _ => {}
        }
    }
    if out.is_empty() {
        return vec![text.to_owned()];
    }
    out.push(&text[from..]);
    out.into_iter().flat_map(parts).collect()
}

/// Without blanks and the parentheses around the whole.
fn bare(expression: &str) -> &str {
    let text = expression.trim();
    let inner = text.strip_prefix('(').and_then(|t| t.strip_suffix(')'));
    match inner {
        Some(inner) if depths(inner).all(|(_, _, depth)| depth >= 0) => bare(inner),
        _ => text,
    }
}

/// The characters outside of strings, with how many brackets are open behind each.
fn depths(text: &str) -> impl Iterator<Item = (usize, char, i32)> {
    let mut quote = None;
    let mut depth = 0;
    text.char_indices().filter_map(move |(at, c)| {
        match (quote, c) {
            (Some(open), c) => {
                if c == open {
                    quote = None;
                }
                return None;
            }
            (None, '\'' | '"') => {
                quote = Some(c);
                return None;
            }
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth -= 1,
            _ => {}
        }
        Some((at, c, depth))
    })
}

/// The words outside of strings and brackets, each with its place.
fn words(text: &str) -> Vec<(usize, &str)> {
    let mut out = Vec::new();
    let mut start = None;
    let mut end = 0;
    for (at, c, depth) in depths(text) {
        let part = depth == 0 && (c.is_alphanumeric() || c == '_');
        match start {
            Some(from) if !part || at != end => {
                out.push((from, &text[from..end]));
                start = part.then_some(at);
            }
            None if part => start = Some(at),
            _ => {}
        }
        end = at + c.len_utf8();
    }
    out.extend(start.map(|from| (from, &text[from..end])));
    out
}

fn contradict(a: &str, b: &str) -> bool {
    negates(a, b) || negates(b, a) || differ(a, b)
}

/// Whether `a` is `not b`, or says of a name `!=` where `b` says `==`.
fn negates(a: &str, b: &str) -> bool {
    let same = |x: &str, y: &str| squeezed(x) == squeezed(y);
    if let Some(inner) = a.strip_prefix("not").filter(|i| i.starts_with([' ', '('])) {
        return same(bare(inner), b);
    }
    let halves = |text: &str, sign: &str| {
        let (x, y) = text.split_once(sign)?;
        Some((squeezed(x), squeezed(y)))
    };
    let is_simple = |text: &str| !words(text).iter().any(|(_, w)| matches!(*w, "or" | "if"));
    let defined = a.replace("is not ", "is ");
    is_simple(a)
        && is_simple(b)
        && (halves(a, "!=").is_some_and(|h| halves(b, "==") == Some(h))
            || a != defined && same(&defined, b)
            || a.contains(" not in ") && same(&a.replace(" not in ", " in "), b))
}

/// Whether both hold one name against different values that are written out.
fn differ(a: &str, b: &str) -> bool {
    let equals = |text: &str| {
        let (name, value) = text.split_once("==")?;
        let (name, value) = (name.trim(), value.trim());
        let is_name = !name.is_empty()
            && name
                .chars()
                .all(|c| c.is_alphanumeric() || c == '_' || c == '.');
        let inner = value
            .strip_prefix(['\'', '"'])
            .and_then(|v| v.strip_suffix(['\'', '"']));
        let is_text = inner.is_some_and(|v| !v.contains(['\'', '"', '\\']));
        let is_number = !value.is_empty() && value.bytes().all(|b| b.is_ascii_digit());
        let plain = inner.unwrap_or(value).to_owned();
        (is_name && (is_text || is_number)).then(|| (name.to_owned(), plain))
    };
    match (equals(a), equals(b)) {
        (Some((x, v)), Some((y, w))) => x == y && v != w,
        _ => false,
    }
}

/// With single blanks, and one kind of quotes.
fn squeezed(text: &str) -> String {
    let words: Vec<&str> = bare(text).split_whitespace().collect();
    words.join(" ").replace('"', "'")
}

#[cfg(test)]
mod tests {
    use super::exclude;

    #[test]
    fn conditions() {
        for (a, b) in [
            ("x", "not x"),
            ("not (x)", "x"),
            ("'a' in tools and x", "not x"),
            ("'a' in tools", "not 'a' in tools"),
            ("'a' in tools", "'a' not in tools"),
            ("platform == 'cli'", "platform == \"chat\""),
            ("platform == 'cli'", "platform != 'cli'"),
            ("x is defined", "x is not defined"),
            ("loaded('a')", "not loaded('a')"),
            ("(x and y)", "z and not y"),
        ] {
            assert!(exclude(a, b) && exclude(b, a), "{a} / {b}");
        }
        for (a, b) in [
            ("x", "y"),
            ("x", "x"),
            ("x or y", "not x"),
            ("not x or y", "x"),
            ("not x and y", "y"),
            ("platform == 'cli'", "platform == 'cli'"),
            ("a == b", "a == c"),
            ("'a and not x' in names", "x"),
            ("a == 'x' or b", "a == 'y'"),
            ("notes", "es"),
            ("f(a == 'x')", "f(a == 'y')"),
        ] {
            assert!(!exclude(a, b) && !exclude(b, a), "{a} / {b}");
        }
    }
}
