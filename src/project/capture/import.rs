//! Makes a log of what others recorded.

use super::ends::Ends;
use super::log::{LOG, LogOperand, RECORDED};
use crate::diagnostic::{self, Diagnostic, ErrorReported, suggest};
use crate::project::Run;
use crate::project::input::{self, Input, What};
use crate::project::output::{self, Output};
use crate::request::whole::import::claude_code_bodies::{self as raw, INDEX, REQUEST, RESPONSE};
use crate::request::whole::import::{Ahead, Format, Recording};
use crate::request::whole::log::{
    Clean, Cleaner, Entry, Exchange, Lack, LogWriter, Origin, Refused, Reply,
};
use crate::request::whole::{BodyError, KEY, Redactor};
use crate::text::normalise;
use crate::world::{DiskWorld, Kind, World, threads};
use data_encoding::HEXLOWER_PERMISSIVE as HEX;
use serde::de::IgnoredAny;
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

/// The number of bytes that are remembered for later requests: about the size of many conversations at once.
const REMEMBERED: usize = 40 << 20;

/// The input of an import.
pub(crate) struct ImportCall<'a> {
    /// Files and folders; `-` is standard input.
    pub(crate) paths: &'a [PathBuf],
    /// The program that recorded, if the caller names it.
    pub(crate) format: Option<Format>,
    /// The file of the key of hashes; it is made if it is missing. Without one a key is drawn for this import alone.
    pub(crate) key: Option<&'a Path>,
    /// Whether each line of text is hashed.
    pub(crate) hash_lines: bool,
    /// The log; standard output if there is none.
    pub(crate) output: Option<&'a Path>,
}

/// The result of an import.
#[derive(Debug, Default)]
pub(crate) struct Imported {
    /// The requests in the log.
    pub(crate) requests: usize,
    /// The requests that were there twice.
    pub(crate) twice: usize,
    /// The skipped items by reason: how often, and where first.
    pub(crate) passed: BTreeMap<&'static str, (usize, String)>,
    /// The files and folders that were named.
    searched: Vec<PathBuf>,
    /// The fields that recordings of a format lack, and how often.
    pub(crate) lacks: BTreeMap<(&'static str, Lack), usize>,
}

/// A file that is imported.
#[derive(Debug, Default)]
struct Source {
    path: PathBuf,
    /// The file of its answer.
    answer: Option<PathBuf>,
    /// Its format, if its name says it.
    format: Option<Format>,
    /// The data about its request in the files next to it.
    known: Exchange,
}

/// Imports what others recorded.
pub(crate) fn import(call: &ImportCall<'_>, run: &mut Run) -> Result<Imported, ErrorReported> {
    let mut redactor = Redactor::new(key(call.key, run)?);
    redactor.lines = call.hash_lines;
    let files = sources(call.paths, run)?;
    if let Some(path) = call.output {
        output::check_unread(path, ("this log", "-o"), run)?;
    }
    let failed = |error: &io::Error| output::not_written(call.output, error);
    let mut out = match call.output {
        Some(path) => Output::open_private(path, &run.walls),
        None => Ok(Output::stdout()),
    }
    .map_err(|error| run.diags.push(failed(&error)))?;
    let written = {
        let mut write = |bytes: &[u8]| out.write(bytes);
        all(
            files,
            call.format,
            &redactor,
            (
                LogWriter::lines(&mut write, redactor.clone()),
                Ends::default(),
            ),
            run,
        )?
    };
    let imported = written.map_err(|error| run.diags.push(failed(&error)))?;
    out.finish()
        .map_err(|error| run.diags.push(failed(&error)))?;
    imported.report(run);
    Ok(imported)
}

/// Why a file without a known format is skipped.
const UNKNOWN: &str = "a file of no format that promptc knows";
/// Why a log is skipped.
const IS_LOG: &str = "a log already, which `diff`, `usage` and `report` read";

/// The files that are named, and those of folders.
fn sources(paths: &[PathBuf], run: &mut Run) -> Result<(Vec<Source>, Imported), ErrorReported> {
    let mut files = Vec::new();
    let mut imported = Imported {
        searched: paths.to_vec(),
        ..Imported::default()
    };
    for path in paths {
        match DiskWorld.kind(path) {
            Ok(Kind::Folder) => in_folder(path, &mut files, &mut imported, run)?,
            _ => files.push(Source {
                path: path.clone(),
                ..Source::default()
            }),
        }
    }
    run.read.extend(files.iter().map(|file| file.path.clone()));
    Ok((files, imported))
}

/// The items of a file.
enum ImportItem {
    /// An exchange.
    Found(Box<Exchanged>),
    /// A skipped item, and where it is.
    Passed(&'static str, String),
    /// The error of the file.
    Told(Box<Diagnostic>),
    /// It has what may only repeat others.
    HasCopies(usize),
}

/// An exchange, read and cleaned.
struct Exchanged {
    clean: Result<Clean, BodyError>,
    format: Format,
    lacks: Vec<Lack>,
    place: String,
    line: usize,
    /// Its file.
    file: usize,
}

/// Imports all of them. That nothing was found is an error.
fn all(
    (files, mut imported): (Vec<Source>, Imported),
    format: Option<Format>,
    redactor: &Redactor,
    (mut log, mut ends): (LogWriter<'_>, Ends),
    run: &mut Run,
) -> Result<io::Result<Imported>, ErrorReported> {
    let files: Vec<(usize, Source)> = files.into_iter().enumerate().collect();
    // Items that may only repeat others come after all of them.
    let mut copies = Vec::new();
    let mut written = Ok(());
    let mut take = |given: ImportItem, before: usize, copies: &mut Vec<usize>| {
        match given {
            ImportItem::Found(found) => {
                while let Some(ended) = ends.next((before + found.file, found.line)) {
                    log.close(&ended);
                }
                written = imported.add(*found, &mut log);
            }
            ImportItem::Passed(reason, place) => pass(&mut imported, reason, place),
            ImportItem::Told(problem) => _ = run.diags.push(*problem),
            ImportItem::HasCopies(at) => {
                ends.again(at);
                copies.push(at);
            }
        }
        written.is_ok()
    };
    let cleaner = || Cleaner::new(redactor.clone(), REMEMBERED);
    threads::stream(
        &files,
        cleaner,
        |cleaner, file, give| _ = one(file, format, false, cleaner, give),
        |given| take(given, 0, &mut copies),
    );
    let with_copies: Vec<&(usize, Source)> = copies.iter().map(|at| &files[*at]).collect();
    threads::stream(
        &with_copies,
        cleaner,
        |cleaner, file, give| _ = one(file, format, true, cleaner, give),
        |given| take(given, files.len(), &mut Vec::new()),
    );
    if let Err(error) = written {
        return Ok(Err(error));
    }
    imported.requests = log.count();
    run.diags.check()?;
    match imported.requests {
        0 => Err(run.diags.push(imported.nothing())),
        _ => Ok(Ok(imported)),
    }
}

impl Imported {
    /// Adds what was found to the log.
    fn add(&mut self, found: Exchanged, log: &mut LogWriter<'_>) -> io::Result<()> {
        match log.add(found.clean) {
            Ok(()) => {
                for lack in found.lacks {
                    let counted = self.lacks.entry((found.format.name(), lack));
                    *counted.or_default() += 1;
                }
            }
            Err(Refused::Twice) => self.twice += 1,
            Err(Refused::Body(error)) => pass(self, error.reason(), found.place),
            Err(Refused::Output(error)) => return Err(error),
        }
        Ok(())
    }

    /// The error that no request was found.
    fn nothing(&self) -> Diagnostic {
        let searched: Vec<String> = self
            .searched
            .iter()
            .map(|p| p.display().to_string())
            .collect();
        let searched = suggest::list(searched.iter().map(String::as_str));
        let mut message = format!("no request was found in {searched}");
        for (reason, (count, first)) in &self.passed {
            message.push_str(&format!("; {count} skipped, first in {first}: {reason}"));
        }
        let found = Diagnostic::error(diagnostic::NOTHING_IMPORTED, message);
        let names: Vec<&str> = Format::ALL.iter().map(|(name, _)| *name).collect();
        let help = format!("--as FORMAT says who recorded it: {}", names.join(", "));
        found.help(help)
    }

    /// Reports the skipped items, and the fields that recordings lack.
    fn report(&self, run: &mut Run) {
        for (reason, (count, first)) in &self.passed {
            let message = format!("{count} skipped, first in {first}: {reason}");
            run.diags
                .push(Diagnostic::warning(diagnostic::PASSED_OVER, message));
        }
        for ((format, lack), count) in &self.lacks {
            let what = lack.what();
            let message = match count {
                1 => format!("1 request of {format} has {what}"),
                more => format!("{more} requests of {format} have {what}"),
            };
            run.diags
                .push(Diagnostic::note(diagnostic::RECORDING_LACKS, message));
        }
    }
}

/// Reads recordings, in place of a log of them.
pub(crate) fn entries(
    paths: &[PathBuf],
    format: Option<Format>,
    run: &mut Run,
    each: impl FnMut(Entry),
) -> Result<Imported, ErrorReported> {
    let files = sources(paths, run)?;
    let redactor = Redactor::new(match key_of(&files.0) {
        Some(key) => key,
        None => key(None, run)?,
    });
    // Where nothing continues an answer, what is known of a conversation can go when it ends.
    let ahead = ahead(&files.0, format);
    let ahead = ahead.filter(|all| !all.iter().any(|file| file.continues));
    let log = LogWriter::entries(each, redactor.clone(), ahead.is_none());
    let ends = ahead.map(Ends::of).unwrap_or_default();
    let read = all(files, format, &redactor, (log, ends), run)?;
    let imported = read.map_err(|error| {
        let message = format!("recordings cannot be read: {}", output::reason(&error));
        run.diags
            .push(Diagnostic::error(diagnostic::UNREADABLE_PROGRAM, message))
    })?;
    imported.report(run);
    Ok(imported)
}

/// A key made from the beginnings of recordings, so that the same recordings have the same hashes. Without the
/// recordings it cannot be made. None if nothing can be read twice, or there is too little data.
fn key_of(files: &[Source]) -> Option<[u8; KEY]> {
    const MOST_FILES: usize = 64;
    const HEAD: u64 = 4_096;
    const LEAST: usize = 256;
    let mut hash = Sha256::new();
    let mut bytes = 0;
    for file in files.iter().take(MOST_FILES) {
        let is_file = matches!(DiskWorld.kind(&file.path), Ok(Kind::File));
        let head = is_file.then(|| DiskWorld.read(&file.path, HEAD).ok())??;
        bytes += head.len();
        hash.update(head);
    }
    (bytes >= LEAST).then(|| hash.finalize().into())
}

/// The first pass over each file. None if one of them yields nothing.
fn ahead(files: &[Source], format: Option<Format>) -> Option<Vec<Ahead>> {
    let mut all = Vec::new();
    let one = |file: &Source| {
        // A stream is read once. A conversation that its folder names is in no line.
        let is_file = matches!(DiskWorld.kind(&file.path), Ok(Kind::File));
        let is_file = is_file && file.known.conversation.is_none();
        let opened = is_file.then(|| opened(&file.path))?;
        let recording = opened.ok().map(|(_, recording)| recording);
        let recording = recording.filter(|recording| !recording.is_packed);
        let of = |recording: &Recording<_>| format.or(file.format).or(recording.format);
        match recording.and_then(|recording| Some((of(&recording)?, recording))) {
            Some((format, recording)) => recording.ahead(format).ok().flatten(),
            // Nothing is read of it.
            None => Some(Ahead::default()),
        }
    };
    threads::stream(
        files,
        || (),
        |(), file, give| _ = give(one(file)),
        |ahead| {
            let is_known = ahead.is_some();
            all.extend(ahead);
            is_known
        },
    );
    (all.len() == files.len()).then_some(all)
}

/// The key of hashes: of a file, which is made if it is missing; else one that is drawn.
pub(super) fn key(path: Option<&Path>, run: &mut Run) -> Result<[u8; KEY], ErrorReported> {
    let mut drawn = [0; KEY];
    let no_key = |message: String| {
        Diagnostic::error(diagnostic::USAGE, message)
            .help("a key is 64 hex digits; --key makes the file if it is missing")
    };
    if getrandom::fill(&mut drawn).is_err() {
        return Err(run.diags.push(no_key("no key could be drawn".to_owned())));
    }
    let Some(path) = path else { return Ok(drawn) };
    run.read.insert(path.to_owned());
    if matches!(DiskWorld.kind(path), Err(error) if crate::world::is_missing(&error)) {
        let text = format!("{}\n", HEX.encode(&drawn));
        output::to_private_file(path, text.as_bytes(), run)?;
        return Ok(drawn);
    }
    let what = What {
        limit: 1_000,
        noun: "key",
        ..LOG
    };
    let read = input::read(&DiskWorld, path, &what);
    let Input { name, bytes } = read.map_err(|problem| run.diags.push(*problem))?;
    let key = HEX.decode(bytes.trim_ascii()).ok();
    key.and_then(|key| <[u8; KEY]>::try_from(key).ok())
        .ok_or_else(|| run.diags.push(no_key(format!("`{name}` holds no key"))))
}

/// The recordings of a folder, by name, and those of the folders below it.
fn in_folder(
    path: &Path,
    files: &mut Vec<Source>,
    imported: &mut Imported,
    run: &mut Run,
) -> Result<(), ErrorReported> {
    let listed = DiskWorld.list(path).map_err(|error| {
        let name = path.display().to_string();
        run.diags.push(RECORDED.unread(&name, &error))
    })?;
    let mut names = BTreeSet::new();
    let mut folders = BTreeSet::new();
    for entry in listed {
        match (entry.kind, entry.name.into_string()) {
            (Kind::File, Ok(name)) => names.insert(name),
            (Kind::Folder, Ok(name)) if !name.starts_with('.') => folders.insert(name),
            _ => false,
        };
    }
    bodies(path, &names, files, imported, run);
    const BESIDE: &[&str] = &[REQUEST, RESPONSE, ".meta.json"];
    let is_recording = |name: &&String| {
        let ends = |ends: &[&str]| ends.iter().any(|end| name.ends_with(end));
        ends(&[".json", ".jsonl", ".jsonl.zst"]) && !ends(BESIDE) && *name != INDEX
    };
    let recordings = names.iter().filter(is_recording).map(|name| Source {
        path: path.join(name),
        ..Source::default()
    });
    files.extend(recordings);
    for folder in folders {
        in_folder(&path.join(folder), files, imported, run)?;
    }
    Ok(())
}

/// The bodies of a folder, with their answers and what else is said of them there.
fn bodies(
    folder: &Path,
    names: &BTreeSet<String>,
    files: &mut Vec<Source>,
    imported: &mut Imported,
    run: &mut Run,
) {
    let mut left: BTreeSet<&String> = names.iter().filter(|n| n.ends_with(REQUEST)).collect();
    let mut stored = Vec::new();
    let index = !left.is_empty() && names.contains(INDEX);
    let index = index.then(|| told(&folder.join(INDEX), run));
    for (i, line) in raw::index(&index.flatten().unwrap_or_default()).enumerate() {
        match line {
            Ok(body) if left.remove(&body.request) => stored.push(body),
            Ok(_) => pass(
                imported,
                "a body that is not here",
                format!("{INDEX}:{}", i + 1),
            ),
            Err(reason) => pass(imported, reason, format!("{INDEX}:{}", i + 1)),
        }
    }
    let mut chain = raw::Chain::default();
    for name in left {
        let body = told(&folder.join(name), run);
        chain.add(name, &body.unwrap_or_default());
    }
    stored.extend(chain.finish());
    files.extend(stored.into_iter().map(|body| {
        let stem = body.request.trim_end_matches(REQUEST);
        let by_name = Some(format!("{stem}{RESPONSE}"));
        let answers = [body.response, by_name].into_iter().flatten();
        // Only what is in the folder itself is read, whatever an index names.
        let answer = answers.into_iter().find(|name| names.contains(name));
        Source {
            path: folder.join(&body.request),
            answer: answer.map(|name| folder.join(name)),
            format: Some(Format::ClaudeCodeBodies),
            known: body.exchange,
        }
    }));
}

/// Reads one file: its copies, or all else and whether it has copies.
fn one(
    (number, file): &(usize, Source),
    format: Option<Format>,
    are_copies: bool,
    cleaner: &mut Cleaner,
    give: &mut dyn FnMut(ImportItem) -> bool,
) -> bool {
    let (shown, recording) = match opened(&file.path) {
        Ok(opened) => opened,
        Err(problem) => return give(ImportItem::Told(problem)),
    };
    let name = name(&file.path);
    if recording.is_packed {
        return give(ImportItem::Passed(PACKED, name));
    }
    let response = file.answer.as_ref();
    let response = response.and_then(|path| answer(path, give));
    let Some(format) = format.or(file.format).or(recording.format) else {
        let is_log = file.path.to_str().and_then(LogOperand::of).is_some();
        return give(ImportItem::Passed(
            if is_log { IS_LOG } else { UNKNOWN },
            name,
        ));
    };
    let is_stream = !matches!(DiskWorld.kind(&file.path), Ok(Kind::File));
    // A stream is read once.
    let wanted = (!is_stream).then_some(are_copies);
    let mut has_copies = false;
    let mut goes_on = true;
    let most = RECORDED.limit;
    let read = recording.read(format, &name, most, wanted, &mut |line, found| {
        let place = || format!("{name}:{line}");
        let found = match found {
            _ if !goes_on => return,
            Ok(found) => found,
            Err(_) if are_copies => return,
            Err(reason) => return goes_on = give(ImportItem::Passed(reason, place())),
        };
        if wanted.is_some_and(|wanted| wanted != found.is_copy) {
            has_copies |= found.is_copy;
            return;
        }
        let known = file.known.clone();
        let exchange = Exchange {
            response: (found.response).or_else(|| response.clone().map(Reply::Text)),
            time: found.time.or(known.time),
            conversation: found.conversation.or(known.conversation),
            id: found.id.or(known.id),
            source: found.source.or(known.source),
            agent: found.agent.or_else(|| format.agent()),
            origin: Some(Origin {
                file: name.clone(),
                line: Some(line),
            }),
            ..found
        };
        let lacks = exchange.lacks.clone();
        goes_on = give(ImportItem::Found(Box::new(Exchanged {
            clean: cleaner.clean(exchange),
            format,
            lacks,
            place: place(),
            line,
            file: *number,
        })));
    });
    let problem = match read {
        Ok(true) => None,
        Ok(false) => Some(RECORDED.too_large(&shown)),
        Err(error) => Some(RECORDED.unread(&shown, &error)),
    };
    if let Some(problem) = problem {
        give(ImportItem::Told(Box::new(problem)));
    }
    if has_copies {
        goes_on = give(ImportItem::HasCopies(*number));
    }
    goes_on
}

/// A readable file, with its name in messages.
type Opened = (String, Recording<Box<dyn io::BufRead>>);

fn opened(path: &Path) -> Result<Opened, Box<Diagnostic>> {
    let (shown, input) = input::open(path, &RECORDED)?;
    match Recording::open(input) {
        Ok(recording) => Ok((shown, recording)),
        Err(error) => Err(Box::new(RECORDED.unread(&shown, &error))),
    }
}

/// The name of a file, without its folder.
fn name(path: &Path) -> String {
    path.file_name()
        .map_or("<stdin>".into(), |name| name.to_string_lossy())
        .into_owned()
}

/// The answer in a file. None if it is half written.
fn answer(path: &Path, give: &mut dyn FnMut(ImportItem) -> bool) -> Option<String> {
    let text = match text(path) {
        Ok(text) => text,
        Err(problem) => {
            give(ImportItem::Told(problem));
            return None;
        }
    };
    let is_stream = !text.trim_start().starts_with('{');
    if is_stream || serde_json::from_str::<IgnoredAny>(&text).is_ok() {
        return Some(text);
    }
    let reason = "an answer that was not written to its end";
    give(ImportItem::Passed(reason, name(path)));
    None
}

fn pass(imported: &mut Imported, reason: &'static str, place: String) {
    let passed = imported.passed.entry(reason);
    passed.or_insert((0, place)).0 += 1;
}

/// Why a file of zstd is skipped.
const PACKED: &str = "a file that is packed; `zstd -d FILE` unpacks it";

/// The text of a small file.
fn text(path: &Path) -> Result<String, Box<Diagnostic>> {
    let Input { bytes, .. } = input::read(&DiskWorld, path, &RECORDED)?;
    let text = String::from_utf8(bytes);
    let text = text.unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned());
    Ok(match normalise::bom(&text).len() == text.len() {
        true => text,
        false => normalise::bom(&text).to_owned(),
    })
}

/// The text of a small file; an error is reported.
fn told(path: &Path, run: &mut Run) -> Option<String> {
    text(path).map_err(|problem| run.diags.push(*problem)).ok()
}
