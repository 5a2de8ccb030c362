//! `promptc init --from`: a manifest from dumps of a prompt.

use super::write::{self, New, plain};
use super::{Args, Format, next, report};
use crate::adopt::{self, Adoption, Dump, FOLDER, MOST_DUMPS, Report};
use crate::cli::Context;
use crate::diagnostic::{self, Diagnostic, Diagnostics, ErrorReported};
use crate::manifest::FILE_NAME;
use crate::project::input::{self, Input, Takes, What};
use crate::report::words;
use crate::source::wall::LARGEST;
use crate::text::normalise;
use crate::world::{DiskWorld, Entry, Kind, World};
use std::path::{Path, PathBuf};

/// What to do with a folder without dumps.
const NO_FILE: &str = "hidden files and folders in it are left out; the folder to write to stands in front: promptc init FOLDER --from FILE";

/// How a dump is told of.
const DUMP: What = What {
    noun: "",
    missing: diagnostic::DUMP_NOT_FOUND,
    help: "--from takes files with the text of a prompt, folders of such files, or `-` for standard input",
    folder: NO_FILE,
    unreadable: diagnostic::UNREADABLE_FILE,
    limit: LARGEST,
    large: "no prompt is that large; name another file",
    takes: Takes::Streams,
};

/// Runs the command.
pub(super) fn run(args: &Args, context: &mut Context) -> Result<(), ErrorReported> {
    let dumps = read(&args.from, &mut context.run.diags)?;
    let Some(Adoption { files, report }) = adopt::adopt(&dumps) else {
        let message = "no build is equal to the dump; this is a fault of promptc";
        let found = Diagnostic::error(diagnostic::OUTPUT_NOT_WRITTEN, message)
            .help("please report it, with the dump if others may read it");
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
    let told = context.ui.result(&text, &mut context.run.diags);
    context.ui.remark(&farewell(&args.folder, &new, &report));
    told
}

/// What was written, and what to run next.
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

/// Reads all dumps; what is wrong with any is told of all.
fn read(paths: &[PathBuf], diags: &mut Diagnostics) -> Result<Vec<Dump>, ErrorReported> {
    let paths: Vec<PathBuf> = paths.iter().flat_map(|path| files(path)).collect();
    let is_folder = |path: &&PathBuf| matches!(DiskWorld.kind(path), Ok(Kind::Folder));
    for folder in paths.iter().filter(is_folder) {
        let message = format!("`{}` is a folder without dumps", plain(folder));
        diags.push(Diagnostic::error(diagnostic::DUMP_NOT_FOUND, message).help(NO_FILE));
    }
    if paths.len() > MOST_DUMPS {
        let message = format!("--from takes at most {MOST_DUMPS} dumps");
        diags.push(
            Diagnostic::error(diagnostic::USAGE, message)
                .help("choose some that differ in what you want to see"),
        );
    }
    let mut dumps = Vec::new();
    for path in paths
        .iter()
        .filter(|path| !is_folder(path))
        .take(MOST_DUMPS)
    {
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

/// The files in a folder that are not hidden, in byte order of their names; what is no folder, or has none, itself.
fn files(path: &Path) -> Vec<PathBuf> {
    let is_dump = |entry: &Entry| {
        let is_hidden = entry.name.as_encoded_bytes().starts_with(b".");
        !is_hidden && matches!(DiskWorld.kind(&path.join(&entry.name)), Ok(Kind::File))
    };
    let mut entries = DiskWorld.list(path).unwrap_or_default();
    entries.retain(is_dump);
    entries.sort_by(|a, b| a.name.cmp(&b.name));
    match entries.is_empty() {
        true => vec![path.to_owned()],
        false => entries.iter().map(|e| path.join(&e.name)).collect(),
    }
}

fn dump(path: &Path) -> Result<Dump, Box<Diagnostic>> {
    let name = match path == Path::new("-") {
        true => "stdin".to_owned(),
        false => plain(path),
    };
    let Input { bytes, .. } = input::read(&DiskWorld, path, &DUMP)?;
    let text = normalise::decode(bytes).map_err(|offset| {
        let message = format!("`{name}` is not UTF-8: byte {offset} begins no character");
        Diagnostic::error(diagnostic::INVALID_UTF8, message)
            .help("a dump is the text of a prompt; save it as UTF-8")
    })?;
    if normalise::is_blank(&text) {
        let message = match text.is_empty() {
            true => format!("`{name}` is empty"),
            false => format!("`{name}` holds nothing but white space"),
        };
        return Err(Diagnostic::error(diagnostic::EMPTY_DUMP, message)
            .help("a dump is the text of a prompt as it was sent")
            .into());
    }
    Ok(Dump { name, text })
}
