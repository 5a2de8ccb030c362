//! Reads logs of requests, and names one request of a log.

use super::files::{LOG, RECORDED};
use super::import::Recordings;
use crate::diagnostic::{self, Diagnostic, ErrorReported};
use crate::project::Run;
use crate::project::input::{self, Input, Streams};
use crate::project::output;
use crate::request::whole::import::Format;
use crate::request::whole::log::{Entry, Exchanged, LastUses, LogError, LogReader};
use crate::request::whole::{Part, Sent};
use crate::text::normalise;
use crate::world::{DiskWorld, Kind, World, threads};
use serde::de::IgnoredAny;
use std::collections::BTreeMap;
use std::io::{BufRead, ErrorKind, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The errors of a name that leads to no file which can be read. After any other error the file is read as a log, which says why that fails: else
/// a log might pass for a text.
const NO_FILE: [ErrorKind; 6] = [
    ErrorKind::NotFound,
    ErrorKind::NotADirectory,
    ErrorKind::PermissionDenied,
    ErrorKind::InvalidInput,
    ErrorKind::InvalidFilename,
    ErrorKind::IsADirectory,
];

/// The bytes that show whether a file is a log.
const HEAD: u64 = 64;

/// Whether a file is the body of one request, as it was sent.
pub(crate) fn is_body(path: &Path) -> bool {
    body(path).is_some()
}

/// The body in a file; none if it is another file.
///
/// A log begins with another line, and an artifact has no member of a request's body. A file that is named as a text is one.
fn body(path: &Path) -> Option<Sent> {
    let is_text = path.extension().is_some_and(|ext| ext == "txt") || path == Path::new("-");
    if is_text || !matches!(DiskWorld.kind(path), Ok(Kind::File)) {
        return None;
    }
    // A log may be large, and is not read for this.
    let head = DiskWorld.read(path, HEAD).ok()?;
    let head = String::from_utf8_lossy(&head);
    let is_object = normalise::bom(&head).trim_start().starts_with('{');
    if !is_object || LogReader::<&[u8]>::begins(&head) || has_lines(path) {
        return None;
    }
    let read = input::read(&DiskWorld, path, &RECORDED).ok()?;
    let text = String::from_utf8(read.bytes).ok()?;
    Sent::read(normalise::bom(&text), None).ok()
}

/// Whether the first line of a file is whole, and another one follows: a recording, which may be large.
fn has_lines(path: &Path) -> bool {
    let Ok((mut lines, _)) = DiskWorld.open(path) else {
        return false;
    };
    let mut first = Vec::new();
    let limit = RECORDED.limit;
    let read = (&mut lines).take(limit).read_until(b'\n', &mut first);
    let text = String::from_utf8_lossy(&first);
    let is_whole = serde_json::from_str::<IgnoredAny>(normalise::bom(&text).trim()).is_ok();
    let mut rest = lines.bytes().map_while(Result::ok);
    read.is_ok() && is_whole && rest.any(|byte| !byte.is_ascii_whitespace())
}

/// Whether a file begins as a log does; also one that cannot be read, unless none is there.
fn begins(path: &Path) -> bool {
    let head = match DiskWorld.kind(path) {
        _ if path == Path::new("-") => Ok(DiskWorld.stdin_begins()),
        Ok(Kind::File) => DiskWorld.read(path, HEAD),
        Ok(_) => Ok(Vec::new()),
        Err(error) => Err(error),
    };
    match head {
        Ok(head) => LogReader::<&[u8]>::begins(&String::from_utf8_lossy(&head)),
        Err(error) => !NO_FILE.contains(&error.kind()),
    }
}

/// An operand that names a log: all of it, or one request of it. The body of a request is a log of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LogOperand {
    pub(crate) path: PathBuf,
    /// The number of a request.
    pub(crate) number: Option<usize>,
}

impl LogOperand {
    /// Reads an operand; `-` is standard input. None if it names no log.
    pub(crate) fn of(written: &str) -> Option<Self> {
        if let Some((path, number)) = written.rsplit_once('#')
            && let Ok(number) = number.parse()
        {
            let path = PathBuf::from(path);
            let number = Some(number);
            return (begins(&path) || is_body(&path)).then_some(Self { path, number });
        }
        let path = PathBuf::from(written);
        let number = is_body(&path).then_some(1);
        (number.is_some() || begins(&path)).then_some(Self { path, number })
    }

    /// Whether a log is at `path`, also if it is a stream, which is then held.
    pub(crate) fn is_log(path: &Path, run: &Run) -> bool {
        let held = run.held.as_deref();
        let is_stream = path == Path::new("-") || matches!(DiskWorld.kind(path), Ok(Kind::Other));
        if !is_stream {
            return begins(path);
        }
        let head = input::head(path, &LOG, HEAD, held).unwrap_or_default();
        LogReader::<&[u8]>::begins(&String::from_utf8_lossy(&head))
    }

    /// Reads an operand that names one request of a log.
    pub(crate) fn one(written: &str) -> Option<(PathBuf, usize)> {
        let Self { path, number } = Self::of(written)?;
        Some((path, number?))
    }
}

/// A log that was read from its file.
pub(super) struct Log {
    name: String,
    bytes: Vec<u8>,
}

impl Log {
    /// Reads the file of a log.
    pub(super) fn open(path: &Path, run: &mut Run) -> Result<Self, ErrorReported> {
        let read = input::read(&DiskWorld, path, &LOG);
        let Input { name, bytes } = read.map_err(|problem| run.diags.push(*problem))?;
        run.read.insert(path.to_owned());
        Ok(Self { name, bytes })
    }

    /// Passes each entry on. A cut last line is reported.
    pub(super) fn each(
        &self,
        run: &mut Run,
        mut each: impl FnMut(Entry),
    ) -> Result<(), ErrorReported> {
        let mut each = |given| match given {
            LogItem::Entry(entry) => {
                each(entry);
                true
            }
            LogItem::Told(told) => {
                run.diags.push(*told);
                true
            }
        };
        let read = each_of(&*self.bytes, LastUses::default(), &self.name, &mut each);
        read.map_err(|problem| run.diags.push(*problem))
    }
}

/// The entries of a log.
enum LogItem {
    Entry(Entry),
    /// A note about the log.
    Told(Box<Diagnostic>),
}

/// Passes each entry of a log on, as long as it is wanted. A cut last line is reported.
fn each_of(
    lines: impl BufRead,
    ends: LastUses,
    name: &str,
    each: &mut dyn FnMut(LogItem) -> bool,
) -> Result<(), Box<Diagnostic>> {
    let bad = |error| Box::new(bad(name, error));
    let mut log = LogReader::with(lines, ends).map_err(bad)?;
    while let Some(entry) = log.read().map_err(bad)? {
        if !each(LogItem::Entry(entry)) {
            return Ok(());
        }
    }
    if log.cut {
        let message = format!("the last line of `{name}` was cut");
        let found = Diagnostic::warning(diagnostic::PASSED_OVER, message);
        each(LogItem::Told(Box::new(found)));
    }
    Ok(())
}

/// The error of a log.
fn bad(name: &str, error: LogError) -> Diagnostic {
    let (code, message) = match error {
        LogError::Input(error) => (
            diagnostic::BAD_LOG,
            format!("`{name}` cannot be read: {}", output::reason(&error)),
        ),
        LogError::NoLog => (
            diagnostic::BAD_LOG,
            format!("`{name}` is not a log of requests"),
        ),
        LogError::TooNew(version) => (
            diagnostic::LOG_TOO_NEW,
            format!("the log `{name}` has version {version}"),
        ),
        LogError::Line { line, why } => (
            diagnostic::BAD_LOG,
            format!("line {line} of `{name}` is not a line of a log: {why}"),
        ),
    };
    Diagnostic::error(code, message).help("`promptc capture import FILE -o LOG` makes a log")
}

/// Hands each entry of a log on, or those of a body as it was sent. It is read by another thread than what is done with its entries.
pub(crate) fn read(
    path: &Path,
    run: &mut Run,
    mut each: impl FnMut(Entry),
) -> Result<(), ErrorReported> {
    if is_body(path) {
        let mut body = Recordings::open(&[path.to_owned()], Some(Format::Bodies), run)?;
        return body.read(run, each).map(drop);
    }
    let mut failed = None;
    let held = run.held.clone();
    let work = |(): &mut (), path: &&Path, give: &mut dyn FnMut(_) -> bool| {
        let mut each = |given| give(Ok(given));
        if let Err(problem) = of_file(path, held.as_deref(), &mut each) {
            give(Err(problem));
        }
    };
    threads::stream(
        &[path],
        || (),
        work,
        |given| {
            match given {
                Ok(LogItem::Entry(entry)) => each(entry),
                Ok(LogItem::Told(told)) => _ = run.diags.push(*told),
                Err(problem) => failed = Some(run.diags.push(*problem)),
            }
            true
        },
    );
    run.read.insert(path.to_owned());
    match failed {
        Some(reported) => Err(reported),
        None => Ok(()),
    }
}

/// Hands each entry of the log in a file on.
fn of_file(
    path: &Path,
    held: Option<&Streams>,
    each: &mut dyn FnMut(LogItem) -> bool,
) -> Result<(), Box<Diagnostic>> {
    let own = Streams::default();
    let is_file = input::is_repeatable(path, None);
    let held = held.or_else(|| is_file.then_some(&own));
    let (name, lines) = input::open(path, &LOG, held)?;
    // It is looked through first, to know where conversations end.
    if !input::is_repeatable(path, held) {
        return each_of(lines, LastUses::default(), &name, each);
    }
    match LastUses::of(lines)
        .ok()
        .zip(input::open(path, &LOG, held).ok())
    {
        Some((ends, (_, lines))) => each_of(lines, ends, &name, each),
        None => {
            let message = format!("`{name}` cannot be read twice");
            Err(Box::new(Diagnostic::error(diagnostic::BAD_LOG, message)))
        }
    }
}

/// The system prompts of a log: those of the agent that sent most requests.
#[derive(Debug, Default)]
pub(crate) struct SystemTexts {
    /// Each text once, in the order of the log, with the number of the request that had it first. Blocks are joined by an empty line.
    pub(crate) texts: Vec<(usize, String)>,
    /// The number of requests that begin otherwise, as those of side calls do, or have no system prompt.
    pub(crate) others: usize,
}

/// Reads the system prompts of a log. Prompts of one agent are taken to begin with the same line.
pub(crate) fn system_texts(path: &Path, run: &mut Run) -> Result<SystemTexts, ErrorReported> {
    let mut all: Vec<(usize, String)> = Vec::new();
    read(path, run, |entry| {
        if let Entry::Request(now, _) = entry {
            let blocks: Vec<String> = now.request.system.iter().map(Part::text).collect();
            all.push((now.line.number, blocks.join("\n\n")));
        }
    })?;
    let begin = |text: &str| {
        text.trim_start()
            .lines()
            .next()
            .unwrap_or_default()
            .to_owned()
    };
    let mut begins: BTreeMap<String, usize> = BTreeMap::new();
    for (_, text) in all.iter().filter(|(_, text)| !text.trim().is_empty()) {
        *begins.entry(begin(text)).or_default() += 1;
    }
    let most = begins.into_iter().max_by_key(|(_, count)| *count);
    let mut out = SystemTexts::default();
    for (number, text) in all {
        if most
            .as_ref()
            .is_none_or(|(first, _)| begin(&text) != *first)
        {
            out.others += 1;
        } else if !out.texts.iter().any(|(_, known)| *known == text) {
            out.texts.push((number, text));
        }
    }
    Ok(out)
}

/// The system prompt of a request.
pub(crate) fn system_text(
    path: &Path,
    number: usize,
    run: &mut Run,
) -> Result<String, ErrorReported> {
    // What a log must not hold is in the texts that a body is compared with, too.
    let system = if let Some(sent) = body(path).filter(|_| number == 1) {
        run.read.insert(path.to_owned());
        sent.system
    } else {
        request(path, number, run)?.request.system.clone()
    };
    let blocks: Vec<String> = system.iter().map(Part::text).collect();
    Ok(blocks.join("\n\n"))
}

/// Reads one request of a log.
pub(super) fn request(
    path: &Path,
    number: usize,
    run: &mut Run,
) -> Result<Arc<Exchanged>, ErrorReported> {
    let mut found = None;
    read(path, run, |entry| match entry {
        Entry::Request(now, _) if now.line.number == number => found = Some(now),
        _ => {}
    })?;
    found.ok_or_else(|| {
        let message = format!("the log has no request {number}");
        run.diags.push(no_request(message, path))
    })
}

/// Reads two requests. Secrets of two bodies are replaced with one key, so that a text that both have stays one text.
pub(super) fn pair(
    [a, b]: [(&Path, usize); 2],
    run: &mut Run,
) -> Result<[Arc<Exchanged>; 2], ErrorReported> {
    let are_bodies = [a, b]
        .iter()
        .all(|(path, number)| *number == 1 && is_body(path));
    if !are_bodies {
        return Ok([request(a.0, a.1, run)?, request(b.0, b.1, run)?]);
    }
    let mut found: Vec<Arc<Exchanged>> = Vec::new();
    let paths = [a, b].map(|(path, _)| path.to_owned());
    let mut both = Recordings::open_as_named(&paths, Some(Format::Bodies), run)?;
    both.read(run, |entry| {
        if let Entry::Request(now, _) = entry {
            found.push(now);
        }
    })?;
    let changed = |_| {
        let message = "a file was changed while it was read".to_owned();
        run.diags.push(no_request(message, b.0))
    };
    found.try_into().map_err(changed)
}

pub(super) fn no_request(message: String, path: &Path) -> Diagnostic {
    let help = format!("`promptc capture show {}` lists them", path.display());
    Diagnostic::error(diagnostic::NO_REQUEST, message).help(help)
}
