//! What clap refuses, told like every other error.

use super::ui::{Look, Ui};
use super::{Context, finish, version};
use crate::diagnostic::{self, Diagnostic, Diagnostics, Reported};
use crate::span::Files;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::process::ExitCode;

/// Prints help and version, which clap calls errors too, and tells what is wrong with the arguments.
pub(super) fn answer(error: &clap::Error) -> ExitCode {
    let look = Look::as_asked(std::env::args_os().skip(1));
    let ui = Ui::new(&look);
    let lists_commands = error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    let long =
        error.kind() == ErrorKind::DisplayVersion && version::is_long(std::env::args_os().skip(1));
    if !long && (!error.use_stderr() || (lists_commands && !ui.is_json())) {
        // Help and version go to stdout; a reader that closed it is no error.
        let _ = error.print();
        return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
    }
    let mut context = Context {
        ui,
        files: Files::default(),
        read: std::collections::BTreeSet::new(),
        diags: Diagnostics::default(),
        verdict: true,
        writes: false,
        wrote: false,
        done: None,
        told: None,
    };
    if long {
        let result = version::run(&mut context);
        return finish(&mut context, result);
    }
    let reported: Reported = context.diags.push(if lists_commands {
        Diagnostic::error(diagnostic::USAGE, "a command is missing")
            .help("`--help` lists the commands")
    } else {
        diagnostic_of(error)
    });
    finish(&mut context, Err(reported))
}

/// clap writes paragraphs: what is wrong, tips, the usage, and where more is told.
fn diagnostic_of(error: &clap::Error) -> Diagnostic {
    let mut text = error.render().to_string();
    // A fact without its --set in front: what stands behind the `=` may be private.
    if let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidArg)
        && let Some((name, value)) = given.split_once('=').filter(|_| !given.starts_with('-'))
    {
        text = text.replace(&format!("{name}={value}"), &format!("{name}=…"));
    }
    let stray = stray_behind_set(error);
    if let Some(given) = &stray {
        text = text.replace(&format!("'{given}'"), "'…'");
    }
    let mut paragraphs = text.split("\n\n").map(in_one_line);
    let first = paragraphs.next().unwrap_or_default();
    let message = first.strip_prefix("error: ").unwrap_or(&first);
    let found = Diagnostic::error(diagnostic::USAGE, message);
    let set = stray.map(|_| "--set takes NAME=VALUE as one word".to_owned());
    let rest: Vec<String> = set
        .into_iter()
        .chain(paragraphs)
        .filter(|p| !p.is_empty() && !p.starts_with("For more information"))
        .map(|p| p.replace("Usage: ", "usage: ").replace("tip: ", ""))
        .collect();
    match rest.is_empty() {
        true => found.help("`--help` says more"),
        false => found.help(rest.join("; ")),
    }
}

/// A word that nothing takes, if a `--set` stands in front: it may be the value of a private fact.
fn stray_behind_set(error: &clap::Error) -> Option<String> {
    let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let mut before = std::env::args_os().take_while(|arg| arg.to_str() != Some(given));
    let is_set = |arg: std::ffi::OsString| arg.to_string_lossy().starts_with("--set");
    let is_word = error.kind() == ErrorKind::UnknownArgument && !given.starts_with('-');
    (is_word && before.any(is_set)).then(|| given.clone())
}

fn in_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
