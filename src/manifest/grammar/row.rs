//! The content of a row.

/// The release that brought a row that says no other.
const FIRST: &str = "0.1.0";

/// A node: its arguments and properties, and the nodes in its braces.
#[derive(Debug)]
pub struct Row {
    /// Its name in manifests.
    pub name: &'static str,
    /// Its name in the table, if another node in another place is called like it.
    pub id: &'static str,
    /// Its arguments, in order.
    pub arguments: &'static [Argument],
    /// Its properties, in groups that other rows share.
    pub properties: &'static [&'static [Property]],
    /// The nodes in its braces, in groups that other rows share.
    pub children: &'static [&'static [&'static Row]],
    /// Its description. Markdown; links are relative to `docs/language.md`.
    pub about: &'static str,
    /// A node that can be read where it is allowed.
    pub example: &'static str,
    /// Whether it is only for overlays, so that messages about other manifests do not name it.
    pub of_overlays: bool,
    /// Its effect on the base, where an overlay writes it.
    pub overlay: Overlay,
    /// The release that brought it.
    pub since: &'static str,
}

/// The effect of a node of an overlay on the base.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overlay {
    /// It takes the place of all nodes of that name.
    Replaces,
    /// It takes the place of the one with the same first argument.
    ReplacesNamed,
    /// It takes the place of the content, whatever that is.
    ReplacesContent,
    /// It is laid over the one of the same name, setting by setting.
    Refines,
    /// It comes after those of the base.
    Adds,
    /// The base may not have it.
    IsNew,
    /// It belongs to the manifest that writes it, which has none of its base.
    IsOwn,
    /// It is no setting: it says what becomes of the base.
    Directs,
}

/// An argument of a node.
#[derive(Debug)]
pub struct Argument {
    /// Its noun, for messages and tables.
    pub name: &'static str,
    /// The values that may be written.
    pub takes: Type,
    /// The number of times that it may appear.
    pub times: Times,
    /// Whether `(fact)NAME` may replace it.
    pub or_fact: bool,
}

/// The number of times that a part may appear.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Times {
    /// Once.
    One,
    /// Once, or not at all.
    AtMostOne,
    /// Once or more.
    Many,
    /// Any number of times.
    Any,
}

/// A property of a node.
#[derive(Debug)]
pub struct Property {
    /// Its name.
    pub name: &'static str,
    /// The values that may be written.
    pub takes: Type,
    /// Whether `(fact)NAME` may replace the value.
    pub or_fact: bool,
    /// The default, if it is one value.
    pub default: Option<&'static str>,
    /// Whether it is no setting but says what becomes of the base.
    pub directs: bool,
    /// The properties of the base that it takes the place of, besides its own.
    pub instead_of: &'static [&'static str],
    /// Its description. Markdown; links are relative to `docs/language.md`.
    pub about: &'static str,
    /// The release that brought it.
    pub since: &'static str,
}

/// The values that may be written as an argument or property.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    /// A text, with a word for it in tables: `DIR`.
    Text(&'static str),
    /// A template.
    Template,
    /// An expression.
    Expression,
    /// A regular expression.
    Regex,
    /// A name that is given here.
    Name,
    /// A name that templates use as a variable, given here.
    Variable,
    /// The name of a node elsewhere: `root`, `layer`, `fact`.
    Of(&'static str),
    /// `#true` or `#false`.
    Bool,
    /// A whole number from 0.
    Size,
    /// A whole number between these two.
    Whole(usize, usize),
    /// A fraction from 0 to 1.
    Fraction,
    /// A number.
    Number,
    /// A length of time such as `5m`.
    Duration,
    /// One of these words.
    Word(&'static [&'static str]),
    /// `#true`, `#false` or this word.
    BoolOr(&'static str),
    /// Any value.
    Any,
}

impl Row {
    /// A row without anything, for rows to set their differences.
    pub(crate) const EMPTY: Self = Self {
        name: "",
        id: "",
        arguments: &[],
        properties: &[],
        children: &[],
        about: "",
        example: "",
        of_overlays: false,
        overlay: Overlay::Replaces,
        since: FIRST,
    };

    /// Its name in the table, which no other row has.
    #[must_use]
    pub fn id(&self) -> &'static str {
        if self.id.is_empty() {
            self.name
        } else {
            self.id
        }
    }

    /// Whether its first argument is the name that it gives, so that there can be several.
    #[must_use]
    pub fn is_named(&self) -> bool {
        let first = self.arguments.first().map(|argument| argument.takes);
        matches!(first, Some(Type::Name | Type::Variable))
    }

    /// Whether it is content: what a layer or part is made of.
    #[must_use]
    pub fn is_content(&self) -> bool {
        self.overlay == Overlay::ReplacesContent
    }

    /// The argument at `at`, from 0; none if there can be none.
    pub(crate) fn argument(&self, at: usize) -> Option<&'static Argument> {
        let last = self.arguments.last();
        let last = last.filter(|last| matches!(last.times, Times::Many | Times::Any));
        self.arguments.get(at).or(last)
    }

    /// All its properties.
    pub fn properties(&self) -> impl Iterator<Item = &'static Property> + use<> {
        self.properties.iter().copied().flatten()
    }

    /// All nodes that may be in its braces.
    pub fn children(&self) -> impl Iterator<Item = &'static Row> + use<> {
        self.children.iter().copied().flatten().copied()
    }

    /// The node of that name in its braces.
    #[must_use]
    pub fn child(&self, name: &str) -> Option<&'static Row> {
        self.children().find(|row| row.name == name)
    }
}

impl Argument {
    /// An argument that must be there.
    pub(crate) const fn new(name: &'static str, takes: Type) -> Self {
        Self {
            name,
            takes,
            times: Times::One,
            or_fact: false,
        }
    }

    /// An argument that may be `(fact)NAME`.
    pub(crate) const fn or_fact(self) -> Self {
        Self {
            or_fact: true,
            ..self
        }
    }

    /// The number of times that it may appear.
    pub(crate) const fn times(self, times: Times) -> Self {
        Self { times, ..self }
    }
}

impl Property {
    /// A property.
    pub(crate) const fn new(name: &'static str, takes: Type, about: &'static str) -> Self {
        Self {
            name,
            takes,
            or_fact: false,
            default: None,
            directs: false,
            instead_of: &[],
            about,
            since: FIRST,
        }
    }

    /// A property that may be `(fact)NAME`.
    pub(crate) const fn or_fact(self) -> Self {
        Self {
            or_fact: true,
            ..self
        }
    }

    /// A property that says what becomes of the base.
    pub(crate) const fn directs(self) -> Self {
        Self {
            directs: true,
            ..self
        }
    }

    /// A property that also takes the place of others of the base.
    pub(crate) const fn instead_of(self, others: &'static [&'static str]) -> Self {
        Self {
            instead_of: others,
            ..self
        }
    }

    /// The default.
    pub(crate) const fn or(self, default: &'static str) -> Self {
        Self {
            default: Some(default),
            ..self
        }
    }

    /// Its notation, with a word for its value: `changes=day`.
    #[must_use]
    pub fn written(&self) -> String {
        format!("{}={}", self.name, self.takes.written())
    }
}

impl Argument {
    /// Its notation, with a word for it: `NAME`, `["FILE"]`, `"PATTERN" …`.
    #[must_use]
    pub fn written(&self) -> String {
        let one = match self.takes {
            Type::Name | Type::Variable => "NAME".to_owned(),
            Type::Any => "VALUE".to_owned(),
            Type::Bool if self.times == Times::One => "#true|#false".to_owned(),
            Type::Bool => "#false".to_owned(),
            _ => self.takes.written(),
        };
        match self.times {
            Times::One => one,
            Times::AtMostOne => format!("[{one}]"),
            Times::Many | Times::Any => format!("{one} …"),
        }
    }
}

impl Type {
    /// A word for what is written, or the words themselves.
    #[must_use]
    pub fn written(self) -> String {
        match self {
            Self::Text(word) => format!("\"{word}\""),
            Self::Template => "\"TEMPLATE\"".to_owned(),
            Self::Expression => "\"EXPRESSION\"".to_owned(),
            Self::Regex => "\"REGEX\"".to_owned(),
            Self::Name | Self::Variable => "NAME".to_owned(),
            Self::Of(kind) => kind.to_uppercase(),
            Self::Bool => "#true".to_owned(),
            Self::Whole(least, most) if least == most => least.to_string(),
            Self::Size | Self::Whole(..) | Self::Number => "N".to_owned(),
            Self::Fraction => "F".to_owned(),
            Self::Duration => "\"5m\"".to_owned(),
            Self::Word(words) => words.join("|"),
            Self::BoolOr(word) => format!("#true|#false|{word}"),
            Self::Any => "VALUE".to_owned(),
        }
    }

    /// Its noun, in one word or two.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Text(_) => "text",
            Self::Template => "template",
            Self::Expression => "expression",
            Self::Regex => "regex",
            Self::Name => "name",
            Self::Variable => "variable",
            Self::Of(_) => "name-of",
            Self::Bool => "bool",
            Self::Size | Self::Whole(..) => "whole-number",
            Self::Fraction => "fraction",
            Self::Number => "number",
            Self::Duration => "duration",
            Self::Word(_) => "word",
            Self::BoolOr(_) => "bool-or-word",
            Self::Any => "any",
        }
    }
}
