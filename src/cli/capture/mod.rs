//! `promptc capture`.

mod diff;
mod record;
mod report;

use super::{Context, requests};
use crate::diagnostic::{self, Diagnostic, ErrorReported, suggest};
use crate::project::capture::{self, ImportCall, LogOperand};
use crate::request::whole::import::Format;
use clap::Subcommand;
use record::RecordArgs;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Record and compare the requests of any agent
///
/// A log has whole requests of any agent: settings, tools, system prompt, messages, answers. `run` and `serve` record one,
/// `import` makes one from recordings of other programs, `diff` shows why a provider could not reuse its cache. Only `run`
/// and `serve` send anything anywhere: the requests themselves, unchanged, to their providers.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  promptc capture run -o requests.jsonl -- python3 agent.py  # what it sends becomes a log
  promptc capture import bodies.jsonl -o requests.jsonl  # a recording becomes a log
  promptc capture show requests.jsonl                    # each request, and what broke
  promptc capture diff requests.jsonl                    # why each broke, with the texts
  promptc capture export requests.jsonl --inline         # whole bodies, for other tools")]
pub(super) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    Run(RunArgs),
    Serve(ServeArgs),
    Import(ImportArgs),
    Show(ShowArgs),
    Diff(Box<diff::Args>),
    Report(Box<report::Args>),
    Export(ExportArgs),
}

/// Run a command, and record the requests that it sends
///
/// Its requests are forwarded unchanged to their providers, through a port of 127.0.0.1. The log gets the requests and
/// answers, without keys and tokens. The command gets the base-URL variables that agents and SDKs read. The exit code is
/// that of the command.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  promptc capture run -o requests.jsonl -- python3 agent.py
  promptc capture run -o requests.jsonl -- sh -c 'python3 agent.py | tee out.txt'
  promptc capture run --print-env                            # the variables that a command gets")]
struct RunArgs {
    #[command(flatten)]
    record: RecordArgs,
    /// Record the requests of this command
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

/// Convert recordings of another program to a log
///
/// Keys, tokens and cookies are replaced before anything is written; ids of sessions and users become keyed hashes. The log can be read by
/// its owner alone.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  promptc capture import bodies.jsonl -o requests.jsonl  # a body a line
  promptc capture import bodies/ -o requests.jsonl       # a folder with a body in each file
  promptc capture import page.har -o requests.jsonl      # of a browser or of mitmproxy
  promptc capture import tap.jsonl --as claude-tap -o requests.jsonl
  promptc capture import .claude/projects -o requests.jsonl  # transcripts of Claude Code
  promptc capture import bodies.jsonl --redact-text -o requests.jsonl  # texts as hashes
  promptc capture import bodies.jsonl --hash-key capture.key -o requests.jsonl")]
struct ImportArgs {
    /// Recorded files and folders; `-` is standard input
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// Write to a file, atomically, instead of stdout (`-`)
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[arg(long = "as", value_name = "FORMAT", help = format_help())]
    format: Option<String>,
    /// Take the key of hashes from a file, which is created if it is missing [default: a new key]
    #[arg(long, value_name = "FILE")]
    hash_key: Option<PathBuf>,
    /// Replace each line of text by its keyed hash and its length
    #[arg(long)]
    redact_text: bool,
}

/// Record the requests of programs that you start elsewhere
///
/// Prints the variables that lead to the recorder, one a line, for a shell, and serves until it is stopped
/// (Ctrl-C). It listens only on 127.0.0.1; `http://127.0.0.1:PORT/NAME/PATH` is forwarded to PATH of the upstream
/// NAME.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  promptc capture serve -o requests.jsonl --port 8081
  promptc capture serve -o requests.jsonl --upstream local=http://127.0.0.1:4000")]
struct ServeArgs {
    #[command(flatten)]
    record: RecordArgs,
}

/// Write the requests of a log as whole bodies, one a line
///
/// Each is in the format of its API, with the parts that the provider had from earlier requests. `promptc capture
/// import` of the lines makes the log again; ids are hashed once more. A request with unknown parts is written
/// without them, with the reason in `incomplete`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  promptc capture export requests.jsonl --inline -o bodies.jsonl
  promptc capture export requests.jsonl --inline | wc -c  # the size of all requests")]
struct ExportArgs {
    /// A log of `promptc capture import`; `-` is standard input
    #[arg(value_name = "LOG")]
    log: PathBuf,
    /// Write whole bodies; there is no other format
    #[arg(long, required = true)]
    inline: bool,
    /// Write to a file, atomically, instead of stdout (`-`)
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// List the requests of a log, each with what broke since the one before it
///
/// A chain is a series of requests that extend each other: the main loop of a conversation, a sub-agent, a side
/// call. `gap` is the time since the request before in its chain, `reused` the part of it that a provider could
/// reuse, `cause` the first reason why not all. `promptc capture diff LOG#N` shows all reasons of one request.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  promptc capture show requests.jsonl
  promptc capture show requests.jsonl --conversation c-819a119d6dcd")]
struct ShowArgs {
    /// A log of `promptc capture import`
    #[arg(value_name = "LOG")]
    log: PathBuf,
    /// Only this conversation
    #[arg(long, value_name = "ID")]
    conversation: Option<String>,
}

/// Runs the command.
pub(super) fn run(args: &Args, context: &mut Context) -> Result<(), ErrorReported> {
    match &args.what {
        What::Run(args) => {
            if args.command.is_empty() && !args.record.is_question() {
                let found =
                    Diagnostic::error(diagnostic::USAGE, "the command to record is missing");
                let help = "write it after `--`; `promptc capture serve` records programs that you start elsewhere";
                return Err(context.run.diags.push(found.help(help)));
            }
            record::run(&args.record, &args.command, context)
        }
        What::Serve(args) => record::run(&args.record, &[], context),
        What::Import(args) => import(args, context),
        What::Show(args) => {
            let of = LogOperand {
                path: args.log.clone(),
                number: None,
            };
            requests::show(&of, args.conversation.as_deref(), context)
        }
        What::Diff(args) => diff::run(args, context),
        What::Report(args) => report::run(args, context),
        What::Export(args) => export(args, context),
    }
}

impl Args {
    /// Whether it writes a file.
    pub(super) fn writes(&self) -> bool {
        !matches!(self.what, What::Show(_) | What::Diff(_))
    }
}

fn import(args: &ImportArgs, context: &mut Context) -> Result<(), ErrorReported> {
    let call = ImportCall {
        paths: &args.paths,
        format: format(args.format.as_deref(), context)?,
        key: args.hash_key.as_deref(),
        hash_lines: args.redact_text,
        output: super::stdout::named(args.output.as_ref()),
    };
    let imported = capture::import(&call, &mut context.run)?;
    let requests = requests(imported.requests);
    if context.ui.is_verbose() {
        for place in &imported.twice {
            context.ui.remark(&format!("duplicate: {place}\n"));
        }
    }
    let twice = match imported.twice.len() {
        0 => String::new(),
        more => format!("; duplicates: {more}"),
    };
    let to = in_file(call.output);
    context.ui.remark(&format!("{requests}{to}{twice}\n"));
    Ok(())
}

fn export(args: &ExportArgs, context: &mut Context) -> Result<(), ErrorReported> {
    let output = super::stdout::named(args.output.as_ref());
    let written = capture::export(&args.log, output, &mut context.run)?;
    let said = format!("{}{}\n", requests(written), in_file(output));
    context.ui.remark(&said);
    Ok(())
}

fn requests(count: usize) -> String {
    match count {
        1 => "1 request".to_owned(),
        more => format!("{more} requests"),
    }
}

fn in_file(output: Option<&Path>) -> String {
    output.map_or(String::new(), |path| format!(" in {}", path.display()))
}

/// The help of `--as`.
fn format_help() -> String {
    let names = suggest::choice(Format::ALL.iter().map(|(name, _)| *name));
    format!(
        "The recording program: {} [default: detected]",
        names.replace('`', "")
    )
}

pub(super) fn format(
    name: Option<&str>,
    context: &mut Context,
) -> Result<Option<Format>, ErrorReported> {
    let Some(name) = name else { return Ok(None) };
    let found = Format::ALL.iter().find(|(known, _)| *known == name);
    if let Some((_, format)) = found {
        return Ok(Some(*format));
    }
    let names = || Format::ALL.iter().map(|(name, _)| *name);
    let found = Diagnostic::error(
        diagnostic::USAGE,
        format!("`{name}` is not a format of recordings"),
    );
    let help = match suggest::nearest(name, names()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("the formats are {}", suggest::list(names())),
    };
    Err(context.run.diags.push(found.help(help)))
}
