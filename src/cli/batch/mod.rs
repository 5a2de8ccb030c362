//! `promptc build --batch`: a fact object a line in, an artifact a line out, in order.

mod lines;
mod lanes;
mod world;
mod teller;

use super::Context;
use super::given::GivenArgs;
use super::ui::json;
use crate::compile::{self, FactsFile, Given, stage};
use crate::diagnostic::span::Files;
use crate::diagnostic::{self, Diagnostic, Diagnostics, Reported};
use crate::manifest;
use crate::project::Run;
use crate::project::input;
use crate::project::output::{self, Output};
use crate::prompt::{Notice, Prompt};
use lanes::Lanes;
use lines::Line;
use schemars::JsonSchema;
use serde::Serialize;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::Arc;
use std::thread;
use teller::Teller;
use world::Still;

/// What messages call the line that is built. Its number stands beside them, so that what is written for a line depends on
/// nothing but the line.
const LINE: &str = "<line>";

/// What is asked for.
pub(super) struct Batch<'a> {
    pub(super) given: &'a GivenArgs,
    /// The lines, `-` for standard input.
    pub(super) lines: &'a Path,
    /// The file to write; standard output if there is none.
    pub(super) output: Option<&'a Path>,
    /// Whether to stop at the first bad line.
    pub(super) fail_fast: bool,
    /// How many threads build; one for each core if it is not said.
    pub(super) jobs: Option<usize>,
}

/// A line that `build --batch` writes.
#[derive(Debug, JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "the schema alone needs both in one")]
pub(super) enum BatchLine<'a> {
    /// The artifact.
    Prompt(Box<Prompt>),
    /// The line could not be built.
    Refused(Refused<'a>),
}

/// What stands in place of an artifact that could not be built.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Refused<'a> {
    /// Why, as `--message-format json` says it.
    errors: Vec<json::Line<'a>>,
}

impl<'a> Refused<'a> {
    fn new(diags: &'a Diagnostics, files: &'a Files) -> Self {
        Self {
            errors: diags.iter().map(|d| json::of(d, files)).collect(),
        }
    }
}

/// What a line came to.
enum Outcome {
    /// The artifact as one line, and what was lost.
    Built(Vec<u8>, Vec<Notice>),
    /// It is a bad line.
    Refused(Diagnostics),
    /// The lines cannot be read on.
    Failed(io::Error),
}

/// How the writing ended.
#[derive(PartialEq)]
enum End {
    /// Behind the last line.
    All,
    /// At a bad line.
    Stopped,
    /// The reader has seen enough.
    Closed,
}

/// Runs the command.
pub(super) fn run(batch: &Batch<'_>, context: &mut Context) -> Result<(), Reported> {
    if batch.lines == Path::new("-") && batch.given.takes_stdin() {
        let message = "--facts and --batch both read standard input";
        let found = Diagnostic::error(diagnostic::USAGE, message);
        return Err(context
            .run
            .diags
            .push(found.help("give one of them as a file")));
    }
    let builder = Builder::new(batch, &mut context.run)?;
    let shared = builder.shared.clone();
    let lines = lines::open(batch.lines).map_err(|error| context.run.diags.push(*error))?;
    shared.world.note(batch.lines);
    check_output(batch, &shared.world, &mut context.run.diags)?;
    let output = batch.output.map_or(Ok(Output::stdout()), |path| {
        Output::open(path, &context.run.walls)
    });
    let mut output = output.map_err(|e| not_written(batch, &e, &mut context.run.diags))?;
    let lanes = start(batch, lines, builder).map_err(|error| {
        let message = format!("no thread could be started: {}", output::reason(&error));
        let found = Diagnostic::error(diagnostic::OUTPUT_NOT_WRITTEN, message);
        context
            .run
            .diags
            .push(found.help("give promptc more memory, or end other processes"))
    })?;

    let input = match batch.lines == Path::new("-") {
        true => "<stdin>".to_owned(),
        false => manifest::shown(&shared.world, batch.lines),
    };
    let Context { ui, run, .. } = context;
    let Run { files, diags, .. } = run;
    let to_terminal = batch.output.is_none() && ui.stdout_is_terminal();
    let mut teller = Teller::new(ui, files, &input, to_terminal);
    let end = write(batch, lanes, &mut output, &mut teller, diags).and_then(|end| {
        check_output(batch, &shared.world, diags)?;
        if end == End::All {
            let finished = output.finish();
            finished.or_else(|e| not_written_unless_closed(batch, &e, diags))?;
        }
        Ok(end)
    });
    let wrote = batch.output.is_none() || end.as_ref().is_ok_and(|end| *end != End::Stopped);
    context.told = teller.end(end.as_ref().is_ok_and(|end| *end == End::Stopped), wrote);
    context.run.wrote = wrote;
    end.map(|_| ())
}

/// Writes a line for each line, in order.
fn write(
    batch: &Batch<'_>,
    mut lanes: Lanes<Outcome>,
    output: &mut Output,
    teller: &mut Teller<'_>,
    diags: &mut Diagnostics,
) -> Result<End, Reported> {
    loop {
        // Whoever waits for an answer before the next question gets it.
        let mut flushed = Ok(());
        let outcome = lanes.next(|| flushed = output.flush());
        let line = match outcome {
            None => return Ok(End::All),
            Some(Outcome::Failed(error)) => return Err(diags.push(not_read(batch, &error))),
            Some(Outcome::Built(artifact, notices)) => {
                teller.built(notices);
                artifact
            }
            Some(Outcome::Refused(found)) => {
                teller.bad(&found);
                if batch.fail_fast {
                    let last = flushed.and_then(|()| output.flush());
                    last.or_else(|e| not_written_unless_closed(batch, &e, diags))?;
                    return Ok(End::Stopped);
                }
                teller.refused(&found)
            }
        };
        let line = teller.shown(line);
        match flushed.and_then(|()| output.write(&line)) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(End::Closed),
            Err(error) => return Err(not_written(batch, &error, diags)),
            Ok(()) => {}
        }
    }
}

fn not_written(batch: &Batch<'_>, error: &io::Error, diags: &mut Diagnostics) -> Reported {
    diags.push(output::not_written(batch.output, error))
}

/// A reader that went away is no error.
fn not_written_unless_closed(
    batch: &Batch<'_>,
    error: &io::Error,
    diags: &mut Diagnostics,
) -> Result<(), Reported> {
    match error.kind() {
        ErrorKind::BrokenPipe => Ok(()),
        _ => Err(not_written(batch, error, diags)),
    }
}

fn not_read(batch: &Batch<'_>, error: &io::Error) -> Diagnostic {
    let (name, (why, help)) = (batch.lines.display(), input::failed(error));
    let message = format!("`{name}` cannot be read on: {why}");
    Diagnostic::error(diagnostic::UNREADABLE_PROGRAM, message).help(help)
}

/// Fails if the output would take the place of something that was read.
fn check_output(batch: &Batch<'_>, world: &Still, diags: &mut Diagnostics) -> Result<(), Reported> {
    match batch.output {
        Some(path) if world.has_read_output() => Err(diags.push(output::is_input(path))),
        _ => Ok(()),
    }
}

fn start(
    batch: &Batch<'_>,
    lines: impl Iterator<Item = Line> + Send + 'static,
    mut builder: Builder,
) -> io::Result<Lanes<Outcome>> {
    let cores = || thread::available_parallelism().map_or(1, usize::from);
    let jobs = batch.jobs.unwrap_or_else(cores);
    Lanes::start(jobs, lines, move |line| builder.build(line))
}

/// Builds lines.
#[derive(Clone)]
struct Builder {
    shared: Arc<Shared>,
    /// What is given to every line; the line comes on top.
    given: Given,
}

/// What is the same for all lines.
struct Shared {
    plan: stage::Plan,
    world: Still,
    /// What there is to say of the manifest.
    notice: Option<Notice>,
}

impl Builder {
    /// Reads the manifest and what is given to all lines.
    fn new(batch: &Batch<'_>, run: &mut Run) -> Result<Self, Reported> {
        let world = Still::new(batch.given.world(), batch.output);
        let given = batch.given.given(&world, &mut run.diags);
        let manifest = batch.given.open(&world, run)?;
        let Run { files, diags, .. } = &mut *run;
        let plan = compile::prepare(&manifest, &given, &world, files, diags)?;
        // Told once here, or else for each line.
        stage::check_given(&plan, &given, &world, diags)?;
        let shared = Shared {
            plan,
            world,
            notice: manifest::notice(&manifest),
        };
        Ok(Self {
            shared: Arc::new(shared),
            given,
        })
    }

    fn build(&mut self, line: Line) -> Outcome {
        let mut diags = Diagnostics::default();
        let bytes = match line {
            Line::Bytes(bytes) if !bytes.trim_ascii().is_empty() => bytes,
            Line::Failed(error) => return Outcome::Failed(error),
            unusable => {
                diags.push(not_usable(&unusable));
                return Outcome::Refused(diags);
            }
        };
        self.given.facts.push(FactsFile::new(LINE, &bytes));
        let shared = &self.shared;
        let prompt = compile::build(&shared.plan, &self.given, &shared.world, &mut diags);
        self.given.facts.pop();
        let Ok(mut prompt) = prompt else {
            return Outcome::Refused(diags);
        };
        prompt.notices.extend(shared.notice.clone());
        let line = as_line(&prompt);
        let mut notices = prompt.notices;
        if prompt.channels.is_empty() {
            notices.push(Notice {
                code: diagnostic::EMPTY_PROMPT.name.to_owned(),
                layer: None,
                message: "the prompt is empty".to_owned(),
            });
        }
        Outcome::Built(line, notices)
    }
}

/// The error of a line that is too long or blank.
fn not_usable(line: &Line) -> Diagnostic {
    match line {
        Line::TooLong => {
            let message = format!("`{LINE}` is longer than 64 MiB");
            Diagnostic::error(diagnostic::DOCUMENT_TOO_LARGE, message)
                .help("a long text belongs into a document that a layer reads")
        }
        _ => Diagnostic::error(diagnostic::FACTS_NOT_JSON, format!("`{LINE}` is blank"))
            .help("each line is one whole JSON object; that of no facts is {}"),
    }
}

/// A value as JSON on one line.
fn as_line(value: &impl Serialize) -> Vec<u8> {
    // Strings, numbers and lists always have a JSON form.
    let mut line = serde_json::to_vec(value).unwrap_or_default();
    line.push(b'\n');
    line
}
