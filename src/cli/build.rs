//! `promptc build`.

use super::ui::{table, words};
use super::{Context, given::GivenArgs, output};
use crate::diagnostic::{self, Diagnostic, Reported};
use crate::prompt::{Deliver, Ingredient, Notice, Prompt};
use clap::ValueEnum;
use std::path::{Path, PathBuf};

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
  promptc build -m builtin:minimal@1                    # a built-in manifest")]
pub(super) struct Args {
    #[command(flatten)]
    given: GivenArgs,
    /// Write to a file, whole or not at all, instead of stdout (`-`)
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// `text` is the system text, `json` the whole artifact with its map
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
    /// Show on stderr what the prompt is made of
    #[arg(long)]
    stats: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Format {
    Text,
    Json,
}

/// Runs the command.
pub(super) fn run(args: &Args, context: &mut Context) -> Result<(), Reported> {
    let built = args.given.build(context)?;
    let prompt = &built.prompt;
    let bytes = match args.format {
        Format::Text => prompt.text(Deliver::System).as_bytes().to_vec(),
        Format::Json => artifact(prompt),
    };
    match args
        .output
        .as_deref()
        .filter(|path| *path != Path::new("-"))
    {
        Some(path) if built.has_read(path) => {
            let message = format!(
                "`{}` was read for this prompt, and -o would replace it",
                path.display()
            );
            let found =
                Diagnostic::error(diagnostic::OUTPUT_IS_INPUT, message).help("name another file");
            return Err(context.diags.push(found));
        }
        Some(path) => output::to_file(path, &bytes, &mut context.diags)?,
        None => output::to_stdout(&bytes, &mut context.diags)?,
    }
    context.ui.notices(&prompt.notices);
    if args.stats {
        stats(prompt, context);
    }
    let (is_empty, what) = match args.format {
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
                message: format!("{} bytes, {} chars", row.bytes, row.chars),
            });
        }
        return;
    }
    let fancy = context.ui.stderr_is_terminal();
    let whole: usize = prompt.channels.iter().map(|c| c.bytes).sum();
    let mut drawn = table::Table::new(
        fancy,
        &[
            "layer", "tier", "changes", ">bytes", ">chars", ">share", "cut",
        ],
    );
    for row in rows(prompt, if fancy { "→" } else { "->" }) {
        drawn.row([
            row.layer,
            row.tier,
            row.changes,
            words::thousands(row.bytes),
            words::thousands(row.chars),
            words::share(row.bytes, whole),
            row.cut,
        ]);
    }
    let chars: usize = prompt.channels.iter().map(|c| c.chars).sum();
    drawn.row([
        "all".to_owned(),
        String::new(),
        String::new(),
        words::thousands(whole),
        words::thousands(chars),
        words::share(whole, whole),
        String::new(),
    ]);
    context.ui.remark(&drawn.draw());
}

/// One layer's line.
struct Row {
    layer: String,
    tier: String,
    changes: String,
    bytes: usize,
    chars: usize,
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
            cut: cuts(&layer.ingredients, arrow),
        })
    });
    let absent = prompt.absent.iter().map(|absent| Row {
        layer: absent.layer.clone(),
        tier: absent.tier.clone(),
        changes: String::new(),
        bytes: 0,
        chars: 0,
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
