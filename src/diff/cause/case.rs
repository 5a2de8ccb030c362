//! One layer that both manifests have.

use super::super::Ground;
use super::super::change::{Changes, What};
use super::super::excerpt;
use super::super::hunk::{Front, Hunk};
use super::super::model::{Cause, CauseKind};
use super::super::side::Side;
use super::super::values::Values;
use super::moved;
use super::owner::Told;
use crate::prompt::{DefinitionNode, Ingredient, Reason, Span};

/// So many causes of a layer that came or went are told, and then some.
const MOST: usize = 100;

/// One layer that both manifests have.
pub(super) struct Case<'c, 'p> {
    pub(super) a: &'c Side<'p>,
    pub(super) b: &'c Side<'p>,
    pub(super) values: &'c Values<'p>,
    pub(super) ground: Ground<'c, 'p>,
    pub(super) changes: Changes<'p>,
    pub(super) hunk: Hunk,
    pub(super) front: Front<'p>,
}

impl<'c, 'p> Case<'c, 'p> {
    pub(super) fn new(a: &'c Side<'p>, b: &'c Side<'p>, ground: Ground<'c, 'p>) -> Self {
        let hunk = Hunk::first(a, b);
        Self {
            a,
            b,
            values: ground.values,
            ground,
            changes: Changes::of(a, b, ground),
            front: hunk.front(a, b),
            hunk,
        }
    }

    pub(super) fn causes(&self) -> Vec<Cause> {
        let (here, there) = (self.a.present.is_some(), self.b.present.is_some());
        if here && there && self.a.text() == self.b.text() {
            return self.around();
        }
        if let Some(found) = self.gave_way() {
            return found;
        }
        if here != there
            && let Some(found) = self.presence()
        {
            return found;
        }
        let (mut causes, mut cut) = self.owned();
        if causes.is_empty() {
            let dropped = [self.a, self.b]
                .iter()
                .any(|s| s.absent.is_some_and(|x| x.reason == Reason::Dropped));
            cut |= dropped
                || (here && there && self.budgets_differ() && self.changes.flips.is_empty());
            causes = self.decided(cut);
        }
        let mut causes = self.at_a_cut(causes);
        self.space(&mut causes);
        causes
    }

    /// What decided that the layer is there on one side only, if its absence says so by itself.
    fn presence(&self) -> Option<Vec<Cause>> {
        let absent = self
            .a
            .absent
            .filter(|_| self.a.present.is_none())
            .or(self.b.absent)?;
        let found = match absent.reason {
            Reason::Condition => {
                let flips = self.flips();
                match flips.is_empty() {
                    true => self.edits_of_the_layer(),
                    false => flips,
                }
            }
            Reason::Missing | Reason::Empty => {
                let (present, other) = match self.a.present {
                    Some(_) => (self.a, self.b),
                    None => (self.b, self.a),
                };
                let mut causes = Vec::new();
                for span in present.spans() {
                    if causes.len() > MOST {
                        break;
                    }
                    if moved::of_content(present, span)
                        && let Told::Causes(found) = self.told(span, present, other)
                    {
                        add(&mut causes, found);
                    }
                }
                causes
            }
            Reason::Replaced | Reason::Dropped => Vec::new(),
        };
        (!found.is_empty()).then_some(found)
    }

    /// The edits of the layer's own node, where its `when` stands.
    fn edits_of_the_layer(&self) -> Vec<Cause> {
        self.direct(|what| matches!(what, What::Edit(Some(0), Some(0))))
    }

    /// The changes that `pick` picks.
    pub(super) fn direct(&self, pick: impl Fn(What<'p>) -> bool) -> Vec<Cause> {
        let changes = self.changes.direct.iter().filter(|c| pick(c.what));
        changes.map(|c| c.cause.clone()).collect()
    }

    /// The edits of nodes that `pick` picks, on either side.
    pub(super) fn edits(&self, pick: impl Fn(&DefinitionNode) -> bool) -> Vec<Cause> {
        let picked = |side: &Side<'p>, index: Option<usize>| {
            let nodes = side.definition().map(|d| &d.nodes);
            nodes
                .zip(index)
                .and_then(|(n, i)| n.get(i))
                .is_some_and(&pick)
        };
        self.direct(|what| match what {
            What::Edit(old, new) => picked(self.a, old) || picked(self.b, new),
            _ => false,
        })
    }

    /// The text is the same and the join in front of it is not.
    pub(super) fn around(&self) -> Vec<Cause> {
        let found = self.direct(|what| matches!(what, What::Tier));
        let join = |cause: &&Cause| {
            let named = |text: &Option<String>| text.as_ref().is_some_and(|t| t.contains("join"));
            named(&cause.old) || named(&cause.new)
        };
        let joins: Vec<Cause> = found.iter().filter(join).cloned().collect();
        match (joins.is_empty(), found.is_empty()) {
            (false, _) => joins,
            (true, false) => found,
            (true, true) => vec![Cause::new(CauseKind::Unexplained)],
        }
    }

    pub(super) fn flips(&self) -> Vec<Cause> {
        // The layer's own `when` is asked first.
        self.changes
            .flips
            .iter()
            .take(1)
            .map(|f| f.cause.clone())
            .collect()
    }

    /// Names a lone cause `whitespace-only` if that is all that differs.
    fn space(&self, causes: &mut [Cause]) {
        let [cause] = causes else { return };
        let only = match cause.kind {
            CauseKind::DocumentChanged if self.is_cut(cause) => false,
            CauseKind::DocumentChanged => {
                excerpt::only_space(self.a, self.b, |i| is_about(cause, i))
            }
            CauseKind::TemplateChanged | CauseKind::LayerEdited => {
                let text = |side: &Side<'p>, spans: &[Span]| -> String {
                    spans.iter().map(|s| side.bytes(s)).collect()
                };
                let (x, y) = (text(self.a, self.front.a), text(self.b, self.front.b));
                x != y && excerpt::blankless(&x).eq(excerpt::blankless(&y))
            }
            _ => false,
        };
        if only && self.a.present.is_some() && self.b.present.is_some() {
            cause.kind = CauseKind::WhitespaceOnly;
        }
    }

    /// What changed in the layer and is neither a cause nor named as the reason of one.
    pub(super) fn others(&self, causes: &[Cause]) -> Vec<Cause> {
        let same = |x: &Cause, y: &Cause| {
            (&x.root, &x.path, &x.fact, &x.old, &x.new)
                == (&y.root, &y.path, &y.fact, &y.old, &y.new)
        };
        let told = |cause: &Cause| {
            causes
                .iter()
                .any(|c| same(c, cause) || c.because.iter().any(|b| same(b, cause)))
        };
        // A layer that is absent on one side differs by what decides that alone.
        let decides = self.a.present.is_none() || self.b.present.is_none();
        let idle = |cause: &&Cause| {
            let fact = cause.fact.as_ref().filter(|_| decides);
            !fact.is_some_and(|fact| self.changes.idle.contains(fact))
        };
        let direct = self.changes.direct.iter().map(|c| &c.cause).filter(idle);
        let flips = self.changes.flips.iter().map(|f| &f.cause);
        let mut out: Vec<Cause> = Vec::new();
        for cause in flips.chain(direct) {
            let reason = out.iter().any(|c| c.because.contains(cause));
            if !told(cause) && !reason {
                out.push(cause.clone());
            }
        }
        out
    }
}

/// Adds causes that are not there yet.
pub(super) fn add(causes: &mut Vec<Cause>, found: Vec<Cause>) {
    for cause in found {
        if !causes.contains(&cause) {
            causes.push(cause);
        }
    }
}

/// Whether an ingredient is the document that a cause names.
pub(super) fn is_about(cause: &Cause, ingredient: &Ingredient) -> bool {
    match ingredient {
        Ingredient::Document { root, path, .. } => {
            Some(root) == cause.root.as_ref() && Some(path) == cause.path.as_ref()
        }
        _ => false,
    }
}
