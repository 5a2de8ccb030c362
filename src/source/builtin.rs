//! The built-in files: manifests, their texts, and templates.
//!
//! A change of a built-in's bytes is a new version; the old one stays.

/// A file inside the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Embedded {
    /// Its path inside its list, `/` between components; for a manifest `NAME@N`.
    pub name: &'static str,
    /// Its text.
    pub text: &'static str,
}

/// A manifest that `init` offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Preset {
    /// Its name, without the version.
    pub name: &'static str,
    /// The built-in manifest, `NAME@N`.
    pub manifest: &'static str,
    /// Its description, in a line.
    pub about: &'static str,
    /// The sentences it reads from the root `text`.
    pub texts: &'static [&'static str],
    /// The templates it names.
    pub templates: &'static [&'static str],
}

macro_rules! embedded {
    ($folder:literal $suffix:literal $($name:literal)*) => {
        &[$(Embedded {
            name: $name,
            text: include_str!(concat!("../../", $folder, "/", $name, $suffix)),
        }),*]
    };
}

/// Manifests, by `NAME@N`.
pub const MANIFESTS: &[Embedded] = embedded! { "layers" ".kdl"
    "hermes@1"
    "minimal@1"
    "mushroom@1"
    "mushroom-stable@1"
    "scan@1"
};

/// Sentences: the last place that the root `text` looks at.
pub const TEXTS: &[Embedded] = embedded! { "layers/text" ""
    "hermes/ALIBABA_IDENTITY.template.txt"
    "hermes/CODING_AGENT_GUIDANCE.txt"
    "hermes/COMPUTER_USE_GUIDANCE.darwin.txt"
    "hermes/COMPUTER_USE_GUIDANCE.linux.txt"
    "hermes/COMPUTER_USE_GUIDANCE.win32.txt"
    "hermes/CONTEXT_HEADER.txt"
    "hermes/DEFAULT_AGENT_IDENTITY.txt"
    "hermes/EDIT_FORMAT.patch.txt"
    "hermes/EDIT_FORMAT.replace.txt"
    "hermes/GOOGLE_MODEL_OPERATIONAL_GUIDANCE.txt"
    "hermes/HERMES_AGENT_HELP_GUIDANCE.txt"
    "hermes/KANBAN_GUIDANCE.txt"
    "hermes/MEMORY_BLOCK_HEADERS.memory.txt"
    "hermes/MEMORY_BLOCK_HEADERS.user.txt"
    "hermes/MEMORY_GUIDANCE.txt"
    "hermes/OPENAI_MODEL_EXECUTION_GUIDANCE.txt"
    "hermes/PARALLEL_TOOL_CALL_GUIDANCE.txt"
    "hermes/PLATFORM_HINTS.api_server.txt"
    "hermes/PLATFORM_HINTS.bluebubbles.txt"
    "hermes/PLATFORM_HINTS.cli.txt"
    "hermes/PLATFORM_HINTS.cron.txt"
    "hermes/PLATFORM_HINTS.desktop.txt"
    "hermes/PLATFORM_HINTS.discord.txt"
    "hermes/PLATFORM_HINTS.email.txt"
    "hermes/PLATFORM_HINTS.feishu.txt"
    "hermes/PLATFORM_HINTS.matrix.txt"
    "hermes/PLATFORM_HINTS.mattermost.txt"
    "hermes/PLATFORM_HINTS.qqbot.txt"
    "hermes/PLATFORM_HINTS.signal.txt"
    "hermes/PLATFORM_HINTS.slack.txt"
    "hermes/PLATFORM_HINTS.sms.txt"
    "hermes/PLATFORM_HINTS.telegram.txt"
    "hermes/PLATFORM_HINTS.tui.txt"
    "hermes/PLATFORM_HINTS.webui.txt"
    "hermes/PLATFORM_HINTS.wecom.txt"
    "hermes/PLATFORM_HINTS.weixin.txt"
    "hermes/PLATFORM_HINTS.whatsapp.txt"
    "hermes/PLATFORM_HINTS.whatsapp_cloud.txt"
    "hermes/PLATFORM_HINTS.yuanbao.txt"
    "hermes/PLUGIN_PLATFORM_HINTS.google_chat.txt"
    "hermes/PLUGIN_PLATFORM_HINTS.irc.txt"
    "hermes/PLUGIN_PLATFORM_HINTS.line.txt"
    "hermes/PLUGIN_PLATFORM_HINTS.ntfy.txt"
    "hermes/PLUGIN_PLATFORM_HINTS.photon.txt"
    "hermes/PLUGIN_PLATFORM_HINTS.raft.txt"
    "hermes/PLUGIN_PLATFORM_HINTS.simplex.txt"
    "hermes/PLUGIN_PLATFORM_HINTS.teams.txt"
    "hermes/PROFILE_DEFAULT.template.txt"
    "hermes/PROFILE_NAMED.template.txt"
    "hermes/REMOTE_BACKEND.daytona.noprobe.txt"
    "hermes/REMOTE_BACKEND.daytona.probe.template.txt"
    "hermes/REMOTE_BACKEND.docker.noprobe.txt"
    "hermes/REMOTE_BACKEND.docker.probe.template.txt"
    "hermes/REMOTE_BACKEND.managed_modal.noprobe.txt"
    "hermes/REMOTE_BACKEND.managed_modal.probe.template.txt"
    "hermes/REMOTE_BACKEND.modal.noprobe.txt"
    "hermes/REMOTE_BACKEND.modal.probe.template.txt"
    "hermes/REMOTE_BACKEND.singularity.noprobe.txt"
    "hermes/REMOTE_BACKEND.singularity.probe.template.txt"
    "hermes/REMOTE_BACKEND.ssh.noprobe.txt"
    "hermes/REMOTE_BACKEND.ssh.probe.template.txt"
    "hermes/SESSION_SEARCH_GUIDANCE.txt"
    "hermes/SKILLS_CLOSING.txt"
    "hermes/SKILLS_COMPACT_NOTE.txt"
    "hermes/SKILLS_GUIDANCE.txt"
    "hermes/SKILLS_PREAMBLE.txt"
    "hermes/STEER_CHANNEL_NOTE.txt"
    "hermes/TASK_COMPLETION_GUIDANCE.txt"
    "hermes/TELEGRAM_RICH_MESSAGES_HINT.txt"
    "hermes/TOOL_USE_ENFORCEMENT_GUIDANCE.txt"
    "hermes/WINDOWS_HOST_NOTE.txt"
    "hermes/WSL_ENVIRONMENT_HINT.txt"
    "hermes/_TUI_EMBEDDED_PANE_CLARIFIER.txt"
    "hermes/_WINDOWS_BASH_SHELL_HINT.txt"
    "mushroom/base.md"
    "mushroom/response-format.md"
};

/// Templates: the last place that `template file=` looks at.
pub const TEMPLATES: &[Embedded] = embedded! { "templates" ""
    "hermes/blocked-path.j2"
    "hermes/blocked.j2"
    "hermes/clock.md.j2"
    "hermes/cut-hint.j2"
    "hermes/cut-project.j2"
    "hermes/cut-soul.j2"
    "hermes/cut-workspace.j2"
    "hermes/cut.j2"
    "hermes/hint.md.j2"
    "hermes/host.md.j2"
    "hermes/memory-blocked.j2"
    "hermes/memory.md.j2"
    "hermes/platform.md.j2"
    "hermes/skill-hidden.j2"
    "hermes/skills-index.md.j2"
    "mushroom/heartbeat.md.j2"
    "mushroom/runtime-facts.md.j2"
    "mushroom/skills.md.j2"
    "mushroom/workspace.md.j2"
    "session/reminder.md.j2"
};

/// The list of `init --list`.
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "hermes",
        manifest: "hermes@1",
        about: "Hermes Agent: persona, guidance, skills, environment, platform, context files, memory, in its order",
        texts: &[
            "hermes/ALIBABA_IDENTITY.template.txt",
            "hermes/CODING_AGENT_GUIDANCE.txt",
            "hermes/COMPUTER_USE_GUIDANCE.darwin.txt",
            "hermes/COMPUTER_USE_GUIDANCE.linux.txt",
            "hermes/COMPUTER_USE_GUIDANCE.win32.txt",
            "hermes/CONTEXT_HEADER.txt",
            "hermes/DEFAULT_AGENT_IDENTITY.txt",
            "hermes/EDIT_FORMAT.patch.txt",
            "hermes/EDIT_FORMAT.replace.txt",
            "hermes/GOOGLE_MODEL_OPERATIONAL_GUIDANCE.txt",
            "hermes/HERMES_AGENT_HELP_GUIDANCE.txt",
            "hermes/KANBAN_GUIDANCE.txt",
            "hermes/MEMORY_BLOCK_HEADERS.memory.txt",
            "hermes/MEMORY_BLOCK_HEADERS.user.txt",
            "hermes/MEMORY_GUIDANCE.txt",
            "hermes/OPENAI_MODEL_EXECUTION_GUIDANCE.txt",
            "hermes/PARALLEL_TOOL_CALL_GUIDANCE.txt",
            "hermes/PLATFORM_HINTS.api_server.txt",
            "hermes/PLATFORM_HINTS.bluebubbles.txt",
            "hermes/PLATFORM_HINTS.cli.txt",
            "hermes/PLATFORM_HINTS.cron.txt",
            "hermes/PLATFORM_HINTS.desktop.txt",
            "hermes/PLATFORM_HINTS.discord.txt",
            "hermes/PLATFORM_HINTS.email.txt",
            "hermes/PLATFORM_HINTS.feishu.txt",
            "hermes/PLATFORM_HINTS.matrix.txt",
            "hermes/PLATFORM_HINTS.mattermost.txt",
            "hermes/PLATFORM_HINTS.qqbot.txt",
            "hermes/PLATFORM_HINTS.signal.txt",
            "hermes/PLATFORM_HINTS.slack.txt",
            "hermes/PLATFORM_HINTS.sms.txt",
            "hermes/PLATFORM_HINTS.telegram.txt",
            "hermes/PLATFORM_HINTS.tui.txt",
            "hermes/PLATFORM_HINTS.webui.txt",
            "hermes/PLATFORM_HINTS.wecom.txt",
            "hermes/PLATFORM_HINTS.weixin.txt",
            "hermes/PLATFORM_HINTS.whatsapp.txt",
            "hermes/PLATFORM_HINTS.whatsapp_cloud.txt",
            "hermes/PLATFORM_HINTS.yuanbao.txt",
            "hermes/PLUGIN_PLATFORM_HINTS.google_chat.txt",
            "hermes/PLUGIN_PLATFORM_HINTS.irc.txt",
            "hermes/PLUGIN_PLATFORM_HINTS.line.txt",
            "hermes/PLUGIN_PLATFORM_HINTS.ntfy.txt",
            "hermes/PLUGIN_PLATFORM_HINTS.photon.txt",
            "hermes/PLUGIN_PLATFORM_HINTS.raft.txt",
            "hermes/PLUGIN_PLATFORM_HINTS.simplex.txt",
            "hermes/PLUGIN_PLATFORM_HINTS.teams.txt",
            "hermes/PROFILE_DEFAULT.template.txt",
            "hermes/PROFILE_NAMED.template.txt",
            "hermes/REMOTE_BACKEND.daytona.noprobe.txt",
            "hermes/REMOTE_BACKEND.daytona.probe.template.txt",
            "hermes/REMOTE_BACKEND.docker.noprobe.txt",
            "hermes/REMOTE_BACKEND.docker.probe.template.txt",
            "hermes/REMOTE_BACKEND.managed_modal.noprobe.txt",
            "hermes/REMOTE_BACKEND.managed_modal.probe.template.txt",
            "hermes/REMOTE_BACKEND.modal.noprobe.txt",
            "hermes/REMOTE_BACKEND.modal.probe.template.txt",
            "hermes/REMOTE_BACKEND.singularity.noprobe.txt",
            "hermes/REMOTE_BACKEND.singularity.probe.template.txt",
            "hermes/REMOTE_BACKEND.ssh.noprobe.txt",
            "hermes/REMOTE_BACKEND.ssh.probe.template.txt",
            "hermes/SESSION_SEARCH_GUIDANCE.txt",
            "hermes/SKILLS_CLOSING.txt",
            "hermes/SKILLS_COMPACT_NOTE.txt",
            "hermes/SKILLS_GUIDANCE.txt",
            "hermes/SKILLS_PREAMBLE.txt",
            "hermes/STEER_CHANNEL_NOTE.txt",
            "hermes/TASK_COMPLETION_GUIDANCE.txt",
            "hermes/TELEGRAM_RICH_MESSAGES_HINT.txt",
            "hermes/TOOL_USE_ENFORCEMENT_GUIDANCE.txt",
            "hermes/WINDOWS_HOST_NOTE.txt",
            "hermes/WSL_ENVIRONMENT_HINT.txt",
            "hermes/_TUI_EMBEDDED_PANE_CLARIFIER.txt",
            "hermes/_WINDOWS_BASH_SHELL_HINT.txt",
        ],
        templates: &[
            "hermes/blocked-path.j2",
            "hermes/blocked.j2",
            "hermes/clock.md.j2",
            "hermes/cut-project.j2",
            "hermes/cut-soul.j2",
            "hermes/cut-workspace.j2",
            "hermes/cut.j2",
            "hermes/host.md.j2",
            "hermes/memory-blocked.j2",
            "hermes/memory.md.j2",
            "hermes/platform.md.j2",
            "hermes/skill-hidden.j2",
            "hermes/skills-index.md.j2",
        ],
    },
    Preset {
        name: "minimal",
        manifest: "minimal@1",
        about: "an identity, the project's AGENTS.md and the date",
        texts: &[],
        templates: &[],
    },
    Preset {
        name: "mushroom",
        manifest: "mushroom@1",
        about: "MushroomAgent: skeleton, runtime facts, workspace files, heartbeat, sub-agent task",
        texts: &["mushroom/base.md", "mushroom/response-format.md"],
        templates: &[
            "mushroom/heartbeat.md.j2",
            "mushroom/runtime-facts.md.j2",
            "mushroom/skills.md.j2",
            "mushroom/workspace.md.j2",
        ],
    },
    Preset {
        name: "mushroom-stable",
        manifest: "mushroom-stable@1",
        about: "an overlay of mushroom@1: the same layers, what changes least first, what a turn brings with its message",
        texts: &[],
        templates: &[],
    },
];

/// The manifest `NAME@N`.
#[must_use]
pub fn manifest(name: &str) -> Option<&'static str> {
    find(MANIFESTS, name)
}

/// The sentence at `path` in the root `text`.
#[must_use]
pub fn text(path: &str) -> Option<&'static str> {
    find(TEXTS, path)
}

/// The template called `name`.
#[must_use]
pub fn template(name: &str) -> Option<&'static str> {
    find(TEMPLATES, name)
}

/// The preset called `name`, with or without its version.
#[must_use]
pub fn preset(name: &str) -> Option<&'static Preset> {
    PRESETS
        .iter()
        .find(|p| p.name == name || p.manifest == name)
}

fn find(list: &'static [Embedded], name: &str) -> Option<&'static str> {
    list.iter().find(|e| e.name == name).map(|e| e.text)
}
