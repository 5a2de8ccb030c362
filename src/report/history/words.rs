//! The wording of a history.

use crate::compare::CauseKind;
use crate::prompt::Deliver;
use crate::report::escape::plain;
use crate::report::words::{count, thousands};
use crate::session::history::{Blame, By, CauseSum, History, LayerSum, Rebuild, rfc3339};

/// Tokens, with a leading `~` if that is an estimate.
pub(super) fn tokens(n: usize, history: &History) -> String {
    let mark = if history.counted.estimate { "~" } else { "" };
    format!("{mark}{}", thousands(n))
}

/// The name of a layer; with the prompt's name if there are several.
pub(super) fn layer(sum: &LayerSum, history: &History) -> String {
    let name = sum.layer.as_deref().unwrap_or("(no layer)");
    let several = history.layers.iter().any(|l| l.prompt != sum.prompt);
    plain(&match &sum.prompt {
        Some(prompt) if several => format!("{prompt}/{name}"),
        _ => name.to_owned(),
    })
}

/// Why a layer broke the prefix most.
pub(in crate::report) fn main_cause(sum: &LayerSum) -> Option<String> {
    let CauseSum { cause, broke, .. } = sum.causes.first()?;
    let times = match sum.broke {
        n if n == *broke => String::new(),
        n => format!(", {} of {} times", thousands(*broke), thousands(n)),
    };
    let more = match sum.causes.len() - 1 {
        0 => String::new(),
        1 => "; and another cause".to_owned(),
        n => format!("; and {} other causes", thousands(n)),
    };
    Some(format!("{}{times}{more}", what(cause)))
}

/// Each cause of a layer, and how often it was one.
pub(super) fn every_cause(sum: &LayerSum) -> impl Iterator<Item = String> {
    sum.causes.iter().map(|cause| {
        let times = match cause.broke {
            1 => "once".to_owned(),
            n => format!("{} times", thousands(n)),
        };
        format!("{}, {times}", what(&cause.cause))
    })
}

/// A repeated event.
pub(super) fn what(cause: &Blame) -> String {
    let path = plain(cause.path.as_deref().unwrap_or("a text"));
    let item = plain(cause.item.as_deref().unwrap_or_default());
    let fact = plain(cause.fact.as_deref().unwrap_or_default());
    let text = match cause.kind {
        CauseKind::LanguageChanged => "the language of the manifest changed".to_owned(),
        CauseKind::LayerAdded | CauseKind::LayerRemoved if !item.is_empty() => {
            format!("the layer `{item}` came or went")
        }
        CauseKind::LayerAdded => format!("{path} layer added"),
        CauseKind::LayerRemoved => format!("{path} layer removed"),
        CauseKind::LayerLeftOut => format!("--without {item} left the layer out"),
        CauseKind::LayerMoved => format!("{path} layer moved"),
        CauseKind::LayerEdited => format!("{path} edited"),
        CauseKind::TemplateChanged => format!("{path} template changed"),
        CauseKind::ConditionFlipped if cause.path.is_some() => {
            format!("{path} entry `{item}` came or went")
        }
        CauseKind::ConditionFlipped => format!("`{item}` flipped"),
        CauseKind::FactChanged => format!("fact `{fact}` changed"),
        CauseKind::DocumentChanged => format!("{path} changed"),
        CauseKind::DocumentAppeared => format!("{path} appeared"),
        CauseKind::DocumentVanished => format!("{path} vanished"),
        CauseKind::DocumentRenamed => format!("{path} renamed"),
        CauseKind::TokenizerChanged => "the tokenizer changed".to_owned(),
        CauseKind::ReleaseChanged => "another release of promptc".to_owned(),
        CauseKind::ItemAdded => format!("{path} entry added"),
        CauseKind::ItemRemoved => format!("{path} entry removed"),
        CauseKind::ItemChanged => format!("{path} entry changed"),
        CauseKind::ItemReordered => format!("{path} entry moved"),
        CauseKind::DocumentReplaced => format!("{path} is replaced by a scan, or no longer"),
        CauseKind::CutMoved => format!("{path} is cut at another place"),
        CauseKind::WhitespaceOnly => format!("{path} changed in white space only"),
    };
    let by = match cause.kind {
        CauseKind::ConditionFlipped if !fact.is_empty() => format!(" by fact `{fact}`"),
        _ => String::new(),
    };
    match cause.because.first() {
        Some(because) if by.is_empty() => format!("{text}, because {}", what(because)),
        _ => format!("{text}{by}"),
    }
}

/// A part of the time: the hour, the day, the week by its Monday, or the month.
pub(super) fn part(by: By, start: i64) -> String {
    let text = rfc3339(start);
    let (date, time) = text.split_once('T').unwrap_or((&text, ""));
    match by {
        By::Hour => format!("{date} {}", time.get(..5).unwrap_or(time)),
        By::Day | By::Week => date.to_owned(),
        By::Month => date.rsplit_once('-').map_or(date, |(m, _)| m).to_owned(),
    }
}

/// When most was rewritten.
pub(super) fn most(history: &History) -> Option<String> {
    let buckets = &history.times.buckets;
    // The first of equals.
    let most = buckets.iter().rev().max_by_key(|b| b.sum.lost.tokens)?;
    if most.sum.lost.tokens == 0 || buckets.len() == 1 {
        return None;
    }
    let by = history.times.by;
    let when = match by {
        By::Hour => "in the hour from",
        By::Day => "on",
        By::Week => "in the week from",
        By::Month => "in",
    };
    let part = part(by, most.start);
    let tokens = tokens(most.sum.lost.tokens, history);
    Some(format!("most {when} {part}: {tokens} tokens"))
}

/// Builds that are gone.
pub(super) fn gone(history: &History) -> Option<String> {
    let text = match history.gaps.as_slice() {
        [] => return None,
        [one] if one.from == one.to => {
            format!("build {} of `{}` is gone", one.from, plain(&one.session))
        }
        [one] => {
            let session = plain(&one.session);
            format!("builds {} to {} of `{session}` are gone", one.from, one.to)
        }
        many => {
            let builds: u64 = many.iter().map(|gap| gap.to - gap.from + 1).sum();
            let mut sessions: Vec<&str> = many.iter().map(|gap| gap.session.as_str()).collect();
            sessions.dedup();
            let builds = thousands(usize::try_from(builds).unwrap_or(usize::MAX));
            let sessions = count(sessions.len(), "session");
            format!("{builds} builds of {sessions} are gone")
        }
    };
    Some(format!("{text}; their rewrites are unknown"))
}

/// The tokenizer of the counts, if it estimates or there are several.
pub(super) fn counted(history: &History) -> Option<String> {
    let names = history.counted.tokenizers.join(" and ");
    let estimate = history.counted.estimate;
    let several = history.counted.tokenizers.len() > 1;
    (estimate || several).then(|| {
        if history.counted.assumed {
            format!("counted by {names}; some prompts name no tokenizer (--tokenizer)")
        } else {
            format!("counted by {names}")
        }
    })
}

/// The breaks that the figures leave out.
pub(super) fn tools(history: &History) -> Option<String> {
    let broken = history
        .rebuilds
        .iter()
        .filter_map(|r| r.change.broken.as_ref());
    let tools = broken.filter(|b| b.channel == Deliver::Tools).count();
    (tools > 0).then(|| {
        let breaks = count(tools, "break");
        let counted = match history.cost {
            Some(_) => "which only the cost counts",
            None => "which is not counted",
        };
        format!("{breaks} in the tools: most providers reuse nothing after them, {counted}")
    })
}

/// The command that shows the costliest break; `store` is the option that leads to the store, if the call had one.
pub(in crate::report) fn look(history: &History, store: Option<&str>) -> Option<String> {
    let worst = history.layers.first().filter(|sum| sum.broke > 0)?;
    let breaks = history.rebuilds.iter().filter(|r| {
        let broken = r.change.broken.as_ref();
        r.change.prompt == worst.prompt && broken.is_some_and(|b| b.layer == worst.layer)
    });
    let lost = |r: &&Rebuild| r.change.lost.tokens.unwrap_or_default();
    let Rebuild {
        session, from, to, ..
    } = breaks.max_by_key(lost)?;
    let operand = |number: &u64| argument(&format!("session:{session}@{number}"));
    let store = store.map(|named| format!(" {named}")).unwrap_or_default();
    Some(format!(
        "promptc diff {} {}{store}",
        operand(from),
        operand(to)
    ))
}

/// An argument as a shell takes it.
pub fn argument(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.:@/+".contains(c);
    if text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

/// The tokens that were rewritten when the cache was cold anyway.
pub(super) fn cold(history: &History) -> Option<String> {
    let cold = history.all.cold.tokens;
    (cold > 0).then(|| {
        let tokens = tokens(cold, history);
        format!("{tokens} tokens after idle time, when a cache is cold anyway")
    })
}
