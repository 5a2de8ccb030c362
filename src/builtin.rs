//! What promptc carries inside: manifests, their sentences, and templates.
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
    /// What it is, in a line.
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
            text: include_str!(concat!("../", $folder, "/", $name, $suffix)),
        }),*]
    };
}

/// Manifests, by `NAME@N`.
pub const MANIFESTS: &[Embedded] = embedded! { "layers" ".kdl"
    "minimal@1"
    "mushroom@1"
    "mushroom-stable@1"
    "scan@1"
};

/// Sentences: the last place that the root `text` looks at.
pub const TEXTS: &[Embedded] = embedded! { "layers/text" ""
    "mushroom/base.md"
    "mushroom/response-format.md"
};

/// Templates: the last place that `template file=` looks at.
pub const TEMPLATES: &[Embedded] = embedded! { "templates" ""
    "mushroom/heartbeat.md.j2"
    "mushroom/runtime-facts.md.j2"
    "mushroom/skills.md.j2"
    "mushroom/workspace.md.j2"
};

/// What `init --list` shows.
pub const PRESETS: &[Preset] = &[
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
