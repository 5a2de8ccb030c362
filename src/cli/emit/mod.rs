//! `promptc emit`.

mod files;
mod known;
mod messages;

use super::Context;
use super::given::BuildArgs;
use super::model::{self, TableArgs};
use crate::cli::ui::Page;
use crate::diagnostic::{self, Diagnostic, ErrorReported, suggest};
use crate::project::Run;
use crate::project::{artifact, output};
use crate::prompt::Prompt;
use crate::request::emit::{Call, EmitOptions, Keyed, Layout, SHAPES, Shape};
use crate::request::provider::Catalog;
use crate::world::DiskWorld;
use clap::ValueEnum;
use clap::builder::{NonEmptyStringValueParser, PossibleValue};
use std::path::PathBuf;

/// Write the request that a provider takes, with breakpoints where they keep most
///
/// Builds the prompt, or reads an artifact, and writes the JSON body of a request: the text in blocks with breakpoints at
/// the ends of tiers, tools sorted by name, what changes at every call behind all that can be kept. Nothing is sent.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  promptc emit anthropic --model claude-opus-5-5
  promptc emit openai-responses --model gpt-6.1-sol --key atlas
  promptc emit anthropic --model claude-opus-5-5 --messages history.json --ttl 1h
  promptc build --format json -o kept.json         # or --session ID: what that session keeps
  promptc emit bedrock --model us.anthropic.claude-opus-5-5 --from kept.json
  promptc emit gemini --model gemini-3.8-flash --create --ttl 1h   # the body that stores the prompt
  promptc emit chat --model deepseek-v4-pro")]
pub(super) struct Args {
    /// The shape of the request
    #[arg(value_name = "SHAPE", value_enum)]
    shape: ShapeName,
    /// The model, as the request names it; `PROVIDER/MODEL` says whose it is if that is not known
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    model: String,
    /// Make a request for a model that no table has: what it takes and keeps is not known
    #[arg(long)]
    allow_unknown_model: bool,
    /// Take the prompt from this artifact, `-` for standard input, instead of a build now
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["manifest", "roots", "facts", "sets", "scenario"]
    )]
    from: Option<PathBuf>,
    /// What was said so far: a JSON list of messages in the provider's form, `-` for standard input
    #[arg(long, value_name = "FILE")]
    messages: Option<PathBuf>,
    /// How the answer begins
    #[arg(long, value_name = "TEXT")]
    prefill: Option<String>,
    /// How long prefixes are kept, or that of a tier, such as 1h or stable=1h; repeatable
    #[arg(long = "ttl", value_name = "[TIER=]TIME")]
    ttls: Vec<String>,
    /// How many of the last messages have breakpoints [default: those that the prompt leaves]
    #[arg(long, value_name = "N")]
    last: Option<usize>,
    /// Leave it to the provider where breakpoints stand
    #[arg(long, conflicts_with = "last")]
    automatic: bool,
    /// What sends requests with one prefix to one place: the same for all that share it
    #[arg(long, value_name = "TEXT", value_parser = NonEmptyStringValueParser::new())]
    key: Option<String>,
    /// Use this stored resource instead of the prompt's text (gemini)
    #[arg(long, value_name = "NAME", conflicts_with = "create", value_parser = resource)]
    cached: Option<String>,
    /// Write the request that stores the prompt as a resource (gemini)
    #[arg(long, conflicts_with_all = ["prefill", "max_tokens"])]
    create: bool,
    /// The longest answer, in tokens
    #[arg(long, value_name = "TOKENS", value_parser = clap::value_parser!(u64).range(1..))]
    max_tokens: Option<u64>,
    /// Where markers of plain chat messages stand (chat)
    #[arg(long, value_name = "LAYOUT")]
    markers: Option<Markers>,
    /// Write to this file, whole or not at all
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    tables: TableArgs,
    #[command(flatten)]
    given: BuildArgs,
}

/// The name of a stored resource.
fn resource(name: &str) -> Result<String, String> {
    match name.rsplit_once("cachedContents/") {
        Some((_, id)) if !id.is_empty() => Ok(name.to_owned()),
        _ => Err("the name of a resource is like cachedContents/abc".to_owned()),
    }
}

#[derive(Debug, Clone, Copy)]
struct ShapeName(&'static Shape);

impl ValueEnum for ShapeName {
    fn value_variants<'a>() -> &'a [Self] {
        static ALL: std::sync::LazyLock<Vec<ShapeName>> =
            std::sync::LazyLock::new(|| SHAPES.iter().copied().map(ShapeName).collect());
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.0.name).help(self.0.about))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Markers {
    /// On the last part of the content, as gateways take it that speak for Anthropic
    Envelope,
    /// On the message where the content has no place for it, for an adapter
    Native,
}

/// Runs the command.
pub(super) fn run(args: &Args, context: &mut Context) -> Result<(), ErrorReported> {
    let shape = args.shape.0;
    files::check(args, &mut context.run.diags)?;
    let prompt = prompt(args, context)?;
    let world = DiskWorld;
    let catalog = args.tables.catalog(&world, &mut context.run)?;
    let today = model::today(&args.given, &mut context.run)?;
    let found = catalog.find(&args.model, today);
    if found.is_none() && !args.allow_unknown_model {
        let problem = known::refused(&args.model, &catalog);
        return Err(context.run.diags.push(problem));
    }
    known::tell(
        &args.model,
        shape,
        found.as_ref(),
        &catalog,
        &mut context.run.diags,
    );
    let messages = messages::read(args.messages.as_deref(), &world, &mut context.run.diags)?;
    let wish = wish(args, &mut context.run)?;
    let call = Call {
        prompt: &prompt,
        model: bare(&args.model, shape, &catalog),
        found: found.as_ref(),
        tokenizer: model::tokenizer(args.given.tokenizer(), prompt.tokenizer(), found.as_ref()),
        messages: &messages,
        prefill: args.prefill.as_deref(),
        wish: &wish,
    };
    let body = crate::request::emit::emit(shape, &call, &mut context.run.diags)?;
    // Strings, numbers, lists and objects with texts as keys always have a JSON form.
    let mut text = serde_json::to_string_pretty(&body).unwrap_or_default();
    text.push('\n');
    match crate::cli::stdout::named(args.output.as_ref()) {
        Some(path) => output::to_file(path, text.as_bytes(), &mut context.run),
        None => context
            .ui
            .product(&text, Page::json, &mut context.run.diags),
    }
}

fn prompt(args: &Args, context: &mut Context) -> Result<Prompt, ErrorReported> {
    if let Some(path) = &args.from {
        return artifact::read(&DiskWorld, path, &mut context.run.diags);
    }
    let built = args.given.build(&mut context.run)?;
    if let Some(path) = crate::cli::stdout::named(args.output.as_ref())
        && built.has_read(path)
    {
        return Err(context.run.diags.push(output::is_input(path)));
    }
    context.ui.notices(&built.prompt.notices);
    Ok(built.prompt)
}

/// The name in the request: without a provider of the tables in front, save where the request itself names providers.
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

fn wish(args: &Args, run: &mut Run) -> Result<EmitOptions, ErrorReported> {
    let shape = args.shape.0;
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
        only("--cached", args.cached.is_some(), |s| s.resources),
        only("--create", args.create, |s| s.resources),
        only("--markers", args.markers.is_some(), |s| s.layouts),
    ];
    let keyless = match shape.key {
        Keyed::All => false,
        Keyed::Created => !args.create,
        Keyed::None => true,
    };
    let unkeyed = (keyless && args.key.is_some()).then(|| {
        let message = format!(
            "a request of the shape `{}` has no place for --key",
            shape.name
        );
        Diagnostic::error(diagnostic::CONFLICTING_SETTINGS, message)
            .help("leave it out: its provider finds kept prefixes without a key")
    });
    for problem in wrong.into_iter().chain([unkeyed]).flatten() {
        run.diags.push(problem);
    }
    run.diags.check()?;
    let ttl = |written: &String| match written.split_once('=') {
        Some((tier, ttl)) => (Some(tier.to_owned()), ttl.to_owned()),
        None => (None, written.clone()),
    };
    Ok(EmitOptions {
        automatic: args.automatic,
        ttls: args.ttls.iter().map(ttl).collect(),
        last: args.last,
        key: args.key.clone(),
        cached: args.cached.clone(),
        create: args.create,
        max_tokens: args.max_tokens,
        layout: args.markers.map(|markers| match markers {
            Markers::Envelope => Layout::Envelope,
            Markers::Native => Layout::Native,
        }),
    })
}
