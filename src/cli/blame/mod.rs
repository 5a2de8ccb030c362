//! `promptc blame`.

use super::{Context, given::BuildArgs};
use crate::cli::format::Format;
use crate::cli::ui::answer;
use crate::diagnostic::ErrorReported;
use crate::project::artifact;
use crate::prompt::Deliver;
use crate::report::blame as report;
pub(super) use crate::report::blame::Report;
use crate::report::blame::{LineColumn, PlaceQuery};
use crate::world::DiskWorld;
use clap::ValueEnum;
use std::path::PathBuf;

/// Trace a location in the prompt back to its source
///
/// Builds the prompt, or reads an artifact. Shows the layer of a line, character, byte or text, and the document,
/// fact, template or manifest text that it comes from. No document is read for this: the answer comes from the map.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  promptc blame 3                                          # the source of line 3
  promptc blame 3:10                                       # the character in column 10
  promptc blame --offset 2000                              # a byte, such as a diff names one
  promptc blame --find 'the person on call'                # wherever this text occurs
  promptc blame --channel tools 1                          # in the tool definitions
  promptc build --format json | promptc blame --artifact - 3   # in a prompt that was built before
  promptc blame --find metrics --format json               # for programs")]
#[group(id = "place", required = true, multiple = false, args = ["line", "offset", "find"])]
pub(super) struct Args {
    /// A line, or a character by its line and column; both count from 1
    #[arg(value_name = "LINE[:COL]")]
    line: Option<LineColumn>,
    /// A byte, from 0
    #[arg(long, value_name = "N")]
    offset: Option<usize>,
    /// A text: all its occurrences, at most 20
    #[arg(long, value_name = "TEXT", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    find: Option<String>,
    /// The channel
    #[arg(long, value_name = "CHANNEL", default_value = "system")]
    channel: ChannelName,
    /// The output format
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,
    /// The prompt in this artifact, `-` for standard input, instead of a build now
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["manifest", "roots", "facts", "sets", "scenario", "now"]
    )]
    artifact: Option<PathBuf>,
    #[command(flatten)]
    given: BuildArgs,
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
    let prompt = match &args.artifact {
        Some(path) => artifact::read(&DiskWorld, path, &mut context.run.diags)?,
        None => args.given.build(&mut context.run)?.prompt,
    };
    let asked = match (args.line, args.offset, &args.find) {
        (Some(place), ..) => PlaceQuery::Line(place),
        (_, Some(offset), _) => PlaceQuery::Offset(offset),
        (.., find) => PlaceQuery::Text(find.as_deref().unwrap_or_default()),
    };
    let channel = report::channel(&prompt, args.channel.deliver());
    let found = channel.and_then(|channel| Ok((channel, report::find(channel, asked)?)));
    let (channel, (places, more)) = found.map_err(|problem| context.run.diags.push(*problem))?;
    let text = match args.format {
        Format::Human => context.ui.drawn(&report::blame(channel, &places, more)),
        Format::Json => answer::page(&Report::of(channel, &places, more)),
    };
    context.ui.result(&text, &mut context.run.diags)
}
