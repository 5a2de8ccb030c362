//! The command that is run with a new prompt.

use crate::diagnostic::{self, Diagnostic};
use crate::prompt::{Deliver, Prompt};
use std::io::{self, ErrorKind, Write as _};
use std::process::{Command, Stdio};
use tempfile::NamedTempFile;

/// Runs `command` to its end with the prompt that was built and that of before.
pub(super) fn run(
    command: &str,
    now: &Prompt,
    before: Option<&Prompt>,
) -> Result<(), Box<Diagnostic>> {
    let failed = |what: String| {
        let message = format!("the command of --exec {what}");
        let found = Diagnostic::warning(diagnostic::EXEC_FAILED, message);
        Box::new(found.help("try it by hand; the prompt is its standard input"))
    };
    match failure(command, now, before) {
        Ok(None) => Ok(()),
        Ok(Some(what)) => Err(failed(what)),
        Err(error) => Err(failed(format!("could not be run: {error}"))),
    }
}

/// The problem with the end of the command, if there is one.
fn failure(command: &str, now: &Prompt, before: Option<&Prompt>) -> io::Result<Option<String>> {
    let current = artifact(now)?;
    let previous = before.map(artifact).transpose()?;
    let mut shell = shell(command);
    shell.env("PROMPTC_ARTIFACT", current.path());
    match &previous {
        Some(previous) => shell.env("PROMPTC_PREVIOUS", previous.path()),
        None => shell.env_remove("PROMPTC_PREVIOUS"),
    };
    // Stdout has the reports of the builds and nothing else.
    let mut child = shell.stdin(Stdio::piped()).stdout(io::stderr()).spawn()?;
    let stdin = child.stdin.take();
    let said = stdin.map(|mut stdin| stdin.write_all(now.text(Deliver::System).as_bytes()));
    let status = child.wait()?;
    match said {
        // A command need not read it.
        Some(Err(error)) if error.kind() != ErrorKind::BrokenPipe => return Err(error),
        _ => {}
    }
    Ok(match (status.success(), status.code()) {
        (true, _) => None,
        (false, Some(code)) => Some(format!("exits with {code}")),
        (false, None) => Some("was ended by a signal".to_owned()),
    })
}

/// A file with an artifact, for as long as the command runs.
fn artifact(prompt: &Prompt) -> io::Result<NamedTempFile> {
    let mut file = tempfile::Builder::new()
        .prefix(".promptc-")
        .suffix(".json")
        .tempfile()?;
    file.write_all(prompt.to_json().as_bytes())?;
    Ok(file)
}

fn shell(command: &str) -> Command {
    let (shell, option) = if cfg!(windows) {
        ("cmd", "/C")
    } else {
        ("sh", "-c")
    };
    let mut out = Command::new(shell);
    out.args([option, command]);
    out
}
