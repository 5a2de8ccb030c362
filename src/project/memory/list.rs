//! The memories.

use super::change::MemoryFile;
use super::select::Memories;
use crate::agent::memory::Usage;
use crate::diagnostic::{Diagnostics, ErrorReported};
use crate::text::measure::{self, Unit};
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;

/// The document that `memory list --format json` writes.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct List {
    /// The memories, in the order of their layers.
    pub(crate) memories: Vec<Memory>,
}

/// A memory.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Memory {
    /// The name of its layer.
    pub(crate) target: String,
    /// The root of its file.
    pub(crate) root: String,
    /// The path of its file inside the root.
    pub(crate) path: String,
    /// Its fill level.
    pub(crate) usage: Usage,
    /// The number of its entries.
    pub(crate) count: usize,
    /// Whether the file was changed by something else than a memory tool, so that it can be added to and nothing else.
    pub(crate) drifted: bool,
    /// Its entries, in order.
    pub(crate) entries: Vec<Entry>,
}

/// An entry.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Entry {
    /// From 1.
    pub(crate) number: usize,
    /// Its text; null if a scan finds something in it, unless --raw is given.
    pub(crate) text: Option<String>,
    /// Its size in Unicode scalar values.
    pub(crate) chars: usize,
    /// The findings of a scan in it.
    pub(crate) findings: Vec<Arc<str>>,
}

/// Reads one memory, or all.
pub(crate) fn list(
    memories: &Memories,
    target: Option<&str>,
    raw: bool,
    diags: &mut Diagnostics,
) -> Result<List, ErrorReported> {
    let targets = match target {
        Some(_) => vec![memories.chosen(target, diags)?],
        None => memories.all(diags)?,
    };
    let mut out = Vec::new();
    for target in &targets {
        // Unreadable files are reported with the others.
        let read = MemoryFile::new(memories, target, diags).and_then(|desk| desk.read(diags));
        let Ok(read) = read else { continue };
        let entry = |(at, text): (usize, &String)| {
            let scan = target.terms.scan.as_ref();
            let findings = scan.map_or_else(Vec::new, |scan| scan.in_old(text));
            Entry {
                number: at + 1,
                text: (raw || findings.is_empty()).then(|| text.clone()),
                chars: measure::size(text, Unit::Chars),
                findings,
            }
        };
        let notes = &read.notes;
        out.push(Memory {
            target: target.layer.to_string(),
            root: target.root.clone(),
            path: target.path.clone(),
            usage: notes.usage(&target.terms),
            count: notes.entries().len(),
            drifted: notes.is_drifted(),
            entries: notes.entries().iter().enumerate().map(entry).collect(),
        });
    }
    diags.check()?;
    Ok(List { memories: out })
}
