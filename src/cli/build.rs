//! `promptc build`.

use super::batch::{self, Batch};
use super::ui::{table, words};
use super::{Context, given::GivenArgs, output};
use crate::diagnostic::{self, Diagnostic, Reported};
use crate::prompt::{Deliver, Ingredient, Notice, Prompt};
use clap::ValueEnum;
use std::path::{Path, PathBuf};

/// What the help puts the options of batches under.
const BATCH: &str = "Batch";

/// Build the prompt
///
/// Writes exactly the bytes of the system text; all else goes to stderr.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  promptc build                                         # the prompt of promptc.kdl here or above
  promptc build -o prompt.txt --stats                   # to a file, with a table of layers
  promptc build --facts facts.json --set user_name=Ann  # with facts
  promptc build --root workspace=../agent               # with another folder for a root
  promptc build --format json > prompt.json             # the artifact, with its map
  promptc build -m builtin:minimal@1                    # a built-in manifest
  promptc build --batch facts.jsonl -o prompts.jsonl    # a prompt for each line of facts
  head -2 facts.jsonl | promptc build --batch -         # as a filter")]
pub(super) struct Args {
    #[command(flatten)]
    given: GivenArgs,
    /// Write to a file, whole or not at all, instead of stdout (`-`)
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// `text` is the system text, `json` the whole artifact with its map [default: text; json for a batch]
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,
    /// Show on stderr what the prompt is made of
    #[arg(long, conflicts_with = "batch")]
    stats: bool,
    /// Build a prompt for each line: a JSON object of facts, which wins over --facts and yields to --set; `-` for
    /// standard input. Writes an artifact a line, in order
    #[arg(help_heading = BATCH, long, value_name = "FILE")]
    batch: Option<PathBuf>,
    /// Stop at the first line that cannot be built
    #[arg(help_heading = BATCH, long, requires = "batch")]
    fail_fast: bool,
    /// How many threads build [default: one for each core]
    #[arg(help_heading = BATCH, long, value_name = "N", requires = "batch", value_parser = clap::value_parser!(u16).range(1..=256))]
    jobs: Option<u16>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Format {
    Text,
    Json,
}

/// Runs the command.
pub(super) fn run(args: &Args, context: &mut Context) -> Result<(), Reported> {
    let path = args.output.as_deref();
    let output = path.filter(|path| *path != Path::new("-"));
    if let Some(lines) = &args.batch {
        return batch(args, lines, output, context);
    }
    let built = args.given.build(context)?;
    let prompt = &built.prompt;
    let format = args.format.unwrap_or(Format::Text);
    let bytes = match format {
        Format::Text => prompt.text(Deliver::System).as_bytes().to_vec(),
        Format::Json => artifact(prompt),
    };
    match output {
        Some(path) if built.has_read(path) => {
            return Err(context.diags.push(output::is_input(path)));
        }
        Some(path) => output::to_file(path, &bytes, &mut context.diags)?,
        None => output::to_stdout(&bytes, &mut context.diags)?,
    }
    context.ui.notices(&prompt.notices);
    if args.stats {
        stats(prompt, context);
    }
    let (is_empty, what) = match format {
        Format::Text => (prompt.channel(Deliver::System).is_none(), "the system text"),
        Format::Json => (prompt.channels.is_empty(), "the prompt"),
    };
    if is_empty {
        let message = format!("{what} is empty");
        let warning = Diagnostic::warning(diagnostic::EMPTY_PROMPT, message)
            .help("`promptc explain` says of every layer why it is absent");
        context.diags.push(warning);
    }
    Ok(())
}

fn batch(
    args: &Args,
    lines: &Path,
    output: Option<&Path>,
    context: &mut Context,
) -> Result<(), Reported> {
    if matches!(args.format, Some(Format::Text)) {
        let message = "--batch writes artifacts, and --format text asks for texts";
        let found = Diagnostic::error(diagnostic::USAGE, message);
        let help = "a text may hold line ends; it stands in each artifact as `text` of a channel";
        return Err(context.diags.push(found.help(help)));
    }
    let batch = Batch {
        given: &args.given,
        lines,
        output,
        fail_fast: args.fail_fast,
        jobs: args.jobs.map(usize::from),
    };
    batch::run(&batch, context)
}

/// The artifact as text: indented, one final newline.
pub(super) fn artifact(prompt: &Prompt) -> Vec<u8> {
    // Strings, numbers and lists always have a JSON form.
    let mut bytes = serde_json::to_vec_pretty(prompt).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}

fn stats(prompt: &Prompt, context: &Context) {
    if context.ui.is_json() {
        for row in rows(prompt, "->") {
            context.ui.stats(&Notice {
                code: diagnostic::STATS.name.to_owned(),
                layer: Some(row.layer),
                message: match row.tokens {
                    None => format!("{} bytes, {} chars", row.bytes, row.chars),
                    Some(tokens) => {
                        let (bytes, chars) = (row.bytes, row.chars);
                        format!("{bytes} bytes, {chars} chars, {tokens} tokens")
                    }
                },
            });
        }
        return;
    }
    let fancy = context.ui.stderr_is_terminal();
    let whole: usize = prompt.channels.iter().map(|c| c.bytes).sum();
    let counts = prompt.channels.iter().filter_map(|c| c.tokens.as_ref());
    let all = prompt.tokenizer().map(|_| counts.map(|t| t.count).sum());
    let mark = if prompt.tokenizer().is_some_and(|t| !t.is_exact()) {
        "~"
    } else {
        ""
    };
    let shown = |count: Option<usize>| count.map(|n| format!("{mark}{}", words::thousands(n)));
    let heads = [
        "layer", "tier", "changes", ">bytes", ">chars", ">tokens", ">share", "cut",
    ];
    let heads = heads
        .into_iter()
        .filter(|h| all.is_some() || *h != ">tokens");
    let mut drawn = table::Table::new(fancy, &heads.collect::<Vec<_>>());
    for row in rows(prompt, if fancy { "→" } else { "->" }) {
        let start = [
            row.layer,
            row.tier,
            row.changes,
            words::thousands(row.bytes),
            words::thousands(row.chars),
        ];
        let tokens = all.and(shown(row.tokens.or(Some(0))));
        let end = [words::share(row.bytes, whole), row.cut];
        drawn.row(start.into_iter().chain(tokens).chain(end));
    }
    let chars: usize = prompt.channels.iter().map(|c| c.chars).sum();
    let start = [
        "all".to_owned(),
        String::new(),
        String::new(),
        words::thousands(whole),
        words::thousands(chars),
    ];
    let end = [words::share(whole, whole), String::new()];
    drawn.row(start.into_iter().chain(shown(all)).chain(end));
    context.ui.remark(&drawn.draw());
}

/// One layer's line.
struct Row {
    layer: String,
    tier: String,
    changes: String,
    bytes: usize,
    chars: usize,
    tokens: Option<usize>,
    cut: String,
}

/// The layers that are there, in order, then those that are not.
fn rows(prompt: &Prompt, arrow: &str) -> Vec<Row> {
    let present = prompt.channels.iter().flat_map(|channel| {
        channel.layers.iter().map(move |layer| Row {
            layer: layer.name.clone(),
            tier: match channel.deliver {
                Deliver::System => layer.tier.clone(),
                deliver => format!("{} ({deliver})", layer.tier),
            },
            changes: layer.changes.to_string(),
            bytes: layer.end - layer.start,
            chars: layer.chars,
            tokens: layer.tokens,
            cut: cuts(&layer.ingredients, arrow),
        })
    });
    let absent = prompt.absent.iter().map(|absent| Row {
        layer: absent.layer.clone(),
        tier: absent.tier.clone(),
        changes: String::new(),
        bytes: 0,
        chars: 0,
        tokens: None,
        cut: format!("absent: {}", absent.reason),
    });
    present.chain(absent).collect()
}

/// "AGENTS.md 4,812 → 4,000 chars", for each budget that took something away.
fn cuts(ingredients: &[Ingredient], arrow: &str) -> String {
    let cut = ingredients
        .iter()
        .filter_map(|ingredient| match ingredient {
            Ingredient::Budget {
                unit,
                before,
                after,
                of,
                ..
            } if after < before => Some(format!(
                "{of} {} {arrow} {} {unit}",
                words::thousands(*before),
                words::thousands(*after)
            )),
            _ => None,
        });
    cut.collect::<Vec<_>>().join("; ")
}
