//! The names that a program sets, and where they are seen.

use super::ways::{Value, Way, few};
use super::{Kind, NameUse, Walker, Wanted};
use std::collections::BTreeMap;
use std::ops::Range;

/// A name that the program sets.
#[derive(Debug, Clone)]
pub(super) struct Local<'s> {
    value: Value<'s>,
    /// Whether it is set on every way here.
    surely: bool,
}

/// The names of one block.
pub(super) type Frame<'s> = BTreeMap<&'s str, Local<'s>>;

impl<'s> Local<'s> {
    /// Behind two branches a name is what either has made of it.
    fn or(self, other: Option<Self>) -> Self {
        match other {
            Some(other) => Self {
                surely: self.surely && other.surely,
                value: self.value.or(other.value),
            },
            None => Self {
                surely: false,
                ..self
            },
        }
    }
}

impl<'s> Walker<'s> {
    pub(super) fn bind(&mut self, name: &'s str, value: Value<'s>) {
        if !self.out.sets.contains(name) {
            self.out.sets.insert(name.to_owned());
        }
        if self.frames.len() == 1 + self.branches {
            self.top.insert(name);
        }
        self.bind_quietly(name, value);
    }

    /// Binds a name that is no variable of the template.
    pub(super) fn bind_quietly(&mut self, name: &'s str, value: Value<'s>) {
        let local = Local {
            value: Value {
                ways: few(value.ways, |way| way.name),
                ..value
            },
            surely: true,
        };
        self.put(name, local);
    }

    fn put(&mut self, name: &'s str, local: Local<'s>) {
        if let Some(frame) = self.frames.last_mut() {
            frame.insert(name, local);
        }
    }

    pub(super) fn within(&mut self, walk: impl FnOnce(&mut Self)) {
        self.frames.push(Frame::new());
        walk(self);
        self.frames.pop();
    }

    pub(super) fn later(&mut self, walk: impl FnOnce(&mut Self)) {
        self.deferred += 1;
        self.within(walk);
        self.deferred -= 1;
    }

    /// What a branch sets, which is not set behind it yet.
    fn branch(&mut self, walk: impl FnOnce(&mut Self)) -> Frame<'s> {
        self.branches += 1;
        self.frames.push(Frame::new());
        walk(self);
        self.branches -= 1;
        self.frames.pop().unwrap_or_default()
    }

    /// Both branches see what was set before; behind them, what both set is surely set.
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

    /// A name that is read, and what it is made of.
    pub(super) fn name(&mut self, name: &'s str, range: Range<usize>, wanted: Wanted) -> Value<'s> {
        if wanted == Wanted::Truth {
            self.out.asked.insert(range.start);
        }
        let mut value = Value::default();
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
            surely = local.surely && at >= self.around_block;
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
        value.ways.push(Way::new(name, range.clone()));
        self.read(name, range, met);
        value
    }

    /// A name that is taken from a template.
    pub(super) fn imported(&mut self, name: &'s str, range: Range<usize>) -> Value<'s> {
        self.read(name, range.clone(), true);
        Value::other(vec![Way::new(name, range)])
    }

    /// Notes a name that is taken from outside.
    pub(super) fn read(&mut self, name: &str, range: Range<usize>, maybe_set: bool) {
        if self.deferred > 0 {
            self.late.insert(self.out.names.len());
        }
        self.out.names.push(NameUse {
            name: name.to_owned(),
            range,
            maybe_set,
        });
    }
}
