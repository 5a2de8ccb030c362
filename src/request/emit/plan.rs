//! The options of a request, compared with the limits of its provider and shape.

use super::history;
use super::marker::is_openai;
use super::options::{Call, Plan};
use super::place::{Allowed, BreakpointStatus, Messages, Placement, Prefix, live_from, place};
use super::shapes::{Automatic, SHAPES, Shape};
use super::ttl::{general, in_order_after, known, seconds, ttls};
use crate::diagnostic::suggest::list;
use crate::diagnostic::{self, Diagnostic, Diagnostics, ErrorReported};
use crate::prompt::{Deliver, Prompt};
use crate::request::provider::{Match, ModelMatch};
use crate::text::Json;

/// Decides what is marked.
pub(super) fn plan<'a>(
    shape: &Shape,
    call: &Call<'a>,
    diags: &mut Diagnostics,
) -> Result<Plan<'a>, ErrorReported> {
    let wish = call.wish;
    history::check(call.messages, shape.form, diags);
    prefill_fits(shape, call, diags);
    let marker = shape.marks(call);
    let most = if marker { most(shape, call.found) } else { 0 };
    let own = history::marks(call.messages);
    let automatic = usize::from(wish.automatic && shape.automatic == Automatic::Counts);
    chosen_by_provider(shape, call, diags);
    own_fit(own, most, automatic, diags);
    let left = most.saturating_sub(own + automatic);
    let provider = call.found.map(|found| &found.provider);
    let prefix = Prefix::of(call.prompt, call.tokenizer, provider);
    if prefix.live && wish.last.is_some_and(|last| last > 0) {
        let message = "breakpoints on messages cache nothing: text that changes at every call comes before them";
        let help = "give its tier deliver=user, so that it comes after the messages";
        diags.push(Diagnostic::warning(diagnostic::MARKS_BEHIND_LIVE_TEXT, message).help(help));
    }
    if automatic > 0 && (prefix.live || ends_live(call.prompt)) {
        let message = "the provider's breakpoint caches nothing: it comes after text that changes at every call";
        let help = "leave --automatic out: breakpoints at the ends of tiers come before it";
        diags.push(Diagnostic::warning(diagnostic::MARKS_BEHIND_LIVE_TEXT, message).help(help));
    }
    if let Some(last) = wish.last.filter(|last| *last > left) {
        let message = match last {
            1 => format!("a message is to be marked, and {left} breakpoints are left"),
            _ => format!("{last} messages are to be marked, and {left} breakpoints are left"),
        };
        let help = match left {
            0 => "leave --last out".to_owned(),
            _ => format!("ask for at most {left}"),
        };
        diags.push(Diagnostic::error(diagnostic::TOO_MANY_MARKS, message).help(help));
    }
    let markable = match diags.check() {
        Ok(()) if marker => history::markable(call, shape.mark),
        _ => Vec::new(),
    };
    let usual = allowed(shape, call.found, marker, Messages::Count(markable.len()));
    let wanted = match wish.last {
        Some(last) => last.min(markable.len()),
        // The history has breakpoints of its own, or the provider chooses.
        None if own > 0 || wish.automatic => 0,
        None => usual.messages,
    };
    let allowed = Allowed {
        most: if wish.automatic {
            wanted.min(left)
        } else {
            left
        },
        messages: wanted,
        messages_first: wish.last.is_some(),
        ..usual
    };
    let placement = place(&prefix, allowed);
    if marker {
        too_short(&placement, allowed.min, call, diags);
    }
    let ttls = ttls(shape, call, &placement, diags);
    if shape.ttl_of_tier {
        let also = placement.messages > 0 || wish.automatic;
        in_order_after(shape, call, ttls.last(), also, diags);
    }
    diags.check()?;
    let mut messages = markable;
    messages.truncate(placement.messages);
    Ok(Plan {
        ttls,
        ttl: general(wish).map(str::to_owned),
        messages,
        automatic: wish.automatic,
        placement,
    })
}

/// Notes the tiers that get no breakpoint because the model caches no prefix that short.
fn too_short(placement: &Placement<'_>, min: u64, call: &Call<'_>, diags: &mut Diagnostics) {
    let short = placement.ends.iter();
    let short = short.filter(|(_, status)| *status == BreakpointStatus::Short);
    for (section, _) in short {
        let (tier, tokens) = (section.tier, section.tokens);
        let model = call.model;
        let message = format!(
            "no breakpoint after the tier `{tier}`: the prefix up to it has {tokens} tokens, and {model} caches none below {min}"
        );
        let help = "it is cached with what comes after it; `promptc explain --model MODEL` shows all breakpoints";
        diags.push(Diagnostic::note(diagnostic::UNMARKED_TIER, message).help(help));
    }
}

/// Whether the request can leave the places to the provider, as far as that is requested.
fn chosen_by_provider(shape: &Shape, call: &Call<'_>, diags: &mut Diagnostics) {
    if !call.wish.automatic {
        return;
    }
    if shape.automatic == Automatic::None {
        let message = format!(
            "a request of the shape `{}` has no way to let its provider choose the breakpoints",
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

/// The most breakpoints of a request.
fn most(shape: &Shape, found: Option<&ModelMatch>) -> usize {
    let known = found.and_then(|f| f.model.as_ref());
    let most = known.map_or(shape.most, |model| model.limits.breakpoints);
    // OpenAI reserves one for itself, also through a gateway.
    let implicit = if is_openai(found) { 1 } else { shape.implicit };
    most.saturating_sub(implicit)
}

/// Whether text that changes at every call goes with the user's words.
fn ends_live(prompt: &Prompt) -> bool {
    let channel = prompt.channel(Deliver::User);
    channel.is_some_and(|channel| live_from(channel) < channel.text.len())
}

/// Whether the model lets a request end with the beginning of its answer, if this one does.
fn prefill_fits(shape: &Shape, call: &Call<'_>, diags: &mut Diagnostics) {
    let models = ["assistant", "model"].map(Some);
    let said = call.messages.last().and_then(history::role);
    let added = !call.prompt.text(Deliver::User).trim().is_empty();
    let ends = models.contains(&said) && !added && !shape.form.items;
    if call.prefill.is_some() && ends {
        let message =
            "the history ends with words of the model, and a prefill would come after them";
        let help = "leave that message out of the history, or append the prefill to its text";
        diags.push(Diagnostic::error(diagnostic::NO_PREFILL, message).help(help));
    }
    let row = call.found.and_then(|f| f.model.as_ref());
    if row.is_some_and(|row| !row.prefill) && (call.prefill.is_some() || ends) {
        let message = format!(
            "`{}` refuses a request that ends with the beginning of its answer",
            call.model.escape_debug()
        );
        let help = match call.prefill {
            Some(_) => "leave --prefill out, and ask for the form of the answer in the prompt",
            None => "let the history end with what the user says or a tool answers",
        };
        diags.push(Diagnostic::error(diagnostic::NO_PREFILL, message).help(help));
    }
}

/// The breakpoints of a request of this shape, if it marks places at all.
fn allowed(shape: &Shape, found: Option<&ModelMatch>, marker: bool, messages: Messages) -> Allowed {
    let limits = found.and_then(|f| f.model.as_ref()).map(|m| m.limits);
    // OpenAI marks the latest message itself.
    let on_messages = marker && !is_openai(found);
    Allowed {
        most: if marker { most(shape, found) } else { 0 },
        min: limits.and_then(|l| l.min).unwrap_or(0),
        tools: shape.tools_marked,
        messages: if on_messages { messages.most() } else { 0 },
        messages_first: false,
    }
}

/// The breakpoints of a request to this model, in the shape that its provider takes.
#[must_use]
pub fn allowed_by(found: &ModelMatch, messages: Messages) -> Allowed {
    let marker = found.provider.marker.as_deref();
    let name = found.provider.name.as_str();
    let by_name = || SHAPES.iter().find(|shape| shape.serves.contains(&name));
    let by_marker = || SHAPES.iter().find(|shape| shape.writes(marker));
    let shape = match &found.via {
        Some(via) => SHAPES.iter().find(|shape| shape.name == via),
        None => by_name().or_else(by_marker),
    };
    let marks = shape.is_some() && found.provider.rule == Match::Breakpoint;
    let tools = shape.is_none_or(|shape| shape.tools_marked);
    let shape = shape.copied().unwrap_or(&Shape::PLAIN);
    Allowed {
        tools,
        ..allowed(shape, Some(found), marks, messages)
    }
}
