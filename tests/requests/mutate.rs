//! The changes that are made to a request.

use crate::class::Class;
use crate::json::J;
use crate::maker::{Maker, Source};
use crate::model::{Api, Block, Full, Marks, Msg, Prop, marks};

impl Maker {
    /// Changes a request, and lets it grow; says what was changed.
    pub(crate) fn mutate(&mut self, s: &Source, f: &mut Full, chained: bool) -> Vec<&'static str> {
        f.marks = self.marks();
        if self.cached
            && self.api.marked()
            && !self.chain
            && s.full.marks == Marks::default()
            && !self.r.one_in(4)
        {
            f.marks = Marks::default();
        }
        let kinds = self.kinds(s, f, chained);
        let n = match self.class {
            Some(Class::Marked) => self.r.from(1, 2),
            _ => [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 3, 3][self.r.below(20)],
        };
        let mut done: Vec<&'static str> = Vec::new();
        let mut grows = true;
        for _ in 0..n {
            let kind = *self.r.pick(&kinds);
            if done.contains(&kind) {
                continue;
            }
            if self.apply(kind, f, &mut grows) {
                done.push(kind);
            }
        }
        if grows {
            self.grow(s, f, chained, &mut done);
        }
        done
    }

    /// The kinds of change that a request allows.
    fn kinds(&self, s: &Source, f: &Full, chained: bool) -> Vec<&'static str> {
        // The content of a thread was sent before.
        let frozen = chained && self.api == Api::Anthropic;
        let tools = !(frozen || self.lite && chained);
        let marked = self.cached && self.api.marked();
        let mut kinds = vec!["model"];
        if !self.settings().is_empty() {
            kinds.extend(["setting", "setting-2"]);
        }
        if !f.system.is_empty() && !frozen {
            kinds.extend(["system-edit", "system-edit"]);
        }
        if self.api != Api::Responses && !frozen {
            kinds.extend(["system-add", "system-remove"]);
        }
        if tools {
            kinds.extend([
                "tool-add",
                "tool-remove",
                "tool-move",
                "tool-change",
                "tool-change-2",
            ]);
        }
        if !chained {
            kinds.extend([
                "edit", "edit", "edit-2", "drop", "drop", "drop", "insert", "insert", "insert",
                "rewrite", "rewind",
            ]);
        }
        if marked && !self.chain && !self.last && s.full.marks != Marks::default() {
            kinds.push("marks");
        }
        if self.timed && !(self.api.marked() && marks(self.api, &s.full).is_none()) {
            kinds.extend(["gap", "gap"]);
        }
        kinds
    }

    /// The next turn; or none, or another block of the last message.
    fn grow(&mut self, s: &Source, f: &mut Full, chained: bool, done: &mut Vec<&'static str>) {
        let of_messages = ["edit", "edit-2", "drop", "insert", "rewrite"]
            .iter()
            .any(|k| done.contains(k));
        if !chained && self.r.one_in(20) {
            done.push("no-growth");
        } else if self.api.marked()
            && !chained
            && !of_messages
            && self.r.one_in(20)
            && f.msgs.last().is_some_and(|m| m.role == "user")
        {
            let b = Block::Text(self.text());
            if let Some(m) = f.msgs.last_mut() {
                m.blocks.push(b);
            }
            done.push("goes-on");
        } else {
            let turn = self.turn(&s.answer);
            f.msgs.extend(s.answer.iter().cloned().chain(turn));
        }
    }

    /// Makes a change; says whether there was one.
    fn apply(&mut self, kind: &'static str, f: &mut Full, grows: &mut bool) -> bool {
        match kind {
            "model" => {
                let m = self.model();
                m != std::mem::replace(&mut f.model, m.clone())
            }
            "setting" | "setting-2" => self.change_setting(f),
            "system-edit" | "system-add" | "system-remove" => self.change_system(kind, f),
            "tool-change" | "tool-change-2" => self.change_tool(f),
            "tool-add" | "tool-remove" | "tool-move" => self.change_tools(kind, f),
            "edit" | "edit-2" => self.edit_message(f),
            "drop" => self.drop_messages(f),
            "insert" => self.insert_messages(f),
            "rewrite" => {
                self.rewrite(f, grows);
                true
            }
            "rewind" => self.rewind(f, grows),
            "marks" => {
                f.marks = Marks::default();
                true
            }
            "gap" => {
                self.wait();
                true
            }
            _ => false,
        }
    }

    fn change_setting(&mut self, f: &mut Full) -> bool {
        let all = self.settings();
        let (path, values) = self.r.pick(&all).clone();
        let v = self.r.pick(&values).clone();
        let old = f
            .settings
            .iter()
            .find(|(p, _)| *p == path)
            .map(|(_, v)| v.clone())
            .unwrap_or(J::Null);
        f.settings.retain(|(p, _)| *p != path);
        if v != J::Null {
            f.settings.push((path, v.clone()));
        }
        v != old
    }

    fn change_system(&mut self, kind: &str, f: &mut Full) -> bool {
        match kind {
            "system-edit" if !f.system.is_empty() => {
                let n = self.r.below(f.system.len());
                f.system[n].text = self.edit(&f.system[n].text.clone());
                true
            }
            "system-add" => {
                let n = self.r.below(f.system.len() + 1);
                let b = self.block();
                f.system.insert(n, b);
                true
            }
            "system-remove" if !f.system.is_empty() => {
                f.system.remove(self.r.below(f.system.len()));
                true
            }
            _ => false,
        }
    }

    /// Changes which tools there are, or their order.
    fn change_tools(&mut self, kind: &str, f: &mut Full) -> bool {
        match kind {
            "tool-add" => {
                let n = if self.r.one_in(2) {
                    f.tools.len()
                } else {
                    self.r.below(f.tools.len() + 1)
                };
                let t = self.tool();
                f.tools.insert(n, t);
                true
            }
            "tool-remove"
                if f.tools.len() > usize::from(self.api == Api::Converse || self.lite) =>
            {
                f.tools.remove(self.r.below(f.tools.len()));
                true
            }
            "tool-move" if f.tools.len() > 1 => {
                let t = f.tools.remove(self.r.below(f.tools.len() - 1));
                f.tools.push(t);
                true
            }
            _ => false,
        }
    }

    fn change_tool(&mut self, f: &mut Full) -> bool {
        if f.tools.is_empty() {
            return false;
        }
        let n = self.r.below(f.tools.len());
        let id = self.id();
        let line = self.line();
        let t = &mut f.tools[n];
        let p = self.r.below(t.props.len());
        match self.r.below(6) {
            0 => t.about = format!("{} r{id}", t.about),
            1 => t.props[p].kind = "boolean",
            2 => t.props[p].about = format!("{} r{id}", t.props[p].about),
            3 if t.props[p].min != Some(0) => t.props[p].min = Some(0),
            4 if t.props.len() > 1 => drop(t.props.pop()),
            _ => t.props.push(Prop {
                name: format!("new{id}"),
                kind: "string",
                about: line,
                min: None,
            }),
        }
        true
    }

    fn edit_message(&mut self, f: &mut Full) -> bool {
        let n = self.r.below(f.msgs.len());
        let texts: Vec<usize> = f.msgs[n]
            .blocks
            .iter()
            .enumerate()
            .filter(|(_, b)| matches!(b, Block::Text(_) | Block::Outcome { .. }))
            .map(|(i, _)| i)
            .collect();
        if texts.is_empty() {
            return false;
        }
        let b = *self.r.pick(&texts);
        let mut m = f.msgs[n].clone();
        if let Block::Text(t) | Block::Outcome { text: t, .. } = &mut m.blocks[b] {
            *t = self.edit(&t.clone());
        }
        m.id = self.id();
        f.msgs[n] = m;
        true
    }

    fn drop_messages(&mut self, f: &mut Full) -> bool {
        let len = f.msgs.len();
        let all: Vec<(usize, usize)> = (0..len)
            .flat_map(|i| (1..len - i).map(move |n| (i, n)))
            .filter(|(i, n)| self.fits(f, *i, i + n, None))
            .collect();
        if all.is_empty() {
            return false;
        }
        let (i, n) = *self.r.pick(&all);
        f.msgs.drain(i..i + n);
        true
    }

    fn insert_messages(&mut self, f: &mut Full) -> bool {
        let mut new = vec![self.user()];
        if self.r.one_in(2) || self.api.marked() {
            new.extend(self.answer(&[]));
        }
        let all: Vec<usize> = (0..f.msgs.len() - 1)
            .filter(|i| self.fits(f, *i, *i, Some(&new)))
            .collect();
        if all.is_empty() {
            return false;
        }
        let i = *self.r.pick(&all);
        f.msgs.splice(i..i, new);
        true
    }

    /// Another message instead of the first, or of all.
    fn rewrite(&mut self, f: &mut Full, grows: &mut bool) {
        let new = vec![self.user()];
        let all: Vec<usize> = (1..f.msgs.len())
            .filter(|n| self.fits(f, 0, *n, Some(&new)))
            .collect();
        if all.is_empty() || self.r.one_in(2) {
            f.msgs = new;
            *grows = false;
        } else {
            let n = *self.r.pick(&all);
            f.msgs.splice(0..n, new);
        }
    }

    /// Another message at the place of an earlier one.
    fn rewind(&mut self, f: &mut Full, grows: &mut bool) -> bool {
        let all: Vec<usize> = (0..f.msgs.len())
            .filter(|i| f.msgs[*i].role == "user")
            .collect();
        if all.is_empty() {
            return false;
        }
        let n = *self.r.pick(&all);
        f.msgs.truncate(n);
        let m = self.user();
        f.msgs.push(m);
        *grows = false;
        true
    }

    fn wait(&mut self) {
        let most = if self.api == Api::Responses {
            1_700_000
        } else {
            5_000_000
        };
        self.time += i64::try_from(self.r.from(200_000, most)).unwrap_or(0);
    }

    /// Whether no two messages of a role meet where `from..to` becomes `new`.
    fn fits(&self, f: &Full, from: usize, to: usize, new: Option<&[Msg]>) -> bool {
        if !self.api.marked() {
            return true;
        }
        let before = from.checked_sub(1).map(|i| f.msgs[i].role);
        let after = f.msgs.get(to).map(|m| m.role);
        match new {
            None => before != after,
            Some(new) => {
                before != new.first().map(|m| m.role) && after != new.last().map(|m| m.role)
            }
        }
    }
}
