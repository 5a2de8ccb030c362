//! The commands for a gateway between two builds: hints, memory, skills.

mod hint;
mod memory;
mod skills_command;
mod skills;
