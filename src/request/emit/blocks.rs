//! The system prompt in blocks.

use super::options::Plan;
use crate::prompt::{Deliver, Prompt};

/// A stretch of the system prompt, and the breakpoint at its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block<'a> {
    /// Its text. The concatenated texts of all blocks are the system prompt.
    pub text: &'a str,
    /// The time to live of the breakpoint (`None` inside: the provider's own), if there is one.
    pub mark: Option<Option<&'a str>>,
}

/// The system prompt, cut where a breakpoint is or could be: other requests of the conversation, with more messages or fewer, have
/// other breakpoints but the same blocks. No block is blank.
pub(super) fn system<'a>(prompt: &'a Prompt, plan: &'a Plan<'_>) -> Vec<Block<'a>> {
    let text = prompt.text(Deliver::System);
    let mut blocks: Vec<Block<'_>> = Vec::new();
    let mut start = 0;
    for (section, number) in plan.placement.blocks(Deliver::System) {
        blocks.push(Block {
            text: &text[start..section.end],
            mark: number.map(|number| plan.ttls[number - 1].as_deref()),
        });
        start = section.end;
    }
    let tail = &text[start..];
    if tail.trim().is_empty()
        && let Some(last) = blocks.last_mut()
    {
        let from = start - last.text.len();
        last.text = &text[from..];
    } else if !tail.trim().is_empty() {
        blocks.push(Block {
            text: tail,
            mark: None,
        });
    }
    blocks
}

/// The time to live of the breakpoint after the tier of tools that ends there, if there is one.
pub(super) fn tools_mark<'a>(plan: &'a Plan<'_>, end: usize) -> Option<Option<&'a str>> {
    let mut marks = plan.placement.marked().zip(&plan.ttls);
    let mark = marks.find(|(s, _)| s.deliver == Deliver::Tools && s.end == end);
    mark.map(|(_, ttl)| ttl.as_deref())
}
