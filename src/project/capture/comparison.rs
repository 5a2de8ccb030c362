//! Compares each request of a log with the one before it in its chain.

use super::log::{no_request, pair, read};
use super::owners::Owners;
use crate::compare::Break;
use crate::diagnostic::{self, Diagnostic, ErrorReported};
use crate::project::Run;
use crate::prompt::Prompt;
use crate::request::provider::Catalog;
use crate::request::provider::amount::Amount;
use crate::request::usage::{Across, Bill, Bills, Shared, Why};
use crate::request::whole::log::{Entry, Exchanged, Origin};
use crate::request::whole::{
    Agent, Api, Cause, Judge, Kind, NotReused, Request, Reused, State, Step, ToolChanges, advice,
    compare, not_reused, reason, texts,
};
use crate::text::Json;
use crate::text::passage::{Passage, passages};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// A request and the one before it in its chain.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct RequestComparison {
    /// The number of the request before; for the first of a chain that of a request of another chain, or null.
    pub(crate) a: Option<usize>,
    /// Whether that is of another chain.
    pub(crate) across: bool,
    /// The number of the request.
    pub(crate) b: usize,
    /// The id of the request; one that its recording did not give is `r` with the number.
    pub(crate) id: String,
    /// The conversation.
    pub(crate) conversation: String,
    /// The chain.
    pub(crate) chain: String,
    /// The program that sent it; null if nothing says it.
    pub(crate) agent: Option<Agent>,
    /// The provider, as far as the URL shows it; null if it does not.
    pub(crate) provider: Option<String>,
    /// The API.
    pub(crate) api: Api,
    /// The model.
    pub(crate) model: String,
    /// The model that ran, if its answer has a usage and names another one.
    pub(crate) ran: Option<String>,
    /// The relation of the request to the one before.
    pub(crate) state: State,
    /// Why the whole is not known, or how the request failed; null if neither is so.
    pub(crate) reason: Option<String>,
    /// The time between the starts of both, in seconds; null if it is not known.
    pub(crate) gap: Option<f64>,
    /// The size of A before the first difference.
    pub(crate) reused: Reused,
    /// The place where the first cause takes effect; null without one.
    pub(crate) first: Option<String>,
    /// The changes that took effect, in the order in which the provider reads.
    pub(crate) causes: Vec<Cause>,
    /// The tools that messages of B add to those before them, or remove.
    pub(crate) tool_changes: ToolChanges,
    /// The server's own edits of B, as it reports them.
    #[schemars(with = "Vec<serde_json::Value>")]
    pub(crate) edits: Vec<Json>,
    /// The provider's own report; null if it gives none.
    pub(crate) diagnosis: Option<Said>,
    /// The bill of B; null if no usage is known, or if the usage contradicts itself.
    pub(crate) bill: Option<RequestBill>,
    /// Why its system prompt is another one, as builds prove it: the break between two of the prompts that were named. Left out if not
    /// both requests have the text of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) proven: Option<Break>,
    /// The texts of its causes, before and after, if they are asked for.
    #[serde(skip)]
    pub(crate) texts: Vec<[Option<String>; 2]>,
}

/// The bill of a request.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct RequestBill {
    /// All of its input, in tokens.
    pub(crate) input: u64,
    /// The tokens of it that were read from a cache.
    pub(crate) read: u64,
    /// The tokens that its provider reads by its rule; null if the rule gives no number.
    pub(crate) predicted: Option<u64>,
    /// Whether that is a share of bytes.
    pub(crate) estimated: bool,
    /// The tokens that the request before had and this one did not read, by the reason.
    pub(crate) lost: Vec<Lost>,
}

/// Tokens that were not read again.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Lost {
    /// Why.
    pub(crate) cause: Why,
    /// The number of tokens.
    pub(crate) tokens: u64,
    /// Their additional cost compared with a cache read; null if the model has no price.
    pub(crate) cost: Option<Amount>,
}

/// Whether tokens that are there for this could have been read.
pub(crate) fn is_lost(why: Why) -> bool {
    !matches!(why, Why::Reused | Why::New | Why::Cold | Why::Output)
}

impl RequestBill {
    fn of(bill: &Bill) -> Self {
        let mut lost: Vec<Lost> = Vec::new();
        for part in bill.why.iter().filter(|part| is_lost(part.why)) {
            lost.push(Lost {
                cause: part.why,
                tokens: part.tokens.input(),
                cost: bill.rates.map(|rates| Amount(rates.lost(&part.tokens))),
            });
        }
        Self {
            input: bill.tokens.input(),
            read: bill.tokens.read,
            predicted: bill.predicted.map(|predicted| predicted.tokens),
            estimated: bill.predicted.is_some_and(|predicted| predicted.estimated),
            lost,
        }
    }

    /// The tokens that were lost for a reason.
    pub(crate) fn lost(&self, cause: Why) -> u64 {
        let all = self.lost.iter().filter(|lost| lost.cause == cause);
        all.map(|lost| lost.tokens).sum()
    }
}

/// What somebody else says of a miss.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Said {
    /// Who says it.
    pub(crate) by: Judge,
    /// The reason, such as `system_changed`; several if a client names them.
    pub(crate) reason: String,
    /// Whether that is where the first cause is; null if its reason names no part.
    pub(crate) agrees: Option<bool>,
}

/// The part of a report about a request besides its comparison.
#[derive(Debug)]
pub(crate) struct Detail {
    /// When it was sent.
    pub(crate) time: Option<Timestamp>,
    /// Where it was read.
    pub(crate) origin: Option<Origin>,
    /// The size of it that is not reused.
    pub(crate) not_reused: NotReused,
    /// The bytes before each of its breakpoints.
    pub(crate) marked: Vec<usize>,
    /// The texts of its first causes, before and after.
    pub(crate) texts: Vec<[Option<Passage>; 2]>,
}

/// The most causes of a request whose texts are in a report.
pub(super) const WITH_TEXTS: usize = 10;

/// The most bytes of a text in a report.
const MOST_OF_TEXT: usize = 20_000;

/// The selection of requests of a log, and the sources of their causes and prices.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct RequestQuery<'a> {
    /// Only this conversation.
    pub(crate) conversation: Option<&'a str>,
    /// The folder that changed lines are led back to.
    pub(crate) sources: Option<&'a Path>,
    /// The prompts that requests may have; the first names the layers.
    pub(crate) prompts: &'a [Prompt],
    /// The model that counts in place of the one that requests name.
    pub(crate) model: Option<&'a str>,
    /// The tables of providers that count before the one inside the program.
    pub(crate) catalog: Option<&'a Catalog>,
    /// Whether the texts of causes are wanted.
    pub(crate) texts: bool,
    /// Whether only what was said counts: no time, no setting, no breakpoint, and so no bill and no request of another chain.
    pub(crate) content_only: bool,
}

/// [`each`], with the data that a report shows.
pub(crate) fn detailed(
    path: &Path,
    query: RequestQuery<'_>,
    run: &mut Run,
) -> Result<Vec<(RequestComparison, Detail)>, ErrorReported> {
    let owners = Owners::of(query.sources, query.prompts, run)?;
    walk(path, query, run, |now, before, compared| {
        let (request, before) = (&now.request, before.map(|before| &*before.request));
        note_owners(&owners, compared, before, request);
        let causes = &compared.causes[..compared.causes.len().min(WITH_TEXTS)];
        let texts = match before {
            Some(before) if !causes.is_empty() => texts(before, request, causes),
            _ => Vec::new(),
        };
        let texts = texts
            .iter()
            .map(|[old, new]| passages(old.as_deref(), new.as_deref(), MOST_OF_TEXT));
        Detail {
            time: now.line.time,
            origin: now.line.origin.clone(),
            not_reused: not_reused(before, request, compared.reused),
            marked: request.marked(),
            texts: texts.collect(),
        }
    })
}

/// Compares the requests of a log, each with the one before it in its chain.
pub(crate) fn each(
    path: &Path,
    query: RequestQuery<'_>,
    run: &mut Run,
) -> Result<Vec<RequestComparison>, ErrorReported> {
    let owners = Owners::of(query.sources, query.prompts, run)?;
    let all = walk(path, query, run, |now, before, compared| {
        let (request, before) = (&now.request, before.map(|before| &*before.request));
        note_owners(&owners, compared, before, request);
        if let (Some(before), true) = (before, query.texts) {
            compared.texts = texts(before, request, &compared.causes);
        }
    })?;
    Ok(all.into_iter().map(|(compared, ())| compared).collect())
}

/// Notes the owners of the causes of a comparison.
fn note_owners(
    owners: &Owners<'_>,
    compared: &mut RequestComparison,
    before: Option<&Request>,
    now: &Request,
) {
    owners.note(&mut compared.causes, before, now);
    let is_changed = |cause: &Cause| cause.kind == Kind::SystemChanged;
    if let Some(before) = before.filter(|_| compared.causes.iter().any(is_changed)) {
        compared.proven = owners.proven(before, now);
    }
}

/// Compares each request. `wanted` gets it, the request before it and the comparison.
fn walk<T>(
    path: &Path,
    query: RequestQuery<'_>,
    run: &mut Run,
    mut wanted: impl FnMut(&Exchanged, Option<&Exchanged>, &mut RequestComparison) -> T,
) -> Result<Vec<(RequestComparison, T)>, ErrorReported> {
    let mut out: Vec<(RequestComparison, T)> = Vec::new();
    let conversation = query.conversation;
    let mut lives = Lives::of(query);
    let mut bills = Bills::new(lives.catalog.clone(), lives.model.clone());
    read(path, run, |entry| match entry {
        Entry::Closed(conversation) => bills.close(&conversation),
        Entry::Request(now, before) => {
            let added = (!query.content_only).then(|| bills.add(&now));
            let (across, bill) = added.map(|added| (added.across, added.bill)).unzip();
            let bill = bill.and_then(Result::ok).flatten();
            if conversation.is_some_and(|c| c != now.line.conversation) {
                return;
            }
            let (other, step) = across
                .flatten()
                .map(|Across { before, step }| (before, step))
                .unzip();
            let before = other.or(before).filter(|_| !now.is_failed());
            let mut one = if query.content_only {
                contents(&now, before.as_ref(), &mut lives)
            } else {
                compared(&now, before.as_ref(), step, &mut lives)
            };
            if now.is_failed() {
                one.state = State::Failed;
                one.reason = Some(failure(&now));
            }
            if let Some(bill) = bill {
                prove(&mut one, &bill);
                one.ran.clone_from(&bill.ran);
                one.bill = Some(RequestBill::of(&bill));
            }
            let more = wanted(&now, before.as_deref(), &mut one);
            out.push((one, more));
        }
    })?;
    note_shared(bills.shared(), run);
    match (conversation, out.is_empty()) {
        (Some(conversation), true) => {
            let message = format!("the log has no conversation `{conversation}`");
            Err(run.diags.push(no_request(message, path)))
        }
        _ => Ok(out),
    }
}

/// Decides by its bill whether a request is another one to a cache.
fn prove(one: &mut RequestComparison, bill: &Bill) {
    let is_other = |cause: &Cause| cause.kind == Kind::MessageRespelled;
    if one.state == State::Unproven && bill.first.as_ref().is_some_and(is_other) {
        one.state = State::Broken;
    } else if one.state == State::Unproven && bill.read_respelled {
        one.state = State::Extended;
        one.causes.clear();
        one.first = None;
    }
}

/// Notes what hides what conversations share.
pub(crate) fn note_shared(shared: Shared, run: &mut Run) {
    let Shared {
        conversations,
        own_keys,
        forgotten,
    } = shared;
    if own_keys > 1 && 2 * own_keys > conversations {
        let message = format!(
            "{own_keys} of {conversations} conversations have a `prompt_cache_key` of their own, so that they share no prompt cache"
        );
        let found = Diagnostic::note(diagnostic::COMPARED_WITH_FEWER, message);
        run.diags.push(found);
    }
    if forgotten > 0 {
        let message = format!(
            "{forgotten} requests were too early to be compared with later ones of other conversations, though their time to live was not over"
        );
        let found = Diagnostic::note(diagnostic::COMPARED_WITH_FEWER, message);
        run.diags.push(found);
    }
}

/// Compares two requests of logs. Two bodies, which have no numbers, are 1 and 2.
pub(crate) fn two(
    a: (&Path, usize),
    b: (&Path, usize),
    query: RequestQuery<'_>,
    run: &mut Run,
) -> Result<RequestComparison, ErrorReported> {
    let owners = Owners::of(query.sources, query.prompts, run)?;
    let [before, now] = pair([a, b], run)?;
    let lives = &mut Lives::of(query);
    let mut one = if query.content_only {
        contents(&now, Some(&before), lives)
    } else {
        compared(&now, Some(&before), None, lives)
    };
    one.a = Some(a.1);
    note_owners(&owners, &mut one, Some(&before.request), &now.request);
    if query.texts {
        one.texts = texts(&before.request, &now.request, &one.causes);
    }
    Ok(one)
}

/// Compares a request with the one before it; what the answers of both say counts too. The comparison with one of another chain is given.
pub(super) fn compared(
    now: &Exchanged,
    before: Option<&Arc<Exchanged>>,
    across: Option<Step>,
    lives: &mut Lives,
) -> RequestComparison {
    let (line, request) = (&now.line, &now.request);
    let is_across = across.is_some();
    let step = across.or_else(|| {
        let before = &before?.request;
        Some(compare(before, request, lives.seconds(before)))
    });
    let incomplete = request.incomplete.clone();
    let incomplete = incomplete.or_else(|| {
        let before = before?;
        let (number, reason) = (before.line.number, before.request.incomplete.as_ref()?);
        Some(format!("the one before, #{number}: {reason}"))
    });
    let state = match (&step, &incomplete) {
        // Of what is known of both, something differs.
        (Some(step), Some(_)) if step.state == State::Broken => State::Broken,
        (_, Some(_)) => State::Incomplete,
        (Some(step), None) => step.state,
        (None, None) => State::First,
    };
    let mut causes = step.as_ref().map(|s| s.causes.clone()).unwrap_or_default();
    for cause in &mut causes {
        cause.advice = advice(line.agent.as_ref(), line.api, cause);
    }
    let mut one = RequestComparison {
        a: before.map(|before| before.line.number),
        across: is_across,
        b: line.number,
        id: line.id.clone(),
        conversation: line.conversation.clone(),
        chain: line.chain.clone(),
        agent: line.agent.clone(),
        provider: line.provider.clone(),
        api: line.api,
        model: line.model.clone(),
        ran: None,
        state,
        reason: incomplete,
        gap: step.as_ref().and_then(|s| s.gap),
        reused: step.as_ref().map(|s| s.reused).unwrap_or_default(),
        first: causes.first().map(|cause| cause.at.clone()),
        causes,
        tool_changes: request.tool_changes(),
        edits: now.edits().to_vec(),
        diagnosis: None,
        bill: None,
        proven: None,
        texts: Vec::new(),
    };
    if let Some(before) = before {
        conclude(&mut one, before, now);
    }
    let diagnostics = now.answer.as_ref().and_then(|a| a.diagnostics.as_ref());
    one.diagnosis = diagnostics.and_then(reason).map(|(by, reason)| Said {
        by,
        agrees: agrees(by, &reason, &one),
        reason,
    });
    one
}

/// Compares what two requests say, whatever their settings and times.
fn contents(
    now: &Exchanged,
    before: Option<&Arc<Exchanged>>,
    lives: &mut Lives,
) -> RequestComparison {
    let content = |of: &Exchanged| {
        Arc::new(Exchanged {
            request: Arc::new(of.request.content()),
            answer: None,
            ..of.clone()
        })
    };
    let (now, before) = (content(now), before.map(|before| content(before)));
    let mut one = compared(&now, before.as_ref(), None, lives);
    // No cache is asked about.
    one.causes.iter_mut().for_each(|cause| cause.advice = None);
    one
}

/// How a request failed.
fn failure(now: &Exchanged) -> String {
    match now.answer.as_ref().and_then(|answer| answer.status) {
        Some(status) => format!("its provider answered with the status {status}"),
        None => "its provider answered with an error".to_owned(),
    }
}

/// Notes what the answers to A and B say.
fn conclude(one: &mut RequestComparison, a: &Exchanged, b: &Exchanged) {
    if let (Some(old), Some(new)) = (a.route(), b.route()) {
        rerouted(one, old, new);
    }
    let is_open = matches!(one.state, State::Same | State::Extended);
    if is_open && a.edits() != b.edits() {
        one.state = State::Incomplete;
        one.reason = Some(format!(
            "the server edited the messages of #{} and #{} differently, and its answers do not say which parts",
            a.line.number, b.line.number
        ));
        one.reused = Reused::default();
    }
}

/// The router of requests.
const ROUTER: &str = "openrouter";

/// Notes that a router gave B to another provider than A. Providers do not share caches.
fn rerouted(one: &mut RequestComparison, old: String, new: String) {
    let is_asked = one.causes.iter().any(|c| c.kind == Kind::ModelChanged);
    let is_routed = one.provider.as_deref() == Some(ROUTER);
    if old == new || !is_routed || is_asked || !one.state.is_compared() {
        return;
    }
    let mut cause = Cause::new(Kind::RouteChanged, "route");
    (cause.old, cause.new) = (Some(old), Some(new));
    cause.advice = advice(one.agent.as_ref(), one.api, &cause);
    let after = one.causes.iter().take_while(|cause| cause.at == "time");
    let at = after.count();
    one.causes.insert(at, cause);
    one.first = one.causes.first().map(|cause| cause.at.clone());
    one.state = State::Broken;
    one.reused = Reused {
        of: one.reused.of,
        ..Reused::default()
    };
}

/// The lifetimes in the table of providers of caches whose requests set none.
pub(super) struct Lives {
    catalog: Catalog,
    /// The model that counts in place of the one that requests name.
    model: Option<String>,
    known: BTreeMap<(String, Date), Option<u64>>,
}

impl Lives {
    pub(super) fn of(query: RequestQuery<'_>) -> Self {
        Self {
            catalog: query.catalog.cloned().unwrap_or_default(),
            model: query.model.map(str::to_owned),
            known: BTreeMap::new(),
        }
    }

    /// In seconds, on the day of the request; the shortest, if there are several.
    fn seconds(&mut self, request: &Request) -> Option<u64> {
        let day = request.time.unwrap_or(Timestamp::UNIX_EPOCH);
        let day = day.to_zoned(TimeZone::UTC).date();
        let model = self.model.as_ref().unwrap_or(&request.model);
        let key = (model.clone(), day);
        *self.known.entry(key).or_insert_with(|| {
            let found = self.catalog.find(model, day)?;
            Some(found.model?.shortest()?.seconds)
        })
    }
}

/// Whether one of the named reasons is the first cause. None if none of them is one that is looked for here, or nothing was compared. That the time
/// was over counts where nothing else is found, and for clients alone: providers say nothing of it.
fn agrees(by: Judge, reasons: &str, compared: &RequestComparison) -> Option<bool> {
    compared.a?;
    let places: Vec<Option<&str>> = reasons.split(", ").filter_map(place).collect();
    if places.is_empty() {
        return None;
    }
    let causes = compared.causes.iter();
    let mut found = causes.filter_map(|cause| cause.at.split('/').next());
    let is_over = found.clone().any(|at| at == "time") && by == Judge::Client;
    let first = found.find(|at| *at != "time");
    Some(places.contains(&first.or(is_over.then_some("time"))))
}

/// The part of a request that a reason blames, or the time; none if nothing of the request is to blame. None if it blames anything else.
fn place(reason: &str) -> Option<Option<&str>> {
    Some(match reason.strip_suffix("_changed").unwrap_or(reason) {
        part
        @ ("model" | "tools" | "system" | "messages" | "prompt_cache_key" | "service_tier") => {
            Some(part)
        }
        "system_prompt" => Some("system"),
        "input" | "context_compacted" | "messages_rewritten" => Some("messages"),
        "ttl_expired_5m" | "ttl_expired_1h" => Some("time"),
        "likely_server_side" => None,
        _ => return None,
    })
}
