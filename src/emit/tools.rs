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
}

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

impl Tool {
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
