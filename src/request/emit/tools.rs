//! Tool definitions: read in whatever form they were written, sorted, and written in the form of the request.

use crate::diagnostic::{self, Diagnostic};
use crate::prompt::{Channel, Ingredient};
use crate::text::value::{Exact, Json, Member};

/// A function that a model can call.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// Its description.
    pub description: Option<Json>,
    /// The JSON schema of its arguments, the keys of all objects in order.
    pub schema: Option<Json>,
    /// Whether the provider holds the model to the schema.
    pub strict: Option<Json>,
    /// The form in which it was written.
    pub form: Written,
    /// Its other members, which only requests of that form have.
    pub rest: Vec<Member>,
}

/// The provider form of a definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    /// `input_schema`.
    Anthropic,
    /// Inside of `function`.
    Chat,
    /// `parameters` next to `type` and the name: OpenAI's Responses.
    Flat,
    /// `parameters` or `parametersJsonSchema` next to the name.
    Gemini,
    /// Inside of `toolSpec`.
    Bedrock,
    /// `inputSchema`, as servers of the Model Context Protocol list them. Their other fields are not for models.
    Mcp,
}

impl Written {
    /// Whether a request of this form can hold the model to the schema.
    fn has_strict(self) -> bool {
        matches!(self, Self::Anthropic | Self::Chat | Self::Flat)
    }
}

/// The members that every form has, by all their names.
const KNOWN: [&str; 8] = [
    "type",
    "name",
    "description",
    "strict",
    "input_schema",
    "parameters",
    "inputSchema",
    "parametersJsonSchema",
];

/// The names of a schema of arguments.
const SCHEMAS: [&str; 4] = [
    "input_schema",
    "parameters",
    "inputSchema",
    "parametersJsonSchema",
];

/// The content of a tools channel, tier by tier.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tools {
    /// The definitions of each tier.
    pub tiers: Vec<Group>,
    /// Whether a name may be a private value.
    private: bool,
}

/// The definitions of a tier: functions by name, then those that only one provider understands, by their JSON.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Group {
    /// One past the tier's last byte, in the channel.
    pub end: usize,
    /// Functions.
    pub functions: Vec<Tool>,
    /// Tools of a provider, such as its own search, as they are written.
    pub foreign: Vec<Json>,
}

/// The ends of the parts that can be cached by themselves: of each tier with definitions; of the whole channel if a
/// definition, or a list of them, reaches over the end of a tier.
#[must_use]
pub(super) fn ends(channel: &Channel) -> Vec<usize> {
    let text = &channel.text;
    let tiers = channel.tiers.iter();
    let tiers: Vec<_> = tiers
        .filter(|t| !text[t.start..t.end].trim().is_empty())
        .collect();
    let whole = |t: &&crate::prompt::Tier| values(&text[t.start..t.end]).all(|value| value.is_ok());
    // Text that is not JSON at all is an error of `read`, and no reason to cache less.
    if tiers.iter().all(whole) || values(text).any(|value| value.is_err()) {
        tiers.iter().map(|tier| tier.end).collect()
    } else {
        vec![text.len()]
    }
}

fn values(text: &str) -> impl Iterator<Item = serde_json::Result<Json>> {
    let values = serde_json::Deserializer::from_str(text).into_iter();
    values.map(|value| value.map(|Exact(json)| json))
}

/// Reads a tools channel: JSON values after each other, each a definition, a list of them or an answer to `tools/list`.
///
/// # Errors
/// When it is not JSON, an item is not a definition, or a name appears twice.
pub fn read(channel: Option<&Channel>) -> Result<Tools, Box<Diagnostic>> {
    let mut tools = Tools::default();
    let Some(channel) = channel else {
        return Ok(tools);
    };
    let secret = |i: &Ingredient| matches!(i, Ingredient::Fact { private: true, .. });
    let layers = channel.layers.iter();
    tools.private = layers.flat_map(|layer| &layer.ingredients).any(secret);
    let mut start = 0;
    for end in ends(channel) {
        let mut group = Group {
            end,
            ..Group::default()
        };
        for value in values(&channel.text[start..end]) {
            let value = value.map_err(|error| {
                let message = format!("the tools channel is not JSON: {error}");
                let help = "its layers are tool definitions, lists of them, or answers to `tools/list`; `json FILE` reads and checks one";
                wrong(message, help)
            })?;
            match value {
                Json::List(items) => items.iter().try_for_each(|item| group.add(item.clone()))?,
                one => group.add(one)?,
            }
        }
        group.functions.sort_by(|a, b| a.name.cmp(&b.name));
        let key = |json: &Json| serde_json::to_string(json).unwrap_or_default();
        group.foreign.sort_by_key(key);
        tools.tiers.push(group);
        start = end;
    }
    tools.none_twice()?;
    Ok(tools)
}

/// The blocks of a tools channel in the order of a request, each as a text that is equal for equal definitions, with the end of
/// its tier. Tools that are loaded later are not among them. Tiers that cannot be read are a block each.
pub(crate) fn texts(channel: Option<&Channel>) -> Vec<(usize, String)> {
    let Some(channel) = channel else {
        return Vec::new();
    };
    let Ok(tools) = read(Some(channel)) else {
        let tiers = channel.tiers.iter().filter(|tier| tier.start < tier.end);
        let text = |tier: &crate::prompt::Tier| channel.text[tier.start..tier.end].to_owned();
        return tiers.map(|tier| (tier.end, text(tier))).collect();
    };
    let later = Json::Bool(true);
    let of_group = |group: &Group| {
        let functions = group.functions.iter();
        let functions = functions.filter(|tool| {
            let mut rest = tool.rest.iter();
            !rest.any(|(key, value)| &**key == "defer_loading" && *value == later)
        });
        let foreign = group.foreign.iter();
        let foreign = foreign.filter(|json| json.get("defer_loading") != Some(&later));
        let texts = functions.map(|tool| format!("{tool:?}"));
        let texts: Vec<String> = texts
            .chain(foreign.map(|json| format!("{json:?}")))
            .collect();
        texts
            .into_iter()
            .map(|text| (group.end, text))
            .collect::<Vec<_>>()
    };
    tools.tiers.iter().flat_map(of_group).collect()
}

fn wrong(message: impl Into<String>, help: &str) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(diagnostic::BAD_TOOLS, message.into()).help(help))
}

impl Tools {
    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.functions().next().is_none() && self.foreign().next().is_none()
    }

    /// All functions.
    pub fn functions(&self) -> impl Iterator<Item = &Tool> {
        self.tiers.iter().flat_map(|group| &group.functions)
    }

    /// All tools of providers.
    pub fn foreign(&self) -> impl Iterator<Item = &Json> {
        self.tiers.iter().flat_map(|group| &group.foreign)
    }

    /// The name of a tool in messages, which a private fact may have made.
    fn called(&self, name: &str) -> String {
        if self.private {
            "a tool".to_owned()
        } else {
            format!("the tool `{}`", name.escape_debug())
        }
    }

    fn none_twice(&self) -> Result<(), Box<Diagnostic>> {
        let foreign = self.foreign();
        let foreign = foreign.filter_map(|json| json.get("name").and_then(Json::as_text));
        let functions = self.functions().map(|tool| tool.name.as_str());
        let mut names: Vec<&str> = functions.chain(foreign).collect();
        names.sort_unstable();
        match names.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(wrong(
                format!("{} is defined twice", self.called(pair[0])),
                "providers refuse such a request; remove one",
            )),
            None => Ok(()),
        }
    }

    /// The definitions of all tiers, in order. `function` writes one, `mark` the marker at the end of a tier.
    pub(super) fn written(
        &self,
        function: impl Fn(&Tool) -> Json,
        mark: impl Fn(usize, &mut Vec<Json>),
    ) -> Json {
        let mut all = Vec::new();
        for group in &self.tiers {
            let functions = group.functions.iter().map(&function);
            let mut tier: Vec<Json> = functions.chain(group.foreign.iter().cloned()).collect();
            mark(group.end, &mut tier);
            all.extend(tier);
        }
        Json::list(all)
    }
}

impl Group {
    fn add(&mut self, json: Json) -> Result<(), Box<Diagnostic>> {
        if let Some(listed) = listed(&json) {
            return listed.iter().try_for_each(|tool| self.add(tool.clone()));
        }
        // Bedrock and OpenAI's chat wrap the definition, Gemini wraps several.
        if let Some(Json::List(inner)) = json.get("functionDeclarations") {
            let mut keys = json.members().iter().map(|(key, _)| key);
            if let Some(key) = keys.find(|key| &***key != "functionDeclarations") {
                let message = format!("`{}` is next to `functionDeclarations`", key.escape_debug());
                return Err(wrong(
                    message,
                    "promptc writes functions only; leave it out",
                ));
            }
            let mut inner = inner.iter().cloned();
            return inner.try_for_each(|tool| self.function(&tool, &tool, Written::Gemini));
        }
        let inner = json.get("toolSpec").or_else(|| json.get("function"));
        let body = inner.unwrap_or(&json);
        let kind = json.get("type").and_then(Json::as_text);
        let has_name = body.get("name").and_then(Json::as_text).is_some();
        let function = match kind {
            None | Some("function") => true,
            Some("custom") => schema(body).is_some(),
            Some(_) => inner.is_some(),
        };
        match kind {
            _ if has_name && function => self.function(&json, body, form(&json)),
            Some(_) => {
                self.foreign.push(json.sorted());
                Ok(())
            }
            None => Err(wrong(
                "an item in the tools channel is not a tool definition",
                "a definition is an object with `name`, `description` and the schema of its arguments",
            )),
        }
    }

    /// A function: the definition, and its part that holds the name.
    fn function(&mut self, json: &Json, body: &Json, form: Written) -> Result<(), Box<Diagnostic>> {
        let Some(name) = body.get("name").and_then(Json::as_text) else {
            return Err(wrong("a function has no name", "give it a `name`"));
        };
        let schema = match (schema(body), form) {
            (Some(schema), Written::Bedrock) => Some(schema.get("json").unwrap_or(schema)),
            (schema, _) => schema,
        };
        if schema.is_some_and(|schema| !matches!(schema, Json::Object(_))) {
            let message = "the schema of a function's arguments is not an object";
            return Err(wrong(
                message,
                "a JSON schema is an object, such as {\"type\": \"object\"}",
            ));
        }
        self.functions.push(Tool {
            name: name.to_owned(),
            description: body.get("description").cloned(),
            schema: schema.map(|schema| schema.clone().sorted()),
            strict: body.get("strict").cloned(),
            form,
            rest: rest(json, body),
        });
        Ok(())
    }
}

/// The definitions in an answer to `tools/list` of the Model Context Protocol: the result, or the whole response with it.
fn listed(json: &Json) -> Option<&[Json]> {
    let result = json.get("result").unwrap_or(json);
    match (result.get("tools"), result.get("name")) {
        (Some(Json::List(tools)), None) => Some(tools),
        _ => None,
    }
}

/// The schema of the arguments, if there is one.
fn schema(body: &Json) -> Option<&Json> {
    let found = SCHEMAS.iter().filter_map(|key| body.get(key));
    found.into_iter().find(|schema| **schema != Json::Null)
}

/// The form in which a definition is written.
fn form(json: &Json) -> Written {
    let has = |key| json.get(key).is_some();
    match () {
        () if has("toolSpec") => Written::Bedrock,
        () if has("function") => Written::Chat,
        () if has("inputSchema") => Written::Mcp,
        () if has("input_schema") => Written::Anthropic,
        () if has("type") => Written::Flat,
        () if has("parameters") || has("parametersJsonSchema") => Written::Gemini,
        () => Written::Anthropic,
    }
}

/// The fields of a definition that not every form has.
fn rest(json: &Json, body: &Json) -> Vec<Member> {
    let outer = if std::ptr::eq(json, body) {
        None
    } else {
        Some(json)
    };
    let wrappers = ["type", "function", "toolSpec"];
    let members = |json: &Json, known: &[&str]| -> Vec<Member> {
        let members = json.members().iter();
        let kept = members.filter(|(key, _)| !known.contains(&&**key));
        kept.cloned().collect()
    };
    let mut rest: Vec<_> = outer.map_or_else(Vec::new, |outer| members(outer, &wrappers));
    rest.extend(members(body, &KNOWN));
    rest.sort_by(|(a, _), (b, _)| a.cmp(b));
    rest
}

impl Tools {
    /// Holds what only some forms can say against the form of a request.
    ///
    /// # Errors
    /// When a definition says something that the request cannot.
    pub(super) fn check(&self, own: Written) -> Result<(), Box<Diagnostic>> {
        for tool in self.functions() {
            self.name_fits(tool, own)?;
            let strict = tool.strict == Some(Json::Bool(true)) && !own.has_strict();
            let lost = match tool.form {
                Written::Mcp => None,
                form if form == own => tool.rest.iter().find(|(key, _)| &**key == "cache_control"),
                _ => tool.rest.first(),
            };
            let lost = lost.map(|(key, _)| &**key);
            let Some(key) = lost.or(strict.then_some("strict")) else {
                continue;
            };
            let (called, shown) = (self.called(&tool.name), key.escape_debug());
            let message = format!("{called} has `{shown}`, which this request does not support");
            return Err(wrong(message, without(key)));
        }
        for tool in self.foreign() {
            self.foreign_fits(tool, own)?;
        }
        Ok(())
    }

    /// Letters, digits, `_` and `-` are what every provider takes; Gemini takes `.` and `:` too. Sources: the patterns of
    /// `name` in Anthropic's and OpenAI's API references (at most 128 and 64 characters), Bedrock's `ToolSpecification` (64),
    /// Gemini's `FunctionDeclaration` (64).
    fn name_fits(&self, tool: &Tool, own: Written) -> Result<(), Box<Diagnostic>> {
        let most = match own {
            Written::Anthropic => 128,
            _ => 64,
        };
        let taken = |c: char| {
            c.is_ascii_alphanumeric()
                || "_-".contains(c)
                || own == Written::Gemini && ".:".contains(c)
        };
        if !tool.name.is_empty() && tool.name.len() <= most && tool.name.chars().all(taken) {
            return Ok(());
        }
        let message = format!(
            "{} has a name that the provider refuses",
            self.called(&tool.name)
        );
        let help = format!("a name has 1 to {most} letters, digits, `_` and `-`");
        Err(wrong(message, &help))
    }

    /// Tools of a provider's own go to its own requests only.
    fn foreign_fits(&self, tool: &Json, own: Written) -> Result<(), Box<Diagnostic>> {
        let kind = tool.get("type").and_then(Json::as_text).unwrap_or_default();
        if tool.get("cache_control").is_some() {
            let message = "a tool of the provider's own has `cache_control`";
            return Err(wrong(message, without("cache_control")));
        }
        let theirs = match own {
            Written::Anthropic => is_anthropics(kind),
            Written::Chat | Written::Flat => !is_anthropics(kind),
            Written::Gemini | Written::Bedrock | Written::Mcp => false,
        };
        if theirs {
            return Ok(());
        }
        let of_type = if self.private {
            String::new()
        } else {
            format!(" of the type `{}`", kind.escape_debug())
        };
        let message = format!("the tool{of_type} belongs to another provider's requests");
        let help = "define it as a function, or leave its layer out with `when` for this provider";
        Err(wrong(message, help))
    }
}

fn without(key: &str) -> &'static str {
    match key {
        "cache_control" => "leave it out: breakpoints are placed by promptc",
        _ => "leave it out, or define the tool in the form of this request",
    }
}

/// Whether tools of this type are Anthropic's: theirs end with a day, such as `web_search_20250305`, but for the toolset of an
/// MCP server. Source: the tool types of the `anthropic` SDK, 0.116.
fn is_anthropics(kind: &str) -> bool {
    let day = kind.rsplit_once('_').map(|(_, day)| day);
    let dated = day.is_some_and(|day| day.len() == 8 && day.bytes().all(|b| b.is_ascii_digit()));
    dated || kind == "mcp_toolset"
}

impl Tool {
    /// The fields that only requests of the tool's own form have, after its other members.
    pub(super) fn with_rest(&self, mut json: Json) -> Json {
        if self.form != Written::Mcp {
            for (key, value) in &self.rest {
                json.set(key, value.clone());
            }
        }
        json
    }

    /// An object of the members that the tool has.
    pub(super) fn members<const N: usize>(&self, members: [(&str, Option<Json>); N]) -> Json {
        let kept = members
            .into_iter()
            .filter_map(|(key, value)| Some((key, value?)));
        Json::object(kept)
    }

    /// The schema; of a tool without arguments the one that says so.
    pub(super) fn schema(&self) -> Json {
        let none = || {
            let empty = Json::object([]);
            Json::object([("type", "object".into()), ("properties", empty)])
        };
        self.schema.clone().unwrap_or_else(none)
    }
}
