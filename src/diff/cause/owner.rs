//! What the owners of the bytes at the difference say.

use super::super::change::{Change, What, naming_facts};
use super::super::mention;
use super::super::model::{Cause, CauseKind};
use super::super::side::Side;
use super::case::{Case, add};
use super::decide::private_fact;
use crate::prompt::{DefinitionNode, Ingredient, Span, UnusedReason};
use crate::text::SpanKind;

/// What the owner of bytes in the hunk says about its cause.
pub(super) enum Told {
    /// These are it.
    Causes(Vec<Cause>),
    /// A budget decided that the bytes are there or not.
    Cut,
    /// Something else did.
    Nothing,
}

impl Told {
    /// The causes, if there are any.
    fn of(causes: Vec<Cause>) -> Self {
        match causes.is_empty() {
            true => Self::Nothing,
            false => Self::Causes(causes),
        }
    }

    fn one(cause: &Cause) -> Self {
        Self::Causes(vec![cause.clone()])
    }
}

impl<'p> Case<'_, 'p> {
    /// What the owners of the bytes at the difference say; and whether a budget decided about any of them.
    pub(super) fn owned(&self) -> (Vec<Cause>, bool) {
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
        if !causes.is_empty() {
            add(&mut causes, self.overtook());
        }
        (causes, cut)
    }

    pub(super) fn told(&self, span: &Span, here: &Side<'p>, there: &Side<'p>) -> Told {
        let moves = self.moves();
        if !moves.is_empty() && !self.front.same_owner && stands_elsewhere(span, here, there) {
            return Told::Causes(moves);
        }
        match here.ingredient(span.ingredient) {
            Some(Ingredient::Document { root, path, .. }) => {
                self.document(root, path, span, here, there)
            }
            Some(Ingredient::Fact { name, private, .. }) => {
                match self.changes.get(What::Fact(name)) {
                    Some(cause) => Told::one(cause),
                    None if *private && self.is_replaced(span, here) => {
                        Told::one(&private_fact(name))
                    }
                    None => self.guard(span, here, there),
                }
            }
            Some(Ingredient::Let { name, expression }) => self.binding(name, expression),
            Some(Ingredient::Template {
                file, line: None, ..
            }) => match self.changes.get(What::Template(file)) {
                Some(cause) => Told::one(cause),
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
            ) => self.written(*line, sha256, span, here, there),
            None if span.kind == SpanKind::Join && self.front.same_owner => Told::of(self.joins()),
            _ => Told::Nothing,
        }
    }

    /// The edits of joins, in the layer or around it.
    fn joins(&self) -> Vec<Cause> {
        let own = self.edits(|node| node.said().property("join").is_some());
        if !own.is_empty() {
            return own;
        }
        let around = self.around().into_iter();
        around
            .filter(|c| c.kind != CauseKind::Unexplained)
            .collect()
    }

    /// What stands in the manifest: the condition that asks for it, else its edit, also one that took it elsewhere.
    fn written(
        &self,
        line: usize,
        sha256: &str,
        span: &Span,
        here: &Side<'p>,
        there: &Side<'p>,
    ) -> Told {
        let nodes = here.definition().map_or(&[][..], |d| &d.nodes);
        let node = here.node(line, here.bytes(span));
        if let Some(flip) = node.and_then(|node| self.flip_around(node, here)) {
            return Told::one(flip);
        }
        if let Some(edit) = self.edit_of(here, |n| Some(n) == node) {
            return Told::one(edit);
        }
        let mut others = there.ingredients().iter();
        let known = others.any(|i| match i {
            Ingredient::Literal { sha256: s, .. } | Ingredient::Template { sha256: s, .. } => {
                s == sha256
            }
            _ => false,
        });
        if known {
            return Told::Nothing;
        }
        let beside = |n: usize| node.is_some_and(|node| nodes[n].line == nodes[node].line);
        match self.edit_of(here, beside) {
            Some(edit) => Told::one(edit),
            None => self.guard(span, here, there),
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
            if let Some(flip) = self.asked_of_documents()
                && there.document(root, path).is_some()
            {
                return Told::one(flip);
            }
            if let Told::Causes(flips) = self.guard(span, here, there) {
                return Told::Causes(flips);
            }
        }
        if let Some(flip) = self.asked_of_documents()
            && let Some((root, path)) = renamed(root, path, here, there)
            && there.why_unused(root, path) == Some(UnusedReason::Condition)
        {
            return Told::one(flip);
        }
        if unused == Some(UnusedReason::Budget) {
            return Told::Cut;
        }
        if let Some(cause) = self.changes.get(What::Document(root, path)) {
            return Told::one(cause);
        }
        if unused.is_none() && there.document(root, path).is_none() {
            let mut by = here.importer(root, path);
            // As many steps as documents: a circle is only in artifacts that were made by hand.
            for _ in here.ingredients() {
                let Some(importer) = by else { break };
                if let Some(cause) = self.changes.get(What::Document(root, importer)) {
                    return Told::one(cause);
                }
                by = here.importer(root, importer);
            }
        }
        if unused == Some(UnusedReason::Hidden)
            && let Some(Ingredient::Document {
                item: Some(item), ..
            }) = here.ingredient(span.ingredient)
        {
            return Told::of(self.hidden((root, path), item, here));
        }
        match unused {
            Some(UnusedReason::Condition) => self.edit_naming(path),
            None | Some(UnusedReason::Missing) if there.document(root, path).is_some() => {
                match self.budgets_differ() {
                    true => Told::Cut,
                    // It stands elsewhere there.
                    false => self.edit_naming(path),
                }
            }
            None | Some(UnusedReason::Missing) => match self.edit_naming(path) {
                Told::Nothing => self.fact_naming(path, there),
                told => told,
            },
            Some(_) => Told::Nothing,
        }
    }

    /// The facts that hid an entry, or listed it, which its own file did not: those that stand where names of entries do,
    /// else those that print nothing.
    fn hidden(&self, (root, path): (&str, &str), item: &str, here: &Side<'p>) -> Vec<Cause> {
        let nodes = here.definition().map_or(&[][..], |d| &d.nodes);
        let decide =
            |n: &&DefinitionNode| matches!(n.said().name, "allow" | "deny" | "hide" | "exclude");
        let named: Vec<String> = nodes
            .iter()
            .filter(decide)
            .flat_map(mention::facts)
            .collect();
        let silent = self.facts_that_print_nothing();
        let is_named = |cause: &&Cause| cause.fact.as_ref().is_some_and(|f| named.contains(f));
        let own: Vec<Cause> = silent.iter().filter(is_named).cloned().collect();
        let because = if own.is_empty() { silent } else { own };
        let Some(fact) = because.iter().find_map(|c| c.fact.clone()) else {
            return Vec::new();
        };
        let (old, new) = match std::ptr::eq(here, self.a) {
            true => ("listed", "hidden"),
            false => ("hidden", "listed"),
        };
        vec![Cause {
            root: Some(root.to_owned()),
            path: Some(path.to_owned()),
            fact: Some(fact),
            item: Some(item.to_owned()),
            old: Some(old.to_owned()),
            new: Some(new.to_owned()),
            because,
            ..Cause::new(CauseKind::ConditionFlipped)
        }]
    }

    /// The flipped condition that is asked of each document.
    fn asked_of_documents(&self) -> Option<&Cause> {
        let mut flips = self.changes.flips.iter();
        flips.find(|f| f.of_documents).map(|f| &f.cause)
    }

    /// A let that is printed: its own edit, else the facts behind it.
    fn binding(&self, name: &str, expression: &str) -> Told {
        match self.changes.get(What::Let(name)) {
            Some(cause) => Told::one(cause),
            None => {
                let word = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
                let read = |fact| expression.split(word).any(|name| name == fact);
                Told::of(self.direct(|what| matches!(what, What::Fact(fact) if read(fact))))
            }
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
            Some(flip) => Told::one(&flip.cause),
            None => Told::Nothing,
        }
    }

    /// The flipped condition that is asked for a node, or for one around it.
    fn flip_around(&self, node: usize, here: &Side<'p>) -> Option<&Cause> {
        let nodes = &here.definition()?.nodes;
        let mut depth = u32::MAX;
        for node in nodes[..=node].iter().rev() {
            if node.depth >= depth {
                continue;
            }
            depth = node.depth;
            let mut flips = self.changes.flips.iter();
            let when = node.said().property("when");
            let asked = |expression: &str| when.is_some_and(|value| value.is(expression));
            if let Some(flip) = flips.find(|f| asked(f.expression)) {
                return Some(&flip.cause);
            }
        }
        None
    }

    /// The edit of a node of the manifest of `here` that `own` picks.
    fn edit_of(&self, here: &Side<'p>, own: impl Fn(usize) -> bool) -> Option<&Cause> {
        let edited = |c: &&Change<'p>| match (c.what, std::ptr::eq(here, self.a)) {
            (What::Edit(Some(node), _), true) | (What::Edit(_, Some(node)), false) => own(node),
            _ => false,
        };
        self.changes.direct.iter().find(edited).map(|c| &c.cause)
    }

    /// The edits that took a template file into the layer, or out of it.
    fn edit_of_template(&self, file: &str, there: &Side<'p>) -> Told {
        let runs = |i: &Ingredient| matches!(i, Ingredient::Template { file: f, line: None, .. } if f == file);
        if there.ingredients().iter().any(runs) {
            return Told::Nothing;
        }
        let written = serde_json::Value::from(file).to_string();
        Told::of(self.edits(|node| node.text.contains(&written)))
    }

    /// The edits of nodes that read `path`.
    fn edit_naming(&self, path: &str) -> Told {
        Told::of(self.edits(|node| mention::names(node, path)))
    }

    /// A changed fact that stands where names of files stand, if it does not name `path` any more.
    fn fact_naming(&self, path: &str, there: &Side<'p>) -> Told {
        let in_b = std::ptr::eq(there, self.b);
        let facts = naming_facts([self.a, self.b], there, in_b, path, self.values);
        let found = facts
            .iter()
            .filter_map(|fact| self.changes.get(What::Fact(fact)).cloned())
            .collect();
        Told::of(found)
    }

    /// Whether a span's bytes have no like on the other side of the hunk.
    fn is_replaced(&self, span: &Span, here: &Side<'p>) -> bool {
        let (other, side) = match std::ptr::eq(here, self.a) {
            true => (self.hunk.of_b(self.b), self.b),
            false => (self.hunk.of_a(self.a), self.a),
        };
        other.iter().all(|s| side.bytes(s) != here.bytes(span))
    }
}

/// Whether what a span is from is printed as often on the other side, so that it was only put elsewhere. Of a document the cuts
/// do not count.
fn stands_elsewhere(span: &Span, here: &Side<'_>, there: &Side<'_>) -> bool {
    let Some(ingredient) = here.ingredient(span.ingredient) else {
        return false;
    };
    let times = |side: &Side<'_>| {
        let owners = side.spans().iter().map(|s| side.ingredient(s.ingredient));
        owners.flatten().filter(|i| same(i, ingredient)).count()
    };
    match ingredient {
        Ingredient::Document { .. } => times(there) > 0,
        _ => times(here) == times(there),
    }
}

/// Whether two ingredients are the same one, perhaps edited.
fn same(x: &Ingredient, y: &Ingredient) -> bool {
    match (x, y) {
        (
            Ingredient::Document {
                root: r, path: p, ..
            },
            Ingredient::Document { root, path, .. },
        ) => (r, p) == (root, path),
        (
            Ingredient::Template {
                file: f,
                line: None,
                ..
            },
            Ingredient::Template {
                file, line: None, ..
            },
        ) => f == file,
        (Ingredient::Fact { name: n, .. }, Ingredient::Fact { name, .. }) => n == name,
        (x, y) => alike(x, y),
    }
}

/// What a document of `here` is called in `there`, if it has the same bytes there and another name, which `here` does not know.
fn renamed<'p>(
    root: &str,
    path: &str,
    here: &Side<'p>,
    there: &Side<'p>,
) -> Option<(&'p str, &'p str)> {
    let (_, hash) = here.document(root, path)?;
    if there.document(root, path).is_some() {
        return None;
    }
    let mut others = there.ingredients().iter();
    others.find_map(|i| match i {
        Ingredient::Document {
            root, path, sha256, ..
        } if sha256 == hash && here.document(root, path).is_none() => {
            Some((root.as_str(), path.as_str()))
        }
        _ => None,
    })
}

/// Whether any byte of `side` is owned by an ingredient like this one.
pub(super) fn prints(side: &Side<'_>, ingredient: &Ingredient) -> bool {
    let mut owners = side
        .spans()
        .iter()
        .filter_map(|s| side.ingredient(s.ingredient));
    owners.any(|i| alike(i, ingredient))
}

/// Whether two ingredients are the same. Lines of the manifest do not count: an edit above moves them, and records count them
/// from the layer.
fn alike(x: &Ingredient, y: &Ingredient) -> bool {
    match (x, y) {
        (Ingredient::Literal { sha256: x, .. }, Ingredient::Literal { sha256: y, .. })
        | (
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
    }
}
