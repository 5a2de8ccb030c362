//! Options that have no effect in a call: most others of the call decide that, so it is known before anything is read.

use crate::diagnostic::{Diagnostic, Severity, UNUSED_OPTION, USAGE};
use crate::project::capture::is_body;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};
use std::path::Path;

/// Options of commands, and the calls in which they have no effect.
struct Row {
    /// The commands, by their words.
    commands: &'static [&'static str],
    /// The options as they are written; a positional argument by the name of its value.
    options: &'static [&'static str],
    when: fn(&Call<'_>) -> bool,
    why: &'static str,
    help: &'static str,
    /// An error if the caller must have meant something else, else a warning.
    severity: Severity,
}

/// The inputs of a build.
const INPUTS: &[&str] = &[
    "--root",
    "--facts",
    "--set",
    "--scenario",
    "--now",
    "--hermetic",
    "--tokenizer",
];

const LEAVE_OUT: &str = "leave it out";

const COMPARES_BODIES: &str = "two bodies of requests are compared as they were sent";

/// Defaults that wrappers give to every call, such as `--now`, `--hermetic` and `--color`, are not reported where another call of the same
/// command would use them.
const ROWS: &[Row] = &[
    Row {
        commands: &["explain"],
        options: &["--manifest", "--providers"],
        when: |call| call.gives("--code"),
        why: "--code explains a diagnostic, and reads no manifest",
        help: LEAVE_OUT,
        severity: Severity::Error,
    },
    Row {
        commands: &["explain"],
        options: INPUTS,
        when: |call| call.gives("--code") || call.gives("--merged"),
        why: "--code and --merged build nothing",
        help: LEAVE_OUT,
        severity: Severity::Error,
    },
    Row {
        commands: &["explain", "blame", "emit", "report"],
        options: &["--hermetic"],
        when: |call| call.gives("--artifact"),
        why: "the prompt of --artifact was built before",
        help: "give it where the prompt is built",
        severity: Severity::Error,
    },
    Row {
        commands: &["build"],
        options: &["--no-inputs"],
        when: |call| call.value("--format") != Some("json") || call.gives("--session"),
        why: "only an artifact of a build without --session has inputs",
        help: "--format json writes an artifact",
        severity: Severity::Warning,
    },
    Row {
        commands: &["build"],
        options: &["--tokenizer"],
        when: |call| {
            let counts = ["--stats", "--session", "--batch", "--each-without"];
            call.value("--format") != Some("json") && !counts.iter().any(|name| call.gives(name))
        },
        why: "a text has no counts",
        help: "--stats and --format json count tokens",
        severity: Severity::Warning,
    },
    Row {
        commands: &[
            "blame",
            "agent skills list",
            "agent skills show",
            "agent memory list",
            "agent memory schema",
        ],
        options: &["--tokenizer"],
        when: |_| true,
        why: "no tokens are counted",
        help: LEAVE_OUT,
        severity: Severity::Warning,
    },
    Row {
        commands: &[
            "agent memory add",
            "agent memory replace",
            "agent memory remove",
            "agent memory apply",
        ],
        options: &["--tokenizer"],
        when: |_| true,
        why: "no tokens are counted",
        help: LEAVE_OUT,
        severity: Severity::Warning,
    },
    Row {
        commands: &["check"],
        options: &["--root", "--scenario"],
        when: |call| {
            !["--sources", "--usage", "--list-rules"]
                .iter()
                .any(|name| call.gives(name))
        },
        why: "nothing is built, so no source is read",
        help: "--sources builds the scenarios, or the given inputs",
        severity: Severity::Warning,
    },
    Row {
        commands: &["check"],
        options: &["--manifest", "--model", "--providers"],
        when: |call| call.gives("--list-rules"),
        why: "--list-rules lists the rules, and checks nothing",
        help: LEAVE_OUT,
        severity: Severity::Error,
    },
    Row {
        commands: &["check"],
        options: INPUTS,
        when: |call| call.gives("--list-rules"),
        why: "--list-rules lists the rules, and checks nothing",
        help: LEAVE_OUT,
        severity: Severity::Error,
    },
    Row {
        commands: &["diff", "capture diff", "session history", "watch"],
        options: &["--ascii"],
        when: |call| !call.is_drawn(),
        why: "only the format `human` is drawn",
        help: LEAVE_OUT,
        severity: Severity::Error,
    },
    Row {
        commands: &["diff", "capture diff", "watch"],
        options: &["--full"],
        when: |call| !matches!(call.value("--format"), None | Some("human" | "markdown")),
        why: "the format decides which texts are shown",
        help: LEAVE_OUT,
        severity: Severity::Error,
    },
    Row {
        commands: &["diff"],
        options: INPUTS,
        when: |call| call.compares_bodies(),
        why: COMPARES_BODIES,
        help: LEAVE_OUT,
        severity: Severity::Error,
    },
    Row {
        commands: &["diff"],
        options: &[
            "--manifest",
            "--store",
            "--recorded",
            "--model",
            "--providers",
            "--requests-per-day",
            "--no-messages",
            "--max-builds",
        ],
        when: |call| call.compares_bodies(),
        why: COMPARES_BODIES,
        help: LEAVE_OUT,
        severity: Severity::Error,
    },
    Row {
        commands: &["session history"],
        options: &["--top"],
        when: |call| call.value("--format") == Some("json"),
        why: "the format `json` has all layers",
        help: LEAVE_OUT,
        severity: Severity::Error,
    },
    Row {
        commands: &["capture diff"],
        options: &["--model", "--providers"],
        when: |call| call.gives("--content-only"),
        why: "--content-only compares what was said, which has no price",
        help: LEAVE_OUT,
        severity: Severity::Error,
    },
    Row {
        commands: &["usage"],
        options: &[
            "--as",
            "--model",
            "--files",
            "--prompt",
            "--providers",
            "--store",
            "--wait",
            "--recorded",
            "--manifest",
        ],
        when: |call| call.gives("--add"),
        why: "--add adds reports, and counts no requests",
        help: "give it where the reports are made",
        severity: Severity::Error,
    },
    Row {
        commands: &["usage"],
        options: INPUTS,
        when: |call| call.gives("--add"),
        why: "--add adds reports, and counts no requests",
        help: "give it where the reports are made",
        severity: Severity::Error,
    },
    Row {
        commands: &["usage", "capture diff", "capture report"],
        options: &["--store", "--wait"],
        when: |call| {
            let names = call
                .value("--prompt")
                .is_some_and(|prompt| prompt.starts_with("session:"));
            !names && !call.gives("--add")
        },
        why: "no session is read",
        help: "--prompt session:ID names the layers of one",
        severity: Severity::Error,
    },
    Row {
        commands: &["capture report"],
        options: &["--providers"],
        when: |call| call.gives("--conversation"),
        why: "bills are summed over a whole log, and --conversation shows none",
        help: "leave out --conversation, or see `promptc usage LOG --by conversation`",
        severity: Severity::Error,
    },
    Row {
        commands: &["init"],
        options: &["DIR", "--preset"],
        when: |call| call.gives("--list-presets"),
        why: "--list-presets lists the presets, and writes nothing",
        help: LEAVE_OUT,
        severity: Severity::Error,
    },
    Row {
        commands: &["session show"],
        options: &["--channel"],
        when: |call| call.value("--format") != Some("text"),
        why: "only the format `text` is one channel",
        help: "--format text writes exactly the text",
        severity: Severity::Error,
    },
    Row {
        commands: &["emit"],
        options: &["--last"],
        when: |call| !call.gives("--messages"),
        why: "it counts messages, and there are none",
        help: "--messages FILE gives them",
        severity: Severity::Warning,
    },
];

/// The arguments of a call.
struct Call<'a> {
    command: &'a Command,
    matches: &'a ArgMatches,
}

impl<'a> Call<'a> {
    /// The argument that is written so.
    fn argument(&self, written: &str) -> Option<&'a Arg> {
        let mut all = self.command.get_arguments();
        all.find(|arg| match written.strip_prefix("--") {
            Some(long) => arg.get_long() == Some(long),
            None => {
                let names = arg.get_value_names().unwrap_or_default();
                arg.is_positional() && names.iter().any(|name| name.as_str() == written)
            }
        })
    }

    /// Whether the caller gives it; a default is not given.
    fn gives(&self, written: &str) -> bool {
        let id = self.argument(written).map(|arg| arg.get_id().as_str());
        id.is_some_and(|id| self.matches.value_source(id) == Some(ValueSource::CommandLine))
    }

    /// The value that the caller gives, if it is text.
    fn value(&self, written: &str) -> Option<&'a str> {
        let id = self.argument(written).filter(|_| self.gives(written))?;
        self.matches
            .get_raw(id.get_id().as_str())?
            .next_back()?
            .to_str()
    }

    /// Whether both operands are bodies of requests.
    fn compares_bodies(&self) -> bool {
        let is_body = |path: &str| is_body(Path::new(path));
        ["A", "B"]
            .into_iter()
            .all(|operand| self.value(operand).is_some_and(is_body))
    }

    /// Whether the answer is drawn for people.
    fn is_drawn(&self) -> bool {
        matches!(self.value("--format"), None | Some("human"))
    }
}

/// What has no effect in a call of the program `top`.
pub(super) fn find(top: &Command, matches: &ArgMatches) -> Vec<Diagnostic> {
    let mut call = Call {
        command: top,
        matches,
    };
    let mut words = Vec::new();
    while let Some((name, matches)) = call.matches.subcommand()
        && let Some(command) = call.command.find_subcommand(name)
    {
        words.push(name);
        call = Call { command, matches };
    }
    let words = words.join(" ");
    let rows = ROWS
        .iter()
        .filter(|row| row.commands.contains(&words.as_str()));
    rows.filter_map(|row| row.found(&call)).collect()
}

impl Row {
    /// The finding about the options of the row that the call gives.
    fn found(&self, call: &Call<'_>) -> Option<Diagnostic> {
        let given = self.options.iter().copied();
        let given: Vec<&str> = given.filter(|option| call.gives(option)).collect();
        let verb = match given.as_slice() {
            [] => return None,
            [_] => "has",
            _ => "have",
        };
        if !(self.when)(call) {
            return None;
        }
        let message = format!("{} {verb} no effect: {}", given.join(" and "), self.why);
        let found = match self.severity {
            Severity::Error => Diagnostic::error(USAGE, message),
            Severity::Warning | Severity::Note => Diagnostic::warning(UNUSED_OPTION, message),
        };
        Some(found.help(self.help))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row of an unknown command or option would never be found.
    #[test]
    fn each_row_names_options_of_its_commands() {
        let mut top = crate::cli::tree();
        top.build();
        for row in ROWS {
            for words in row.commands {
                let mut command = &top;
                for word in words.split(' ') {
                    command = command.find_subcommand(word).expect(words);
                }
                let matches = ArgMatches::default();
                let call = Call {
                    command,
                    matches: &matches,
                };
                for option in row.options {
                    assert!(call.argument(option).is_some(), "{words} {option}");
                }
            }
        }
    }
}
