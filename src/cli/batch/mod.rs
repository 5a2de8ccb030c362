//! `promptc build --batch` and `--each-without`.

mod reporter;

use super::Context;
use crate::diagnostic::span::Files;
use crate::diagnostic::{self, Diagnostic, Diagnostics, ErrorReported};
use crate::project::batch::{BatchCall, LineBatch, Outcome};
use crate::project::input;
use crate::project::output::{self, Output};
use crate::project::{BuildCall, Run};
use crate::prompt::Prompt;
use crate::report::diagnostic_json as json;
use reporter::{Items, Reporter};
use schemars::JsonSchema;
use serde::Serialize;
use std::io::{self, ErrorKind};
use std::path::Path;

/// The arguments of a batch.
pub(super) struct BatchArgs<'a> {
    /// The manifest, and what is given to every line.
    pub(super) build: &'a BuildCall,
    /// The lines, `-` for standard input; the variants of the prompt are built if there are none.
    pub(super) lines: Option<&'a Path>,
    /// The file to write; standard output if there is none.
    pub(super) output: Option<&'a Path>,
    /// Whether to stop at the first bad line.
    pub(super) fail_fast: bool,
    /// How many threads build; one for each core if it is not said.
    pub(super) jobs: Option<usize>,
}

/// A line that `build --batch` and `build --each-without` write.
#[derive(Debug, JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "the schema alone needs both in one")]
pub(super) enum BatchLine<'a> {
    /// The artifact.
    Prompt(Box<Prompt>),
    /// The line or variant could not be built.
    Refused(Refused<'a>),
}

/// The output line of an artifact that could not be built.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Refused<'a> {
    /// The layers that the variant leaves out, if it is one.
    #[serde(default, skip_serializing_if = "<[String]>::is_empty")]
    without: &'a [String],
    /// Why, as `--message-format json` says it.
    errors: Vec<json::Line<'a>>,
}

impl<'a> Refused<'a> {
    fn new(without: &'a [String], diags: &'a Diagnostics, files: &'a Files) -> Self {
        Self {
            without,
            errors: diags.iter().map(|d| json::of(d, files)).collect(),
        }
    }
}

/// The point at which the writing ended.
#[derive(PartialEq)]
enum End {
    /// After the last line.
    All,
    /// At a bad line.
    Stopped,
    /// The reader closed the pipe.
    Closed,
}

/// Runs the command.
pub(super) fn run(args: &BatchArgs<'_>, context: &mut Context) -> Result<(), ErrorReported> {
    let (mut batch, items) = open(args, &mut context.run)?;
    let output = args.output.map_or(Ok(Output::stdout()), |path| {
        Output::open(path, &context.run.walls)
    });
    let mut output = output.map_err(|e| not_written(args, &e, &mut context.run.diags))?;
    let Context { ui, run, .. } = context;
    let Run { files, diags, .. } = run;
    let to_terminal = args.output.is_none() && ui.stdout_is_terminal();
    let mut reporter = Reporter::new(ui, files, items, to_terminal);
    let end = write(args, &mut batch, &mut output, &mut reporter, diags).and_then(|end| {
        if let Some(path) = args.output.filter(|_| batch.has_read_output()) {
            return Err(diags.push(output::is_input(path)));
        }
        if end == End::All {
            let finished = output.finish();
            finished.or_else(|e| not_written_unless_closed(args, &e, diags))?;
        }
        Ok(end)
    });
    let wrote = args.output.is_none() || end.as_ref().is_ok_and(|end| *end != End::Stopped);
    context.reported = reporter.end(end.as_ref().is_ok_and(|end| *end == End::Stopped), wrote);
    context.run.wrote = wrote;
    end.map(|_| ())
}

/// Begins to build, and says what is built.
fn open(args: &BatchArgs<'_>, run: &mut Run) -> Result<(LineBatch, Items), ErrorReported> {
    let Some(lines) = args.lines else {
        let (batch, left_out) = LineBatch::of_variants(args.build, args.output, run)?;
        return Ok((batch, Items::Variants(left_out)));
    };
    let call = BatchCall {
        build: args.build,
        lines,
        output: args.output,
        jobs: args.jobs,
    };
    let batch = LineBatch::open(&call, run)?;
    let input = batch.shown(lines);
    Ok((batch, Items::Lines(input)))
}

/// Writes a line for each line or variant, in order.
fn write(
    args: &BatchArgs<'_>,
    batch: &mut LineBatch,
    output: &mut Output,
    reporter: &mut Reporter<'_>,
    diags: &mut Diagnostics,
) -> Result<End, ErrorReported> {
    loop {
        // A caller that waits for each answer before the next line gets it.
        let mut flushed = Ok(());
        let outcome = batch.next(|| flushed = output.flush());
        let line = match outcome {
            None => return Ok(End::All),
            Some(Outcome::Failed(error)) => return Err(diags.push(not_read(args, &error))),
            Some(Outcome::Built(artifact, notices, warnings)) => {
                reporter.built(&notices, &warnings);
                artifact
            }
            Some(Outcome::Refused(found)) => {
                reporter.bad(&found);
                if args.fail_fast {
                    let last = flushed.and_then(|()| output.flush());
                    last.or_else(|e| not_written_unless_closed(args, &e, diags))?;
                    return Ok(End::Stopped);
                }
                reporter.refused(&found)
            }
        };
        match flushed.and_then(|()| output.write(&line)) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(End::Closed),
            Err(error) => return Err(not_written(args, &error, diags)),
            Ok(()) => {}
        }
    }
}

fn not_written(args: &BatchArgs<'_>, error: &io::Error, diags: &mut Diagnostics) -> ErrorReported {
    diags.push(output::not_written(args.output, error))
}

/// A reader that went away is no error.
fn not_written_unless_closed(
    args: &BatchArgs<'_>,
    error: &io::Error,
    diags: &mut Diagnostics,
) -> Result<(), ErrorReported> {
    match error.kind() {
        ErrorKind::BrokenPipe => Ok(()),
        _ => Err(not_written(args, error, diags)),
    }
}

fn not_read(args: &BatchArgs<'_>, error: &io::Error) -> Diagnostic {
    let (why, help) = match error.kind() {
        ErrorKind::FileTooLarge => (
            "a line is longer than 1 GiB".to_owned(),
            "give a file with a JSON object on each line, of at most 4 MiB",
        ),
        _ => input::failed(error),
    };
    let name = args.lines.unwrap_or(Path::new("-")).display();
    let message = format!("`{name}` cannot be read any further: {why}");
    Diagnostic::error(diagnostic::UNREADABLE_PROGRAM, message).help(help)
}
