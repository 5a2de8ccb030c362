//! The top level: roots, facts, lets, rule sets, tiers and their layers, sessions, hints, scenarios.

use super::content::{IN_HINT, IN_LAYER, LAYER_CONTENT, OF_REMINDER};
use super::row::{Argument, Overlay, Property, Row, Times, Type};
use super::steps::{CEILING, CLASSES, IN_TIER, LOCK, NAMED, ORDERS, TRANSFORMS};
use super::steps::{UNITS, UNSET, WAIVE};

/// The name and value of a scenario's line.
const GIVEN: Argument = Argument::new("name", Type::Text("NAME"));
const VALUES: &[Argument] = &[Argument::new("values", Type::Any).times(Times::Many)];

pub(crate) static PROMPTC: Row = Row {
    name: "promptc",
    arguments: &[Argument::new("version", Type::Whole(1, 1))],
    about: "the language; the first node",
    example: "promptc 1",
    overlay: Overlay::Directs,
    ..Row::EMPTY
};
static NAME: Row = Row {
    name: "name",
    arguments: &[Argument::new("name", Type::Text("NAME"))],
    about: "what the prompt is called in its map",
    example: "name helper",
    ..Row::EMPTY
};
static EXTENDS: Row = Row {
    name: "extends",
    arguments: &[Argument::new("base", Type::Text("MANIFEST"))],
    about: "the base, over which this manifest is laid: [Overlays](overlays.md). A path counts from the file that writes it; `builtin:NAME@N` is one that promptc carries. A base may have a base, up to 16",
    example: "extends \"builtin:minimal@1\"",
    overlay: Overlay::Directs,
    ..Row::EMPTY
};
static INCLUDE: Row = Row {
    name: "include",
    arguments: &[Argument::new("file name", Type::Text("FILE")).times(Times::Many)],
    about: "splices the nodes of other files at its place, in byte order of their paths; a file is included once",
    example: "include \"layers/*.kdl\"",
    overlay: Overlay::Directs,
    ..Row::EMPTY
};
static JOIN: Row = Row {
    name: "join",
    arguments: &[Argument::new("text", Type::Text("TEXT"))],
    about: "the text between tiers, and between the layers of a tier that sets none; a blank line (`\"\\n\\n\"`) if not written",
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
            "the folder, relative to the manifest's folder; `~` is the user's home, here and nowhere else",
        ),
        Property::new(
            "env",
            Type::Text("VARIABLE"),
            "an environment variable that holds the folder; goes before `default`. A relative path counts from the current directory, as that of `--root` does; in a scenario from the manifest",
        ),
        Property::new(
            "in",
            Type::Of("root"),
            "`default` counts from that root instead",
        ),
        Property::new(
            "above",
            Type::Of("root"),
            "derived: the nearest folder at or above that root that holds something of the name in `holding`, or that root itself if none does",
        ),
        Property::new(
            "holding",
            Type::Text("NAME"),
            "with `above`: what the folder holds. For several names: a child `holding \"A\" \"B\"`",
        ),
        Property::new(
            "many",
            Type::Bool,
            "an ordered list of folders; several defaults are written as a child `default \"A\" \"B\"`",
        ),
        Property::new(
            "as",
            Type::Text("PREFIX"),
            "how its paths are written in prompts, in the attribute `location`",
        )
        .or_fact(),
        Property::new("links", Type::Word(&["follow"]), "links may lead out of it"),
        Property::new(
            "missing",
            Type::Word(&["skip", "error"]),
            "the default for its sources: what a missing file means",
        ),
        Property::new(
            "changes",
            CLASSES,
            "how often its files change: [Tiers and layers](#tiers-and-layers)",
        ),
        LOCK,
    ]],
    children: &[&[&DEFAULT_OF_ROOT, &HOLDING, &WAIVE, &UNSET]],
    about: "a folder: [Roots](#roots)",
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
    about: "the same as `default=`, for lists and maps too. A list is a child with its items, `{ default a b }`; `{ default }` is the empty list. A map is `{ default { key value } }`",
    example: "default a b",
    ..Row::EMPTY
};
/// The properties that say where a fact's value comes from; one of them takes the place of the others.
pub(crate) const SOURCES: &[&str] = &["env", "env-set", "clock"];
static ONE_OF: Row = Row {
    name: "one-of",
    arguments: VALUES,
    about: "the values that are allowed. The whole value is compared, so it is for no `list` or `map`; the items of a list cannot be limited",
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
            "it may be missing; otherwise a fact without a value is an error",
        ),
        Property::new(
            "private",
            Type::Bool,
            "its value is kept out of the map and of messages, where the manifest is shown too (of one that is no KDL only words of the language), so it cannot be used as `(fact)NAME`. If a template prints it, it is in the prompt; a default and the values of a scenario are in the manifest, which [sessions](sessions.md#private-facts) keep",
        ),
        Property::new(
            "env",
            Type::Text("VARIABLE"),
            "its value is read from the environment",
        )
        .instead_of(SOURCES),
        Property::new(
            "env-set",
            Type::Text("VARIABLE"),
            "for a `bool`: whether the variable is set; its value is not read",
        )
        .instead_of(SOURCES),
        Property::new(
            "clock",
            Type::Text("ZONE"),
            "for a `date` or `datetime`: now, in that time zone: `utc` or `\"Area/City\"`",
        )
        .instead_of(SOURCES),
        Property::new("changes", CLASSES, "how often it changes").or("session"),
        LOCK,
    ]],
    children: &[&[&DEFAULT_OF_FACT, &ONE_OF, &WAIVE, &UNSET]],
    about: "a value that is given at run time: [Facts](#facts)",
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
    about: "its scopes, in order; each takes in those before it. Without it there is one, `all`",
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
            "which characters: single ones and ranges, `\"\\u{200b}-\\u{200f}\"`",
        ),
        Property::new(
            "id",
            Type::Text("ID"),
            "the id of a finding; `{hex}` is the number of the character",
        ),
    ]],
    about: "characters that are invisible and that a model reads, see below; `invisible-unicode #false` in a set that extends another looks for none",
    example: "invisible-unicode",
    ..Row::EMPTY
};
static UNLESS: Row = Row {
    name: "unless",
    arguments: &[Argument::new("pattern", Type::Regex)],
    about: "`unless=` for each rule that writes none of its own",
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
            "its scope; the first one if not written",
        ),
        Property::new(
            "unless",
            Type::Regex,
            "a match does not count if this is found before it on its line, of which 120 characters are looked at; the next match is. At most 10,000 matches are excused in one text. `unless=\"\"` excuses nothing",
        ),
        Property::new(
            "private",
            Type::Bool,
            "what it finds is shown in no output of `promptc scan`, wherever it is",
        )
        .or("#false"),
        Property::new(
            "about",
            Type::Text("ABOUT"),
            "what it finds, in words, for `promptc scan`",
        ),
    ]],
    about: "a regular expression as the Rust crate [`regex`](https://docs.rs/regex/latest/regex/#syntax) reads it, of which a match anywhere is a finding. Unicode counts, `(?i)` leaves case out of account, and there is no look-around: time is linear in the text",
    example: "rule override \"(?i)ignore\" scope=all",
    overlay: Overlay::ReplacesNamed,
    ..Row::EMPTY
};
static SCAN: Row = Row {
    name: "scan",
    arguments: NAMED,
    properties: &[&[
        Property::new("extends", Type::Of("scan"), "the set takes the scopes, rules and settings of that one; a rule of a known id takes its place, others come after"),
        Property::new("normalize", Type::Word(&["nfkc", "none"]), "the patterns are matched against a copy in the form NFKC, in which full-width and other variants of letters are plain").or("none"),
        Property::new("window", Type::Whole(1, 64 << 20), "only the first N characters are looked at; all if not written"),
    ]],
    children: &[&[&SCOPES, &INVISIBLE, &UNLESS, &RULE, &WAIVE, &UNSET]],
    about: "a rule set: [Scans](#scans)",
    example: "scan untrusted { rule override \"(?i)ignore\" }",
    overlay: Overlay::Refines,
    ..Row::EMPTY
};

/// The nodes of a layer.
pub(super) const OF_LAYER: &[Property] = &[
    Property::new("when", Type::Expression, "the layer is there only if this is true"),
    Property::new("required", Type::Bool, "if it yields nothing the build fails, unless its `when` is false"),
    Property::new("priority", Type::Size, "which layer of a tier that is too large is cut or dropped first: [Budgets of tiers and prompt](#budgets-of-tiers-and-prompt)").or_fact().or("50"),
    Property::new("min", Type::Size, "what it is cut to before it goes").or_fact(),
    LOCK,
];
pub(crate) static LAYER: Row = Row {
    name: "layer",
    arguments: NAMED,
    properties: &[OF_LAYER],
    children: &[&LAYER_CONTENT, IN_LAYER, TRANSFORMS],
    about: "a named piece of the tier; it holds one content node, or a template, or both",
    example: "layer rules when=\"true\" { file \"AGENTS.md\" }",
    overlay: Overlay::IsNew,
    ..Row::EMPTY
};
/// The properties of a tier.
pub(super) const OF_TIER: &[Property] = &[
    Property::new("changes", CLASSES, "how often its text may change"),
    Property::new(
        "deliver",
        Type::Word(&["tools", "system", "user"]),
        "where the text goes",
    )
    .or("system"),
    Property::new(
        "join",
        Type::Text("TEXT"),
        "the text between its layers; as the manifest's `join` if not written",
    ),
    Property::new(
        "reserve",
        Type::Size,
        "what is reserved for it of the prompt's budget while the tiers above are fitted",
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
    about: "a section of the prompt: [Tiers and layers](#tiers-and-layers)",
    example: "tier stable changes=session { layer a { text \"x\" } }",
    overlay: Overlay::IsNew,
    ..Row::EMPTY
};

pub(crate) static HINT: Row = Row {
    name: "hint",
    arguments: &[Argument::new("#false", Type::Bool).times(Times::AtMostOne)],
    properties: &[&[
        Property::new("root", Type::Of("root"), "folders inside this root are hinted at. Its own folder is none of them: what is read there is in the prompt. A root of one folder").or("workspace"),
        Property::new("levels", Type::Whole(1, 1_000), "how many folders a path leads to at most: its own and those above it. All of them if not written; at most 1,000"),
        Property::new("order", ORDERS, "the order of the folders of one path").or("outer-first"),
        Property::new("join", Type::Text("TEXT"), "between two folders, and between the members of an `all` that sets none; as the prompt's `join` if not written"),
        Property::new("when", Type::Expression, "whether the hint applies at all; `exists()` asks at the top of a root"),
    ]],
    children: &[&LAYER_CONTENT, IN_HINT, TRANSFORMS],
    about: "the text that a session gets about a folder that it touches: [Hints](#hints)",
    example: "hint levels=5 { file \"AGENTS.md\" }",
    ..Row::EMPTY
};

static IDENTITY: Row = Row {
    name: "identity",
    arguments: &[Argument::new("facts", Type::Of("fact")).times(Times::Many)],
    about: "these facts say [who a session is](sessions.md#who-a-session-is). A call with another value, or without one, is the error `session-mismatch`. Private facts may be among them. No let; no fact with `changes=turn`; none that is also a `refresh fact=`; each once",
    example: "identity who",
    ..Row::EMPTY
};
static REFRESH: Row = Row {
    name: "refresh",
    properties: &[&[
        Property::new(
            "event",
            Type::Name,
            "a gateway reports an event of that name; the names are yours",
        ),
        Property::new(
            "idle",
            Type::Duration,
            "the session was not asked for so long, as when the provider's cache of it has grown cold. Whole numbers with `d`, `h`, `m`, `s`, the largest first, from `1s` to `365d`: `\"90s\"`, `\"1h30m\"`",
        ),
        Property::new(
            "fact",
            Type::Of("fact"),
            "this fact has another value. No let; no `private` fact, since its value is not kept; no fact with `changes=turn`, which would rebuild at every call",
        ),
    ]],
    about: "an occasion to build the prompt again",
    example: "refresh event=compaction",
    ..Row::EMPTY
};
static REMINDER: Row = Row {
    name: "reminder",
    children: &[OF_REMINDER],
    about: "how a session learns what has changed since: [Reminders](#reminders)",
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
    about: "a fact. A list takes its items as arguments, none for the empty list; a map is written in braces",
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
    about: "a folder, relative to the manifest; several for a root that is `many`",
    example: "root workspace \"tests/demo\"",
    ..Row::EMPTY
};
static ENV: Row = Row {
    name: "env",
    arguments: &[GIVEN, Argument::new("value", Type::Text("VALUE"))],
    about: "an environment variable",
    example: "env HOME \"/home/ada\"",
    ..Row::EMPTY
};
static SCENARIO: Row = Row {
    name: "scenario",
    arguments: NAMED,
    properties: &[&[Property::new(
        "snapshot",
        Type::Bool,
        "whether its [record](records.md) keeps the text",
    )
    .or("#true")]],
    children: &[&[&SET, &ROOT_OF_SCENARIO, &ENV]],
    about: "facts and roots under a name: [Scenarios](#scenarios)",
    example: "scenario demo { set who Ada }",
    overlay: Overlay::IsOwn,
    ..Row::EMPTY
};

static MEMBERS: Row = Row {
    name: "members",
    arguments: &[Argument::new("scenarios", Type::Of("scenario")).times(Times::Many)],
    about: "the scenarios, two or more, each once. The first is what the others are compared with",
    example: "members demo other",
    ..Row::EMPTY
};
static THROUGH: Row = Row {
    name: "through",
    arguments: &[Argument::new("tier or layer", Type::Of("tier-or-layer"))],
    about: "the common prefix reaches the end of this tier or layer in each of them. If a tier and a layer have the name, the tier is meant. None that is delivered with the user's message, which comes after the prefix",
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
        "of `tokens`: `o200k` and `cl100k` are exact, others estimate ([tokens.md](tokens.md)); that of the prompt's budget if not written, else `o200k`",
    )]],
    about: "the common prefix has at least this size, tools and system text together. The unit must be written",
    example: "at-least 4000 tokens",
    ..Row::EMPTY
};
static EXPECT: Row = Row {
    name: "expect",
    arguments: NAMED,
    children: &[&[&MEMBERS, &THROUGH, &AT_LEAST, &WAIVE]],
    about: "scenarios that must share a prefix: [Prefix families](#prefix-families)",
    example: "expect gateway { members demo other; through t }",
    overlay: Overlay::IsOwn,
    ..Row::EMPTY
};

/// The nodes of the top level, save the first and those of overlays.
pub(crate) const NODES: &[&Row] = &[
    &NAME, &EXTENDS, &INCLUDE, &JOIN, &CEILING, &ROOT, &FACT, &LET, &SCAN, &TIER, &HINT, &SESSION,
    &SCENARIO, &EXPECT, &WAIVE,
];

/// The row of a node of the top level.
pub(crate) fn top(name: &str) -> Option<&'static Row> {
    NODES.iter().copied().find(|row| row.name == name)
}
