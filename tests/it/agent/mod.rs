//! The commands for a gateway between two builds: directory rules, memory, skills.

mod directory_rules;
mod memory;
mod skills_command;
mod skills;
