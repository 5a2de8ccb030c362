//! The redaction of a log: keys, tokens and cookies are replaced, ids are hashed.

use crate::text::Json;
use hmac::{Hmac, KeyInit, Mac};
use regex::{Captures, Regex};
use sha2::Sha256;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::LazyLock;

/// The settings of which a log has a hash.
pub(super) const IDS: &[&str] = &["prompt_cache_key"];

/// The size of a key, in bytes.
pub const KEY: usize = 32;

/// Secrets by their shape: a name, and the pattern. The prefixes are those that the issuers document.
const SHAPES: &[(&str, &str)] = &[
    (
        "private_key",
        r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----[A-Za-z0-9+/=\\\s:,-]*?-----END [A-Z0-9 ]*PRIVATE KEY-----",
    ),
    (
        "jwt",
        r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}",
    ),
    ("api_key", r"\bsk-[A-Za-z0-9_-]{20,}"),
    (
        "github",
        r"\b(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{40,})",
    ),
    (
        "gitlab",
        r"\bgl(?:pat|dt|rt|cbt|ptt|ft|soat)-[A-Za-z0-9_-]{20,}",
    ),
    (
        "google",
        r"\b(?:AIza[0-9A-Za-z_-]{35}|ya29\.[0-9A-Za-z_-]{20,}|GOCSPX-[0-9A-Za-z_-]{20,})",
    ),
    ("aws", r"\b(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}\b"),
    (
        "slack",
        r"\bxox[a-z]-[0-9A-Za-z-]{10,}|\bxapp-[0-9A-Za-z-]{20,}|hooks\.slack\.com/services/[0-9A-Za-z/]{20,}",
    ),
    (
        "stripe",
        r"\b(?:sk|rk|pk)_(?:live|test)_[0-9A-Za-z]{16,}|\bwhsec_[0-9A-Za-z+/=]{20,}",
    ),
    (
        "registry",
        r"\bnpm_[A-Za-z0-9]{36}|\bpypi-[A-Za-z0-9_-]{50,}|\bcio[A-Za-z0-9]{32}\b|\brubygems_[0-9a-f]{48}",
    ),
    ("hugging_face", r"\bhf_[A-Za-z0-9]{30,}"),
    (
        "model_key",
        r"\bgsk_[A-Za-z0-9]{40,}|\bxai-[A-Za-z0-9]{40,}|\bpplx-[A-Za-z0-9]{40,}|\br8_[A-Za-z0-9]{30,}|\bcsk-[a-z0-9]{40,}",
    ),
    (
        "cloud",
        r"\bdo[opr]_v1_[0-9a-f]{64}|\bdapi[0-9a-f]{32}|\bhvs\.[A-Za-z0-9_-]{24,}|\bglsa_[A-Za-z0-9]{32}_[0-9a-f]{8}|\bdp\.(?:pt|st|ct|sa)\.[A-Za-z0-9]{40,}|\bAccountKey=[A-Za-z0-9+/]{40,}=*",
    ),
    (
        "service",
        r"\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}|\bSK[0-9a-f]{32}\b|\b[0-9]{8,10}:AA[A-Za-z0-9_-]{33}|\blin_api_[A-Za-z0-9]{40}|\bntn_[A-Za-z0-9]{40,}|\bsecret_[A-Za-z0-9]{40,}|\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}|\bsntrys_[A-Za-z0-9+/=_]{40,}|\bATATT3[A-Za-z0-9_=-]{40,}|\bPMAK-[0-9a-f-]{40,}|\bfigd_[A-Za-z0-9_-]{30,}|\bAGE-SECRET-KEY-1[0-9A-Z]{50,}|\btskey-[a-z]+-[A-Za-z0-9-]{20,}",
    ),
    ("bearer", r"(?i:\bbearer )[A-Za-z0-9._~+/-]{16,}=*"),
];

/// The names of fields and variables that hold a secret, as parts of a pattern.
const NAMES: &str = r"(?:[A-Za-z0-9_-]*[_-])?(?:api[_-]?key|apikey|auth[_-]?token|access[_-]?token|refresh[_-]?token|session[_-]?token|id[_-]?token|bot[_-]?token|bearer[_-]?token|authorization|authorization[_-]token|proxy-authorization|client[_-]?secret|secret[_-]?access[_-]?key|secret[_-]?key|signing[_-]?secret|webhook[_-]?secret|app[_-]?secret|private[_-]?key|encryption[_-]?key|account[_-]?key|password|passwd|passphrase|set-cookie|cookie|security-token|connection[_-]?string|token|secret)";

static SECRETS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let shapes = SHAPES
        .iter()
        .map(|(name, pattern)| format!("(?P<{name}>{pattern})"));
    let field = format!(r#"(?i:\\*"{NAMES}\\*"\s*:\s*\\*")(?P<field>[^"\\]{{4,}})"#);
    let variable = format!(
        r#"(?:(?i:\b{NAMES})|\b[A-Z0-9_]*(?:KEY|TOKEN|SECRET|PASSWORD))=(?P<variable>[^\s"'\\&;]{{6,}})"#
    );
    let url = r#"://[^/\s:@"\\]{1,64}:(?P<url>[^/\s:@"\\]+)@"#.to_owned();
    let all: Vec<String> = [field, variable, url].into_iter().chain(shapes).collect();
    // A secret may stand right after a letter of another script. And with the words of Unicode a text that is not ASCII takes many times as long.
    Regex::new(&all.join("|").replace(r"\b", r"(?-u:\b)")).ok()
});

static NAME: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(&format!("^(?i:{NAMES})$")).ok());

/// Whether a field of that name holds a secret.
fn is_name(name: &str) -> bool {
    NAME.as_ref().is_some_and(|names| names.is_match(name))
}

/// The texts of JSON with their quotes: where each begins and ends.
fn literals(json: &str) -> Vec<(usize, usize)> {
    let (mut out, mut open, mut escaped) = (Vec::new(), None, false);
    for (at, byte) in json.bytes().enumerate() {
        match (open, byte) {
            (Some(_), _) if escaped => escaped = false,
            (Some(_), b'\\') => escaped = true,
            (Some(start), b'"') => {
                out.push((start, at + 1));
                open = None;
            }
            (None, b'"') => open = Some(at),
            _ => {}
        }
    }
    out
}

/// What a log has in place of a text: of a secret, of a line, of an id.
static PLACEHOLDERS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let secret = r"\[redacted:(?P<kind>[a-z_]+):(?P<secret>[0-9a-f]{12})\]";
    let line = r"\[line:(?P<line>[0-9a-f]{12}):(?P<length>[0-9]+)\]";
    Regex::new(&format!("{secret}|{line}")).ok()
});

/// Both values of `at` with placeholders that people can read: instead of a hash the kind or the length of what was not
/// kept, and a number where there are several.
#[must_use]
pub fn without_hashes(at: &str, values: [Option<&str>; 2]) -> [Option<String>; 2] {
    let mut known: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut placeholder = |what: String, hash: &str| {
        let hashes = known.entry(what.clone()).or_default();
        let at = hashes.iter().position(|known| known == hash);
        if at.is_none() {
            hashes.push(hash.to_owned());
        }
        match at.unwrap_or(hashes.len() - 1) {
            0 => format!("[{what}]"),
            at => format!("[{what}, no. {}]", at + 1),
        }
    };
    values.map(|value| {
        let value = value?;
        if IDS.contains(&at) {
            return Some(placeholder("not kept".to_owned(), value));
        }
        let clean = PLACEHOLDERS
            .as_ref()?
            .replace_all(value, |found: &Captures<'_>| {
                let group = |name| found.name(name).map_or("", |group| group.as_str());
                match found.name("kind") {
                    Some(kind) => {
                        placeholder(format!("redacted: {}", kind.as_str()), group("secret"))
                    }
                    None => placeholder(
                        format!("not kept: {} characters", group("length")),
                        group("line"),
                    ),
                }
            });
        Some(clean.into_owned())
    })
}

/// Whether a text is only a placeholder for a secret.
fn is_mark(text: &str) -> bool {
    let inner = text
        .strip_prefix("[redacted:")
        .and_then(|t| t.strip_suffix(']'));
    let parts = inner.and_then(|inner| inner.split_once(':'));
    parts.is_some_and(|(kind, hash)| {
        kind.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
            && hash.len() == 12
            && hash.bytes().all(|b| b.is_ascii_hexdigit())
    })
}

/// Whether a value of a field comes next.
fn follows_colon(before: &str) -> bool {
    before.trim_end().ends_with(':')
}

/// Replaces secrets; the same one is replaced by the same text as long as the key is.
#[derive(Debug, Clone)]
pub struct Redactor {
    key: [u8; KEY],
    /// Whether all text is hashed, line by line.
    pub lines: bool,
}

impl Redactor {
    /// A redactor with this key.
    #[must_use]
    pub fn new(key: [u8; KEY]) -> Self {
        Self { key, lines: false }
    }

    /// The keyed hash of a text: HMAC-SHA-256, the first six bytes in hex.
    #[must_use]
    pub fn hash(&self, text: &str) -> String {
        // A key of any length is one.
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&self.key) else {
            return String::new();
        };
        mac.update(text.as_bytes());
        let bytes = mac.finalize().into_bytes();
        bytes.iter().take(6).fold(String::new(), |mut out, byte| {
            let _ = write!(out, "{byte:02x}");
            out
        })
    }

    /// JSON without secrets: in each of its texts, and in each field that has the name of a secret.
    #[must_use]
    pub fn json<'t>(&self, json: &'t str) -> Cow<'t, str> {
        let mut out = String::new();
        let (mut copied, mut named) = (0, false);
        for (start, end) in literals(json) {
            let literal = &json[start..end];
            let inner = &literal[1..literal.len() - 1];
            let text = if inner.contains('\\') {
                serde_json::from_str(literal).map(Cow::Owned)
            } else {
                Ok(Cow::Borrowed(inner))
            };
            let Ok(text) = text else {
                continue;
            };
            let is_key = json[end..].trim_start().starts_with(':');
            if is_key {
                named = is_name(&text);
            }
            let clean = if named && !is_key && follows_colon(&json[..start]) && !text.is_empty() {
                Cow::Owned(self.mark("field", &text))
            } else {
                self.text(&text)
            };
            if let Cow::Owned(clean) = clean
                && clean != text
            {
                out.push_str(&json[copied..start]);
                out.push_str(&Json::text(clean).canonical());
                copied = end;
            }
        }
        match copied {
            0 => Cow::Borrowed(json),
            _ => Cow::Owned(out + &json[copied..]),
        }
    }

    /// A value without secrets.
    #[must_use]
    pub fn value(&self, value: &Json) -> Json {
        Json::read(&self.json(&value.canonical())).unwrap_or(Json::Null)
    }

    /// The placeholder for a secret.
    fn mark(&self, kind: &str, secret: &str) -> String {
        if is_mark(secret) {
            secret.to_owned()
        } else {
            format!("[redacted:{kind}:{}]", self.hash(secret))
        }
    }

    /// A plain text without secrets.
    #[must_use]
    pub fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let Some(secrets) = &*SECRETS else {
            return Cow::Borrowed(text);
        };
        secrets.replace_all(text, |found: &Captures<'_>| {
            let whole = &found[0];
            let named = secrets.capture_names().flatten();
            let part = named
                .filter_map(|name| Some((name, found.name(name)?)))
                .next();
            let Some((kind, part)) = part else {
                return whole.to_owned();
            };
            let start = part.start() - found.get(0).map_or(0, |all| all.start());
            let end = start + part.len();
            let mark = self.mark(kind, part.as_str());
            format!("{}{mark}{}", &whole[..start], &whole[end..])
        })
    }

    /// A value with each line of its texts hashed, but for the names by which its parts are known.
    #[must_use]
    pub fn hashed(&self, value: &Json) -> Json {
        const NAMES: &[&str] = &[
            "type",
            "role",
            "name",
            "id",
            "tool_use_id",
            "call_id",
            "status",
        ];
        match value {
            Json::Text(text) => Json::text(self.hashed_lines(text)),
            Json::List(items) => Json::list(items.iter().map(|i| self.hashed(i))),
            Json::Object(members) => {
                let members = members.iter().map(|(key, value)| {
                    let value = if NAMES.contains(&&**key) {
                        value.clone()
                    } else {
                        self.hashed(value)
                    };
                    (&**key, value)
                });
                Json::object(members)
            }
            other => other.clone(),
        }
    }

    fn hashed_lines(&self, text: &str) -> String {
        let lines = text.split('\n').map(|line| {
            if line.is_empty() {
                String::new()
            } else {
                format!("[line:{}:{}]", self.hash(line), line.chars().count())
            }
        });
        lines.collect::<Vec<_>>().join("\n")
    }
}
