//! Requests of any agent: importing what others recorded, and comparing each with the one before it.

use super::input::{self, Input, Takes, What};
use super::output::{self, Output};
use super::{Run, artifact};
use crate::diagnostic::{self, Diagnostic, ErrorReported};
use crate::request::provider::Catalog;
use crate::request::whole::import::{Format, Found};
use crate::request::whole::log::{
    Entry, LogError, LogReader, LogWriter, Origin, Refused, RequestLine,
};
use crate::request::whole::{
    Anew, Api, Cause, KEY, Redactor, Request, Reused, State, anew, compare, texts,
};
use crate::text::passage::{Passage, passages};
use crate::world::{DiskWorld, Kind, World};
use data_encoding::HEXLOWER_PERMISSIVE as HEX;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How a file that is imported is told of.
const RECORDED: What = What {
    noun: "",
    missing: diagnostic::OPERAND_NOT_FOUND,
    help: "name files or folders that another program recorded",
    folder: "name the folder itself; its `.json` files are read",
    unreadable: diagnostic::UNREADABLE_PROGRAM,
    limit: 4 << 30,
    large: "cut it at a line end, and name the parts",
    takes: Takes::Stdin,
};

/// How a log is told of.
const LOG: What = What {
    help: "`promptc capture import FILE -o LOG` makes a log",
    ..RECORDED
};

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
}

/// Imports what others recorded.
pub(crate) fn import(call: &ImportCall<'_>, run: &mut Run) -> Result<Imported, ErrorReported> {
    let mut redactor = Redactor::new(key(call.key, run)?);
    redactor.lines = call.hash_lines;
    let mut files = Vec::new();
    for path in call.paths {
        files.extend(named(path, run)?);
    }
    run.read.extend(files.iter().map(|(path, _)| path.clone()));
    if let Some(path) = call.output.filter(|path| output::is_among(path, &run.read)) {
        return Err(run.diags.push(output::is_input(path)));
    }
    let failed = |error: &io::Error| output::not_written(call.output, error);
    let mut out = match call.output {
        Some(path) => Output::open_private(path, &run.walls),
        None => Ok(Output::stdout()),
    }
    .map_err(|error| run.diags.push(failed(&error)))?;
    let mut imported = Imported::default();
    let written = {
        let mut write = |bytes: &[u8]| out.write(bytes);
        let log = LogWriter::new(&mut write, redactor);
        log.and_then(|mut log| {
            for (path, answer) in &files {
                one(
                    path,
                    answer.as_deref(),
                    call.format,
                    &mut log,
                    &mut imported,
                    run,
                )?;
            }
            imported.requests = log.count();
            Ok(())
        })
    };
    written.map_err(|error| run.diags.push(failed(&error)))?;
    run.diags.check()?;
    if imported.requests == 0 {
        let mut message = "no request was found".to_owned();
        for (reason, (count, first)) in &imported.passed {
            message.push_str(&format!(
                "; {count} passed over, first in {first}: {reason}"
            ));
        }
        let found = Diagnostic::error(diagnostic::NOTHING_IMPORTED, message);
        let names: Vec<&str> = Format::ALL.iter().map(|(name, _)| *name).collect();
        let help = format!("--as FORMAT says who recorded it: {}", names.join(", "));
        return Err(run.diags.push(found.help(help)));
    }
    out.finish()
        .map_err(|error| run.diags.push(failed(&error)))?;
    for (reason, (count, first)) in &imported.passed {
        let message = format!("{count} passed over, first in {first}: {reason}");
        run.diags
            .push(Diagnostic::warning(diagnostic::PASSED_OVER, message));
    }
    Ok(imported)
}

/// The key of hashes: of a file, which is made if it is missing; else one that is drawn.
fn key(path: Option<&Path>, run: &mut Run) -> Result<[u8; KEY], ErrorReported> {
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

/// The files behind an operand, each with the file of its answer: of a folder its `.json` and `.jsonl` files, by name.
fn named(path: &Path, run: &mut Run) -> Result<Vec<(PathBuf, Option<PathBuf>)>, ErrorReported> {
    const REQUEST: &str = ".request.json";
    if !matches!(DiskWorld.kind(path), Ok(Kind::Folder)) {
        return Ok(vec![(path.to_owned(), None)]);
    }
    let listed = DiskWorld.list(path).map_err(|error| {
        let name = path.display().to_string();
        run.diags.push(RECORDED.unread(&name, &error))
    })?;
    let mut names: Vec<String> = (listed.into_iter())
        .filter(|entry| entry.kind == Kind::File)
        .filter_map(|entry| entry.name.into_string().ok())
        .filter(|name| name.ends_with(".json") || name.ends_with(".jsonl"))
        .collect();
    names.sort();
    let all: BTreeSet<String> = names.iter().cloned().collect();
    let files = names
        .iter()
        .filter(|name| !name.ends_with(".response.json"));
    let files = files
        .filter(|name| name.as_str() != "index.jsonl")
        .map(|name| {
            let answer = name.strip_suffix(REQUEST);
            let answer = answer.map(|stem| format!("{stem}.response.json"));
            let answer = answer.filter(|name| all.contains(name));
            (path.join(name), answer.map(|name| path.join(name)))
        });
    Ok(files.collect())
}

/// Imports one file.
fn one(
    path: &Path,
    answer: Option<&Path>,
    format: Option<Format>,
    log: &mut LogWriter<'_>,
    imported: &mut Imported,
    run: &mut Run,
) -> io::Result<()> {
    let Some(text) = text(path, run) else {
        return Ok(());
    };
    let name = path
        .file_name()
        .map_or("<stdin>".into(), |name| name.to_string_lossy());
    let response = answer.and_then(|answer| self::text(answer, run));
    let Some(format) = format.or_else(|| Format::of(&text)) else {
        pass(
            imported,
            "a file of no format that promptc knows",
            name.into_owned(),
        );
        return Ok(());
    };
    let mut failed = Ok(());
    format.read(&text, &mut |line, found: Found| {
        if failed.is_err() {
            return;
        }
        let place = format!("{name}:{line}");
        let mut exchange = match found {
            Ok(exchange) => exchange,
            Err(reason) => return pass(imported, reason, place),
        };
        if exchange.response.is_none() {
            exchange.response.clone_from(&response);
        }
        exchange.origin = Some(Origin {
            file: name.to_string(),
            line: Some(line),
        });
        match log.add(&exchange) {
            Ok(()) => {}
            Err(Refused::Twice) => imported.twice += 1,
            Err(Refused::Body(error)) => pass(imported, error.reason(), place),
            Err(Refused::Output(error)) => failed = Err(error),
        }
    });
    failed
}

fn pass(imported: &mut Imported, reason: &'static str, place: String) {
    let passed = imported.passed.entry(reason);
    passed.or_insert((0, place)).0 += 1;
}

/// The text of a file; what is wrong with it is told.
fn text(path: &Path, run: &mut Run) -> Option<String> {
    match input::read(&DiskWorld, path, &RECORDED) {
        Ok(Input { bytes, .. }) => {
            let bytes = artifact::unmarked(&bytes);
            Some(String::from_utf8_lossy(bytes).into_owned())
        }
        Err(problem) => {
            run.diags.push(*problem);
            None
        }
    }
}

/// An operand that names a log: all of it, or one request of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LogOperand {
    pub(crate) path: PathBuf,
    /// The number of a request.
    pub(crate) number: Option<usize>,
}

impl LogOperand {
    /// Reads an operand. None if it names no log.
    pub(crate) fn of(written: &str) -> Option<Self> {
        let begins = |path: &Path| {
            let is_file = matches!(DiskWorld.kind(path), Ok(Kind::File));
            let head = is_file.then(|| DiskWorld.read(path, 64).unwrap_or_default());
            let head = head.unwrap_or_default();
            LogReader::<&[u8]>::begins(&String::from_utf8_lossy(&head))
        };
        if let Some((path, number)) = written.rsplit_once('#')
            && let Ok(number) = number.parse()
        {
            let path = PathBuf::from(path);
            let number = Some(number);
            return begins(&path).then_some(Self { path, number });
        }
        let path = PathBuf::from(written);
        begins(&path).then_some(Self { path, number: None })
    }
}

/// A request and the one before it in its lane.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct RequestComparison {
    /// The number of the request before; null for the first of a lane.
    pub(crate) a: Option<usize>,
    /// The number of the request.
    pub(crate) b: usize,
    /// The conversation.
    pub(crate) conversation: String,
    /// The lane.
    pub(crate) lane: String,
    /// The API.
    pub(crate) api: Api,
    /// The model.
    pub(crate) model: String,
    /// How the request is to the one before.
    pub(crate) state: State,
    /// Why the whole is not known; null if it is.
    pub(crate) reason: Option<String>,
    /// The time between the starts of both, in seconds; null if it is not known.
    pub(crate) gap: Option<f64>,
    /// How much of A is in front of the first difference.
    pub(crate) reused: Reused,
    /// The place where the first cause takes effect; null without one.
    pub(crate) first: Option<String>,
    /// The changes that took effect, in the order in which the provider reads.
    pub(crate) causes: Vec<Cause>,
    /// What the provider says itself; null if it says nothing.
    pub(crate) diagnosis: Option<Said>,
}

/// What a provider says of a miss.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Said {
    /// Its reason, such as `system_changed`.
    pub(crate) reason: String,
    /// Whether that is where the first cause is; null if its reason names no part.
    pub(crate) agrees: Option<bool>,
}

/// What a report shows of a request besides its comparison.
#[derive(Debug)]
pub(crate) struct Detail {
    /// When it was sent.
    pub(crate) time: Option<Timestamp>,
    /// Where it was read.
    pub(crate) origin: Option<Origin>,
    /// What of it is read anew.
    pub(crate) anew: Anew,
    /// The texts of its first causes, before and after.
    pub(crate) texts: Vec<[Option<Passage>; 2]>,
}

/// How many causes of a request have their texts in a report.
const WITH_TEXTS: usize = 10;

/// The most bytes of a text in a report.
const MOST_OF_TEXT: usize = 20_000;

/// The same as [`each`], with what a report shows.
pub(crate) fn detailed(
    path: &Path,
    conversation: Option<&str>,
    run: &mut Run,
) -> Result<Vec<(RequestComparison, Detail)>, ErrorReported> {
    walk(
        path,
        conversation,
        run,
        |line, before, request, compared| {
            let causes = &compared.causes[..compared.causes.len().min(WITH_TEXTS)];
            let texts = match before {
                Some(before) if !causes.is_empty() => texts(before, request, causes),
                _ => Vec::new(),
            };
            let texts = texts
                .iter()
                .map(|[old, new]| passages(old.as_deref(), new.as_deref(), MOST_OF_TEXT));
            Detail {
                time: line.time,
                origin: line.origin.clone(),
                anew: anew(before, request, compared.reused),
                texts: texts.collect(),
            }
        },
    )
}

/// Compares the requests of a log, each with the one before it in its lane.
pub(crate) fn each(
    path: &Path,
    conversation: Option<&str>,
    run: &mut Run,
) -> Result<Vec<RequestComparison>, ErrorReported> {
    let all = walk(path, conversation, run, |_, _, _, _| ())?;
    Ok(all.into_iter().map(|(compared, ())| compared).collect())
}

/// Compares each request, and asks what else of it is wanted: of its line, the one before it, itself, and the comparison.
fn walk<T>(
    path: &Path,
    conversation: Option<&str>,
    run: &mut Run,
    mut wanted: impl FnMut(&RequestLine, Option<&Request>, &Request, &RequestComparison) -> T,
) -> Result<Vec<(RequestComparison, T)>, ErrorReported> {
    let mut out: Vec<(RequestComparison, T)> = Vec::new();
    let mut lives = Lives::default();
    let mut places: BTreeMap<usize, usize> = BTreeMap::new();
    let mut lanes: BTreeMap<String, (usize, Arc<Request>)> = BTreeMap::new();
    read(path, run, |entry| match entry {
        Entry::Request(line, request) => {
            let before = lanes.insert(line.lane.clone(), (line.number, request.clone()));
            if conversation.is_none_or(|c| c == line.conversation) {
                places.insert(line.number, out.len());
                let compared = compared(&line, &request, before.as_ref(), &mut lives);
                let before = before.as_ref().map(|(_, before)| &**before);
                let more = wanted(&line, before, &request, &compared);
                out.push((compared, more));
            }
        }
        Entry::Response(answer) => {
            let reason = answer.diagnostics.as_ref().and_then(|d| {
                let anthropic = d.at(&["cache_miss_reason", "type"]);
                anthropic.or(d.get("reason"))?.text()
            });
            if let (Some(reason), Some(at)) = (reason, places.get(&answer.request)) {
                let compared = &mut out[*at].0;
                let agrees = agrees(reason, compared);
                let reason = reason.to_owned();
                compared.diagnosis = Some(Said { reason, agrees });
            }
        }
    })?;
    match (conversation, out.is_empty()) {
        (Some(conversation), true) => {
            let message = format!("the log has no conversation `{conversation}`");
            Err(run.diags.push(no_request(message, path)))
        }
        _ => Ok(out),
    }
}

/// Compares two requests of logs.
pub(crate) fn two(
    a: (&Path, usize),
    b: (&Path, usize),
    run: &mut Run,
) -> Result<RequestComparison, ErrorReported> {
    let (_, before) = request(a.0, a.1, run)?;
    let (line, request) = request(b.0, b.1, run)?;
    let before = (a.1, before);
    Ok(compared(
        &line,
        &request,
        Some(&before),
        &mut Lives::default(),
    ))
}

fn request(
    path: &Path,
    number: usize,
    run: &mut Run,
) -> Result<(Box<RequestLine>, Arc<Request>), ErrorReported> {
    let mut found = None;
    read(path, run, |entry| match entry {
        Entry::Request(line, request) if line.number == number => found = Some((line, request)),
        _ => {}
    })?;
    found.ok_or_else(|| {
        let message = format!("the log has no request {number}");
        run.diags.push(no_request(message, path))
    })
}

fn no_request(message: String, path: &Path) -> Diagnostic {
    let help = format!("`promptc capture show {}` lists them", path.display());
    Diagnostic::error(diagnostic::NO_REQUEST, message).help(help)
}

fn compared(
    line: &RequestLine,
    request: &Arc<Request>,
    before: Option<&(usize, Arc<Request>)>,
    lives: &mut Lives,
) -> RequestComparison {
    let step = before.map(|(_, before)| compare(before, request, lives.of(before)));
    let incomplete = request.incomplete.clone();
    let incomplete = incomplete.or_else(|| {
        let (number, before) = before?;
        let reason = before.incomplete.as_ref()?;
        Some(format!("the one before, #{number}: {reason}"))
    });
    let state = match (&step, &incomplete) {
        (_, Some(_)) => State::Incomplete,
        (Some(step), None) => step.state,
        (None, None) => State::First,
    };
    let causes = step.as_ref().map(|s| s.causes.clone()).unwrap_or_default();
    RequestComparison {
        a: before.map(|(number, _)| *number),
        b: line.number,
        conversation: line.conversation.clone(),
        lane: line.lane.clone(),
        api: line.api,
        model: line.model.clone(),
        state,
        reason: incomplete,
        gap: step.as_ref().and_then(|s| s.gap),
        reused: step.as_ref().map(|s| s.reused).unwrap_or_default(),
        first: causes.first().map(|cause| cause.at.clone()),
        causes,
        diagnosis: None,
    }
}

/// How long providers keep requests whose breakpoints do not say it, by the table of providers.
#[derive(Default)]
struct Lives {
    catalog: Catalog,
    known: BTreeMap<(String, Date), Option<u64>>,
}

impl Lives {
    /// In seconds, on the day of the request; the shortest, if there are several.
    fn of(&mut self, request: &Request) -> Option<u64> {
        let day = request.time.unwrap_or(Timestamp::UNIX_EPOCH);
        let day = day.to_zoned(TimeZone::UTC).date();
        let key = (request.model.clone(), day);
        *self.known.entry(key).or_insert_with(|| {
            let found = self.catalog.find(&request.model, day)?;
            Some(found.model?.shortest()?.seconds)
        })
    }
}

/// Whether a provider's reason is the part of the first cause. None if it names no part, or the time was over, of which providers say
/// nothing.
fn agrees(reason: &str, compared: &RequestComparison) -> Option<bool> {
    let part = match reason {
        "model_changed" | "model" => "model",
        "tools_changed" | "tools" => "tools",
        "system_changed" => "system",
        "messages_changed" | "input_changed" | "input" => "messages",
        _ => return None,
    };
    let mut causes = compared.causes.iter().filter(|cause| cause.at != "time");
    match causes.next() {
        Some(cause) => Some(cause.at.split('/').next() == Some(part)),
        None => Some(false),
    }
}

/// Hands each entry of a log on.
pub(crate) fn read(
    path: &Path,
    run: &mut Run,
    mut each: impl FnMut(Entry),
) -> Result<(), ErrorReported> {
    let read = input::read(&DiskWorld, path, &LOG);
    let Input { name, bytes } = read.map_err(|problem| run.diags.push(*problem))?;
    run.read.insert(path.to_owned());
    let bad = |error: LogError| {
        let (code, message) = match error {
            LogError::Input(error) => (
                diagnostic::BAD_LOG,
                format!("`{name}` cannot be read: {}", output::reason(&error)),
            ),
            LogError::NoLog => (
                diagnostic::BAD_LOG,
                format!("`{name}` is no log of requests"),
            ),
            LogError::TooNew(version) => (
                diagnostic::LOG_TOO_NEW,
                format!("the log `{name}` has version {version}"),
            ),
            LogError::Line { line, why } => (
                diagnostic::BAD_LOG,
                format!("line {line} of `{name}` is none of a log: {why}"),
            ),
        };
        Diagnostic::error(code, message).help("`promptc capture import FILE -o LOG` makes a log")
    };
    let mut log = LogReader::new(bytes.as_slice()).map_err(|e| run.diags.push(bad(e)))?;
    while let Some(entry) = log.read().map_err(|e| run.diags.push(bad(e)))? {
        each(entry);
    }
    if log.cut {
        let message = format!("the last line of `{name}` was cut");
        run.diags
            .push(Diagnostic::warning(diagnostic::PASSED_OVER, message));
    }
    Ok(())
}
