//! The hosts of providers: the provider that a log notes for a URL, and the URL of a provider in exported bodies.

/// A host that a log knows by the name of its provider.
struct Host {
    /// The provider.
    provider: &'static str,
    /// The domain. Its subdomains belong to the provider too.
    domain: &'static str,
    /// The address of its API, as the start of a URL; none if the row only adds a domain.
    api: Option<&'static str>,
}

const fn host(provider: &'static str, domain: &'static str, api: Option<&'static str>) -> Host {
    Host {
        provider,
        domain,
        api,
    }
}

const HOSTS: &[Host] = &[
    host(
        "anthropic",
        "anthropic.com",
        Some("https://api.anthropic.com"),
    ),
    host("openai", "openai.com", Some("https://api.openai.com")),
    host("openai", "chatgpt.com", None),
    host(
        "openrouter",
        "openrouter.ai",
        Some("https://openrouter.ai/api"),
    ),
    host(
        "gemini",
        "googleapis.com",
        Some("https://generativelanguage.googleapis.com"),
    ),
    host(
        "bedrock",
        "amazonaws.com",
        Some("https://bedrock-runtime.amazonaws.com"),
    ),
    host("deepseek", "deepseek.com", Some("https://api.deepseek.com")),
];

/// The name of the host of a URL, if that has one.
fn name(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("://")?;
    rest.split(['/', ':', '?']).next()
}

/// Whether a URL names a host that is not this machine: what a proxy on this one sends on to is not known.
pub(super) fn is_elsewhere(url: &str) -> bool {
    // An address of IPv6 is in brackets.
    const HERE: [&str; 4] = ["localhost", "127.0.0.1", "0.0.0.0", "["];
    name(url).is_some_and(|name| !HERE.contains(&name))
}

/// The provider of a URL.
pub(crate) fn provider(url: &str) -> Option<&'static str> {
    let name = name(url)?;
    let is_in = |domain: &str| name == domain || name.ends_with(&format!(".{domain}"));
    let known = HOSTS.iter().find(|host| is_in(host.domain));
    known.map(|host| host.provider)
}

/// The address of a provider's API, as the start of a URL.
pub(super) fn api(of: &str) -> Option<&'static str> {
    let mut own = HOSTS.iter().filter(|host| host.provider == of);
    own.find_map(|host| host.api)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::provider::Catalog;

    #[test]
    fn each_provider_is_in_the_table_and_has_an_address_of_its_own() {
        for host in HOSTS {
            let name = host.provider;
            assert!(Catalog::default().has_provider(name), "{name}");
            assert_eq!(api(name).and_then(provider), Some(name));
            assert_eq!(provider(&format!("https://{}/v1", host.domain)), Some(name));
        }
    }
}
