//! What each file, tool and other part of an input is of it, in tokens.

use super::ledger::{Portion, Subject};
use crate::request::whole::{LoadedFile, Part, Request, tool_name};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The most parts whose files are held: a long conversation sends each of its parts again and again.
const MOST_HELD: usize = 1 << 16;

/// The subject of what a recording lacks.
pub(super) const UNKNOWN: &str = "?";

/// Tokens of an input in a row that are of one subject.
#[derive(Debug, Clone)]
pub(super) struct Stretch {
    pub(super) subject: Subject,
    pub(super) tokens: u64,
}

/// The subjects of a text, and the bytes of each.
type Weights = Arc<[(Subject, u64)]>;

/// The subjects of the inputs of many requests.
#[derive(Debug, Default)]
pub(super) struct Subjects {
    /// Of parts that have files, by their hash.
    by_part: BTreeMap<[u8; 16], Option<Weights>>,
}

impl Subjects {
    /// The subjects of an input, in order. `told` has the parts up to which a bill says the tokens, and these: the last one is all of it. Between them
    /// the tokens are shared by bytes. `files` has those of a text.
    pub(super) fn of(
        &mut self,
        request: &Request,
        told: &[(usize, u64)],
        files: &dyn Fn(&str) -> Vec<LoadedFile>,
    ) -> Vec<Stretch> {
        let mut out: Vec<Stretch> = Vec::new();
        let mut parts = request.parts().enumerate();
        let (mut from, mut front) = (0, 0);
        for (upto, tokens) in told {
            let tokens = tokens.saturating_sub(std::mem::replace(&mut front, *tokens));
            let mut group: Vec<(Subject, u64)> = Vec::new();
            let mut is_sized = true;
            for (at, part) in parts.by_ref().take(upto - from) {
                is_sized &= part.is_sized(&request.model);
                self.add(request, (at, part), files, &mut group);
            }
            from = *upto;
            if !request.is_known() {
                group.clear();
            }
            share_out(&group, tokens, is_sized, &mut out);
        }
        out
    }

    /// Adds the subjects of a part, with their sizes.
    fn add(
        &mut self,
        request: &Request,
        (at, part): (usize, &Part),
        files: &dyn Fn(&str) -> Vec<LoadedFile>,
        group: &mut Vec<(Subject, u64)>,
    ) {
        let size = part.size(&request.model) as u64;
        let name = if at < request.tools.len() {
            format!("tools/{}", tool_name(part))
        } else if at < request.tools.len() + request.system.len() {
            "system".to_owned()
        } else {
            "messages".to_owned()
        };
        let own = Subject::whole(&name);
        let is_tool = at < request.tools.len();
        let weights = (!is_tool)
            .then(|| self.weights(part, &own, files))
            .flatten();
        let Some(weights) = weights else {
            push(group, own, size);
            return;
        };
        let bytes: Vec<u64> = weights.iter().map(|(_, bytes)| *bytes).collect();
        let shares = apportioned(size, &bytes);
        let all = weights.iter().zip(shares);
        all.for_each(|((subject, _), size)| push(group, subject.clone(), size));
    }

    /// The files of a part, and what stands between them; none if there is no file.
    fn weights(
        &mut self,
        part: &Part,
        rest: &Subject,
        files: &dyn Fn(&str) -> Vec<LoadedFile>,
    ) -> Option<Weights> {
        let key = part.id.digest();
        if let Some(known) = self.by_part.get(&key) {
            return known.clone();
        }
        if self.by_part.len() >= MOST_HELD {
            self.by_part.clear();
        }
        let text = part.text();
        let files = files(&text);
        let found = (!files.is_empty()).then(|| weights(&text, &files, rest));
        self.by_part.insert(key, found.clone());
        found
    }
}

/// The bytes of each file of a text, and of what stands between them.
fn weights(text: &str, files: &[LoadedFile], rest: &Subject) -> Weights {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let subject = |file: &LoadedFile| Subject {
        version: file.version(&lines).into(),
        ..Subject::whole(&file.path)
    };
    let bytes = |lines: &[&str]| lines.iter().map(|line| line.len() as u64).sum::<u64>();
    let mut out: Vec<(Subject, u64)> = Vec::new();
    let mut from = 0;
    for file in files {
        let [start, end] = [file.start, file.lines.end].map(|at| at.clamp(from, lines.len()));
        out.push((rest.clone(), bytes(&lines[from..start])));
        out.push((subject(file), bytes(&lines[start..end])));
        from = end;
    }
    out.push((rest.clone(), bytes(&lines[from..])));
    out.retain(|(_, bytes)| *bytes > 0);
    out.into()
}

/// Adds to the newest group, if that is of the same subject.
fn push(group: &mut Vec<(Subject, u64)>, subject: Subject, size: u64) {
    match group.last_mut() {
        Some((last, sum)) if last.is(&subject) => *sum += size,
        _ => group.push((subject, size)),
    }
}

/// Shares tokens out among subjects by their sizes. Those of one subject are its own; of several with an unknown size nothing says how many.
fn share_out(group: &[(Subject, u64)], tokens: u64, is_sized: bool, out: &mut Vec<Stretch>) {
    match group {
        [(subject, _)] => out.push(Stretch {
            subject: subject.clone(),
            tokens,
        }),
        _ if !is_sized || group.is_empty() => out.push(Stretch {
            subject: Subject::whole(UNKNOWN),
            tokens,
        }),
        _ => {
            let sizes: Vec<u64> = group.iter().map(|(_, size)| *size).collect();
            let shares = apportioned(tokens, &sizes);
            for ((subject, _), tokens) in group.iter().zip(shares) {
                let subject = Subject {
                    is_estimated: true,
                    ..subject.clone()
                };
                out.push(Stretch { subject, tokens });
            }
        }
    }
}

/// Tokens by weight, in whole numbers that add up to all of them: rounded down, and one more for those that lose most by it.
fn apportioned(tokens: u64, weights: &[u64]) -> Vec<u64> {
    let all: u128 = weights.iter().map(|weight| u128::from(*weight)).sum();
    let part = |weight: u64| u128::from(tokens) * u128::from(weight);
    let mut counts: Vec<u64> = weights
        .iter()
        .map(|weight| (part(*weight) / all.max(1)) as u64)
        .collect();
    let mut places: Vec<usize> = (0..weights.len()).collect();
    places.sort_by_key(|at| std::cmp::Reverse(part(weights[*at]) % all.max(1)));
    if all == 0 {
        counts
            .last_mut()
            .into_iter()
            .for_each(|last| *last = tokens);
        return counts;
    }
    let left = tokens - counts.iter().sum::<u64>();
    let places = places.iter().cycle().take(left as usize);
    places.for_each(|at| counts[*at] += 1);
    counts
}

/// Portions of an input, cut where another subject begins; each with its subject.
pub(super) fn by_subject(portions: &[Portion], stretches: &[Stretch]) -> Vec<(Portion, Subject)> {
    let mut out = Vec::new();
    let mut stretches = stretches.iter();
    let mut open = stretches.next().cloned();
    for portion in portions {
        let (mut from, input) = (0, portion.tokens.input());
        while let Some(stretch) = open.as_mut().filter(|_| from < input) {
            let to = input.min(from + stretch.tokens);
            let tokens = portion.tokens.slice(from..to);
            if to > from {
                out.push((Portion { tokens, ..*portion }, stretch.subject.clone()));
            }
            stretch.tokens -= to - from;
            if stretch.tokens == 0 {
                open = stretches.next().cloned();
            }
            from = to;
        }
        if from < input {
            let tokens = portion.tokens.slice(from..input);
            out.push((Portion { tokens, ..*portion }, Subject::whole(UNKNOWN)));
        }
    }
    out
}
