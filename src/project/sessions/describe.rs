//! The stored data of a session, for programs.

use super::tiers::{Tier, tiers};
use crate::prompt::{Channel, Deliver, Prompt};
use crate::session::store::{self, Build, Key, Session, SessionId, Store};
use crate::session::{Inputs, SessionMeta, program, restore};
use crate::text::Json;
use crate::text::time::rfc3339;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// The document that `session show --format json` writes.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Report {
    /// The store, as messages call it.
    pub(crate) store: String,
    /// The ID.
    pub(crate) session: String,
    /// The `name` of its manifest; null if that has none.
    pub(crate) prompt: Option<String>,
    /// Its manifest: an absolute path, or `builtin:NAME@N`; null if it was not known.
    pub(crate) manifest: Option<String>,
    /// When it was built first, RFC 3339.
    pub(crate) created: String,
    /// When it was last used, RFC 3339.
    pub(crate) used: String,
    /// The number of the build that all below is about, but for `history`, `directory_rules` and `told`.
    pub(crate) build: u64,
    /// Whether it was imported: then its plan never runs, and a manifest that the call names takes its place.
    pub(crate) imported: bool,
    /// The frozen texts.
    pub(crate) texts: Vec<Text>,
    /// The tiers in order; null if the stored plan cannot be read by this release.
    pub(crate) tiers: Option<Vec<Tier>>,
    /// The facts that identify it, with their values, null if missing; values of private ones are not stored.
    pub(crate) identity: Vec<Who>,
    /// When it is rebuilt.
    pub(crate) refresh: Refresh,
    /// The inputs of the build that are stored.
    pub(crate) given: GivenInputs,
    /// All builds that are still there, oldest first.
    pub(crate) history: Vec<Line>,
    /// The folders whose rules the session got, in byte order.
    pub(crate) directory_rules: Vec<String>,
    /// When drift since the newest build was reported, RFC 3339; null if it was not.
    pub(crate) told: Option<String>,
}

/// A frozen text.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Text {
    /// Its channel.
    pub(crate) channel: Deliver,
    pub(crate) bytes: usize,
    /// Null if they were not counted.
    pub(crate) tokens: Option<usize>,
    /// By which tokenizer.
    pub(crate) tokenizer: Option<String>,
    /// Its hash.
    pub(crate) sha256: String,
}

/// A fact that says who a session is.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Who {
    pub(crate) fact: String,
    /// Its value; null if it was missing or is private.
    pub(crate) value: Option<Json>,
    /// Whether it is private: then a keyed hash is stored.
    pub(crate) private: bool,
}

impl Who {
    /// All of a session.
    pub(crate) fn of(terms: &SessionMeta) -> Vec<Self> {
        let all = terms.identity.facts().into_iter();
        let who = all.map(|(fact, value)| Self {
            fact: fact.to_owned(),
            value: value.filter(|v| !v.is_null()).cloned(),
            private: value.is_none(),
        });
        who.collect()
    }
}

/// When a session is rebuilt, besides `--refresh`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Refresh {
    /// On these events.
    pub(crate) events: Vec<String>,
    /// After so long without use; null if that is no reason.
    pub(crate) idle_seconds: Option<u64>,
    /// When one of these facts has another value than this.
    pub(crate) facts: BTreeMap<String, Json>,
}

/// The inputs of a build.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct GivenInputs {
    /// The current directory, which relative paths count from; null if the build was imported.
    pub(crate) folder: Option<String>,
    /// The manifest as it was named; null if it was looked for.
    pub(crate) manifest: Option<String>,
    pub(crate) scenario: Option<String>,
    /// The requested tokenizer.
    pub(crate) tokenizer: Option<String>,
    pub(crate) roots: Vec<Root>,
    /// Facts that the caller or the environment gave.
    pub(crate) facts: BTreeMap<String, Json>,
    /// The private facts that had a value, which is not stored.
    pub(crate) private: Vec<String>,
}

/// A root that was given.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Root {
    pub(crate) root: String,
    pub(crate) path: String,
}

/// One build.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Line {
    /// Its number, from 1.
    pub(crate) build: u64,
    /// When it was made, RFC 3339.
    pub(crate) built: String,
    /// Why: `first`, `event:NAME`, `idle:SECONDS`, `fact:NAME` or `asked`.
    pub(crate) reason: String,
    /// The frozen system prompt, in bytes; null if another release wrote it in a form that this one cannot read.
    pub(crate) bytes: Option<usize>,
    /// The size of that text in tokens; null if they were not counted.
    pub(crate) tokens: Option<usize>,
}

/// Describes a session, as far as one of its builds is concerned; none if that is gone.
pub(crate) fn describe(
    store: &mut dyn Store,
    name: &str,
    id: &SessionId,
    number: Option<u64>,
) -> store::Result<Option<Report>> {
    let wanted = |_: &Session, build: &Build| build.parts();
    let Some(restored) = store.restore(id, number, &wanted)? else {
        return Ok(None);
    };
    let (session, build) = (&restored.session, &restored.build);
    let mut contents = |key: &Key| restored.content(key);
    let terms = SessionMeta::of(build)?;
    let identity = Who::of(&terms);
    let (frozen, inputs) = restore(&mut contents, build)?;
    Ok(Some(Report {
        store: name.to_owned(),
        session: id.to_string(),
        prompt: terms.name,
        manifest: terms.manifest,
        created: rfc3339(session.created),
        used: rfc3339(session.used),
        build: build.number,
        imported: build.imported,
        texts: texts(&frozen.prompt, build),
        tiers: tiers(&program(&mut contents, build)?, &inputs, &frozen.prompt),
        identity,
        refresh: Refresh {
            events: terms.events,
            idle_seconds: terms.idle,
            facts: terms.facts,
        },
        given: given(inputs),
        history: lines(store, id)?,
        directory_rules: store.directory_rules(id)?,
        told: session.delivered.as_ref().map(|told| rfc3339(told.at)),
    }))
}

fn texts(prompt: &Prompt, build: &Build) -> Vec<Text> {
    let of = |(deliver, key): (&Deliver, &Key)| {
        let channel = prompt.channel(*deliver);
        let tokens = channel.and_then(Channel::counted);
        Text {
            channel: *deliver,
            bytes: channel.map_or(0, |c| c.bytes),
            tokens: tokens.as_ref().map(|t| t.count),
            tokenizer: tokens.map(|t| t.tokenizer),
            sha256: key.as_str().to_owned(),
        }
    };
    build.texts.iter().map(of).collect()
}

fn given(inputs: Inputs) -> GivenInputs {
    let roots = inputs.roots.into_iter().map(|(name, path)| Root {
        root: name,
        path: path.to_string_lossy().into_owned(),
    });
    GivenInputs {
        folder: (!inputs.imported).then(|| inputs.folder.to_string_lossy().into_owned()),
        manifest: inputs.manifest,
        scenario: inputs.scenario,
        tokenizer: inputs.tokenizer,
        roots: roots.collect(),
        facts: inputs.facts,
        private: inputs.private,
    }
}

/// The head of a build's map.
#[derive(serde::Deserialize)]
struct Head {
    channels: Vec<HeadChannel>,
}

#[derive(serde::Deserialize)]
struct HeadChannel {
    #[serde(rename = "channel")]
    deliver: Deliver,
    bytes: usize,
    tokens: Option<usize>,
}

fn lines(store: &mut dyn Store, id: &SessionId) -> store::Result<Vec<Line>> {
    let mut lines = Vec::new();
    for build in store.builds(id)? {
        let map = store.content(&build.map)?;
        // Data of another release do not prevent the description of the others.
        let head: Option<Head> = serde_json::from_str(&map).ok();
        let channels = head.as_ref().map(|head| head.channels.iter());
        let system = channels.map(|mut c| c.find(|c| c.deliver == Deliver::System));
        lines.push(Line {
            build: build.number,
            built: rfc3339(build.at),
            reason: build.reason.to_string(),
            bytes: system.map(|c| c.map_or(0, |c| c.bytes)),
            tokens: system.flatten().and_then(|c| c.tokens),
        });
    }
    Ok(lines)
}
