//! The names that a program sets, and where they are seen.

use super::abstract_value::Fails;
use super::ways::{Value, few};
use super::{Kind, Walker, Wanted};
use minijinja::machinery::ast::Expr;
use std::collections::BTreeMap;
use std::ops::Range;

/// A name that the program sets.
#[derive(Debug, Clone)]
pub(super) struct Local<'a> {
    value: Value<'a>,
    /// Whether it is set on every way here.
    surely: bool,
}

/// The names of one block.
pub(super) type Frame<'a> = BTreeMap<&'a str, Local<'a>>;

/// Whether something may have run to its end.
pub(super) type Ran = Result<(), Fails>;

impl<'a> Local<'a> {
    /// After two branches a name has the value of either.
    fn or(self, other: Option<Self>) -> Self {
        let (other, surely) = match other {
            Some(other) => (other.value, other.surely),
            None => (Value::made_of(Vec::new(), self.value.kind), false),
        };
        Self {
            surely: self.surely && surely,
            value: self.value.or(other),
        }
    }
}

impl<'a> Walker<'a> {
    /// Binds the names left of `=` or `in`.
    pub(super) fn target(&mut self, target: &'a Expr<'a>, value: Value<'a>) -> Ran {
        match target {
            Expr::Var(var) => {
                self.bind(var.id, value);
                Ok(())
            }
            Expr::List(list) => self.targets(&list.items, &value),
            Expr::Tuple(tuple) => self.targets(&tuple.items, &value),
            // namespace.name: the namespace is only used
            Expr::GetAttr(attr) => self.value(&attr.expr).map(drop),
            other => self.value(other).map(drop),
        }
    }

    fn targets(&mut self, items: &'a [Expr<'a>], value: &Value<'a>) -> Ran {
        items.iter().enumerate().try_for_each(|(i, item)| {
            let kind = match (value.kind, i) {
                (Kind::Group, 1) => Kind::Documents,
                _ => Kind::Other,
            };
            let ways = value.ways.clone();
            self.target(item, Value::made_of(ways, kind))
        })
    }

    /// Binds a name that is a variable of the template.
    pub(super) fn bind(&mut self, name: &'a str, value: Value<'a>) {
        let is_top = self.frames.len() == 1 + self.branches;
        if let Some(uses) = self.uses() {
            if !uses.sets.contains(name) {
                uses.sets.insert(name.to_owned());
            }
            if is_top {
                self.top.insert(name);
            }
        }
        self.bind_quietly(name, value);
    }

    /// Binds a name that is no variable of the template.
    pub(super) fn bind_quietly(&mut self, name: &'a str, value: Value<'a>) {
        let value = Value {
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
    fn branch(&mut self, walk: impl FnOnce(&mut Self) -> Ran) -> (Ran, Frame<'a>) {
        self.branches += 1;
        self.frames.push(Frame::new());
        let ran = walk(self);
        self.branches -= 1;
        (ran, self.frames.pop().unwrap_or_default())
    }

    /// Both branches see the names that were set before; after them, names that both set are always set. It fails if
    /// both do.
    pub(super) fn either(
        &mut self,
        yes: impl FnOnce(&mut Self) -> Ran,
        no: impl FnOnce(&mut Self) -> Ran,
    ) -> Ran {
        let (ran, mut yes) = self.branch(yes);
        let (ran_no, no) = self.branch(no);
        let before = |walker: &Self, name| walker.frames.last()?.get(name).cloned();
        for (name, local) in no {
            let other = yes.remove(name).or_else(|| before(self, name));
            self.put(name, local.or(other));
        }
        for (name, local) in yes {
            let other = before(self, name);
            self.put(name, local.or(other));
        }
        ran.or(ran_no)
    }

    /// A name that is read, and what is known of it.
    pub(super) fn name(&mut self, name: &'a str, range: Range<usize>, wanted: Wanted) -> Value<'a> {
        if let (Wanted::Truth, Some(uses)) = (wanted, self.uses()) {
            uses.asked.insert(range.start);
        }
        let mut value = Value::default();
        let (mut met, mut surely) = (false, false);
        for (at, frame) in self.frames.iter().enumerate().rev() {
            let Some(local) = frame.get(name) else {
                continue;
            };
            if !met && at >= self.apart {
                value.known = local.value.known.clone();
            }
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
        if let (false, Some(setting)) = (met, self.setting) {
            value.known = setting.name(name);
        } else if !met && self.lists.is_some_and(|lists| lists.contains(name)) {
            value.kind = Kind::Documents;
        }
        value.ways.extend(self.read(name, range, met));
        value
    }
}
