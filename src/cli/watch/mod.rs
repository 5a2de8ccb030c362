//! `promptc watch`.

mod scope;
mod eyes;
mod exec;
mod line;
mod tell;

use super::Context;
use super::given::PositionArgs;
use crate::cli::format::Format;
use crate::diagnostic::span::Files;
use crate::diagnostic::{Diagnostics, ErrorReported};
use crate::project::{BuildInputs, Built, Engine, Run};
use crate::text::duration;
use crate::world::{Looks, Snapshot};
use clap::builder::{PathBufValueParser, TypedValueParser as _};
use eyes::{FileWatcher, WatchEvent};
use scope::Scope;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use tell::Reporter;

pub(super) use line::Line as JsonLine;

/// How often a build is made again at most because folders came into view that were not watched while it was made.
const ROUNDS: usize = 5;

/// Build again at each change, and show what it did to the prefix
///
/// Waits for changes of documents, manifests, templates and facts files, also of those that were looked for and not found,
/// builds, and compares with the last prompt that could be built. Ends with Ctrl-C.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  promptc watch --builds 1                        # one build; without --builds, until Ctrl-C
  promptc watch --builds 1 -o prompt.txt          # keep a file current
  promptc watch --builds 1 --exec 'wc -c'         # run a command with each prompt that differs
  promptc watch --builds 1 --format json          # a line for each build, for programs
  promptc watch --builds 1 --poll 5s              # look every 5 seconds: some drives tell nothing")]
pub(super) struct Args {
    #[command(flatten)]
    given: PositionArgs,
    /// Keep the system text in a file, whole at any moment
    #[arg(short, long, value_name = "FILE", value_parser = PathBufValueParser::new().try_map(crate::cli::stdout::file_alone))]
    output: Option<PathBuf>,
    /// Run by the shell behind the first good build and each that differs: the system text is its standard input, what it
    /// prints goes to stderr, PROMPTC_ARTIFACT is a file with the artifact, PROMPTC_PREVIOUS one with that of before
    #[arg(long, value_name = "COMMAND")]
    exec: Option<String>,
    /// How builds are told; `json` is one object a line
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,
    /// Build every so often instead of waiting for the system to tell of changes, such as 2s
    #[arg(long, value_name = "TIME", value_parser = interval)]
    poll: Option<Duration>,
    /// End after so many builds that were told
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    builds: Option<u64>,
    /// Draw with ASCII only, as is done where the output is no terminal
    #[arg(long)]
    ascii: bool,
    /// Show the whole text of changed layers, not only what is around the changes
    #[arg(long)]
    full: bool,
}

/// A length of time as an option writes it.
fn interval(written: &str) -> Result<Duration, String> {
    match duration::seconds(written) {
        Ok(seconds) => Ok(Duration::from_secs(seconds)),
        Err(_) => Err("a length of time is written like 2s, 1m or 1m30s".to_owned()),
    }
}

/// One build.
struct Turn {
    /// What came of it; what was found stands in the context.
    built: Result<Built, ErrorReported>,
    /// How long it took.
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
    let (engine, inputs) = (Engine::new(call.project), call.inputs);
    let build = |run: &mut Run| build(&engine, &inputs, run);
    let mut eyes = FileWatcher::new(args.poll);
    let mut teller = Reporter::new(args);
    let mut woken = WatchEvent::Told;
    loop {
        let turn = see(args, &mut eyes, build, &mut context.run);
        for (folder, why) in eyes.news() {
            Reporter::blind(&folder, &why, context);
        }
        let goes_on = teller.tell(turn, woken, context);
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
    // A tree in which folders come and go faster than they can be read: what is told now is soon told anew.
    eyes.wake();
    build(run).0
}

/// One build, and what it looked at.
fn build(engine: &Engine, inputs: &BuildInputs, run: &mut Run) -> (Turn, Looks) {
    run.diags = Diagnostics::default();
    run.files = Files::default();
    let start = now();
    let snapshot = Snapshot::new(engine.project().shared_world());
    let built = engine.build_in(inputs, &snapshot, run);
    let took = start.elapsed();
    (Turn { built, took }, snapshot.looks())
}

#[expect(
    clippy::disallowed_methods,
    reason = "how long a build took is told, and when a change has settled; neither reaches a prompt"
)]
fn now() -> Instant {
    Instant::now()
}
