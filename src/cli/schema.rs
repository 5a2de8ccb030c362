//! `promptc schema`.

use super::agent::{MemoryReport, RulesReport, SkillsReport};
use super::batch::BatchLine;
use super::blame::Report as BlameReport;
use super::check::JsonReport;
use super::diff::Comparisons as DiffReport;
use super::explain::Report as ExplainReport;
use super::given::ManifestArgs;
use super::init::JsonReport as InitReport;
use super::providers::JsonReport as ProvidersReport;
use super::requests::JsonReport as RequestsReport;
use super::scan::JsonReport as ScanReport;
use super::test::JsonReport as TestReport;
use super::version::Version;
use super::watch::JsonLine as WatchLine;
use super::{Context, session};
use crate::cli::ui::json::InBatch;
use crate::cli::ui::{Page, answer};
use crate::diagnostic::ErrorReported;
use crate::manifest::{Fact, FactType, Manifest, Written, grammar};
use crate::project::usage::UsageReport;
use crate::prompt::Prompt;
use crate::request::whole::log::line::Line as LogLine;
use clap::Subcommand;
use serde_json::{Map, Value, json};

/// Print a JSON Schema, or the grammar of manifests
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  promptc schema prompt > prompt.schema.json  # of what `build --format json` writes
  promptc schema batch > batch.schema.json    # of a line that `build --batch` writes
  promptc schema explain > explain.schema.json  # of what `explain --format json` writes
  promptc schema blame > blame.schema.json    # of what `blame --format json` writes
  promptc schema init > init.schema.json      # of what `init --format json` writes
  promptc schema check > check.schema.json    # of what `check --format json` writes
  promptc schema scan > scan.schema.json      # of what `scan --format json` writes
  promptc schema test > test.schema.json      # of what `test --format json` writes
  promptc schema diff > diff.schema.json      # of what `diff --format json` writes
  promptc schema watch > watch.schema.json    # of a line that `watch --format json` writes
  promptc schema directory-rules > rules.schema.json  # of `agent rules --format json`
  promptc schema skills > skills.schema.json  # of what `skills --format json` writes
  promptc schema memory > memory.schema.json  # of what `memory … --format json` writes
  promptc schema providers > providers.schema.json  # of what `providers … --format json` writes
  promptc schema message > message.schema.json  # of a line that `--message-format json` writes
  promptc schema version > version.schema.json  # of `--version -v` as JSON
  promptc schema manifest > grammar.json      # the grammar of manifests, for editors
  promptc schema facts > facts.schema.json    # of what --facts takes for this manifest")]
pub(super) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// The artifact that `build --format json` writes
    #[command(after_help = "\
Examples:
  promptc schema prompt > prompt.schema.json")]
    Prompt,
    /// A line that `build --batch` writes: an artifact, or the errors
    #[command(after_help = "\
Examples:
  promptc schema batch > batch.schema.json")]
    Batch,
    /// The layers, budgets or breakpoints that `explain --format json` writes
    #[command(after_help = "\
Examples:
  promptc schema explain > explain.schema.json")]
    Explain,
    /// The places and sources that `blame --format json` writes
    #[command(after_help = "\
Examples:
  promptc schema blame > blame.schema.json")]
    Blame,
    /// The output of `init --format json`, for a folder or for dumps
    #[command(after_help = "\
Examples:
  promptc schema init > init.schema.json")]
    Init,
    /// The findings, volatilities and moves that `check --format json` writes
    #[command(after_help = "\
Examples:
  promptc schema check > check.schema.json")]
    Check,
    /// The findings that `scan --format json` writes
    #[command(after_help = "\
Examples:
  promptc schema scan > scan.schema.json")]
    Scan,
    /// The snapshots that `test --format json` writes
    #[command(after_help = "\
Examples:
  promptc schema test > test.schema.json")]
    Test,
    /// The comparisons that `diff --format json` writes
    #[command(after_help = "\
Examples:
  promptc schema diff > diff.schema.json")]
    Diff,
    /// The comparisons that `diff LOG --format json` writes, of the requests of a log
    #[command(after_help = "\
Examples:
  promptc schema requests > requests.schema.json")]
    Requests,
    /// The sums that `usage --format json` writes
    #[command(after_help = "\
Examples:
  promptc schema usage > usage.schema.json")]
    Usage,
    /// A line of a log of requests
    #[command(after_help = "\
Examples:
  promptc schema log > log.schema.json")]
    Log,
    /// A line that `watch --format json` writes: the outcome of a build
    #[command(after_help = "\
Examples:
  promptc schema watch > watch.schema.json")]
    Watch,
    /// The folders and texts that `agent rules --format json` writes
    #[command(after_help = "\
Examples:
  promptc schema directory-rules > directory-rules.schema.json")]
    DirectoryRules,
    /// The output of `skills list --format json` and `skills show --format json`
    #[command(after_help = "\
Examples:
  promptc schema skills > skills.schema.json")]
    Skills,
    /// The output of `memory … --format json`: the answer to a change, or a list
    #[command(after_help = "\
Examples:
  promptc schema memory > memory.schema.json")]
    Memory,
    /// The output of `providers list --format json` and `providers show --format json`
    #[command(after_help = "\
Examples:
  promptc schema providers > providers.schema.json")]
    Providers,
    /// A diagnostic that `--message-format json` writes
    #[command(after_help = "\
Examples:
  promptc schema message > message.schema.json")]
    Message,
    /// The output of `--version -v --message-format json`
    #[command(after_help = "\
Examples:
  promptc schema version > version.schema.json")]
    Version,
    /// The output of the commands of `session`
    #[command(subcommand)]
    #[command(after_help = "\
Examples:
  promptc schema session show > session-show.schema.json")]
    Session(session::Answer),
    /// The grammar of manifests: each node with its arguments and properties
    ///
    /// `nodes` has a row for each node, and `children` names such rows. Where two nodes share a name in manifests, a row has another:
    /// `scan` is a rule set, `scan-of-documents` its use. A sentence is Markdown; its links count from docs/language.md. `least`
    /// and `most` say how often an argument may appear (null: no limit), `or_fact` whether `(fact)NAME` may replace a value,
    /// `since` which release added it.
    #[command(after_help = "\
Examples:
  promptc schema manifest > manifest.schema.json")]
    Manifest,
    /// The facts of a manifest, as --facts takes them
    #[command(after_help = "\
Examples:
  promptc schema facts > facts.schema.json
  promptc schema facts -m builtin:mushroom@1")]
    Facts(ManifestArgs),
}

/// Runs the command.
pub(super) fn run(args: &Args, context: &mut Context) -> Result<(), ErrorReported> {
    let schema = match &args.what {
        What::Prompt => prompt(),
        What::Batch => batch(),
        What::Explain => answer::schema::<ExplainReport<'_>>(),
        What::Blame => answer::schema::<BlameReport<'_>>(),
        What::Init => answer::schema::<InitReport>(),
        What::Check => answer::schema::<JsonReport<'_>>(),
        What::Scan => answer::schema::<ScanReport<'_>>(),
        What::Test => answer::schema::<TestReport<'_>>(),
        What::Diff => answer::schema::<DiffReport<'_>>(),
        What::Usage => answer::schema::<UsageReport>(),
        What::Requests => answer::schema::<RequestsReport<'_>>(),
        What::Log => log_line(),
        What::Watch => answer::schema::<WatchLine<'_>>(),
        What::DirectoryRules => answer::schema::<RulesReport<'_>>(),
        What::Skills => answer::schema::<SkillsReport<'_>>(),
        What::Memory => answer::schema::<MemoryReport>(),
        What::Session(answer) => answer.schema(),
        What::Providers => answer::schema::<ProvidersReport<'_>>(),
        What::Message => answer::schema::<InBatch<'_>>(),
        What::Version => answer::schema::<Version>(),
        What::Manifest => grammar::to_json(),
        What::Facts(source) => {
            let manifest = source.project().read(&mut context.run)?;
            context.run.diags.check()?;
            facts(&manifest)
        }
    };
    let page = Page::json(&format!("{schema:#}\n"));
    context.ui.result(&page, &mut context.run.diags)
}

/// The schema of the artifact.
fn prompt() -> Value {
    schemars::schema_for!(Prompt).to_value()
}

/// The schema of a line of a batch: an artifact is read too, so not all keys that are written are required.
fn batch() -> Value {
    answer::document(schemars::schema_for!(BatchLine).to_value())
}

/// The schema of a line of a log. A log is not a document: its version is in its first line.
fn log_line() -> Value {
    schemars::schema_for!(LogLine).to_value()
}

/// The schema of a facts file.
fn facts(manifest: &Manifest) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for fact in &manifest.facts {
        properties.insert(fact.name.value.clone(), schema(fact));
        if is_required(fact) {
            required.push(Value::from(fact.name.value.as_str()));
        }
    }
    let title = manifest.name.as_ref().map_or("facts", |n| n.value.as_str());
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

/// Whether the manifest has no other way to a value.
fn is_required(fact: &Fact) -> bool {
    !fact.is_optional()
        && fact.default.is_none()
        && fact.env.is_none()
        && fact.env_set.is_none()
        && fact.clock.is_none()
}

fn schema(fact: &Fact) -> Value {
    let (kind, format) = match fact.kind.value {
        FactType::String => ("string", None),
        FactType::Int => ("integer", None),
        FactType::Float => ("number", None),
        FactType::Bool => ("boolean", None),
        FactType::Date => ("string", Some("date")),
        FactType::DateTime => ("string", Some("date-time")),
        FactType::List => ("array", None),
        FactType::Map => ("object", None),
    };
    let mut out = Map::new();
    // null says that an optional fact is missing.
    let kind = if fact.is_optional() {
        json!([kind, "null"])
    } else {
        json!(kind)
    };
    out.insert("type".to_owned(), kind);
    if let Some(format) = format {
        out.insert("format".to_owned(), format.into());
    }
    if !fact.one_of.is_empty() && !fact.is_private() {
        let mut values: Vec<Value> = fact.one_of.iter().map(|v| v.value.clone()).collect();
        if fact.is_optional() {
            values.push(Value::Null);
        }
        out.insert("enum".to_owned(), values.into());
    }
    if let Some(default) = fact.default.as_ref().filter(|_| !fact.is_private()) {
        out.insert("default".to_owned(), written(default, fact.kind.value));
    }
    Value::Object(out)
}

/// A written value as JSON.
fn written(value: &Written, kind: FactType) -> Value {
    let args = || value.args.iter().map(|a| a.value.clone());
    match (&value.entries, kind) {
        (Some(entries), _) => entries
            .iter()
            .map(|(key, value)| (key.value.clone(), inner(value)))
            .collect::<Map<_, _>>()
            .into(),
        (None, FactType::List) => args().collect::<Vec<_>>().into(),
        (None, FactType::Map) if value.args.is_empty() => Value::Object(Map::new()),
        (None, _) => args().next().unwrap_or(Value::Null),
    }
}

/// A value inside a map: one argument is itself, several are a list.
fn inner(value: &Written) -> Value {
    let kind = if value.args.len() == 1 {
        FactType::String
    } else {
        FactType::List
    };
    written(value, kind)
}

#[cfg(test)]
mod tests {
    use super::facts;
    use crate::diagnostic::Diagnostics;
    use crate::diagnostic::span::Files;
    use crate::manifest;
    use crate::world::MapWorld;

    #[test]
    fn facts_become_a_schema() {
        let world = MapWorld::new().file(
            "/m.kdl",
            r#"promptc 1
fact platform string { one-of cli web }
fact today date optional=#true
fact tools list { default }
fact key string private=#true default=secret
fact now datetime clock=utc
fact vars map { default { mood good; list 1 2 } }
"#,
        );
        let (mut files, mut diags) = (Files::default(), Diagnostics::default());
        let manifest = manifest::open(&world, Some("/m.kdl"), &mut files, &mut diags).unwrap();
        insta::assert_snapshot!(format!("{:#}", facts(&manifest)));
        assert!(!facts(&manifest).to_string().contains("secret"));
    }
}
