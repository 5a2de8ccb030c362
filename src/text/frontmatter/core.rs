//! YAML 1.2, core schema.

use super::{
    DEEPEST, FrontmatterError, IN_ITSELF, MALFORMED, MISFIT, MOST_NODES, MOST_TEXT, NO_KEY,
    SECOND_DOCUMENT, TOO_MUCH, TWICE, UNKNOWN_ALIAS,
};
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use serde_saphyr::options::{
    AliasLimits, DuplicateKeyPolicy, MergeKeyPolicy, NonFiniteFloatPolicy,
};
use serde_saphyr::{Error, Options};
use std::fmt;

/// How many brackets the scanner meets at most before the budget counts the first of them: a key on one line may have 1,024
/// characters (YAML 1.2, 7.4.2). The scanner's own limit has no error that could be told from bad YAML.
const LOOK_AHEAD: usize = 2048;

/// The value of a YAML document.
pub(super) fn read(yaml: &str) -> Result<Value, FrontmatterError> {
    let read = serde_saphyr::with_deserializer_from_str_with_options(yaml, options(), |d| {
        Tree.deserialize(d)
    });
    read.map_err(|error| explain(&error, yaml))
}

fn options() -> Options {
    let mut limits = AliasLimits::default();
    limits.max_total_replayed_events = 10_000;
    limits.max_replay_stack_depth = 16;
    serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_depth: DEEPEST,
            flow_nesting_limit: LOOK_AHEAD,
            max_events: 50_000,
            max_nodes: MOST_NODES,
            max_aliases: 1_000,
            max_anchors: 1_000,
            max_recorded_anchor_events: 50_000,
            max_merge_keys: 100,
            max_documents: 1,
            max_total_scalar_bytes: MOST_TEXT,
        },
        alias_limits: limits,
        duplicate_keys: DuplicateKeyPolicy::Error,
        merge_keys: MergeKeyPolicy::AsOrdinary,
        strict_booleans: true,
        legacy_octal_numbers: false,
        leading_zero_numbers_as_strings: true,
        underscored_numbers_as_strings: true,
        non_finite_float_policy: NonFiniteFloatPolicy::AsString,
        with_snippet: false,
    }
}

/// The reader's own messages quote keys and values, so each kind gets a sentence of ours.
fn explain(error: &Error, yaml: &str) -> FrontmatterError {
    let message = match error.without_snippet() {
        Error::DuplicateMappingKey { .. } => TWICE,
        Error::Message { msg, .. } if msg == TWICE => TWICE,
        Error::Budget { .. }
        | Error::AliasReplayLimitExceeded { .. }
        | Error::AliasExpansionLimitExceeded { .. }
        | Error::AliasReplayStackDepthExceeded { .. } => TOO_MUCH,
        Error::AliasError { error, .. } => return explain(error, yaml),
        Error::RecursiveReferencesRequireWeakTypes { .. } => IN_ITSELF,
        Error::UnknownAnchor { .. } => UNKNOWN_ALIAS,
        Error::MultipleDocuments { .. } => SECOND_DOCUMENT,
        Error::InvalidScalar { .. } => MISFIT,
        Error::SerdeInvalidType { .. } | Error::Unexpected { .. } => NO_KEY,
        _ => MALFORMED,
    };
    let line = error
        .location()
        .map(|l| usize::try_from(l.line()).unwrap_or(0))
        .filter(|line| *line > 0);
    super::explain(message, line, yaml)
}

/// Any YAML value as JSON.
struct Tree;

impl<'de> DeserializeSeed<'de> for Tree {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Tree {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        let number = Number::from_f64(value).ok_or_else(|| E::custom("not finite"))?;
        Ok(Value::Number(number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element_seed(Tree)? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut entries = Map::new();
        while let Some(key) = map.next_key_seed(Key)? {
            let value = map.next_value_seed(Tree)?;
            if entries.insert(key, value).is_some() {
                return Err(A::Error::custom(TWICE));
            }
        }
        Ok(Value::Object(entries))
    }
}

/// A key as it is written, whatever its type.
struct Key;

impl<'de> DeserializeSeed<'de> for Key {
    type Value = String;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<String, D::Error> {
        deserializer.deserialize_option(self)
    }
}

impl<'de> Visitor<'de> for Key {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    // As an option, since the reader refuses to give null as a string.
    fn visit_none<E>(self) -> Result<String, E> {
        Ok("null".to_owned())
    }

    fn visit_unit<E>(self) -> Result<String, E> {
        Ok("null".to_owned())
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<String, D::Error> {
        deserializer.deserialize_str(self)
    }

    fn visit_str<E>(self, value: &str) -> Result<String, E> {
        Ok(value.to_owned())
    }
}
