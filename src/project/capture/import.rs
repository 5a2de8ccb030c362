//! Makes a log of what others recorded.

use super::log::{LOG, RECORDED};
use crate::diagnostic::{self, Diagnostic, ErrorReported};
use crate::project::Run;
use crate::project::input::{self, Input, What};
use crate::project::output::{self, Output};
use crate::request::whole::import::claude_code_bodies::{self as raw, INDEX, REQUEST, RESPONSE};
use crate::request::whole::import::{Format, Found, Recording};
use crate::request::whole::log::{Entry, Exchange, Lack, LogWriter, Origin, Refused};
use crate::request::whole::{KEY, Redactor};
use crate::text::normalise;
use crate::world::{DiskWorld, Kind, World, threads};
use data_encoding::HEXLOWER_PERMISSIVE as HEX;
use serde::de::IgnoredAny;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufReader, BufWriter, PipeReader, PipeWriter, Write as _};
use std::path::{Path, PathBuf};

/// What is imported.
pub(crate) struct ImportCall<'a> {
    /// Files and folders; `-` is standard input.
    pub(crate) paths: &'a [PathBuf],
    /// Who recorded, if the caller says it.
    pub(crate) format: Option<Format>,
    /// The file of the key of hashes; it is made if it is missing. Without one a key is drawn for this import alone.
    pub(crate) key: Option<&'a Path>,
    /// Whether each line of text is hashed.
    pub(crate) hash_lines: bool,
    /// The log; standard output if there is none.
    pub(crate) output: Option<&'a Path>,
}

/// What an import came to.
#[derive(Debug, Default)]
pub(crate) struct Imported {
    /// The requests in the log.
    pub(crate) requests: usize,
    /// The requests that were there twice.
    pub(crate) twice: usize,
    /// What was passed over, by its reason: how often, and where first.
    pub(crate) passed: BTreeMap<&'static str, (usize, String)>,
    /// What the recordings of a format do not have, and how often.
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
    /// What is known of its request from beside it.
    known: Exchange,
}

/// Imports what others recorded.
pub(crate) fn import(call: &ImportCall<'_>, run: &mut Run) -> Result<Imported, ErrorReported> {
    let mut redactor = Redactor::new(key(call.key, run)?);
    redactor.lines = call.hash_lines;
    let files = sources(call.paths, run)?;
    if let Some(path) = call.output.filter(|path| output::is_among(path, &run.read)) {
        return Err(run.diags.push(output::is_input(path)));
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
            &mut LogWriter::new(&mut write, redactor),
            run,
        )?
    };
    let imported = written.map_err(|error| run.diags.push(failed(&error)))?;
    out.finish()
        .map_err(|error| run.diags.push(failed(&error)))?;
    imported.tell(run);
    Ok(imported)
}

/// The files that are named, and those of folders.
fn sources(paths: &[PathBuf], run: &mut Run) -> Result<(Vec<Source>, Imported), ErrorReported> {
    let mut files = Vec::new();
    let mut imported = Imported::default();
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

/// Imports all of them. That nothing was found is an error.
fn all(
    (files, mut imported): (Vec<Source>, Imported),
    format: Option<Format>,
    log: &mut LogWriter<'_>,
    run: &mut Run,
) -> Result<io::Result<Imported>, ErrorReported> {
    // What may only repeat others comes behind all of them.
    let mut copies = Vec::new();
    let mut written = Ok(());
    for file in &files {
        written = written.and_then(|()| {
            let found = one(file, format, false, log, &mut imported, run)?;
            copies.extend(found.then_some(file));
            Ok(())
        });
    }
    for file in copies {
        written = written.and_then(|()| one(file, format, true, log, &mut imported, run).map(drop));
    }
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
    /// The error that no request was found.
    fn nothing(&self) -> Diagnostic {
        let mut message = "no request was found".to_owned();
        for (reason, (count, first)) in &self.passed {
            message.push_str(&format!(
                "; {count} passed over, first in {first}: {reason}"
            ));
        }
        let found = Diagnostic::error(diagnostic::NOTHING_IMPORTED, message);
        let names: Vec<&str> = Format::ALL.iter().map(|(name, _)| *name).collect();
        let help = format!("--as FORMAT says who recorded it: {}", names.join(", "));
        found.help(help)
    }

    /// Tells what was passed over, and what recordings do not have.
    fn tell(&self, run: &mut Run) {
        for (reason, (count, first)) in &self.passed {
            let message = format!("{count} passed over, first in {first}: {reason}");
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

/// How many bytes go through a pipe at once.
const PIPE: usize = 1 << 16;

/// Reads recordings, in place of a log of them.
pub(crate) fn entries(
    paths: &[PathBuf],
    format: Option<Format>,
    run: &mut Run,
    mut each: impl FnMut(Entry) + Send,
) -> Result<Imported, ErrorReported> {
    let redactor = Redactor::new(key(None, run)?);
    let files = sources(paths, run)?;
    let write = |to: PipeWriter| {
        let mut to = BufWriter::with_capacity(PIPE, to);
        let mut write = |bytes: &[u8]| to.write_all(bytes);
        let written = all(
            files,
            format,
            &mut LogWriter::new(&mut write, redactor),
            run,
        );
        let flushed = to.flush();
        written.map(|written| written.and_then(|imported| flushed.map(|()| imported)))
    };
    let read = |from: PipeReader| {
        let mut told = Run::default();
        let from = BufReader::with_capacity(PIPE, from);
        let read = super::log::entries(from, "the recordings", &mut told, &mut each);
        (read, told.diags)
    };
    let piped = threads::piped(write, read);
    let failed = |error: &io::Error| {
        let message = format!("recordings cannot be read: {}", output::reason(error));
        Diagnostic::error(diagnostic::UNREADABLE_PROGRAM, message)
    };
    let (written, (read, told)) = piped.map_err(|error| run.diags.push(failed(&error)))?;
    let imported = written?.map_err(|error| run.diags.push(failed(&error)))?;
    run.diags.extend(&told);
    read?;
    imported.tell(run);
    Ok(imported)
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
    let index = index.then(|| text(&folder.join(INDEX), run));
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
        let body = text(&folder.join(name), run);
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

/// Imports one file: its copies, or all else and whether it has copies.
fn one(
    file: &Source,
    format: Option<Format>,
    are_copies: bool,
    log: &mut LogWriter<'_>,
    imported: &mut Imported,
    run: &mut Run,
) -> io::Result<bool> {
    let Some((shown, recording)) = opened(&file.path, run) else {
        return Ok(false);
    };
    let name = name(&file.path);
    if recording.is_packed {
        pass(imported, PACKED, name);
        return Ok(false);
    }
    let response = file.answer.as_ref();
    let response = response.and_then(|path| answer(path, imported, run));
    let Some(format) = format.or(file.format).or(recording.format) else {
        pass(imported, "a file of no format that promptc knows", name);
        return Ok(false);
    };
    let is_stream = !matches!(DiskWorld.kind(&file.path), Ok(Kind::File));
    let mut has_copies = false;
    let mut failed = Ok(());
    let read = recording.read(format, &name, RECORDED.limit, &mut |line, found: Found| {
        if failed.is_err() {
            return;
        }
        let place = format!("{name}:{line}");
        let found = match found {
            Ok(found) => found,
            Err(_) if are_copies => return,
            Err(reason) => return pass(imported, reason, place),
        };
        // A stream is read once.
        if found.is_copy != are_copies && !is_stream {
            has_copies |= found.is_copy;
            return;
        }
        let known = file.known.clone();
        let exchange = Exchange {
            response: found.response.or_else(|| response.clone()),
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
        match log.add(&exchange) {
            Ok(()) => {
                for lack in exchange.lacks {
                    *imported.lacks.entry((format.name(), lack)).or_default() += 1;
                }
            }
            Err(Refused::Twice) => imported.twice += 1,
            Err(Refused::Body(error)) => pass(imported, error.reason(), place),
            Err(Refused::Output(error)) => failed = Err(error),
        }
    });
    match read {
        Ok(true) => {}
        Ok(false) => _ = run.diags.push(RECORDED.too_large(&shown)),
        Err(error) => _ = run.diags.push(RECORDED.unread(&shown, &error)),
    }
    failed.map(|()| has_copies)
}

/// A file that can be read, with the name by which it is told of.
fn opened(path: &Path, run: &mut Run) -> Option<(String, Recording<Box<dyn io::BufRead>>)> {
    let opened = input::open(path, &RECORDED);
    let opened = opened.and_then(|(shown, input)| match Recording::open(input) {
        Ok(recording) => Ok((shown, recording)),
        Err(error) => Err(Box::new(RECORDED.unread(&shown, &error))),
    });
    opened.map_err(|problem| run.diags.push(*problem)).ok()
}

/// The name of a file, without its folder.
fn name(path: &Path) -> String {
    path.file_name()
        .map_or("<stdin>".into(), |name| name.to_string_lossy())
        .into_owned()
}

/// The answer in a file. None if it is half written.
fn answer(path: &Path, imported: &mut Imported, run: &mut Run) -> Option<String> {
    let text = text(path, run)?;
    let is_stream = !text.trim_start().starts_with('{');
    if is_stream || serde_json::from_str::<IgnoredAny>(&text).is_ok() {
        return Some(text);
    }
    let reason = "an answer that was not written to its end";
    pass(imported, reason, name(path));
    None
}

fn pass(imported: &mut Imported, reason: &'static str, place: String) {
    let passed = imported.passed.entry(reason);
    passed.or_insert((0, place)).0 += 1;
}

/// Why a file of zstd is passed over.
const PACKED: &str = "a file that is packed; `zstd -d FILE` unpacks it";

/// The text of a small file; what is wrong with it is told.
fn text(path: &Path, run: &mut Run) -> Option<String> {
    match input::read(&DiskWorld, path, &RECORDED) {
        Ok(Input { bytes, .. }) => {
            let text = String::from_utf8(bytes);
            let text = text.unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned());
            match normalise::bom(&text).len() == text.len() {
                true => Some(text),
                false => Some(normalise::bom(&text).to_owned()),
            }
        }
        Err(problem) => {
            run.diags.push(*problem);
            None
        }
    }
}
