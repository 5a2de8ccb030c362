//! `promptc session show`.

mod draw;

use crate::cli::Context;
use crate::cli::store::StoredArgs;
use crate::cli::ui::Page;
use crate::cli::ui::answer;
use crate::diagnostic::{self, Diagnostic, ErrorReported};
use crate::project::Run;
use crate::project::sessions::describe;
use crate::project::sessions::location::refuse;
use crate::project::sessions::stored::Stored;
use crate::project::sessions::target;
use crate::prompt::{Deliver, Prompt, State};
use crate::session::store::{Build, Store};
use crate::session::{mark, restore, steady};
use clap::ValueEnum;

pub(in crate::cli) use crate::project::sessions::describe::{Report, Who};

/// Show a stored session
///
/// Shows when and why it was built, its inputs and remembered facts, when it is rebuilt, and which tiers are
/// frozen. Private facts are named, but their values are stored nowhere.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  promptc session show chat-7                    # its newest build
  promptc session show chat-7@1                  # an earlier one
  promptc session show chat-7 --format text        # exactly the frozen system prompt
  promptc session show chat-7 --format artifact > chat-7.json  # with its map
  promptc session show chat-7 --format json      # for programs")]
pub(super) struct Args {
    /// The session, or one of its builds by number. An ID that itself ends with a number is tried as a whole first
    #[arg(value_name = "ID[@N]")]
    target: String,
    #[command(flatten)]
    stored: StoredArgs,
    /// The channel, for the format `text`
    #[arg(long, value_name = "CHANNEL", default_value = "system")]
    channel: ChannelName,
    /// The output format
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Form,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    Human,
    Json,
    /// Exactly the frozen text
    Text,
    /// The frozen tiers as an artifact with its map
    Artifact,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ChannelName {
    Tools,
    System,
    User,
}

impl ChannelName {
    fn deliver(self) -> Deliver {
        match self {
            Self::Tools => Deliver::Tools,
            Self::System => Deliver::System,
            Self::User => Deliver::User,
        }
    }
}

/// Runs the command.
pub(super) fn run(args: &Args, context: &mut Context) -> Result<(), ErrorReported> {
    let mut stored = args.stored.call().open(&mut context.run)?;
    let is_json = match args.format {
        Form::Text => return text(args, &mut stored, context),
        Form::Artifact => return artifact(args, &mut stored, context),
        Form::Json => true,
        Form::Human => false,
    };
    let found = target::find(&args.target, &mut stored, &mut context.run)?;
    let (id, number, name) = (&found.session.id, found.number, stored.name());
    let describe = |store: &mut dyn Store| steady(|| describe::describe(store, &name, id, number));
    let Some(report) = stored.step(None, describe, &mut context.run)? else {
        return Err(target::gone(id, found.build.number, &mut context.run));
    };
    let text = if is_json {
        answer::page(&report)
    } else {
        context.ui.drawn(&draw::draw(&report))
    };
    context.ui.result(&text, &mut context.run.diags)
}

/// Exactly the text of a channel.
fn text(args: &Args, stored: &mut Stored, context: &mut Context) -> Result<(), ErrorReported> {
    let deliver = args.channel.deliver();
    let wanted = |build: &Build| build.texts.get(&deliver).cloned().into_iter().collect();
    let found = target::restored(&args.target, wanted, stored, &mut context.run)?;
    let text = found.contents.values().next();
    if text.is_none() {
        empty(deliver, &mut context.run);
    }
    let text = text.map_or("", String::as_str);
    context
        .ui
        .product(text, Page::foreign, &mut context.run.diags)
}

/// The frozen tiers with their map.
fn artifact(args: &Args, stored: &mut Stored, context: &mut Context) -> Result<(), ErrorReported> {
    let found = target::restored(&args.target, Build::parts, stored, &mut context.run)?;
    let restored = restore(&mut |key| found.content(key), &found.build);
    let (frozen, _) =
        restored.map_err(|error| context.run.diags.push(refuse(&error, &stored.location)))?;
    let prompt = Prompt {
        session: Some(mark(&found.session, &found.build, State::Restored)),
        ..frozen.prompt
    };
    let text = super::json(&prompt);
    context
        .ui
        .product(&text, Page::json, &mut context.run.diags)
}

fn empty(deliver: Deliver, run: &mut Run) {
    let message = format!("the frozen {deliver} text is empty");
    let warning = Diagnostic::warning(diagnostic::EMPTY_PROMPT, message);
    let help = "`promptc session show ID` shows which tiers are frozen";
    run.diags.push(warning.help(help));
}
