//! Holds promptc's tokens against another tokenizer's answers: one JSON object a line on stdin, with the text and for
//! each vocabulary the ids and the ends. Not a part of promptc; `run` beside this file calls it.
#![allow(missing_docs, clippy::print_stdout, clippy::unwrap_used)]

use promptc::text::tokens::Vocabulary;
use serde::Deserialize;
use std::io::BufRead as _;
use std::process::ExitCode;

#[derive(Deserialize)]
struct Answer {
    text: String,
    o200k: Tokens,
    cl100k: Tokens,
}

#[derive(Deserialize)]
struct Tokens {
    ids: Vec<u32>,
    ends: Vec<usize>,
    /// Where the pre-tokens end, if that is known.
    pieces: Option<Vec<usize>>,
}

/// What differs, if something does.
fn difference(vocabulary: Vocabulary, text: &str, said: &Tokens) -> Option<String> {
    let count = vocabulary.count(text);
    if count != said.ids.len() {
        return Some(format!("{count} tokens, not {}", said.ids.len()));
    }
    let pairs = said.ids.iter().zip(&said.ends);
    let wrong = vocabulary.tokens(text).zip(pairs);
    let wrong = wrong.filter(|(own, (id, end))| (own.id, own.end) != (**id, **end));
    if let Some((own, (id, end))) = wrong.last() {
        return Some(format!(
            "token {} ends at {}, not {id} at {end}",
            own.id, own.end
        ));
    }
    let pieces: Vec<usize> = vocabulary.pieces(text).map(|p| p.end).collect();
    let same = said.pieces.as_ref().is_none_or(|said| *said == pieces);
    (!same).then(|| format!("pre-tokens end at {pieces:?}, not {:?}", said.pieces))
}

fn main() -> ExitCode {
    let (mut texts, mut tokens, mut cut, mut wrong) = (0, 0, 0, 0);
    for line in std::io::stdin().lock().lines() {
        let answer: Answer = serde_json::from_str(&line.unwrap()).unwrap();
        texts += 1;
        for (vocabulary, said) in [
            (Vocabulary::O200k, &answer.o200k),
            (Vocabulary::Cl100k, &answer.cl100k),
        ] {
            tokens += said.ids.len();
            cut += usize::from(said.pieces.is_some());
            if let Some(difference) = difference(vocabulary, &answer.text, said) {
                wrong += 1;
                let text: String = answer.text.chars().take(60).collect();
                println!("{vocabulary:?}: {text:?}: {difference}");
            }
        }
    }
    println!(
        "{texts} texts with {tokens} tokens in both vocabularies, {cut} cuts into pre-tokens: {wrong} answers differ"
    );
    // No texts: what should have written them did not run.
    ExitCode::from(u8::from(wrong > 0 || texts == 0))
}
