//! The grammar of provider tables: a row for each node.

use crate::manifest::grammar::{Argument, Property, Row, Times, Type};

const TEXT: &[Argument] = &[Argument::new("text", Type::Text("TEXT"))];
const TEXTS: &[Argument] = &[Argument::new("texts", Type::Text("TEXT")).times(Times::Many)];
const MOST: usize = super::MOST_TOKENS;
const AS_OF: Property = Property::new("as-of", Type::Text("DAY"), "the day of its facts");

pub(super) static HEAD: Row = Row {
    name: "providers",
    arguments: &[Argument::new("version", Type::Whole(1, 1))],
    properties: &[&[
        Property::new("currency", Type::Word(&["USD"]), "of all prices"),
        AS_OF,
    ]],
    about: "The version of the table and the day of its facts",
    example: "providers 1 currency=USD as-of=\"2026-11-21\"",
    ..Row::EMPTY
};
static ORDER: Row = Row {
    name: "order",
    arguments: TEXTS,
    about: "The order in which the parts of a request count",
    ..Row::EMPTY
};
static MARKER: Row = Row {
    name: "marker",
    arguments: TEXT,
    about: "How a place is marked",
    ..Row::EMPTY
};
static ROUTING: Row = Row {
    name: "routing",
    arguments: TEXT,
    about: "What leads a request to where its prefix is kept",
    ..Row::EMPTY
};
static USAGE: Row = Row {
    name: "usage",
    properties: &[&[
        Property::new(
            "read",
            Type::Text("FIELD"),
            "the field with the tokens that were read",
        ),
        Property::new(
            "write",
            Type::Text("FIELD"),
            "the field with those that were written",
        ),
        Property::new(
            "miss",
            Type::Text("FIELD"),
            "the field with those that were neither",
        ),
        Property::new(
            "includes-cached",
            Type::Bool,
            "whether the tokens of the input hold those that were read",
        ),
    ]],
    about: "The fields of an answer that say what was kept",
    ..Row::EMPTY
};
static SCOPE: Row = Row {
    name: "scope",
    arguments: TEXT,
    about: "Who shares what is kept",
    ..Row::EMPTY
};
static DIAGNOSTICS: Row = Row {
    name: "diagnostics",
    arguments: TEXT,
    about: "How the provider says why nothing was reused",
    ..Row::EMPTY
};
static NOTE: Row = Row {
    name: "note",
    arguments: TEXT,
    about: "What else is worth knowing",
    ..Row::EMPTY
};
static SOURCE: Row = Row {
    name: "source",
    arguments: &[Argument::new("document", Type::Text("DOCUMENT"))],
    properties: &[&[
        AS_OF,
        Property::new(
            "confidence",
            Type::Word(&["high", "medium", "low"]),
            "how sure it is",
        ),
    ]],
    about: "Where it is from: required",
    ..Row::EMPTY
};
static MULTIPLIER: Row = Row {
    name: "multiplier",
    arguments: &[Argument::new("term and values", Type::Text("VALUE")).times(Times::Many)],
    properties: &[&[
        Property::new("factor", Type::Number, "all prices, as a multiple"),
        Property::new(
            "read",
            Type::Number,
            "the price of a token that is read, as a multiple of its own",
        ),
        Property::new(
            "write",
            Type::Word(&["read"]),
            "a token that is written costs what one that is read does",
        ),
    ]],
    about: "What changes the prices of a request that names it",
    ..Row::EMPTY
};
pub(super) static PROVIDER: Row = Row {
    name: "provider",
    arguments: &[Argument::new("name", Type::Text("NAME"))],
    properties: &[&[
        Property::new("match", Type::Text("RULE"), "the rule of what is reused"),
        Property::new("named", Type::Bool, "only as NAME/MODEL"),
        Property::new(
            "tokenizer",
            Type::Text("TOKENIZER"),
            "as in [tokens](tokens.md)",
        ),
        Property::new(
            "lookback-blocks",
            Type::Whole(1, MOST),
            "how many blocks back a mark looks",
        ),
        Property::new(
            "lookback-breakpoints",
            Type::Whole(1, MOST),
            "how many marks back a mark looks",
        ),
    ]],
    children: &[&[
        &ORDER,
        &MARKER,
        &ROUTING,
        &USAGE,
        &SCOPE,
        &DIAGNOSTICS,
        &MULTIPLIER,
        &NOTE,
        &SOURCE,
    ]],
    about: "How a provider keeps prefixes",
    ..Row::EMPTY
};

const INPUT: Property = Property::new(
    "input",
    Type::Number,
    "dollars for a million tokens of input",
);
const READ: Property = Property::new(
    "read",
    Type::Number,
    "a token that is read, as a multiple of that",
);
const OUTPUT: Property = Property::new(
    "output",
    Type::Number,
    "dollars for a million tokens of output",
);
static PRICE: Row = Row {
    name: "price",
    properties: &[&[INPUT, READ, OUTPUT]],
    about: "What tokens cost",
    ..Row::EMPTY
};
static PREFIX: Row = Row {
    name: "prefix",
    properties: &[&[
        Property::new(
            "min",
            Type::Whole(1, MOST),
            "the shortest prefix that is kept",
        ),
        Property::new("granularity", Type::Whole(1, MOST), "the tokens of a block"),
        Property::new(
            "breakpoints",
            Type::Whole(0, 1_000),
            "how many places a request may mark",
        ),
    ]],
    about: "What is kept of a prefix",
    ..Row::EMPTY
};
static TTL: Row = Row {
    name: "ttl",
    arguments: &[Argument::new("length of time", Type::Duration)],
    properties: &[&[
        Property::new(
            "write",
            Type::Number,
            "a token that is written, as a multiple of the price",
        ),
        Property::new(
            "only",
            Type::Word(&["responses"]),
            "the kind of request that has it",
        ),
    ]],
    about: "A time to live",
    ..Row::EMPTY
};
static ABOVE: Row = Row {
    name: "above",
    properties: &[&[
        Property::new(
            "tokens",
            Type::Whole(1, MOST),
            "of longer requests than this",
        ),
        INPUT,
        READ,
        OUTPUT,
    ]],
    about: "Other prices for long requests",
    ..Row::EMPTY
};
static PEAK: Row = Row {
    name: "peak",
    arguments: &[Argument::new("hours", Type::Text("01:00-04:00")).times(Times::Many)],
    properties: &[&[
        Property::new("days", Type::Text("DAYS"), "on which days"),
        Property::new("factor", Type::Number, "all prices, as a multiple"),
    ]],
    about: "Hours, UTC, in which all of it costs a multiple",
    ..Row::EMPTY
};
static VALID: Row = Row {
    name: "valid",
    properties: &[&[
        Property::new("from", Type::Text("DAY"), "the first day"),
        Property::new("until", Type::Text("DAY"), "the last one"),
    ]],
    about: "The days on which the row counts, both included",
    ..Row::EMPTY
};
pub(super) static MODEL: Row = Row {
    name: "model",
    arguments: &[Argument::new("patterns", Type::Text("PATTERN")).times(Times::Many)],
    properties: &[&[
        Property::new(
            "provider",
            Type::Of("provider"),
            "one of this table or of those below",
        ),
        Property::new(
            "prefill",
            Type::Bool,
            "a request may end with the beginning of the answer",
        )
        .or("#true"),
    ]],
    children: &[&[
        &PRICE,
        &PREFIX,
        &TTL,
        &ABOVE,
        &PEAK,
        &MULTIPLIER,
        &VALID,
        &NOTE,
        &SOURCE,
    ]],
    about: "What its braces say holds for these names",
    ..Row::EMPTY
};

/// The nodes of the top level.
pub(super) static TABLE: [&Row; 3] = [&HEAD, &PROVIDER, &MODEL];
