//! What of a request a provider cannot reuse.

use super::Reused;
use crate::request::whole::effective::Request;
use crate::request::whole::part::Part;
use std::collections::BTreeSet;

/// The bytes of a request behind what is reused, in canonical form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NotReused {
    /// Those of parts that the request before has too.
    pub rewritten: usize,
    /// Those of all others.
    pub new: usize,
}

/// Counts what of B is not reused, after a comparison with the request before it, if there is one.
#[must_use]
pub fn not_reused(a: Option<&Request>, b: &Request, reused: Reused) -> NotReused {
    let mut known = BTreeSet::new();
    // Where all of A is reused, none of it is left to find again.
    if let Some(a) = a.filter(|_| reused.bytes < reused.of) {
        known.extend(parts(a).map(|part| &*part.key));
    }
    let mut out = NotReused::default();
    for part in parts(b).skip(reused.segments) {
        match known.contains(&*part.key) {
            true => out.rewritten += part.key.len(),
            false => out.new += part.key.len(),
        }
    }
    out
}

fn parts(request: &Request) -> impl Iterator<Item = &Part> {
    let of_messages = request.messages.iter().flat_map(|m| &m.blocks);
    request
        .tools
        .iter()
        .chain(&request.system)
        .chain(of_messages)
}
