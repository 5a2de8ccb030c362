//! Makes a log of what others recorded.

mod imported;
mod sources;
mod key;

pub(super) use key::key;

use super::ends::Ends;
use super::files::RECORDED;
use crate::diagnostic::{self, Diagnostic, ErrorReported};
use crate::project::Run;
use crate::project::input::{self, Streams};
use crate::project::output::{self, Output};
use crate::request::whole::import::{Ahead, Format, Reading, Recording, Verdicts};
use crate::request::whole::log::{
    Clean, Cleaner, Entry, Exchange, Learnt, LogWriter, Origin, Refused, Reply,
};
use crate::request::whole::{BodyError, Redactor};
use crate::world::threads;
use imported::Imported;
use key::key_of;
use serde::de::IgnoredAny;
use sources::{Source, each_once, sources, text};
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

/// Imports what others recorded.
pub(crate) fn import(call: &ImportCall<'_>, run: &mut Run) -> Result<Imported, ErrorReported> {
    let mut redactor = Redactor::new(key(call.key, run)?);
    redactor.lines = call.hash_lines;
    input::one_stdin(call.paths, &mut run.diags)?;
    let (files, found) = each_once(sources(call.paths, run)?);
    if let Some(path) = call.output {
        output::check_unread(path, ("this log", "-o"), run)?;
    }
    let failed = |error: &io::Error| output::not_written(call.output, error);
    let mut known: Option<Learnt> = None;
    loop {
        let mut out = match call.output {
            Some(path) => Output::open_private(path, &run.walls),
            None => Ok(Output::stdout()),
        }
        .map_err(|error| run.diags.push(failed(&error)))?;
        // What a reader has cannot be taken back.
        let may_again = known.is_none() && matches!(out, Output::File { .. });
        let mut write = |bytes: &[u8]| out.write(bytes);
        let log = LogWriter::lines(&mut write, redactor.clone()).knowing(known.unwrap_or_default());
        let to = (log, Ends::default(), may_again);
        let files = (&files[..], found.clone());
        let written = all(files, call.format, &redactor, to, run)?;
        let imported = written.map_err(|error| run.diags.push(failed(&error)))?;
        if let Some(learnt) = imported.again {
            known = Some(learnt);
            continue;
        }
        out.finish()
            .map_err(|error| run.diags.push(failed(&error)))?;
        imported.report(run);
        return Ok(imported);
    }
}

/// Why a file without a known format is skipped.
const UNKNOWN: &str = "a file of no format that promptc knows";
/// Why a log is skipped.
const IS_LOG: &str = "a log already, which `diff`, `usage` and `report` read";

/// Why objects of a status line are skipped.
const IS_STATUS: &str = "objects of a status line, which are read where their file is named";
/// Why the verdict of one is skipped.
const IS_UNMET: &str = "a verdict of Claude Code on a request that is not here";

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

/// The name of a place in a file.
fn place(file: &str, line: usize) -> String {
    format!("{file}:{line}")
}

/// An exchange, read and cleaned.
struct Exchanged {
    clean: Result<Clean, BodyError>,
    format: Format,
    place: String,
    line: usize,
    /// Its file.
    file: usize,
}

impl Imported {
    /// Adds what was found to the log.
    fn add(&mut self, found: Exchanged, log: &mut LogWriter<'_>) -> io::Result<()> {
        match log.add(found.clean) {
            Ok(added) => {
                if let [found @ .., _] = added.as_slice() {
                    self.found_again(found);
                }
                for lack in added.into_iter().flat_map(|exchange| exchange.lacks) {
                    let counted = self.lacks.entry((found.format.name(), lack));
                    *counted.or_default() += 1;
                }
            }
            Err(Refused::Twice) => self.twice.push(found.place),
            Err(Refused::Body(error)) => self.pass(error.reason(), found.place),
            Err(Refused::Output(error)) => return Err(error),
        }
        Ok(())
    }

    /// Corrects that some requests were taken for copies.
    fn found_again(&mut self, found: &[Exchange]) {
        let origins = found.iter().filter_map(|one| one.origin.as_ref());
        for place in origins.filter_map(|origin| Some(place(&origin.file, origin.line?))) {
            // Files of several folders may have one name.
            let at = self.twice.iter().rposition(|twice| *twice == place);
            at.into_iter().for_each(|at| _ = self.twice.remove(at));
        }
    }
}

/// Imports all of them. That nothing was found is an error. Where they can be read again and that makes a difference nothing is reported.
fn all(
    (files, mut imported): (&[Source], Imported),
    format: Option<Format>,
    redactor: &Redactor,
    (mut log, mut ends, may_again): (LogWriter<'_>, Ends, bool),
    run: &mut Run,
) -> Result<io::Result<Imported>, ErrorReported> {
    let files: Vec<(usize, &Source)> = files.iter().enumerate().collect();
    let verdicts = imported.verdicts.clone();
    let held = run.held.clone();
    let held = held.as_deref();
    // Items that may only repeat others come after all of them.
    let mut copies = Vec::new();
    let mut problems = Vec::new();
    let mut written = Ok(());
    let mut take = |given: ImportItem, before: usize, copies: &mut Vec<usize>| {
        match given {
            ImportItem::Found(found) => {
                while let Some(ended) = ends.next((before + found.file, found.line)) {
                    log.close(&ended);
                }
                written = imported.add(*found, &mut log);
            }
            ImportItem::Passed(reason, place) => imported.pass(reason, place),
            ImportItem::Told(problem) => problems.push(*problem),
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
        |cleaner, file, give| _ = one(file, (format, held, &verdicts), false, cleaner, give),
        |given| take(given, 0, &mut copies),
    );
    let with_copies: Vec<(usize, &Source)> = copies.iter().map(|at| files[*at]).collect();
    threads::stream(
        &with_copies,
        cleaner,
        |cleaner, file, give| _ = one(file, (format, held, &verdicts), true, cleaner, give),
        |given| take(given, files.len(), &mut Vec::new()),
    );
    let mut sources = files.iter().map(|(_, file)| &file.path);
    if may_again
        && written.is_ok()
        && !log.learnt().is_empty()
        && sources.all(|path| input::is_repeatable(path, held))
    {
        imported.again = Some(log.learnt().clone());
        return Ok(Ok(imported));
    }
    for problem in problems {
        run.diags.push(problem);
    }
    imported.count_unmet(IS_UNMET);
    if let Err(error) = written {
        return Ok(Err(error));
    }
    (imported.requests, imported.uncompared) = (log.count(), log.uncompared());
    run.diags.check()?;
    match imported.requests {
        0 => Err(run.diags.push(imported.nothing())),
        _ => Ok(Ok(imported)),
    }
}

/// Recordings that are read in place of a log of them, as often as their entries are needed.
pub(crate) struct Recordings {
    files: Vec<Source>,
    found: Imported,
    format: Option<Format>,
    redactor: Redactor,
    /// Where conversations end. None if that is not known, or a request may continue an answer.
    ahead: Option<Vec<Ahead>>,
    /// What a reading showed too late.
    known: Option<Learnt>,
}

impl Recordings {
    /// Looks through recordings; a file that is named twice is read once.
    pub(crate) fn open(
        paths: &[PathBuf],
        format: Option<Format>,
        run: &mut Run,
    ) -> Result<Self, ErrorReported> {
        let files = each_once(sources(paths, run)?);
        Self::of(files, format, run)
    }

    /// [`Self::open`] that reads a file again that is named again.
    pub(super) fn open_as_named(
        paths: &[PathBuf],
        format: Option<Format>,
        run: &mut Run,
    ) -> Result<Self, ErrorReported> {
        let files = sources(paths, run)?;
        Self::of(files, format, run)
    }

    fn of(
        (files, found): (Vec<Source>, Imported),
        format: Option<Format>,
        run: &mut Run,
    ) -> Result<Self, ErrorReported> {
        let held = run.held.clone();
        let redactor = Redactor::new(match key_of(&files, held.as_deref()) {
            Some(key) => key,
            None => key(None, run)?,
        });
        // Where nothing continues an answer, what is known of a conversation can go when it ends.
        let ahead = ahead(&files, format, held.as_deref());
        let ahead = ahead.filter(|all| !all.iter().any(|file| file.continues));
        Ok(Self {
            files,
            found,
            format,
            redactor,
            ahead,
            known: None,
        })
    }

    /// Hands each entry on. False if something showed too late: then the entries are not all, or not in their places, nothing is reported, and
    /// the next reading is right.
    pub(crate) fn read(
        &mut self,
        run: &mut Run,
        each: impl FnMut(Entry),
    ) -> Result<bool, ErrorReported> {
        let log = LogWriter::entries(each, self.redactor.clone(), self.ahead.is_none());
        let log = log.knowing(self.known.clone().unwrap_or_default());
        let ends = self.ahead.as_deref().map(Ends::of).unwrap_or_default();
        let to = (log, ends, self.known.is_none());
        let files = (&self.files[..], self.found.clone());
        let read = all(files, self.format, &self.redactor, to, run)?;
        let imported = read.map_err(|error| {
            let message = format!("recordings cannot be read: {}", output::reason(&error));
            run.diags
                .push(Diagnostic::error(diagnostic::UNREADABLE_PROGRAM, message))
        })?;
        let is_right = imported.again.is_none();
        match imported.again {
            Some(learnt) => self.known = Some(learnt),
            None => imported.report(run),
        }
        Ok(is_right)
    }
}

/// The first pass over each file. None if one of them yields nothing.
fn ahead(files: &[Source], format: Option<Format>, held: Option<&Streams>) -> Option<Vec<Ahead>> {
    let mut all = Vec::new();
    let one = |file: &Source| {
        // A conversation that its folder names is in no line.
        let is_known = file.known.conversation.is_some();
        let can_be_read = !is_known && input::is_repeatable(&file.path, held);
        let opened = can_be_read.then(|| opened(&file.path, held))?;
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

/// Reads one file: its copies, or all else and whether it has copies.
fn one(
    (number, file): &(usize, &Source),
    (format, held, verdicts): (Option<Format>, Option<&Streams>, &Verdicts),
    are_copies: bool,
    cleaner: &mut Cleaner,
    give: &mut dyn FnMut(ImportItem) -> bool,
) -> bool {
    let (shown, recording) = match opened(&file.path, held) {
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
        return give(ImportItem::Passed(why_passed(&recording), name));
    };
    let wanted = input::is_repeatable(&file.path, held).then_some(are_copies);
    let mut has_copies = false;
    let mut goes_on = true;
    let most = RECORDED.limit;
    let reading = Reading {
        file: &name,
        copies: wanted,
        verdicts,
    };
    let read = recording.read(format, reading, most, &mut |line, found| {
        let place = || place(&name, line);
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
            request_id: found.request_id.or(known.request_id),
            source: found.source.or(known.source),
            agent: found.agent.or_else(|| format.agent()),
            origin: Some(Origin {
                file: name.clone(),
                line: Some(line),
            }),
            ..found
        };
        goes_on = give(ImportItem::Found(Box::new(Exchanged {
            clean: cleaner.clean(exchange),
            format,
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

/// Why a file without a format is skipped.
fn why_passed<R>(recording: &Recording<R>) -> &'static str {
    match (recording.is_log, recording.is_status) {
        (true, _) => IS_LOG,
        (_, true) => IS_STATUS,
        _ => UNKNOWN,
    }
}

/// A readable file, with its name in messages.
type Opened = (String, Recording<Box<dyn io::BufRead>>);

fn opened(path: &Path, held: Option<&Streams>) -> Result<Opened, Box<Diagnostic>> {
    let (shown, input) = input::open(path, &RECORDED, held)?;
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

/// Why a file of zstd is skipped.
const PACKED: &str = "a file that is packed; `zstd -d FILE` unpacks it";
