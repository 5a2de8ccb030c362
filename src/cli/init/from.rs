//! `promptc init --from`: a manifest from dumps of a prompt.

use super::write::{self, New};
use super::{Args, Format, next, report, wrote};
use crate::adopt::{self, Adoption, Dump, MOST_DUMPS};
use crate::cli::{Context, output};
use crate::diagnostic::{self, Diagnostic, Diagnostics, Reported};
use crate::source::wall::LARGEST;
use crate::text::normalise;
use crate::world::{DiskWorld, Kind, World, is_missing};
use std::io;
use std::path::{Path, PathBuf};

/// Runs the command.
pub(super) fn run(args: &Args, context: &mut Context) -> Result<(), Reported> {
    let dumps = read(&args.from, &mut context.diags)?;
    let Some(Adoption { files, report }) = adopt::adopt(&dumps) else {
        let message = "no build is equal to the dump; this is a fault of promptc, please report it";
        let found = Diagnostic::error(diagnostic::OUTPUT_NOT_WRITTEN, message);
        return Err(context.diags.push(found));
    };
    let new: Vec<New> = files
        .into_iter()
        .map(|file| New {
            path: args.folder.join(file.path),
            text: file.text.into(),
        })
        .collect();
    write::all(&new, &mut context.diags)?;
    context.wrote = true;
    let text = match args.format {
        Format::Human => report::human(&report),
        Format::Json => report::json(&report),
    };
    context.ui.remark(&(wrote(&new) + "\n"));
    let told = context.ui.result(&text, &mut context.diags);
    let scenario = report.dumps.first().map(|d| d.scenario.as_str());
    let build = match scenario.filter(|_| report.dumps.len() > 1) {
        Some(scenario) => format!("build --scenario {scenario}"),
        None => "build".to_owned(),
    };
    let mut commands = vec![build.as_str(), "explain"];
    let explain = build.replacen("build", "explain", 1);
    commands[1] = &explain;
    context.ui.remark(&next(&args.folder, &commands));
    told
}

/// Reads all dumps; what is wrong with any is told of all.
fn read(paths: &[PathBuf], diags: &mut Diagnostics) -> Result<Vec<Dump>, Reported> {
    if paths.len() > MOST_DUMPS {
        let message = format!("--from takes at most {MOST_DUMPS} dumps");
        diags.push(
            Diagnostic::error(diagnostic::USAGE, message)
                .help("choose some that differ in what you want to see"),
        );
    }
    let mut dumps = Vec::new();
    for path in paths {
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

fn dump(path: &Path) -> Result<Dump, Box<Diagnostic>> {
    let name = match path == Path::new("-") {
        true => "stdin".to_owned(),
        false => write::plain(path),
    };
    let bytes = bytes(path).map_err(|error| unreadable(&name, &error))?;
    if bytes.len() as u64 > LARGEST {
        let message = format!("`{name}` is larger than 64 MiB");
        return Err(Diagnostic::error(diagnostic::DOCUMENT_TOO_LARGE, message).into());
    }
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

fn bytes(path: &Path) -> io::Result<Vec<u8>> {
    let world = DiskWorld;
    if path == Path::new("-") {
        return world.stdin(LARGEST);
    }
    match world.kind(path)? {
        Kind::File => world.read(path, LARGEST),
        Kind::Folder => Err(io::ErrorKind::IsADirectory.into()),
        Kind::Other | Kind::Link => world.stream(path, LARGEST),
    }
}

fn unreadable(name: &str, error: &io::Error) -> Diagnostic {
    if is_missing(error) {
        let message = format!("there is no file `{name}`");
        return Diagnostic::error(diagnostic::DUMP_NOT_FOUND, message)
            .help("--from takes files with the text of a prompt, or `-` for standard input");
    }
    if error.kind() == io::ErrorKind::IsADirectory {
        let message = format!("`{name}` is a folder");
        return Diagnostic::error(diagnostic::DUMP_NOT_FOUND, message).help(format!(
            "name the files in it; the folder to write to stands in front: promptc init {name} --from FILE"
        ));
    }
    let message = format!("`{name}` cannot be read: {}", output::reason(error));
    Diagnostic::error(diagnostic::UNREADABLE_FILE, message)
}
