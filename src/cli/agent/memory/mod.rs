//! `promptc agent memory`.

mod draw;

use crate::agent::memory::{Action, Answer, Call, Code, Provider, Step, definition};
use crate::cli::Context;
use crate::cli::format::Format;
use crate::cli::given::BuildArgs;
use crate::cli::store::seconds;
use crate::cli::ui::{Page, answer};
use crate::diagnostic::ErrorReported;
use crate::project::memory::change::{self, MemoryOptions};
use crate::project::memory::list;
use crate::project::memory::select::{self, Memories};
use clap::{Subcommand, ValueEnum};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;

/// Change an agent's memory, as its memory tool does
///
/// Each layer of the manifest with a `memory` source is a memory, by the layer's name. The manifest sets its file,
/// its size limit and its scan. Any number of processes may write at once, and the file is always the complete old
/// or new one. Exits with 1 if the memory refuses the change.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  promptc agent memory list                                                   # all entries
  promptc agent memory add \"The user is called Ada.\"                          # one more entry
  echo '{\"action\":\"add\",\"content\":\"Tea.\"}' | promptc agent memory apply  # a tool call
  promptc agent memory schema --provider anthropic                      # the tool, for a request")]
pub(super) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Add an entry
    #[command(after_help = "\
Examples:
  promptc agent memory add \"The user is called Ada.\"
  promptc agent memory add --layer notes \"Deploys are on Tuesdays.\"
  echo \"Deploys are on Tuesdays.\" | promptc agent memory add -   # from standard input")]
    Add {
        /// The text of the entry, `-` for standard input
        content: String,
        #[command(flatten)]
        write: Write,
    },
    /// Replace an entry
    #[command(after_help = "\
Examples:
  promptc agent memory replace pier \"The crane at pier 3 lifts 12 tonnes.\"")]
    Replace {
        /// A part of the entry that is meant, found in no other
        old_text: String,
        /// The text of the new entry, `-` for standard input
        content: String,
        #[command(flatten)]
        write: Write,
    },
    /// Remove an entry
    #[command(after_help = "\
Examples:
  promptc agent memory remove \"at pier\"")]
    Remove {
        /// A part of the entry that is meant, found in no other
        old_text: String,
        #[command(flatten)]
        write: Write,
    },
    /// Show the entries
    #[command(after_help = "\
Examples:
  promptc agent memory list
  promptc agent memory list --format json")]
    List {
        #[command(flatten)]
        given: Box<BuildArgs>,
        /// The layer of the source [default: all]
        #[arg(long, value_name = "LAYER")]
        layer: Option<String>,
        /// Also show entries with scan findings
        #[arg(long)]
        raw: bool,
        /// The output format
        #[arg(long, value_name = "FORMAT", default_value = "human")]
        format: Format,
    },
    /// Run a call of the memory tool
    ///
    /// The call is a JSON object: `action`, `content` and `old_text`, or a list `operations` of such objects,
    /// of which all are done or none; and `target`, if there are several memories. An error in a call is an
    /// answer for the model that made it, with exit code 1.
    #[command(after_help = "\
Examples:
  echo '{\"action\":\"add\",\"content\":\"Ada reads on her phone.\"}' | promptc agent memory apply
  echo '{\"operations\":[{\"action\":\"add\",\"content\":\"Tea.\"}]}' | promptc agent memory apply")]
    Apply {
        /// The call, `-` for standard input
        #[arg(value_name = "FILE", default_value = "-")]
        call: PathBuf,
        #[command(flatten)]
        write: Write,
    },
    /// Print the definition of the memory tool for a provider
    #[command(after_help = "\
Examples:
  promptc agent memory schema --provider openai
  promptc agent memory schema --provider anthropic")]
    Schema {
        #[command(flatten)]
        given: Box<BuildArgs>,
        /// The provider, for the format of its API
        #[arg(long, value_name = "NAME")]
        provider: ProviderName,
    },
}

/// The options of all commands that write.
#[derive(Debug, clap::Args)]
struct Write {
    #[command(flatten)]
    given: Box<BuildArgs>,
    /// The layer of the source; a call of `apply` that names one as `target` has priority [default: the only one]
    #[arg(long, value_name = "LAYER")]
    layer: Option<String>,
    /// How long to wait for other processes
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    wait: u64,
    /// How many calls of this turn failed before in a row: the answer's `failed`
    #[arg(long, value_name = "N", default_value = "0")]
    failed: u32,
    /// The output format
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ProviderName {
    /// OpenAI's chat completions
    Openai,
    /// OpenAI's responses
    OpenaiResponses,
    /// Anthropic's messages
    Anthropic,
}

/// The output of `memory … --format json`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only its schema is wanted")]
pub(in crate::cli) enum JsonReport {
    /// The answer of add, replace, remove and apply.
    Answer(Box<Answer>),
    /// The answer of list.
    List(list::List),
}

impl Args {
    /// Whether something is to be written.
    pub(super) fn writes(&self) -> bool {
        !matches!(self.what, What::List { .. } | What::Schema { .. })
    }
}

/// Runs the command.
pub(super) fn run(args: &Args, context: &mut Context) -> Result<(), ErrorReported> {
    match &args.what {
        What::Add { content, write } => {
            let step = |content: &str| Step::new(Action::Add, None, Some(content));
            of_person(write, Some(content), step, context)
        }
        What::Replace {
            old_text,
            content,
            write,
        } => {
            let step = |content: &str| Step::new(Action::Replace, Some(old_text), Some(content));
            of_person(write, Some(content), step, context)
        }
        What::Remove { old_text, write } => {
            let step = |_: &str| Step::new(Action::Remove, Some(old_text), None);
            of_person(write, None, step, context)
        }
        What::Apply { call, write } => {
            let memories = Memories::open(&write.given.call(), &mut context.run)?;
            let call = select::call(
                call,
                &write.given.call(),
                memories.world(),
                &mut context.run.diags,
            )?;
            let answer =
                change::of_model(&memories, &write.options(), call, &mut context.run.diags)?;
            tell(&answer, &answer.message, write.format, context)
        }
        What::List {
            given,
            layer,
            raw,
            format,
        } => {
            let memories = Memories::open(&given.call(), &mut context.run)?;
            let list = list::list(&memories, layer.as_deref(), *raw, &mut context.run.diags)?;
            let text = match format {
                Format::Human => context.ui.drawn(&draw::list(&list)),
                Format::Json => Page::json(&answer::line(&list)),
            };
            context.ui.result(&text, &mut context.run.diags)
        }
        What::Schema { given, provider } => {
            let memories = Memories::open(&given.call(), &mut context.run)?;
            let targets = memories.all(&mut context.run.diags)?;
            let provider = match provider {
                ProviderName::Openai => Provider::OpenAi,
                ProviderName::OpenaiResponses => Provider::OpenAiResponses,
                ProviderName::Anthropic => Provider::Anthropic,
            };
            let page = Page::json(&format!("{:#}\n", definition(&targets, provider)));
            context.ui.result(&page, &mut context.run.diags)
        }
    }
}

/// A change that is written out as arguments.
fn of_person(
    write: &Write,
    content: Option<&str>,
    step: impl FnOnce(&str) -> Step,
    context: &mut Context,
) -> Result<(), ErrorReported> {
    let memories = Memories::open(&write.given.call(), &mut context.run)?;
    let target = memories.chosen(write.layer.as_deref(), &mut context.run.diags)?;
    let content = match content {
        Some("-") => {
            let stdin = PathBuf::from("-");
            select::input(
                &stdin,
                &write.given.call(),
                memories.world(),
                &mut context.run.diags,
            )?
        }
        content => content.unwrap_or_default().to_owned(),
    };
    let call = Call::single(step(&content));
    let answer = change::change(
        &memories,
        &target,
        (&call, change::Writer::Person),
        &write.options(),
        &mut context.run.diags,
    )?;
    let by_hand = answer.by_hand.as_ref().unwrap_or(&answer.message);
    tell(&answer, by_hand, write.format, context)
}

fn tell(
    answer: &Answer,
    message: &str,
    format: Format,
    context: &mut Context,
) -> Result<(), ErrorReported> {
    context.verdict = answer.success;
    context.done = done(answer);
    let text = match format {
        Format::Human => context.ui.drawn(&draw::answer(answer, message)),
        Format::Json => Page::json(&answer::line(answer)),
    };
    context.ui.result(&text, &mut context.run.diags)
}

/// The new files in the folder of a memory.
fn done(answer: &Answer) -> Option<String> {
    let target = answer.target.as_deref()?;
    match answer.code {
        Code::Added | Code::Replaced | Code::Removed | Code::Applied => {
            Some(format!("the memory `{target}` was changed"))
        }
        _ => answer
            .backup
            .as_ref()
            .map(|name| format!("a copy of the memory `{target}` was saved as `{name}`")),
    }
}

impl Write {
    /// How it is written.
    fn options(&self) -> MemoryOptions {
        MemoryOptions {
            layer: self.layer.clone(),
            wait: self.wait,
            failed: self.failed,
        }
    }
}
