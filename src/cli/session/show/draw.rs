//! What a session keeps, for people.

use super::describe::{Report, Text};
use super::tiers::Tier;
use crate::cli::ui::table::Table;
use crate::cli::ui::words;
use crate::text::Data;
use crate::text::duration;

/// The longest value that is shown, in characters.
const LONGEST: usize = 72;

/// A line for each thing, then the builds.
pub(super) fn draw(report: &Report, fancy: bool) -> String {
    let mut lines = Lines(String::new());
    let newest = report.history.last().map_or(report.build, |b| b.build);
    lines.add("session", [words::plain(&report.session)]);
    lines.add("manifest", [manifest(report)]);
    lines.add("created", [report.created.clone()]);
    lines.add("used", [report.used.clone()]);
    let of = if report.build == newest {
        "the newest"
    } else {
        "not the newest"
    };
    let imported = match report.imported {
        true => ", imported",
        false => "",
    };
    lines.add("build", [format!("{}, {of}{imported}", report.build)]);
    lines.add("texts", report.texts.iter().map(text));
    match &report.tiers {
        None => lines.add("tiers", ["the plan is not of this release".to_owned()]),
        Some(tiers) => {
            let frozen = |wanted| tiers.iter().filter(move |t| t.frozen == wanted);
            lines.add("frozen", frozen(true).map(tier));
            lines.add("live", frozen(false).map(tier));
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
    lines.add("identity", who);
    lines.add("refresh", refresh(report));
    let given = &report.given;
    lines.add("folder", given.folder.iter().map(|f| words::plain(f)));
    lines.add("scenario", given.scenario.iter().map(|s| words::plain(s)));
    lines.add("tokenizer", given.tokenizer.iter().map(|t| words::plain(t)));
    let roots = given.roots.iter();
    lines.add(
        "roots",
        roots.map(|r| words::plain(&format!("{} {}", r.root, r.path))),
    );
    let facts = given.facts.iter();
    lines.add(
        "facts",
        facts.map(|(name, value)| format!("{name} {}", shown(value))),
    );
    let private = given.private.iter();
    lines.add(
        "private",
        private.map(|name| format!("{name}, whose value is not kept")),
    );
    lines.add(
        "hinted",
        report.hinted.iter().map(|folder| words::plain(folder)),
    );
    lines.add("told", report.told.clone());
    format!("{}\n{}", lines.0, builds(report, fancy))
}

/// Lines with a name in front; of several under one name only the first has it.
struct Lines(String);

impl Lines {
    fn add(&mut self, name: &str, values: impl IntoIterator<Item = String>) {
        for (at, value) in values.into_iter().enumerate() {
            let name = if at == 0 { name } else { "" };
            self.0.push_str(format!("{name:<9}  {value}").trim_end());
            self.0.push('\n');
        }
    }
}

fn manifest(report: &Report) -> String {
    let path = report
        .manifest
        .as_deref()
        .unwrap_or("it is not known which");
    words::plain(&match &report.prompt {
        Some(name) => format!("{name}, {path}"),
        None => path.to_owned(),
    })
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
    let events = refresh
        .events
        .iter()
        .map(|e| format!("on the event {}", words::plain(e)));
    let idle = refresh.idle_seconds.iter();
    let idle = idle.map(|idle| format!("after {} without use", duration::written(*idle)));
    let facts = refresh.facts.iter();
    let facts = facts.map(|(name, value)| format!("when {name} is no longer {}", shown(value)));
    let all: Vec<String> = events.chain(idle).chain(facts).collect();
    match all.is_empty() {
        true => vec!["with --refresh only".to_owned()],
        false => all,
    }
}

/// A value as JSON, cut where it is long.
fn shown(value: &Data) -> String {
    let text = words::plain(&value.to_string());
    match text.char_indices().nth(LONGEST) {
        None => text,
        Some((at, _)) => format!("{}… ({})", &text[..at], words::count(text.len(), "byte")),
    }
}

fn builds(report: &Report, fancy: bool) -> String {
    let counted = report.history.iter().any(|b| b.tokens.is_some());
    let heads = [">build", "at", "reason", ">bytes", ">tokens"];
    let mut table = Table::new(fancy, &heads[..if counted { 5 } else { 4 }]);
    for build in &report.history {
        let tokens = build.tokens.map_or(String::new(), words::thousands);
        let row = [
            build.build.to_string(),
            build.built.clone(),
            words::plain(&build.reason),
            build.bytes.map_or_else(|| "?".to_owned(), words::thousands),
        ];
        table.row(row.into_iter().chain(counted.then_some(tokens)));
    }
    table.draw()
}
