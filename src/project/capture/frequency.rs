//! How often the layers of a prompt changed in the requests of logs.

use super::layers::{LayerTexts, Layers};
use super::log::read;
use crate::check::{Frequencies, Frequency};
use crate::compile::Plan;
use crate::diagnostic::ErrorReported;
use crate::project::Run;
use crate::prompt::Prompt;
use crate::request::whole::Part;
use crate::request::whole::log::Entry;
use jiff::{SignedDuration, Timestamp};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// The system prompts of the requests of logs, each text once.
#[derive(Debug, Default)]
pub(crate) struct SentSystems {
    /// The blocks.
    texts: Vec<Vec<String>>,
    requests: Vec<SentSystem>,
    /// The names of conversations and chains, of each log its own.
    names: BTreeMap<(usize, String), usize>,
}

/// The system prompt of a request.
#[derive(Debug, Clone, Copy)]
struct SentSystem {
    conversation: usize,
    chain: usize,
    time: Option<Timestamp>,
    text: usize,
}

impl SentSystems {
    /// Reads them.
    pub(crate) fn read(paths: &[PathBuf], run: &mut Run) -> Result<Self, ErrorReported> {
        let mut out = Self::default();
        let mut known: BTreeMap<Vec<[u8; 8]>, usize> = BTreeMap::new();
        for (log, path) in paths.iter().enumerate() {
            read(path, run, |entry| {
                let Entry::Request(now, _) = entry else {
                    return;
                };
                if now.is_failed() {
                    return;
                }
                let (line, request) = (&now.line, &now.request);
                let names = request.system.iter().map(|part| part.id.name);
                let text = *known.entry(names.collect()).or_insert_with(|| {
                    let blocks = request.system.iter().map(Part::text);
                    out.texts.push(blocks.collect());
                    out.texts.len() - 1
                });
                let sent = SentSystem {
                    conversation: out.name(log, &line.conversation),
                    chain: out.name(log, &line.chain),
                    time: line.time,
                    text,
                };
                out.requests.push(sent);
            })?;
        }
        Ok(out)
    }

    fn name(&mut self, log: usize, name: &str) -> usize {
        let next = self.names.len();
        *self.names.entry((log, name.to_owned())).or_insert(next)
    }

    /// How often the layers of these prompts of one plan changed.
    pub(crate) fn frequencies<'p>(
        &self,
        prompts: impl Iterator<Item = &'p Prompt>,
        plan: &Plan,
    ) -> Frequencies {
        let prompts = prompts.map(|prompt| Layers::planned(prompt, plan));
        let prompts: Vec<Layers<'p>> = prompts.collect();
        let texts: Vec<Vec<Option<LayerTexts<'_>>>> = (self.texts.iter())
            .map(|text| prompts.iter().map(|of| of.texts(text)).collect())
            .collect();
        let mut count = Count {
            prompts: &prompts,
            texts: &texts,
            out: Frequencies {
                requests: self.requests.len(),
                ..Frequencies::default()
            },
            met: BTreeSet::new(),
            changed_at: BTreeMap::new(),
        };
        let mut chains: BTreeMap<usize, SentSystem> = BTreeMap::new();
        let mut begun: BTreeSet<usize> = BTreeSet::new();
        let mut first: Option<SentSystem> = None;
        for sent in &self.requests {
            if !count.see(sent) {
                continue;
            }
            if let Some(before) = chains.insert(sent.chain, *sent) {
                count.step(&before, sent);
            }
            if begun.insert(sent.conversation)
                && let Some(before) = first.replace(*sent)
            {
                count.start(&before, sent);
            }
        }
        count.out
    }
}

/// No two midnights of one place are nearer to each other.
const LEAST_DAY: SignedDuration = SignedDuration::from_hours(23);

/// The key under which a conversation is counted, once for each layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Met {
    Seen,
    Stepped,
    Changed,
}

struct Count<'c, 'p> {
    /// The layers of each prompt.
    prompts: &'c [Layers<'p>],
    /// The texts of the layers of each prompt, for each system prompt.
    texts: &'c [Vec<Option<LayerTexts<'c>>>],
    out: Frequencies,
    met: BTreeSet<(Met, usize, &'p str)>,
    /// The request before the last change of a layer in a chain.
    changed_at: BTreeMap<(usize, &'p str), Option<Timestamp>>,
}

impl<'c, 'p> Count<'c, 'p> {
    /// Notes the layers that a request has; false if it is of no such prompt.
    fn see(&mut self, sent: &SentSystem) -> bool {
        let Some((names, texts)) = self.best(&[sent.text]) else {
            return false;
        };
        self.out.known += 1;
        for (name, text) in names.iter().zip(&texts[0].layers) {
            if text.is_seen() && self.met.insert((Met::Seen, sent.conversation, name)) {
                self.of(name).conversations += 1;
            }
        }
        true
    }

    /// Notes what changed from a request to the next one of its chain.
    fn step(&mut self, before: &SentSystem, sent: &SentSystem) {
        for (name, differs) in self.compare(before, sent) {
            self.of(name).steps += 1;
            if self.met.insert((Met::Stepped, sent.conversation, name)) {
                self.of(name).stepped += 1;
            }
            if !differs {
                continue;
            }
            self.of(name).changes += 1;
            if self.met.insert((Met::Changed, sent.conversation, name)) {
                self.of(name).changed += 1;
            }
            let last = self.changed_at.insert((sent.chain, name), before.time);
            if let (Some(Some(last)), Some(now)) = (last, sent.time)
                && now.duration_since(last) < LEAST_DAY
            {
                self.of(name).same_day += 1;
            }
        }
    }

    /// Notes what changed from one conversation to the next.
    fn start(&mut self, before: &SentSystem, sent: &SentSystem) {
        for (name, differs) in self.compare(before, sent) {
            let of = self.of(name);
            of.starts += 1;
            of.start_changes += usize::from(differs);
        }
    }

    fn of(&mut self, name: &str) -> &mut Frequency {
        self.out.layers.entry(name.to_owned()).or_default()
    }

    /// The layers of which it is certain whether they changed.
    fn compare(&self, before: &SentSystem, sent: &SentSystem) -> Vec<(&'p str, bool)> {
        let Some((names, texts)) = self.best(&[before.text, sent.text]) else {
            return Vec::new();
        };
        let layers = names.iter().enumerate().filter_map(|(at, name)| {
            let [old, new] = [0, 1].map(|side| &texts[side].layers[at]);
            Some((*name, new.differs(old)?))
        });
        layers.collect()
    }

    /// The prompt of which these system prompts have most lines: the names of its layers, and their texts.
    fn best(&self, texts: &[usize]) -> Option<(&'c [&'p str], Vec<&'c LayerTexts<'c>>)> {
        let all = self.prompts.iter().enumerate().filter_map(|(at, prompt)| {
            let texts = texts.iter().map(|text| self.texts[*text][at].as_ref());
            let texts: Vec<&'c LayerTexts<'c>> = texts.collect::<Option<_>>()?;
            Some((prompt.names(), texts))
        });
        // Of equals the first.
        let all: Vec<_> = all.collect();
        let lines = |texts: &[&LayerTexts<'_>]| texts.iter().map(|t| t.same).sum::<usize>();
        all.into_iter().rev().max_by_key(|(_, texts)| lines(texts))
    }
}
