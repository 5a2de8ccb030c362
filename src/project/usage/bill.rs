//! Sums over logs and recordings.

use super::report::UsageReport;
use crate::diagnostic::{self, Diagnostic, ErrorReported};
use crate::project::Run;
use crate::project::capture::{self, LogOperand, Owners};
use crate::project::input;
use crate::prompt::{Deliver, Prompt};
use crate::request::provider::Catalog;
use crate::request::usage::{Account, Bills, Counted, Key, Period, Table};
use crate::request::whole::import::Format;
use crate::request::whole::log::Entry;
use crate::world::{DiskWorld, Kind, World};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The options of a usage report.
#[derive(Debug, Default)]
pub(crate) struct UsageCall<'a> {
    /// Logs and recordings; those of the agents on this machine if there are none.
    pub(crate) paths: &'a [PathBuf],
    /// The program that recorded, if the caller names it.
    pub(crate) format: Option<Format>,
    /// The keys of the sums, each on its own.
    pub(crate) tables: Vec<Vec<Key>>,
    /// Only requests of this period are summed.
    pub(crate) period: Period,
    /// The model that counts in place of those that are named.
    pub(crate) model: Option<String>,
    /// The tables of providers.
    pub(crate) catalog: Catalog,
    /// The folder that changed lines are led back to.
    pub(crate) sources: Option<&'a Path>,
    /// The prompt that names the layers.
    pub(crate) prompt: Option<&'a Prompt>,
}

/// Where agents write what they did, below the home folder, and the variable that says another folder. Codex moves a thread that is archived,
/// which was billed like any other.
const AGENTS: [(&str, &str, &str); 3] = [
    ("CLAUDE_CONFIG_DIR", ".claude", "projects"),
    ("CODEX_HOME", ".codex", "sessions"),
    ("CODEX_HOME", ".codex", "archived_sessions"),
];

/// Sums the bills: one report for each table. `progress` gets the number of requests read so far.
pub(crate) fn usage(
    call: UsageCall<'_>,
    progress: &mut dyn FnMut(usize),
    run: &mut Run,
) -> Result<Vec<UsageReport>, ErrorReported> {
    each(call, progress, run, |_, _| {})
}

/// [`usage`] that passes each request on with its input: a log, or all recordings together.
pub(super) fn each(
    call: UsageCall<'_>,
    progress: &mut dyn FnMut(usize),
    run: &mut Run,
    mut hand_on: impl FnMut(&Path, Counted),
) -> Result<Vec<UsageReport>, ErrorReported> {
    input::one_stdin(call.paths, &mut run.diags)?;
    run.hold_streams();
    let found = match call.paths {
        [] => recordings_here(run)?,
        paths => paths.to_vec(),
    };
    let owners = Owners::of(call.sources, call.prompt, run)?;
    let bills = Bills::new(call.catalog, call.model);
    let tables = call.tables.into_iter().map(Table::new);
    let mut account = Account::new(bills, call.period, tables.collect());
    if call.sources.is_some() || call.prompt.is_some() {
        account = account.with_owners(&owners);
    }
    let (mut logs, recordings): (Vec<PathBuf>, Vec<PathBuf>) = found
        .into_iter()
        .partition(|path| LogOperand::is_log(path, run));
    let mut met = BTreeSet::new();
    logs.retain(|log| {
        let is_new = input::is_new(log, &mut met);
        if !is_new {
            let message = format!("`{}` is named twice, and counted once", log.display());
            run.diags
                .push(Diagnostic::warning(diagnostic::PASSED_OVER, message));
        }
        is_new
    });
    let inputs = (logs, recordings);
    let mut met = 0;
    let mut tell = |entry: &Entry| {
        met += usize::from(matches!(entry, Entry::Request(..)));
        progress(met);
    };
    read(
        &inputs,
        call.format,
        &mut account,
        run,
        (&mut tell, &mut hand_on),
    )?;
    let mut again = account.again();
    if let Some(again) = &mut again {
        // The findings of the files were reported the first time.
        let unheard = &mut run.beside();
        read(
            &inputs,
            call.format,
            again,
            unheard,
            (&mut tell, &mut |_, _| {}),
        )?;
    }
    account.finish(again);
    capture::note(account.shared(), run);
    for (refusal, count) in &account.refused {
        let message = format!("{count} skipped: {}", refusal.reason());
        let found = Diagnostic::warning(diagnostic::PASSED_OVER, message);
        run.diags.push(found);
    }
    let channel = call
        .prompt
        .and_then(|prompt| prompt.channel(Deliver::System));
    let layers = channel
        .map(|channel| channel.layers.as_slice())
        .unwrap_or_default();
    let layers = layers.iter().map(|layer| layer.name.as_str()).collect();
    let reports = account.tables.iter();
    let reports = reports.map(|table| UsageReport::of(&account, table, &layers));
    Ok(reports.collect())
}

/// Reads logs and recordings into an account.
fn read(
    (logs, recordings): &(Vec<PathBuf>, Vec<PathBuf>),
    format: Option<Format>,
    account: &mut Account<'_>,
    run: &mut Run,
    (tell, hand_on): (&mut impl FnMut(&Entry), &mut impl FnMut(&Path, Counted)),
) -> Result<(), ErrorReported> {
    let mut add = |account: &mut Account<'_>, path: &Path, entry| {
        tell(&entry);
        let counted = account.add(entry);
        counted.into_iter().for_each(|one| hand_on(path, one));
    };
    let is_alone = logs.len() == 1 && recordings.is_empty();
    for log in logs {
        // So written it is an operand of `capture diff`.
        let name = if is_alone {
            String::new()
        } else {
            log.display().to_string()
        };
        account.begin(Some(name));
        capture::read(log, run, |entry| add(account, log, entry))?;
        account.end_of_log();
    }
    if !recordings.is_empty() {
        account.begin(None);
        let all = Path::new("");
        capture::entries(recordings, format, run, |entry| add(account, all, entry))?;
        account.end_of_log();
    }
    Ok(())
}

/// The folders of the agents that were used on this machine.
fn recordings_here(run: &mut Run) -> Result<Vec<PathBuf>, ErrorReported> {
    let world = DiskWorld;
    let home = world.home();
    let folder = |(variable, below, inner): &(&str, &str, &str)| {
        let own = world.env(variable).filter(|value| !value.is_empty());
        let base = own.map(PathBuf::from);
        let base = base.or_else(|| Some(home.as_deref()?.join(below)))?;
        Some(base.join(inner))
    };
    let all: Vec<PathBuf> = AGENTS.iter().filter_map(folder).collect();
    let is_folder = |path: &&PathBuf| matches!(world.kind(path), Ok(Kind::Folder));
    let here: Vec<PathBuf> = all.iter().filter(is_folder).cloned().collect();
    if here.is_empty() {
        let names: Vec<String> = all.iter().map(|path| path.display().to_string()).collect();
        let message = format!("no agent kept anything here: {}", names.join(", "));
        let found = Diagnostic::error(diagnostic::OPERAND_NOT_FOUND, message);
        let help = "name a log of `promptc capture import`, or what an agent recorded";
        return Err(run.diags.push(found.help(help)));
    }
    Ok(here)
}
