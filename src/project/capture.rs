//! Requests of any agent: importing what others recorded, and comparing each with the one before it.

use super::Run;
use super::input::{self, Input, Takes, What};
use super::output::{self, Output};
use super::sources::Sources;
use crate::diagnostic::{self, Diagnostic, ErrorReported};
use crate::request::provider::Catalog;
use crate::request::whole::import::claude_code_bodies::{self as raw, INDEX, REQUEST, RESPONSE};
use crate::request::whole::import::{Format, Found};
use crate::request::whole::log::{
    Entry, Exchange, Lack, LogError, LogReader, LogWriter, Origin, Refused, RequestLine,
};
use crate::request::whole::{
    Anew, Api, Cause, KEY, Part, Redactor, Request, Reused, State, anew, compare, texts,
};
use crate::text::normalise;
use crate::text::passage::{Passage, passages};
use crate::world::{DiskWorld, Kind, World};
use data_encoding::HEXLOWER_PERMISSIVE as HEX;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::IgnoredAny;
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
    let mut files = Vec::new();
    let mut imported = Imported::default();
    for path in call.paths {
        match DiskWorld.kind(path) {
            Ok(Kind::Folder) => in_folder(path, &mut files, &mut imported, run)?,
            _ => files.push(Source {
                path: path.clone(),
                ..Source::default()
            }),
        }
    }
    run.read.extend(files.iter().map(|file| file.path.clone()));
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
        let mut log = LogWriter::new(&mut write, redactor);
        let mut files = files.into_iter();
        let mut copies = Vec::new();
        let written = files.try_for_each(|file| {
            let copies = &mut copies;
            one(file, call.format, &mut log, copies, &mut imported, run)
        });
        let mut copies = copies.into_iter();
        let written = written.and_then(|()| {
            copies.try_for_each(|(e, format)| add(&e, format, &mut log, &mut imported))
        });
        imported.requests = log.count();
        written
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
    for ((format, lack), count) in &imported.lacks {
        let what = lack.what();
        let message = match count {
            1 => format!("1 request of {format} has {what}"),
            more => format!("{more} requests of {format} have {what}"),
        };
        run.diags
            .push(Diagnostic::note(diagnostic::RECORDING_LACKS, message));
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
    let index = index.then(|| text(&folder.join(INDEX), imported, run));
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
        let body = text(&folder.join(name), imported, run);
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

/// Imports one file, but for the copies in it.
fn one(
    file: Source,
    format: Option<Format>,
    log: &mut LogWriter<'_>,
    copies: &mut Vec<(Exchange, Format)>,
    imported: &mut Imported,
    run: &mut Run,
) -> io::Result<()> {
    let Some(text) = text(&file.path, imported, run) else {
        return Ok(());
    };
    let name = name(&file.path);
    let response = file.answer.and_then(|path| answer(&path, imported, run));
    let Some(format) = format.or(file.format).or_else(|| Format::of(&text)) else {
        pass(imported, "a file of no format that promptc knows", name);
        return Ok(());
    };
    let mut failed = Ok(());
    format.read(&text, &name, &mut |line, found: Found| {
        if failed.is_err() {
            return;
        }
        let place = format!("{name}:{line}");
        let found = match found {
            Ok(found) => found,
            Err(reason) => return pass(imported, reason, place),
        };
        let known = file.known.clone();
        let exchange = Exchange {
            response: found.response.or_else(|| response.clone()),
            time: found.time.or(known.time),
            conversation: found.conversation.or(known.conversation),
            id: found.id.or(known.id),
            source: found.source.or(known.source),
            origin: Some(Origin {
                file: name.clone(),
                line: Some(line),
            }),
            ..found
        };
        match exchange.is_copy {
            true => copies.push((exchange, format)),
            false => failed = add(&exchange, format, log, imported),
        }
    });
    failed
}

/// Adds a request to the log.
fn add(
    exchange: &Exchange,
    format: Format,
    log: &mut LogWriter<'_>,
    imported: &mut Imported,
) -> io::Result<()> {
    match log.add(exchange) {
        Ok(()) => {
            for lack in &exchange.lacks {
                *imported.lacks.entry((format.name(), *lack)).or_default() += 1;
            }
        }
        Err(Refused::Twice) => imported.twice += 1,
        Err(Refused::Body(error)) => {
            let at =
                |origin: &Origin| format!("{}:{}", origin.file, origin.line.unwrap_or_default());
            let place = exchange.origin.as_ref().map(at);
            pass(imported, error.reason(), place.unwrap_or_default());
        }
        Err(Refused::Output(error)) => return Err(error),
    }
    Ok(())
}

/// The name of a file, without its folder.
fn name(path: &Path) -> String {
    path.file_name()
        .map_or("<stdin>".into(), |name| name.to_string_lossy())
        .into_owned()
}

/// The answer in a file. None if it is half written.
fn answer(path: &Path, imported: &mut Imported, run: &mut Run) -> Option<String> {
    let text = text(path, imported, run)?;
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

/// How a file of zstd begins.
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// The text of a file; what is wrong with it is told.
fn text(path: &Path, imported: &mut Imported, run: &mut Run) -> Option<String> {
    match input::read(&DiskWorld, path, &RECORDED) {
        Ok(Input { bytes, .. }) if bytes.starts_with(ZSTD) => {
            let reason = "a file that is packed; `zstd -d FILE` unpacks it";
            pass(imported, reason, name(path));
            None
        }
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

impl LogOperand {
    /// Reads an operand that names one request of a log.
    pub(crate) fn one(written: &str) -> Option<(PathBuf, usize)> {
        let Self { path, number } = Self::of(written)?;
        Some((path, number?))
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
    sources: Option<&Path>,
    run: &mut Run,
) -> Result<Vec<RequestComparison>, ErrorReported> {
    let sources = read_sources(sources, run)?;
    let all = walk(path, conversation, run, |_, before, now, compared| {
        lead_back(compared, before, now, sources.as_ref());
    })?;
    Ok(all.into_iter().map(|(compared, ())| compared).collect())
}

/// Compares each request, and asks what else of it is wanted: of its line, the one before it, itself, and the comparison.
fn walk<T>(
    path: &Path,
    conversation: Option<&str>,
    run: &mut Run,
    mut wanted: impl FnMut(&RequestLine, Option<&Request>, &Request, &mut RequestComparison) -> T,
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
                let mut compared = compared(&line, &request, before.as_ref(), &mut lives);
                let before = before.as_ref().map(|(_, before)| &**before);
                let more = wanted(&line, before, &request, &mut compared);
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

/// The system texts of a log: those of the agent that sent most requests.
#[derive(Debug, Default)]
pub(crate) struct SystemTexts {
    /// Each text once, in the order of the log, with the number of the request that had it first. Blocks are joined by an empty line.
    pub(crate) texts: Vec<(usize, String)>,
    /// How many requests begin otherwise, as those of side calls do, or have no system text.
    pub(crate) others: usize,
}

/// Reads the system texts of a log. Prompts of one agent are taken to begin with the same line.
pub(crate) fn system_texts(path: &Path, run: &mut Run) -> Result<SystemTexts, ErrorReported> {
    let mut all: Vec<(usize, String)> = Vec::new();
    read(path, run, |entry| {
        if let Entry::Request(line, request) = entry {
            let blocks: Vec<String> = request.system.iter().map(Part::text).collect();
            all.push((line.number, blocks.join("\n\n")));
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

/// The system text of a request.
pub(crate) fn system_text(
    path: &Path,
    number: usize,
    run: &mut Run,
) -> Result<String, ErrorReported> {
    let (_, request) = request(path, number, run)?;
    let blocks: Vec<String> = request.system.iter().map(Part::text).collect();
    Ok(blocks.join("\n\n"))
}

/// Compares two requests of logs.
pub(crate) fn two(
    a: (&Path, usize),
    b: (&Path, usize),
    sources: Option<&Path>,
    run: &mut Run,
) -> Result<RequestComparison, ErrorReported> {
    let sources = read_sources(sources, run)?;
    let (_, before) = request(a.0, a.1, run)?;
    let (line, request) = request(b.0, b.1, run)?;
    let before = (a.1, before);
    let mut one = compared(&line, &request, Some(&before), &mut Lives::default());
    lead_back(&mut one, Some(&before.1), &request, sources.as_ref());
    Ok(one)
}

fn read_sources(folder: Option<&Path>, run: &mut Run) -> Result<Option<Sources>, ErrorReported> {
    let Some(folder) = folder else {
        return Ok(None);
    };
    let read = Sources::read(&DiskWorld, folder);
    read.map(Some).map_err(|error| {
        let message = format!(
            "the folder `{}` cannot be read: {}",
            folder.display(),
            output::reason(&error)
        );
        let found = Diagnostic::error(diagnostic::OPERAND_NOT_FOUND, message);
        let help = "--sources takes the folder that the agent works in";
        run.diags.push(found.help(help))
    })
}

/// Notes the file behind each cause.
fn lead_back(
    one: &mut RequestComparison,
    before: Option<&Request>,
    now: &Request,
    sources: Option<&Sources>,
) {
    if let (Some(before), Some(sources)) = (before, sources) {
        for cause in &mut one.causes {
            cause.source = sources.of(cause, before, now);
        }
    }
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
