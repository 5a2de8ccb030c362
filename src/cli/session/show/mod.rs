//! `promptc session show`.

mod describe;
mod draw;
mod tiers;

use super::stored::StoredArgs;
use super::{Format, target};
use crate::cli::store::refuse;
use crate::cli::{Context, output};
use crate::diagnostic::{self, Diagnostic, Reported};
use crate::prompt::{self, Deliver, Prompt, State};
use crate::session::thaw;
use crate::store::{Build, Session};
use clap::ValueEnum;

pub(in crate::cli) use describe::Report;

/// Show what a session keeps
///
/// When it was built and why, what it was given and remembers, when it is built anew, and which tiers are frozen. Private
/// facts are named; their values are kept nowhere.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  promptc session show chat-7                    # its newest build
  promptc session show chat-7@1                  # an earlier one
  promptc session show chat-7 --text             # exactly the frozen system text
  promptc session show chat-7 --artifact > chat-7.json  # with its map, for explain, blame and diff
  promptc session show chat-7 --format json      # for programs")]
pub(super) struct Args {
    /// The session, or one of its builds by number. Of an ID that ends so itself the whole is tried first
    #[arg(value_name = "ID[@N]")]
    target: String,
    #[command(flatten)]
    stored: StoredArgs,
    /// Write exactly the frozen text instead
    #[arg(long, conflicts_with_all = ["format", "artifact"])]
    text: bool,
    /// Which text
    #[arg(
        long,
        value_name = "CHANNEL",
        default_value = "system",
        requires = "text"
    )]
    channel: ChannelName,
    /// Write the frozen tiers as an artifact with its map instead
    #[arg(long, conflicts_with = "format")]
    artifact: bool,
    /// How the answer is written
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,
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
pub(super) fn run(args: &Args, context: &mut Context) -> Result<(), Reported> {
    let mut stored = args.stored.open(context)?;
    let found = target::find(&args.target, &mut stored, context)?;
    let name = stored.name();
    let path = stored.path.clone();
    let Some(store) = stored.get() else {
        return Err(stored.unknown(&found.session.id, context));
    };
    let mut told = |error| context.diags.push(refuse(&error, &path));
    if args.text {
        let deliver = args.channel.deliver();
        let text = match found.build.texts.get(&deliver) {
            Some(key) => store.content(key).map_err(told)?,
            None => {
                empty(deliver, context);
                String::new()
            }
        };
        return output::to_stdout(text.as_bytes(), &mut context.diags);
    }
    if args.artifact {
        let (frozen, _) = thaw(store, &found.build).map_err(told)?;
        let prompt = Prompt {
            session: Some(mark(&found.session, &found.build)),
            ..frozen.prompt
        };
        return output::to_stdout(super::json(&prompt).as_bytes(), &mut context.diags);
    }
    let report = describe::describe(store, &name, &found).map_err(&mut told)?;
    let text = match args.format {
        Format::Json => super::json(&report),
        Format::Human => draw::draw(&report, context.ui.stdout_is_terminal()),
    };
    context.ui.result(&text, &mut context.diags)
}

fn empty(deliver: Deliver, context: &mut Context) {
    let message = format!("the frozen {deliver} text is empty");
    let warning = Diagnostic::warning(diagnostic::EMPTY_PROMPT, message);
    let help = "`promptc session show ID` tells which tiers are frozen";
    context.diags.push(warning.help(help));
}

/// What the artifact says of its session.
fn mark(session: &Session, build: &Build) -> prompt::Session {
    prompt::Session {
        id: session.id.to_string(),
        state: State::Restored,
        number: build.number,
        reason: build.reason.to_string(),
        at: super::clock::rfc3339(build.at),
    }
}
