//! The command line: one file or folder for each command, with its arguments and its `run`; `ui` draws.

mod stdout;
pub mod ui;
mod format;
mod given;
mod store;
mod model;
mod version;
mod misuse;
mod unused;
mod capture;
mod diff;
mod usage;
mod session;
mod batch;
mod build;
mod explain;
mod check;
mod scan;
mod directory_rules;
mod skills;
mod memory;
mod blame;
mod test;
mod init;
mod fmt;
mod completions;
mod man;
mod report;
mod watch;
mod emit;
mod providers;
mod schema;

use crate::diagnostic::{Diagnostic, ErrorReported, ExitClass, OUTPUT_NOT_WRITTEN, Severity};
use crate::project::Run;
use crate::world::write::Walls;
use clap::{Args as _, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use std::ffi::OsStr;
use std::mem;
use std::process::ExitCode;
use ui::Ui;

/// Compiles a layer manifest into a system prompt: the same inputs give the same bytes, and a map says where each byte
/// came from.
#[derive(Debug, Parser)]
#[command(
    name = "promptc",
    version,
    max_term_width = 100,
    after_help = EXAMPLES
)]
struct Top {
    #[command(flatten)]
    look: ui::RenderOptions,
}

const EXAMPLES: &str = "\
Examples:
  promptc init                         # write a manifest to start from
  promptc build                        # print the prompt
  promptc build -o prompt.txt --stats  # write it to a file, show what it is made of
  promptc explain                      # show every layer, and why absent ones are absent
  promptc blame 1                      # show where line 1 comes from
  promptc check                        # find what will break the cached prefix
  promptc test --accept                # accept what every scenario builds
  promptc test                         # compare with the snapshots
  promptc explain --code missing-fact  # show what an error means
  promptc --version --verbose          # show what this program is made of

Exit codes:
  0  done
  1  a requested check failed
  2  the manifest, facts, arguments or sources must be changed
  3  reading or writing failed";

/// The commands, in the order of the help. Each is a module of the command's name with `Args` and `run`, a line here, and
/// its arm in `Command::writes`.
macro_rules! commands {
    ($($name:ident($file:ident),)+) => {
        #[derive(Debug, Subcommand)]
        enum Command {
            $($name(Box<$file::Args>),)+
        }

        impl Command {
            /// The command of that name, as it is in [`tree`].
            fn only(name: &str) -> Option<clap::Command> {
                $(if name == stringify!($file) {
                    return Some($file::Args::augment_args(clap::Command::new(stringify!($file))));
                })+
                None
            }

            fn run(&self, context: &mut Context) -> Result<(), ErrorReported> {
                match self {
                    $(Self::$name(args) => $file::run(args, context),)+
                }
            }
        }
    };
}

commands! {
    Build(build),
    Explain(explain),
    Check(check),
    Scan(scan),
    DirectoryRules(directory_rules),
    Skills(skills),
    Memory(memory),
    Blame(blame),
    Test(test),
    Diff(diff),
    Report(report),
    Watch(watch),
    Emit(emit),
    Providers(providers),
    Session(session),
    Capture(capture),
    Usage(usage),
    Init(init),
    Fmt(fmt),
    Schema(schema),
    Completions(completions),
    Man(man),
}

impl Command {
    /// Whether the command has an effect that an error prevents: a prompt, a file, a change of a store.
    fn writes(&self) -> bool {
        match self {
            Self::Build(_)
            | Self::DirectoryRules(_)
            | Self::Report(_)
            | Self::Emit(_)
            | Self::Man(_) => true,
            Self::Check(args) => args.writes(),
            Self::Capture(args) => args.writes(),
            Self::Memory(args) => args.writes(),
            Self::Test(args) => args.writes(),
            Self::Watch(args) => args.writes(),
            Self::Providers(args) => args.writes(),
            Self::Session(args) => args.writes(),
            Self::Init(args) => args.writes(),
            Self::Fmt(args) => args.writes(),
            Self::Explain(_)
            | Self::Scan(_)
            | Self::Skills(_)
            | Self::Blame(_)
            | Self::Diff(_)
            | Self::Usage(_)
            | Self::Schema(_)
            | Self::Completions(_) => false,
        }
    }
}

/// All that can be asked for.
fn tree() -> clap::Command {
    let top = Command::augment_subcommands(Top::command());
    top.subcommand_required(true).arg_required_else_help(true)
}

/// Parses the arguments of the process, and finds those without effect. After the name of a command only that command is built, and for the version
/// none: building them all would take longer than most of their work.
fn parse() -> Result<(Top, Command, Vec<Diagnostic>), clap::Error> {
    let first = std::env::args_os().nth(1);
    let mut tree = match first.as_deref().and_then(OsStr::to_str) {
        Some("--version" | "-V") => Top::command(),
        Some(name) => match Command::only(name) {
            Some(only) => Top::command().subcommand(only),
            None => tree(),
        },
        None => tree(),
    };
    let matches = tree.try_get_matches_from_mut(std::env::args_os())?;
    let top = Top::from_arg_matches(&matches)?;
    let command = Command::from_arg_matches(&matches)?;
    Ok((top, command, unused::find(&tree, &matches)))
}

/// The shared state of a command.
pub(crate) struct Context {
    /// Draws.
    pub(crate) ui: Ui,
    /// The state that the library collects.
    pub(crate) run: Run,
    /// Whether a check that was asked for says yes.
    pub(crate) verdict: bool,
    /// Whether something is to be written, so that errors say whether it was.
    pub(crate) writes: bool,
    /// The change that was made before the answer is written, in words: it persists even if the answer is lost.
    pub(crate) done: Option<String>,
    /// The exit class of errors that were already shown.
    pub(crate) reported: Option<ExitClass>,
    /// The code of a command that was run, which is that of this program if it has no error itself.
    pub(crate) exit: Option<u8>,
}

/// Runs the program with the arguments of the process.
#[must_use]
pub fn main() -> ExitCode {
    #[cfg(unix)]
    outlive_file_limit();
    let (top, command, unused) = match parse() {
        Ok(asked) => asked,
        Err(error) => return misuse::answer(&error),
    };
    let mut context = Context {
        ui: Ui::new(&top.look),
        run: Run {
            walls: Walls::here(),
            ..Run::default()
        },
        verdict: true,
        writes: command.writes(),
        done: None,
        reported: None,
        exit: None,
    };
    let is_wrong = |found: &Diagnostic| found.severity == Severity::Error;
    let (wrong, idle): (Vec<_>, Vec<_>) = unused.into_iter().partition(is_wrong);
    for found in wrong {
        context.run.diags.push(found);
    }
    let result = context.run.diags.check();
    let result = result.and_then(|()| command.run(&mut context));
    // After an error, what does no harm is noise.
    let failed =
        result.is_err() || context.reported.is_some() || context.run.diags.exit_class().is_some();
    if !failed {
        for found in idle {
            context.run.diags.push(found);
        }
    }
    finish(&mut context, result)
}

/// Makes a write beyond the file size limit (`ulimit -f`) an error of the write, and not the end of the program.
/// Programs that are started here have the default behaviour.
#[cfg(unix)]
fn outlive_file_limit() {
    let noted = std::sync::Arc::default();
    // Where that cannot be had, the system ends the program as it did before.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, noted);
}

/// Shows the diagnostics; returns the exit code.
pub(crate) fn finish(context: &mut Context, result: Result<(), ErrorReported>) -> ExitCode {
    if let Some(done) = context.done.take() {
        context.run.wrote = true;
        let lost = |d: &Diagnostic| d.code == OUTPUT_NOT_WRITTEN;
        let diags = mem::take(&mut context.run.diags);
        context.run.diags = diags.map(|diagnostic| match lost(&diagnostic) {
            true => diagnostic.help(format!("{done}; only the answer is lost")),
            false => diagnostic,
        });
    }
    let Run { files, diags, .. } = &context.run;
    (context.ui).diagnostics(diags, files, context.writes && !context.run.wrote);
    match (result, context.run.diags.exit_class().max(context.reported)) {
        (Ok(()), None) if context.verdict => ExitCode::from(context.exit.unwrap_or(0)),
        (Ok(()), None) => ExitCode::from(1),
        (_, Some(ExitClass::World)) => ExitCode::from(3),
        (_, Some(ExitClass::Input | ExitClass::Success)) | (Err(_), None) => ExitCode::from(2),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_by_itself_is_that_of_the_tree() {
        for mut whole in tree().get_subcommands().cloned() {
            let only = Command::only(whole.get_name()).map(|mut only| only.render_long_help());
            let only = only.map(|help| help.to_string());
            assert_eq!(only, Some(whole.render_long_help().to_string()));
        }
    }
}
