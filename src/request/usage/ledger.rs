//! The bills of many requests, summed by the requested keys.

use super::rates::Rates;
use super::tokens::Tokens;
use super::why::Why;
use crate::request::provider::amount::Usd;
use crate::request::whole::{Cause, Request};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::AddAssign;
use std::sync::{Arc, LazyLock};

/// The keys of sums.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Key {
    /// The day on which a request was sent, UTC.
    Day,
    /// The model.
    Model,
    /// The provider.
    Provider,
    /// The conversation.
    Conversation,
    /// The chain.
    Chain,
    /// The request.
    Request,
    /// The first change, for tokens that are counted because of a change.
    Segment,
    /// The tool that it is.
    Tool,
    /// The layer of a prompt of promptc that it is in.
    Layer,
    /// The file, tool or other part of the input that tokens are of.
    File,
    /// The version of the file that tokens are of.
    Version,
    /// Why tokens are there.
    Cause,
}

impl Key {
    /// All of them with their names, in the order of columns.
    pub const ALL: [(&'static str, Self); 12] = [
        ("day", Self::Day),
        ("model", Self::Model),
        ("provider", Self::Provider),
        ("conversation", Self::Conversation),
        ("chain", Self::Chain),
        ("request", Self::Request),
        ("segment", Self::Segment),
        ("tool", Self::Tool),
        ("layer", Self::Layer),
        ("file", Self::File),
        ("version", Self::Version),
        ("cause", Self::Cause),
    ];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        let known = Self::ALL.iter().find(|(_, key)| *key == self);
        known.map_or("", |(name, _)| name)
    }
}

/// A request that is summed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Item<'a> {
    /// The day on which it was sent, UTC.
    pub day: Option<Date>,
    /// Its model.
    pub model: &'a str,
    /// The provider.
    pub provider: &'a str,
    /// Its conversation.
    pub conversation: &'a str,
    /// Its chain.
    pub chain: &'a str,
    /// Its name.
    pub request: &'a str,
    /// The first change.
    pub(super) first: Option<&'a Cause>,
}

impl Item<'_> {
    fn key(&self, key: Key, why: Why, [subject, version]: [&str; 2]) -> String {
        match key {
            Key::Day => self.day.map_or("?".to_owned(), |day| day.to_string()),
            Key::Model => self.model.to_owned(),
            Key::Provider => self.provider.to_owned(),
            Key::Conversation => self.conversation.to_owned(),
            Key::Chain => self.chain.to_owned(),
            Key::Request => self.request.to_owned(),
            Key::Segment | Key::Tool | Key::Layer => {
                let first = self.change(why);
                first
                    .and_then(|first| named(first, key))
                    .unwrap_or_default()
            }
            Key::File => subject.to_owned(),
            Key::Version => version.to_owned(),
            Key::Cause => why.name().to_owned(),
        }
    }

    /// The subject of that change. Where a recording lacks too much to say more it is the model or the messages.
    fn changed(&self, why: Why) -> Option<String> {
        match (self.change(why), why) {
            (Some(first), _) => Some(subject_of(first)),
            (None, Why::Changed) => Some("model".to_owned()),
            (None, Why::Rewritten) => Some("messages".to_owned()),
            _ => None,
        }
    }

    /// The change that tokens are there for.
    fn change(&self, why: Why) -> Option<&Cause> {
        let lost = matches!(why, Why::Changed | Why::Rewritten | Why::Diverged);
        self.first.filter(|_| lost)
    }
}

/// The subject of a change, by one of the keys that describe it.
fn named(first: &Cause, key: Key) -> Option<String> {
    match key {
        Key::Tool => first.at.strip_prefix("tools/").map(str::to_owned),
        Key::Layer => first.layer.clone(),
        _ => Some(segment(first)),
    }
}

/// A setting, a tool, a heading of the system prompt, or the messages.
pub(super) fn segment(first: &Cause) -> String {
    match (first.at.split('/').next(), &first.section) {
        (Some("system"), Some(section)) => format!("system: {}", section.trim()),
        (Some("messages"), _) => "messages".to_owned(),
        _ => first.at.clone(),
    }
}

/// The file, tool or other part of an input that tokens are of.
#[derive(Debug, Clone)]
pub(super) struct Subject {
    /// Its name: a path, `tools/NAME`, `system`, `messages`, `output`, or `?`; empty where nobody asks.
    pub(super) name: Arc<str>,
    /// The [version](crate::request::whole::LoadedFile::version) of a file; else empty.
    pub(super) version: Arc<str>,
    /// Whether its tokens are a share by bytes.
    pub(super) is_estimated: bool,
}

impl Subject {
    /// Whether both are the same.
    pub(super) fn is(&self, other: &Self) -> bool {
        (&self.name, &self.version) == (&other.name, &other.version)
    }

    /// That of answers.
    pub(super) fn output() -> Self {
        static OUTPUT: LazyLock<Subject> = LazyLock::new(|| Subject::whole("output"));
        OUTPUT.clone()
    }

    /// That of what nobody asks for.
    pub(super) fn nobody() -> Self {
        static NOBODY: LazyLock<Subject> = LazyLock::new(|| Subject::whole(""));
        NOBODY.clone()
    }

    /// All of something.
    pub(super) fn whole(name: &str) -> Self {
        Self {
            name: name.into(),
            version: "".into(),
            is_estimated: false,
        }
    }
}

/// The subject of a change: the file that it is led back to, else the tool, `system`, `messages`, or the setting.
pub(super) fn subject_of(first: &Cause) -> String {
    if let Some(source) = &first.source {
        return source.path.clone();
    }
    match first.at.split_once('/') {
        Some(("tools", _)) | None => first.at.clone(),
        Some((part, _)) => part.to_owned(),
    }
}

/// Tokens of a request, and why they are there.
#[derive(Debug, Clone, Copy)]
pub struct Portion {
    /// The reason.
    pub why: Why,
    /// The tokens.
    pub tokens: Tokens,
    /// Whether the same requests at the same times, and no byte of the prefix changed, would read them.
    pub is_avoidable: bool,
}

impl Portion {
    /// Tokens that are avoidable if their reason is.
    #[must_use]
    pub(super) fn of(why: Why, tokens: Tokens) -> Self {
        Self {
            why,
            tokens,
            is_avoidable: why.is_avoidable(),
        }
    }
}

/// The bill of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sum {
    /// The requests that have a token in it.
    pub requests: u64,
    /// The tokens.
    pub tokens: Tokens,
    /// Their cost.
    pub billed: Usd,
    /// The avoidable part of that.
    pub avoidable: Usd,
    /// The avoidable cost of tokens, its own and others, that were lost by changes in it; of groups by file.
    pub caused: Usd,
    /// Whether some of the tokens are a share by bytes.
    pub is_estimated: bool,
}

impl Sum {
    /// Tokens of a request that are there for one reason.
    #[must_use]
    pub(super) fn of(part: &Portion, rates: Option<&Rates>) -> Self {
        let tokens = &part.tokens;
        let avoidable = rates.filter(|_| part.is_avoidable);
        Self {
            requests: 1,
            tokens: *tokens,
            billed: rates.map(|rates| rates.cost(tokens)).unwrap_or_default(),
            avoidable: avoidable
                .map(|rates| rates.lost(tokens))
                .unwrap_or_default(),
            ..Self::default()
        }
    }

    /// Adds another group.
    pub fn add(&mut self, other: &Self) {
        self.requests += other.requests;
        self.tokens += other.tokens;
        self.billed = self.billed + other.billed;
        self.avoidable = self.avoidable + other.avoidable;
        self.caused = self.caused + other.caused;
        self.is_estimated |= other.is_estimated;
    }
}

/// The groups of some keys.
#[derive(Debug, Clone, Default)]
pub struct Table {
    /// Its keys, in the order of columns.
    pub by: Vec<Key>,
    /// The groups.
    pub rows: BTreeMap<Vec<String>, Sum>,
}

impl Table {
    /// A ledger without groups.
    #[must_use]
    pub fn new(mut by: Vec<Key>) -> Self {
        by.sort_unstable();
        by.dedup();
        Self {
            by,
            rows: BTreeMap::new(),
        }
    }

    /// Gives rows other keys; those that have the same then are one.
    pub fn rename(&mut self, keys: impl Fn(&mut [String])) {
        for (mut key, sum) in std::mem::take(&mut self.rows) {
            keys(&mut key);
            self.rows.entry(key).or_default().add(&sum);
        }
    }

    /// Adds the tokens of a request, each with its reason and its subject. What several models took is added for each; `met` has the groups that
    /// count it.
    pub(super) fn add(
        &mut self,
        item: &Item<'_>,
        parts: &[(Portion, Subject)],
        rates: Option<&Rates>,
        met: &mut BTreeSet<Vec<String>>,
    ) {
        let is_by_file = self.by.contains(&Key::File);
        let versions = parts.iter().filter(|_| is_by_file);
        let versions = versions.map(|(_, of)| (&*of.name, &*of.version));
        let versions: BTreeMap<&str, &str> = versions.rev().collect();
        for (part, subject) in parts.iter().filter(|(part, _)| !part.tokens.is_empty()) {
            let key = |of: [&str; 2]| -> Vec<String> {
                let keys = self.by.iter();
                keys.map(|key| item.key(*key, part.why, of)).collect()
            };
            let own = key([&subject.name, &subject.version]);
            let changed = item.changed(part.why).filter(|_| is_by_file);
            let changed =
                changed.map(|name| key([&name, versions.get(&*name).copied().unwrap_or_default()]));
            let first = met.insert(own.clone());
            let sum = Sum {
                requests: u64::from(first),
                is_estimated: subject.is_estimated,
                ..Sum::of(part, rates)
            };
            if let Some(changed) = changed {
                let caused = sum.avoidable;
                let row = self.rows.entry(changed).or_default();
                row.caused = row.caused + caused;
            }
            self.rows.entry(own).or_default().add(&sum);
        }
    }
}

/// The requests by what their recording has of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    /// All that was sent.
    pub whole: u64,
    /// Tools, system prompt and messages.
    pub snapshots: u64,
    /// Less.
    pub neither: u64,
}

impl Evidence {
    /// Counts a request.
    pub(super) fn add(&mut self, request: &Request) {
        let count = match (&request.incomplete, request.is_snapshot) {
            (None, _) => &mut self.whole,
            (Some(_), true) => &mut self.snapshots,
            (Some(_), false) => &mut self.neither,
        };
        *count += 1;
    }
}

impl AddAssign for Evidence {
    fn add_assign(&mut self, other: Self) {
        self.whole += other.whole;
        self.snapshots += other.snapshots;
        self.neither += other.neither;
    }
}

/// The number of requests for which the rule of the provider was right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Agreement {
    /// The requests of which the rule says something.
    pub predicted: u64,
    /// The requests that read what it predicts.
    pub agree: u64,
    /// The requests for which it predicts only roughly.
    pub estimated: u64,
    /// The requests that read less.
    pub evicted: u64,
    /// The requests that read more.
    pub shared: u64,
    /// The requests for which nothing is predicted.
    pub none: u64,
}

impl AddAssign for Agreement {
    fn add_assign(&mut self, other: Self) {
        self.predicted += other.predicted;
        self.agree += other.agree;
        self.estimated += other.estimated;
        self.evicted += other.evicted;
        self.shared += other.shared;
        self.none += other.none;
    }
}

/// A possible change.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// An hour in place of five minutes.
    Hour,
    /// An hour in place of five minutes for tools and system prompt alone.
    PrefixHour,
    /// Five minutes in place of an hour.
    FiveMinutes,
    /// No change of the model, a setting, the tools or the system prompt.
    StablePrefix,
    /// No change of the messages.
    AppendOnly,
    /// A breakpoint at the end of each request.
    Breakpoint,
    /// Breakpoints where `promptc emit` puts them: at the end of the tools, of the system prompt and of the request.
    Breakpoints,
    /// The tools in the order of their names.
    ToolsInOrder,
    /// A segment or layer moves to the end of the system prompt.
    ToEnd(String),
    /// A segment or layer moves to the user's message.
    ToMessage(String),
    /// Several of them.
    Together(Vec<Change>),
}

/// The saving of each change, by model.
#[derive(Debug, Clone, Default)]
pub struct Savings(pub BTreeMap<(String, Change), Usd>);

impl Savings {
    /// Adds an amount, which is negative where a change costs.
    pub(super) fn note(&mut self, model: &str, change: Change, saved: Usd) {
        if saved == Usd::default() {
            return;
        }
        let sum = self.0.entry((model.to_owned(), change)).or_default();
        *sum = *sum + saved;
    }
}
