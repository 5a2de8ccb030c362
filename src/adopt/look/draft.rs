//! The manifest that is proposed.

use super::known::{Form, NESTED, Role};
use super::skills::Except;
use crate::syntax::write;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// A layer of it.
#[derive(Debug, Clone)]
pub(super) struct Layer {
    pub(super) name: String,
    pub(super) role: Role,
    pub(super) form: Form,
    /// The files or folders that it reads.
    pub(super) paths: Vec<String>,
    /// What it does not list of a folder of skills.
    pub(super) except: BTreeMap<String, Except>,
}

impl Layer {
    /// It without imports.
    pub(super) fn plain(self) -> Self {
        Self {
            form: Form::Plain,
            ..self
        }
    }
}

/// The layer that says who the agent is where no file does.
pub(super) const HELPER: &str = "helper";
/// The system prompt if no other layer has text: a prompt must not be empty.
const DEFAULT_IDENTITY: &str = "You help with the work in this project.";

/// The manifest with these layers, and with directory rules if files further down have one of the names that count.
pub(super) fn manifest(layers: &[Layer], nested: &[String]) -> String {
    let mut out = "\
// Proposed by `promptc init` from what this folder holds. The most stable text comes first: a provider reuses a prompt up
// to the first byte that differs.
promptc 1

root workspace default=\".\"
"
    .to_owned();
    for role in Role::ALL {
        let own: Vec<&Layer> = layers.iter().filter(|layer| layer.role == role).collect();
        // Tools alone are a prompt without a word.
        let unnamed = role == Role::Identity && layers.iter().all(|l| l.role == Role::Tools);
        if own.is_empty() && !unnamed {
            continue;
        }
        let deliver = match role {
            Role::Tools => " deliver=tools",
            _ => "",
        };
        let _ = writeln!(
            out,
            "\ntier {} changes={}{deliver} {{",
            role.tier(),
            role.changes()
        );
        if unnamed {
            let _ = writeln!(out, "    layer {HELPER} {{ text \"{DEFAULT_IDENTITY}\" }}");
        }
        for layer in own {
            out.push_str(&written(layer));
        }
        out.push_str("}\n");
    }
    out + &directory_rules(nested)
}

/// A layer, on lines of its own.
fn written(layer: &Layer) -> String {
    let name = write::name(&layer.name);
    let changes = layer.role.changes();
    // The content of a root changes from one conversation to the next, unless a source says otherwise.
    let changes = match layer.role {
        Role::Rules | Role::Skills => String::new(),
        _ => format!(" changes={changes}"),
    };
    let first = layer.paths.first().map(|path| quoted(path));
    let path = first.unwrap_or_default();
    match layer.form {
        Form::Plain => format!("    layer {name} {{ file {path}{changes} missing=error }}\n"),
        Form::Entries => format!("    layer {name} {{ memory {path}{changes} }}\n"),
        Form::Tools => format!("    layer {name} {{ json {path}{changes} }}\n"),
        Form::Imports => format!(
            "    layer {name} {{\n        file {path}{changes} missing=error {{ imports at depth=5 }}\n    }}\n"
        ),
        Form::Skills => skills(&name, layer),
    }
}

/// The index of the skills in some folders.
fn skills(name: &str, layer: &Layer) -> String {
    let sources: Vec<String> = layer
        .paths
        .iter()
        .map(|f| format!("skills {}{}", quoted(f), excepted(layer.except.get(f))))
        .collect();
    let content = match sources.as_slice() {
        [one] => format!("        {one}\n"),
        several => format!(
            "        all {{\n            {}\n        }}\n",
            several.join("\n            ")
        ),
    };
    format!(
        "    layer {name} {{
{content}        frontmatter parse lenient
        template \"\"\"
            ## Skills

            Read the SKILL.md of a skill before you do what it is for.

            {{% for s in entries %}}
            - {{{{ s.name }}}} ({{{{ s.location }}}}){{% if s.description %}}: {{{{ s.description }}}}{{% endif %}}

            {{% endfor %}}
            \"\"\"
    }}
"
    )
}

/// The settings of a source that does not list some skills.
fn excepted(except: Option<&Except>) -> String {
    let Some(Except { folders, documents }) = except else {
        return String::new();
    };
    let mut out = String::new();
    if !documents.is_empty() {
        let text = |path: &String| format!("'{}'", path.replace('\\', "\\\\").replace('\'', "\\'"));
        let all: Vec<String> = documents.iter().map(text).collect();
        let condition = format!("path not in [{}]", all.join(", "));
        out.push_str(&format!(" where={}", write::one_line(&condition)));
    }
    if !folders.is_empty() {
        let names: Vec<String> = folders.iter().map(|name| quoted(name)).collect();
        out.push_str(&format!(" {{ exclude {} }}", names.join(" ")));
    }
    out
}

/// The text that a session gets about a folder with rules of its own.
fn directory_rules(nested: &[String]) -> String {
    let has = |name: &&&str| {
        let end = format!("/{name}");
        nested.iter().any(|path| path.ends_with(&end))
    };
    let names: Vec<String> = NESTED.iter().filter(has).map(|name| quoted(name)).collect();
    if names.is_empty() {
        return String::new();
    }
    format!(
        "
// Rules of folders further down: `promptc agent rules PATH … --session ID` gives each one to a session
// when its agent first uses a file there.
directory-rules {{
    file {}
    template \"[{{{{ (documents | first).path }}}}]\\n{{{{ content }}}}\"
}}
",
        names.join(" ")
    )
}

/// The name of a file, in which a brace is no fact.
fn quoted(path: &str) -> String {
    write::one_line(&path.replace('{', "{{").replace('}', "}}"))
}
