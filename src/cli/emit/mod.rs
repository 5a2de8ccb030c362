//! `promptc emit`.

mod files;
mod messages;

use super::Context;
use super::given::BuildArgs;
use super::model::TableArgs;
use crate::cli::ui::Page;
use crate::diagnostic::{Diagnostics, ErrorReported};
use crate::project::emit::{self, EmitRequest};
use crate::project::{artifact, output};
use crate::prompt::Prompt;
use crate::request::emit::{EmitOptions, Layout, SHAPES, Shape};
use crate::world::DiskWorld;
use clap::ValueEnum;
use clap::builder::{NonEmptyStringValueParser, PossibleValue};
use std::path::PathBuf;

/// Write a provider's request, with breakpoints that save most
///
/// Builds the prompt, or reads an artifact, and writes the JSON body of a request: the text in blocks with
/// breakpoints at the ends of tiers, tools sorted by name, and text that changes at every call after all text that
/// can be cached. Nothing is sent.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  promptc emit anthropic --model claude-opus-5-5
  promptc emit openai-responses --model gpt-6.1-sol --cache-key atlas
  promptc emit anthropic --model claude-opus-5-5 --messages history.json --ttl 1h
  promptc build --format json -o kept.json         # or --session ID: that session
  promptc emit bedrock --model us.anthropic.claude-opus-5-5 --artifact kept.json
  promptc emit gemini --model gemini-3.8-flash --create --ttl 1h   # the body that stores the prompt
  promptc emit chat --model deepseek-v4-pro")]
pub(super) struct Args {
    /// The shape of the request
    #[arg(value_name = "SHAPE", value_enum)]
    shape: ShapeName,
    /// The model whose rules and prices apply, as the request names it; `PROVIDER/MODEL` names its provider if it is unknown
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    model: String,
    /// Make a request for a model that is in no table: its limits and caching are unknown
    #[arg(long)]
    allow_unknown_model: bool,
    /// The prompt in this artifact, `-` for standard input, instead of a build now
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["manifest", "roots", "facts", "sets", "scenario"]
    )]
    artifact: Option<PathBuf>,
    /// The conversation so far: a JSON list of messages in the provider's form, `-` for standard input
    #[arg(long, value_name = "FILE")]
    messages: Option<PathBuf>,
    /// The beginning of the answer (prefill)
    #[arg(long, value_name = "TEXT")]
    prefill: Option<String>,
    /// How long the provider caches prefixes, or those of a tier, such as 1h or stable=1h; repeatable
    #[arg(long = "ttl", value_name = "[TIER=]TIME")]
    ttls: Vec<String>,
    /// How many of the last messages have breakpoints [default: those that the prompt leaves]
    #[arg(long, value_name = "N")]
    last: Option<usize>,
    /// Let the provider choose the breakpoints
    #[arg(long, conflicts_with = "last")]
    automatic: bool,
    /// The cache key that routes requests with one prefix together: the same for all that share it
    #[arg(long, value_name = "TEXT", value_parser = NonEmptyStringValueParser::new())]
    cache_key: Option<String>,
    /// Use this stored resource instead of the prompt's text (gemini)
    #[arg(long, value_name = "NAME", conflicts_with = "create", value_parser = resource)]
    cached: Option<String>,
    /// Write the request that stores the prompt as a resource (gemini)
    #[arg(long, conflicts_with_all = ["prefill", "max_tokens"])]
    create: bool,
    /// The longest answer, in tokens
    #[arg(long, value_name = "TOKENS", value_parser = clap::value_parser!(u64).range(1..))]
    max_tokens: Option<u64>,
    /// The position of breakpoints in plain chat messages (chat)
    #[arg(long, value_name = "LAYOUT")]
    breakpoints: Option<Markers>,
    /// Write to a file, atomically
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
    files::check(args, &mut context.run.diags)?;
    let prompt = prompt(args, context)?;
    let request = request(args, &mut context.run.diags)?;
    let text = emit::body(&prompt, &request, &mut context.run)?;
    match crate::cli::stdout::named(args.output.as_ref()) {
        Some(path) => output::to_file(path, text.as_bytes(), &mut context.run),
        None => context
            .ui
            .product(&text, Page::json, &mut context.run.diags),
    }
}

fn prompt(args: &Args, context: &mut Context) -> Result<Prompt, ErrorReported> {
    if let Some(path) = &args.artifact {
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

/// The request that the arguments describe.
fn request(args: &Args, diags: &mut Diagnostics) -> Result<EmitRequest, ErrorReported> {
    let messages = args.messages.as_deref();
    let messages = messages.map(|path| messages::read(path, &DiskWorld, diags));
    let ttl = |written: &String| match written.split_once('=') {
        Some((tier, ttl)) => (Some(tier.to_owned()), ttl.to_owned()),
        None => (None, written.clone()),
    };
    Ok(EmitRequest {
        shape: args.shape.0.name.to_owned(),
        model: args.model.clone(),
        allow_unknown_model: args.allow_unknown_model,
        messages: messages.transpose()?,
        prefill: args.prefill.clone(),
        tables: args.tables.files().to_vec(),
        tokenizer: args.given.tokenizer(),
        now: args.given.now().map(str::to_owned),
        options: EmitOptions {
            automatic: args.automatic,
            ttls: args.ttls.iter().map(ttl).collect(),
            last: args.last,
            key: args.cache_key.clone(),
            cached: args.cached.clone(),
            create: args.create,
            max_tokens: args.max_tokens,
            layout: args.breakpoints.map(|markers| match markers {
                Markers::Envelope => Layout::Envelope,
                Markers::Native => Layout::Native,
            }),
        },
    })
}
