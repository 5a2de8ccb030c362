//! What agents do for themselves, beside the prompts that are built for them.

pub mod memory;
