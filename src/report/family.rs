//! Prefix families: what their members share, and the layers that part them.

use super::cause;
use super::comparison::{place, word};
use super::document::{Block, Document, Fact};
use super::hunk::{Extent, hunks};
use super::table::Table;
use super::text::Text;
use super::words::{counted, thousands, tokens};
use crate::compare::{Family, Grade, Member};
use crate::project::{Compared, Expected, FamilyChange};
use std::collections::BTreeMap;

/// The members that do not hold: what each shares with the first, the layer that parts them, and both texts.
#[must_use]
pub(crate) fn parted(
    family: &Family,
    grade: &Grade,
    compared: &BTreeMap<usize, Compared>,
) -> Document {
    let mut out = Document::new();
    for (at, member) in grade.members.iter().enumerate() {
        if member.holds {
            continue;
        }
        out.line(short_of(family, member));
        let compared = compared.get(&at).filter(|_| member.layer.is_some());
        let Some((compared, first)) = compared.and_then(|c| Some((c, c.diff.first.as_ref()?)))
        else {
            continue;
        };
        let mut facts = vec![Fact::new("broke", place(first)).alarm().brief()];
        let causes = first.reasons().iter();
        let word = word(first);
        facts.extend(causes.map(|cause| Fact::new(word, cause::whole(cause)).brief()));
        out.facts(facts);
        out.extend(hunks(compared, Extent::Around).into_iter().map(Block::Hunk));
    }
    out
}

/// The part that a member does not share.
fn short_of(family: &Family, member: &Member) -> Text {
    let first = family.members.first().map_or("", String::as_str);
    let text = Text::new().name(&member.scenario);
    let text = match (&family.through, member.reaches) {
        (Some(through), Some(false)) => text
            .words(" leaves ")
            .name(first)
            .words(format!(" before the end of `{}`: ", through.name)),
        _ => text.words(" shares with ").name(first).words(": "),
    };
    let size = match (family.at_least, member.size) {
        (Some((least, unit)), Some(size)) if size < least => {
            let size = counted(size, unit.word());
            format!("{size} of at least {}", thousands(least))
        }
        _ => shared(member),
    };
    text.words(size)
}

/// The part that a member shares with the first.
fn shared(member: &Member) -> String {
    let counted = member.shared.counted();
    counted.map_or_else(String::new, |counted| tokens(&counted))
}

/// Families before and after a change, each under a heading.
#[must_use]
pub(crate) fn changes(all: &[FamilyChange]) -> Document {
    let mut out = Document::new();
    for change in all {
        out.heading(Text::from("prefix family ").name(&change.family));
        let verdict = Fact::new("family", verdict(change));
        let verdict = if change.after.as_ref().is_some_and(|after| !after.holds) {
            verdict.alarm()
        } else {
            verdict
        };
        out.facts(vec![
            verdict,
            Fact::new("expects", expects(&change.expects)),
        ]);
        out.extend(table(change).map(Block::Table));
    }
    out
}

/// Whether it holds now and held before.
fn verdict(change: &FamilyChange) -> &'static str {
    let holds = |grade: &Option<Grade>| grade.as_ref().map(|grade| grade.holds);
    match (holds(&change.before), holds(&change.after)) {
        (Some(true), Some(false)) => "holds in A, but not in B",
        (Some(false), Some(true)) => "holds in B, but not in A",
        (Some(true), Some(true)) => "holds in A and B",
        (Some(false), Some(false)) => "holds neither in A nor in B",
        (None, Some(true)) => "holds in B",
        (None, Some(false)) => "does not hold in B",
        (_, None) => "not known: a member has no text",
    }
}

/// The expectation of the manifest.
fn expects(expected: &Expected) -> Text {
    let through = expected.through.as_ref();
    let through = through.map(|name| format!("all up to the end of `{name}`"));
    let least = expected.at_least.as_ref();
    let least = least.map(|least| format!("at least {}", counted(least.size, least.unit)));
    let what: Vec<String> = through.into_iter().chain(least).collect();
    Text::from("each member shares with ")
        .name(&expected.first)
        .words(format!(": {}", what.join(", ")))
}

/// The part that each member shares with the first, and where it differs in B.
fn table(change: &FamilyChange) -> Option<Table> {
    let columns = ["member", ">in A", ">in B", "leaves it in B at"];
    let mut table = Table::new(&columns).about("why");
    let after = change.after.as_ref()?;
    for (at, member) in after.members.iter().enumerate() {
        let before = change.before.as_ref().and_then(|b| b.members.get(at));
        let before = before.map_or_else(|| "-".to_owned(), shared);
        let layer = match (&member.layer, &member.tier) {
            (Some(layer), Some(tier)) => format!("layer `{layer}` (tier {tier})"),
            (Some(layer), None) => format!("layer `{layer}`"),
            _ => "-".to_owned(),
        };
        table.row([member.scenario.clone(), before, shared(member), layer]);
        if let Some(cause) = member.causes.first().filter(|_| !member.holds) {
            table.below(cause::whole(cause));
        }
    }
    Some(table)
}
