//! Rebuilds added up.

use super::model::{
    Amount, Blame, Broken, Bucket, CauseSum, CostSum, Counted, History, KindSum, LayerSum,
    ReasonSum, Rebuild, Spent, Sum, Times,
};
use super::moment::By;
use super::read::SessionHistory;
use crate::compare::Size;
use crate::prompt::Deliver;
use crate::request::provider::amount::Usd;
use crate::text::tokens::Tokenizer;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Breaks: how many, what they rewrote and what that cost.
type Breaks = (usize, Amount, Option<Spent>);

impl History {
    /// The sums of the histories of sessions. Without `by` the parts of the time are chosen.
    #[must_use]
    pub fn of(told: impl IntoIterator<Item = SessionHistory>, by: Option<By>) -> Self {
        let (mut sessions, mut builds) = (0, 0);
        let (mut gaps, mut rebuilds) = (Vec::new(), Vec::new());
        for session in told {
            sessions += usize::from(session.builds > 0);
            builds += session.builds;
            gaps.extend(session.gaps);
            rebuilds.extend(session.rebuilds);
        }
        gaps.sort();
        rebuilds.sort_by(|a: &Rebuild, b: &Rebuild| {
            (a.at, &a.session, a.to).cmp(&(b.at, &b.session, b.to))
        });
        let all = sum(&rebuilds);
        Self {
            sessions,
            builds,
            counted: counted(&rebuilds),
            cost: cost(&rebuilds),
            layers: layers(&rebuilds, all.lost),
            causes: kinds(&rebuilds),
            reasons: reasons(&rebuilds),
            times: times(&rebuilds, by),
            all,
            gaps,
            rebuilds,
        }
    }
}

fn sum<'r>(rebuilds: impl IntoIterator<Item = &'r Rebuild>) -> Sum {
    let mut out = Sum::default();
    for rebuild in rebuilds {
        out.add(rebuild);
    }
    out
}

/// The cost of the breaks; none without a break, or if no model is named.
fn cost(rebuilds: &[Rebuild]) -> Option<CostSum> {
    let all = || rebuilds.iter().filter_map(|r| r.change.cost.as_ref());
    let spent = |keep: fn(&&Rebuild) -> bool| {
        let kept = rebuilds.iter().filter(keep);
        Spent::sum(kept.filter_map(|r| r.change.spent()))
    };
    // The model is the same for all.
    let first = all().next()?;
    let spent_all = spent(|_| true)?;
    let breaks = all().count() as u64;
    let a_day = first.requests_per_day.zip(spent_all.usd);
    Some(CostSum {
        model: first.model.clone(),
        provider: first.provider.clone(),
        rule: first.rule.clone(),
        estimate: all().any(|cost| cost.estimate),
        at_most: first.at_most,
        before: all().map(|cost| cost.before).sum(),
        after: all().map(|cost| cost.after).sum(),
        spent: spent_all,
        cold: spent(|r| r.is_cold()).unwrap_or(Spent {
            rewritten: 0,
            usd: spent_all.usd.map(|_| Usd::default()),
        }),
        requests_per_day: first.requests_per_day,
        usd_per_day: a_day.map(|(requests, usd)| usd * requests / breaks),
        peak: first.peak.clone(),
        as_of: first.as_of.clone(),
    })
}

fn counted(rebuilds: &[Rebuild]) -> Counted {
    let sizes = rebuilds.iter().map(|r| &r.change.lost);
    let names: BTreeSet<&String> = sizes.clone().filter_map(|s| s.tokenizer.as_ref()).collect();
    Counted {
        tokenizers: names.into_iter().cloned().collect(),
        estimate: sizes.clone().any(|t| t.estimate),
        assumed: sizes.clone().any(assumed),
    }
}

/// Whether an exact tokenizer counted, but the count is still an estimate.
fn assumed(size: &Size) -> bool {
    let tokenizer = size.tokenizer.as_deref().and_then(Tokenizer::parse);
    size.estimate && tokenizer.is_some_and(Tokenizer::is_exact)
}

fn layers(rebuilds: &[Rebuild], all: Amount) -> Vec<LayerSum> {
    let mut by_layer: BTreeMap<_, Vec<(&Rebuild, &Broken)>> = BTreeMap::new();
    for rebuild in rebuilds {
        let change = &rebuild.change;
        for broken in change.broken.iter().chain(&change.hidden) {
            let key = (&change.prompt, &broken.layer);
            by_layer.entry(key).or_default().push((rebuild, broken));
        }
    }
    let mut out: Vec<LayerSum> = (by_layer.into_iter())
        .filter_map(|((prompt, layer), found)| {
            let (_, latest) = found.last()?;
            Some(LayerSum {
                prompt: prompt.clone(),
                layer: layer.clone(),
                tier: latest.tier.clone(),
                changes: latest.changes,
                channel: latest.channel,
                ..broke(&found, all)
            })
        })
        .collect();
    // The sort is stable: equal ones are in order of their names.
    out.sort_by_key(|l| Reverse((l.lost.tokens, l.broke, l.hidden)));
    out
}

/// The breaks of a layer that is not named yet.
fn broke(found: &[(&Rebuild, &Broken)], all: Amount) -> LayerSum {
    let first = |(rebuild, broken): &&(&Rebuild, &Broken)| {
        let first = rebuild.change.broken.as_ref();
        first.is_some_and(|first| std::ptr::eq(first, *broken))
    };
    let breaks: Vec<_> = found.iter().filter(first).collect();
    let Sum {
        kept, lost, cost, ..
    } = sum(breaks.iter().map(|(rebuild, _)| *rebuild));
    LayerSum {
        prompt: None,
        layer: None,
        tier: None,
        changes: None,
        channel: Deliver::System,
        broke: breaks.len(),
        hidden: found.len() - breaks.len(),
        kept,
        lost,
        cost,
        share: share(lost.tokens, all.tokens),
        causes: causes(&breaks),
    }
}

#[expect(clippy::cast_precision_loss, reason = "a share of countable tokens")]
fn share(part: usize, whole: usize) -> f64 {
    match whole {
        0 => 0.0,
        whole => part as f64 / whole as f64,
    }
}

fn causes(breaks: &[&(&Rebuild, &Broken)]) -> Vec<CauseSum> {
    let mut by_cause: BTreeMap<Blame, Breaks> = BTreeMap::new();
    for (rebuild, broken) in breaks {
        // Two entries of one file are one cause in general.
        let general: BTreeSet<Blame> = broken.causes.iter().map(Blame::in_general).collect();
        for cause in general {
            count(by_cause.entry(cause).or_default(), rebuild);
        }
    }
    let mut out: Vec<CauseSum> = (by_cause.into_iter())
        .map(|(cause, (broke, lost, cost))| CauseSum {
            cause,
            broke,
            lost,
            cost,
        })
        .collect();
    out.sort_by_key(|c| Reverse((c.lost.tokens, c.broke)));
    out
}

fn count((broke, lost, cost): &mut Breaks, rebuild: &Rebuild) {
    *broke += 1;
    *lost += &rebuild.change.lost;
    *cost = Spent::sum(cost.iter().copied().chain(rebuild.change.spent()));
}

fn kinds(rebuilds: &[Rebuild]) -> Vec<KindSum> {
    let mut by_kind: BTreeMap<_, Breaks> = BTreeMap::new();
    for rebuild in rebuilds {
        let causes = rebuild.change.broken.iter().flat_map(|b| &b.causes);
        let kinds: BTreeSet<_> = causes.map(|c| c.kind).collect();
        for kind in kinds {
            count(by_kind.entry(kind).or_default(), rebuild);
        }
    }
    let mut out: Vec<KindSum> = (by_kind.into_iter())
        .map(|(kind, (broke, lost, cost))| KindSum {
            kind,
            broke,
            lost,
            cost,
        })
        .collect();
    out.sort_by_key(|k| Reverse((k.lost.tokens, k.broke)));
    out
}

fn reasons(rebuilds: &[Rebuild]) -> Vec<ReasonSum> {
    let mut by_reason: BTreeMap<&str, Sum> = BTreeMap::new();
    for rebuild in rebuilds {
        let reason = match rebuild.reason.as_str() {
            idle if idle.starts_with("idle:") => "idle",
            other => other,
        };
        by_reason.entry(reason).or_default().add(rebuild);
    }
    let mut out: Vec<ReasonSum> = (by_reason.into_iter())
        .map(|(reason, sum)| ReasonSum {
            reason: reason.to_owned(),
            sum,
        })
        .collect();
    out.sort_by_key(|r| Reverse((r.sum.lost.tokens, r.sum.broke, r.sum.rebuilds)));
    out
}

fn times(rebuilds: &[Rebuild], by: Option<By>) -> Times {
    let bounds = rebuilds.first().zip(rebuilds.last());
    let by = by.unwrap_or_else(|| bounds.map_or(By::Day, |(a, b)| By::of(a.at, b.at)));
    let mut parts: BTreeMap<i64, Sum> = BTreeMap::new();
    for rebuild in rebuilds {
        parts.entry(by.number(rebuild.at)).or_default().add(rebuild);
    }
    let buckets = parts.into_iter().map(|(number, sum)| Bucket {
        start: by.start(number),
        sum,
    });
    Times {
        by,
        buckets: buckets.collect(),
    }
}
