//! The definition of the memory tool for models.

use super::call::Action;
use crate::compile::MemoryTarget;
use crate::text::measure;
use serde_json::{Value, json};

/// The provider whose format a tool definition has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Provider {
    /// Function calling of OpenAI's chat completions, and of the many that took it over.
    OpenAi,
    /// OpenAI's responses.
    OpenAiResponses,
    /// Tools of Anthropic's messages.
    Anthropic,
}

const NAME: &str = "memory";

const DESCRIPTION: &str = "\
Keeps entries from one conversation to the next. Every later conversation starts with all of them in its prompt, so each costs \
room: write few, short ones that stay true.

Worth an entry: what the user wants, prefers or corrects, and lasting facts about the work and its surroundings, so that \
nobody has to say them twice. Not worth one: what is going on now, results, plans, anything that can be looked up.

Put all changes into one call with `operations`. They are done in order, all of them or none, and only the final size \
counts, so one call can make room and fill it. For a single change `action`, `content` and `old_text` do.

The answer says what became of the call. If it is refused, the answer says what to do about it. A new entry is not yet in the \
prompt of this conversation, and need not be written again.";

/// The definition of the tool for these memories, of which there is at least one.
#[must_use]
pub fn definition(targets: &[MemoryTarget], provider: Provider) -> Value {
    let parameters = parameters(targets);
    match provider {
        Provider::OpenAi => json!({
            "type": "function",
            "function": { "name": NAME, "description": DESCRIPTION, "parameters": parameters },
        }),
        Provider::OpenAiResponses => json!({
            "type": "function",
            "name": NAME,
            "description": DESCRIPTION,
            "parameters": parameters,
            "strict": false,
        }),
        Provider::Anthropic => json!({
            "name": NAME,
            "description": DESCRIPTION,
            "input_schema": parameters,
        }),
    }
}

/// The parameters of a call. No keyword joins schemas at the top, since not every provider takes one there; which
/// argument belongs to which action is said in words, and again to a call that lacks it.
fn parameters(targets: &[MemoryTarget]) -> Value {
    let names: Vec<&str> = targets.iter().map(|t| &*t.layer).collect();
    let required = if targets.len() > 1 {
        &["target"][..]
    } else {
        &[]
    };
    json!({
        "type": "object",
        "properties": {
            "target": {
                "type": "string",
                "enum": names,
                "description": described(targets),
            },
            "operations": {
                "type": "array",
                "description": "Changes that are made together.",
                "items": {
                    "type": "object",
                    "properties": {
                        "action": action("What to do."),
                        "content": text(CONTENT),
                        "old_text": text(OLD_TEXT),
                    },
                    "required": ["action"],
                },
            },
            "action": action("What to do, for a single change without `operations`."),
            "content": text(CONTENT),
            "old_text": text(OLD_TEXT),
        },
        "required": required,
    })
}

const CONTENT: &str = "The whole text of the new entry. Needed to add and to replace.";
const OLD_TEXT: &str =
    "A part of the entry that is meant, found in no other. Needed to replace and to remove.";

fn action(description: &str) -> Value {
    let words = Action::ALL.map(|(word, _)| word);
    json!({ "type": "string", "enum": words, "description": description })
}

fn text(description: &str) -> Value {
    json!({ "type": "string", "description": description })
}

/// "Which memory. memory: holds 2,200 characters. user: who the user is; holds 1,375 characters."
fn described(targets: &[MemoryTarget]) -> String {
    let mut out = "Which memory.".to_owned();
    for target in targets {
        let room = target.terms.capacity.map(|most| {
            let s = if most == 1 { "" } else { "s" };
            let most = measure::thousands(&most.to_string());
            format!("holds {most} character{s}")
        });
        let said: Vec<&str> = (target.about.as_deref().into_iter())
            .chain(room.as_deref())
            .collect();
        if !said.is_empty() {
            out.push_str(&format!(" {}: {}.", target.layer, said.join("; ")));
        }
    }
    out
}
