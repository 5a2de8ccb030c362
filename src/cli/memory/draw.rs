//! Answers and lists for people.

use crate::agent::memory::{Answer, Code, Usage};
use crate::project::memory::list::{Entry, List};
use crate::report::words;
use std::fmt::Write as _;

/// What became of a change, with what is said of one that was refused.
pub(super) fn answer(answer: &Answer, message: &str) -> String {
    let mut out = String::new();
    let target = answer.target.as_deref().map(|name| format!("`{name}`"));
    let target = target.unwrap_or_else(|| "the memory".to_owned());
    let state = match (&answer.usage, answer.count) {
        (Some(usage), Some(count)) => format!(": {}", filled(usage, count)),
        _ => String::new(),
    };
    match done(answer.code) {
        Some(done) => {
            let _ = writeln!(out, "{done} {target}{state}");
        }
        None => {
            let _ = writeln!(out, "{target} is unchanged{state}\n{message}");
        }
    }
    for text in answer.entries.iter().chain(&answer.matches) {
        out.push_str(&item("-", text));
    }
    if answer.omitted > 0 {
        let _ = writeln!(out, "  and {} more", words::thousands(answer.omitted));
    }
    if let Some(backup) = &answer.backup {
        let _ = writeln!(
            out,
            "a copy of the file is kept beside it: {}",
            words::plain(backup)
        );
    }
    out
}

fn done(code: Code) -> Option<&'static str> {
    Some(match code {
        Code::Added => "added to",
        Code::Duplicate => "already in",
        Code::Replaced => "replaced in",
        Code::Removed => "removed from",
        Code::Applied => "all operations done in",
        _ => return None,
    })
}

/// All memories with their entries.
pub(super) fn list(list: &List) -> String {
    let mut out = String::new();
    for memory in &list.memories {
        let (target, file) = (words::plain(&memory.target), words::plain(&memory.path));
        let filled = filled(&memory.usage, memory.count);
        let _ = writeln!(out, "{target}  {file}  {filled}");
        if memory.drifted {
            out.push_str(
                "  changed by something else than this tool: it can be added to and nothing else\n",
            );
        }
        let wide = memory.count.to_string().len();
        for entry in &memory.entries {
            let number = format!("{:>wide$}", entry.number);
            out.push_str(&item(&number, &text(entry)));
        }
    }
    out
}

fn text(entry: &Entry) -> String {
    match &entry.text {
        Some(text) => text.clone(),
        None => format!("[left out: {}; --raw shows it]", entry.findings.join(", ")),
    }
}

/// "3 entries, 190 of 2,200 characters (8 %)".
fn filled(usage: &Usage, count: usize) -> String {
    let entries = match count {
        1 => "1 entry".to_owned(),
        n => format!("{} entries", words::thousands(n)),
    };
    match (usage.capacity, usage.percent) {
        (Some(capacity), Some(percent)) => format!(
            "{entries}, {} of {} ({percent} %)",
            words::thousands(usage.chars),
            words::count(capacity, "character")
        ),
        _ => format!("{entries}, {}", words::count(usage.chars, "character")),
    }
}

/// A text behind a mark, line by line.
fn item(mark: &str, text: &str) -> String {
    let mut out = String::new();
    let mut mark = mark.to_owned();
    for line in text.split('\n') {
        out.push_str(format!("  {mark}  {}", words::plain(line)).trim_end());
        out.push('\n');
        mark = " ".repeat(mark.len());
    }
    out
}
