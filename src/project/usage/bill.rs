//! Sums over logs and recordings.

use super::report::UsageReport;
use super::versions;
use crate::diagnostic::{self, Diagnostic, ErrorReported};
use crate::project::Run;
use crate::project::capture::{self, LogOperand, Owners, Recordings};
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
    /// The prompts that requests may have; the first names the layers.
    pub(crate) prompts: &'a [Prompt],
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
    let (reports, ()) = each(call, progress, run, || (), |(), _, _| {})?;
    Ok(reports)
}

/// [`usage`] that hands each request on with its input, a log or all recordings together, to something that is `fresh` when they are read again.
pub(super) fn each<T>(
    call: UsageCall<'_>,
    progress: &mut dyn FnMut(usize),
    run: &mut Run,
    mut fresh: impl FnMut() -> T,
    mut hand_on: impl FnMut(&mut T, &Path, Counted),
) -> Result<(Vec<UsageReport>, T), ErrorReported> {
    input::one_stdin(call.paths, &mut run.diags)?;
    run.hold_streams();
    let found = match call.paths {
        [] => recordings_here(run)?,
        paths => paths.to_vec(),
    };
    let owners = Owners::of(call.sources, call.prompts, run)?;
    let empty = || {
        let bills = Bills::new(call.catalog.clone(), call.model.clone());
        let tables = call.tables.iter().cloned().map(Table::new);
        let account = Account::new(bills, call.period, tables.collect());
        // To look up the place of each change takes time.
        let is_by_file = call.tables.iter().flatten().any(|key| *key == Key::File);
        if call.sources.is_some() || !call.prompts.is_empty() || is_by_file {
            account.with_owners(&owners)
        } else {
            account
        }
    };
    let (logs, recordings) = parted(found, run);
    let mut recordings = match recordings.as_slice() {
        [] => None,
        paths => Some(Recordings::open(paths, call.format, run)?),
    };
    let mut inputs = (logs, recordings.as_mut());
    let mut met = 0;
    let mut tell = |entry: &Entry| {
        met += usize::from(matches!(entry, Entry::Request(..)));
        progress(met);
    };
    let (mut account, mut state) = (empty(), fresh());
    let mut add = |path: &Path, one| hand_on(&mut state, path, one);
    let to = (&mut tell, &mut add);
    if !read(&mut inputs, &mut account, run, to)? {
        (account, state) = (empty(), fresh());
        let mut add = |path: &Path, one| hand_on(&mut state, path, one);
        let to = (&mut tell, &mut add);
        read(&mut inputs, &mut account, run, to)?;
    }
    let mut again = account.again();
    if let Some(again) = &mut again {
        // The findings of the files were reported before.
        let to = (&mut tell, &mut |_: &Path, _| {});
        read(&mut inputs, again, &mut run.beside(), to)?;
    }
    account.finish(again);
    versions::name(&mut account.tables, call.sources);
    capture::note_shared(account.shared(), run);
    for (refusal, count) in &account.refused {
        let message = format!("{count} skipped: {}", refusal.reason());
        let found = Diagnostic::warning(diagnostic::PASSED_OVER, message);
        run.diags.push(found);
    }
    let channel = call
        .prompts
        .first()
        .and_then(|prompt| prompt.channel(Deliver::System));
    let layers = channel
        .map(|channel| channel.layers.as_slice())
        .unwrap_or_default();
    let layers = layers.iter().map(|layer| layer.name.as_str()).collect();
    let reports = account.tables.iter();
    let reports = reports.map(|table| UsageReport::of(&account, table, &layers));
    Ok((reports.collect(), state))
}

/// The logs, each once, and the recordings.
fn parted(found: Vec<PathBuf>, run: &mut Run) -> (Vec<PathBuf>, Vec<PathBuf>) {
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
    (logs, recordings)
}

/// Reads logs and recordings into an account. False if that has to be done again, into a new one.
fn read(
    (logs, recordings): &mut (Vec<PathBuf>, Option<&mut Recordings>),
    account: &mut Account<'_>,
    run: &mut Run,
    (tell, hand_on): (&mut impl FnMut(&Entry), &mut impl FnMut(&Path, Counted)),
) -> Result<bool, ErrorReported> {
    let mut add = |account: &mut Account<'_>, path: &Path, entry| {
        tell(&entry);
        let counted = account.add(entry);
        counted.into_iter().for_each(|one| hand_on(path, one));
    };
    let is_alone = logs.len() == 1 && recordings.is_none();
    for log in logs.iter() {
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
    let mut is_right = true;
    if let Some(recordings) = recordings {
        account.begin(None);
        let all = Path::new("");
        is_right = recordings.read(run, |entry| add(account, all, entry))?;
        account.end_of_log();
    }
    Ok(is_right)
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
