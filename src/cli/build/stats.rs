//! The contents of a prompt, as a table.

use crate::cli::Context;
use crate::diagnostic;
use crate::prompt::{Deliver, Ingredient, Notice, Prompt};
use crate::report::{Document, Table, Terminal, words};

/// Shows what the prompt is made of, on stderr.
pub(super) fn stats(prompt: &Prompt, context: &Context) {
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
    let counts = prompt.channels.iter().filter_map(|c| c.tokens);
    let all = prompt.tokenizer().map(|_| counts.sum());
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
    let mut drawn = Table::new(&heads.collect::<Vec<_>>());
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
    let mut document = Document::new();
    document.push(drawn);
    context.ui.remark(&Terminal::default().draw(&document));
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

/// The present layers in order, then the absent ones.
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
