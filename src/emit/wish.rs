//! What a request is asked to be, held against what its provider and shape allow.

use super::history;
use super::place::{Allowed, Placement, live_from, place, stretches};
use super::shapes::Automatic;
use super::{Call, Json, SHAPES, Shape};
use crate::diagnostic::suggest::{list, nearest};
use crate::diagnostic::{self, Diagnostic, Diagnostics, Reported};
use crate::prompt::{Deliver, Prompt};
use crate::provider::{Found, Match, Only, Ttl};
use crate::text::duration;

/// What a caller asks for besides the prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wish {
    /// The provider chooses the places to keep.
    pub automatic: bool,
    /// How long prefixes are kept: of a tier, or of all (`None`); a tier's own counts first.
    pub ttls: Vec<(Option<String>, String)>,
    /// How many of the last messages are marked; `None` is the shape's own habit.
    pub last: Option<usize>,
    /// What sends requests with one prefix to one place.
    pub key: Option<String>,
    /// The stored resource that holds the prompt.
    pub cached: Option<String>,
    /// The request that stores such a resource.
    pub create: bool,
    /// The longest answer, in tokens.
    pub max_tokens: Option<u64>,
    /// Where markers of plain chat messages stand.
    pub layout: Option<Layout>,
}

/// Where markers of plain chat messages stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// On the last part of the content, as gateways take it that speak for Anthropic.
    Envelope,
    /// On the message where the content has no place for it, for an adapter that makes Anthropic's own form of it.
    Native,
}

/// What the shape writes.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan<'a> {
    /// The ends of tiers, with those that are marked.
    pub placement: Placement<'a>,
    /// The time to live of the breakpoints of `placement`, in order; `None` is the provider's own.
    pub ttls: Vec<Option<String>>,
    /// The time to live of those on messages and of the whole request.
    pub ttl: Option<String>,
    /// How many of the last messages are marked.
    pub last: usize,
    /// The provider marks by itself.
    pub automatic: bool,
}

/// Decides what is marked.
pub(super) fn plan<'a>(
    shape: &Shape,
    call: &Call<'a>,
    diags: &mut Diagnostics,
) -> Result<Plan<'a>, Reported> {
    let wish = call.wish;
    let marker = shape.marks(call);
    let most = if marker { most(shape, call.found) } else { 0 };
    let own = history::marks(call.messages);
    let automatic = usize::from(wish.automatic && shape.automatic == Automatic::Counts);
    chosen_by_provider(shape, call, diags);
    own_fit(own, most, automatic, diags);
    let left = most.saturating_sub(own + automatic);
    let live = is_live(call.prompt);
    let habit = match call.messages {
        [] => 0,
        _ if !marker || own > 0 || live || wish.automatic => 0,
        _ => shape.last,
    };
    if live && wish.last.is_some_and(|last| last > 0) {
        let message = "breakpoints on messages keep nothing: text that changes at every call stands in front of them";
        let help = "give its tier deliver=user, so that it stands behind the messages";
        diags.push(Diagnostic::warning(diagnostic::MARKS_BEHIND_LIVE_TEXT, message).help(help));
    }
    let asked = wish.last.unwrap_or(habit);
    if asked > left {
        let message = format!("{asked} messages are to be marked, and {left} breakpoints are left");
        let help = format!("ask for at most {left}");
        diags.push(Diagnostic::error(diagnostic::TOO_MANY_MARKS, message).help(help));
    }
    let limits = call.found.and_then(|f| f.model.as_ref()).map(|m| m.limits);
    let allowed = Allowed {
        most: match wish.automatic {
            true => 0,
            false => left.saturating_sub(asked),
        },
        min: limits.and_then(|l| l.min).unwrap_or(0),
        tools: shape.tools_marked,
    };
    let placement = place(&stretches(call.prompt, call.tokenizer), allowed);
    let used = placement.marked().count();
    let ttls = ttls(shape, call, &placement, diags);
    let last = match wish.last {
        Some(last) => last,
        None if habit == 0 => 0,
        // What the system text does not need goes to the messages.
        None => left.saturating_sub(used),
    };
    if shape.ttl_of_tier {
        let also = last > 0 || wish.automatic;
        in_order_behind(shape, call, ttls.last(), also, diags);
    }
    diags.check()?;
    Ok(Plan {
        ttls,
        ttl: general(wish).map(str::to_owned),
        last,
        automatic: wish.automatic,
        placement,
    })
}

/// Whether the request can leave the places to the provider, as far as that is asked for.
fn chosen_by_provider(shape: &Shape, call: &Call<'_>, diags: &mut Diagnostics) {
    if !call.wish.automatic {
        return;
    }
    if shape.automatic == Automatic::None {
        let message = format!(
            "a request of the shape `{}` cannot say that its provider chooses the breakpoints",
            shape.name
        );
        let able = SHAPES.iter().filter(|s| s.automatic != Automatic::None);
        let able = list(able.map(|s| s.name));
        let help = format!("leave --automatic out, or take one of the shapes {able}");
        diags.push(Diagnostic::error(diagnostic::CONFLICTING_SETTINGS, message).help(help));
    }
    let known = known(shape, call.found);
    let alone = call.prefill.is_none() && call.prompt.text(Deliver::User).trim().is_empty();
    if shape.automatic == Automatic::Counts
        && alone
        && let Some(marker) = history::last_marker(call.messages)
        && seconds(marker.get("ttl").and_then(Json::as_text), &known)
            != seconds(general(call.wish), &known)
    {
        let message =
            "the last message has a breakpoint with another time to live than the request";
        let help = "ask for the same time with --ttl, or leave that breakpoint out of the history";
        diags.push(Diagnostic::error(diagnostic::TTL_NOT_TAKEN, message).help(help));
    }
}

/// Breakpoints that the messages have themselves are left as they are, so the request must have room for them.
fn own_fit(own: usize, most: usize, automatic: usize, diags: &mut Diagnostics) {
    if own + automatic <= most || own == 0 {
        return;
    }
    let besides = match automatic {
        0 => "",
        _ => ", one of them the provider's",
    };
    let message = format!(
        "the messages have {own} breakpoints of their own, and the request may have {most}{besides}"
    );
    let help = "leave breakpoints to promptc: remove them from the history";
    diags.push(Diagnostic::error(diagnostic::TOO_MANY_MARKS, message).help(help));
}

/// How many breakpoints a request may have.
fn most(shape: &Shape, found: Option<&Found>) -> usize {
    let known = found.and_then(|f| f.model.as_ref());
    let most = known.map_or(shape.most, |model| model.limits.breakpoints);
    most.saturating_sub(shape.implicit)
}

/// Whether text that changes at every call stands in the system text.
fn is_live(prompt: &Prompt) -> bool {
    let channel = prompt.channel(Deliver::System);
    channel.is_some_and(|channel| live_from(channel) < channel.text.len())
}

fn general(wish: &Wish) -> Option<&str> {
    let all = wish.ttls.iter().rev().find(|(tier, _)| tier.is_none());
    all.map(|(_, ttl)| ttl.as_str())
}

/// The time to live of each breakpoint.
fn ttls(
    shape: &Shape,
    call: &Call<'_>,
    placement: &Placement<'_>,
    diags: &mut Diagnostics,
) -> Vec<Option<String>> {
    let known: Vec<Ttl> = known(shape, call.found);
    let tiers: Vec<&str> = placement.ends.iter().map(|(s, _)| s.tier).collect();
    for (tier, ttl) in &call.wish.ttls {
        check_ttl(ttl, &known, call, diags);
        let Some(tier) = tier else { continue };
        if !tiers.contains(&tier.as_str()) {
            let message = format!(
                "there is no tier `{}` that could be kept",
                tier.escape_debug()
            );
            let found = Diagnostic::error(diagnostic::UNKNOWN_TIER, message);
            diags.push(match nearest(tier, tiers.iter().copied()) {
                Some(near) => found.help(format!("did you mean `{near}`?")),
                None => {
                    found.help("tiers with text, in front of what changes at every call, are kept")
                }
            });
        } else if !shape.ttl_of_tier {
            let message = format!(
                "a request of the shape `{}` has one time to live",
                shape.name
            );
            let found = Diagnostic::error(diagnostic::TTL_NOT_TAKEN, message);
            diags.push(found.help("write --ttl without a tier"));
        }
    }
    let own = |tier: &str| {
        let mut all = call.wish.ttls.iter().rev();
        all.find(|(name, _)| name.as_deref() == Some(tier))
            .map(|(_, ttl)| ttl.as_str())
    };
    let marked: Vec<_> = placement.marked().collect();
    let ttls: Vec<Option<&str>> = marked
        .iter()
        .map(|stretch| own(stretch.tier).or_else(|| general(call.wish)))
        .collect();
    let seconds = |ttl| seconds(ttl, &known);
    for (pair, ttl) in marked.windows(2).zip(ttls.windows(2)) {
        if seconds(ttl[1]) > seconds(ttl[0]) {
            let (front, behind) = (pair[0].tier, pair[1].tier);
            let message =
                format!("the tier `{behind}` would be kept longer than `{front}` in front of it");
            let help = format!(
                "the longer time has to stand first: add --ttl {front}={}",
                ttl[1].unwrap_or("")
            );
            diags.push(Diagnostic::error(diagnostic::TTL_ORDER, message).help(help));
        }
    }
    ttls.into_iter().map(|ttl| ttl.map(str::to_owned)).collect()
}

/// How long a breakpoint keeps what is in front of it; the shortest time that is known if it does not say.
fn seconds(ttl: Option<&str>, known: &[Ttl]) -> u64 {
    match ttl {
        Some(ttl) => duration::seconds(ttl).unwrap_or(0),
        None => known.first().map_or(0, |ttl| ttl.seconds),
    }
}

/// Breakpoints of the messages stand behind those of the prompt, and those that are set now behind the history's own.
fn in_order_behind(
    shape: &Shape,
    call: &Call<'_>,
    prompt: Option<&Option<String>>,
    set: bool,
    diags: &mut Diagnostics,
) {
    let known = known(shape, call.found);
    let own = history::markers(call.messages).map(|m| m.get("ttl").and_then(Json::as_text));
    let all = prompt.map(Option::as_deref).into_iter().chain(own);
    let all: Vec<_> = all.chain(set.then(|| general(call.wish))).collect();
    let longer = |pair: &[Option<&str>]| seconds(pair[1], &known) > seconds(pair[0], &known);
    if let Some(pair) = all.windows(2).find(|pair| longer(pair)) {
        let name = |ttl: Option<&str>| {
            ttl.unwrap_or("the provider's own time")
                .escape_debug()
                .to_string()
        };
        let message = format!(
            "messages would be kept for {}, behind a breakpoint for {}",
            name(pair[1]),
            name(pair[0])
        );
        let help = "the longer time has to stand first: ask for the same time in front, or remove the history's breakpoints";
        diags.push(Diagnostic::error(diagnostic::TTL_ORDER, message).help(help));
    }
}

/// The times that the request can ask for, the shortest first; empty if nobody knows.
fn known(shape: &Shape, found: Option<&Found>) -> Vec<Ttl> {
    let model = found.and_then(|f| f.model.as_ref());
    let taken = |ttl: &&Ttl| ttl.only == Only::Any || shape.responses;
    model.map_or_else(Vec::new, |m| m.ttls.iter().filter(taken).cloned().collect())
}

fn check_ttl(ttl: &str, known: &[Ttl], call: &Call<'_>, diags: &mut Diagnostics) {
    if duration::seconds(ttl).is_err() {
        let message = format!("`{}` is no length of time", ttl.escape_debug());
        let found = Diagnostic::error(diagnostic::DURATION_SYNTAX, message);
        diags.push(found.help("write it like 5m or 1h"));
        return;
    }
    let row = call.found.and_then(|f| f.model.as_ref());
    if row.is_none() {
        let message = format!(
            "nothing is known of the model `{}`: it may refuse {ttl}",
            call.model.escape_debug()
        );
        let help = "a table with --providers can say what it takes";
        diags.push(Diagnostic::warning(diagnostic::UNKNOWN_MODEL, message).help(help));
    }
    if row.is_some() && !known.iter().any(|k| k.name == ttl) && !is_resource(call) {
        let message = format!(
            "`{}` cannot be kept for {ttl} by such a request",
            call.model
        );
        let found = Diagnostic::error(diagnostic::TTL_NOT_TAKEN, message);
        let names = known.iter().map(|k| k.name.as_str());
        diags.push(match known {
            [] => found.help("its provider decides; leave --ttl out"),
            _ => found.help(format!("it takes {}", list(names))),
        });
    }
}

/// Whether the time is that of a stored resource, which takes any.
fn is_resource(call: &Call<'_>) -> bool {
    call.wish.create
}

/// What a model takes in a request without a history.
#[must_use]
pub fn allowed(found: &Found) -> Allowed {
    let limits = found.model.as_ref().map(|m| m.limits).unwrap_or_default();
    let marker = found.provider.marker.as_deref();
    let shape = SHAPES.iter().find(|shape| shape.writes(marker));
    Allowed {
        most: match shape {
            Some(shape) if found.provider.rule == Match::Breakpoint => most(shape, Some(found)),
            _ => 0,
        },
        min: limits.min.unwrap_or(0),
        tools: shape.is_none_or(|shape| shape.tools_marked),
    }
}

/// Whether the model's provider keeps up to marked places.
pub(super) fn has_breakpoints(found: Option<&Found>) -> bool {
    found.is_some_and(|f| f.provider.rule == Match::Breakpoint)
}
