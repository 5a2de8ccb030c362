//! Errors of clap, reported like all other errors.

use super::ui::{RenderOptions, Ui};
use super::{Context, GROUPS, finish, version};
use crate::diagnostic::{self, Diagnostic, ErrorReported};
use crate::project::Run;
use crate::project::output;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::io::{self, Write as _};
use std::process::ExitCode;

/// Prints help and version, which clap treats as errors too, and reports invalid arguments.
pub(super) fn answer(error: &clap::Error) -> ExitCode {
    let look = RenderOptions::as_asked(std::env::args_os().skip(1));
    let ui = Ui::new(&look);
    let lists_commands = error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    let long =
        error.kind() == ErrorKind::DisplayVersion && version::is_long(std::env::args_os().skip(1));
    let prints = !long && (!error.use_stderr() || (lists_commands && !ui.is_json()));
    let lost = prints.then(|| print(error));
    if let Some(None) = lost {
        return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
    }
    let mut context = Context {
        ui,
        run: Run::default(),
        verdict: true,
        writes: false,
        done: None,
        reported: None,
        exit: None,
    };
    if let Some(Some(lost)) = lost {
        let reported = context.run.diags.push(output::not_written(None, &lost));
        return finish(&mut context, Err(reported));
    }
    if long {
        let result = version::run(&mut context);
        return finish(&mut context, result);
    }
    let reported: ErrorReported = context.run.diags.push(if lists_commands {
        Diagnostic::error(diagnostic::USAGE, "a command is missing")
            .help("`--help` lists the commands")
    } else {
        diagnostic_of(error)
    });
    finish(&mut context, Err(reported))
}

/// Prints help or the version; an error if the output could not be written. A reader that closed the pipe is no
/// error.
fn print(error: &clap::Error) -> Option<io::Error> {
    let printed = error.print().and_then(|()| io::stdout().flush());
    let failed = printed.err().filter(|_| !error.use_stderr());
    failed.filter(|error| error.kind() != io::ErrorKind::BrokenPipe)
}

/// Messages of the standard library about numbers, and their replacements.
const NUMBERS: [(&str, &str); 3] = [
    (
        "invalid digit found in string",
        "a whole number is required",
    ),
    (
        "cannot parse integer from empty string",
        "a whole number is required",
    ),
    (
        "number too large to fit in target type",
        "the number is too large",
    ),
];

/// The diagnostic of a clap error. clap writes paragraphs: the problem, tips, the usage, and a pointer to the help.
pub(super) fn diagnostic_of(error: &clap::Error) -> Diagnostic {
    let mut text = error.render().to_string();
    // A fact without its --set: the text after the `=` may be private.
    let mut set = None;
    if let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidArg)
        && let Some((name, value)) = given.split_once('=').filter(|_| !given.starts_with('-'))
    {
        text = text.replace(&format!("{name}={value}"), &format!("{name}=…"));
        set = Some("a fact is given with --set NAME=VALUE".to_owned());
    }
    let stray = stray_after_set(error);
    if let Some(given) = &stray {
        text = text.replace(&format!("'{given}'"), "'…'");
    }
    for (theirs, ours) in NUMBERS {
        text = text.replace(theirs, ours);
    }
    let text = without_groups(&text);
    let mut paragraphs = text.split("\n\n").map(in_one_line);
    let first = paragraphs.next().unwrap_or_default();
    let message = first.strip_prefix("error: ").unwrap_or(&first);
    let found = Diagnostic::error(diagnostic::USAGE, message);
    if let Some(instead) = instead_of_session(error).or_else(|| instead_of_rebuild(error)) {
        return found.help(instead);
    }
    let set = match stray {
        Some(_) => Some("--set takes NAME=VALUE as one word".to_owned()),
        None => set,
    };
    let rest: Vec<String> = set
        .into_iter()
        .chain(paragraphs)
        .filter(|p| !p.is_empty() && !p.starts_with("For more information"))
        .map(|p| p.replace("Usage: ", "usage: "))
        .map(|p| without_dashes(&p))
        .filter(|p| !p.is_empty())
        .chain(meant_command(error))
        .collect();
    if rest.is_empty() {
        found.help("`--help` says more")
    } else {
        found.help(rest.join("; "))
    }
}

/// Where the command that an unknown one may mean is found: below another command, or in a group of the help.
fn meant_command(error: &clap::Error) -> Option<String> {
    let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidSubcommand) else {
        return None;
    };
    let tree = super::tree();
    let is_listed = |name: &str| GROUPS.iter().any(|(_, names)| names.contains(&name));
    let listed = tree
        .get_subcommands()
        .filter(|command| is_listed(command.get_name()));
    let below = listed.flat_map(|command| {
        let inner = command.get_subcommands();
        inner.map(|inner| (command.get_name(), inner.get_name()))
    });
    let below: Vec<_> = below.filter(|(_, inner)| inner == given).collect();
    if !below.is_empty() {
        let named = below
            .iter()
            .map(|(command, inner)| format!("`promptc {command} {inner}`"));
        return Some(format!(
            "did you mean {}?",
            named.collect::<Vec<_>>().join(" or ")
        ));
    }
    let usage = error.get(ContextKind::Usage)?.to_string();
    let is_of_program = usage
        .split_whitespace()
        .nth(2)
        .is_some_and(|word| word.starts_with(['[', '<']));
    if !is_of_program {
        return None;
    }
    let near = match error.get(ContextKind::SuggestedSubcommand)? {
        ContextValue::String(near) => near,
        ContextValue::Strings(all) => all.first()?,
        _ => return None,
    };
    let (group, names) = GROUPS
        .iter()
        .find(|(_, names)| names.contains(&near.as_str()))?;
    Some(format!(
        "`{near}` is of the group \"{group}\": {}",
        names.join(", ")
    ))
}

/// The way to a session's prompt in a command that has no `--session`. The option that is spelled alike is no help.
fn instead_of_session(error: &clap::Error) -> Option<String> {
    let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let unknown = error.kind() == ErrorKind::UnknownArgument && given == "--session";
    let usage = error.get(ContextKind::Usage).filter(|_| unknown)?;
    let usage = usage.to_string();
    let command = usage.split_whitespace().nth(2)?;
    match command {
        "blame" | "emit" | "explain" => Some(format!(
            "`promptc build --session ID --format json -o FILE` writes the prompt of a session, and `promptc {command} --artifact FILE` takes it"
        )),
        "diff" => Some("a session is an operand: `promptc diff session:ID`".to_owned()),
        _ => None,
    }
}

/// The way to the build of a revision, which needs no option.
fn instead_of_rebuild(error: &clap::Error) -> Option<String> {
    let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let is_it = error.kind() == ErrorKind::UnknownArgument && given == "--rebuild";
    is_it.then(|| {
        "git:REV is built without an option; --recorded takes its snapshots instead".to_owned()
    })
}

/// An unexpected argument after a `--set`: it may be the value of a private fact.
fn stray_after_set(error: &clap::Error) -> Option<String> {
    let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let mut before = std::env::args_os().take_while(|arg| arg.to_str() != Some(given));
    let is_set = |arg: std::ffi::OsString| arg.to_string_lossy().starts_with("--set");
    let is_word = error.kind() == ErrorKind::UnknownArgument && !given.starts_with('-');
    (is_word && before.any(is_set)).then(|| given.clone())
}

/// A paragraph of tips without the one to add `--`: the argument after it would be taken as a file or name, which
/// no one wants.
fn without_dashes(paragraph: &str) -> String {
    let tips = paragraph.split("tip: ").map(str::trim);
    let tips = tips.filter(|tip| !tip.is_empty() && !tip.contains("as a value, use"));
    tips.collect::<Vec<_>>().join("; ")
}

/// The text without the brackets around options of a group, which clap writes as `<--model <NAME>|--usage>`.
fn without_groups(text: &str) -> String {
    let Some((front, group)) = text.split_once("<--") else {
        return text.to_owned();
    };
    let mut open = 1;
    let close = group.find(|c| {
        open += i32::from(c == '<') - i32::from(c == '>');
        open == 0
    });
    let (inside, rest) = close.map_or((group, ""), |at| (&group[..at], &group[at + 1..]));
    format!("{front}--{inside}{}", without_groups(rest))
}

fn in_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
