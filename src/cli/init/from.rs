//! `promptc init --from`: a manifest from dumps of a prompt.

use super::write::{self, New, plain};
use super::{Args, Format, next, report};
use crate::adopt::{self, Adoption, Dump, FOLDER, MOST_DUMPS, Report};
use crate::cli::Context;
use crate::diagnostic::{self, Diagnostic, ErrorReported};
use crate::manifest::FILE_NAME;
use crate::project::Run;
use crate::project::capture::{self, LogOperand, SystemTexts};
use crate::project::input::{self, Input, Takes, What};
use crate::report::words;
use crate::source::wall::LARGEST;
use crate::text::normalise;
use crate::world::{DiskWorld, Entry, Kind, World};
use std::path::{Path, PathBuf};

/// The help for a folder without dumps.
const NO_FILE: &str = "hidden files and folders in it are left out; write the output folder before the option: promptc init FOLDER --from FILE";

/// The wording for a dump in messages.
const DUMP: What = What {
    noun: "",
    missing: diagnostic::DUMP_NOT_FOUND,
    help: "--from takes files with the text of a prompt, folders of such files, or `-` for standard input",
    folder: NO_FILE,
    unreadable: diagnostic::UNREADABLE_FILE,
    limit: LARGEST,
    large: "it is too large for a prompt; name another file",
    takes: Takes::Streams,
};

/// Runs the command.
pub(super) fn run(args: &Args, context: &mut Context) -> Result<(), ErrorReported> {
    let dumps = read(&args.from, context)?;
    let Some(Adoption { files, report }) = adopt::adopt(&dumps) else {
        let message = "no build is equal to the dump; this is a bug in promptc";
        let found = Diagnostic::error(diagnostic::OUTPUT_NOT_WRITTEN, message)
            .help("please report it, with the dump if it may be public");
        return Err(context.run.diags.push(found));
    };
    let new: Vec<New> = files
        .into_iter()
        .map(|file| New {
            path: args.folder.join(file.path),
            text: file.text.into(),
        })
        .collect();
    write::all(&args.folder, &new, &mut context.run)?;
    context.run.wrote = true;
    let text = match args.format {
        Format::Human => context.ui.drawn(&report::human(&report)),
        Format::Json => report::json(&report),
    };
    let written = context.ui.result(&text, &mut context.run.diags);
    context.ui.remark(&farewell(&args.folder, &new, &report));
    written
}

/// The files that were written, and the next commands.
fn farewell(folder: &Path, files: &[New], report: &Report) -> String {
    let (manifest, rest) = (folder.join(FILE_NAME), folder.join(FOLDER));
    let scenario = match report.dumps.as_slice() {
        [first, _, ..] => format!(" --scenario {}", first.scenario),
        _ => String::new(),
    };
    format!(
        "\nwrote {} and {} in {}\n{}",
        plain(&manifest),
        words::count(files.len() - 1, "file"),
        plain(&rest),
        next(
            folder,
            &[
                &format!("build{scenario}"),
                &format!("explain{scenario}"),
                "test --accept"
            ]
        )
    )
}

/// Reads all dumps and reports the errors of all of them. The dumps of a request log are its system prompts.
fn read(paths: &[PathBuf], context: &mut Context) -> Result<Vec<Dump>, ErrorReported> {
    input::one_stdin(paths, &mut context.run.diags)?;
    let (mut dumps, mut rest) = (Vec::new(), Vec::new());
    for path in paths {
        match path.to_str().and_then(LogOperand::of) {
            Some(LogOperand { path, .. }) => dumps.extend(of_log(&path, context)?),
            None => rest.extend(files(path)),
        }
    }
    let Run { diags, .. } = &mut context.run;
    let is_folder = |path: &&PathBuf| matches!(DiskWorld.kind(path), Ok(Kind::Folder));
    for folder in rest.iter().filter(is_folder) {
        let message = format!("`{}` is a folder without dumps", plain(folder));
        diags.push(Diagnostic::error(diagnostic::DUMP_NOT_FOUND, message).help(NO_FILE));
    }
    if dumps.len() + rest.len() > MOST_DUMPS {
        let message = format!("--from takes at most {MOST_DUMPS} dumps");
        diags.push(
            Diagnostic::error(diagnostic::USAGE, message)
                .help("choose dumps that show the differences you are interested in"),
        );
    }
    let room = MOST_DUMPS.saturating_sub(dumps.len());
    for path in rest.iter().filter(|path| !is_folder(path)).take(room) {
        match dump(path) {
            Ok(dump) => dumps.push(dump),
            Err(error) => {
                diags.push(*error);
            }
        }
    }
    diags.check()?;
    Ok(dumps)
}

/// The system prompts of a log, each once; of many the first.
fn of_log(path: &Path, context: &mut Context) -> Result<Vec<Dump>, ErrorReported> {
    let SystemTexts { texts, others } = capture::system_texts(path, &mut context.run)?;
    if texts.is_empty() {
        let message = format!("no request of `{}` has a system prompt", plain(path));
        let found = Diagnostic::error(diagnostic::EMPTY_DUMP, message);
        let help = "`promptc capture show LOG` lists what it has";
        return Err(context.run.diags.push(found.help(help)));
    }
    let more = texts.len().saturating_sub(MOST_DUMPS);
    let left = [
        (
            others,
            "requests with another prompt, or none, are left out",
        ),
        (more, "more texts are left out: only the first are used"),
    ];
    for (count, what) in left.into_iter().filter(|(count, _)| *count > 0) {
        context
            .ui
            .remark(&format!("{}: {count} {what}\n", plain(path)));
    }
    let stem = path.file_stem().map(|stem| stem.to_string_lossy());
    let stem = stem.unwrap_or_default();
    let dump = |(number, text)| Dump {
        name: format!("{stem}-{number}"),
        text,
    };
    Ok(texts.into_iter().take(MOST_DUMPS).map(dump).collect())
}

/// The files in a folder that are not hidden, in byte order of their names; what is no folder, or has none, itself.
fn files(path: &Path) -> Vec<PathBuf> {
    let is_dump = |entry: &Entry| {
        let is_hidden = entry.name.as_encoded_bytes().starts_with(b".");
        !is_hidden && matches!(DiskWorld.kind(&path.join(&entry.name)), Ok(Kind::File))
    };
    let mut entries = DiskWorld.list(path).unwrap_or_default();
    entries.retain(is_dump);
    entries.sort_by(|a, b| a.name.cmp(&b.name));
    if entries.is_empty() {
        vec![path.to_owned()]
    } else {
        entries.iter().map(|e| path.join(&e.name)).collect()
    }
}

fn dump(path: &Path) -> Result<Dump, Box<Diagnostic>> {
    let name = if path == Path::new("-") {
        "stdin".to_owned()
    } else {
        plain(path)
    };
    let Input { bytes, .. } = input::read(&DiskWorld, path, &DUMP)?;
    let text = normalise::decode(bytes).map_err(|offset| {
        let message = format!("`{name}` is not UTF-8: byte {offset} is not valid");
        Diagnostic::error(diagnostic::INVALID_UTF8, message)
            .help("a dump is the text of a prompt; save it as UTF-8")
    })?;
    if normalise::is_blank(&text) {
        let message = if text.is_empty() {
            format!("`{name}` is empty")
        } else {
            format!("`{name}` holds nothing but white space")
        };
        return Err(Diagnostic::error(diagnostic::EMPTY_DUMP, message)
            .help("a dump is the text of a prompt as it was sent")
            .into());
    }
    Ok(Dump { name, text })
}
