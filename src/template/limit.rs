//! The limits on the work of a program.

/// Steps that one evaluation or render may take. The engine counts 64 bytes that are made, printed or read by a filter as
/// one, and we count [`PER_STEP`] values that are walked as one.
pub(super) const FUEL: u64 = 10_000_000;
