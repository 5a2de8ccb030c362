//! The fixes for lost tokens, in words.

use super::ledger::Change;
use super::why::Why;

impl Change {
    /// The edit or the setting that makes the change; `is_layer` says whether it is a layer or a segment.
    #[must_use]
    pub fn advice(&self, is_layer: impl Fn(&str) -> bool) -> String {
        let text = match self {
            Self::Hour => "keep for an hour: `ttl: 1h` at the breakpoints",
            Self::FiveMinutes => "keep for five minutes: no `ttl` at the breakpoints",
            Self::PrefixHour => {
                "keep tools and system prompt for an hour, messages as they are: `ttl: 1h` at the breakpoints before them"
            }
            Self::StablePrefix => {
                "keep tools, settings and system prompt as they are; `promptc capture diff LOG` says what changed"
            }
            Self::AppendOnly => "only add messages, and leave those before as they are",
            Self::Breakpoint => "ask for a breakpoint at the end of each request",
            Self::Breakpoints => {
                "set breakpoints after the tools, the system prompt and the last message, as `promptc emit` does"
            }
            Self::ToolsInOrder => "send the tools in one order, such as that of their names",
            Self::ToEnd(of) if is_layer(of) => {
                return format!(
                    "move the layer `{of}` into the last tier of the system prompt, with a breakpoint before it as `promptc emit` sets it"
                );
            }
            Self::ToEnd(of) => {
                return format!(
                    "move what changes in `{of}` to the end of the system prompt, with a breakpoint before it where one is needed"
                );
            }
            Self::ToMessage(of) if is_layer(of) => {
                return format!(
                    "move the layer `{of}` into a tier with `changes=turn deliver=user`"
                );
            }
            Self::ToMessage(of) => {
                return format!("move what changes in `{of}` to the message of the user");
            }
            Self::Together(_) => "",
        };
        text.to_owned()
    }
}

impl Why {
    /// The fix for tokens that this cause lost; none if it loses no tokens.
    #[must_use]
    pub fn advice(self) -> Option<String> {
        let of = |change: Change| change.advice(|_| false);
        Some(match self {
            Self::Expired => format!(
                "send the next request before the time to live is over, or {}",
                of(Change::Hour)
            ),
            Self::NoBreakpoint => of(Change::Breakpoint),
            Self::Concurrent => "send one request first, and the others when its answer has begun; OpenAI's Responses API writes a prompt to the cache without an answer, with `prompt_cache_options.prewarm: true`".to_owned(),
            Self::Diverged => "move what differs behind what all conversations have in common".to_owned(),
            Self::Changed => of(Change::StablePrefix),
            Self::Rewritten => of(Change::AppendOnly),
            Self::BelowMinimum => "nothing, unless the stable text can grow: a prompt below the minimum of its model is not kept".to_owned(),
            Self::Evicted => "nothing in the request: the provider dropped it, or sent the request to another machine; a key for the cache helps where there is one".to_owned(),
            Self::Unknown => "record whole requests: `OTEL_LOG_RAW_API_BODIES=file:FOLDER` makes Claude Code keep them".to_owned(),
            Self::Reused | Self::New | Self::Cold | Self::Output => return None,
        })
    }
}
