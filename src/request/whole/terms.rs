//! What a request and its answer name that changes the prices of tokens: a table of fields.

use super::api::Api;
use super::members::Members;
use super::redact::Redactor;
use crate::request::provider::Term;
use crate::text::Json;
use std::collections::BTreeMap;

/// The values by term, as they were sent.
pub type Terms = BTreeMap<Term, String>;

/// Where a term is.
struct Place {
    term: Term,
    /// The paths in a request.
    request: &'static [&'static str],
    /// The paths in an answer.
    answer: &'static [&'static str],
    /// The paths in the usage of an answer.
    usage: &'static [&'static str],
}

/// Types of anthropic 2.14.0, openai 3.57.0, google-genai 3.6.1, mistralai 3.7.0 and botocore 1.44.8, read on 2026-11-28.
const PLACES: [Place; Term::ALL.len()] = [
    Place {
        term: Term::Speed,
        request: &["speed"],
        answer: &[],
        usage: &["speed"],
    },
    Place {
        term: Term::ServiceTier,
        request: &["service_tier", "serviceTier", "serviceTier.type"],
        answer: &["service_tier", "serviceTier.type"],
        usage: &["service_tier", "serviceTier", "trafficType"],
    },
    Place {
        term: Term::InferenceGeo,
        request: &["inference_geo"],
        answer: &[],
        usage: &["inference_geo"],
    },
    Place {
        term: Term::FallbackCredit,
        request: &[TOKEN],
        answer: &[],
        usage: &["fallback_credit.status.type"],
    },
    Place {
        term: Term::Latency,
        request: &["performanceConfig.latency"],
        answer: &["performanceConfig.latency"],
        usage: &[],
    },
];

/// The field whose value is worth money: a word is noted in its place.
const TOKEN: &str = "fallback_credit_token";
const PRESENTED: &str = "presented";

/// The terms of a request.
pub(super) fn of_request(body: &Members<'_>) -> Terms {
    read(|place| place.request, |path| in_body(body, path))
}

/// The terms of an answer, without those in its usage.
pub(super) fn of_answer(body: &Members<'_>) -> Terms {
    read(|place| place.answer, |path| in_body(body, path))
}

/// The terms in the usage of an answer.
#[must_use]
pub fn of_usage(usage: &Json) -> Terms {
    let at = |path: &str| usage.at(&path.split('.').collect::<Vec<_>>()).cloned();
    read(|place| place.usage, at)
}

/// The terms without what must not be written.
pub(super) fn clean(terms: &Terms, redactor: &Redactor) -> Terms {
    let all = terms.iter();
    all.map(|(term, value)| (*term, redactor.text(value).into_owned()))
        .collect()
}

/// The path of a term in a request or an answer of an API.
pub(super) fn path(term: Term, api: Api) -> &'static str {
    let own = PLACES.iter().find(|place| place.term == term);
    match (term, api) {
        (Term::ServiceTier, Api::Gemini) => "serviceTier",
        (Term::ServiceTier, Api::BedrockConverse) => "serviceTier.type",
        _ => own.map_or("", |place| place.request[0]),
    }
}

fn in_body(body: &Members<'_>, path: &str) -> Option<Json> {
    let mut keys = path.split('.');
    let value = body.value(keys.next()?)?;
    value.at(&keys.collect::<Vec<_>>()).cloned()
}

fn read(paths: fn(&Place) -> &'static [&'static str], at: impl Fn(&str) -> Option<Json>) -> Terms {
    /// No value of a provider is longer.
    const LONGEST: usize = 64;
    let value = |path: &&str| match at(path)? {
        Json::Text(_) if *path == TOKEN => Some(PRESENTED.to_owned()),
        Json::Text(text) if (1..=LONGEST).contains(&text.len()) => Some(text.to_string()),
        _ => None,
    };
    let found = |place: &Place| Some((place.term, paths(place).iter().find_map(value)?));
    PLACES.iter().filter_map(found).collect()
}
