//! JSON whose keys keep their order, and its possible spellings.

use crate::random::Random;

/// A JSON value. A number is all its spellings.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum J {
    Null,
    Bool(bool),
    Int(i64),
    /// Milliseconds, written as seconds.
    Seconds(i64),
    Spelt(&'static [&'static str]),
    Str(String),
    Arr(Vec<J>),
    Obj(Vec<(String, J)>),
}

macro_rules! obj {
    ($($k:literal : $v:expr),* $(,)?) => { $crate::json::J::Obj(vec![$(($k.to_owned(), $crate::json::J::from($v))),*]) };
}
pub(crate) use obj;

impl From<&str> for J {
    fn from(s: &str) -> Self {
        Self::Str(s.to_owned())
    }
}
impl From<&String> for J {
    fn from(s: &String) -> Self {
        Self::Str(s.clone())
    }
}
impl From<String> for J {
    fn from(s: String) -> Self {
        Self::Str(s)
    }
}
impl From<i64> for J {
    fn from(n: i64) -> Self {
        Self::Int(n)
    }
}
impl From<bool> for J {
    fn from(b: bool) -> Self {
        Self::Bool(b)
    }
}
impl From<Vec<J>> for J {
    fn from(a: Vec<J>) -> Self {
        Self::Arr(a)
    }
}

/// Whether a choice of a writer is not switched off, to find which one leads to a wrong answer.
#[expect(clippy::disallowed_methods, reason = "the settings of a test")]
pub(crate) fn with(choice: &str) -> bool {
    !std::env::var("PROMPTC_WITHOUT").is_ok_and(|v| v.split(',').any(|v| v == choice))
}

/// How a document is spelt: none of it changes what it says.
pub(crate) struct Spelling {
    pub(crate) r: Random,
    pub(crate) spaces: bool,
    pub(crate) escapes: bool,
    pub(crate) numbers: bool,
}

impl Spelling {
    pub(crate) fn draw(r: &mut Random) -> Self {
        Self {
            r: Random::new(r.from(0, usize::MAX - 1) as u64),
            spaces: r.one_in(3) && with("spaces"),
            escapes: r.one_in(3) && with("escapes"),
            numbers: r.one_in(3) && with("numbers"),
        }
    }

    fn space(&mut self, out: &mut String) {
        if self.spaces {
            let space: &&str = self.r.pick(&["", " ", "  ", "\t"]);
            out.push_str(space);
        }
    }
}

impl J {
    /// The plain spelling.
    pub(crate) fn plain(&self) -> String {
        let mut out = String::new();
        let mut s = Spelling {
            r: Random::new(0),
            spaces: false,
            escapes: false,
            numbers: false,
        };
        self.print(&mut out, &mut s);
        out
    }

    pub(crate) fn print(&self, out: &mut String, s: &mut Spelling) {
        match self {
            Self::Null => out.push_str("null"),
            Self::Bool(b) => out.push_str(if *b { "true" } else { "false" }),
            Self::Int(n) => out.push_str(&n.to_string()),
            Self::Seconds(n) => out.push_str(&format!("{}.{:03}", n / 1000, n % 1000)),
            Self::Spelt(ways) => {
                let way = if s.numbers { s.r.below(ways.len()) } else { 0 };
                out.push_str(ways[way]);
            }
            Self::Str(t) => string(t, out, s),
            Self::Arr(a) => {
                out.push('[');
                s.space(out);
                for (i, j) in a.iter().enumerate() {
                    if i > 0 {
                        out.push(',');
                        s.space(out);
                    }
                    j.print(out, s);
                }
                s.space(out);
                out.push(']');
            }
            Self::Obj(o) => {
                out.push('{');
                s.space(out);
                for (i, (k, v)) in o.iter().enumerate() {
                    if i > 0 {
                        out.push(',');
                        s.space(out);
                    }
                    string(k, out, s);
                    s.space(out);
                    out.push(':');
                    s.space(out);
                    v.print(out, s);
                }
                s.space(out);
                out.push('}');
            }
        }
    }

    /// Sets `a.b.c`, and makes the objects on the way.
    pub(crate) fn set(&mut self, path: &str, value: J) {
        let Self::Obj(o) = self else { return };
        let (key, rest) = path
            .split_once('.')
            .map_or((path, None), |(k, r)| (k, Some(r)));
        if !o.iter().any(|(k, _)| k == key) {
            o.push((key.to_owned(), Self::Obj(Vec::new())));
        }
        if let Some((_, v)) = o.iter_mut().find(|(k, _)| k == key) {
            match rest {
                Some(rest) => v.set(rest, value),
                None => *v = value,
            }
        }
    }

    pub(crate) fn push(&mut self, key: &str, value: impl Into<J>) {
        if let Self::Obj(o) = self {
            o.push((key.to_owned(), value.into()));
        }
    }
}

fn string(t: &str, out: &mut String, s: &mut Spelling) {
    out.push('"');
    for c in t.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '/' if s.escapes && s.r.one_in(4) => out.push_str("\\/"),
            c if (c as u32) < 32
                || (s.escapes && s.r.one_in(if c.is_ascii() { 12 } else { 2 })) =>
            {
                let mut units = [0; 2];
                for unit in c.encode_utf16(&mut units) {
                    out.push_str(&format!("\\u{unit:04x}"));
                }
            }
            c => out.push(c),
        }
    }
    out.push('"');
}
