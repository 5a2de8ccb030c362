//! Each command with arguments that make it print outside text, in every format of its help.

use super::trap::NAME;
use crate::docs::commands::helps;
use std::collections::BTreeSet;

/// Each command with arguments that make it print text from outside; `%` is the name of the session. A command passes
/// text on unchanged (a `product`) only if stdout is no terminal.
const RUNS: &[(&str, &[&[&str]])] = &[
    (
        "",
        &[
            &["--version"],
            &["::x::\n##[group]"],
            &["--color", "##[group]", "build"],
        ],
    ),
    (
        "build",
        &[
            &["--facts", "facts.json", "--stats", "-v"],
            &["-m", "%.kdl"],
            &["-m", "bad.kdl"],
            &["-m", "##[group]\n::x::"],
            &["--set", "when=##[group]"],
            &["--set", "::x::=##[group]"],
            &["--facts", "not.json"],
            &["--scenario", "::x::"],
            &["--session", "%", "--facts", "facts.json", "-v"],
            &["--session", "::x::##[group]"],
            &["--root", "::x::=##[group]"],
            &["--facts", "facts.json", "-o", "::x::/##[group]"],
            &["--batch", "lines.jsonl"],
            &["--batch", "::x::##[group]"],
            &["--facts", "facts.json", "--each-without"],
            &["--without", "::x::##[group]"],
        ],
    ),
    (
        "explain",
        &[
            &["--facts", "facts.json", "-v"],
            &["--facts", "facts.json", "rules"],
            &["--facts", "facts.json", "echo"],
            &["::x::##[group]"],
            &["--merged"],
            &["--budget", "--artifact", "old.json"],
            &["--artifact", "old.json", "--model", "claude-opus-5-5"],
            &["--code", "##[group]"],
        ],
    ),
    (
        "check",
        &[
            &["--sources"],
            &["--sources", "--diff"],
            &["--usage", "not.json"],
            &["--usage", "::x::##[group]"],
            &["-m", "bad.kdl"],
            &["-m", "%.kdl"],
            &["--list-rules"],
        ],
    ),
    (
        "scan",
        &[
            &["ws/AGENTS.md", "ws/%.md", "::x::"],
            &["-m", "promptc.kdl", "ws/AGENTS.md"],
            &["--list-rules", "-m", "promptc.kdl"],
        ],
    ),
    (
        "agent rules",
        &[&["ws/a", "::x::##[group]", "--session", "h", "-v"]],
    ),
    (
        "agent skills list",
        &[&["-v"], &["--layer", "::x::##[group]"]],
    ),
    (
        "agent skills show",
        &[
            &["fix"],
            &["fix", "--file", "more.md"],
            &["::x::##[group]"],
            &["fix", "--file", "::x::"],
        ],
    ),
    (
        "agent memory add",
        &[
            &["::x::\n##[group]"],
            &["octocat ::x::", "--layer", "::x::##[group]"],
        ],
    ),
    (
        "agent memory replace",
        &[&["::x::", "::y:: ##[group]"], &["##[group]nothing", "x"]],
    ),
    ("agent memory remove", &[&["::y::"], &["##[group]nothing"]]),
    (
        "agent memory list",
        &[&[], &["--raw"], &["--layer", "::x::##[group]"]],
    ),
    ("agent memory apply", &[&["-"]]),
    ("agent memory schema", &[&[]]),
    (
        "blame",
        &[
            &["2", "--facts", "facts.json"],
            &["--find", "::", "--artifact", "old.json"],
            &["--find", "##[gruop]::", "--artifact", "old.json"],
            &["1", "--artifact", "not.json"],
        ],
    ),
    ("test", &[&[], &["-v"], &["--review"], &["::x::##[group]"]]),
    (
        "diff",
        &[
            &[],
            &["old.json", "new.json", "--full"],
            &["old.json", "--facts", "facts.json"],
            &["snapshot:::x::##[group]"],
            &["git:::x::##[group]"],
            &["session:%@1", "session:%@2"],
            &["dump.txt", "ws/AGENTS.md"],
            &["not.json", "::x::##[group]"],
        ],
    ),
    (
        "report",
        &[
            &["-o", "-", "--facts", "facts.json"],
            &["-o", "-", "old.json", "new.json"],
            &["-o", "-", "--session", "%"],
        ],
    ),
    (
        "capture report",
        &[
            &["-o", "-", "--bill", "lines.jsonl"],
            &["--bill", "::x::##[group]"],
            &["--bill", "lines.jsonl", "--as", "::x::##[group]"],
        ],
    ),
    (
        "capture diff",
        &[&["not.json"], &["not.json", "--prompt", "::x::##[group]"]],
    ),
    (
        "capture import",
        &[
            &["lines.jsonl"],
            &["not.json"],
            &["::x::##[group]"],
            &["lines.jsonl", "--as", "::x::##[group]"],
        ],
    ),
    (
        "capture export",
        &[&["not.json", "--inline"], &["::x::##[group]", "--inline"]],
    ),
    ("capture run", &[&["--print-env"]]),
    (
        "capture serve",
        &[
            &["--print-env"],
            &["--print-env", "--upstream", "::x::##[group]"],
            &["-o", "::x::##[group]/none/log"],
        ],
    ),
    ("capture show", &[&["not.json"], &["::x::##[group]"]]),
    (
        "usage",
        &[
            &["lines.jsonl"],
            &["::x::##[group]"],
            &["not.json", "--by", "::x::##[group]"],
            &["--add", "not.json"],
        ],
    ),
    (
        "watch",
        &[
            &["--builds", "1", "--poll", "1", "--facts", "facts.json"],
            &["--builds", "1", "-m", "bad.kdl"],
        ],
    ),
    (
        "emit",
        &[
            &[
                "anthropic",
                "--model",
                "claude-opus-5-5",
                "--artifact",
                "old.json",
                "--messages",
                "messages.json",
            ],
            &[
                "chat",
                "--model",
                "::x::##[group]",
                "--artifact",
                "old.json",
            ],
            &["chat", "--model", "m", "--artifact", "not.json"],
        ],
    ),
    (
        "providers list",
        &[
            &["--provider", "::x::##[group]"],
            &["--providers", "bad.kdl"],
        ],
    ),
    (
        "providers show",
        &[
            &["::x::##[group]"],
            &["claude-opus-5-5", "--providers", "%.kdl"],
        ],
    ),
    (
        "providers import",
        &[
            &["prices.json"],
            &["not.json"],
            &["prices.json", "--only", "::x::##[group]"],
        ],
    ),
    ("session list", &[&[]]),
    (
        "session show",
        &[
            &["%"],
            &["%@1"],
            &["::x::##[group]"],
            &["%", "--format", "text"],
            &["%", "--format", "artifact"],
        ],
    ),
    (
        "session drift",
        &[&["%"], &["%", "--reminder"], &["::x::##[group]"]],
    ),
    ("session history", &[&[], &["%"], &["::x::##[group]"]]),
    ("session verify", &[&[], &["--store", "::x::##[group]"]]),
    ("session export", &[&["%"], &["::x::##[group]"]]),
    (
        "session import",
        &[
            &["export.json"],
            &["not.json"],
            &["export.json", "--store", "other.db"],
        ],
    ),
    (
        "session gc",
        &[
            &["--dry-run", "--unused", "0s"],
            &["--unused", "::x::##[group]"],
        ],
    ),
    ("session rm", &[&["::x::##[group]"], &["%"]]),
    (
        "session move",
        &[
            &["::x::##[group]", "--to", "moved.db"],
            &["--all", "--to", "::x::##[group].db"],
        ],
    ),
    (
        "init",
        &[
            &["new", "--from", "dump.txt", "ws/AGENTS.md"],
            &["ws"],
            &["--preset", "::x::##[group]"],
            &["::x::##[group]"],
            &["--list-presets"],
        ],
    ),
    (
        "fmt",
        &[
            &["--check", "long.kdl", "bad.kdl", "%.kdl"],
            &["-"],
            &["long.kdl"],
            &["::x::##[group]"],
        ],
    ),
    ("schema facts", &[&[], &["-m", "bad.kdl"]]),
    ("schema", &[&["::x::##[group]"]]),
    ("completions", &[&["::x::##[group]"]]),
    ("man", &[&["promptc.kdl/::x::##[group]"]]),
];

/// Whether stdout is the text itself that the command was asked to make. It has the bytes, unless they go to a terminal.
pub(super) fn is_product(args: &[String]) -> bool {
    let has = |word: &str| args.iter().any(|arg| arg == word);
    match args[0].as_str() {
        "build" | "emit" => true,
        "agent" => has("rules") || has("skills") && has("show") && !has("json"),
        "session" => {
            has("text") || has("artifact") || has("export") || has("--reminder") && !has("json")
        }
        "providers" => has("import"),
        "fmt" => has("-"),
        _ => false,
    }
}

/// Whether a text that was asked for is JSON.
pub(super) fn is_json(args: &[String]) -> bool {
    let has = |word: &str| args.iter().any(|arg| arg == word);
    let always = args[0] == "emit" || has("export") || has("artifact");
    always || has("json")
}

/// The formats that a command's help lists.
fn formats(help: &str) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    let Some((_, rest)) = help.split_once("--format <") else {
        return out;
    };
    let end = rest.find("\n      --").unwrap_or(rest.len());
    let end = end
        .min(rest.find("\n  -").unwrap_or(end))
        .min(rest.find("\n\n  -").unwrap_or(end));
    let words = rest[..end].split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((_, values)) = words.split_once("[possible values: ") {
        let values = values.split(']').next().unwrap_or_default();
        out.extend(values.split(", ").map(str::to_owned));
    }
    let named = rest[..end]
        .lines()
        .filter_map(|l| l.trim().strip_prefix("- "));
    out.extend(named.map(|l| l.split(':').next().unwrap_or(l).trim().to_owned()));
    assert!(!out.is_empty(), "{help}");
    out
}

/// Every run: the rows above, each in each format of its command.
pub(super) fn runs() -> Vec<Vec<String>> {
    let mut out = Vec::new();
    for (command, help) in helps() {
        let rows = RUNS.iter().find(|(name, _)| *name == command);
        // A command that prints only our own schema, or contains commands, prints nothing from outside.
        let is_bare =
            help.contains("\nCommands:\n") || command.is_empty() || command.starts_with("schema ");
        assert!(rows.is_some() || is_bare, "no run of `{command}`");
        let formats = formats(&help);
        for args in rows.map_or(&[][..], |(_, rows)| rows) {
            let words = command.split_whitespace().chain(args.iter().copied());
            let line: Vec<String> = words.map(|w| w.replace('%', NAME)).collect();
            let given = formats
                .iter()
                .map(|f| ["--format".to_owned(), f.clone()].to_vec());
            let given: Vec<Vec<String>> = if formats.is_empty() {
                vec![vec![]]
            } else {
                given.collect()
            };
            out.extend(
                given
                    .into_iter()
                    .map(|format| [line.clone(), format].concat()),
            );
        }
    }
    out
}

/// The standard input of a command that reads it.
pub(super) fn stdin(args: &[String]) -> &'static str {
    match args[0].as_str() {
        "memory" => {
            "{\"action\":\"replace\",\"old_text\":\"::x::\\n##[group]\",\"content\":\"##[group]\"}"
        }
        "test" => "d\n::x::\nq\n",
        _ => "promptc 1\ntier t { layer l { text \"\"\"\n::x::\n##[group]\n\"\"\" } }\n",
    }
}
