//! An answer for people, in blocks: what is to be read, and nothing of how a medium shows it.

use super::bar::Bar;
use super::code::Code;
use super::excerpt::Excerpt;
use super::hunk::Hunk;
use super::spark::Spark;
use super::table::Table;
use super::text::Text;

/// An answer for people. Texts from outside are in it as they are; each medium escapes them.
#[derive(Debug, Clone, Default)]
pub struct Document {
    /// Its blocks, in order.
    pub blocks: Vec<Block>,
}

/// A part of an answer.
#[derive(Debug, Clone)]
pub enum Block {
    /// A line above what follows.
    Heading(Text),
    /// Lines, each with a word that says what it is about.
    Facts(Facts),
    /// Lines without such a word.
    Lines(Vec<Text>),
    /// Things, each a line with more below it.
    Items(Items),
    /// Rows and columns.
    Table(Table),
    /// A cached prefix, tier by tier.
    Bar(Bar),
    /// An amount over time.
    Spark(Spark),
    /// The text of a layer that differs, line by line.
    Hunk(Hunk),
    /// A line of a text with what its parts are.
    Excerpt(Excerpt),
    /// Lines of code, such as a patch.
    Code(Code),
}

/// Facts below each other.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    /// The columns that a terminal leaves for the words, at least.
    pub least: usize,
    /// Whether the words are only there to be looked up.
    pub faint: bool,
    /// The facts.
    pub facts: Vec<Fact>,
}

/// A line, and the word that says what it is about.
#[derive(Debug, Clone)]
pub struct Fact {
    /// The word; empty for one more line under the word above.
    pub word: String,
    /// Whether it is bad news.
    pub alarm: bool,
    /// Whether it is shortened where a line is not long enough.
    pub brief: bool,
    /// The text; line ends stay.
    pub text: Text,
}

/// Things below each other.
#[derive(Debug, Clone, Default)]
pub struct Items {
    /// The columns before their lines.
    pub indent: usize,
    /// The columns before the lines below them.
    pub inner: usize,
    /// The things.
    pub items: Vec<(Text, Document)>,
}

/// The columns of words in most answers.
const WORD: usize = 7;

impl Document {
    /// An empty one.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a block.
    pub fn push(&mut self, block: impl Into<Block>) {
        self.blocks.push(block.into());
    }

    /// Adds a block that has something to say.
    pub fn extend(&mut self, blocks: impl IntoIterator<Item = Block>) {
        self.blocks.extend(blocks);
    }

    /// Adds a heading.
    pub fn heading(&mut self, text: impl Into<Text>) {
        self.blocks.push(Block::Heading(text.into()));
    }

    /// Adds a line; it joins the lines before it.
    pub fn line(&mut self, text: impl Into<Text>) {
        match self.blocks.last_mut() {
            Some(Block::Lines(lines)) => lines.push(text.into()),
            _ => self.blocks.push(Block::Lines(vec![text.into()])),
        }
    }

    /// Adds facts, if there are any.
    pub fn facts(&mut self, facts: impl Into<Facts>) {
        let facts = facts.into();
        if !facts.facts.is_empty() {
            self.blocks.push(Block::Facts(facts));
        }
    }
}

impl Fact {
    /// A fact.
    pub fn new(word: impl Into<String>, text: impl Into<Text>) -> Self {
        Self {
            word: word.into(),
            alarm: false,
            brief: false,
            text: text.into(),
        }
    }

    /// The fact, shortened where a line is not long enough.
    #[must_use]
    pub fn brief(self) -> Self {
        Self {
            brief: true,
            ..self
        }
    }

    /// The fact as bad news.
    #[must_use]
    pub fn alarm(self) -> Self {
        Self {
            alarm: true,
            ..self
        }
    }
}

impl Facts {
    /// Facts that are only looked up, in a fixed number of columns.
    #[must_use]
    pub fn faint(least: usize) -> Self {
        Self {
            least,
            faint: true,
            facts: Vec::new(),
        }
    }

    /// Adds a fact.
    pub fn push(&mut self, word: impl Into<String>, text: impl Into<Text>) {
        self.facts.push(Fact::new(word, text));
    }

    /// Adds several under one word; nothing if there are none.
    pub fn each<T: Into<Text>>(&mut self, word: &str, texts: impl IntoIterator<Item = T>) {
        for (at, text) in texts.into_iter().enumerate() {
            self.push(if at == 0 { word } else { "" }, text);
        }
    }
}

impl From<Vec<Fact>> for Facts {
    fn from(facts: Vec<Fact>) -> Self {
        Self {
            least: WORD,
            faint: false,
            facts,
        }
    }
}

/// A block of each kind from what it holds.
macro_rules! blocks {
    ($($kind:ident),+) => {
        $(impl From<$kind> for Block {
            fn from(block: $kind) -> Self {
                Self::$kind(block)
            }
        })+
    };
}

blocks!(Facts, Items, Table, Bar, Spark, Hunk, Excerpt, Code);
