//! Requests for people: a list of them, and what broke.

use super::cause;
use super::change;
use super::document::{Block, Document, Fact, Facts};
use super::hunk::{Extent, ended, hunk};
use super::table::Table;
use super::text::{Style, Text};
use super::words::{count, thousands};
use crate::project::capture::{RequestBill, RequestComparison, Said};
use crate::request::usage::Why;
use crate::request::whole::{
    Action, Advice, Agent, Cause, Confidence, Judge, Kind, State, ToolChanges, without_hashes,
};
use crate::text::Json;
use std::collections::BTreeMap;

/// A line for each request.
#[must_use]
pub(crate) fn list(all: &[RequestComparison]) -> Document {
    let mut out = Document::new();
    let mut table = Table::new(&[">#", "chain", ">gap", "state", ">reused", "cause"]);
    for one in all {
        table.row([
            one.b.to_string(),
            one.chain.clone(),
            one.gap.map(gap).unwrap_or_default(),
            state(one.state).to_owned(),
            share(one),
            brief(one),
        ]);
    }
    out.push(table);
    out.line(summary(all));
    out
}

/// The breaks, request by request, with the whole texts that changed if they are there; requests that only grew are counted.
#[must_use]
pub(crate) fn comparisons(all: &[RequestComparison]) -> Document {
    let mut out = Document::new();
    let says = |one: &&RequestComparison| {
        let lost = |why: Why| one.bill.as_ref().is_some_and(|bill| bill.lost(why) > 0);
        let broke = matches!(
            one.state,
            State::Broken | State::Expired | State::Concurrent
        );
        broke || lost(Why::Evicted) || all.len() == 1
    };
    let mut fixes = Fixes::default();
    for advice in (all.iter().filter(says).flat_map(|one| &one.causes)).flat_map(|c| &c.advice) {
        *fixes.entry(advice).or_default() += 1;
    }
    for one in all.iter().filter(says) {
        let before = after(one);
        let agent = one.agent.as_ref().map(named);
        let ran = one.ran.as_ref().map(|ran| format!(", ran on {ran}"));
        out.heading(
            Text::new()
                .words(format!("#{}", one.b))
                .words(format!("{before}  {}  {}", one.chain, one.model))
                .words(ran.unwrap_or_default())
                .words(agent.map(|agent| format!("  {agent}")).unwrap_or_default()),
        );
        let mut facts = Vec::new();
        facts.push(Fact::new("state", state(one.state)));
        if let Some(reason) = &one.reason {
            facts.push(Fact::new("", reason.as_str()));
        }
        if one.state == State::First {
            facts.push(Fact::new("", "nothing to share yet"));
        }
        causes(one, &mut facts, &mut fixes);
        let proven = one.proven.iter().flat_map(|found| &found.causes);
        facts.extend(proven.map(|cause| Fact::new("because", cause::whole(cause))));
        if one.a.is_some() && one.state.is_compared() {
            let text = format!(
                "{} of {} bytes of #{}",
                share(one),
                one.reused.of,
                one.a.unwrap_or_default()
            );
            facts.push(Fact::new("reused", text));
        }
        facts.extend(
            one.edits
                .iter()
                .map(|edit| Fact::new("server", edited(edit))),
        );
        let ToolChanges { added, removed } = &one.tool_changes;
        for (word, names) in [("added", added), ("removed", removed)] {
            if !names.is_empty() {
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                let text = format!("{word} in the messages: {}", names.join(", "));
                facts.push(Fact::new("tools", text));
            }
        }
        facts.extend(
            one.bill
                .iter()
                .map(|bill| Fact::new("billed", billed(bill))),
        );
        if let Some(said) = &one.diagnosis {
            facts.push(Fact::new(judge(said), diagnosed(said)));
        }
        out.facts(Facts {
            facts,
            ..Facts::default()
        });
        out.extend(texts(one));
    }
    out.line(summary(all));
    diagnoses(all).for_each(|line| out.line(line));
    out
}

/// The texts that changed.
fn texts(one: &RequestComparison) -> impl Iterator<Item = Block> {
    let changed = one.causes.iter().zip(&one.texts);
    changed.filter_map(|(cause, texts)| {
        if texts.iter().all(Option::is_none) {
            return None;
        }
        let texts = without_hashes(&cause.at, texts.each_ref().map(Option::as_deref));
        let [old, new] = ended(texts.map(Option::unwrap_or_default));
        Some(hunk(cause.at.clone(), [&old, &new], Extent::Full).into())
    })
}

/// The values of a cause for people: no hash stands for what was not kept, and an empty line is one more line feed.
pub(super) fn values(cause: &Cause) -> [Option<String>; 2] {
    let values = [&cause.old, &cause.new].map(|value| match value.as_deref() {
        Some("") => Some("\n"),
        value => value,
    });
    without_hashes(&cause.at, values)
}

/// The change of a cause in words, in so many columns for each value; empty if it has none.
pub(super) fn change(cause: &Cause, columns: usize) -> String {
    let [old, new] = values(cause);
    change::drawn(
        old.as_deref(),
        new.as_deref(),
        &change::UNICODE,
        Some(columns),
    )
}

/// The lines of a cause, each after its sign, in so many columns.
pub(super) fn lines(cause: &Cause, columns: usize) -> [Option<String>; 2] {
    let values = values(cause);
    [0, 1].map(|side| {
        values[side].as_ref()?;
        Some(change::side(side, &values, &change::UNICODE, Some(columns)))
    })
}

/// The values of a cause, each on a line of its own.
pub(super) fn both(values: [Option<String>; 2]) -> impl Iterator<Item = Fact> {
    let sides = (0..values.len()).filter(|side| values[*side].is_some());
    let sides: Vec<usize> = sides.collect();
    let of = move |side| Fact::new("", Text::new().side(side, values.clone())).brief();
    sides.into_iter().map(of)
}

/// The request that one is compared with, in words; empty without one.
pub(super) fn after(one: &RequestComparison) -> String {
    let word = if one.across { "like" } else { "after" };
    let number = one.a.map(|a| format!(", {word} #{a}"));
    number.unwrap_or_default()
}

/// The billed tokens, and those that could have been read from the cache.
fn billed(bill: &RequestBill) -> String {
    let number = |n: u64| thousands(usize::try_from(n).unwrap_or(usize::MAX));
    let mut out = format!(
        "{} of {} tokens read",
        number(bill.read),
        number(bill.input)
    );
    for lost in &bill.lost {
        let cost = lost.cost.map(|cost| format!(" ({})", cost.0));
        let (name, tokens) = (lost.cause.name(), number(lost.tokens));
        out.push_str(&format!("; {name} {tokens}{}", cost.unwrap_or_default()));
    }
    out
}

/// The changes, and how to fix them.
fn causes(one: &RequestComparison, facts: &mut Vec<Fact>, fixes: &mut Fixes<'_>) {
    for (at, cause) in one.causes.iter().enumerate() {
        let word = if at == 0 { "cause" } else { "also" };
        facts.push(Fact::new(word, told(cause)));
        if let Some(source) = &cause.source {
            let sure = match source.confidence {
                Confidence::Marker => "the agent printed its path",
                Confidence::Lines => "with the lines around it",
                Confidence::Line => "no other file has the line",
            };
            let place = format!("{}:{} ({sure})", source.path, source.line);
            facts.push(Fact::new("", place));
        }
        facts.extend(both(values(cause)));
        facts.extend(cause.advice.iter().flat_map(|advice| fix(advice, fixes)));
    }
}

/// The fixes, each with the number of its causes; fixes that were shown are removed.
type Fixes<'a> = BTreeMap<&'a Advice, usize>;

/// A fix, if it was not shown yet.
fn fix(advice: &Advice, fixes: &mut Fixes<'_>) -> Vec<Fact> {
    let Some(count) = fixes.remove(advice) else {
        return Vec::new();
    };
    let times = match count {
        1 => String::new(),
        more => format!(" ({} of these causes)", thousands(more)),
    };
    vec![
        Fact::new("fix", format!("{}{times}", remedy(advice))),
        Fact::new("", evidence(advice)),
    ]
}

/// An advice in words.
pub(super) fn remedy(advice: &Advice) -> String {
    format!("{}: {}", action(advice), advice.text)
}

/// The action of an advice, without its reason.
pub(super) fn action(advice: &Advice) -> String {
    match &advice.action {
        Action::Setting(setting) => format!("set {setting}"),
        Action::Edit(edit) => edit.clone(),
        Action::Version(version) => format!("update to {version}"),
    }
}

/// The source of an advice in words.
pub(super) fn evidence(advice: &Advice) -> String {
    format!("{}, read on {}", advice.source, advice.day)
}

fn summary(all: &[RequestComparison]) -> Text {
    let counted = count(all.len(), "request");
    let words = totals(all);
    if words.is_empty() {
        return Text::new().words(counted);
    }
    let text = Text::new().words(format!("{counted}: "));
    if !all.iter().any(|one| one.state == State::Broken) {
        text.words(words)
    } else {
        text.styled(Style::Error, words)
    }
}

/// The most requests that are listed by their numbers.
const MOST_LISTED: usize = 10;

/// How many diagnoses agree, in a line for the providers and one for the client.
fn diagnoses(all: &[RequestComparison]) -> impl Iterator<Item = String> {
    let by_whom = [
        (Judge::Provider, "providers"),
        (Judge::Client, "the client"),
    ];
    let by_whom = by_whom.into_iter();
    by_whom.filter_map(|(by, whose)| diagnoses_by(all, by, whose))
}

/// How many of the diagnoses of such a judge agree, and the requests of which one does not; none without any.
fn diagnoses_by(all: &[RequestComparison], by: Judge, whose: &str) -> Option<String> {
    let said = all.iter().filter_map(|one| {
        let said = one.diagnosis.as_ref().filter(|said| said.by == by)?;
        Some((one.b, said.agrees))
    });
    let said: Vec<(usize, Option<bool>)> = said.collect();
    let of = |agrees| said.iter().filter(move |(_, said)| *said == agrees);
    if said.is_empty() {
        return None;
    }
    let mut words = vec![format!("{} as here", thousands(of(Some(true)).count()))];
    let others: Vec<String> = of(Some(false))
        .map(|(number, _)| format!("#{number}"))
        .collect();
    if !others.is_empty() {
        let mut list = others[..others.len().min(MOST_LISTED)].join(", ");
        if others.len() > MOST_LISTED {
            list.push_str(", …");
        }
        let verb = if others.len() == 1 {
            "differs"
        } else {
            "differ"
        };
        words.push(format!("{} {verb} ({list})", thousands(others.len())));
    }
    let none = of(None).count();
    if none > 0 {
        let verb = if none == 1 { "names" } else { "name" };
        words.push(format!("{} {verb} no part", thousands(none)));
    }
    let counted = match said.len() {
        1 => "1 diagnosis".to_owned(),
        more => format!("{} diagnoses", thousands(more)),
    };
    Some(format!("{counted} of {whose}: {}", words.join(", ")))
}

/// The number of requests of each state, in words.
pub(super) fn totals<'a>(all: impl IntoIterator<Item = &'a RequestComparison>) -> String {
    let words = [
        "broken",
        "expired",
        "unproven",
        "extended or the same",
        "shared with another chain",
        "at the same time",
        "first of a chain",
        "incomplete",
        "failed",
    ];
    let mut counts = [0; 9];
    for one in all {
        let at = match one.state {
            State::Broken => 0,
            State::Expired => 1,
            State::Unproven => 2,
            State::Extended | State::Same => 3,
            State::Shared => 4,
            State::Concurrent => 5,
            State::First => 6,
            State::Incomplete => 7,
            State::Failed => 8,
        };
        counts[at] += 1;
    }
    let words = counts.iter().zip(words).filter(|(n, _)| **n > 0);
    let words: Vec<String> = words
        .map(|(n, word)| format!("{} {word}", thousands(*n)))
        .collect();
    words.join(", ")
}

/// Who made a diagnosis, in a word.
pub(super) fn judge(said: &Said) -> &'static str {
    match said.by {
        Judge::Provider => "provider",
        Judge::Client => "client",
    }
}

/// A diagnosis, in words.
pub(super) fn diagnosed(said: &Said) -> String {
    let agrees = match said.agrees {
        Some(true) => ", as here",
        Some(false) => ", which differs from the cause found here",
        None => "",
    };
    format!("{}{agrees}", said.reason)
}

/// An edit of the server, as it says it.
pub(super) fn edited(edit: &Json) -> String {
    let name = edit
        .get("type")
        .and_then(Json::as_text)
        .unwrap_or("an edit");
    let others = edit.members().iter().filter(|(key, _)| &**key != "type");
    let others = others.map(|(key, value)| format!(", {key} {}", value.canonical()));
    format!("{name}{}", others.collect::<String>())
}

/// An agent in words.
pub(super) fn named(agent: &Agent) -> String {
    let version = agent.version.as_ref().map(|version| format!(" {version}"));
    format!("{}{}", agent.name, version.unwrap_or_default())
}

/// The name of a state.
pub(super) fn state(state: State) -> &'static str {
    match state {
        State::First => "first",
        State::Shared => "shared",
        State::Concurrent => "concurrent",
        State::Same => "same",
        State::Extended => "extended",
        State::Unproven => "unproven",
        State::Expired => "expired",
        State::Broken => "broken",
        State::Incomplete => "incomplete",
        State::Failed => "failed",
    }
}

/// The reused part of the request before; empty if there is none.
pub(super) fn share(one: &RequestComparison) -> String {
    match (one.a, one.reused.of) {
        (None, _) | (_, 0) => String::new(),
        (Some(_), of) => format!("{} %", one.reused.bytes * 100 / of),
    }
}

/// The first cause in words, and how many more there are.
pub(super) fn brief(one: &RequestComparison) -> String {
    match (one.causes.as_slice(), &one.reason) {
        ([], reason) => reason.clone().unwrap_or_default(),
        ([first], _) => told(first),
        ([first, rest @ ..], _) => format!("{} (and {} more)", told(first), rest.len()),
    }
}

/// A time in words.
pub(super) fn gap(seconds: f64) -> String {
    match seconds {
        s if s < 120.0 => format!("{s:.0} s"),
        s if s < 7_200.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3_600.0),
    }
}

/// A cause in words.
pub(super) fn told(cause: &Cause) -> String {
    let mut words = format!("{} {}", cause.kind.name(), cause.at);
    if let Some(path) = cause.path.as_deref().filter(|path| !path.is_empty()) {
        words.push_str(&format!(" at {path}"));
    }
    if let Some(role) = &cause.role {
        words.push_str(&format!(" ({role})"));
    }
    if let Some(block) = cause.block {
        let kind = cause.block_type.as_deref();
        let kind = kind.map(|kind| format!(" ({kind})")).unwrap_or_default();
        if block > 0 || !kind.is_empty() {
            words.push_str(&format!(", block {block}{kind}"));
        }
    }
    if let Some(line) = cause.line {
        words.push_str(&format!(", line {line}"));
    }
    if let Some(layer) = &cause.layer {
        words.push_str(&format!(", layer `{layer}`"));
    }
    if let Some(section) = &cause.section {
        words.push_str(&format!(", under `{section}`"));
    }
    if let Some(count) = cause.count.filter(|count| *count > 1) {
        words.push_str(&format!(", {count} messages"));
    }
    if let (Some(gap), Kind::Concurrent) = (cause.gap, cause.kind) {
        let gap = self::gap(gap);
        words.push_str(&format!(": {gap} after it, before its answer began"));
    }
    if let (Some(gap), Some(ttl)) = (cause.gap, cause.ttl) {
        words.push_str(&format!(
            ": {}, and it lives {}",
            self::gap(gap),
            self::gap(ttl as f64)
        ));
    }
    words
}
