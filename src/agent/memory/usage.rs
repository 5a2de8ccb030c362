//! The fill level of a memory.

use super::chars;
use crate::compile::MemoryTerms;
use crate::text::measure;
use schemars::JsonSchema;
use serde::Serialize;

/// The fill level of a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Usage {
    /// At most 100; null without a capacity.
    pub percent: Option<i64>,
    /// Unicode scalar values, delimiters too.
    pub chars: usize,
    /// The most of them; null if nothing bounds them.
    pub capacity: Option<usize>,
}

impl Usage {
    pub(super) fn of(entries: &[String], terms: &MemoryTerms) -> Self {
        let between = chars(&terms.delimiter) * entries.len().saturating_sub(1);
        let chars = entries.iter().map(|e| chars(e)).sum::<usize>() + between;
        #[expect(clippy::cast_precision_loss, reason = "files are smaller than 2^53")]
        let percent = |capacity: usize| measure::percent(chars as f64, capacity as f64);
        Self {
            percent: terms.capacity.map(percent),
            chars,
            capacity: terms.capacity,
        }
    }
}
