//! `promptc capture run -- COMMAND` and `promptc capture serve`.

use crate::cli::Context;
use crate::diagnostic::{self, Diagnostic, ErrorReported};
use crate::project::capture::{self, RecordCall};
use crate::recorder::{self, For, Routes, Setting, Upstream};
use crate::world::{DiskWorld, World as _};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

/// The options of a recording.
#[derive(Debug, clap::Args)]
pub(super) struct RecordArgs {
    /// Write to a file, which is replaced; each exchange is in it as soon as it ends
    #[arg(short, long, value_name = "FILE", value_parser = file)]
    output: Option<PathBuf>,
    /// Forward the requests of a path to another URL: of a known provider (anthropic, openai, gemini,
    /// openrouter, deepseek), or of any other by a name of your choice
    #[arg(long, value_name = "NAME=URL")]
    upstream: Vec<String>,
    /// Listen on this port of 127.0.0.1 [default: a free one]
    #[arg(
        long,
        value_name = "PORT",
        default_value_t = 0,
        hide_default_value = true
    )]
    port: u16,
    /// Take the key of hashes from a file, which is created if it is missing [default: a new key]
    #[arg(long, value_name = "FILE")]
    hash_key: Option<PathBuf>,
    /// Replace each line of text by its keyed hash and its length
    #[arg(long)]
    redact_text: bool,
    /// Only list the variables that a command gets, and who reads each
    #[arg(long)]
    print_env: bool,
}

impl RecordArgs {
    /// Whether nothing is recorded.
    pub(super) fn is_question(&self) -> bool {
        self.print_env
    }
}

fn file(path: &str) -> Result<PathBuf, &'static str> {
    crate::cli::stdout::file_alone(path.into())
}

/// Records a command, or all callers if there is none.
pub(super) fn run(
    args: &RecordArgs,
    command: &[OsString],
    context: &mut Context,
) -> Result<(), ErrorReported> {
    let routes = routes(&args.upstream, context)?;
    if args.print_env {
        return print_env(&routes, args.port, context);
    }
    let Some(output) = &args.output else {
        let found = Diagnostic::error(diagnostic::USAGE, "a recording needs a log");
        return Err(context.run.diags.push(found.help("name it with -o LOG")));
    };
    let settings = announce(command, context);
    let variables = routes.clone();
    let call = RecordCall {
        routes,
        port: args.port,
        key: args.hash_key.as_deref(),
        hash_lines: args.redact_text,
        output,
    };
    let mut told = |port: u16| {
        let all = variables.variables(port);
        let lines = all.map(|(s, _)| format!("export {}={}\n", s.name, s.value));
        let text: String = lines.collect();
        let mut heard = crate::diagnostic::Diagnostics::default();
        // Who reads nothing finds the port elsewhere.
        let _ = crate::cli::stdout::to_stdout(text.as_bytes(), &mut heard);
    };
    let what = if command.is_empty() {
        For::Anyone(&mut told)
    } else {
        For::Command {
            command,
            settings: &settings,
        }
    };
    let recorded = capture::record(call, what, &mut context.run)?;
    let requests = super::requests(recorded.requests);
    let mut said = format!("{requests} recorded in {}\n", output.display());
    if recorded.requests > 0 {
        said.push_str(&next(output));
    }
    context.ui.remark(&said);
    context.exit = recorded.ended.map(code);
    Ok(())
}

/// The next commands to run on a log.
fn next(log: &Path) -> String {
    let log = log.display();
    format!(
        "next: promptc capture diff {log}  # what broke the cache\n      promptc usage {log}         # what it cost\n"
    )
}

/// The upstreams, and the variables that lead to them.
fn routes(named: &[String], context: &mut Context) -> Result<Routes, ErrorReported> {
    let mut upstreams = Vec::new();
    for option in named {
        let (name, url) = option.split_once('=').unwrap_or((option, ""));
        match Upstream::new(name, url) {
            Ok(upstream) => upstreams.push(upstream),
            Err(why) => {
                let message = format!("--upstream `{name}`: {why}");
                let found = Diagnostic::error(diagnostic::BAD_UPSTREAM, message);
                let help = "it is NAME=URL, as in local=http://127.0.0.1:4000";
                return Err(context.run.diags.push(found.help(help)));
            }
        }
    }
    let env = |name: &str| DiskWorld.env(name)?.into_string().ok();
    Routes::new(&upstreams, env).map_err(|(variable, why)| {
        let message = format!("{variable} is set but cannot be recorded: {why}");
        let found = Diagnostic::error(diagnostic::BAD_UPSTREAM, message);
        context
            .run
            .diags
            .push(found.help("unset it, or name the provider with --upstream"))
    })
}

fn print_env(routes: &Routes, port: u16, context: &mut Context) -> Result<(), ErrorReported> {
    let port = match port {
        0 => "PORT".to_owned(),
        port => port.to_string(),
    };
    let lines = routes.variables(port);
    let lines = lines.map(|(s, by)| format!("{}={}  # {by}\n", s.name, s.value));
    let text: String = lines.collect();
    crate::cli::stdout::to_stdout(text.as_bytes(), &mut context.run.diags)
}

/// Says what an agent does otherwise; the settings that restore some of it.
fn announce(command: &[OsString], context: &Context) -> Vec<Setting> {
    let program = command.first().map(|program| program.to_string_lossy());
    let Some(agent) = program.as_deref().and_then(recorder::agent) else {
        return Vec::new();
    };
    let name = &agent.name;
    let mut said = format!("{name}: {}\n{name}: {}", agent.instead, agent.changes);
    let restores = agent.restores.iter();
    let missing = |setting: &&Setting| DiskWorld.env(&setting.name).is_none();
    let restores: Vec<Setting> = restores.filter(missing).cloned().collect();
    for setting in &restores {
        said.push_str(&format!(
            "; {}={} restores that, and is set",
            setting.name, setting.value
        ));
    }
    context.ui.remark(&format!("{said}\n"));
    restores
}

/// The code of a command that ended, as shells say it.
fn code(ended: ExitStatus) -> u8 {
    #[cfg(unix)]
    let signal = std::os::unix::process::ExitStatusExt::signal(&ended);
    #[cfg(not(unix))]
    let signal = None;
    let code = ended.code().or(signal.map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Args as _;

    #[test]
    fn the_help_names_each_known_provider() {
        let command = RecordArgs::augment_args(clap::Command::new("capture"));
        let all = command.get_arguments();
        let help = all.filter(|argument| argument.get_id() == "upstream");
        let help: String = help
            .filter_map(|one| Some(one.get_help()?.to_string()))
            .collect();
        let known = Routes::new(&[], |_| None).unwrap().upstreams;
        let names: Vec<String> = known.into_iter().map(|upstream| upstream.name).collect();
        assert!(help.contains(&format!("({})", names.join(", "))), "{help}");
    }
}
