//! The layout of a manifest means nothing, and `fmt` changes nothing else.

use super::choices::Choices;
use super::sample::{ALL, MANIFEST, Sample, sample};
use super::{built, config};
use crate::language::fmt::formatted;
use crate::language::kdl::{Piece, comments, pieces};
use proptest::collection::vec;
use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

proptest! {
    #![proptest_config(config(96))]

    #[test]
    fn layout_means_nothing(sample in sample(ALL), row in vec(any::<u16>(), 100..2000)) {
        let plain = String::from_utf8(sample.files[MANIFEST].clone()).unwrap();
        let messy = Mess { c: &Choices::new(&row), comments: 0 }.of(&plain);
        let neat = formatted(&messy);
        prop_assert!(neat.is_ok(), "{neat:?}\n{messy}");
        let neat = neat.unwrap();
        prop_assert_eq!(formatted(&neat), Ok(neat.clone()), "{}", messy);
        prop_assert_eq!(comments(&neat), comments(&messy), "{}", messy);
        let wanted = meaning(&sample, plain);
        for other in [&messy, &neat] {
            let gives = meaning(&sample, other.clone());
            prop_assert!(gives == wanted, "{}\n{}\n{}", difference(&gives, &wanted), messy, neat);
        }
    }
}

/// The result of a build with this text as the manifest, without the parts that quote the manifest's text itself.
fn meaning(sample: &Sample, manifest: String) -> Result<Value, Vec<&'static str>> {
    let mut sample = sample.clone();
    sample
        .files
        .insert(MANIFEST.to_owned(), manifest.into_bytes());
    let mut value = serde_json::to_value(built(&sample)?).unwrap();
    forget_places(&mut value);
    Ok(value)
}

/// Where two meanings first differ.
fn difference(one: &Result<Value, Vec<&str>>, other: &Result<Value, Vec<&str>>) -> String {
    let lines = [one, other].map(|m| match m {
        Ok(value) => format!("{value:#}"),
        Err(codes) => format!("{codes:?}"),
    });
    let [one, other] = lines.each_ref().map(|l| l.lines().collect::<Vec<_>>());
    let same = one.iter().zip(&other).take_while(|(a, b)| a == b).count();
    let around = |lines: &[&str]| {
        let end = lines.len().min(same + 12);
        lines[same.saturating_sub(12)..end].join("\n")
    };
    format!("{}\ninstead of\n{}", around(&one), around(&other))
}

fn forget_places(value: &mut Value) {
    match value {
        Value::Object(object) => {
            object.retain(|key, _| !matches!(key.as_str(), "line" | "manifest_sha256"));
            object.values_mut().for_each(forget_places);
            name_ingredients(object);
        }
        Value::Array(list) => list.iter_mut().for_each(forget_places),
        _ => {}
    }
}

/// Equal programs are one ingredient if they are on one line; so a span names its ingredient, and each counts once.
fn name_ingredients(object: &mut Map<String, Value>) {
    let Some(Value::Array(all)) = object.get("ingredients").cloned() else {
        return;
    };
    for span in object
        .get_mut("spans")
        .and_then(Value::as_array_mut)
        .into_iter()
        .flatten()
    {
        let index = span["ingredient"]
            .as_u64()
            .map(|n| usize::try_from(n).unwrap());
        span["ingredient"] = index.map_or(Value::Null, |n| all[n].clone());
    }
    let each: BTreeMap<String, Value> = all.into_iter().map(|i| (i.to_string(), i)).collect();
    object.insert("ingredients".to_owned(), each.into_values().collect());
}

/// Another layout, with comments that count up and with nodes, arguments and children that are left out.
struct Mess<'a> {
    c: &'a Choices<'a>,
    comments: usize,
}

impl Mess<'_> {
    fn of(&mut self, text: &str) -> String {
        let mut out = String::new();
        out += self.c.of(&[
            "",
            "\u{feff}",
            "\n\n",
            "// first\n",
            " /* first */ ",
            "\\\n",
        ]);
        let pieces = pieces(text);
        for (at, piece) in pieces.iter().enumerate() {
            let before = pieces[..at]
                .iter()
                .rev()
                .find(|p| !matches!(p, Piece::Space(_)));
            let starts = matches!(
                before,
                None | Some(Piece::Newline(_) | Piece::Other('{' | ';'))
            );
            let next = pieces.get(at + 1);
            match *piece {
                Piece::Space(_) if starts => out += &self.between(),
                Piece::Space(_) if matches!(next, Some(Piece::Other('}'))) => {
                    out += &self.between()
                }
                Piece::Space(_) => out += &self.within(),
                Piece::Newline(_) => {
                    out += &self.line_end(starts || next == Some(&Piece::Other('}')))
                }
                Piece::Other(';') => out += self.c.of(&[";", "\n", " ;\t", ";\r\n", "\n\n"]),
                Piece::Text(text) => out += &self.string(text),
                Piece::Comment(text) => out += text,
                Piece::Other(c) => out.push(c),
            }
        }
        let end = self
            .c
            .of(&["", "\n\n\n", "// last", "/* last */", "\u{3000}"]);
        out + end
    }

    fn comment(&mut self, before: &str, after: &str) -> String {
        self.comments += 1;
        format!("{before}c{}{after}", self.comments)
    }

    /// Where a node may start, or where none is any more.
    fn between(&mut self) -> String {
        match self.c.below(14) {
            13 => "\n".to_owned(),
            1 => "\r\n\r\n\n".to_owned(),
            2 => self.comment(" // ", "  \n"),
            3 => self.comment(" /*", "*/ "),
            4 => "\t".to_owned(),
            5 => "      ".to_owned(),
            6 => self.comment("\n/* ", "\n more */\n"),
            7 => "\n/-dead   x { y; z }\n".to_owned(),
            _ => " ".to_owned(),
        }
    }

    /// Between the parts of a node.
    fn within(&mut self) -> String {
        match self.c.below(20) {
            10 => "   ".to_owned(),
            1 => "\t\t".to_owned(),
            2 => " \\\n".to_owned(),
            3 => self.comment("\\ // ", "\r\n  "),
            4 => self.comment(" /* ", " */ "),
            5 => " /-dead ".to_owned(),
            6 => " /- dead=\"// }\" ".to_owned(),
            7 => "\u{3000}".to_owned(),
            8 => self.comment("  \\ /* ", " */ \n"),
            9 => "  ".to_owned(),
            _ => " ".to_owned(),
        }
    }

    /// The end of a node; `bare`: there is none, or no other after it.
    fn line_end(&mut self, bare: bool) -> String {
        match self.c.below(16) {
            11 => "\n\n\n\n".to_owned(),
            1 => "\r\n".to_owned(),
            2 => self.comment("// ", "\n"),
            3 => self.comment("         // ", "\t\n"),
            4 => self.comment("\n    // ", "\n"),
            5 => self.comment("\n/-gone \"\"\"\n  {\n  \"\"\" // ", "\n"),
            6 if !bare => "; ".to_owned(),
            7 if !bare => " ;".to_owned(),
            8 => self.comment(" /* ", " */\n"),
            9 => "\u{2028}".to_owned(),
            12 => "\t\n".to_owned(),
            _ => "\n".to_owned(),
        }
    }

    /// A string of one line, at times over three.
    fn string(&mut self, text: &str) -> String {
        let body = text.strip_prefix('"').and_then(|t| t.strip_suffix('"'));
        match body.filter(|b| !b.starts_with('"') && !b.trim().is_empty()) {
            Some(body) if self.c.below(8) == 7 => {
                let indentation = self.c.of(&["", "  ", "\t ", "            "]);
                format!("\"\"\"\n{indentation}{body}\n{indentation}\"\"\"")
            }
            _ => text.to_owned(),
        }
    }
}
