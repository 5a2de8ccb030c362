//! The recipes of `examples/recipes`, with which a manifest can be begun.

use super::builtin::Embedded;

/// The context files of a known agent, read by its rules.
#[derive(Debug)]
pub struct Recipe {
    /// Its name, and that of its folder.
    pub name: &'static str,
    /// Its description, in one line.
    pub about: &'static str,
    /// Its manifest, with the scenarios that try it out over the files next to it.
    pub manifest: &'static str,
    /// The templates next to it.
    pub templates: &'static [Embedded],
}

impl Recipe {
    /// The manifest without scenarios: their files are not where it is written to.
    #[must_use]
    pub fn without_scenarios(&self) -> &'static str {
        let Some(at) = self.manifest.find(SCENARIO) else {
            return self.manifest;
        };
        // A blank line comes before it; the line end of the last node stays.
        let before = self.manifest[..at].trim_end_matches('\n').len();
        &self.manifest[..before + 1]
    }
}

/// The beginning of the first scenario. Scenarios come last.
const SCENARIO: &str = "\nscenario ";

macro_rules! recipes {
    ($($name:literal $about:literal [$($template:literal)*])*) => {
        &[$(Recipe {
            name: $name,
            about: $about,
            manifest: include_str!(concat!("../../examples/recipes/", $name, "/promptc.kdl")),
            templates: &[$(Embedded {
                name: $template,
                text: include_str!(concat!("../../examples/recipes/", $name, "/", $template)),
            }),*],
        }),*]
    };
}

/// All recipes, by name.
pub const RECIPES: &[Recipe] = recipes! {
    "claude-code" "Claude Code 2.1.278: CLAUDE.md from the top of the disk down, else AGENTS.md, rules, the user's own, memory, with imports" []
    "codex" "Codex: AGENTS.md from the repository's root down, the user's first, 32 KiB in all" []
    "gemini-cli" "Gemini CLI: GEMINI.md of the user, above and below the working folder, with imports" []
    "goose" "goose: .goosehints and AGENTS.md from the repository's root down, with imports" []
    "letta" "letta: two memory blocks with their sizes" ["memory.md.j2"]
    "opencode" "opencode: the first of AGENTS.md, CLAUDE.md and CONTEXT.md in the folders above, the user's, globs" []
};

/// The recipe called `name`.
#[must_use]
pub fn recipe(name: &str) -> Option<&'static Recipe> {
    RECIPES.iter().find(|recipe| recipe.name == name)
}
