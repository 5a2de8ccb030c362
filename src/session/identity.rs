//! The identity of a session: the facts of `session { identity … }`, and whether a call is made for the same.

use crate::compile::{IdentityFact, fact_of};
use crate::diagnostic::{Diagnostic, MISSING_FACT, WRONG_FACT_TYPE};
use crate::text::Json;
use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use std::collections::{BTreeMap, BTreeSet};

/// The size of a key, in bytes: that of the hashes.
pub const KEY: usize = 32;

/// The facts that say who a session is, with the values that they had when it was built.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Identity {
    /// By their paths, such as `user.id`. As JSON; null if missing.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    facts: BTreeMap<String, Json>,
    /// The hashes of private ones, HMAC-SHA-256 over name, U+0000 and value as JSON, in hex; null if missing.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    private: BTreeMap<String, Option<String>>,
    /// The key of these hashes, in hex: drawn for this build, and taken along in an export.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    key: String,
}

impl Identity {
    /// The identity of a build from the values of `facts`; `key` was drawn for it alone.
    ///
    /// # Errors
    /// When a path leads to no single value of a fact that has one.
    pub fn of(
        facts: &[IdentityFact],
        values: &BTreeMap<String, Json>,
        key: [u8; KEY],
    ) -> Result<Self, Box<Diagnostic>> {
        let mut own = Self::default();
        for fact in facts {
            let path = &fact.path.value;
            check(fact, values)?;
            let value = value_at(values, path).cloned().unwrap_or_default();
            if !fact.private {
                own.facts.insert(path.clone(), value);
                continue;
            }
            own.key = hex(&key);
            let hash = mac(&key, path, &value).map(|mac| hex(&mac.finalize().into_bytes()));
            own.private.insert(path.clone(), hash);
        }
        Ok(own)
    }

    /// Whether no fact says who the session is.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.facts.is_empty() && self.private.is_empty()
    }

    /// The facts, in byte order of their paths: with its value, null if missing, or none for a private one.
    #[must_use]
    pub fn facts(&self) -> BTreeMap<&str, Option<&Json>> {
        let facts = self.facts.iter();
        let facts = facts.map(|(name, value)| (name.as_str(), Some(value)));
        let private = self.private.keys().map(|name| (name.as_str(), None));
        facts.chain(private).collect()
    }

    /// The names of the facts.
    #[must_use]
    pub fn names(&self) -> BTreeSet<String> {
        let names = self.facts().into_keys().map(fact_of);
        names.map(str::to_owned).collect()
    }

    /// The facts that have another value in `now`, or are missing there and were not.
    #[must_use]
    pub fn differing(&self, now: &BTreeMap<String, Json>) -> Vec<&str> {
        let is = |path: &str| value_at(now, path).unwrap_or(&Json::Null);
        let facts = self.facts.iter();
        let facts = facts.filter(|(path, was)| is(path) != *was);
        let key = bytes(&self.key).unwrap_or_default();
        let private = self.private.iter().filter(|(name, was)| {
            let now = mac(&key, name, is(name));
            match (was.as_deref(), now) {
                (None, None) => false,
                (Some(was), Some(now)) => {
                    bytes(was).is_none_or(|was| now.verify_slice(&was).is_err())
                }
                _ => true,
            }
        });
        let names = facts.map(|(name, _)| name.as_str());
        names
            .chain(private.map(|(name, _)| name.as_str()))
            .collect()
    }
}

/// The value to which a path leads; none if it is missing, or null.
#[must_use]
pub fn value_at<'v>(values: &'v BTreeMap<String, Json>, path: &str) -> Option<&'v Json> {
    let value = values.get(fact_of(path))?;
    let mut keys = path.split('.').skip(1);
    let value = keys.try_fold(value, child)?;
    Some(value).filter(|value| !value.is_null())
}

fn child<'v>(value: &'v Json, key: &str) -> Option<&'v Json> {
    let value = value.get_sorted(key);
    value.filter(|value| !value.is_null())
}

/// Fails if the path of a fact that has a value leads to none, or to a list or map. A whole map may say who a session is.
fn check(who: &IdentityFact, values: &BTreeMap<String, Json>) -> Result<(), Box<Diagnostic>> {
    let path = &who.path;
    let failed = |code, message: String, help: &str| {
        let found = Diagnostic::error(code, message).at(path.span);
        Err(Box::new(found.help(help)))
    };
    let (mut at, keys) = (who.fact().to_owned(), path.value.split('.').skip(1));
    let Some(mut value) = value_at(values, &at).filter(|_| keys.clone().next().is_some()) else {
        return Ok(());
    };
    for key in keys {
        if !matches!(value, Json::Object(_)) {
            let message = format!("`{at}` is no map, so it has no key `{key}`");
            let help = "end the path at the value that says who the session is";
            return failed(WRONG_FACT_TYPE, message, help);
        }
        let Some(below) = child(value, key) else {
            let message = format!("`{at}` has no value for the key `{key}`");
            let help = "give it at each call: it says who the session is";
            return failed(MISSING_FACT, message, help);
        };
        at = format!("{at}.{key}");
        value = below;
    }
    match value {
        Json::Object(_) | Json::List(_) => {
            let message = format!("`{at}` is not a single value");
            failed(
                WRONG_FACT_TYPE,
                message,
                "end the path at a text, a number or a boolean",
            )
        }
        Json::Number(number) if !number.is_i64() && !number.is_u64() => {
            let message =
                format!("`{at}` is a number that is not exact, so another one may be read as it");
            failed(WRONG_FACT_TYPE, message, "give it as a text")
        }
        _ => Ok(()),
    }
}

/// The keyed hash of a value before it is finished; none if it is missing.
fn mac(key: &[u8], name: &str, value: &Json) -> Option<Hmac<Sha256>> {
    if value.is_null() {
        return None;
    }
    // A key of any length is one.
    let mut mac = Hmac::<Sha256>::new_from_slice(key).ok()?;
    mac.update(name.as_bytes());
    mac.update(&[0]);
    mac.update(value.to_string().as_bytes());
    Some(mac)
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        // A text takes everything.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The bytes that hex digits write.
fn bytes(hex: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u32>> = hex.chars().map(|c| c.to_digit(16)).collect();
    let digits = digits.filter(|digits| digits.len() % 2 == 0)?;
    let pairs = digits.chunks_exact(2);
    pairs
        .map(|pair| u8::try_from(pair[0] * 16 + pair[1]).ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::span::{Files, Span, Spanned};
    use serde_json::{Value, json};

    fn facts(of: &[(&str, bool)]) -> Vec<IdentityFact> {
        let file = Files::default().add("promptc.kdl", String::new());
        let fact = |(name, private): &(&str, bool)| IdentityFact {
            path: Spanned::new((*name).to_owned(), Span::new(file, 0..0)),
            private: *private,
        };
        of.iter().map(fact).collect()
    }

    fn values(of: &[(&str, Value)]) -> BTreeMap<String, Json> {
        of.iter()
            .map(|(n, v)| ((*n).to_owned(), v.clone().into()))
            .collect()
    }

    /// The second test case of RFC 4231, with a name and a value in place of its data.
    #[test]
    fn a_hash_is_hmac_sha_256() {
        let mut mac = Hmac::<Sha256>::new_from_slice(b"Jefe").unwrap();
        mac.update(b"what do ya want for nothing?");
        assert_eq!(
            hex(&mac.finalize().into_bytes()),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
    }

    #[test]
    fn each_value_counts_and_so_does_its_absence() {
        let facts = facts(&[("user", false), ("token", true), ("team", true)]);
        let was = values(&[("user", json!("Ann")), ("token", json!("x"))]);
        let own = Identity::of(&facts, &was, [7; KEY]).unwrap();
        assert_eq!(own.differing(&was), [""; 0]);
        for (name, value) in [
            ("user", json!("Bob")),
            ("user", Value::Null),
            ("token", json!("y")),
            ("token", Value::Null),
            ("team", json!("z")),
        ] {
            let mut now = was.clone();
            now.insert(name.to_owned(), value.into());
            assert_eq!(own.differing(&now), [name]);
        }
    }

    #[test]
    fn a_private_value_is_not_in_it_and_two_keys_give_two_hashes() {
        let facts = facts(&[("token", true), ("again", true)]);
        let values = values(&[("token", json!("secret")), ("again", json!("secret"))]);
        let own = |key| Identity::of(&facts, &values, [key; KEY]).unwrap();
        let text = |key| serde_json::to_string(&own(key)).unwrap();
        let (one, two) = (text(1), text(2));
        assert!(!one.contains("secret"));
        assert_ne!(one, two);
        let own: Identity = serde_json::from_str(&one).unwrap();
        assert_ne!(own.private["token"], own.private["again"]);
        assert_eq!(own.differing(&values), [""; 0]);
    }

    #[test]
    fn a_malformed_hash_counts_as_none() {
        let written = r#"{"private":{"token":"zz","team":"abc","user":""},"key":"q"}"#;
        let own: Identity = serde_json::from_str(written).unwrap();
        let now = values(&[("token", json!("x"))]);
        assert_eq!(own.differing(&now), ["team", "token", "user"]);
    }
}
