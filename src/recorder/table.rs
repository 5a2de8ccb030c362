//! The recorded parties: providers, the variables that direct agents and SDKs to them, and how agents behave
//! differently with another base URL.

use hyper::Uri;
use serde::Deserialize;
use std::fmt;
use std::sync::LazyLock;

/// The table inside the program.
static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let table = serde_json::from_str(include_str!("../../layers/recorder.json"));
    // That it can be read is tested below.
    table.unwrap_or_default()
});

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    upstreams: Vec<Provider>,
    variables: Vec<UpstreamRow>,
    agents: Vec<Agent>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Provider {
    name: String,
    url: String,
}

/// A variable that leads to a provider.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct UpstreamRow {
    name: String,
    upstream: String,
    /// The path that clients expect in its value after the host.
    #[serde(default)]
    path: String,
    read_by: String,
    #[allow(dead_code, reason = "for those who read the table")]
    source: String,
    #[allow(dead_code, reason = "for those who read the table")]
    day: String,
}

/// A known agent for recording.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Agent {
    /// The name of its program.
    command: String,
    /// Its name.
    pub(crate) name: String,
    /// The way to record it without the recorder.
    pub(crate) instead: String,
    /// The differences in its behaviour with another base URL.
    pub(crate) changes: String,
    /// The variable that restores some of that.
    pub(crate) restores: Option<Setting>,
    #[allow(dead_code, reason = "for those who read the table")]
    source: String,
    #[allow(dead_code, reason = "for those who read the table")]
    day: String,
}

/// A variable and its value.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Setting {
    pub(crate) name: String,
    pub(crate) value: String,
}

/// The known agent with that program.
pub(crate) fn agent(program: &str) -> Option<&'static Agent> {
    let file = program.rsplit(['/', '\\']).next().unwrap_or(program);
    let stem = file.strip_suffix(".exe").unwrap_or(file);
    TABLE.agents.iter().find(|agent| agent.command == stem)
}

/// Where requests are sent on to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Upstream {
    /// The first part of the path by which the recorder knows it.
    pub(crate) name: String,
    /// The URL that takes the place of that, without a slash at its end.
    pub(crate) url: String,
}

impl Upstream {
    /// One with this name and URL.
    ///
    /// # Errors
    /// Their error, in words.
    pub(crate) fn new(name: &str, url: &str) -> Result<Self, &'static str> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if name.is_empty() || !name.chars().all(is_plain) || name.starts_with('.') {
            return Err("its name is letters, digits, `-`, `_` and `.`");
        }
        let uri: Uri = url.parse().map_err(|_| "its URL is invalid")?;
        match uri.scheme_str() {
            Some("http" | "https") => {}
            _ => return Err("its URL begins with https:// or http://"),
        }
        let has_more = url.contains(['?', '#']);
        if has_more || uri.authority().is_some_and(|a| a.as_str().contains('@')) {
            return Err("its URL has a host and a path, and nothing else");
        }
        Ok(Self {
            name: name.to_owned(),
            url: url.trim_end_matches('/').to_owned(),
        })
    }

    /// The URL of a request: `rest` is its path after the name, with its query.
    pub(super) fn of(&self, rest: &str) -> Option<Uri> {
        format!("{}{rest}", self.url).parse().ok()
    }
}

/// Upstreams, and the variables that lead to the recorder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Routes {
    /// Where requests are sent on to.
    pub(crate) upstreams: Vec<Upstream>,
    /// The variables of a child, each with the path after the recorder's own URL.
    variables: Vec<(Setting, &'static str)>,
}

impl Routes {
    /// The routes of the table, those that the caller names, and those that its environment already has: a variable that leads to another place
    /// goes on to lead there, through the recorder.
    ///
    /// # Errors
    /// The variable whose value cannot be used, and why.
    pub(crate) fn new(
        named: &[Upstream],
        env: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, (String, &'static str)> {
        let mut routes = Self {
            upstreams: named.to_vec(),
            ..Self::default()
        };
        let is_named = |name: &str| named.iter().any(|upstream| upstream.name == name);
        for provider in TABLE.upstreams.iter().filter(|p| !is_named(&p.name)) {
            routes.upstreams.push(Upstream {
                name: provider.name.clone(),
                url: provider.url.clone(),
            });
        }
        for known in &TABLE.variables {
            let set = env(&known.name).filter(|url| !url.is_empty() && !is_named(&known.upstream));
            let path = match set {
                Some(url) => {
                    let own = Upstream::new(&known.name.to_ascii_lowercase(), &url);
                    let own = own.map_err(|why| (known.name.clone(), why))?;
                    let path = format!("/{}", own.name);
                    routes.upstreams.push(own);
                    path
                }
                None => format!("/{}{}", known.upstream, known.path),
            };
            let setting = Setting {
                name: known.name.clone(),
                value: path,
            };
            routes.variables.push((setting, &known.read_by));
        }
        Ok(routes)
    }

    /// The upstream of a path, and the rest of the path after its name.
    pub(super) fn find<'p>(&self, path: &'p str) -> Option<(&Upstream, &'p str)> {
        let path = path.strip_prefix('/')?;
        let end = path.find(['/', '?']).unwrap_or(path.len());
        let (name, rest) = path.split_at(end);
        let found = self.upstreams.iter().find(|upstream| upstream.name == name);
        found.map(|upstream| (upstream, rest))
    }

    /// The variables of a child of a recorder at this port, each with who reads it.
    pub(crate) fn variables(
        &self,
        port: impl fmt::Display,
    ) -> impl Iterator<Item = (Setting, &'static str)> {
        self.variables.iter().map(move |(setting, read_by)| {
            let value = format!("http://127.0.0.1:{port}{}", setting.value);
            let name = setting.name.clone();
            (Setting { name, value }, *read_by)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::whole::host;

    #[test]
    fn the_table_can_be_read_and_each_variable_leads_to_a_provider() {
        let table: Table =
            serde_json::from_str(include_str!("../../layers/recorder.json")).unwrap();
        for provider in &table.upstreams {
            Upstream::new(&provider.name, &provider.url).unwrap();
            // The log of a recording names it so too.
            assert_eq!(host::provider(&provider.url), Some(&*provider.name));
        }
        for known in &table.variables {
            let leads = table.upstreams.iter().any(|p| p.name == known.upstream);
            assert!(leads, "{}", known.name);
            assert!(known.source.starts_with("https://") && known.day.len() == 10);
        }
        for agent in &table.agents {
            assert!(agent.source.starts_with("https://") && agent.day.len() == 10);
        }
    }

    #[test]
    fn a_variable_with_another_target_keeps_it() {
        let env = |name: &str| {
            (name == "OPENAI_BASE_URL").then(|| "http://gateway.example:4000/team/v1/".to_owned())
        };
        let routes = Routes::new(&[], env).unwrap();
        let (upstream, rest) = routes
            .find("/openai_base_url/chat/completions?a=b")
            .unwrap();
        let url = upstream.of(rest).unwrap();
        let expected = "http://gateway.example:4000/team/v1/chat/completions?a=b";
        assert_eq!(url.to_string(), expected);
        let value = |name: &str| {
            let mut all = routes.variables(1);
            all.find(|(s, _)| s.name == name).unwrap().0.value
        };
        assert_eq!(
            value("OPENAI_BASE_URL"),
            "http://127.0.0.1:1/openai_base_url"
        );
        assert_eq!(value("OPENAI_API_BASE"), "http://127.0.0.1:1/openai/v1");
    }

    #[test]
    fn an_invalid_upstream_is_refused() {
        for (name, url) in [
            ("", "https://a.example"),
            ("a/b", "https://a.example"),
            ("a", "a.example"),
            ("a", "ftp://a.example"),
            ("a", "https://u:p@a.example"),
            ("a", "https://a.example?x=1"),
            ("a", "https://"),
        ] {
            assert!(Upstream::new(name, url).is_err(), "{name} {url}");
        }
    }
}
