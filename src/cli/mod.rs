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
mod fail_on;
mod requests;
mod diff;
mod session;
mod report;
mod capture;
mod usage;
mod batch;
mod build;
mod explain;
mod check;
mod scan;
mod agent;
mod blame;
mod test;
mod init;
mod fmt;
mod completions;
mod man;
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

/// Names the line that broke a provider's prompt cache, and compiles system prompts that keep it
#[derive(Debug, Parser)]
#[command(
    name = "promptc",
    version,
    max_term_width = 100,
    after_help = END
)]
struct Top {
    #[command(flatten)]
    look: ui::RenderOptions,
}

/// The commands by what one wants to do, in the order of the help. `schema`, `completions` and `man` are for packagers.
const GROUPS: [(&str, &[&str]); 5] = [
    ("make", &["init", "build", "fmt", "watch"]),
    ("understand", &["explain", "blame", "diff", "report"]),
    ("keep", &["check", "test", "scan"]),
    ("run", &["session", "emit", "providers", "agent"]),
    ("requests", &["usage", "capture"]),
];

const END: &str = "\
`promptc COMMAND --help` has the options of a command, with examples.
Also: schema, completions, man; --version; --color, --quiet, --verbose and --message-format.
Exit codes: 0 done; 1 a check failed; 2 inputs must be changed; 3 reading or writing failed";

/// The help of the program: one line for each command, by group, on one screen.
fn overview(tree: &clap::Command) -> String {
    let mut out = String::from("{about}\n\n{usage-heading} {usage}\n\n");
    for (group, names) in GROUPS {
        for (at, name) in names.iter().enumerate() {
            let about = tree
                .find_subcommand(name)
                .and_then(clap::Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            let group = if at == 0 { group } else { "" };
            out.push_str(&format!("{group:<11}{name:<10} {about}\n"));
        }
    }
    out.trim_end().to_owned() + "{after-help}"
}

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
    Init(init),
    Build(build),
    Fmt(fmt),
    Watch(watch),
    Explain(explain),
    Blame(blame),
    Diff(diff),
    Report(report),
    Check(check),
    Test(test),
    Scan(scan),
    Session(session),
    Emit(emit),
    Providers(providers),
    Agent(agent),
    Usage(usage),
    Capture(capture),
    Schema(schema),
    Completions(completions),
    Man(man),
}

impl Command {
    /// Whether the command has an effect that an error prevents: a prompt, a file, a change of a store.
    fn writes(&self) -> bool {
        match self {
            Self::Build(_) | Self::Report(_) | Self::Emit(_) | Self::Man(_) => true,
            Self::Check(args) => args.writes(),
            Self::Capture(args) => args.writes(),
            Self::Agent(args) => args.writes(),
            Self::Test(args) => args.writes(),
            Self::Watch(args) => args.writes(),
            Self::Providers(args) => args.writes(),
            Self::Session(args) => args.writes(),
            Self::Init(args) => args.writes(),
            Self::Fmt(args) => args.writes(),
            Self::Explain(_)
            | Self::Scan(_)
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
    let overview = overview(&top);
    top.help_template(overview)
        .subcommand_required(true)
        .arg_required_else_help(true)
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
        context.run.diags = diags.map(|diagnostic| {
            if lost(&diagnostic) {
                diagnostic.help(format!("{done}; only the answer is lost"))
            } else {
                diagnostic
            }
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
    use std::collections::{BTreeMap, BTreeSet};

    #[test]
    fn a_command_by_itself_is_that_of_the_tree() {
        for mut whole in tree().get_subcommands().cloned() {
            let only = Command::only(whole.get_name()).map(|mut only| only.render_long_help());
            let only = only.map(|help| help.to_string());
            assert_eq!(only, Some(whole.render_long_help().to_string()));
        }
    }

    /// What an option means: its value, and its help up to the first sign that ends a statement.
    fn meaning(arg: &clap::Arg) -> String {
        let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
        let ends = [";", ":", ",", " [", ". "];
        let end = ends.iter().filter_map(|end| help.find(end)).min();
        let value = arg.get_value_names().unwrap_or_default();
        let value: Vec<&str> = value.iter().map(|name| name.as_str()).collect();
        format!(
            "<{}> {}",
            value.join(" "),
            &help[..end.unwrap_or(help.len())]
        )
    }

    /// Each option of each command, with the words of the command.
    fn options(command: &clap::Command, words: &str, out: &mut Vec<(String, String, String)>) {
        for arg in command.get_arguments().filter(|arg| !arg.is_hide_set()) {
            if let Some(name) = arg.get_long() {
                out.push((name.to_owned(), meaning(arg), words.to_owned()));
            }
        }
        for below in command.get_subcommands() {
            options(below, &format!("{words} {}", below.get_name()), out);
        }
    }

    #[test]
    fn an_option_means_the_same_in_all_commands() {
        let mut all = Vec::new();
        options(&tree(), "promptc", &mut all);
        let mut meanings: BTreeMap<String, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
        for (name, meaning, words) in all {
            let of = meanings.entry(name).or_default();
            of.entry(meaning).or_default().insert(words);
        }
        meanings.retain(|_, of| of.len() > 1);
        assert!(meanings.is_empty(), "{meanings:#?}");
    }

    #[test]
    fn each_command_is_in_one_group_of_the_help() {
        let grouped: Vec<&str> = GROUPS
            .iter()
            .flat_map(|(_, names)| *names)
            .copied()
            .collect();
        let tree = tree();
        let all: Vec<&str> = tree
            .get_subcommands()
            .map(clap::Command::get_name)
            .collect();
        assert_eq!([&*grouped, &["schema", "completions", "man"]].concat(), all);
        let help = tree.clone().render_help().to_string();
        assert!(help.lines().count() <= 25, "{help}");
        assert!(help.lines().all(|line| line.len() <= 100), "{help}");
    }
}
