//! The files that agents are known to read, in the order of a prompt.

use crate::prompt::Changes;

/// The purpose of a text. The order is that of the tiers: the most stable text comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Role {
    /// Definitions of tools. They have a channel of their own, which every provider puts first.
    Tools,
    /// The identity of the agent.
    Identity,
    /// The rules of a project.
    Rules,
    /// Reference material.
    Skills,
    /// The memory of the agent.
    Memory,
}

impl Role {
    /// All roles, in order.
    pub(super) const ALL: [Self; 5] = [
        Self::Tools,
        Self::Identity,
        Self::Rules,
        Self::Skills,
        Self::Memory,
    ];

    /// The name of its tier.
    pub(super) fn tier(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Identity => "identity",
            Self::Rules => "rules",
            Self::Skills => "skills",
            Self::Memory => "memory",
        }
    }

    /// How often such a text changes. An agent writes its memory while it works, and a day is what a build can promise
    /// of it; a conversation that shall not see that keeps its prompt in a session.
    pub(super) fn changes(self) -> Changes {
        match self {
            Self::Tools | Self::Identity => Changes::Deploy,
            Self::Rules | Self::Skills => Changes::Session,
            Self::Memory => Changes::Day,
        }
    }
}

/// How a file is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// As a whole.
    Plain,
    /// With what it imports by `@path`.
    Imports,
    /// Its entries, with a section sign between them.
    Entries,
    /// The skills in it: it is a folder.
    Skills,
    /// JSON.
    Tools,
}

/// A name that is looked for.
pub(super) struct KnownFile {
    /// Its path in the folder.
    pub(super) path: &'static str,
    /// Its use.
    pub(super) what: What,
}

/// The use of a file with a known name.
pub(super) enum What {
    /// It is a layer of this name.
    Layer(&'static str, Role, Form),
    /// It belongs to no prompt, for this reason.
    Left(&'static str),
}

const fn layer(path: &'static str, name: &'static str, role: Role, form: Form) -> KnownFile {
    KnownFile {
        path,
        what: What::Layer(name, role, form),
    }
}

const fn left(path: &'static str, reason: &'static str) -> KnownFile {
    KnownFile {
        path,
        what: What::Left(reason),
    }
}

const SERVERS: &str =
    "it names servers, not their tools. Save the servers' list of tools as tools.json";
const SCOPED: &str = "each of its files says when it applies; take one that always applies with `file`, or all with `glob`";
const ANOTHER: &str = "its files belong to prompts of their own";

/// All names, in order.
pub(super) const KNOWN: &[KnownFile] = &[
    layer("tools.json", "tools", Role::Tools, Form::Tools),
    layer("functions.json", "functions", Role::Tools, Form::Tools),
    layer("SOUL.md", "soul", Role::Identity, Form::Plain),
    layer("IDENTITY.md", "identity", Role::Identity, Form::Plain),
    layer("PERSONA.md", "persona", Role::Identity, Form::Plain),
    layer("AGENTS.md", "agents", Role::Rules, Form::Plain),
    layer("TOOLS.md", "tool-notes", Role::Rules, Form::Plain),
    layer(
        ".github/copilot-instructions.md",
        "copilot",
        Role::Rules,
        Form::Plain,
    ),
    layer(".cursorrules", "cursor", Role::Rules, Form::Plain),
    layer(".windsurfrules", "windsurf", Role::Rules, Form::Plain),
    layer(".clinerules", "cline", Role::Rules, Form::Plain),
    layer(".goosehints", "goose", Role::Rules, Form::Plain),
    layer("CLAUDE.md", "claude", Role::Rules, Form::Imports),
    layer(
        ".claude/CLAUDE.md",
        "claude-folder",
        Role::Rules,
        Form::Imports,
    ),
    layer("GEMINI.md", "gemini", Role::Rules, Form::Imports),
    layer("skills", "skills", Role::Skills, Form::Skills),
    layer(".agents/skills", "skills", Role::Skills, Form::Skills),
    layer(".claude/skills", "skills", Role::Skills, Form::Skills),
    layer("USER.md", "user", Role::Memory, Form::Plain),
    layer("memories/USER.md", "user", Role::Memory, Form::Plain),
    layer("MEMORY.md", "memory", Role::Memory, Form::Plain),
    layer("memory.md", "memory", Role::Memory, Form::Plain),
    layer("memories/MEMORY.md", "memory", Role::Memory, Form::Plain),
    layer("memory/MEMORY.md", "memory", Role::Memory, Form::Plain),
    left(".mcp.json", SERVERS),
    left(".cursor/mcp.json", SERVERS),
    left(".vscode/mcp.json", SERVERS),
    left(".cursor/rules", SCOPED),
    left(".claude/rules", SCOPED),
    left(".github/instructions", SCOPED),
    left(".claude/agents", ANOTHER),
    left(".claude/commands", ANOTHER),
    left(".github/prompts", ANOTHER),
    left(
        "CLAUDE.local.md",
        "it is one person's own, and not part of a shared prompt",
    ),
    left(
        "AGENTS.override.md",
        "it is one person's own, and not part of a shared prompt",
    ),
    left(
        "HEARTBEAT.md",
        "it is sent with a message from time to time, and not with each",
    ),
    left("BOOTSTRAP.md", "it is read once, when the agent is set up"),
];

/// The folder whose JSON files may be definitions of tools, one or more in each.
pub(super) const TOOLS: &str = "tools";

/// The names of which a folder further down may have one, the first that counts.
pub(super) const NESTED: [&str; 3] = ["AGENTS.md", "CLAUDE.md", "GEMINI.md"];
