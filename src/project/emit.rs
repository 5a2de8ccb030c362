//! A request, made from a prompt.

use super::artifact;
use super::model::{catalog, day};
use super::service::answer;
use super::{Answer, Error, Run};
use crate::diagnostic::suggest::{self, nearest};
use crate::diagnostic::{self, Diagnostic, Diagnostics, ErrorReported};
use crate::prompt::Prompt;
use crate::request::cost::tokenizer;
use crate::request::emit::{self, Call, EmitOptions, Keyed, SHAPES, Shape};
use crate::request::provider::{Catalog, ModelMatch};
use crate::text::tokens::Tokenizer;
use crate::text::{Exact, Json};
use crate::world::DiskWorld;
use std::path::PathBuf;
use std::sync::Arc;

/// The options of a request.
#[derive(Debug, Clone, Default)]
pub struct EmitRequest {
    /// The name of its shape, such as `anthropic`.
    pub shape: String,
    /// The model, as the request names it; `PROVIDER/MODEL` also names the provider.
    pub model: String,
    /// Makes a request for a model that no table has.
    pub allow_unknown_model: bool,
    /// The conversation so far, a JSON list of messages in the provider's form, and its name in errors.
    pub messages: Option<(String, Arc<[u8]>)>,
    /// The beginning of the answer.
    pub prefill: Option<String>,
    /// Tables of providers that count before the one inside, a later one first.
    pub tables: Vec<PathBuf>,
    /// The tokenizer; without it that of the prompt, else of the provider.
    pub tokenizer: Option<Tokenizer>,
    /// The day on which prices and limits count, RFC 3339; without it today.
    pub now: Option<String>,
    /// The other options.
    pub options: EmitOptions,
}

impl Prompt {
    /// The body of a request with this prompt: the document of `promptc emit`. Nothing is sent.
    ///
    /// # Errors
    /// Where nothing is known of the shape or the model, or the provider would refuse the request.
    pub fn emit(&self, request: &EmitRequest) -> Result<Answer<String>, Error> {
        answer(|run| body(self, request, run))
    }
}

/// The body of a request, as text.
pub(crate) fn body(
    prompt: &Prompt,
    request: &EmitRequest,
    run: &mut Run,
) -> Result<String, ErrorReported> {
    let name = &request.model;
    let shape = shape(&request.shape, &mut run.diags)?;
    let catalog = catalog(&request.tables, &DiskWorld, run)?;
    let today = day(request.now.as_deref(), run)?;
    let found = catalog.find(name, today);
    if found.is_none() && !request.allow_unknown_model {
        return Err(run.diags.push(refused(name, &catalog)));
    }
    report(name, shape, found.as_ref(), &catalog, &mut run.diags);
    let messages = messages(request, &mut run.diags)?;
    fits(shape, &request.options, &mut run.diags)?;
    let call = Call {
        prompt,
        model: bare(name, shape, &catalog),
        found: found.as_ref(),
        tokenizer: tokenizer(request.tokenizer, prompt.tokenizer(), found.as_ref()),
        messages: &messages,
        prefill: request.prefill.as_deref(),
        wish: &request.options,
    };
    let body = emit::emit(shape, &call, &mut run.diags)?;
    // Strings, numbers, lists and objects with texts as keys always have a JSON form.
    let mut text = serde_json::to_string_pretty(&body).unwrap_or_default();
    text.push('\n');
    Ok(text)
}

fn shape(name: &str, diags: &mut Diagnostics) -> Result<&'static Shape, ErrorReported> {
    let found = SHAPES.iter().find(|shape| shape.name == name);
    found.copied().ok_or_else(|| {
        let names = || SHAPES.iter().map(|shape| shape.name);
        let message = format!("there is no shape `{}`", name.escape_debug());
        let help = match nearest(name, names()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the shapes are {}", suggest::list(names())),
        };
        diags.push(Diagnostic::error(diagnostic::USAGE, message).help(help))
    })
}

/// The messages so far; none without a list.
fn messages(request: &EmitRequest, diags: &mut Diagnostics) -> Result<Vec<Json>, ErrorReported> {
    let Some((name, json)) = &request.messages else {
        return Ok(Vec::new());
    };
    let bad = |what: String| {
        let help = "write a JSON list of messages in the provider's form, the oldest first";
        Diagnostic::error(diagnostic::BAD_MESSAGES, what).help(help)
    };
    match serde_json::from_slice::<Exact>(artifact::unmarked(json)) {
        Ok(Exact(Json::List(messages)))
            if messages.iter().all(|m| matches!(m, Json::Object(_))) =>
        {
            Ok(messages.to_vec())
        }
        Ok(_) => Err(diags.push(bad(format!("`{name}` is not a list of messages")))),
        Err(error) => Err(diags.push(bad(format!("`{name}` cannot be read: {error}")))),
    }
}

/// The error for a model that no table has: the breakpoints of the request would be a guess.
fn refused(name: &str, catalog: &Catalog) -> Diagnostic {
    let (message, help) = unknown(name, catalog);
    let help = format!("{help}; --allow-unknown-model makes the request anyway");
    Diagnostic::error(diagnostic::UNKNOWN_MODEL, message).help(help)
}

/// Warns of an unknown model, if the request depends on it, and of one that takes other requests.
fn report(
    name: &str,
    shape: &Shape,
    found: Option<&ModelMatch>,
    catalog: &Catalog,
    diags: &mut Diagnostics,
) {
    other_shape(name, shape, found, diags);
    if found.is_some_and(|found| found.model.is_some()) {
        return;
    }
    if near(name, catalog).is_none() && !shape.depends() {
        return;
    }
    let (message, help) = unknown(name, catalog);
    diags.push(Diagnostic::warning(diagnostic::UNKNOWN_MODEL, message).help(help));
}

/// Warns of a model that takes requests of another shape.
fn other_shape(name: &str, shape: &Shape, found: Option<&ModelMatch>, diags: &mut Diagnostics) {
    let Some(found) = found.filter(|found| !shape.takes(found)) else {
        return;
    };
    let message = format!(
        "`{}` is a model of {}, which takes other requests than `{}`",
        name.escape_debug(),
        found.provider.name,
        shape.name
    );
    let help =
        "take another shape, or write PROVIDER/MODEL if another provider serves it under that name";
    diags.push(Diagnostic::warning(diagnostic::OTHER_REQUESTS, message).help(help));
}

/// The known name that this one is most like.
fn near(name: &str, catalog: &Catalog) -> Option<String> {
    let tables = catalog.tables();
    let models = tables.iter().flat_map(|t| &t.models);
    let patterns = models.flat_map(|m| &m.patterns);
    let bare = name.rsplit('/').next().unwrap_or(name);
    let names = patterns.map(String::as_str).filter(|p| !p.contains('*'));
    nearest(bare, names).map(str::to_owned)
}

/// The error for a name without a row, with its fix.
fn unknown(name: &str, catalog: &Catalog) -> (String, String) {
    let message = format!(
        "no table has the model `{}`, the newest is of {}: what it takes and keeps is not known",
        name.escape_debug(),
        catalog.as_of()
    );
    let help = match near(name, catalog) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`promptc providers list` shows all; --providers FILE adds a table".to_owned(),
    };
    (message, help)
}

/// The name in the request: without a provider of the tables before it, unless the request itself names providers.
fn bare<'a>(name: &'a str, shape: &Shape, catalog: &Catalog) -> &'a str {
    match name.split_once('/') {
        Some((host, rest))
            if host == shape.name && (!shape.names_providers || rest.contains('/')) =>
        {
            rest
        }
        Some((host, rest)) if !shape.names_providers && catalog.provider(host).is_some() => rest,
        _ => name,
    }
}

/// Whether the shape has a place for the option.
fn fits(
    shape: &Shape,
    options: &EmitOptions,
    diags: &mut Diagnostics,
) -> Result<(), ErrorReported> {
    let only = |option: &str, given: bool, can: fn(&Shape) -> bool| {
        (given && !can(shape)).then(|| {
            let able = SHAPES.iter().filter(|s| can(s)).map(|s| s.name);
            let message = format!(
                "{option} is for requests of the shape {}",
                suggest::choice(able)
            );
            let names = suggest::list(SHAPES.iter().map(|s| s.name));
            Diagnostic::error(diagnostic::CONFLICTING_SETTINGS, message)
                .help(format!("leave it out; the shapes are {names}"))
        })
    };
    let wrong = [
        only("--cached", options.cached.is_some(), |s| s.resources),
        only("--create", options.create, |s| s.resources),
        only("--markers", options.layout.is_some(), |s| s.layouts),
    ];
    let keyless = match shape.key {
        Keyed::All => false,
        Keyed::Created => !options.create,
        Keyed::None => true,
    };
    let unkeyed = (keyless && options.key.is_some()).then(|| {
        let message = format!(
            "a request of the shape `{}` has no place for --key",
            shape.name
        );
        Diagnostic::error(diagnostic::CONFLICTING_SETTINGS, message)
            .help("leave it out: its provider finds cached prefixes without a key")
    });
    for problem in wrong.into_iter().chain([unkeyed]).flatten() {
        diags.push(problem);
    }
    diags.check()
}
