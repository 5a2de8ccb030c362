//! `promptc build`.

mod session;
mod stats;

use super::batch::{self, BatchArgs};
use super::{Context, given::BuildArgs};
use crate::cli::ui::Page;
use crate::diagnostic::{self, Diagnostic, ErrorReported, suggest};
use crate::project::output;
use crate::project::sessions::call::SessionCall;
use crate::project::sessions::program::Programs;
use crate::project::sessions::serve::get_or_build;
use crate::project::{BuildCall, Run};
use crate::prompt::{self, Deliver, Prompt, State};
use crate::session::store::SessionId;
use clap::ValueEnum;
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// The help heading of options that leave layers out.
const VARIANTS: &str = "Variants";

/// The help heading of batch options.
const BATCH: &str = "Batch";

/// Build the prompt
///
/// Writes exactly the bytes of the system prompt; everything else goes to stderr.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  promptc build                                         # the prompt of promptc.kdl here or above
  promptc build -o prompt.txt --stats                   # to a file, with a table of layers
  promptc build --facts facts.json --set user_name=Ann  # with facts
  promptc build --root workspace=../agent               # with another folder for a root
  promptc build --format json > prompt.json             # the artifact, with its map
  promptc build --channel all                           # with the texts for tools and for the turn
  promptc build -m builtin:minimal@1                    # a built-in manifest
  promptc build --session chat-7                        # frozen: the same bytes at each call
  promptc build --session chat-7 --event compaction     # rebuilt after a compaction
  promptc build --without rules                         # a variant without one layer
  promptc build --each-without -o variants.jsonl        # and a variant without each layer
  promptc build --batch facts.jsonl -o prompts.jsonl    # a prompt for each line of facts
  head -2 facts.jsonl | promptc build --batch -         # as a filter")]
pub(super) struct Args {
    #[command(flatten)]
    given: BuildArgs,
    #[command(flatten)]
    session: session::SessionArgs,
    /// Write to a file, atomically, instead of stdout (`-`)
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The output format; `text` is the system prompt, `json` the whole artifact with its map [default: text; json for --batch and --each-without]
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,
    /// Write the artifact without its inputs: the files that were read, the lists of folders and the values of facts
    #[arg(long, conflicts_with = "batch")]
    no_inputs: bool,
    /// The channel; `all` is the texts of tools, system and user with an empty line between them [default: system]
    #[arg(long, value_name = "CHANNEL", conflicts_with = "batch")]
    channel: Option<Channels>,
    /// Show the contents of the prompt on stderr
    #[arg(long, conflicts_with = "batch")]
    stats: bool,
    /// Leave this layer out, as if its `when` were false, to measure what it is worth; repeatable
    #[arg(help_heading = VARIANTS, long, value_name = "LAYER")]
    without: Vec<String>,
    /// Build the whole prompt, then a variant without each layer that put bytes into it. Writes an artifact a line
    #[arg(help_heading = VARIANTS, long, conflicts_with_all = ["batch", "session", "channel", "stats"])]
    each_without: bool,
    /// Build a prompt for each line: a JSON object of facts, which overrides --facts and is overridden by --set; `-` for
    /// standard input. Writes an artifact a line, in order
    #[arg(help_heading = BATCH, long, value_name = "FILE")]
    batch: Option<PathBuf>,
    /// Stop at the first line that cannot be built
    #[arg(help_heading = BATCH, long, requires = "batch", conflicts_with = "each_without")]
    fail_fast: bool,
    /// The number of threads [default: one for each core]
    #[arg(help_heading = BATCH, long, value_name = "N", requires = "batch", value_parser = clap::value_parser!(u16).range(1..=256))]
    jobs: Option<u16>,
}

impl Args {
    /// The manifest, what is given to it, and what is left out.
    fn call(&self) -> BuildCall {
        let mut call = self.given.call();
        call.inputs.without.clone_from(&self.without);
        call
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Channels {
    Tools,
    System,
    User,
    All,
}

impl Channels {
    fn all(self) -> &'static [Deliver] {
        match self {
            Self::Tools => &[Deliver::Tools],
            Self::System => &[Deliver::System],
            Self::User => &[Deliver::User],
            Self::All => &Deliver::ALL,
        }
    }

    /// The texts of those that the prompt has.
    fn text(self, prompt: &Prompt) -> Cow<'_, str> {
        let texts = self
            .all()
            .iter()
            .filter_map(|&deliver| prompt.channel(deliver));
        let texts: Vec<&str> = texts.map(|channel| channel.text.as_str()).collect();
        match texts[..] {
            [only] => only.into(),
            _ => texts.join("\n\n").into(),
        }
    }

    /// The layers of the prompt that are in other channels.
    fn others(self, prompt: &Prompt) -> Option<Diagnostic> {
        let others = prompt.channels.iter();
        let others = others.filter(|channel| !self.all().contains(&channel.deliver));
        let layers = others.flat_map(|channel| {
            let deliver = channel.deliver;
            (channel.layers.iter()).map(move |layer| format!("`{}` ({deliver})", layer.name))
        });
        let layers: Vec<String> = layers.collect();
        let rest = layers.len().saturating_sub(MOST_TOLD);
        let mut names = layers
            .iter()
            .take(MOST_TOLD)
            .cloned()
            .collect::<Vec<_>>()
            .join(", ");
        if rest > 0 {
            names.push_str(&format!(" and {rest} more"));
        }
        let message = match layers.len() {
            0 => return None,
            1 => format!("a layer is for another channel and not in this text: {names}"),
            n => format!("{n} layers are for other channels and not in this text: {names}"),
        };
        let mut of: Vec<&str> = (prompt.channels.iter().map(|channel| channel.deliver))
            .filter(|deliver| !self.all().contains(deliver))
            .map(Deliver::name)
            .collect();
        of.push("all");
        let of: Vec<String> = of.iter().map(|name| format!("--channel {name}")).collect();
        let of = suggest::choice(of.iter().map(String::as_str));
        let found = Diagnostic::note(diagnostic::OTHER_CHANNELS, message);
        Some(found.help(format!("{of} writes them")))
    }
}

/// The most layers of other channels that are named.
const MOST_TOLD: usize = 8;

/// Runs the command.
pub(super) fn run(args: &Args, context: &mut Context) -> Result<(), ErrorReported> {
    let output = crate::cli::stdout::named(args.output.as_ref());
    if args.batch.is_some() || args.each_without {
        return batch(args, output, context);
    }
    let format = args.format.unwrap_or(Format::Text);
    if format == Format::Json && args.channel.is_some() {
        let message = "--channel chooses a text, and --format json writes all of them";
        let found = Diagnostic::error(diagnostic::USAGE, message);
        return Err((context.run.diags).push(found.help("remove one of them")));
    }
    if let Some(id) = &args.session.session {
        return of_session(args, id, format, output, context);
    }
    if let Some(what) = args.session.stray() {
        let message = format!("{what}, and there is no --session");
        let found = Diagnostic::error(diagnostic::USAGE, message);
        let help = "--session ID restores that session, or stores what is built";
        return Err(context.run.diags.push(found.help(help)));
    }
    let built = if format == Format::Json && !args.no_inputs {
        args.call().build_recorded(&mut context.run)?
    } else {
        args.call().build(&mut context.run)?
    };
    let prompt = &built.prompt;
    let channel = args.channel.unwrap_or(Channels::System);
    let text: Cow<'_, str> = match format {
        Format::Text => channel.text(prompt),
        Format::Json => prompt.to_json().into(),
    };
    match output {
        Some(path) if built.has_read(path) => {
            return Err(context.run.diags.push(output::is_input(path)));
        }
        _ => write(&text, format, output, context)?,
    }
    context.ui.notices(&prompt.notices);
    if args.stats {
        stats::stats(prompt, context);
    }
    match format {
        Format::Text if text.is_empty() => empty(channel, &mut context.run),
        Format::Json if prompt.channels.is_empty() => empty(Channels::All, &mut context.run),
        _ => {}
    }
    if format == Format::Text
        && let Some(note) = channel.others(prompt)
    {
        context.run.diags.push(note);
    }
    Ok(())
}

fn empty(channel: Channels, run: &mut Run) {
    let what = match channel {
        Channels::Tools => "the text of tools",
        Channels::System => "the system prompt",
        Channels::User => "the user text",
        Channels::All => "the prompt",
    };
    let warning = Diagnostic::warning(diagnostic::EMPTY_PROMPT, format!("{what} is empty"));
    let help = "`promptc explain` shows why each layer is absent";
    run.diags.push(warning.help(help));
}

/// Writes a prompt that a session stores.
fn of_session(
    args: &Args,
    id: &SessionId,
    format: Format,
    output: Option<&Path>,
    context: &mut Context,
) -> Result<(), ErrorReported> {
    let (given, store) = (args.call(), args.session.store.options());
    let channel = args.channel.unwrap_or(Channels::System);
    let asked = SessionCall {
        given: &given,
        programs: &Programs::default(),
        store: &store,
        id,
        event: args.session.event.as_deref(),
        refresh: args.session.refresh,
        whole: args.stats || format == Format::Json || channel != Channels::System,
        output,
    };
    let answer = get_or_build(&asked, &mut context.run)?;
    context.done = match answer.mark.state {
        State::Restored => None,
        State::Built => Some(format!("the session `{id}` was built")),
        State::Refreshed => Some(format!("the session `{id}` was rebuilt")),
    };
    let text = match (format, &answer.prompt) {
        (Format::Json, Some(prompt)) => prompt.to_json().into(),
        (Format::Text, Some(prompt)) => channel.text(prompt),
        _ => Cow::Borrowed(answer.text.as_str()),
    };
    write(&text, format, output, context)?;
    if let Some(prompt) = &answer.prompt {
        // A restored session was reported when it was built.
        if answer.mark.state != State::Restored {
            context.ui.notices(&prompt.notices);
        }
        if args.stats {
            stats::stats(prompt, context);
        }
        if format == Format::Text
            && let Some(note) = channel.others(prompt)
        {
            context.run.diags.push(note);
        }
    }
    if text.is_empty() {
        empty(channel, &mut context.run);
    }
    if context.ui.is_verbose() {
        context.ui.remark(&said(&answer.mark));
    }
    Ok(())
}

/// Writes a prompt or its artifact.
fn write(
    text: &str,
    format: Format,
    output: Option<&Path>,
    context: &mut Context,
) -> Result<(), ErrorReported> {
    let shown = match format {
        Format::Text => Page::foreign,
        Format::Json => Page::json,
    };
    match output {
        Some(path) => output::to_file(path, text.as_bytes(), &mut context.run),
        None => context.ui.product(text, shown, &mut context.run.diags),
    }
}

/// The state of a session, in a line.
fn said(mark: &prompt::Session) -> String {
    let prompt::Session {
        id,
        state,
        number,
        reason,
        at,
    } = mark;
    let state = match state {
        State::Restored => "restored",
        State::Built => "built",
        State::Refreshed => "refreshed",
    };
    format!("session `{id}` {state}: build {number} of {at} ({reason})\n")
}

fn batch(args: &Args, output: Option<&Path>, context: &mut Context) -> Result<(), ErrorReported> {
    if matches!(args.format, Some(Format::Text)) {
        let option = args.batch.as_ref().map_or("--each-without", |_| "--batch");
        let message = format!("{option} writes artifacts, but --format text requests texts");
        let found = Diagnostic::error(diagnostic::USAGE, message);
        let help = "a text may contain line ends; each artifact has it as `text` of a channel";
        return Err(context.run.diags.push(found.help(help)));
    }
    let batch = BatchArgs {
        build: &args.call(),
        lines: args.batch.as_deref(),
        output,
        fail_fast: args.fail_fast,
        jobs: args.jobs.map(usize::from),
    };
    batch::run(&batch, context)
}
