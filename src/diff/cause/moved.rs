//! Members of a layer that the manifest puts elsewhere.

use super::super::change::What;
use super::super::mention;
use super::super::model::Cause;
use super::super::side::Side;
use super::case::Case;
use crate::prompt::{DefinitionNode, Ingredient, Span};

impl<'p> Case<'_, 'p> {
    /// The edits that put a node elsewhere: taken away at one place, it stands at another.
    pub(super) fn moves(&self) -> Vec<Cause> {
        let texts = |side: &Side<'p>, pick: fn(What<'p>) -> Option<usize>| -> Vec<&'p str> {
            let nodes = side.definition().map_or(&[][..], |d| &d.nodes);
            let edits = self.changes.direct.iter().filter_map(|c| pick(c.what));
            edits.map(|i| nodes[i].text.as_str()).collect()
        };
        let taken = texts(self.a, |what| match what {
            What::Edit(old, _) => old,
            _ => None,
        });
        let put = texts(self.b, |what| match what {
            What::Edit(_, new) => new,
            _ => None,
        });
        self.edits(|node| taken.contains(&&*node.text) && put.contains(&&*node.text))
    }

    /// Where only one side has something more, the other goes on with what both have. The edits that put that there, if it was
    /// not next before: something that stood in front of it on the one side stands behind it on the other.
    pub(super) fn overtook(&self) -> Vec<Cause> {
        let (in_a, in_b) = (self.front.a.is_empty(), self.front.b.is_empty());
        let (hunk, a, b) = (&self.hunk, self.a, self.b);
        let crossed = match (in_a, in_b) {
            (true, false) => crosses(&members(a, hunk.a.start), &members(b, hunk.b.start)),
            (false, true) => crosses(&members(b, hunk.b.start), &members(a, hunk.a.start)),
            _ => false,
        };
        match crossed {
            true => self.moves(),
            false => Vec::new(),
        }
    }
}

/// Whether the first of `here` stands further down there, behind something that here stands behind it.
fn crosses(here: &[Option<&str>], there: &[Option<&str>]) -> bool {
    let Some((Some(first), behind)) = here.split_first() else {
        return false;
    };
    let at = there.iter().position(|m| m.as_ref() == Some(first));
    let front = at.map_or(&[][..], |at| &there[..at]);
    front.iter().any(|m| m.is_some() && behind.contains(m))
}

/// The members of groups whose bytes the spans from `start` on are, by what the manifest says.
fn members<'p>(side: &Side<'p>, start: usize) -> Vec<Option<&'p str>> {
    let spans = side.spans().get(start..).unwrap_or_default();
    spans.iter().map(|span| member(side, span)).collect()
}

/// Whether a span is of the layer's content: of a document, or of a member of a group.
pub(super) fn of_content(side: &Side<'_>, span: &Span) -> bool {
    let document = matches!(
        side.ingredient(span.ingredient),
        Some(Ingredient::Document { .. })
    );
    document || member(side, span).is_some()
}

fn member<'p>(side: &Side<'p>, span: &Span) -> Option<&'p str> {
    let nodes = &side.definition()?.nodes;
    let named = |reads: &dyn Fn(&DefinitionNode) -> bool| nodes.iter().find(|n| reads(n));
    let node = match side.ingredient(span.ingredient)? {
        Ingredient::Literal { line, .. }
        | Ingredient::Template {
            line: Some(line), ..
        } => {
            let node = nodes.get(side.node(*line, side.bytes(span))?);
            // Labels, wraps and marks belong to what they stand at.
            let whole = |n: &&DefinitionNode| ["text", "template"].contains(&n.said().name);
            node.filter(whole)
        }
        Ingredient::Template { file, .. } => {
            named(&|n| n.is("template") && n.said().values().any(|value| value.is(file)))
        }
        Ingredient::Document { path, .. } => named(&|n| mention::names(n, path)),
        _ => None,
    };
    // What stands directly in the layer is around all else, or alone.
    node.filter(|n| n.depth > 1).map(|n| n.text.as_str())
}
