//! Why a layer differs: the changed ingredients that own a byte or the decision at its first difference.

use super::Ground;
use super::change::{Change, Changes, What};
use super::excerpt;
use super::hunk::{Front, Hunk};
use super::mention;
use super::model::{Cause, CauseKind};
use super::order::Place;
use super::prefix;
use super::side::Side;
use super::values::Values;
use crate::prompt::{Deliver, Ingredient, Reason, Span, UnusedReason};
use crate::text::SpanKind;

/// The causes of one layer, and what else changed in it.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) causes: Vec<Cause>,
    pub(super) also: Vec<Cause>,
}

/// Why the layer at `place` differs.
pub(super) fn causes<'p>(
    place: Place,
    a: &Side<'p>,
    b: &Side<'p>,
    ground: Ground<'_, 'p>,
) -> Found {
    if let Some(cause) = whole(place, a, b) {
        let also = match place.moved && a.text() != b.text() {
            true => Case::new(a, b, ground).causes(),
            false => Vec::new(),
        };
        return Found {
            causes: vec![cause],
            also,
        };
    }
    let case = Case::new(a, b, ground);
    let causes = case.causes();
    let also = case.others(&causes);
    Found { causes, also }
}

/// Why the layer `name` is there on one side only, for a condition that asks whether it is loaded.
pub(super) fn of_layer(name: &str, ground: Ground<'_, '_>) -> Vec<Cause> {
    let deliver = ground
        .prompts
        .iter()
        .find_map(|p| Some(p.layer(name)?.0.deliver));
    let [a, b] = ground
        .prompts
        .map(|p| Side::of(p, name, deliver.unwrap_or(Deliver::System)));
    let kind = match (a.known(), b.known()) {
        (true, false) => CauseKind::LayerRemoved,
        (false, true) => CauseKind::LayerAdded,
        // Layers ask only for those in front of them; the bound is for artifacts that were made by hand.
        _ if ground.depth < 32 => {
            let deeper = Ground {
                depth: ground.depth + 1,
                ..ground
            };
            return Case::new(&a, &b, deeper).causes();
        }
        _ => return Vec::new(),
    };
    vec![Cause {
        item: Some(name.to_owned()),
        ..Cause::new(kind)
    }]
}

/// The layer as a whole is new, gone, or somewhere else.
fn whole(place: Place, a: &Side<'_>, b: &Side<'_>) -> Option<Cause> {
    let kind = match (a.known(), b.known()) {
        (true, false) => CauseKind::LayerRemoved,
        (false, true) => CauseKind::LayerAdded,
        _ if place.moved || moved_tier(a, b) => CauseKind::LayerMoved,
        _ => return None,
    };
    let definition = b.definition().or(a.definition());
    Some(Cause {
        path: definition.map(|d| d.file.to_string()),
        line: definition.and_then(|d| Some(d.nodes.first()?.line)),
        ..Cause::new(kind)
    })
}

/// Whether the layer keeps its place and its text, and the tier that gives it its join is another.
fn moved_tier(a: &Side<'_>, b: &Side<'_>) -> bool {
    let present = a.present.is_some() && b.present.is_some();
    present && a.tier() != b.tier() && a.text() == b.text()
}

/// One layer that both manifests have.
struct Case<'c, 'p> {
    a: &'c Side<'p>,
    b: &'c Side<'p>,
    values: &'c Values<'p>,
    changes: Changes<'p>,
    hunk: Hunk,
    front: Front<'p>,
}

/// Where the first difference stands, seen from one document.
enum At {
    /// In its bytes, at this offset.
    In(Option<usize>),
    /// Behind the last of them that a budget left.
    Cut,
    /// Not there.
    Elsewhere,
}

/// What the owner of bytes in the hunk says about its cause.
enum Told {
    /// These are it.
    Causes(Vec<Cause>),
    /// A budget decided that the bytes are there or not.
    Cut,
    /// Something else did.
    Nothing,
}

impl<'c, 'p> Case<'c, 'p> {
    fn new(a: &'c Side<'p>, b: &'c Side<'p>, ground: Ground<'c, 'p>) -> Self {
        let hunk = Hunk::first(a, b);
        Self {
            a,
            b,
            values: ground.values,
            changes: Changes::of(a, b, ground),
            front: hunk.front(a, b),
            hunk,
        }
    }

    fn causes(&self) -> Vec<Cause> {
        let (here, there) = (self.a.present.is_some(), self.b.present.is_some());
        if here && there && self.a.text() == self.b.text() {
            return self.around();
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
                let present = if self.a.present.is_some() {
                    self.a
                } else {
                    self.b
                };
                let other = if self.a.present.is_some() {
                    self.b
                } else {
                    self.a
                };
                let mut causes = Vec::new();
                for span in present.spans() {
                    if let Some(Ingredient::Document { root, path, .. }) =
                        present.ingredient(span.ingredient)
                        && let Told::Causes(found) = self.document(root, path, span, present, other)
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
        let own = self
            .changes
            .direct
            .iter()
            .filter(|c| matches!(c.what, What::Edit(Some(0), Some(0))));
        own.map(|c| c.cause.clone()).collect()
    }

    /// The text is the same and the join in front of it is not.
    fn around(&self) -> Vec<Cause> {
        let tier = self.changes.direct.iter();
        let tier = tier.filter(|c| c.what == What::Tier);
        let found: Vec<Cause> = tier.map(|c| c.cause.clone()).collect();
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

    /// What the owners of the bytes at the difference say; and whether a budget decided about any of them.
    fn owned(&self) -> (Vec<Cause>, bool) {
        let mut causes: Vec<Cause> = Vec::new();
        let mut cut = false;
        for (spans, here, there) in [
            (self.front.a, self.a, self.b),
            (self.front.b, self.b, self.a),
        ] {
            for span in spans {
                match self.told(span, here, there) {
                    Told::Causes(found) => {
                        add(&mut causes, found);
                        break;
                    }
                    Told::Cut => {
                        cut = true;
                        break;
                    }
                    Told::Nothing => {}
                }
            }
        }
        (causes, cut)
    }

    fn told(&self, span: &Span, here: &Side<'p>, there: &Side<'p>) -> Told {
        match here.ingredient(span.ingredient) {
            Some(Ingredient::Document { root, path, .. }) => {
                self.document(root, path, span, here, there)
            }
            Some(Ingredient::Fact { name, private, .. }) => {
                match self.changes.get(What::Fact(name)) {
                    Some(cause) => Told::Causes(vec![cause.clone()]),
                    None if *private && self.is_replaced(span, here) => {
                        Told::Causes(vec![private_fact(name)])
                    }
                    None => self.guard(span, here, there),
                }
            }
            Some(Ingredient::Let { name, expression }) => self.binding(name, expression),
            Some(Ingredient::Template {
                file, line: None, ..
            }) => match self.changes.get(What::Template(file)) {
                Some(cause) => Told::Causes(vec![cause.clone()]),
                None => match self.edit_of_template(file, there) {
                    Told::Nothing => self.guard(span, here, there),
                    told => told,
                },
            },
            Some(
                Ingredient::Literal { line, sha256, .. }
                | Ingredient::Template {
                    line: Some(line),
                    sha256,
                    ..
                },
            ) => {
                let known = there.ingredients().iter().any(|i| match i {
                    Ingredient::Literal { sha256: s, .. }
                    | Ingredient::Template { sha256: s, .. } => s == sha256,
                    _ => false,
                });
                match known {
                    true => Told::Nothing,
                    false => match self.edit_at(*line, here) {
                        Some(cause) => Told::Causes(vec![cause]),
                        None => self.guard(span, here, there),
                    },
                }
            }
            None if span.kind == SpanKind::Join && self.front.same_owner => {
                let joins = self.joins();
                match joins.is_empty() {
                    true => Told::Nothing,
                    false => Told::Causes(joins),
                }
            }
            _ => Told::Nothing,
        }
    }

    /// The edits of joins, in the layer or around it.
    fn joins(&self) -> Vec<Cause> {
        let own = self.changes.direct.iter().filter(|c| match c.what {
            What::Edit(old, new) => {
                let joins = |side: &Side<'p>, index: Option<usize>| {
                    let node = side
                        .definition()
                        .zip(index)
                        .and_then(|(d, i)| d.nodes.get(i));
                    node.is_some_and(|n| n.text.contains("join="))
                };
                joins(self.a, old) || joins(self.b, new)
            }
            _ => false,
        });
        let own: Vec<Cause> = own.map(|c| c.cause.clone()).collect();
        match own.is_empty() {
            true => {
                let around = self.around().into_iter();
                around
                    .filter(|c| c.kind != CauseKind::Unexplained)
                    .collect()
            }
            false => own,
        }
    }

    fn document(
        &self,
        root: &str,
        path: &str,
        span: &Span,
        here: &Side<'p>,
        there: &Side<'p>,
    ) -> Told {
        let unused = there.why_unused(root, path);
        if unused == Some(UnusedReason::Condition) {
            // A `where` is asked of the document itself, so behind it; what is not read at all has its `when` in front.
            let asked = self.changes.flips.iter().find(|f| f.of_documents);
            if let Some(flip) = asked.filter(|_| there.document(root, path).is_some()) {
                return Told::Causes(vec![flip.cause.clone()]);
            }
            if let Told::Causes(flips) = self.guard(span, here, there) {
                return Told::Causes(flips);
            }
        }
        if unused == Some(UnusedReason::Budget) {
            return Told::Cut;
        }
        if let Some(cause) = self.changes.get(What::Document(root, path)) {
            return Told::Causes(vec![cause.clone()]);
        }
        match unused {
            Some(UnusedReason::Condition) => match self.guard(span, here, there) {
                Told::Nothing => self.edit_naming(path),
                told => told,
            },
            None | Some(UnusedReason::Missing) if there.document(root, path).is_some() => {
                match self.budgets_differ() {
                    true => Told::Cut,
                    false => Told::Nothing,
                }
            }
            None | Some(UnusedReason::Missing) => match self.edit_naming(path) {
                Told::Nothing => self.fact_naming(path, there),
                told => told,
            },
            Some(_) => Told::Nothing,
        }
    }

    /// A let that is printed: its own edit, else the facts behind it.
    fn binding(&self, name: &str, expression: &str) -> Told {
        if let Some(cause) = self.changes.get(What::Let(name)) {
            return Told::Causes(vec![cause.clone()]);
        }
        let changed = self.changes.direct.iter().filter(|c| match c.what {
            What::Fact(fact) => expression.contains(fact),
            _ => false,
        });
        let found: Vec<Cause> = changed.map(|c| c.cause.clone()).collect();
        match found.is_empty() {
            true => Told::Nothing,
            false => Told::Causes(found),
        }
    }

    /// The flipped condition in front of the bytes: the nearest one, as a layer's ingredients stand in order of use.
    fn guard(&self, span: &Span, here: &Side<'p>, there: &Side<'p>) -> Told {
        let flips = &self.changes.flips;
        let used = span.ingredient.map_or(0, |i| i as usize);
        let before = here.ingredients().get(..used).unwrap_or_default();
        // What both sides have was let through on both.
        if flips.is_empty()
            || here
                .ingredient(span.ingredient)
                .is_some_and(|i| prints(there, i))
        {
            return Told::Nothing;
        }
        let nearest = before.iter().rev().find_map(|i| match i {
            Ingredient::Condition { expression, .. } => {
                flips.iter().find(|f| f.expression == expression)
            }
            _ => None,
        });
        match nearest {
            Some(flip) => Told::Causes(vec![flip.cause.clone()]),
            None => Told::Nothing,
        }
    }

    /// The edit of the node that stands at a line of the manifest of `here`.
    fn edit_at(&self, line: usize, here: &Side<'p>) -> Option<Cause> {
        let nodes = &here.definition()?.nodes;
        let first = nodes.partition_point(|n| n.line < line);
        let own = |c: &&Change<'p>| match c.what {
            What::Edit(old, new) => {
                let index = match std::ptr::eq(here, self.a) {
                    true => old,
                    false => new,
                };
                // On its line, or the last node in front of it: a string can begin lines behind its node.
                index.is_some_and(|i| nodes[i].line == line || i + 1 == first)
            }
            _ => false,
        };
        self.changes
            .direct
            .iter()
            .find(own)
            .map(|c| c.cause.clone())
    }

    /// The edits that took a template file into the layer, or out of it.
    fn edit_of_template(&self, file: &str, there: &Side<'p>) -> Told {
        let runs = |i: &Ingredient| matches!(i, Ingredient::Template { file: f, line: None, .. } if f == file);
        if there.ingredients().iter().any(runs) {
            return Told::Nothing;
        }
        let written = serde_json::Value::from(file).to_string();
        let named = self.changes.direct.iter().filter(|c| match c.what {
            What::Edit(old, new) => {
                let names = |side: &Side<'p>, index: Option<usize>| {
                    let node = side
                        .definition()
                        .zip(index)
                        .and_then(|(d, i)| d.nodes.get(i));
                    node.is_some_and(|n| n.text.contains(&written))
                };
                names(self.a, old) || names(self.b, new)
            }
            _ => false,
        });
        let found: Vec<Cause> = named.map(|c| c.cause.clone()).collect();
        match found.is_empty() {
            true => Told::Nothing,
            false => Told::Causes(found),
        }
    }

    /// The edits of nodes that read `path`.
    fn edit_naming(&self, path: &str) -> Told {
        let node = |side: &Side<'p>, index: Option<usize>| {
            let nodes = &side.definition()?.nodes;
            Some(mention::names(nodes.get(index?)?, path))
        };
        let found: Vec<Cause> = self
            .changes
            .direct
            .iter()
            .filter(|c| match c.what {
                What::Edit(old, new) => {
                    node(self.a, old) == Some(true) || node(self.b, new) == Some(true)
                }
                _ => false,
            })
            .map(|c| c.cause.clone())
            .collect();
        match found.is_empty() {
            true => Told::Nothing,
            false => Told::Causes(found),
        }
    }

    /// A changed fact that stands where names of files stand, if it does not name `path` any more.
    fn fact_naming(&self, path: &str, there: &Side<'p>) -> Told {
        let nodes = there.definition().map_or(&[][..], |d| &d.nodes);
        let named = nodes.iter().flat_map(mention::facts);
        let found: Vec<Cause> = named
            .filter_map(|name| self.changes.get(What::Fact(&name)).cloned())
            .filter(|cause| {
                let fact = cause.fact.as_deref().unwrap_or_default();
                !self.values.names(fact, path, std::ptr::eq(there, self.b))
            })
            .collect();
        match found.is_empty() {
            true => Told::Nothing,
            false => Told::Causes(found),
        }
    }

    fn flips(&self) -> Vec<Cause> {
        // The layer's own `when` is asked first.
        self.changes
            .flips
            .iter()
            .take(1)
            .map(|f| f.cause.clone())
            .collect()
    }

    /// Whether a span's bytes have no like on the other side of the hunk.
    fn is_replaced(&self, span: &Span, here: &Side<'p>) -> bool {
        let (other, side) = match std::ptr::eq(here, self.a) {
            true => (self.hunk.of_b(self.b), self.b),
            false => (self.hunk.of_a(self.a), self.a),
        };
        other.iter().all(|s| side.bytes(s) != here.bytes(span))
    }

    fn budgets_differ(&self) -> bool {
        let budgets = |side: &Side<'p>| -> Vec<Ingredient> {
            let budgets = side.ingredients().iter();
            budgets
                .filter(
                    |i| matches!(i, Ingredient::Budget { before, after, .. } if before != after),
                )
                .cloned()
                .collect()
        };
        budgets(self.a) != budgets(self.b)
    }

    /// Nobody who owns bytes of the hunk changed: what decided that they stand there?
    fn decided(&self, cut: bool) -> Vec<Cause> {
        let of = |pick: fn(&What<'p>) -> bool| -> Vec<Cause> {
            let changes = self.changes.direct.iter().filter(|c| pick(&c.what));
            changes.map(|c| c.cause.clone()).collect()
        };
        let edits = of(|w| matches!(w, What::Edit(..)));
        if cut {
            let budgets = self
                .changes
                .direct
                .iter()
                .filter(|c| self.edits_a_budget(c.what));
            let budgets: Vec<Cause> = budgets.map(|c| c.cause.clone()).collect();
            return match budgets.is_empty() {
                true => self.cut(),
                false => budgets,
            };
        }
        let flips = || self.changes.flips.iter().map(|f| f.cause.clone()).collect();
        let edits = || edits.clone();
        let silent = || self.facts_that_print_nothing();
        let documents = || of(|w| matches!(w, What::Document(..)));
        let rest = || {
            of(|w| {
                matches!(
                    w,
                    What::Fact(..) | What::Template(..) | What::Let(..) | What::Root
                )
            })
        };
        let tier = || of(|w| matches!(w, What::Tier));
        let private = || self.private_facts();
        type Step<'s> = &'s dyn Fn() -> Vec<Cause>;
        // A template's own text comes and goes by what the template asks; all else by what the manifest says.
        let steps: [Step<'_>; 7] = match self.of_templates() {
            false if self.only_moved() => {
                [&edits, &flips, &silent, &documents, &rest, &tier, &private]
            }
            true => [&silent, &documents, &flips, &edits, &rest, &tier, &private],
            false => [&flips, &edits, &silent, &documents, &rest, &tier, &private],
        };
        let found = steps
            .iter()
            .map(|step| step())
            .find(|found| !found.is_empty());
        found.unwrap_or_else(|| vec![Cause::new(CauseKind::Unexplained)])
    }

    /// Whether all that stands at the difference stands on the other side too, at another place.
    fn only_moved(&self) -> bool {
        let known = |spans: &[Span], here: &Side<'p>, there: &Side<'p>| {
            let mut owned = spans.iter().filter_map(|s| here.ingredient(s.ingredient));
            owned.all(|i| prints(there, i))
        };
        let some = !self.front.a.is_empty() || !self.front.b.is_empty();
        some && known(self.front.a, self.a, self.b) && known(self.front.b, self.b, self.a)
    }

    /// Whether only a template's own text stands at the difference.
    fn of_templates(&self) -> bool {
        let of = |spans: &[Span]| spans.iter().all(|s| s.kind == SpanKind::Template);
        of(self.front.a) && of(self.front.b)
    }

    /// Changed facts without a byte in either text: they decide about others.
    fn facts_that_print_nothing(&self) -> Vec<Cause> {
        let prints = |name: &str| {
            [self.a, self.b].iter().any(|side| {
                side.spans()
                    .iter()
                    .any(|s| match side.ingredient(s.ingredient) {
                        Some(Ingredient::Fact { name: n, .. }) => n == name,
                        Some(Ingredient::Let { expression, .. }) => expression.contains(name),
                        _ => false,
                    })
            })
        };
        let silent = self.changes.direct.iter().filter(|c| match c.what {
            What::Fact(name) => !prints(name),
            _ => false,
        });
        let silent: Vec<Cause> = silent.map(|c| c.cause.clone()).collect();
        // What a condition of the manifest asks for is rather that condition's.
        let asked = |cause: &Cause| {
            let mut flips = self.changes.flips.iter();
            flips.any(|f| f.cause.because.contains(cause))
        };
        let own: Vec<Cause> = silent.iter().filter(|c| !asked(c)).cloned().collect();
        if own.is_empty() { silent } else { own }
    }

    fn private_facts(&self) -> Vec<Cause> {
        let mut names: Vec<&str> = Vec::new();
        for ingredient in self.b.ingredients().iter().chain(self.a.ingredients()) {
            if let Ingredient::Fact { name, .. } = ingredient
                && self.values.private(name)
                && !names.contains(&name.as_str())
            {
                names.push(name);
            }
        }
        names.into_iter().map(private_fact).collect()
    }

    /// A cut stands elsewhere: because of whatever changed its size.
    fn cut(&self) -> Vec<Cause> {
        let because: Vec<Cause> = self
            .changes
            .direct
            .iter()
            .filter(|c| !matches!(c.what, What::Tier))
            .map(|c| c.cause.clone())
            .collect();
        let sizes = self.changes.direct.iter().filter(|c| match c.what {
            What::Fact(name) => self.sizes_a_budget(name),
            _ => false,
        });
        let sizes: Vec<Cause> = sizes.map(|c| c.cause.clone()).collect();
        match (sizes.is_empty(), because.is_empty()) {
            (false, _) => sizes,
            (true, true) => self.decided(false),
            (true, false) => vec![self.moved(because)],
        }
    }

    /// Whether an edit is of a budget or its marker.
    fn edits_a_budget(&self, what: What<'p>) -> bool {
        let What::Edit(old, new) = what else {
            return false;
        };
        let is = |side: &Side<'p>, index: Option<usize>| {
            let node = side
                .definition()
                .zip(index)
                .and_then(|(d, i)| d.nodes.get(i));
            node.is_some_and(|n| n.text.starts_with("budget"))
        };
        is(self.a, old) || is(self.b, new)
    }

    /// Whether a fact stands for a number of a budget.
    fn sizes_a_budget(&self, name: &str) -> bool {
        let nodes = self.b.definition().map_or(&[][..], |d| &d.nodes);
        let mut budgets = nodes.iter().filter(|n| n.text.starts_with("budget"));
        budgets.any(|n| mention::facts(n).iter().any(|f| f == name))
    }

    /// `cut-moved`, at the document whose bytes the hunk shows.
    fn moved(&self, because: Vec<Cause>) -> Cause {
        let cut = |side: &Side<'p>, spans: &[Span]| {
            spans
                .iter()
                .find_map(|s| match side.ingredient(s.ingredient) {
                    Some(Ingredient::Document { root, path, .. }) => {
                        Some((root.clone(), path.clone(), s.line))
                    }
                    _ => None,
                })
        };
        let at =
            cut(self.b, self.hunk.of_b(self.b)).or_else(|| cut(self.a, self.hunk.of_a(self.a)));
        let (root, path, line) = match at {
            Some((root, path, line)) => (Some(root), Some(path), line),
            None => (None, None, None),
        };
        Cause {
            root,
            path,
            line,
            because,
            ..Cause::new(CauseKind::CutMoved)
        }
    }

    /// A changed document whose first difference is not in an edited byte but where a budget cut it.
    fn at_a_cut(&self, causes: Vec<Cause>) -> Vec<Cause> {
        let [cause] = causes.as_slice() else {
            return causes;
        };
        if cause.kind != CauseKind::DocumentChanged || !self.is_cut(cause) {
            return causes;
        }
        let of_it = |i: &Ingredient| match i {
            Ingredient::Document { root, path, .. } => {
                Some(root) == cause.root.as_ref() && Some(path) == cause.path.as_ref()
            }
            _ => false,
        };
        let dropped = |side: &Side<'p>| {
            let mut own = side.ingredients().iter().filter(|i| of_it(i));
            own.any(|i| matches!(i, Ingredient::Document { dropped, .. } if *dropped > 0))
        };
        // Where one side has the whole document and the other goes on, it was written on, wherever that is cut then.
        let written_on = match excerpt::meet(self.a, self.b, of_it) {
            [None, Some(_)] => !dropped(self.a),
            [Some(_), None] => !dropped(self.b),
            _ => false,
        };
        let common = prefix::common(self.a.text(), self.b.text());
        let here = |side: &Side<'p>| {
            let at = side.start() + common;
            let spans = side.spans();
            let index = spans.partition_point(|s| s.end <= at);
            let own = |span: &&Span| side.ingredient(span.ingredient).is_some_and(of_it);
            match spans.get(index).filter(own) {
                Some(span) => At::In(span.offset.map(|o| o + (at - span.start))),
                // Its last bytes stand in front, and a budget took what followed.
                None => match index.checked_sub(1).map(|i| &spans[i]).filter(own) {
                    Some(_) if dropped(side) => At::Cut,
                    _ => At::Elsewhere,
                },
            }
        };
        let moved = match (here(self.a), here(self.b)) {
            // An offset that the other side's document does not reach is of bytes that are new, or gone.
            (At::In(Some(x)), At::In(Some(y))) if x != y => {
                x < self.bytes_of(self.b, cause) && y < self.bytes_of(self.a, cause)
            }
            (At::Cut, _) | (_, At::Cut) => !written_on,
            _ => false,
        };
        match moved {
            true => vec![self.moved(causes)],
            false => causes,
        }
    }

    /// The length of the document that a cause names.
    fn bytes_of(&self, side: &Side<'p>, cause: &Cause) -> usize {
        let of_it = |i: &Ingredient| match i {
            Ingredient::Document {
                root, path, bytes, ..
            } => {
                let is = Some(root) == cause.root.as_ref() && Some(path) == cause.path.as_ref();
                is.then_some(*bytes)
            }
            _ => None,
        };
        side.ingredients().iter().find_map(of_it).unwrap_or(0)
    }

    /// Whether a budget took something of the document on either side.
    fn is_cut(&self, cause: &Cause) -> bool {
        let cut = |i: &Ingredient| match i {
            Ingredient::Document {
                root,
                path,
                dropped,
                ..
            } => {
                *dropped > 0
                    && Some(root) == cause.root.as_ref()
                    && Some(path) == cause.path.as_ref()
            }
            _ => false,
        };
        let mut both = self.a.ingredients().iter().chain(self.b.ingredients());
        both.any(cut)
    }

    /// Names a lone cause `whitespace-only` if that is all that differs.
    fn space(&self, causes: &mut [Cause]) {
        let [cause] = causes else { return };
        let only = match cause.kind {
            CauseKind::DocumentChanged if self.is_cut(cause) => false,
            CauseKind::DocumentChanged => excerpt::only_space(self.a, self.b, |i| {
                matches!(i, Ingredient::Document { root, path, .. }
                    if Some(root) == cause.root.as_ref() && Some(path) == cause.path.as_ref())
            }),
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
    fn others(&self, causes: &[Cause]) -> Vec<Cause> {
        let same = |x: &Cause, y: &Cause| {
            (&x.root, &x.path, &x.fact, &x.old, &x.new)
                == (&y.root, &y.path, &y.fact, &y.old, &y.new)
        };
        let told = |cause: &Cause| {
            causes
                .iter()
                .any(|c| same(c, cause) || c.because.iter().any(|b| same(b, cause)))
        };
        let direct = self.changes.direct.iter().map(|c| &c.cause);
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
fn add(causes: &mut Vec<Cause>, found: Vec<Cause>) {
    for cause in found {
        if !causes.contains(&cause) {
            causes.push(cause);
        }
    }
}

/// Whether any byte of `side` is owned by an ingredient like this one. Lines of the manifest do not count: an edit above
/// moves them, and records count them from the layer.
fn prints(side: &Side<'_>, ingredient: &Ingredient) -> bool {
    let alike = |other: &Ingredient| match (ingredient, other) {
        (Ingredient::Literal { sha256: x, .. }, Ingredient::Literal { sha256: y, .. }) => x == y,
        (
            Ingredient::Template {
                sha256: x,
                line: Some(_),
                ..
            },
            Ingredient::Template {
                sha256: y,
                line: Some(_),
                ..
            },
        ) => x == y,
        (x, y) => x == y,
    };
    let mut spans = side.spans().iter();
    spans.any(|s| side.ingredient(s.ingredient).is_some_and(alike))
}

fn private_fact(name: &str) -> Cause {
    Cause {
        fact: Some(name.to_owned()),
        ..Cause::new(CauseKind::FactChanged)
    }
}
