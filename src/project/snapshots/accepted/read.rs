//! Accepted breaks, read through a [`World`]: from the disk or from a revision alike.

use super::rows::{MOST_LINES, ROWS};
use super::{AcceptedBreak, AcceptedBreaks, AcceptedCause, folder};
use crate::diagnostic::span::{FileId, Files, Lines};
use crate::diagnostic::{self, Diagnostic, Diagnostics, ErrorReported};
use crate::manifest::context::{Context, Once, Reads};
use crate::manifest::read::{Reader, Value};
use crate::manifest::{program_text, shown};
use crate::project::input;
use crate::project::snapshots::place;
use crate::prompt::Deliver;
use crate::syntax::{self, Nodes};
use crate::world::{self, Kind, World};
use std::path::Path;

/// The largest file of an accepted break, in bytes.
const MAX_FILE: u64 = 64 * 1024;
/// The most of them that a manifest may have.
const MOST: usize = 100_000;

/// All accepted breaks of a manifest, none if it has no folder of them.
///
/// # Errors
/// When one of them cannot be read, or has a mistake.
pub(crate) fn all(
    world: &dyn World,
    manifest: &Path,
    files: &mut Files,
    diags: &mut Diagnostics,
) -> Result<AcceptedBreaks, ErrorReported> {
    let folder = folder(manifest);
    let at = place(world, around(manifest), &folder).map_err(|e| diags.push(*e))?;
    let listed = match world.list(&at) {
        Ok(listed) => listed,
        Err(error) if world::is_missing(&error) => return Ok(AcceptedBreaks::new()),
        Err(error) => return Err(diags.push(unreadable(&shown(world, &folder), &error))),
    };
    let mut names: Vec<String> = (listed.into_iter())
        .filter(|entry| matches!(entry.kind, Kind::File | Kind::Link))
        .filter_map(|entry| entry.name.into_string().ok())
        .filter(|name| name.ends_with(".kdl"))
        .collect();
    names.sort();
    if names.len() > MOST {
        let message = format!("`{}` holds more than {MOST} files", shown(world, &folder));
        let found = Diagnostic::error(diagnostic::UNREADABLE_SNAPSHOT, message);
        return Err(diags.push(found.help("remove those that are in every branch")));
    }
    let mut out = AcceptedBreaks::new();
    let mut found = Diagnostics::default();
    for name in names {
        let path = folder.join(name);
        if let Ok(read) = one(world, manifest, &path, files, &mut found) {
            out.insert(path, read);
        }
    }
    diags.extend(&found);
    found.check()?;
    Ok(out)
}

/// The folder of a manifest.
fn around(manifest: &Path) -> &Path {
    manifest.parent().unwrap_or(Path::new(""))
}

fn unreadable(name: &str, error: &std::io::Error) -> Diagnostic {
    let (why, help) = input::failed(error);
    let message = format!("`{name}` cannot be read: {why}");
    Diagnostic::error(diagnostic::UNREADABLE_SNAPSHOT, message).help(help)
}

fn one(
    world: &dyn World,
    manifest: &Path,
    path: &Path,
    files: &mut Files,
    diags: &mut Diagnostics,
) -> Result<AcceptedBreak, ErrorReported> {
    let name = shown(world, path);
    let at = place(world, around(manifest), path).map_err(|e| diags.push(*e))?;
    let bytes = world.read_found(&at, MAX_FILE);
    let bytes = bytes.map_err(|error| diags.push(unreadable(&name, &error)))?;
    let text = program_text(bytes, &name, "accepted break", diags)?;
    let file = files.add(name, text.clone());
    let cx = Context::new(Reads::Whole, file, Lines::of(&text));
    let read = match syntax::read(file, &text) {
        Ok(tree) => nodes(&cx, file, tree.nodes()),
        Err(found) => {
            found.into_iter().for_each(|problem| cx.report(problem));
            None
        }
    };
    let (found, _) = cx.into_found();
    diags.extend(&found);
    found.check()?;
    let message = format!("`{}` is not an accepted break", path.display());
    read.ok_or_else(|| diags.push(Diagnostic::error(diagnostic::UNREADABLE_SNAPSHOT, message)))
}

fn nodes(cx: &Context, file: FileId, nodes: Nodes<'_>) -> Option<AcceptedBreak> {
    let mut once = Once::default();
    let (mut scenario, mut layer, mut because) = (None, None, None);
    let mut causes = Vec::new();
    let (mut channel, mut text) = (Deliver::System, None);
    for node in nodes {
        let name = node.name().value();
        let Some(row) = ROWS.iter().copied().find(|row| row.name == name) else {
            cx.unknown_node(node, None, ROWS.iter().copied());
            continue;
        };
        if row.name != "cause" {
            once.node(cx, node);
        }
        let mut reader = Reader::new(cx, node, row);
        match row.name {
            "accepted" => {
                let version = reader.need_number();
                version.and_then(|v| v.whole_number(1..=1));
            }
            "cause" => {
                let kind = reader.need_arg().and_then(Value::text);
                let mut text = |name| reader.prop(name).and_then(Value::text).map(|t| t.value);
                let (path, fact) = (text("path"), text("fact"));
                let line = reader.prop("line");
                causes.extend(kind.map(|kind| AcceptedCause {
                    kind: kind.value,
                    path,
                    line: line.and_then(|line| line.whole_number(1..=MOST_LINES)),
                    fact,
                }));
            }
            "layer" => {
                layer = reader.need_arg().and_then(Value::text);
                let of = reader.prop("channel").and_then(Value::deliver);
                channel = of.map_or(channel, |of| of.value);
                text = reader.prop("sha256").and_then(Value::text);
            }
            "scenario" => scenario = reader.need_arg().and_then(Value::text),
            _ => because = reader.need_arg().and_then(Value::text),
        }
        reader.finish();
    }
    let at = nodes.first().map_or_else(
        || crate::diagnostic::span::Span::new(file, 0..0),
        |node| cx.name_span(node),
    );
    for row in ROWS.iter().filter(|row| row.name != "cause") {
        if once.place(row.name).is_none() {
            let message = format!("an accepted break lacks its node `{}`", row.name);
            let help = "`promptc test --accept --because TEXT` writes such a file; remove this one";
            cx.missing(at, message, help);
        }
    }
    Some(AcceptedBreak {
        scenario: scenario?.value,
        channel,
        layer: layer?.value,
        text: text?.value,
        causes,
        because: because?.value,
    })
}
