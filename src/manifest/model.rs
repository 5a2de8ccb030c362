//! A manifest as written, its bases and includes merged: every value keeps its span, no name is resolved yet.

use super::file_name::FileName;
use super::statement::Removed;
use crate::prompt::{Changes, DefinitionNode, Deliver};
use crate::span::{FileId, Literal, Span, Spanned};
pub use crate::text::cut::Boundary;
use crate::text::frontmatter::Close;
pub use crate::text::measure::Unit;
use crate::text::normalise::Marks;
use std::path::PathBuf;
use std::sync::Arc;

/// Where a manifest came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// A file; relative defaults count from its folder.
    Disk {
        /// Its folder.
        folder: PathBuf,
    },
    /// A built-in; relative defaults count from the current directory.
    BuiltIn {
        /// Its name, such as `mushroom@1`.
        name: String,
    },
}

/// A file that a manifest was made from.
#[derive(Debug, Clone)]
pub struct Sheet {
    /// Its text.
    pub file: FileId,
    /// Where it came from.
    pub origin: Origin,
    /// How the map names it: without the way to the first of them, which differs from place to place.
    pub name: Arc<str>,
    /// Whether `include` named it; then no file is looked for in its folder.
    pub included: bool,
}

/// A manifest with everything that it extends and includes.
#[derive(Debug, Clone)]
pub struct Manifest {
    /// The file that was named; what it says wins.
    pub file: FileId,
    /// Where that file came from.
    pub origin: Origin,
    /// All files, that one first, each base behind what extends it.
    pub sheets: Vec<Sheet>,
    /// `name NAME`.
    pub name: Option<Spanned<String>>,
    /// `join "…"`: between tiers, and between layers of a tier that sets none.
    pub join: Option<Literal>,
    /// `budget N`: the whole system text.
    pub budget: Option<Ceiling>,
    /// `join` and `budget` as they were written.
    pub slots: Vec<Slot>,
    /// `root NAME …`, in order.
    pub roots: Vec<Root>,
    /// `fact NAME TYPE …`, in order.
    pub facts: Vec<Fact>,
    /// `let NAME "EXPR"`, in order.
    pub lets: Vec<Let>,
    /// `scan NAME { … }`, in order.
    pub scans: Vec<ScanSet>,
    /// `tier NAME { … }`, in order.
    pub tiers: Vec<Tier>,
    /// `scenario NAME { … }`, in order.
    pub scenarios: Vec<Scenario>,
    /// `waive CODE because="…"` at the top level.
    pub waivers: Vec<Waive>,
    /// What overlays took away.
    pub removed: Vec<Removed>,
}

/// A literal, or `(fact)NAME` in its place.
#[derive(Debug, Clone, PartialEq)]
pub enum Lit<T> {
    /// Written out.
    Value(Spanned<T>),
    /// The value of a fact or let.
    Fact(Spanned<String>),
}

impl<T> Lit<T> {
    /// Where it stands.
    pub fn span(&self) -> Span {
        match self {
            Self::Value(v) => v.span,
            Self::Fact(f) => f.span,
        }
    }
}

/// A folder that sources read inside of.
#[derive(Debug, Clone)]
pub struct Root {
    /// Its name.
    pub name: Spanned<String>,
    /// `env=VARIABLE`.
    pub env: Option<Spanned<String>>,
    /// `default="DIR"`; several only for `many` (child `default "a" "b"`).
    pub default: Vec<Spanned<String>>,
    /// `in=ROOT`: what a relative default counts from.
    pub within: Option<Spanned<String>>,
    /// `above=ROOT`: derived from this root.
    pub above: Option<Spanned<String>>,
    /// `holding="NAME"` (or child `holding "a" "b"`): the nearest folder at or above that holds one of these.
    pub holding: Vec<Spanned<String>>,
    /// `many=#true`: an ordered list of folders.
    pub many: Option<bool>,
    /// `as="…"`: how its paths are written in prompts.
    pub shown: Option<Lit<String>>,
    /// `links=follow`: links may lead out of it.
    pub links: Option<Links>,
    /// `changes=`: default for its sources.
    pub changes: Option<Spanned<Changes>>,
    /// `missing=`: default for its sources.
    pub missing: Option<Spanned<Missing>>,
    /// `waive` on it.
    pub waivers: Vec<Waive>,
    /// What it says, slot by slot.
    pub slots: Vec<Slot>,
    /// The node's name.
    pub span: Span,
}

impl Root {
    /// Whether it is an ordered list of folders.
    #[must_use]
    pub fn is_many(&self) -> bool {
        self.many == Some(true)
    }

    /// Whether links may lead out of it.
    #[must_use]
    pub fn follows_links(&self) -> bool {
        self.links == Some(Links::Follow)
    }
}

/// What becomes of links that leave a root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// They are followed.
    Follow,
}

/// What a source does about a file that is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// It yields nothing.
    Skip,
    /// The build fails.
    Error,
}

/// What a source does about a file that is not UTF-8.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Invalid {
    /// The build fails.
    Error,
    /// As if it were missing.
    Missing,
}

/// The type of a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FactType {
    /// Text.
    String,
    /// A whole number, 64 bits.
    Int,
    /// A number, double.
    Float,
    /// True or false.
    Bool,
    /// A day, `2026-03-30`.
    Date,
    /// A point in time, RFC 3339.
    DateTime,
    /// An ordered list of any values.
    List,
    /// Names to values.
    Map,
}

impl FactType {
    /// All types.
    pub const ALL: [Self; 8] = [
        Self::String,
        Self::Int,
        Self::Float,
        Self::Bool,
        Self::Date,
        Self::DateTime,
        Self::List,
        Self::Map,
    ];

    /// The word in manifests.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Int => "int",
            Self::Float => "float",
            Self::Bool => "bool",
            Self::Date => "date",
            Self::DateTime => "datetime",
            Self::List => "list",
            Self::Map => "map",
        }
    }
}

/// A value as written in a manifest, before a type is applied: arguments, or children for a map.
#[derive(Debug, Clone, PartialEq)]
pub struct Written {
    /// The arguments, in order.
    pub args: Vec<Spanned<serde_json::Value>>,
    /// `{ key value; … }`, if there are braces.
    pub entries: Option<Vec<(Spanned<String>, Written)>>,
    /// Where it stands.
    pub span: Span,
}

/// A typed runtime value. In an overlay its type (`K`) may be left to the base.
#[derive(Debug, Clone)]
pub struct Fact<K = Spanned<FactType>> {
    /// Its name, a template variable.
    pub name: Spanned<String>,
    /// Its type.
    pub kind: K,
    /// `default=` or child `default`.
    pub default: Option<Written>,
    /// `one-of a b c`; empty if anything goes.
    pub one_of: Vec<Spanned<serde_json::Value>>,
    /// `optional=#true`.
    pub optional: Option<bool>,
    /// `env=VARIABLE`: its value, if nothing else gives one.
    pub env: Option<Spanned<String>>,
    /// `env-set=VARIABLE`: whether that variable is set.
    pub env_set: Option<Spanned<String>>,
    /// `clock=utc|"Area/City"`: now, in that zone.
    pub clock: Option<Spanned<String>>,
    /// `private=#true`: the value is never shown or kept.
    pub private: Option<bool>,
    /// `waive` on it.
    pub waivers: Vec<Waive>,
    /// `changes=`.
    pub changes: Option<Spanned<Changes>>,
    /// What it says, slot by slot.
    pub slots: Vec<Slot>,
    /// The node's name.
    pub span: Span,
}

impl<K> Fact<K> {
    /// Whether it may be without a value.
    #[must_use]
    pub fn is_optional(&self) -> bool {
        self.optional == Some(true)
    }

    /// Whether its value is never shown or kept.
    #[must_use]
    pub fn is_private(&self) -> bool {
        self.private == Some(true)
    }

    /// The same with another type.
    pub fn of_kind<L>(self, kind: L) -> Fact<L> {
        Fact {
            name: self.name,
            kind,
            default: self.default,
            one_of: self.one_of,
            optional: self.optional,
            env: self.env,
            env_set: self.env_set,
            clock: self.clock,
            private: self.private,
            waivers: self.waivers,
            changes: self.changes,
            slots: self.slots,
            span: self.span,
        }
    }
}

/// A named expression.
#[derive(Debug, Clone)]
pub struct Let {
    /// Its name, a template variable.
    pub name: Spanned<String>,
    /// The expression.
    pub expression: Literal,
    /// The whole node.
    pub place: Span,
    /// The node's name.
    pub span: Span,
}

/// `scan NAME { … }`: rules that texts are scanned with.
#[derive(Debug, Clone)]
pub struct ScanSet {
    /// Its name.
    pub name: Spanned<String>,
    /// `extends=OTHER`: the set whose rules, scopes and settings it takes.
    pub extends: Option<Spanned<String>>,
    /// `normalize=nfkc|none`: whether patterns are held against the text in the form NFKC.
    pub nfkc: Option<Spanned<bool>>,
    /// `window=N`: how many Unicode scalar values are looked at.
    pub window: Option<Spanned<usize>>,
    /// `scopes a b c`: each takes in those before it; empty if not written.
    pub scopes: Vec<Spanned<String>>,
    /// `invisible-unicode …`.
    pub invisible: Option<InvisibleRule>,
    /// `unless REGEX`: what excuses a match of the rules that do not say it themselves.
    pub unless: Option<Literal>,
    /// `rule ID PATTERN scope=S`, in order.
    pub rules: Vec<ScanRule>,
    /// `waive` on it.
    pub waivers: Vec<Waive>,
    /// What it says, slot by slot.
    pub slots: Vec<Slot>,
    /// The node's name.
    pub span: Span,
}

/// `invisible-unicode chars="…" id="…U+{hex}"`, or `#false` for none of it.
#[derive(Debug, Clone)]
pub struct InvisibleRule {
    /// Whether it looks for anything.
    pub on: bool,
    /// `chars=`; the usual ones if not written.
    pub chars: Option<Literal>,
    /// `id=`.
    pub id: Option<Spanned<String>>,
    /// The node's name.
    pub span: Span,
}

/// `rule ID PATTERN scope=S`.
#[derive(Debug, Clone)]
pub struct ScanRule {
    /// What its findings are called.
    pub id: Spanned<String>,
    /// The regular expression.
    pub pattern: Literal,
    /// `scope=`; the first of the set if not written.
    pub scope: Option<Spanned<String>>,
    /// `unless=REGEX`: what excuses a match if it stands in front of it; nothing does if it is empty.
    pub unless: Option<Literal>,
    /// `private=#true`: what it finds is not shown.
    pub private: bool,
    /// `about=`: what it finds, in words.
    pub about: Option<Spanned<String>>,
}

/// A stretch of the prompt with one rate of change.
#[derive(Debug, Clone)]
pub struct Tier {
    /// Its name.
    pub name: Spanned<String>,
    /// `changes=`: the bound that it promises.
    pub changes: Option<Spanned<Changes>>,
    /// `deliver=`; the system text if not written.
    pub deliver: Option<Spanned<Deliver>>,
    /// `join=`: between its layers.
    pub join: Option<Literal>,
    /// `budget N`: its text.
    pub budget: Option<Ceiling>,
    /// `reserve=`: what is kept for it of the prompt's budget while earlier tiers are fitted.
    pub reserve: Option<Lit<u64>>,
    /// `trim`, `newlines`, `bom`.
    pub transforms: Transforms,
    /// Its layers, in order.
    pub layers: Vec<Layer>,
    /// `waive` inside it.
    pub waivers: Vec<Waive>,
    /// What it says, slot by slot, without its layers.
    pub slots: Vec<Slot>,
    /// The same node by node; `join` and `budget` of the top level stand behind.
    pub definition: Arc<[DefinitionNode]>,
    /// The whole node.
    pub place: Span,
    /// The node's name.
    pub span: Span,
}

/// The unit that `diff` names.
#[derive(Debug, Clone)]
pub struct Layer {
    /// Its name, unique in the manifest.
    pub name: Spanned<String>,
    /// `when="EXPR"`.
    pub when: Option<Literal>,
    /// `required=#true`.
    pub required: Option<bool>,
    /// `priority=`: of the layers of a tier that is too large, the lowest gives way first.
    pub priority: Option<Lit<u64>>,
    /// `min=`: what it is cut to before it goes.
    pub min: Option<Lit<u64>>,
    /// What it says, if not only a template.
    pub content: Option<Node>,
    /// `part NAME { content }`, in order.
    pub parts: Vec<Part>,
    /// `template`.
    pub template: Option<TemplateRef>,
    /// Transforms for everything below.
    pub transforms: Transforms,
    /// `budget …`, in order.
    pub budgets: Vec<Budget>,
    /// `waive` inside it.
    pub waivers: Vec<Waive>,
    /// What it says, slot by slot.
    pub slots: Vec<Slot>,
    /// The same node by node.
    pub definition: Arc<[DefinitionNode]>,
    /// The node's name.
    pub span: Span,
}

/// One setting of a declaration as it was written: a property or a child. An overlay replaces slots whole.
#[derive(Debug, Clone)]
pub struct Slot {
    /// Which one: a property's or child's name, `content`, or `part NAME`.
    pub name: String,
    /// Whether it is a property.
    pub property: bool,
    /// The whole property or node.
    pub place: Span,
    /// What it says; a property is one node, and a child begins at depth 1.
    pub outline: Vec<DefinitionNode>,
    /// The `base` nodes in it, in order.
    pub bases: Vec<BasePlace>,
    /// Of a part, its content: what `base` in a refined part stands for.
    pub content: Option<Box<Slot>>,
}

/// A `base` node, and what it stands for once it is merged.
#[derive(Debug, Clone)]
pub struct BasePlace {
    /// The whole node.
    pub place: Span,
    /// Its name.
    pub name: Span,
    /// From its name to its last argument or property.
    pub head: Span,
    /// The nodes in its braces.
    pub children: Vec<Span>,
    /// Which entry of the outline it is.
    pub index: usize,
    /// The slot that it stands for, once that is known.
    pub slot: Option<Arc<Slot>>,
}

impl BasePlace {
    /// Whether it is nothing but its name.
    #[must_use]
    pub fn is_bare(&self) -> bool {
        self.children.is_empty() && self.head.end == self.name.end
    }
}

/// A variable of a layer's template.
#[derive(Debug, Clone)]
pub struct Part {
    /// Its name, a template variable.
    pub name: Spanned<String>,
    /// Its text.
    pub content: Node,
    /// The node's name.
    pub span: Span,
}

/// A content node: a source or a group.
#[derive(Debug, Clone)]
pub struct Node {
    /// What it is.
    pub kind: NodeKind,
    /// The properties that every content node takes.
    pub settings: Settings,
    /// Transforms for it and everything below.
    pub transforms: Transforms,
    /// `budget …`, in order; all hold.
    pub budgets: Vec<Budget>,
    /// `waive` on it.
    pub waivers: Vec<Waive>,
    /// The node's name.
    pub span: Span,
}

/// What a content node is.
#[derive(Debug, Clone)]
pub enum NodeKind {
    /// Reads documents.
    Source(Source),
    /// The first member that yields text.
    First(Vec<Node>),
    /// Every member that yields text.
    All {
        /// `join=`.
        join: Option<Literal>,
        /// The members, in order.
        members: Vec<Node>,
    },
    /// `base`: the content that an overlay refines. None is left once the overlay is merged.
    Base {
        /// Whether nothing else is written on it.
        bare: bool,
    },
}

impl NodeKind {
    /// The word in manifests.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Source(source) => source.word(),
            Self::First(_) => "first",
            Self::All { .. } => "all",
            Self::Base { .. } => "base",
        }
    }
}

/// Where documents come from. One variant, one parser line and one file in `source/` for each kind.
#[derive(Debug, Clone)]
pub enum Source {
    /// `text "…"`.
    Text(Literal),
    /// `fact NAME`.
    Fact(Spanned<String>),
    /// `json FILE`.
    Json(FileName),
    /// `file A B …`.
    File(Vec<FileName>),
    /// `glob PATTERN …`.
    Glob {
        /// Patterns, in order.
        patterns: Vec<Lit<String>>,
        /// Folders that are not entered.
        exclude: Vec<Exclude>,
        /// `hide "TEMPLATE"`: blank = listed.
        hide: Option<TemplateRef>,
    },
    /// `memory FILE …`.
    Memory(Memory),
    /// `skills DIR`.
    Skills(Box<Skills>),
    /// `template` as a member of a group or part.
    Template(TemplateRef),
}

/// `memory FILE delimiter="…" capacity=N`: a file of entries.
#[derive(Debug, Clone)]
pub struct Memory {
    /// The file.
    pub file: FileName,
    /// `delimiter=`: between two entries; never empty.
    pub delimiter: Literal,
    /// `capacity=`: how much may be written to it, in Unicode scalar values. It cuts nothing.
    pub capacity: Option<Lit<u64>>,
}

/// `exclude NAME … beside="FILE"`: folders that are not entered.
#[derive(Debug, Clone)]
pub struct Exclude {
    /// Their names (globs on one component).
    pub names: Vec<Lit<String>>,
    /// `beside=`: only those beside a regular file of that name.
    pub beside: Option<Literal>,
}

/// `skills DIR`: the skills below a folder, as entries.
#[derive(Debug, Clone)]
pub struct Skills {
    /// The folder, inside the root.
    pub folder: FileName,
    /// `join=`: between the entries.
    pub join: Option<Literal>,
    /// Folders that are not entered.
    pub exclude: Vec<Exclude>,
    /// `allow NAME …`: only entries of these names (globs) are listed; empty if all are.
    pub allow: Vec<Lit<String>>,
    /// `deny NAME …`: entries of these names (globs) are not listed.
    pub deny: Vec<Lit<String>>,
    /// `hide "TEMPLATE"`: blank = listed.
    pub hide: Option<TemplateRef>,
    /// `shadow`: of one name, those in the first folder of the root that lists it.
    pub shadow: bool,
}

impl Skills {
    /// The strings that may stand as facts, without the folder.
    pub fn lits(&self) -> impl Iterator<Item = &Lit<String>> {
        let excluded = self.exclude.iter().flat_map(|e| &e.names);
        excluded.chain(&self.allow).chain(&self.deny)
    }
}

impl Source {
    /// The `hide` template of a source of many documents.
    #[must_use]
    pub fn hide(&self) -> Option<&TemplateRef> {
        match self {
            Self::Glob { hide, .. } => hide.as_ref(),
            Self::Skills(skills) => skills.hide.as_ref(),
            _ => None,
        }
    }

    /// Whether it reads documents inside a root.
    #[must_use]
    pub fn reads_root(&self) -> bool {
        match self {
            Self::Json(_)
            | Self::File(_)
            | Self::Glob { .. }
            | Self::Skills(_)
            | Self::Memory(_) => true,
            Self::Text(_) | Self::Fact(_) | Self::Template(_) => false,
        }
    }

    /// The word in manifests.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Text(_) => "text",
            Self::Fact(_) => "fact",
            Self::Json(_) => "json",
            Self::File(_) => "file",
            Self::Glob { .. } => "glob",
            Self::Memory(_) => "memory",
            Self::Skills(_) => "skills",
            Self::Template(_) => "template",
        }
    }
}

/// The properties that every content node takes; on a group, defaults for what is below or rules for the group itself.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// `when="EXPR"`.
    pub when: Option<Literal>,
    /// `where="EXPR"` over each document.
    pub filter: Option<Literal>,
    /// `missing=`.
    pub missing: Option<Spanned<Missing>>,
    /// `invalid=`.
    pub invalid: Option<Spanned<Invalid>>,
    /// `label=`.
    pub label: Option<Lit<String>>,
    /// `about=`.
    pub about: Option<Lit<String>>,
    /// `root=`.
    pub root: Option<Spanned<String>>,
    /// `search=`.
    pub search: Option<Spanned<Search>>,
    /// `from=ROOT`.
    pub from: Option<Spanned<String>>,
    /// `order=`, of a search at every level.
    pub order: Option<Spanned<Order>>,
    /// `changes=`.
    pub changes: Option<Spanned<Changes>>,
}

/// How a source or group searches the folders above.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Search {
    /// The nearest folder that has something wins.
    Up,
    /// All folders count.
    EveryLevel,
}

/// In which order the folders of a search at every level stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// The source's own root first.
    OuterFirst,
    /// The folder where the search starts first.
    InnerFirst,
}

/// Steps that a document goes through; `None` means as the surrounding node says.
#[derive(Debug, Clone, Default)]
pub struct Transforms {
    /// `newlines #false`: CRLF and CR stay.
    pub newlines: Option<bool>,
    /// `bom #false`: a byte order mark stays. `bom all`: several go.
    pub bom: Option<Marks>,
    /// `trim #false`: outer white space stays.
    pub trim: Option<bool>,
    /// `frontmatter strip|parse|read`.
    pub frontmatter: Option<Frontmatter>,
    /// `comments strip`: HTML comments go.
    pub comments: Option<bool>,
    /// `imports at …`.
    pub imports: Option<Imports>,
    /// `scan SET …`, or `scan #false`.
    pub scan: Option<Scan>,
    /// `wrap TEMPLATE`.
    pub wrap: Option<TemplateRef>,
}

impl Transforms {
    /// The templates in them.
    pub fn templates(&self) -> impl Iterator<Item = &TemplateRef> {
        let imported = self.imports.as_ref().and_then(|i| i.wrap.as_ref());
        let scan = self.scan.as_ref().and_then(Scan::used);
        let placeholder = scan.and_then(|s| s.placeholder.as_ref());
        imported.into_iter().chain(placeholder).chain(&self.wrap)
    }
}

/// The scan of a document.
#[derive(Debug, Clone)]
pub enum Scan {
    /// `scan #false`: none.
    Off,
    /// `scan SET …`.
    With(Box<ScanUse>),
}

impl Scan {
    /// The use of a set, if there is one.
    #[must_use]
    pub fn used(&self) -> Option<&ScanUse> {
        match self {
            Self::Off => None,
            Self::With(used) => Some(used),
        }
    }
}

/// `scan SET scope=S on-hit=… placeholder="…" except="REGEX"`.
#[derive(Debug, Clone)]
pub struct ScanUse {
    /// The rule set.
    pub set: Spanned<String>,
    /// `scope=`; the last of the set if not written.
    pub scope: Option<Lit<String>>,
    /// `on-hit=`.
    pub on_hit: OnHit,
    /// `placeholder`; the default one if not written.
    pub placeholder: Option<TemplateRef>,
    /// `except=`: a text in which this is found is not scanned.
    pub except: Option<Except>,
    /// The node's name.
    pub span: Span,
}

/// `except="REGEX"`.
#[derive(Debug, Clone)]
pub enum Except {
    /// Written out.
    Written(Literal),
    /// The value of a fact or let.
    Fact(Spanned<String>),
}

/// What becomes of a document in which a scan finds something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnHit {
    /// A placeholder stands for it.
    Replace,
    /// It is left out.
    Drop,
    /// It stays, and the build says so.
    Warn,
    /// The build fails.
    Error,
}

/// `frontmatter strip|parse|read [lenient] [yaml="1.1"] [close=line|alone|dashes]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frontmatter {
    /// `parse` and `read`: the document gets `meta`.
    pub parse: bool,
    /// `strip` and `parse`: the text loses it.
    pub cut: bool,
    /// `yaml="1.1"`: as Python's safe loader reads it.
    pub yaml11: bool,
    /// `lenient`: bad YAML is read line by line.
    pub lenient: bool,
    /// `close=`: what ends it.
    pub close: Close,
    /// Where it stands.
    pub span: Span,
}

impl Frontmatter {
    /// That of a source which reads front matter by itself.
    #[must_use]
    pub fn parsed(span: Span) -> Self {
        Self {
            parse: true,
            cut: true,
            yaml11: false,
            lenient: false,
            close: Close::default(),
            span,
        }
    }
}

/// `imports at depth=N limit=N missing=keep|drop|error { wrap TEMPLATE }`.
#[derive(Debug, Clone)]
pub struct Imports {
    /// How many steps imports go: 1 is those of the document itself.
    pub depth: usize,
    /// How many files a document may bring in, with all that these import.
    pub limit: usize,
    /// What an import that cannot be made means.
    pub missing: MissingImport,
    /// What is run over each imported document.
    pub wrap: Option<TemplateRef>,
    /// The node's name.
    pub span: Span,
}

/// What becomes of an `@path` that leads to no file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MissingImport {
    /// It stays as it is written.
    Keep,
    /// It goes.
    Drop,
    /// The build fails.
    Error,
}

/// A template, inline or in a file.
#[derive(Debug, Clone)]
pub enum TemplateRef {
    /// Written in the manifest.
    Inline(Literal),
    /// `file="…"`, optionally `root=NAME`.
    File {
        /// The name to look up.
        name: Spanned<String>,
        /// `root=`: read there instead of beside the manifest.
        root: Option<Spanned<String>>,
    },
}

impl TemplateRef {
    /// Where it stands.
    #[must_use]
    pub fn span(&self) -> Span {
        match self {
            Self::Inline(l) => l.span,
            Self::File { name, .. } => name.span,
        }
    }
}

/// `budget N [UNIT]` of a tier or of the prompt: nothing is cut by it, layers give way.
#[derive(Debug, Clone)]
pub struct Ceiling {
    /// The maximum.
    pub max: Lit<u64>,
    /// In which unit, if it is written.
    pub unit: Option<Spanned<Unit>>,
    /// Whether tokens are written without their tokenizer: those of the prompt's budget are meant, else `o200k`.
    pub implied: bool,
    /// The node's name.
    pub span: Span,
}

/// `budget …` of a content node or layer.
#[derive(Debug, Clone)]
pub struct Budget {
    /// How much of what.
    pub limit: Limit,
    /// In which unit.
    pub unit: Unit,
    /// Whether tokens are written without their tokenizer: those of the prompt's budget are meant, else `o200k`.
    pub implied: bool,
    /// `head=`, a fraction of the maximum.
    pub head: Option<Lit<f64>>,
    /// `tail=`, a fraction of the maximum.
    pub tail: Option<Lit<f64>>,
    /// `marker`; the default one if not written.
    pub marker: Option<TemplateRef>,
    /// `marker-outside=#true`: the marker does not count.
    pub marker_outside: bool,
    /// `at=`, where it is not `entry`.
    pub at: Boundary,
    /// `step=K`: a cut falls at multiples of K.
    pub step: Option<Lit<u64>>,
    /// The node's name.
    pub span: Span,
}

/// What a budget bounds.
#[derive(Debug, Clone)]
pub enum Limit {
    /// `budget N`: the one text of its node.
    One(Lit<u64>),
    /// `budget N at=entry`: the same, of which only whole leading entries stay.
    Leading(Lit<u64>),
    /// `budget N entries`: so many leading entries.
    Entries(Lit<u64>),
    /// `budget each=M total=N floor=K`: the node's documents. At least one of each and total is given.
    Documents {
        /// Each to this much.
        each: Option<Lit<u64>>,
        /// All together to this much, spent in order.
        total: Option<Lit<u64>>,
        /// With less than this left, a document that would have to be cut is dropped.
        floor: Option<Lit<u64>>,
        /// `at=entry`: a document that would have to be cut is dropped.
        whole: bool,
    },
}

/// `scenario NAME { … }`: given facts and roots under a name.
#[derive(Debug, Clone)]
pub struct Scenario {
    /// Its name.
    pub name: Spanned<String>,
    /// `set FACT VALUE`, in order.
    pub sets: Vec<(Spanned<String>, Written)>,
    /// `root NAME "DIR" …`, in order; relative to the file that writes it.
    pub roots: Vec<(Spanned<String>, Vec<Spanned<String>>)>,
    /// `env NAME "VALUE"`: the whole environment of the scenario.
    pub env: Vec<(Spanned<String>, Spanned<String>)>,
    /// `snapshot=#false`: its record keeps no text.
    pub snapshot: bool,
    /// The whole node.
    pub place: Span,
    /// The node's name.
    pub span: Span,
}

/// `waive CODE because="…"`.
#[derive(Debug, Clone)]
pub struct Waive {
    /// The code that is waived.
    pub code: Spanned<String>,
    /// Why.
    pub because: Spanned<String>,
    /// The whole node.
    pub place: Span,
    /// The node's name.
    pub span: Span,
}

/// The source of a template or expression and the way back to where it was written.
#[derive(Debug, Clone)]
pub enum Program {
    /// Inline: offsets lead through the literal.
    Inline(Literal),
    /// A file of its own.
    File {
        /// Its id.
        file: FileId,
        /// Its text.
        text: Arc<str>,
    },
}

impl Program {
    /// The source.
    #[must_use]
    pub fn text(&self) -> &Arc<str> {
        match self {
            Self::Inline(l) => &l.text,
            Self::File { text, .. } => text,
        }
    }

    /// The place of a byte range of the source.
    #[must_use]
    pub fn span_of(&self, range: std::ops::Range<usize>) -> Span {
        match self {
            Self::Inline(l) => l.span_of(range),
            Self::File { file, .. } => Span::new(*file, range),
        }
    }
}
