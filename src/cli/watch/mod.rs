//! `promptc watch`.

mod scope;
mod watcher;
mod exec;
mod line;
mod reporter;

use super::Context;
use super::given::BuildArgs;
use crate::cli::format::Format;
use crate::diagnostic::span::Files;
use crate::diagnostic::{Diagnostics, ErrorReported};
use crate::project::{BuildCall, Built, Run};
use crate::text::duration::{self, DurationError};
use crate::world::{Looks, Recorder};
use clap::builder::{PathBufValueParser, TypedValueParser as _};
use reporter::Reporter;
use scope::Scope;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use watcher::{FileWatcher, WatchEvent};

pub(super) use line::Line as JsonLine;

/// How often a build is made again at most because folders came into view that were not watched while it was made.
const ROUNDS: usize = 5;

/// Rebuild at each change, and show its effect on the prefix
///
/// Waits for changes of documents, manifests, templates and facts files, including missing ones that were looked
/// up. Then it builds, and compares with the last successfully built prompt. Ends with Ctrl-C.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  promptc watch --builds 1                        # one build; without --builds, until Ctrl-C
  promptc watch --builds 1 -o prompt.txt          # keep a file current
  promptc watch --builds 1 --exec 'wc -c'         # run a command with each prompt that differs
  promptc watch --builds 1 --format json          # a line for each build, for programs
  promptc watch --builds 1 --poll 5s              # poll every 5 seconds: some drives report nothing")]
pub(super) struct Args {
    #[command(flatten)]
    given: BuildArgs,
    /// Write to a file: the system prompt, complete at any moment
    #[arg(short, long, value_name = "FILE", value_parser = PathBufValueParser::new().try_map(crate::cli::stdout::file_alone))]
    output: Option<PathBuf>,
    /// Run this with the shell after the first good build and each different one. The system prompt is its
    /// standard input, and its output goes to stderr. PROMPTC_ARTIFACT is a file with the artifact,
    /// PROMPTC_PREVIOUS one with the previous artifact
    #[arg(long, value_name = "COMMAND")]
    exec: Option<String>,
    /// The output format; `json` is one object a line
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,
    /// Build at this interval instead of waiting for changes that the system reports, such as 2s
    #[arg(long, value_name = "TIME", value_parser = interval)]
    poll: Option<Duration>,
    /// End after this number of reported builds
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    builds: Option<u64>,
    /// Draw with ASCII only, as is done where the output is no terminal
    #[arg(long)]
    ascii: bool,
    /// Show the whole text of what changed, not only what is around the changes
    #[arg(long)]
    full: bool,
}

/// A length of time as an option writes it.
fn interval(written: &str) -> Result<Duration, String> {
    match duration::seconds(written) {
        Ok(seconds) => Ok(Duration::from_secs(seconds)),
        Err(DurationError::Range) => Err("it must be from one second to 365 days".to_owned()),
        Err(DurationError::Syntax) => Err("write a duration as 2s, 1m or 1m30s".to_owned()),
    }
}

/// One build.
struct Turn {
    /// The result of the build; its diagnostics are in the context.
    built: Result<Built, ErrorReported>,
    /// The time that it took.
    took: Duration,
}

impl Args {
    /// Whether something is to be written.
    pub(super) fn writes(&self) -> bool {
        self.output.is_some()
    }
}

/// Runs the command.
pub(super) fn run(args: &Args, context: &mut Context) -> Result<(), ErrorReported> {
    let call = args.given.call();
    let build = |run: &mut Run| build(&call, run);
    let mut eyes = FileWatcher::new(args.poll);
    let mut teller = Reporter::new(args);
    let mut woken = WatchEvent::Changed;
    loop {
        let turn = see(args, &mut eyes, build, &mut context.run);
        for (folder, why) in eyes.news() {
            Reporter::blind(&folder, &why, context);
        }
        let goes_on = teller.handle(turn, woken, context);
        if !goes_on || args.builds.is_some_and(|most| teller.builds() >= most) {
            return Ok(());
        }
        woken = eyes.wait();
    }
}

/// Builds until all that the build looked at was watched while it did.
fn see(
    args: &Args,
    eyes: &mut FileWatcher,
    build: impl Fn(&mut Run) -> (Turn, Looks),
    run: &mut Run,
) -> Turn {
    for _ in 0..ROUNDS {
        eyes.forget();
        let (turn, looks) = build(run);
        if args.poll.is_some() || eyes.follow(Scope::of(&looks, args.output.as_deref())) {
            return turn;
        }
    }
    // Folders come and go faster than they can be read: another report follows soon.
    eyes.wake();
    build(run).0
}

/// One build, and what it looked at.
fn build(call: &BuildCall, run: &mut Run) -> (Turn, Looks) {
    run.diags = Diagnostics::default();
    run.files = Files::default();
    let start = now();
    let recorder = Recorder::new(call.project.world());
    let built = call.build_comparable_in(&recorder, run);
    let took = start.elapsed();
    (Turn { built, took }, recorder.looks())
}

#[expect(
    clippy::disallowed_methods,
    reason = "the duration of a build is reported, and a change needs time to settle; neither reaches a prompt"
)]
fn now() -> Instant {
    Instant::now()
}
