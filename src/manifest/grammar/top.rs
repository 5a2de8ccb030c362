//! The top level: roots, facts, lets, rule sets, tiers and their layers, sessions, directory rules, scenarios.

use super::content::{BASES, GROUPS, IN_DIRECTORY_RULES, IN_LAYER, LEAVES, OF_REMINDER};
use super::row::{Argument, Overlay, Property, Row, Times, Type};
use super::steps::{CEILING, CLASSES, IN_TIER, LOCK, NAMED, ORDERS, TRANSFORMS};
use super::steps::{UNITS, UNSET, WAIVE};

/// The name and value of a scenario's line.
const GIVEN: Argument = Argument::new("name", Type::Text("NAME"));
const VALUES: &[Argument] = &[Argument::new("values", Type::Any).times(Times::Many)];

pub(crate) static PROMPTC: Row = Row {
    name: "promptc",
    arguments: &[Argument::new("version", Type::Whole(1, 1))],
    about: "the version of the language; the first node",
    example: "promptc 1",
    overlay: Overlay::Directs,
    ..Row::EMPTY
};
static NAME: Row = Row {
    name: "name",
    arguments: &[Argument::new("name", Type::Text("NAME"))],
    about: "the name of the prompt in its [map](glossary.md)",
    example: "name helper",
    ..Row::EMPTY
};
static EXTENDS: Row = Row {
    name: "extends",
    arguments: &[Argument::new("base", Type::Text("MANIFEST"))],
    about: "the base, a manifest that this one changes: [Overlays](overlays.md). A path is relative to the file that contains it; `builtin:NAME@N` is a manifest inside promptc. Up to 16 bases may build on each other",
    example: "extends \"builtin:minimal@1\"",
    overlay: Overlay::Directs,
    ..Row::EMPTY
};
static INCLUDE: Row = Row {
    name: "include",
    arguments: &[Argument::new("file name", Type::Text("FILE")).times(Times::Many)],
    about: "inserts the nodes of other files here, in this order. FILE may be a pattern: its files come in byte order of their paths. The same file twice is an error",
    example: "include \"layers/*.kdl\"",
    overlay: Overlay::Directs,
    ..Row::EMPTY
};
static JOIN: Row = Row {
    name: "join",
    arguments: &[Argument::new("text", Type::Text("TEXT"))],
    about: "the text between tiers, and between the layers of a tier without its own `join`; a blank line (`\"\\n\\n\"`) by default",
    example: "join \"\\n\"",
    ..Row::EMPTY
};

static DEFAULT_OF_ROOT: Row = Row {
    name: "default",
    id: "root.default",
    arguments: &[Argument::new("names", Type::Text("DIR")).times(Times::Many)],
    about: "the folders of a root that is `many`",
    example: "default \"a\" \"b\"",
    ..Row::EMPTY
};
static HOLDING: Row = Row {
    name: "holding",
    arguments: &[Argument::new("names", Type::Text("NAME")).times(Times::Many)],
    about: "the same as `holding=`, for several names",
    example: "holding \"a\" \"b\"",
    ..Row::EMPTY
};
static ROOT: Row = Row {
    name: "root",
    arguments: NAMED,
    properties: &[&[
        Property::new(
            "default",
            Type::Text("DIR"),
            "the folder, relative to the manifest's folder; `~` is the user's home, in this property only",
        ),
        Property::new(
            "env",
            Type::Text("VARIABLE"),
            "an environment variable with the folder; it wins over `default`. A relative path counts from the current directory; in a scenario, from the manifest",
        ),
        Property::new(
            "in",
            Type::Of("root"),
            "`default` is relative to that root. The `as=` of that root is not inherited",
        ),
        Property::new(
            "above",
            Type::Of("root"),
            "the nearest folder, at or above that root, that contains the name in `holding`; that root itself if there is none",
        ),
        Property::new(
            "holding",
            Type::Text("NAME"),
            "with `above`: the name that the folder contains; several names are a child `holding \"A\" \"B\"`",
        ),
        Property::new(
            "many",
            Type::Bool,
            "an ordered list of folders; several defaults are a child `default \"A\" \"B\"`",
        ),
        Property::new(
            "as",
            Type::Text("PREFIX"),
            "templates show `PREFIX/FILE` as the [`location`](#documents) of its files",
        )
        .or_fact(),
        Property::new(
            "links",
            Type::Word(&["follow"]),
            "links may lead out of the root",
        ),
        Property::new(
            "missing",
            Type::Word(&["skip", "error"]),
            "the default of `missing=` for its sources",
        ),
        Property::new(
            "changes",
            CLASSES,
            "how often its files change: [Tiers and layers](#tiers-and-layers)",
        ),
        LOCK,
    ]],
    children: &[&[&DEFAULT_OF_ROOT, &HOLDING, &WAIVE, &UNSET]],
    about: "a folder that may be read: [Roots](#roots)",
    example: "root workspace default=\".\"",
    overlay: Overlay::Refines,
    ..Row::EMPTY
};

/// A key of a map with its value, whatever it is called.
pub(crate) static ENTRY: Row = Row {
    name: "*",
    id: "map-entry",
    arguments: &[Argument::new("value", Type::Any).times(Times::Any)],
    children: &[&[&ENTRY]],
    about: "a key of a map and its value; several values are a list, braces are a map",
    example: "key value",
    ..Row::EMPTY
};
static DEFAULT_OF_FACT: Row = Row {
    name: "default",
    id: "fact.default",
    arguments: &[Argument::new("value", Type::Any).times(Times::Any)],
    children: &[&[&ENTRY]],
    about: "like `default=`, also for lists and maps: `{ default a b }` is a list, `{ default }` the empty list, `{ default { key value } }` a map",
    example: "default a b",
    ..Row::EMPTY
};
/// The properties that say where a fact's value comes from; one of them takes the place of the others.
pub(crate) const SOURCES: &[&str] = &["env", "env-set", "clock"];
static ONE_OF: Row = Row {
    name: "one-of",
    arguments: VALUES,
    about: "the allowed values; not for a `list` or `map`",
    example: "one-of a b",
    ..Row::EMPTY
};
static FACT: Row = Row {
    name: "fact",
    arguments: &[
        Argument::new("name", Type::Variable),
        Argument::new(
            "type",
            Type::Word(&[
                "string", "int", "float", "bool", "date", "datetime", "list", "map",
            ]),
        )
        .times(Times::AtMostOne),
    ],
    properties: &[&[
        Property::new("default", Type::Any, "the value if nothing else gives one"),
        Property::new(
            "optional",
            Type::Bool,
            "it may be missing; without this a missing value is an error",
        ),
        Property::new(
            "private",
            Type::Bool,
            "its value is not shown in the map or in messages, and cannot stand as [`(fact)NAME`](#a-fact-in-place-of-a-literal) or in the name of a file. A template that prints it puts it into the prompt. A value that is written in the manifest (a default, or a scenario's value) is not kept private: messages show excerpts of the manifest, and [sessions](sessions.md#private-facts) store it",
        ),
        Property::new(
            "env",
            Type::Text("VARIABLE"),
            "the environment variable with its value",
        )
        .instead_of(SOURCES),
        Property::new(
            "env-set",
            Type::Text("VARIABLE"),
            "for a `bool`: whether this environment variable is set; its value is not read",
        )
        .instead_of(SOURCES),
        Property::new(
            "clock",
            Type::Text("ZONE"),
            "for a `date` or `datetime`: the current time in that zone, `utc` or `\"Area/City\"`",
        )
        .instead_of(SOURCES),
        Property::new("changes", CLASSES, "how often it changes").or("session"),
        LOCK,
    ]],
    children: &[&[&DEFAULT_OF_FACT, &ONE_OF, &WAIVE, &UNSET]],
    about: "a typed value from the caller, the environment or the clock: [Facts](#facts)",
    example: "fact who string optional=#true",
    overlay: Overlay::Refines,
    ..Row::EMPTY
};
static LET: Row = Row {
    name: "let",
    arguments: &[
        Argument::new("name", Type::Variable),
        Argument::new("expression", Type::Expression),
    ],
    about: "a named expression: [Lets and expressions](#lets-and-expressions)",
    example: "let greets \"'a' == 'a'\"",
    overlay: Overlay::ReplacesNamed,
    ..Row::EMPTY
};

static SCOPES: Row = Row {
    name: "scopes",
    arguments: &[Argument::new("names", Type::Name).times(Times::Many)],
    about: "the scopes, in order; each includes those before it. Without this node there is one, `all`",
    example: "scopes all strict",
    ..Row::EMPTY
};
static INVISIBLE: Row = Row {
    name: "invisible-unicode",
    arguments: &[Argument::new("#false", Type::Bool).times(Times::AtMostOne)],
    properties: &[&[
        Property::new(
            "chars",
            Type::Text("CHARS"),
            "the characters: single ones and ranges, `\"\\u{200b}-\\u{200f}\"`",
        ),
        Property::new(
            "id",
            Type::Text("ID"),
            "the id of a finding; `{hex}` stands for the number of the character",
        ),
    ]],
    about: "reports characters that a model reads and people do not see, see below; `#false` switches this off in a set that extends another",
    example: "invisible-unicode",
    ..Row::EMPTY
};
static UNLESS: Row = Row {
    name: "unless",
    arguments: &[Argument::new("pattern", Type::Regex)],
    about: "the default of `unless=` for the rules of the set",
    example: "unless \"not $\"",
    ..Row::EMPTY
};
static RULE: Row = Row {
    name: "rule",
    arguments: &[
        Argument::new("id", Type::Name),
        Argument::new("pattern", Type::Regex),
    ],
    properties: &[&[
        Property::new(
            "scope",
            Type::Text("SCOPE"),
            "its scope; by default the first one",
        ),
        Property::new(
            "words",
            Type::Text("WORDS"),
            "words, with `|` between them, of which every match has one: a text without them is not searched, which saves time. Their case does not count",
        ),
        Property::new(
            "unless",
            Type::Regex,
            "a match does not count if this matches the text before it on its line (120 characters at most); the next match is tried. At most 10,000 matches are excused in one text. `unless=\"\"` excuses nothing",
        ),
        Property::new(
            "private",
            Type::Bool,
            "`promptc scan` hides its matches in every output",
        )
        .or("#false"),
        Property::new(
            "about",
            Type::Text("ABOUT"),
            "what it finds, in words, for `promptc scan`",
        ),
    ]],
    about: "a regular expression of the Rust crate [`regex`](https://docs.rs/regex/latest/regex/#syntax); a match anywhere is a finding. `(?i)` ignores case; there is no look-around",
    example: "rule override \"(?i)ignore\" scope=all",
    overlay: Overlay::ReplacesNamed,
    ..Row::EMPTY
};
static SCAN: Row = Row {
    name: "scan",
    arguments: NAMED,
    properties: &[&[
        Property::new("extends", Type::Of("scan"), "takes the scopes, rules and settings of that set; a rule with the same id replaces the other, new rules come last"),
        Property::new("normalize", Type::Word(&["nfkc", "none"]), "`nfkc` matches against a copy in the Unicode form NFKC, in which full-width and other variants of letters are plain").or("none"),
        Property::new("window", Type::Whole(1, 64 << 20), "scans only the first N characters; by default all"),
    ]],
    children: &[&[&SCOPES, &INVISIBLE, &UNLESS, &RULE, &WAIVE, &UNSET]],
    about: "a set of rules for suspicious text: [Scans](#scans)",
    example: "scan untrusted { rule override \"(?i)ignore\" }",
    overlay: Overlay::Refines,
    ..Row::EMPTY
};

/// The nodes of a layer.
pub(super) const OF_LAYER: &[Property] = &[
    Property::new("when", Type::Expression, "the layer is present only if this is true"),
    Property::new("required", Type::Bool, "the build fails if the layer yields nothing, unless its `when` is false"),
    Property::new("priority", Type::Size, "in a tier that is too large, the layer with the lowest number shrinks first: [Budgets of tiers and prompt](#budgets-of-tiers-and-prompt)").or_fact().or("50"),
    Property::new("min", Type::Size, "in a tier that is too large, the layer is first cut to this size, marker included, and dropped only if that is not enough. If the marker alone is larger than N, the layer is dropped at once").or_fact(),
    LOCK,
];
pub(crate) static LAYER: Row = Row {
    name: "layer",
    arguments: NAMED,
    properties: &[OF_LAYER],
    children: &[&LEAVES, &GROUPS, &BASES, IN_LAYER, TRANSFORMS],
    about: "a named part of the tier: one content node, a template, or both",
    example: "layer rules when=\"true\" { file \"AGENTS.md\" }",
    overlay: Overlay::IsNew,
    ..Row::EMPTY
};
/// The properties of a tier.
pub(super) const OF_TIER: &[Property] = &[
    Property::new(
        "changes",
        CLASSES,
        "how often its text may change. By default the highest volatility (see below) among its layers and all layers before them; what earlier tiers declare does not count",
    ),
    Property::new(
        "deliver",
        Type::Word(&["tools", "system", "user"]),
        "the channel: tool definitions, system prompt or the user's message",
    )
    .or("system"),
    Property::new(
        "join",
        Type::Text("TEXT"),
        "the text between its layers; by default the manifest's `join`",
    ),
    Property::new(
        "reserve",
        Type::Size,
        "how much of the prompt's budget earlier tiers must leave for this one",
    )
    .or_fact(),
    LOCK,
];
/// The nodes of a tier.
pub(super) const TIER_CHILDREN: &[&Row] = &[&LAYER, &CEILING];
static TIER: Row = Row {
    name: "tier",
    arguments: NAMED,
    properties: &[OF_TIER],
    children: &[TIER_CHILDREN, IN_TIER, &[&WAIVE]],
    about: "layers that change equally often: [Tiers and layers](#tiers-and-layers)",
    example: "tier stable changes=session { layer a { text \"x\" } }",
    overlay: Overlay::IsNew,
    ..Row::EMPTY
};

pub(crate) static DIRECTORY_RULES: Row = Row {
    name: "directory-rules",
    arguments: &[Argument::new("#false", Type::Bool).times(Times::AtMostOne)],
    properties: &[&[
        Property::new(
            "root",
            Type::Of("root"),
            "the root whose subfolders have directory rules; it cannot be `many`. Its own folder has no directory rules: put the rules of that folder into the prompt",
        )
        .or("workspace"),
        Property::new(
            "levels",
            Type::Whole(1, 1_000),
            "how many folders of a path count, from the file's folder up (at most 1,000; by default all)",
        ),
        Property::new("order", ORDERS, "the order of the folders of one path").or("outer-first"),
        Property::new(
            "join",
            Type::Text("TEXT"),
            "the text between two folders, and between the members of an `all` without its own `join`; by default the prompt's `join`",
        ),
        Property::new(
            "when",
            Type::Expression,
            "whether there are directory rules at all; `exists()` looks at the top of a root",
        ),
    ]],
    children: &[&LEAVES, &GROUPS, &BASES, IN_DIRECTORY_RULES, TRANSFORMS],
    about: "the rules that a session gets when its agent touches a folder: [DirectoryRulesReader](#directory-rules)",
    example: "directory-rules levels=5 { file \"AGENTS.md\" }",
    ..Row::EMPTY
};

static IDENTITY: Row = Row {
    name: "identity",
    arguments: &[Argument::new("facts", Type::Of("fact")).times(Times::Many)],
    about: "the facts that [identify a session](sessions.md#who-a-session-is); `user.id` is the value of the key `id` in the map `user`. A call whose values differ from those of the session is the error `session-mismatch`. Private facts are allowed; a let, a fact with `changes=turn` and a fact of `refresh` are not",
    example: "identity who",
    ..Row::EMPTY
};
static REFRESH: Row = Row {
    name: "refresh",
    properties: &[&[
        Property::new(
            "event",
            Type::Name,
            "an app reports an event of this name; you choose the names",
        ),
        Property::new(
            "idle",
            Type::Duration,
            "the session was not used for this long, so that the prompt cache has expired. Units `d`, `h`, `m`, `s`, the largest first, from `1s` to `365d`: `\"90s\"`, `\"1h30m\"`",
        ),
        Property::new(
            "fact",
            Type::Of("fact"),
            "this fact has another value. Not a let, a `private` fact or a fact with `changes=turn`",
        ),
    ]],
    about: "an occasion to build the prompt again",
    example: "refresh event=compaction",
    ..Row::EMPTY
};
static REMINDER: Row = Row {
    name: "reminder",
    children: &[OF_REMINDER],
    about: "the text that reports what has changed since: [Reminders](#reminders)",
    example: "reminder { budget 4000 }",
    ..Row::EMPTY
};
static SESSION: Row = Row {
    name: "session",
    children: &[&[&IDENTITY, &REFRESH, &REMINDER, &WAIVE, &UNSET]],
    about: "when a frozen prompt is rebuilt: [Sessions](#sessions)",
    example: "session { refresh event=compaction }",
    overlay: Overlay::Refines,
    ..Row::EMPTY
};

static SET: Row = Row {
    name: "set",
    arguments: &[
        Argument::new("name", Type::Of("fact")),
        Argument::new("value", Type::Any).times(Times::Any),
    ],
    children: &[&[&ENTRY]],
    about: "the value of a fact. The items of a list are arguments (none: the empty list), the entries of a map are in braces",
    example: "set who Ada",
    ..Row::EMPTY
};
static ROOT_OF_SCENARIO: Row = Row {
    name: "root",
    id: "scenario.root",
    arguments: &[
        Argument::new("name", Type::Of("root")),
        Argument::new("folder", Type::Text("DIR")).times(Times::Many),
    ],
    about: "the folder of a root, relative to the manifest; several for a root that is `many`",
    example: "root workspace \"tests/demo\"",
    ..Row::EMPTY
};
static ENV: Row = Row {
    name: "env",
    arguments: &[GIVEN, Argument::new("value", Type::Text("VALUE"))],
    about: "the value of an environment variable",
    example: "env HOME \"/home/ada\"",
    ..Row::EMPTY
};
static SCENARIO: Row = Row {
    name: "scenario",
    arguments: NAMED,
    properties: &[&[Property::new(
        "snapshot",
        Type::Bool,
        "whether its [snapshot](snapshots.md) keeps the text",
    )
    .or("#true")]],
    children: &[&[&SET, &ROOT_OF_SCENARIO, &ENV]],
    about: "named facts and roots, for tests: [Scenarios](#scenarios)",
    example: "scenario demo { set who Ada }",
    overlay: Overlay::ReplacesNamed,
    ..Row::EMPTY
};

static MEMBERS: Row = Row {
    name: "members",
    arguments: &[Argument::new("scenarios", Type::Of("scenario")).times(Times::Many)],
    about: "two or more scenarios, each once; the others are compared with the first",
    example: "members demo other",
    ..Row::EMPTY
};
static THROUGH: Row = Row {
    name: "through",
    arguments: &[Argument::new("tier or layer", Type::Of("tier-or-layer"))],
    about: "the common prefix reaches the end of this tier or layer in every member. If a tier and a layer have this name, the tier counts. Not a tier with `deliver=user`: it comes after the prefix",
    example: "through t",
    ..Row::EMPTY
};
static AT_LEAST: Row = Row {
    name: "at-least",
    arguments: &[
        Argument::new("minimum", Type::Size),
        Argument::new("unit", Type::Word(UNITS)),
    ],
    properties: &[&[Property::new(
        "tokenizer",
        Type::Text("TOKENIZER"),
        "for `tokens`: [the tokenizer](tokens.md); by default that of the prompt's budget, else `o200k`",
    )]],
    about: "the minimum size of the common prefix, tools and system prompt together; the unit is required",
    example: "at-least 4000 tokens",
    ..Row::EMPTY
};
static EXPECT: Row = Row {
    name: "expect",
    arguments: NAMED,
    children: &[&[&MEMBERS, &THROUGH, &AT_LEAST, &WAIVE]],
    about: "scenarios that must share a prefix: [Prefix families](#prefix-families)",
    example: "expect app { members demo other; through t }",
    overlay: Overlay::IsOwn,
    ..Row::EMPTY
};

/// The nodes of the top level, save the first and those of overlays.
pub(crate) const NODES: &[&Row] = &[
    &NAME,
    &EXTENDS,
    &INCLUDE,
    &JOIN,
    &CEILING,
    &ROOT,
    &FACT,
    &LET,
    &SCAN,
    &TIER,
    &DIRECTORY_RULES,
    &SESSION,
    &SCENARIO,
    &EXPECT,
    &WAIVE,
];

/// The row of a node of the top level.
pub(crate) fn top(name: &str) -> Option<&'static Row> {
    NODES.iter().copied().find(|row| row.name == name)
}
