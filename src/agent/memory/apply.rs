//! The entries of a memory after a call.

use super::call::{Action, Call, Step};
use super::refusal::{Reason, Refusal};
use super::{Notes, chars, has_lines, pieces};
use crate::compile::MemoryTerms;
use crate::source::wall;
use crate::text::normalise;
use std::collections::BTreeSet;

/// The result of a call that was not refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The change.
    pub done: Done,
    /// The entries from now on.
    pub entries: Vec<String>,
    /// The text of the file from now on; none if the file stays as it is.
    pub text: Option<String>,
    /// The lines that are gone though no step names them: those of the entries that a step replaces or removes by
    /// another part of their text, without those that the new text repeats.
    pub unnamed: Unnamed,
}

/// Lines that are gone though no step names them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Unnamed {
    /// Their number.
    pub lines: usize,
    /// Whether one of them is an item of a list: each item may be meant as a note of its own.
    pub has_items: bool,
}

/// The kind of change of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Done {
    /// There are so many new entries: a text with delimiters in it is several, of which some can be there already.
    Added(usize),
    /// There was such an entry already.
    Duplicate,
    /// This number of entries replaced one.
    Replaced(usize),
    /// An entry is gone.
    Removed,
    /// So many operations were done.
    Applied(usize),
}

/// Says what a call makes of the entries of a memory.
///
/// # Errors
/// When it is refused. Of several operations all are done or none.
pub fn apply(notes: &Notes, call: &Call, terms: &MemoryTerms) -> Result<Change, Refusal> {
    match (&call.steps[..], call.batch) {
        ([step], false) => single(notes, step, terms),
        (steps, _) => batch(notes, steps, terms),
    }
}

/// A step with all that it needs.
enum Operation {
    Add(Vec<String>),
    Replace(String, Vec<String>),
    Remove(String),
}

fn single(notes: &Notes, step: &Step, terms: &MemoryTerms) -> Result<Change, Refusal> {
    let operation = operation(step, terms).map_err(Refusal::new)?;
    clean(step, terms).map_err(Refusal::new)?;
    // What is only added does away with nothing.
    if notes.drifted && !matches!(operation, Operation::Add(_)) {
        return Err(Refusal::new(Reason::Drifted));
    }
    let counted = |reason: Reason| Refusal {
        counts: matches!(reason, Reason::NoMatch | Reason::OverCapacity(_)),
        ..Refusal::new(reason)
    };
    let mut entries = notes.entries.clone();
    let unnamed = unnamed(notes, &entries, &operation, terms).map_err(counted)?;
    let done = perform(&mut entries, &operation).map_err(counted)?;
    if done == Done::Duplicate {
        return Ok(Change {
            done,
            entries,
            text: None,
            unnamed,
        });
    }
    let text = stored(notes, &entries, terms).map_err(counted)?;
    // What shrinks it is welcome, also if it is not enough yet.
    if done != Done::Removed {
        holds(&text, terms).map_err(counted)?;
    }
    Ok(Change {
        done,
        entries,
        text: Some(text),
        unnamed,
    })
}

fn batch(notes: &Notes, steps: &[Step], terms: &MemoryTerms) -> Result<Change, Refusal> {
    let at = |index: usize, counts: bool| {
        move |reason: Reason| Refusal {
            counts: counts && !matches!(reason, Reason::Undivided(_)),
            operation: Some(index + 1),
            reason,
        }
    };
    for (index, step) in steps.iter().enumerate() {
        clean(step, terms).map_err(at(index, false))?;
    }
    if notes.drifted {
        return Err(Refusal::new(Reason::Drifted));
    }
    let mut entries = notes.entries.clone();
    let mut gone = Unnamed::default();
    for (index, step) in steps.iter().enumerate() {
        let operation = operation(step, terms).map_err(at(index, true))?;
        let more = unnamed(notes, &entries, &operation, terms).map_err(at(index, true))?;
        gone.lines += more.lines;
        gone.has_items |= more.has_items;
        perform(&mut entries, &operation).map_err(at(index, true))?;
    }
    let whole = |reason| Refusal {
        counts: true,
        ..Refusal::new(reason)
    };
    let text = stored(notes, &entries, terms).map_err(whole)?;
    holds(&text, terms).map_err(whole)?;
    Ok(Change {
        done: Done::Applied(steps.len()),
        entries,
        text: Some(text),
        unnamed: gone,
    })
}

/// A step, if nothing that it needs is missing.
fn operation(step: &Step, terms: &MemoryTerms) -> Result<Operation, Reason> {
    let content = || match step.content.as_deref().map(|c| entries_of(c, terms)) {
        None => Err(Reason::MissingContent),
        Some(None) => Err(Reason::TooLarge),
        Some(Some(entries)) if entries.is_empty() => Err(Reason::MissingContent),
        Some(Some(entries)) => Ok(entries),
    };
    let old_text = || {
        let text = terms
            .cleaning
            .clean(step.old_text.clone().unwrap_or_default());
        let text = &text[normalise::trim_range(&text)];
        if text.is_empty() {
            Err(Reason::MissingOldText)
        } else {
            Ok(text.to_owned())
        }
    };
    match step.action {
        None => Err(Reason::UnknownAction),
        Some(Action::Add) => Ok(Operation::Add(content()?)),
        Some(Action::Replace) => Ok(Operation::Replace(old_text()?, content()?)),
        Some(Action::Remove) => Ok(Operation::Remove(old_text()?)),
    }
}

/// The entries of a text. A delimiter in it separates two entries: it would be read that way anyway.
fn entries_of(content: &str, terms: &MemoryTerms) -> Option<Vec<String>> {
    pieces(&terms.cleaning.clean(content.to_owned()), terms)
}

/// Fails if a scan finds something in the new text of a step: in the whole of it or in one of its entries.
fn clean(step: &Step, terms: &MemoryTerms) -> Result<(), Reason> {
    let writes = matches!(step.action, Some(Action::Add | Action::Replace));
    let (Some(scan), Some(content), true) = (&terms.scan, &step.content, writes) else {
        return Ok(());
    };
    let mut found = scan.in_new(content);
    for entry in entries_of(content, terms).unwrap_or_default() {
        if entry != *content {
            found.extend(scan.in_new(&entry));
        }
    }
    let mut seen = BTreeSet::new();
    found.retain(|id| seen.insert(id.clone()));
    if found.is_empty() {
        Ok(())
    } else {
        Err(Reason::Found(found))
    }
}

fn perform(entries: &mut Vec<String>, operation: &Operation) -> Result<Done, Reason> {
    match operation {
        Operation::Add(new) if new.iter().all(|entry| says(entries, entry)) => Ok(Done::Duplicate),
        Operation::Add(new) => {
            let before = entries.len();
            for entry in new {
                if !says(entries, entry) {
                    entries.push(entry.clone());
                }
            }
            Ok(Done::Added(entries.len() - before))
        }
        Operation::Replace(old_text, new) => {
            let at = find(entries, old_text)?;
            entries.splice(at..=at, new.iter().cloned());
            // One that another entry says already would be read once.
            let mut seen = BTreeSet::new();
            entries.retain(|entry| seen.insert(bare(entry).to_owned()));
            Ok(Done::Replaced(new.len()))
        }
        Operation::Remove(old_text) => {
            let at = find(entries, old_text)?;
            entries.remove(at);
            Ok(Done::Removed)
        }
    }
}

/// The lines that would be gone with an entry though the operation does not name them: neither by `old_text`,
/// which is in other lines, nor by repeating them.
///
/// Fails if these lines are those of an undivided file: each of them may be meant as an entry.
fn unnamed(
    notes: &Notes,
    entries: &[String],
    operation: &Operation,
    terms: &MemoryTerms,
) -> Result<Unnamed, Reason> {
    let mut gone = Unnamed::default();
    let (old_text, new): (_, &[String]) = match operation {
        Operation::Add(_) => return Ok(gone),
        Operation::Replace(old_text, new) => (old_text, new),
        Operation::Remove(old_text) => (old_text, &[]),
    };
    let at = find(entries, old_text)?;
    let entry = &entries[at];
    if !has_lines(entry) {
        return Ok(gone);
    }
    let others = entries.iter().enumerate().filter(|(n, _)| *n != at);
    let stays = new.iter().chain(others.map(|(_, entry)| entry));
    let mut stays: BTreeSet<&str> = stays.flat_map(|text| text.lines()).map(bare).collect();
    // A line that would be a delimiter if another followed says nothing.
    stays.extend(["", bare(&terms.delimiter)]);
    let start = entry.find(old_text.as_str()).unwrap_or_default();
    let named = start..start + old_text.len();
    let mut end = 0;
    for line in entry.split_inclusive('\n') {
        let begin = end;
        end += line.len();
        let is_named = begin < named.end && named.start < end;
        if !is_named && !stays.contains(bare(line)) {
            gone.lines += 1;
            gone.has_items |= is_item(bare(line));
        }
    }
    let is_whole_file = notes.undivided && notes.entries.first() == Some(entry);
    if is_whole_file && gone.lines > 0 {
        return Err(Reason::Undivided(gone.lines));
    }
    Ok(gone)
}

/// Whether a line is an item of a list: with a sign or a number.
fn is_item(line: &str) -> bool {
    let sign = line.trim_start_matches(|c: char| c.is_ascii_digit());
    ["- ", "* ", "+ ", ". ", ") "]
        .iter()
        .any(|end| sign.starts_with(end))
}

/// Whether there is such an entry. Margins make no difference, also where they stay.
fn says(entries: &[String], new: &str) -> bool {
    entries.iter().any(|entry| bare(entry) == bare(new))
}

fn bare(entry: &str) -> &str {
    &entry[normalise::trim_range(entry)]
}

/// The entry that has a text; of several that are equal the first.
fn find(entries: &[String], old_text: &str) -> Result<usize, Reason> {
    let has = |(at, entry): (usize, &String)| entry.contains(old_text).then_some(at);
    let found: Vec<usize> = entries.iter().enumerate().filter_map(has).collect();
    match found[..] {
        [] => Err(Reason::NoMatch),
        [first, ..] if found.iter().all(|at| entries[*at] == entries[first]) => Ok(first),
        _ => {
            let texts = found.iter().map(|at| entries[*at].clone());
            Err(Reason::Ambiguous(texts.collect()))
        }
    }
}

/// The text of the file, if it will be read as these entries, and another one can be added to them later.
fn stored(notes: &Notes, entries: &[String], terms: &MemoryTerms) -> Result<String, Reason> {
    let text = joined(entries, terms)?;
    let Some(read) = pieces(&terms.cleaning.clean(text.clone()), terms) else {
        return Err(Reason::TooLarge);
    };
    let was_open = || is_open(&notes.entries, terms);
    match read == entries {
        true if is_open(entries, terms) && !was_open() => Err(Reason::NotStorable),
        true => Ok(text),
        // The existing text prevents any other entry.
        false if was_open() => Err(Reason::Drifted),
        false => Err(Reason::NotStorable),
    }
}

/// Whether the last entry ends like a delimiter begins, so that text after it would be read as something else.
fn is_open(entries: &[String], terms: &MemoryTerms) -> bool {
    let Some(last) = entries.last() else {
        return false;
    };
    let harmless = ('a'..='z').find(|c| !terms.delimiter.contains(*c));
    let both = [last.clone(), harmless.unwrap_or('0').to_string()];
    pieces(&both.join(&terms.delimiter), terms).is_some_and(|read| read != both)
}

fn joined(entries: &[String], terms: &MemoryTerms) -> Result<String, Reason> {
    let text = entries.join(&terms.delimiter);
    if text.len() as u64 > wall::LARGEST {
        Err(Reason::TooLarge)
    } else {
        Ok(text)
    }
}

fn holds(text: &str, terms: &MemoryTerms) -> Result<(), Reason> {
    let size = chars(text);
    match terms.capacity {
        Some(most) if size > most => Err(Reason::OverCapacity(size)),
        _ => Ok(()),
    }
}
