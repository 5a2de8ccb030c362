//! The data from which the script of a usage page makes its screens. All of it is text and numbers: the script makes no markup.
//!
//! Names are short, since there are thousands of rows. Dollars are whole numbers of 10^-9, which are only shown.

use super::cause::{LOST_FIRST, about};
use super::period::{Length, Period};
use crate::project::capture::Break;
use crate::project::usage::detail::{BilledRequest, Conversation, UsageDetail};
use crate::report::escape::{inert_marked, plain};
use crate::report::requests::{diagnosed, edited, evidence, lines, remedy, told};
use crate::request::provider::amount::Usd;
use crate::request::usage::Why;
use crate::request::whole::Cause;
use crate::text::passage::Passage;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The most bytes that all that changed takes.
const MOST_OF_BREAKS: usize = 1_000_000;

/// The most bytes of a name.
const MOST_OF_NAME: usize = 200;

/// The most causes of a request, and the most bytes of a line of one.
const MOST_CAUSES: usize = 10;
const MOST_OF_LINE: usize = 400;

/// All of it.
#[derive(Serialize)]
pub(super) struct Data {
    /// The causes; what follows names them by their place.
    causes: Vec<CauseWords>,
    /// Their order in a bar of sums.
    order: [usize; 13],
    /// The rows of the first screen.
    periods: Vec<PeriodSums>,
    models: Vec<String>,
    segments: Vec<String>,
    conversations: Vec<Talk>,
    breaks: Vec<BreakWords>,
    /// Requests that are not here.
    left: usize,
    /// Requests without what changed, though tokens were lost.
    without: usize,
}

#[derive(Serialize)]
struct CauseWords {
    name: &'static str,
    about: &'static str,
    /// The fix, if tokens were lost.
    fix: Option<String>,
    avoidable: bool,
}

#[derive(Serialize)]
struct PeriodSums {
    name: String,
    /// By cause: billed and avoidable.
    sums: Vec<(usize, i64, i64)>,
}

#[derive(Serialize)]
struct Talk {
    name: String,
    /// The log that has it, if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    log: Option<String>,
    chains: Vec<String>,
    rows: Vec<Row>,
    /// Requests that are not here.
    left: usize,
}

#[derive(Serialize)]
struct Row {
    /// Number.
    n: usize,
    /// The number of the request before.
    #[serde(skip_serializing_if = "Option::is_none")]
    a: Option<usize>,
    /// Chain.
    l: usize,
    /// Time, in seconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    t: Option<i64>,
    /// Gap, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    g: Option<i64>,
    /// Period.
    #[serde(skip_serializing_if = "Option::is_none")]
    d: Option<usize>,
    /// Model.
    m: usize,
    /// Cause, tokens, dollars, and what it cost more than if it had been read.
    p: Vec<(usize, u64, i64, i64)>,
    /// The first change.
    #[serde(skip_serializing_if = "Option::is_none")]
    s: Option<usize>,
    /// Break.
    #[serde(skip_serializing_if = "Option::is_none")]
    b: Option<usize>,
}

#[derive(Serialize)]
struct BreakWords {
    /// Where it was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<String>,
    /// The edits of the server and the diagnosis of the provider.
    said: Vec<String>,
    causes: Vec<Change>,
    /// How many causes more there are.
    more: usize,
}

#[derive(Serialize)]
struct Change {
    told: String,
    /// The place in what was sent.
    at: String,
    /// The file and the line of its source.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// The lines before and after, each after its sign.
    lines: [Option<String>; 2],
    /// The texts before and after.
    texts: [Option<Words>; 2],
    /// The fix, and its source.
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<[String; 2]>,
}

/// A part of a text.
#[derive(Serialize)]
struct Words {
    text: String,
    /// The bytes before and after it.
    before: usize,
    after: usize,
    /// The line of the first difference, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
}

impl Words {
    fn of(passage: &Passage) -> Self {
        let line = passage
            .at
            .map(|at| passage.text[..at].matches('\n').count());
        Self {
            text: inert_marked(&passage.text),
            before: passage.before,
            after: passage.after,
            line,
        }
    }
}

/// A name, which may be long.
fn name(text: &str) -> String {
    let end = text.floor_char_boundary(MOST_OF_NAME);
    let gap = if end < text.len() { "…" } else { "" };
    format!("{}{gap}", plain(&text[..end]))
}

fn nano(usd: Usd) -> i64 {
    (usd.value() * 1e9).round() as i64
}

fn place(why: Why) -> usize {
    let place = Why::ALL.iter().position(|known| *known == why);
    place.unwrap_or_default()
}

/// Names that many rows have, each once.
#[derive(Default)]
struct Names {
    all: Vec<String>,
    places: BTreeMap<String, usize>,
}

impl Names {
    fn place(&mut self, text: &str) -> usize {
        let text = name(text);
        if let Some(at) = self.places.get(&text) {
            return *at;
        }
        let at = self.all.len();
        self.places.insert(text.clone(), at);
        self.all.push(text);
        at
    }
}

impl Data {
    pub(super) fn of(detail: &UsageDetail, length: Length, all: &[Period]) -> Self {
        let causes = Why::ALL.map(|why| CauseWords {
            name: why.name(),
            about: about(why),
            fix: why.advice(),
            avoidable: why.is_avoidable(),
        });
        let periods = all.iter().map(|period| PeriodSums {
            name: period.name(length),
            sums: (period.sums.iter())
                .map(|(why, (billed, avoidable))| (place(*why), nano(*billed), nano(*avoidable)))
                .collect(),
        });
        let mut out = Self {
            causes: causes.into(),
            order: LOST_FIRST.map(place),
            periods: periods.collect(),
            models: Vec::new(),
            segments: Vec::new(),
            conversations: Vec::new(),
            breaks: Vec::new(),
            left: detail.left_out.requests,
            without: detail.left_out.breaks,
        };
        let breaks = out.breaks(detail);
        let (mut models, mut segments) = (Names::default(), Names::default());
        let period = |one: &BilledRequest| {
            let start = one.day.map(|day| length.start(day));
            all.iter().position(|period| period.start == start)
        };
        let mut inputs = detail.conversations.iter().map(|talk| &talk.input);
        let first = inputs.next();
        let several = inputs.any(|input| Some(input) != first);
        for (at, talk) in detail.conversations.iter().enumerate() {
            let mut chains = Names::default();
            let rows = talk.requests.iter().enumerate().map(|(row, one)| Row {
                n: one.number,
                a: one.before,
                l: chains.place(chain(one, talk)),
                t: one.time.map(|time| time.as_second()),
                g: one.gap.map(|gap| gap.round() as i64),
                d: period(one),
                m: models.place(&one.model),
                p: (one.parts.iter())
                    .filter(|part| part.tokens > 0)
                    .map(|part| {
                        let dollars = [part.billed, part.more].map(nano);
                        (place(part.why), part.tokens, dollars[0], dollars[1])
                    })
                    .collect(),
                s: one.segment.as_deref().map(|name| segments.place(name)),
                b: breaks.get(&(at, row)).copied(),
            });
            let rows = rows.collect();
            out.conversations.push(Talk {
                name: name(&talk.name),
                log: several.then(|| name(&talk.input.display().to_string())),
                chains: chains.all,
                rows,
                left: talk.left_out,
            });
        }
        (out.models, out.segments) = (models.all, segments.all);
        out
    }

    /// Takes what changed, where most was lost first, as long as there is room; returns the place of each.
    fn breaks(&mut self, detail: &UsageDetail) -> BTreeMap<(usize, usize), usize> {
        let mut all = Vec::new();
        for (at, talk) in detail.conversations.iter().enumerate() {
            for (row, one) in talk.requests.iter().enumerate() {
                all.extend(one.broke.as_ref().map(|broke| ((at, row), one, broke)));
            }
        }
        all.sort_by_cached_key(|(_, one, _)| Reverse(one.loss()));
        let (mut places, mut bytes) = (BTreeMap::new(), 0);
        for (place, one, broke) in all {
            let words = words(one, broke);
            bytes += serde_json::to_string(&words).map_or(MOST_OF_BREAKS, |text| text.len());
            if bytes > MOST_OF_BREAKS {
                self.without += 1;
                continue;
            }
            places.insert(place, self.breaks.len());
            self.breaks.push(words);
        }
        places
    }
}

/// The name of a chain, without that of its conversation.
fn chain<'r>(one: &'r BilledRequest, talk: &Conversation) -> &'r str {
    let own = one.chain.strip_prefix(&talk.name);
    let own = own.and_then(|own| own.strip_prefix('/'));
    own.unwrap_or(&one.chain)
}

fn words(one: &BilledRequest, broke: &Break) -> BreakWords {
    let compared = &broke.compared;
    let from = one.origin.as_ref().map(|origin| {
        let line = origin.line.map_or(String::new(), |line| format!(":{line}"));
        format!("{}{line}", name(&origin.file))
    });
    let mut said: Vec<String> = compared.edits.iter().map(edited).collect();
    said.extend(compared.diagnosis.as_ref().map(diagnosed));
    said.extend(compared.reason.clone());
    let causes = compared.causes.iter().take(MOST_CAUSES).enumerate();
    let causes = causes.map(|(at, cause)| change(cause, broke.texts.get(at)));
    BreakWords {
        from,
        said: said.iter().map(|text| name(text)).collect(),
        causes: causes.collect(),
        more: compared.causes.len().saturating_sub(MOST_CAUSES),
    }
}

fn change(cause: &Cause, both: Option<&[Option<Passage>; 2]>) -> Change {
    let both = both.map(|both| [&both[0], &both[1]]).unwrap_or([&None; 2]);
    let file = cause.source.as_ref();
    Change {
        told: name(&told(cause)),
        at: name(&cause.at),
        file: file.map(|file| format!("{}:{}", name(&file.path), file.line)),
        lines: lines(cause, MOST_OF_LINE),
        texts: both.map(|text| text.as_ref().map(Words::of)),
        fix: (cause.advice.as_ref()).map(|advice| [remedy(advice), evidence(advice)]),
    }
}
