//! Content: sources and the groups around them.

use super::row::{Argument, Overlay, Property, Row, Times, Type};
use super::steps::{
    BUDGET, BUDGET_OF_LAYER, CLASSES, INLINE, ORDERS, TEMPLATE_FILE, TRANSFORMS, WAIVE,
};

/// The properties of every content node.
const SETTINGS: &[Property] = &[
    Property::new("when", Type::Expression, "if false, the node yields nothing"),
    Property::new("where", Type::Expression, "which documents count; it sees their [attributes](#documents). On a group it applies to all documents below, in addition to their own `where=`"),
    Property::new("missing", Type::Word(&["skip", "error"]), "a missing file, or a missing value of `fact`, yields nothing or is an error. By default as the root says; else a missing file yields nothing, with the warning [missing-source](checks/missing-source.md)"),
    Property::new("invalid", Type::Word(&["error", "missing"]), "a file that is not UTF-8 is an error, or yields nothing; later names of the same `file` are then not tried").or("error"),
    Property::new("label", Type::Text("LABEL"), "the name of its document. A `first` gives its label to the member that it takes; an `all` that a budget has cut is one document with this label").or_fact(),
    Property::new("about", Type::Text("ABOUT"), "the purpose of its document, for templates. On a group it applies to all documents below").or_fact(),
    Property::new("changes", CLASSES, "how often its files change; by default as the root says"),
];
/// The properties of a node that reads inside a root.
const PLACE: &[Property] = &[
    Property::new(
        "root",
        Type::Of("root"),
        "the root that it reads; by default that of the group, else `workspace`",
    ),
    Property::new(
        "search",
        Type::Word(&["up", "every-level"]),
        "[search upwards](#searching-upwards), with `from=`",
    ),
    Property::new(
        "from",
        Type::Of("root"),
        "the root in whose folder a search starts",
    ),
    Property::new(
        "order",
        ORDERS,
        "with `search=every-level`: the order of the levels",
    )
    .or("outer-first"),
];
const AROUND: &[&Row] = &[&BUDGET, &WAIVE];

static EXCLUDE: Row = Row {
    name: "exclude",
    arguments: &[Argument::new("folder name", Type::Text("NAME"))
        .or_fact()
        .times(Times::Many)],
    properties: &[&[Property::new(
        "beside",
        Type::Text("FILE"),
        "of `exclude`: only folders next to a regular file of this name",
    )]],
    about: "folders of these names are not entered; `*` and `?` are allowed, and so are several `exclude`",
    example: "exclude \"archive\"",
    ..Row::EMPTY
};
static ALLOW: Row = Row {
    name: "allow",
    arguments: &[Argument::new("name", Type::Text("NAME"))
        .or_fact()
        .times(Times::Many)],
    about: "only entries of these names are listed; `*` and `?` are allowed. If a fact gives an empty list of names, no entry is listed; if all facts of the `allow` are missing, every entry is",
    example: "allow \"deploy\"",
    ..Row::EMPTY
};
static DENY: Row = Row {
    name: "deny",
    arguments: &[Argument::new("name", Type::Text("NAME"))
        .or_fact()
        .times(Times::Many)],
    about: "entries of these names are not listed; `*` and `?` are allowed",
    example: "deny \"deploy\"",
    ..Row::EMPTY
};
static HIDE: Row = Row {
    name: "hide",
    arguments: INLINE,
    properties: &[TEMPLATE_FILE],
    about: "a template that runs for each document; if it prints anything, the document is left out",
    example: "hide \"{% if meta.draft %}a draft{% endif %}\"",
    ..Row::EMPTY
};
static SHADOW: Row = Row {
    name: "shadow",
    about: "for a root that is `many`: of entries with the same name, only those of the first folder count",
    example: "shadow",
    ..Row::EMPTY
};

static TEXT: Row = Row {
    name: "text",
    arguments: &[Argument::new("text", Type::Text("TEXT"))],
    properties: &[SETTINGS],
    children: &[TRANSFORMS, AROUND],
    about: "this text",
    example: "text \"You are a careful assistant.\"",
    overlay: Overlay::ReplacesContent,
    ..Row::EMPTY
};
static FACT: Row = Row {
    name: "fact",
    id: "fact-as-content",
    arguments: &[Argument::new("name", Type::Of("fact"))],
    properties: &[SETTINGS],
    children: &[TRANSFORMS, AROUND],
    about: "the value of a fact or let: a string, a number or a date",
    example: "fact who",
    overlay: Overlay::ReplacesContent,
    ..Row::EMPTY
};
static JSON: Row = Row {
    name: "json",
    arguments: &[Argument::new("file", Type::Text("FILE")).or_fact()],
    properties: &[SETTINGS, PLACE],
    children: &[TRANSFORMS, AROUND],
    about: "the file's JSON with sorted keys and without blanks, so that the order of keys does not matter",
    example: "json \"limits.json\"",
    overlay: Overlay::ReplacesContent,
    ..Row::EMPTY
};
static FILE: Row = Row {
    name: "file",
    arguments: &[Argument::new("file name", Type::Text("FILE"))
        .or_fact()
        .times(Times::Many)],
    properties: &[SETTINGS, PLACE],
    children: &[TRANSFORMS, AROUND],
    about: "the first of these names that exists as a regular file",
    example: "file \"AGENTS.md\" \"CLAUDE.md\"",
    overlay: Overlay::ReplacesContent,
    ..Row::EMPTY
};
static GLOB: Row = Row {
    name: "glob",
    arguments: &[Argument::new("pattern", Type::Text("PATTERN"))
        .or_fact()
        .times(Times::Many)],
    properties: &[SETTINGS, PLACE],
    children: &[&[&EXCLUDE, &HIDE], TRANSFORMS, AROUND],
    about: "all files that match, pattern by pattern, in byte order of the path; it may contain `exclude` and `hide`",
    example: "glob \"docs/**/*.md\"",
    overlay: Overlay::ReplacesContent,
    ..Row::EMPTY
};
static SKILLS: Row = Row {
    name: "skills",
    arguments: &[Argument::new("folder", Type::Text("FOLDER")).or_fact()],
    properties: &[
        &[Property::new("join", Type::Text("TEXT"), "the text between the entries").or("\\n")],
        SETTINGS,
        PLACE,
    ],
    children: &[
        &[&EXCLUDE, &ALLOW, &DENY, &HIDE, &SHADOW],
        TRANSFORMS,
        AROUND,
    ],
    about: "every `SKILL.md` below a folder, as the [entries](#skills) of an index",
    example: "skills \"skills\"",
    overlay: Overlay::ReplacesContent,
    ..Row::EMPTY
};
static MEMORY: Row = Row {
    name: "memory",
    arguments: &[Argument::new("file", Type::Text("FILE")).or_fact()],
    properties: &[
        &[
            Property::new(
                "delimiter",
                Type::Text("TEXT"),
                "the text between the entries",
            )
            .or("\\n§\\n"),
            Property::new(
                "capacity",
                Type::Size,
                "how many characters may be written to the file; it cuts nothing, and the template can print it",
            )
            .or_fact(),
        ],
        SETTINGS,
        PLACE,
    ],
    children: &[TRANSFORMS, AROUND],
    about: "the [entries](#memory) of a file",
    example: "memory \"MEMORY.md\" capacity=2200",
    overlay: Overlay::ReplacesContent,
    ..Row::EMPTY
};
static TEMPLATE: Row = Row {
    name: "template",
    id: "template-as-content",
    arguments: INLINE,
    properties: &[TEMPLATE_FILE, SETTINGS],
    children: &[TRANSFORMS, AROUND],
    about: "in a group or part: what the template prints; it sees facts and lets",
    example: "template \"Today is {{ today }}.\"",
    overlay: Overlay::ReplacesContent,
    ..Row::EMPTY
};
static FIRST: Row = Row {
    name: "first",
    properties: &[SETTINGS, PLACE],
    children: &[&LEAVES, &[&TEMPLATE], &GROUPS, TRANSFORMS, AROUND, &BASES],
    about: "the first member that yields text; the others are not read",
    example: "first { file \"AGENTS.md\"; text \"No rules.\" }",
    overlay: Overlay::ReplacesContent,
    ..Row::EMPTY
};
static ALL: Row = Row {
    name: "all",
    properties: &[
        &[Property::new(
            "join",
            Type::Text("TEXT"),
            "the text between the members; by default as between the layers of the tier",
        )],
        SETTINGS,
        PLACE,
    ],
    children: &[&LEAVES, &[&TEMPLATE], &GROUPS, TRANSFORMS, AROUND, &BASES],
    about: "every member that yields text",
    example: "all join=\"\\n\" { file \"AGENTS.md\"; file \"STYLE.md\" }",
    overlay: Overlay::ReplacesContent,
    ..Row::EMPTY
};
static BASE: Row = Row {
    name: "base",
    properties: &[SETTINGS, PLACE],
    children: &[TRANSFORMS, AROUND],
    about: "the content that `refine` changes: [base](overlays.md#base)",
    example: "base where=\"name != 'RULES.md'\"",
    of_overlays: true,
    overlay: Overlay::ReplacesContent,
    ..Row::EMPTY
};

/// `base` in a merged manifest, with its content in braces.
pub(crate) static STAND_IN: Row = Row {
    children: &[&LEAVES, &[&TEMPLATE], &GROUPS, &BASES, TRANSFORMS, AROUND],
    ..BASE
};

/// The content nodes without members. `template` is none of them: a layer has its own.
pub(super) static LEAVES: [&Row; 7] = [&TEXT, &FACT, &JSON, &FILE, &GLOB, &SKILLS, &MEMORY];
/// The content nodes with members.
pub(super) static GROUPS: [&Row; 2] = [&FIRST, &ALL];
pub(super) static BASES: [&Row; 1] = [&BASE];

static PART: Row = Row {
    name: "part",
    arguments: &[Argument::new("name", Type::Variable)],
    children: &[&LEAVES, &[&TEMPLATE], &GROUPS, &BASES],
    about: "a text that the template sees as a variable; it has one content node",
    example: "part notes { file \"NOTES.md\" }",
    overlay: Overlay::ReplacesNamed,
    ..Row::EMPTY
};
static LAYER_TEMPLATE: Row = Row {
    name: "template",
    arguments: INLINE,
    properties: &[TEMPLATE_FILE],
    about: "the template of its text: [Templates](#templates)",
    example: "template \"## Rules\\n\\n{{ content }}\"",
    ..Row::EMPTY
};

/// The nodes in a layer besides its content.
pub(super) const IN_LAYER: &[&Row] = &[&PART, &LAYER_TEMPLATE, &BUDGET_OF_LAYER, &WAIVE];
pub(super) const IN_DIRECTORY_RULES: &[&Row] = &[&PART, &LAYER_TEMPLATE, &BUDGET, &WAIVE];
pub(super) const OF_REMINDER: &[&Row] = &[&LAYER_TEMPLATE, &BUDGET];

/// The content node of that name. A part takes all of them.
pub(crate) fn content(name: &str) -> Option<&'static Row> {
    PART.child(name)
}
