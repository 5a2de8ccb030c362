//! `promptc agent`: what a running agent asks for between two builds of its prompt.

mod memory;
mod rules;
mod skills;

use super::Context;
use crate::diagnostic::ErrorReported;
use clap::Subcommand;

pub(super) use memory::JsonReport as MemoryReport;
pub(super) use rules::JsonReport as RulesReport;
pub(super) use skills::JsonReport as SkillsReport;

/// Serve an agent's skills, memory and directory rules
///
/// An agent loads a skill when it needs one, changes its memory, and opens folders that have rules of their own. These
/// commands do that by the rules of the manifest, without another build of the prompt.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  promptc agent skills list                          # the skills of a manifest
  promptc agent memory list                          # what the agent remembers
  promptc agent rules src/lex.rs --session chat-7    # the rules of its folder, once")]
pub(super) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    Skills(Box<skills::Args>),
    Memory(Box<memory::Args>),
    Rules(Box<rules::Args>),
}

impl Args {
    /// Whether something is to be written.
    pub(super) fn writes(&self) -> bool {
        match &self.what {
            What::Skills(_) => false,
            What::Memory(args) => args.writes(),
            What::Rules(_) => true,
        }
    }
}

/// Runs the command.
pub(super) fn run(args: &Args, context: &mut Context) -> Result<(), ErrorReported> {
    match &args.what {
        What::Skills(args) => skills::run(args, context),
        What::Memory(args) => memory::run(args, context),
        What::Rules(args) => rules::run(args, context),
    }
}
