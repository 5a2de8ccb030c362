//! The names that a program sets, and where they are seen.

use super::ways::{TracedValue, few};
use super::{Kind, Walker, Wanted};
use minijinja::machinery::ast::Expr;
use std::collections::BTreeMap;
use std::ops::Range;

/// A name that the program sets.
#[derive(Debug, Clone)]
pub(super) struct Local<'a> {
    value: TracedValue<'a>,
    /// Whether it is set on every way here.
    surely: bool,
}

/// The names of one block.
pub(super) type Frame<'a> = BTreeMap<&'a str, Local<'a>>;

impl<'a> Local<'a> {
    /// After two branches a name has the value of either.
    fn or(self, other: Option<Self>) -> Self {
        let (other, surely) = match other {
            Some(other) => (other.value, other.surely),
            None => {
                let (kind, ways) = (self.value.kind, Vec::new());
                (TracedValue { kind, ways }, false)
            }
        };
        Self {
            surely: self.surely && surely,
            value: self.value.or(other),
        }
    }
}

impl<'a> Walker<'a> {
    /// Binds the names left of `=` or `in`.
    pub(super) fn target(&mut self, target: &'a Expr<'a>, value: TracedValue<'a>) {
        match target {
            Expr::Var(var) => self.bind(var.id, value),
            Expr::List(list) => self.targets(&list.items, &value),
            Expr::Tuple(tuple) => self.targets(&tuple.items, &value),
            // namespace.name: the namespace is only used
            Expr::GetAttr(attr) => drop(self.value(&attr.expr)),
            other => drop(self.value(other)),
        }
    }

    fn targets(&mut self, items: &'a [Expr<'a>], value: &TracedValue<'a>) {
        for (i, item) in items.iter().enumerate() {
            let kind = match (value.kind, i) {
                (Kind::Group, 1) => Kind::Documents,
                _ => Kind::Other,
            };
            let ways = value.ways.clone();
            self.target(item, TracedValue { kind, ways });
        }
    }

    /// Binds a name that is a variable of the template.
    pub(super) fn bind(&mut self, name: &'a str, value: TracedValue<'a>) {
        let is_top = self.frames.len() == 1 + self.branches;
        if !self.out.sets.contains(name) {
            self.out.sets.insert(name.to_owned());
        }
        if is_top {
            self.top.insert(name);
        }
        self.bind_quietly(name, value);
    }

    /// Binds a name that is no variable of the template.
    pub(super) fn bind_quietly(&mut self, name: &'a str, value: TracedValue<'a>) {
        let value = TracedValue {
            ways: few(value.ways, |way| way.name()),
            ..value
        };
        let surely = true;
        self.put(name, Local { value, surely });
    }

    fn put(&mut self, name: &'a str, local: Local<'a>) {
        if let Some(frame) = self.frames.last_mut() {
            frame.insert(name, local);
        }
    }

    pub(super) fn is_local(&self, name: &str) -> bool {
        self.frames.iter().any(|frame| frame.contains_key(name))
    }

    pub(super) fn within<T>(&mut self, walk: impl FnOnce(&mut Self) -> T) -> T {
        self.frames.push(Frame::new());
        let out = walk(self);
        self.frames.pop();
        out
    }

    /// Walks a branch, and returns the names that it sets, which are not set after it yet.
    fn branch(&mut self, walk: impl FnOnce(&mut Self)) -> Frame<'a> {
        self.branches += 1;
        self.frames.push(Frame::new());
        walk(self);
        self.branches -= 1;
        self.frames.pop().unwrap_or_default()
    }

    /// Both branches see the names that were set before; after them, names that both set are always set.
    pub(super) fn either(&mut self, yes: impl FnOnce(&mut Self), no: impl FnOnce(&mut Self)) {
        let mut yes = self.branch(yes);
        let no = self.branch(no);
        let before = |walker: &Self, name| walker.frames.last()?.get(name).cloned();
        for (name, local) in no {
            let other = yes.remove(name).or_else(|| before(self, name));
            self.put(name, local.or(other));
        }
        for (name, local) in yes {
            let other = before(self, name);
            self.put(name, local.or(other));
        }
    }

    /// A name that is read.
    pub(super) fn name(
        &mut self,
        name: &'a str,
        range: Range<usize>,
        wanted: Wanted,
    ) -> TracedValue<'a> {
        if wanted == Wanted::Truth {
            self.out.asked.insert(range.start);
        }
        let mut value = TracedValue::default();
        let (mut met, mut surely) = (false, false);
        for (at, frame) in self.frames.iter().enumerate().rev() {
            let Some(local) = frame.get(name) else {
                continue;
            };
            if !met && local.surely {
                value.kind = local.value.kind;
            }
            met = true;
            value.ways.extend(local.value.ways.iter().cloned());
            surely = local.surely && at >= self.apart;
            if surely {
                break;
            }
        }
        value.ways = self.afforded(value.ways);
        if surely {
            return value;
        }
        if !met && self.lists.contains(name) {
            value.kind = Kind::Documents;
        }
        let way = self.read(name, range, met);
        value.ways.push(way);
        value
    }
}
