//! Answers and lists for people.

use crate::agent::memory::{Answer, Code, Usage};
use crate::project::memory::list::{Entry, List};
use crate::report::{Document, Facts, Items, Text, words};

/// The outcome of a change, with the message of one that was refused.
pub(super) fn answer(answer: &Answer, message: &str) -> Document {
    let target = answer.target.as_deref().map(|name| format!("`{name}`"));
    let target = target.unwrap_or_else(|| "the memory".to_owned());
    let state = match (&answer.usage, answer.count) {
        (Some(usage), Some(count)) => format!(": {}", filled(usage, count)),
        _ => String::new(),
    };
    let line = match done(answer.code) {
        Some(done) => format!("{done} {target}{state}").into(),
        None => {
            let line = Text::from(format!("{target} is unchanged{state}"));
            line.line_end().text(Text::lines(message))
        }
    };
    let mut facts = Facts::default();
    // Of an undivided file the one entry is all that it has: only a model needs it to go on.
    let entries = answer
        .entries
        .iter()
        .filter(|_| answer.code != Code::Drifted);
    for text in entries.chain(&answer.matches) {
        facts.push("-", Text::lines(text));
    }
    let mut items = vec![(line, below(facts))];
    if answer.omitted > 0 {
        let more = format!("  and {} more", words::thousands(answer.omitted));
        items.push((more.into(), Document::new()));
    }
    if let Some(backup) = &answer.backup {
        let text = match answer.unnamed {
            0 => format!("a copy of the file is next to it: {backup}"),
            n => format!(
                "warning: {} went with it that you did not name; a copy of the file from before is next to it: {backup}",
                words::count(n, "line")
            ),
        };
        items.push((text.into(), Document::new()));
    }
    things(items)
}

fn things(items: Vec<(Text, Document)>) -> Document {
    let mut out = Document::new();
    out.push(Items {
        indent: 0,
        inner: 2,
        items,
    });
    out
}

fn below(facts: Facts) -> Document {
    let mut out = Document::new();
    out.facts(facts);
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
pub(super) fn list(list: &List) -> Document {
    let memories = list.memories.iter().map(|memory| {
        let filled = filled(&memory.usage, memory.count);
        let mut line = Text::from(format!("{}  {}  {filled}", memory.target, memory.path));
        if memory.drifted {
            let drifted = "  changed by another program: entries can only be added";
            line = line.line_end().words(drifted);
        }
        let wide = memory.count.to_string().len();
        let mut facts = Facts::default();
        for entry in &memory.entries {
            facts.push(
                format!("{:>wide$}", entry.number),
                Text::lines(&text(entry)),
            );
        }
        (line, below(facts))
    });
    things(memories.collect())
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
