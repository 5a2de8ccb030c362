//! Prefix families: what their members share, and the layers that part them.

use super::cause;
use super::comparison::place;
use super::document::{Block, Document, Fact};
use super::hunk::{Extent, hunks};
use super::text::Text;
use super::words::{counted, thousands, tokens};
use crate::compare::{Family, Grade, Member};
use crate::project::Compared;
use std::collections::BTreeMap;

/// The members that do not hold: what each shares with the first, the layer that parts them, and both texts.
#[must_use]
pub(crate) fn parted(family: &Family, grade: &Grade, compared: &BTreeMap<usize, Compared>) -> Document {
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
        let causes = first.causes.iter();
        facts.extend(causes.map(|cause| Fact::new("cause", cause::whole(cause)).brief()));
        out.facts(facts);
        out.extend(hunks(compared, Extent::Around).into_iter().map(Block::Hunk));
    }
    out
}

/// What a member does not share.
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

/// What a member shares with the first.
fn shared(member: &Member) -> String {
    let counted = member.shared.counted();
    counted.map_or_else(String::new, |counted| tokens(&counted))
}
