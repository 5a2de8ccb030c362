//! A stored session, for people.

use crate::project::sessions::describe::{Report, Text};
use crate::project::sessions::tiers::Tier;
use crate::report::{Document, Facts, Table, words};
use crate::text::Json;
use crate::text::duration;

/// The longest value that is shown, in characters.
const LONGEST: usize = 72;

/// A line for each thing, then the builds.
pub(super) fn draw(report: &Report) -> Document {
    let mut lines = Facts {
        least: 9,
        ..Facts::default()
    };
    let newest = report.history.last().map_or(report.build, |b| b.build);
    lines.each("session", [report.session.as_str()]);
    lines.each("manifest", [manifest(report)]);
    lines.each("created", [report.created.clone()]);
    lines.each("used", [report.used.clone()]);
    let of = if report.build == newest {
        "the newest"
    } else {
        "not the newest"
    };
    let imported = if report.imported { ", imported" } else { "" };
    lines.each("build", [format!("{}, {of}{imported}", report.build)]);
    lines.each("texts", report.texts.iter().map(text));
    match &report.tiers {
        None => lines.each("tiers", ["the plan is from another release"]),
        Some(tiers) => {
            let frozen = |wanted| tiers.iter().filter(move |t| t.frozen == wanted);
            lines.each("frozen", frozen(true).map(tier));
            lines.each("live", frozen(false).map(tier));
        }
    }
    let who = report
        .identity
        .iter()
        .map(|who| match (&who.value, who.private) {
            (_, true) => format!("{}, private", who.fact),
            (Some(value), false) => format!("{} {}", who.fact, shown(value)),
            (None, false) => format!("{}, missing", who.fact),
        });
    lines.each("identity", who);
    lines.each("refresh", refresh(report));
    let given = &report.given;
    lines.each("folder", given.folder.iter());
    lines.each("scenario", given.scenario.iter());
    lines.each("tokenizer", given.tokenizer.iter());
    let roots = given.roots.iter();
    lines.each("roots", roots.map(|r| format!("{} {}", r.root, r.path)));
    let facts = given.facts.iter();
    lines.each(
        "facts",
        facts.map(|(name, value)| format!("{name} {}", shown(value))),
    );
    let private = given.private.iter();
    lines.each(
        "private",
        private.map(|name| format!("{name}, whose value is not stored")),
    );
    lines.each("directory rules", report.directory_rules.iter());
    lines.each("directory_rules", report.told.as_deref());
    let mut out = Document::new();
    out.facts(lines);
    out.push(builds(report));
    out
}

fn manifest(report: &Report) -> String {
    let path = report.manifest.as_deref().unwrap_or("unknown");
    match &report.prompt {
        Some(name) => format!("{name}, {path}"),
        None => path.to_owned(),
    }
}

fn text(text: &Text) -> String {
    let tokens = text
        .tokens
        .map(|n| format!(", {}", words::count(n, "token")));
    let bytes = words::count(text.bytes, "byte");
    format!("{} {bytes}{}", text.channel, tokens.unwrap_or_default())
}

fn tier(tier: &Tier) -> String {
    let bytes = tier.bytes.map(|n| format!(", {}", words::count(n, "byte")));
    let (name, deliver, changes) = (&tier.tier, tier.channel, tier.changes);
    format!("{name} ({deliver}, {changes}{})", bytes.unwrap_or_default())
}

fn refresh(report: &Report) -> Vec<String> {
    let refresh = &report.refresh;
    let events = refresh.events.iter().map(|e| format!("on the event {}", e));
    let idle = refresh.idle_seconds.iter();
    let idle = idle.map(|idle| format!("after {} without use", duration::written(*idle)));
    let facts = refresh.facts.iter();
    let facts = facts.map(|(name, value)| format!("when {name} is no longer {}", shown(value)));
    let all: Vec<String> = events.chain(idle).chain(facts).collect();
    if all.is_empty() {
        vec!["with --refresh only".to_owned()]
    } else {
        all
    }
}

/// A value as JSON, cut where it is long.
fn shown(value: &Json) -> String {
    let text = words::plain(&value.to_string());
    match text.char_indices().nth(LONGEST) {
        None => text,
        Some((at, _)) => format!("{}… ({})", &text[..at], words::count(text.len(), "byte")),
    }
}

fn builds(report: &Report) -> Table {
    let counted = report.history.iter().any(|b| b.tokens.is_some());
    let heads = [">build", "at", "reason", ">bytes", ">tokens"];
    let mut table = Table::new(&heads[..if counted { 5 } else { 4 }]);
    for build in &report.history {
        let tokens = build.tokens.map_or(String::new(), words::thousands);
        let row = [
            build.build.to_string(),
            build.built.clone(),
            build.reason.clone(),
            build.bytes.map_or_else(|| "?".to_owned(), words::thousands),
        ];
        table.row(row.into_iter().chain(counted.then_some(tokens)));
    }
    table
}
