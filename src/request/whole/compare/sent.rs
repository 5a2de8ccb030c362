//! The part of a request that a provider cannot reuse.

use super::Reused;
use crate::request::whole::effective::Request;
use crate::text::common::Texts;
use memchr::memmem::Finder;
use std::sync::LazyLock;

/// The bytes of a request after the reused part, in canonical form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NotReused {
    /// The bytes of parts, and of lines in other parts, that the request before has too.
    pub rewritten: usize,
    /// All other bytes.
    pub new: usize,
}

/// Counts what of B is not reused, after a comparison with the request before it, if there is one.
#[must_use]
pub fn not_reused(a: Option<&Request>, b: &Request, reused: Reused) -> NotReused {
    let mut out = NotReused::default();
    // Where all of A is reused, none of it is left to find again.
    let a = a.filter(|_| reused.bytes < reused.of);
    let (mut known, mut lines) = (Texts::new(), Texts::new());
    for part in a.into_iter().flat_map(Request::parts).skip(reused.segments) {
        known.insert(&*part.key);
        lines.extend(lines_of(&part.key));
    }
    for part in b.parts().skip(reused.segments) {
        let is_known = known.contains(&*part.key);
        if is_known || !part.is_text() {
            let count = if is_known {
                &mut out.rewritten
            } else {
                &mut out.new
            };
            *count += part.size(&b.model);
            continue;
        }
        // A part that differs in a line has the others too.
        for line in lines_of(&part.key) {
            if lines.contains(line) {
                out.rewritten += line.len()
            } else {
                out.new += line.len()
            }
        }
    }
    out
}

/// The bytes of the whole lines that two parts begin with.
pub(super) fn shared_lines(a: &str, b: &str) -> usize {
    let [of_a, of_b] = [a, b].map(lines_of);
    let same = of_a.zip(of_b).take_while(|(a, b)| a == b);
    same.map(|(line, _)| line.len()).sum()
}

/// The lines of a part, which is JSON, with their ends.
pub(in crate::request) fn lines_of(part: &str) -> impl Iterator<Item = &str> {
    static END: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new("\\n"));
    let ends = END.find_iter(part.as_bytes()).map(|at| at + 2);
    let mut from = 0;
    ends.chain([part.len()])
        .map(move |end| &part[std::mem::replace(&mut from, end)..end])
}
