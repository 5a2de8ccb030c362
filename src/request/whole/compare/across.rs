//! Two requests of which the second begins a chain, and does not go on from the first: providers share a cache between conversations.

use super::sent::{not_reused, shared_lines};
use super::{Cause, Kind, Reused, State, Step, changes, lost_breakpoints};
use crate::request::whole::effective::Request;

/// What a request and an earlier one of another chain have in common, in bytes in canonical form.
#[derive(Debug, Clone)]
pub struct Overlap {
    /// The changes, in the order in which the provider reads. That another conversation says something else is none, unless they differ there first.
    pub causes: Vec<Cause>,
    /// The tools and blocks before the first of them.
    pub reused: Reused,
    /// The lines after these that both begin with.
    pub begun: usize,
    /// The text after the first difference that both have.
    pub after: usize,
    /// All of the later request.
    pub size: usize,
}

/// Whether something of an earlier request could be read when a later one started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It could.
    Alive,
    /// Its answer had not begun.
    Concurrent,
    /// The time to live, in seconds, was over.
    Expired(Option<u64>),
}

impl Overlap {
    /// What both have. Where they begin with more than `least` bytes, less than that after the first difference is not counted.
    #[must_use]
    pub fn of(a: &Request, b: &Request, least: usize) -> Self {
        let found = changes(a, b);
        let (mut causes, reused) = (found.causes, found.reused.count);
        let in_messages = |cause: &Cause| cause.at.starts_with("messages/");
        if causes.first().is_some_and(|first| !in_messages(first)) {
            causes.retain(|cause| !in_messages(cause));
        }
        let mut out = Self {
            causes,
            reused,
            begun: 0,
            after: 0,
            size: b.parts().map(|part| part.size(&b.model)).sum(),
        };
        let Some(first) = out.causes.first() else {
            return out;
        };
        let in_part = ["tools/", "system/", "messages/"];
        if in_part.iter().any(|name| first.at.starts_with(name)) {
            let [old, new] = [a, b].map(|of| of.parts().nth(reused.segments));
            let parts = old.zip(new);
            out.begun = parts.map_or(0, |(old, new)| shared_lines(&old.key, &new.key));
        }
        let front = reused.bytes + out.begun;
        let rest = out.size.min(reused.of).saturating_sub(front);
        if front < least || rest >= least {
            let rewritten = not_reused(Some(a), b, reused).rewritten;
            // A line that the later one repeats is in the other one as often as that has it.
            let most = reused.of.saturating_sub(front);
            out.after = rewritten.saturating_sub(out.begun).min(most);
        }
        out
    }

    /// The comparison, if what both have after the first difference counts or not.
    #[must_use]
    pub fn step(self, a: &Request, b: &Request, is_broken: bool, standing: Standing) -> Step {
        let gap = (a.time.zip(b.time)).map(|(a, b)| b.duration_since(a).as_secs_f64());
        let mut causes = if is_broken { self.causes } else { Vec::new() };
        causes.extend(lost_breakpoints(a, b));
        let mut state = if causes.is_empty() {
            State::Shared
        } else {
            State::Broken
        };
        let mut reused = self.reused;
        let over = match standing {
            Standing::Alive => None,
            Standing::Concurrent => Some((Kind::Concurrent, State::Concurrent, None)),
            Standing::Expired(ttl) => Some((Kind::Expired, State::Expired, ttl)),
        };
        if causes
            .iter()
            .any(|cause| cause.kind == Kind::BreakpointRemoved)
            || over.is_some()
        {
            (reused.segments, reused.bytes) = (0, 0);
        }
        if let Some((kind, alone, ttl)) = over {
            let mut cause = Cause::new(kind, "time");
            (cause.gap, cause.ttl) = (gap, ttl);
            causes.insert(0, cause);
            if state == State::Shared {
                state = alone;
            }
        }
        Step {
            state,
            causes,
            reused,
            gap,
        }
    }
}
