//! The nodes that many braces allow: templates, transforms, budgets, waivers.

use super::row::{Argument, Overlay, Property, Row, Times, Type};

/// The volatilities of `changes=`, the most stable first.
pub(super) const CLASSES: Type = Type::Word(&["never", "deploy", "session", "day", "turn"]);
/// `order=`.
pub(super) const ORDERS: Type = Type::Word(&["outer-first", "inner-first"]);
pub(super) const UNITS: &[&str] = &["chars", "bytes", "lines", "tokens"];
const NAME: Argument = Argument::new("name", Type::Name);

/// The properties of a template: its text as an argument, or a file.
pub(super) const INLINE: &[Argument] =
    &[Argument::new("template", Type::Template).times(Times::AtMostOne)];
pub(super) const TEMPLATE_FILE: &[Property] = &[
    Property::new(
        "file",
        Type::Text("FILE"),
        "a file with the template, instead of its text",
    ),
    Property::new(
        "root",
        Type::Of("root"),
        "the root of that file, if it is not next to the manifest",
    ),
];

pub(super) static NEWLINES: Row = Row {
    name: "newlines",
    arguments: &[Argument::new("#true or #false", Type::Bool)],
    about: "whether CRLF and CR become LF; by default they do",
    example: "newlines #false",
    ..Row::EMPTY
};
pub(super) static BOM: Row = Row {
    name: "bom",
    arguments: &[Argument::new("#true, #false or `all`", Type::BoolOr("all"))],
    about: "whether a leading byte order mark is removed; by default one is, with `all` several are",
    example: "bom all",
    ..Row::EMPTY
};
pub(super) static TRIM: Row = Row {
    name: "trim",
    arguments: &[Argument::new("#true or #false", Type::Bool)],
    about: "whether white space at both ends is removed; by default it is",
    example: "trim #false",
    ..Row::EMPTY
};
pub(super) static FRONTMATTER: Row = Row {
    name: "frontmatter",
    arguments: &[
        Argument::new(
            "`strip`, `parse` or `read`",
            Type::Word(&["strip", "parse", "read"]),
        ),
        Argument::new("`lenient`", Type::Word(&["lenient"])).times(Times::AtMostOne),
    ],
    properties: &[&[
        Property::new("yaml", Type::Word(&["1.1", "1.2"]), "the version of YAML").or("1.2"),
        Property::new(
            "close",
            Type::Word(&["line", "alone", "dashes"]),
            "what ends the block, see below",
        )
        .or("line"),
    ]],
    about: "what happens to a block between `---` lines at the start: [Front matter](#front-matter)",
    example: "frontmatter parse lenient yaml=\"1.1\"",
    ..Row::EMPTY
};
pub(super) static COMMENTS: Row = Row {
    name: "comments",
    arguments: &[Argument::new("`strip`", Type::Word(&["strip"]))],
    about: "removes HTML comments",
    example: "comments strip",
    ..Row::EMPTY
};
pub(super) static WRAP: Row = Row {
    name: "wrap",
    arguments: INLINE,
    properties: &[TEMPLATE_FILE],
    about: "a template that runs over each document",
    example: "wrap \"## {{ name }}\\n\\n{{ text }}\"",
    ..Row::EMPTY
};
static WRAP_OF_IMPORTS: Row = Row {
    name: "wrap",
    id: "imports.wrap",
    arguments: INLINE,
    properties: &[TEMPLATE_FILE],
    about: "a template that runs over each imported document; it sees the document's attributes, and `label` is the path as written",
    example: "wrap \"<{{ label }}>{{ text }}\"",
    ..Row::EMPTY
};
pub(super) static IMPORTS: Row = Row {
    name: "imports",
    arguments: &[Argument::new("`at`", Type::Word(&["at"]))],
    properties: &[&[
        Property::new("depth", Type::Whole(1, 100), "how long a chain of imports may be, 1 to 100; with 1, only the imports of the document itself are made").or("5"),
        Property::new("limit", Type::Whole(1, 10_000), "how many files a document may import in all, 1 to 10,000; more is the error `too-many-imports`").or("64"),
        Property::new("missing", Type::Word(&["keep", "drop", "error"]), "an import that cannot be made stays as text, is removed (with its line, if it is alone there), or is the error `import-not-made`").or("keep"),
    ]],
    children: &[&[&WRAP_OF_IMPORTS]],
    about: "replaces an `@path` with the file that it names: [Imports](#imports)",
    example: "imports at depth=2",
    ..Row::EMPTY
};
static PLACEHOLDER: Row = Row {
    name: "placeholder",
    arguments: INLINE,
    properties: &[TEMPLATE_FILE],
    about: "like `placeholder=`, also from a file",
    example: "placeholder \"[{{ label }} left out]\"",
    ..Row::EMPTY
};
pub(super) static SCAN_USE: Row = Row {
    name: "scan",
    id: "scan-of-documents",
    arguments: &[Argument::new("rule set", Type::Of("scan"))],
    properties: &[&[
        Property::new(
            "scope",
            Type::Text("SCOPE"),
            "the last scope whose rules count; by default the last of the set",
        )
        .or_fact(),
        Property::new(
            "on-hit",
            Type::Word(&["replace", "drop", "warn", "error"]),
            "what happens to a text with a finding, see below",
        )
        .or("replace"),
        Property::new(
            "except",
            Type::Regex,
            "a text that matches this is not scanned; its names and metadata still are",
        )
        .or_fact(),
        Property::new(
            "placeholder",
            Type::Template,
            "the text that replaces the document. It sees the document's attributes and `findings`, a list of maps with `id`, `rule`, `line`, `column` and `in`",
        ),
    ]],
    children: &[&[&PLACEHOLDER]],
    about: "checks each document against a rule set: [Scans](#scans); `scan #false` switches off a scan of a node around",
    example: "scan untrusted on-hit=drop",
    ..Row::EMPTY
};

/// All transforms, in the order in which they are applied.
pub(super) const TRANSFORMS: &[&Row] = &[
    &NEWLINES,
    &BOM,
    &TRIM,
    &FRONTMATTER,
    &COMMENTS,
    &IMPORTS,
    &SCAN_USE,
    &WRAP,
];
/// The transforms that a tier may have too: those that switch a step off, and the scan.
pub(super) const IN_TIER: &[&Row] = &[&NEWLINES, &BOM, &TRIM, &SCAN_USE];

const TOKENIZER: Property = Property::new(
    "tokenizer",
    Type::Text("TOKENIZER"),
    "for `tokens`: [the tokenizer](tokens.md); by default that of the prompt's budget, else `o200k`",
);
static MARKER: Row = Row {
    name: "marker",
    arguments: INLINE,
    properties: &[TEMPLATE_FILE],
    about: "like `marker=`, also from a file",
    example: "marker \"[cut]\"",
    ..Row::EMPTY
};
const MAXIMUM: &[Argument] = &[
    Argument::new("maximum", Type::Size)
        .or_fact()
        .times(Times::AtMostOne),
    Argument::new(
        "unit",
        Type::Word(&["chars", "bytes", "lines", "tokens", "entries"]),
    )
    .times(Times::AtMostOne),
];
const OF_BUDGET: &[Property] = &[
    Property::new("each", Type::Size, "instead of `N`: the maximum of each document").or_fact(),
    Property::new("total", Type::Size, "instead of `N`: the maximum of all documents together; `each` and `total` may both be written").or_fact(),
    Property::new("floor", Type::Size, "with `total`: if less than this is left of the total, a document that must be cut is dropped instead").or_fact(),
    TOKENIZER,
    Property::new("head", Type::Fraction, "the fraction of the maximum to keep from the start; by default 1, or 0 if `tail` is written").or_fact(),
    Property::new("tail", Type::Fraction, "the fraction of the maximum to keep from the end; by default 0. The tail shrinks first if both do not fit").or_fact(),
    Property::new("at", Type::Word(&["char", "grapheme", "line", "paragraph", "entry"]), "where a cut may fall; `grapheme` is a character as people see it. Where not even the first line or paragraph fits, only the marker stays").or("grapheme"),
    Property::new("step", Type::Size, "a cut falls only at multiples of this, so that it does not move at every build: [Steps](budgets.md#steps)").or_fact(),
    Property::new("marker", Type::Template, "the text at the cut"),
    Property::new("marker-outside", Type::Bool, "the marker does not count against the maximum. Without this, a marker larger than the maximum drops the whole text: write `marker=\"\"` for small budgets").or("#false"),
];
pub(super) static BUDGET: Row = Row {
    name: "budget",
    arguments: MAXIMUM,
    properties: &[OF_BUDGET],
    children: &[&[&MARKER]],
    about: "the maximum size of a text or of its documents: [Budgets](#budgets). The default unit is `chars`; for `entries` see [Whole entries](budgets.md#whole-entries)",
    example: "budget 4000 head=0.7 tail=0.2",
    ..Row::EMPTY
};
pub(super) static BUDGET_OF_LAYER: Row = Row {
    name: "budget",
    id: "budget-of-layer",
    arguments: MAXIMUM,
    properties: &[OF_BUDGET, &[LOCK]],
    children: &[&[&MARKER]],
    about: "the maximum size of the layer's finished text",
    example: "budget 4000 locked=#true",
    ..Row::EMPTY
};
pub(super) static CEILING: Row = Row {
    name: "budget",
    id: "budget-of-tier",
    arguments: &[
        Argument::new("maximum", Type::Size).or_fact(),
        Argument::new("unit", Type::Word(UNITS)).times(Times::AtMostOne),
    ],
    properties: &[&[TOKENIZER, LOCK]],
    about: "at the top level, the maximum size of the system prompt; in a tier, of that tier: [Budgets of tiers and prompt](#budgets-of-tiers-and-prompt)",
    example: "budget 8000 tokens",
    ..Row::EMPTY
};
pub(super) static WAIVE: Row = Row {
    name: "waive",
    arguments: &[Argument::new("code", Type::Text("CODE"))],
    properties: &[&[Property::new(
        "because",
        Type::Text("REASON"),
        "the reason; required",
    )]],
    about: "accepts a finding of `promptc check`: [Waivers](#waivers)",
    example: "waive duplicate-document because=\"it is meant\"",
    overlay: Overlay::Adds,
    ..Row::EMPTY
};
pub(crate) static UNSET: Row = Row {
    name: "unset",
    arguments: &[Argument::new("slot", Type::Text("SLOT")).times(Times::Any)],
    properties: &[&[
        Property::new("part", Type::Of("part"), "the part of this name"),
        Property::new("rule", Type::Of("rule"), "the rule of this id"),
    ]],
    about: "empties slots of the base: [Slots](overlays.md#slots)",
    example: "unset budget",
    of_overlays: true,
    overlay: Overlay::Directs,
    ..Row::EMPTY
};

pub(super) const NAMED: &[Argument] = &[NAME];

/// The lock against overlays.
pub(crate) const LOCK: Property = Property::new(
    "locked",
    Type::Bool,
    "overlays may not change it: [Locks](overlays.md#locks)",
);
