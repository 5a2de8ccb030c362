//! The rebuilds of a session, from a store.

use super::change::{Tallies, change};
use super::model::{Change, Gap, Rebuild};
use super::moment::Span;
use crate::prompt::{Deliver, Prompt};
use crate::request::cost::CostQuery;
use crate::session::restore::{frozen, record, steady};
use crate::session::store::{Build, Key, Result, SessionId, Store};
use crate::text::tokens::Tokenizer;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The contents of a frozen prompt: equal contents are equal prompts.
type Content = (BTreeMap<Deliver, Key>, Key);

/// The history of one session.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SessionHistory {
    /// The number of its builds in the time.
    pub builds: usize,
    /// The rebuilds, each compared with the build before, in order.
    pub rebuilds: Vec<Rebuild>,
    /// Removed builds before one in the time.
    pub gaps: Vec<Gap>,
}

/// Reads sessions from a store. What is the same in many of them is compared once.
pub struct Reader<'s> {
    store: &'s mut dyn Store,
    tokenizer: Option<Tokenizer>,
    asked: Option<CostQuery>,
    tallies: Tallies,
    known: BTreeMap<(Content, Content), Rc<Change>>,
    /// The prompt that was read last: it is compared with the next.
    last: Option<(Content, Prompt)>,
}

impl<'s> Reader<'s> {
    /// A reader of `store` that counts as `tokenizer` does, if one is named, else as each prompt was.
    pub fn new(store: &'s mut dyn Store, tokenizer: Option<Tokenizer>) -> Self {
        Self {
            store,
            tokenizer,
            asked: None,
            tallies: Tallies::new(),
            known: BTreeMap::new(),
            last: None,
        }
    }

    /// Adds the cost of each break.
    #[must_use]
    pub fn with_costs(self, asked: Option<CostQuery>) -> Self {
        Self { asked, ..self }
    }

    /// Reads a session; a missing one has no history.
    ///
    /// # Errors
    /// If the store cannot be read, or another release wrote its contents.
    pub fn session(&mut self, id: &SessionId, span: Span) -> Result<SessionHistory> {
        steady(|| {
            let builds = self.store.builds(id)?;
            self.history(id, &builds, span)
        })
    }

    fn history(&mut self, id: &SessionId, builds: &[Build], span: Span) -> Result<SessionHistory> {
        let mut out = SessionHistory::default();
        let mut before: Option<&Build> = None;
        for build in builds {
            let number = before.map_or(0, |b| b.number);
            let neighbour = before.replace(build);
            if !span.holds(build.at) {
                continue;
            }
            out.builds += 1;
            match neighbour {
                Some(neighbour) if number + 1 == build.number => {
                    let change = self.change(neighbour, build)?;
                    out.rebuilds.push(Rebuild {
                        session: id.to_string(),
                        from: number,
                        to: build.number,
                        at: build.at,
                        reason: build.reason.to_string(),
                        change: (*change).clone(),
                    });
                }
                None if build.number == 1 => {}
                _ => out.gaps.push(Gap {
                    session: id.to_string(),
                    from: number + 1,
                    to: build.number - 1,
                }),
            }
        }
        Ok(out)
    }

    fn change(&mut self, a: &Build, b: &Build) -> Result<Rc<Change>> {
        let pair = (content(a), content(b));
        if let Some(known) = self.known.get(&pair) {
            return Ok(known.clone());
        }
        let last = self.last.take().filter(|(of, _)| *of == pair.0);
        let before = match last {
            Some((_, prompt)) => prompt,
            None => self.prompt(a)?,
        };
        let after = self.prompt(b)?;
        let found = Rc::new(change(
            &before,
            &after,
            self.tokenizer,
            self.asked.as_ref(),
            &mut self.tallies,
        ));
        self.last = Some((pair.1.clone(), after));
        self.known.insert(pair, found.clone());
        Ok(found)
    }

    /// The frozen prompt of a build, with its inputs.
    fn prompt(&mut self, build: &Build) -> Result<Prompt> {
        let mut contents = |key: &Key| self.store.content(key);
        Ok(Prompt {
            inputs: record(&mut contents, build)?,
            ..frozen(&mut contents, build)?
        })
    }
}

fn content(build: &Build) -> Content {
    (build.texts.clone(), build.map.clone())
}
