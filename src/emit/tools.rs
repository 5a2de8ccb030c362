//! Tool definitions: read in whatever form they were written, sorted, and written in the form of the request.

use super::json::Json;
use crate::diagnostic::{self, Diagnostic};

/// A function that a model can call.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: Option<Json>,
    /// The JSON schema of its arguments, the keys of all objects in order.
    pub schema: Option<Json>,
    /// Whether the provider holds the model to the schema.
    pub strict: Option<Json>,
    /// How it was written.
    pub form: Written,
    /// What else was said of it, which only requests of that form can say.
    pub rest: Vec<(String, Json)>,
}

/// In whose form a definition is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    /// `input_schema`.
    Anthropic,
    /// Inside of `function`.
    Chat,
    /// `parameters` beside the name: OpenAI's Responses, Gemini.
    Flat,
    /// Inside of `toolSpec`.
    Bedrock,
    /// `inputSchema`, as servers of the Model Context Protocol list them. What else they say is not for models.
    Mcp,
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

/// What a tools channel holds: functions by name, then definitions that only one provider understands, by their JSON.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tools {
    /// Functions.
    pub functions: Vec<Tool>,
    /// Tools of a provider, such as its own search, as they are written.
    pub foreign: Vec<Json>,
}

/// Reads the text of a tools channel: JSON values behind each other, each a definition or a list of them.
///
/// # Errors
/// When it is no JSON, something is no definition, or a name stands twice.
pub fn read(text: &str) -> Result<Tools, Box<Diagnostic>> {
    let mut tools = Tools::default();
    let values = serde_json::Deserializer::from_str(text).into_iter::<Json>();
    for value in values {
        let value = value.map_err(|error| {
            let message = format!("the tools channel is no JSON: {error}");
            let help = "its layers are tool definitions, or lists of them; `json FILE` reads and checks one";
            Box::new(Diagnostic::error(diagnostic::BAD_TOOLS, message).help(help))
        })?;
        match value {
            Json::List(items) => items.into_iter().try_for_each(|item| tools.add(item))?,
            one => tools.add(one)?,
        }
    }
    tools.functions.sort_by(|a, b| a.name.cmp(&b.name));
    let twice = tools.functions.windows(2).find(|w| w[0].name == w[1].name);
    if let Some([tool, _]) = twice {
        let message = format!("the tool `{}` is defined twice", tool.name.escape_debug());
        let found = Diagnostic::error(diagnostic::BAD_TOOLS, message);
        return Err(Box::new(
            found.help("providers refuse such a request; remove one"),
        ));
    }
    let key = |json: &Json| serde_json::to_string(json).unwrap_or_default();
    tools.foreign.sort_by_key(key);
    Ok(tools)
}

impl Tools {
    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.functions.is_empty() && self.foreign.is_empty()
    }

    fn add(&mut self, json: Json) -> Result<(), Box<Diagnostic>> {
        // Bedrock and OpenAI's chat wrap the definition, Gemini wraps several.
        if let Some(Json::List(inner)) = json.get("functionDeclarations") {
            return inner.iter().cloned().try_for_each(|tool| self.add(tool));
        }
        let inner = json.get("toolSpec").or_else(|| json.get("function"));
        let body = inner.unwrap_or(&json);
        let name = body.get("name").and_then(Json::as_text);
        let schemas = [
            "input_schema",
            "parameters",
            "inputSchema",
            "parametersJsonSchema",
        ];
        let schema = schemas.iter().find_map(|key| body.get(key));
        let function = json.get("type").is_none_or(|kind| {
            ["function", "custom"].map(Some).contains(&kind.as_text()) && schema.is_some()
        });
        match name {
            Some(name) if function || inner.is_some() => self.functions.push(Tool {
                name: name.to_owned(),
                description: body.get("description").cloned(),
                schema: schema.map(|s| s.get("json").unwrap_or(s).clone().sorted()),
                strict: body.get("strict").cloned(),
                form: form(&json),
                rest: rest(&json, body),
            }),
            _ if json.get("type").and_then(Json::as_text).is_some() => {
                self.foreign.push(json.sorted());
            }
            _ => {
                let message = "something in the tools channel is no tool definition";
                let help = "a definition is an object with `name`, `description` and the schema of its arguments";
                let found = Diagnostic::error(diagnostic::BAD_TOOLS, message);
                return Err(Box::new(found.help(help)));
            }
        }
        Ok(())
    }
}

/// How a definition is written.
fn form(json: &Json) -> Written {
    let has = |key| json.get(key).is_some();
    match () {
        () if has("toolSpec") => Written::Bedrock,
        () if has("function") => Written::Chat,
        () if has("inputSchema") => Written::Mcp,
        () if has("parameters") || has("parametersJsonSchema") => Written::Flat,
        () => Written::Anthropic,
    }
}

/// What a definition says that not every form has.
fn rest(json: &Json, body: &Json) -> Vec<(String, Json)> {
    let outer = match std::ptr::eq(json, body) {
        true => None,
        false => Some(json),
    };
    let wrappers = ["type", "function", "toolSpec"];
    let members = |json: &Json, known: &[&str]| match json {
        Json::Object(members) => {
            let kept = members
                .iter()
                .filter(|(key, _)| !known.contains(&key.as_str()));
            kept.cloned().collect()
        }
        _ => Vec::new(),
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
        for tool in &self.functions {
            let lost = match tool.form {
                Written::Mcp => None,
                form if form == own => tool.rest.iter().find(|(key, _)| key == "cache_control"),
                _ => tool.rest.first(),
            };
            let Some((key, _)) = lost else { continue };
            let (name, key) = (tool.name.escape_debug(), key.escape_debug());
            let message =
                format!("the tool `{name}` says `{key}`, which this request does not take");
            let help = match key.to_string().as_str() {
                "cache_control" => "leave it out: breakpoints are placed by promptc",
                _ => "leave it out, or define the tool in the form of this request",
            };
            return Err(Box::new(
                Diagnostic::error(diagnostic::BAD_TOOLS, message).help(help),
            ));
        }
        Ok(())
    }
}

impl Tool {
    /// What only requests of the tool's own form can say, behind its other members.
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
            .filter_map(|(key, value)| Some((key.to_owned(), value?)));
        Json::Object(kept.collect())
    }

    /// The schema; of a tool without arguments the one that says so.
    pub(super) fn schema(&self) -> Json {
        let none = || {
            let empty = Json::Object(Vec::new());
            Json::object([("type", "object".into()), ("properties", empty)])
        };
        self.schema.clone().unwrap_or_else(none)
    }
}
