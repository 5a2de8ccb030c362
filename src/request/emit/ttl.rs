//! The requested times to live of prefixes, compared with those of the provider.

use super::history;
use super::marker::is_openai;
use super::options::{Call, EmitOptions};
use super::place::Placement;
use super::shapes::Shape;
use crate::diagnostic::suggest::{list, nearest};
use crate::diagnostic::{self, Diagnostic, Diagnostics};
use crate::request::provider::{ModelMatch, Ttl};
use crate::text::Json;
use crate::text::duration;

/// The time for all.
pub(super) fn general(wish: &EmitOptions) -> Option<&str> {
    let all = wish.ttls.iter().rev().find(|(tier, _)| tier.is_none());
    all.map(|(_, ttl)| ttl.as_str())
}

/// The time to live of each breakpoint.
pub(super) fn ttls(
    shape: &Shape,
    call: &Call<'_>,
    placement: &Placement<'_>,
    diags: &mut Diagnostics,
) -> Vec<Option<String>> {
    let known: Vec<Ttl> = known(shape, call.found);
    for (at, (tier, ttl)) in call.wish.ttls.iter().enumerate() {
        let fits = check_ttl(ttl, &known, (shape, call), diags);
        if call.wish.ttls[..at].iter().any(|(other, _)| other == tier) {
            let message = "--ttl repeats a value";
            let found = Diagnostic::error(diagnostic::CONFLICTING_SETTINGS, message);
            diags.push(found.help("leave one of them out"));
        }
        if let Some(tier) = tier
            && fits
        {
            check_tier(tier, shape, call.wish, placement, diags);
        }
    }
    let own = |tier: &str| {
        let mut all = call.wish.ttls.iter();
        all.find(|(name, _)| name.as_deref() == Some(tier))
            .map(|(_, ttl)| ttl.as_str())
    };
    let marked: Vec<_> = placement.marked().collect();
    let ttls: Vec<Option<&str>> = marked
        .iter()
        .map(|stretch| own(stretch.tier).or_else(|| general(call.wish)))
        .collect();
    if diags.check().is_err() {
        return Vec::new();
    }
    let seconds = |ttl| seconds(ttl, &known);
    for (pair, ttl) in marked.windows(2).zip(ttls.windows(2)) {
        if seconds(ttl[1]) > seconds(ttl[0]) {
            let (front, after) = (pair[0].tier, pair[1].tier);
            let message =
                format!("the tier `{after}` would be cached longer than `{front}` before it");
            let help = format!(
                "the longer time must come first: add --ttl {front}={}",
                ttl[1].unwrap_or("")
            );
            diags.push(Diagnostic::error(diagnostic::TTL_ORDER, message).help(help));
        }
    }
    ttls.into_iter().map(|ttl| ttl.map(str::to_owned)).collect()
}

/// Whether a tier can have a time to live of its own.
fn check_tier(
    tier: &str,
    shape: &Shape,
    wish: &EmitOptions,
    placement: &Placement<'_>,
    diags: &mut Diagnostics,
) {
    let tiers = || placement.ends.iter().map(|(stretch, _)| stretch.tier);
    if !tiers().any(|name| name == tier) {
        let message = format!(
            "there is no tier `{}` that could be cached",
            tier.escape_debug()
        );
        let found = Diagnostic::error(diagnostic::UNKNOWN_TIER, message);
        let names = list(tiers());
        diags.push(match nearest(tier, tiers()) {
            Some(near) => found.help(format!("did you mean `{near}`?")),
            None if names.is_empty() => {
                found.help("tiers with text, before what changes at every call, are cached")
            }
            None => found.help(format!("those that can be cached are {names}")),
        });
    } else if !shape.ttl_of_tier || wish.automatic {
        let message = if wish.automatic {
            "a request whose provider chooses the breakpoints has one time to live".to_owned()
        } else {
            format!(
                "a request of the shape `{}` has one time to live",
                shape.name
            )
        };
        let found = Diagnostic::error(diagnostic::TTL_NOT_TAKEN, message);
        diags.push(found.help("write --ttl without a tier"));
    } else if !placement.marked().any(|stretch| stretch.tier == tier) {
        let message =
            format!("the tier `{tier}` has no breakpoint, so that its time to live is not set");
        let help =
            "`promptc explain --model MODEL` says why; the next breakpoint after it caches it";
        diags.push(Diagnostic::warning(diagnostic::TTL_NOT_TAKEN, message).help(help));
    }
}

/// How long a breakpoint caches the text before it; by default the shortest known time, else that of Anthropic and
/// Bedrock.
pub(super) fn seconds(ttl: Option<&str>, known: &[Ttl]) -> u64 {
    match ttl {
        Some(ttl) => duration::seconds(ttl).unwrap_or(0),
        None => known.first().map_or(300, |ttl| ttl.seconds),
    }
}

/// Breakpoints of the messages come after those of the prompt, and new ones after the history's own.
pub(super) fn in_order_after(
    shape: &Shape,
    call: &Call<'_>,
    prompt: Option<&Option<String>>,
    set: bool,
    diags: &mut Diagnostics,
) {
    let known = known(shape, call.found);
    let own = history::markers(call.messages).into_iter();
    let own = own.map(|m| m.get("ttl").and_then(Json::as_text));
    let all = prompt.map(Option::as_deref).into_iter().chain(own);
    let all: Vec<_> = all.chain(set.then(|| general(call.wish))).collect();
    let longer = |pair: &[Option<&str>]| seconds(pair[1], &known) > seconds(pair[0], &known);
    if let Some(pair) = all.windows(2).find(|pair| longer(pair)) {
        let name = |ttl: Option<&str>| {
            ttl.map_or("the provider's own time".to_owned(), |ttl| {
                ttl.escape_debug().to_string()
            })
        };
        let message = format!(
            "messages would be cached for {}, after a breakpoint for {}",
            name(pair[1]),
            name(pair[0])
        );
        let help = "the longer time must come first: ask for the same time before them, or remove the history's breakpoints";
        diags.push(Diagnostic::error(diagnostic::TTL_ORDER, message).help(help));
    }
}

/// The times that the request can ask for, the shortest first; empty if they are unknown.
pub(super) fn known(shape: &Shape, found: Option<&ModelMatch>) -> Vec<Ttl> {
    let model = found.and_then(|f| f.model.as_ref());
    let taken = |ttl: &&Ttl| ttl.only.is_none() || shape.responses;
    model.map_or_else(Vec::new, |m| m.ttls.iter().filter(taken).cloned().collect())
}

/// Whether such a request can ask for that time.
fn check_ttl(
    ttl: &str,
    known: &[Ttl],
    (shape, call): (&Shape, &Call<'_>),
    diags: &mut Diagnostics,
) -> bool {
    if duration::seconds(ttl).is_err() {
        let message = format!("`{}` is not a length of time", ttl.escape_debug());
        let found = Diagnostic::error(diagnostic::DURATION_SYNTAX, message);
        diags.push(found.help("write it like 5m or 1h"));
        return false;
    }
    if is_resource(call) {
        return true;
    }
    // OpenAI's times are of the whole request, which a gateway has no place for.
    if !shape.marks(call) || shape.ttl_of_tier && is_openai(call.found) {
        let message = format!(
            "a request of the shape `{}` for `{}` has no place for a time to live",
            shape.name,
            call.model.escape_debug()
        );
        let found = Diagnostic::error(diagnostic::TTL_NOT_TAKEN, message);
        diags.push(found.help("its provider decides; leave --ttl out"));
        return false;
    }
    let row = call.found.and_then(|f| f.model.as_ref());
    if row.is_some() && !known.iter().any(|k| k.name == ttl) {
        let message = format!(
            "`{}` cannot be cached for {ttl} by such a request",
            call.model
        );
        let found = Diagnostic::error(diagnostic::TTL_NOT_TAKEN, message);
        let names = known.iter().map(|k| k.name.as_str());
        diags.push(match known {
            [] => found.help("its provider decides; leave --ttl out"),
            _ => found.help(format!("it takes {}", list(names))),
        });
        return false;
    }
    true
}

/// Whether the time is that of a stored resource, which takes any.
fn is_resource(call: &Call<'_>) -> bool {
    call.wish.create
}
