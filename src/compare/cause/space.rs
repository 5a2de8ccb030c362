//! Changes of which nothing but white space differs at the break.

use super::super::excerpt;
use super::super::model::{Cause, CauseKind};
use super::super::rows::{OwnedRun, Owner, Slot};
use super::super::side::Side;
use super::case::{Case, is_about};
use crate::prompt::Ingredient;
use crate::text::prefix;
use std::collections::BTreeSet;

impl<'p> Case<'_, 'p> {
    /// Names a lone cause `whitespace-only` if that is all that differs there.
    pub(super) fn space(&self, causes: &mut [Cause], slot: &Slot) {
        let [cause] = causes else {
            return;
        };
        let only = match cause.kind {
            // An import that came or went is no white space.
            CauseKind::DocumentChanged if self.imports_differ(cause) => false,
            CauseKind::DocumentChanged if !self.is_cut(cause) => {
                excerpt::only_space(self.a, self.b, |i| is_about(cause, i))
                    || slot.paired && self.only_space_of(slot)
            }
            CauseKind::DocumentChanged => {
                // What a cut shows less of it says nothing.
                let text = |in_a| self.rows.side(in_a)[slot.side(in_a)].iter().map(|p| p.text);
                let (x, y): (String, String) = (text(true).collect(), text(false).collect());
                let at = prefix::common(&x, &y);
                let next = [&x, &y].map(|text| text[at..].chars().next());
                let white = next.iter().flatten().any(|c| c.is_whitespace());
                let [x, y] = [x, y].map(|t| excerpt::blankless(&t).collect::<String>());
                let alike = x.starts_with(&y) || y.starts_with(&x);
                slot.paired && alike && white && next.iter().all(Option::is_some)
            }
            CauseKind::TemplateChanged | CauseKind::LayerEdited => {
                // What a budget cuts goes with its mark.
                let cuts = self.edits(|node| node.is("budget")).contains(cause);
                let text = |in_a| -> String {
                    let (own, rest) = self.rows.side(in_a).split_at(slot.side(in_a).end);
                    let is_mark = |p: &&OwnedRun<'p>| cuts && matches!(p.owner, Owner::Mark(_));
                    let own = own[slot.side(in_a).start..].iter();
                    own.chain(rest.first().filter(is_mark))
                        .map(|p| p.text)
                        .collect()
                };
                let (x, y) = (text(true), text(false));
                x != y && excerpt::blankless(&x).eq(excerpt::blankless(&y))
            }
            _ => false,
        };
        if only && self.a.present.is_some() && self.b.present.is_some() {
            cause.kind = CauseKind::WhitespaceOnly;
        }
    }

    /// Whether only white space differs in the text that the reading of a document at a place gave each side.
    fn only_space_of(&self, slot: &Slot) -> bool {
        let [x, y] = [(true, slot.a.start), (false, slot.b.start)].map(|(in_a, at)| {
            let [side, _] = self.sides(in_a);
            let own = side.spans().get(self.rows.side(in_a)[at].spans.start);
            let own = own.map(|span| span.ingredient);
            let spans = side.spans().iter();
            let spans = spans.filter(|s| Some(s.ingredient) == own && s.offset.is_some());
            spans.map(|s| side.bytes(s)).collect::<String>()
        });
        x != y && excerpt::blankless(&x).eq(excerpt::blankless(&y))
    }

    /// Whether the document that a cause names imports others on the two sides.
    fn imports_differ(&self, cause: &Cause) -> bool {
        let imported = |side: &Side<'p>| -> BTreeSet<&'p str> {
            let paths = side.ingredients().iter().filter_map(|i| match i {
                Ingredient::Document {
                    path, imported_by, ..
                } if imported_by.is_some() && *imported_by == cause.path => Some(path.as_str()),
                _ => None,
            });
            paths.collect()
        };
        imported(self.a) != imported(self.b)
    }
}
