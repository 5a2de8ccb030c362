//! Text to KDL nodes. What kdl finds wrong is told with the word that it is about.

use super::lex::{Kind, Token, lex};
use super::structure;
use crate::diagnostic::{Diagnostic, KDL_SYNTAX};
use crate::span::{FileId, Span};
use kdl::{KdlDiagnostic, KdlDocument};

/// Reads `src` as KDL 2.
pub(crate) fn read(file: FileId, src: &str) -> Result<KdlDocument, Vec<Diagnostic>> {
    let mut lexed = lex(file, src);
    let text = structure::check(file, src, &mut lexed)?;
    KdlDocument::parse_v2(&text).map_err(|error| {
        let mut found = Vec::new();
        for problem in &error.diagnostics {
            let fault = fault(file, src, &lexed.tokens, problem);
            // kdl tells most problems twice: as a bad value, and as a bad node or property.
            if !found.iter().any(|f: &Diagnostic| f.span == fault.span) {
                found.push(fault);
            }
        }
        found
    })
}

/// One of kdl's problems. Its spans may start anywhere before the place, even at the start of the document.
fn fault(file: FileId, src: &str, tokens: &[Token], problem: &KdlDiagnostic) -> Diagnostic {
    let start = problem.span.offset().min(src.len());
    let end = (start + problem.span.len()).clamp(start, src.len());
    let word = |t: &&Token| matches!(t.kind, Kind::Word | Kind::Text);
    let behind = tokens.partition_point(|t| t.start < end.max(start + 1));
    let token = tokens[..behind].iter().rev().find(word);
    let Some(token) = token.or_else(|| tokens.iter().find(word)) else {
        return Diagnostic::error(KDL_SYNTAX, "this is not KDL 2").at(Span::new(file, start..end));
    };
    let message = problem.message.as_deref().unwrap_or("this is not KDL 2");
    let help = problem.help.as_deref().unwrap_or("quote it if it is text");
    Diagnostic::error(KDL_SYNTAX, house_style(message))
        .at(Span::new(file, token.start..token.end))
        .help(house_style(help))
}

/// Lower case, and no full stop.
fn house_style(text: &str) -> String {
    let text = text.trim_end_matches('.');
    let mut chars = text.chars();
    chars
        .next()
        .map(|first| first.to_lowercase().chain(chars).collect())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::span::Files;

    /// kdl reads what is behind a broken document by recursion; nothing that gets as far as kdl may lead there.
    #[test]
    fn kdl_never_meets_a_broken_document() {
        let mut seed = 11u64;
        let mut random = |n: usize| {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(seed >> 33).expect("31 bits") % n
        };
        let parts = [
            "a",
            "b",
            " ",
            " ",
            " ",
            "\n",
            "\n",
            ";",
            "{",
            "}",
            "{ ",
            " }",
            "=",
            "=1",
            "c=2",
            "\"x\"",
            "\"\\n\"",
            "#\"y\"#",
            "#true",
            "#x",
            "1",
            "-",
            "+",
            ".",
            "1x",
            "-1",
            ".5",
            "/-",
            "/-",
            "/* c */",
            "// d\n",
            "(fact)",
            "(",
            ")",
            "\\",
            "\\\n",
            "\"\"\"\n e\n \"\"\"",
            "[",
            "/",
            "#",
            "##",
            "true",
            "inf",
            "nan",
            "-inf",
            "\u{1}",
            "\u{a0}",
            "é",
            ",",
            "\r\n",
            "\"",
            "*/",
            "0x1f",
            "0xg",
            "1_0",
            "1e5",
            "1e",
            "@",
            "'",
            "<",
            "|",
        ];
        let (mut read_ok, mut read_bad) = (0, 0);
        for _ in 0..60_000 {
            let src: String = (0..=random(9))
                .map(|_| parts[random(parts.len())])
                .collect();
            let mut files = Files::default();
            let file = files.add("promptc.kdl", src.as_str());
            let mut lexed = lex(file, &src);
            let Ok(text) = structure::check(file, &src, &mut lexed) else {
                continue;
            };
            match KdlDocument::parse_v2(&text) {
                Ok(_) => read_ok += 1,
                Err(e) => {
                    read_bad += 1;
                    let end = e
                        .diagnostics
                        .iter()
                        .any(|d| d.message.as_deref() == Some("Expected end of document"));
                    assert!(!end, "{src:?}: {e:?}");
                }
            }
        }
        assert!(read_ok > 1000 && read_bad < 100, "{read_ok} {read_bad}");
    }
}
