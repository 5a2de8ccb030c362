//! The account of a request: whose prompt cache it reads. A provider shares none between accounts, and endpoints share none either.

use super::Exchange;

/// The headers by which a provider knows who calls. A later one may be a token that expires, so the first one that is there counts.
const CREDENTIALS: &[&[&str]] = &[
    &["chatgpt-account-id"],
    &["x-api-key", "api-key", "x-goog-api-key"],
    &["authorization"],
];

/// The headers that choose a part of an account.
const PARTS: &[&str] = &["openai-organization", "openai-project"];

/// The parameter of a URL that is a credential of Gemini.
const KEY: &str = "key=";

/// What is hashed for the account of an exchange: the endpoint, and the name next to the body or the credentials. None if nothing of it is known.
pub(super) fn account(exchange: &Exchange) -> Option<String> {
    let url = exchange.url.as_deref();
    let endpoint = url.and_then(endpoint).map(str::to_lowercase);
    let who = exchange.account.clone().or_else(|| credentials(exchange));
    if endpoint.is_none() && who.is_none() {
        return None;
    }
    let all = [endpoint, who].map(Option::unwrap_or_default);
    Some(all.join("\n"))
}

/// The scheme, host and port of a URL.
fn endpoint(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("://")?;
    let host = rest.split(['/', '?', '#']).next()?;
    url.get(..url.len() - rest.len() + host.len())
}

/// The credential in the query of a URL.
#[must_use]
pub fn key_in(url: &str) -> Option<&str> {
    let (_, query) = url.split_once('?')?;
    query.split('&').find_map(|pair| pair.strip_prefix(KEY))
}

fn credentials(exchange: &Exchange) -> Option<String> {
    let header = |name: &&str| exchange.headers.get(*name).map(String::as_str);
    let found = CREDENTIALS
        .iter()
        .find_map(|names| names.iter().find_map(header));
    let in_url = || exchange.url.as_deref().and_then(key_in);
    let found = found.map(signed_by).or_else(in_url);
    let parts = PARTS.iter().filter_map(header);
    let all: Vec<&str> = found.into_iter().chain(parts).collect();
    (!all.is_empty()).then(|| all.join("\n"))
}

/// The key of a signature of AWS, without its day: the signature itself is another one with each request.
fn signed_by(credential: &str) -> &str {
    let key = credential
        .strip_prefix("AWS4-HMAC-SHA256")
        .and_then(|rest| rest.split_once("Credential="));
    key.map_or(credential, |(_, key)| key.split('/').next().unwrap_or(key))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(url: &str, headers: &[(&str, &str)]) -> Option<String> {
        let pairs = headers.iter();
        account(&Exchange {
            url: Some(url.to_owned()),
            headers: pairs
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
            ..Exchange::default()
        })
    }

    #[test]
    fn it_is_the_endpoint_and_who_calls() {
        let plain = of("https://API.example:8443/v1/messages?beta=true", &[]);
        assert_eq!(plain.as_deref(), Some("https://api.example:8443\n"));
        assert_eq!(of("/v1/messages", &[]), None);
        let keyed = of("https://a.example/v1?key=k1&alt=sse", &[]);
        assert_eq!(keyed.as_deref(), Some("https://a.example\nk1"));
        let both = [
            ("authorization", "Bearer t1"),
            ("chatgpt-account-id", "id-1"),
        ];
        let later = of("https://a.example/", &both);
        assert_eq!(later.as_deref(), Some("https://a.example\nid-1"));
        let named = Exchange {
            account: Some("tenant".to_owned()),
            ..Exchange::default()
        };
        assert_eq!(account(&named).as_deref(), Some("\ntenant"));
    }

    #[test]
    fn a_signature_is_known_by_its_key() {
        let signed = |day: &str, signature: &str| {
            let value = format!(
                "AWS4-HMAC-SHA256 Credential=KEY1/{day}/us-east-1/bedrock/aws4_request, SignedHeaders=host, Signature={signature}"
            );
            of("https://b.example/", &[("authorization", &value)])
        };
        assert_eq!(signed("20261126", "aa"), signed("20261127", "bb"));
        assert_eq!(
            signed("20261126", "aa").as_deref(),
            Some("https://b.example\nKEY1")
        );
    }
}
