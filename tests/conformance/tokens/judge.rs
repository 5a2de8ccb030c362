//! Holds promptc's tokens against another tokenizer's answers: one JSON object a line on stdin, with the text and for
//! each vocabulary the ids and the ends. Not a part of promptc; `run` beside this file calls it.
#![allow(missing_docs, clippy::print_stdout, clippy::unwrap_used)]

use promptc::tokens::Vocabulary;
use serde::Deserialize;
use std::io::BufRead as _;
use std::process::ExitCode;

#[derive(Deserialize)]
struct Answer {
    text: String,
    o200k: Tokens,
    cl100k: Tokens,
}

#[derive(Deserialize, PartialEq, Eq, Debug)]
struct Tokens {
    ids: Vec<u32>,
    ends: Vec<usize>,
}

fn ours(vocabulary: Vocabulary, text: &str) -> Tokens {
    let (ids, ends) = vocabulary.tokens(text).map(|t| (t.id, t.end)).unzip();
    Tokens { ids, ends }
}

fn main() -> ExitCode {
    let (mut texts, mut bytes, mut tokens, mut wrong) = (0, 0, 0, 0);
    for line in std::io::stdin().lock().lines() {
        let answer: Answer = serde_json::from_str(&line.unwrap()).unwrap();
        texts += 1;
        bytes += answer.text.len();
        for (vocabulary, theirs) in [
            (Vocabulary::O200k, &answer.o200k),
            (Vocabulary::Cl100k, &answer.cl100k),
        ] {
            let own = ours(vocabulary, &answer.text);
            tokens += own.ids.len();
            let count = vocabulary.count(&answer.text);
            if own != *theirs || count != theirs.ids.len() {
                wrong += 1;
                let same = own.ids.iter().zip(&theirs.ids).take_while(|(a, b)| a == b);
                let (same, theirs) = (same.count(), theirs.ids.len());
                let text: String = answer.text.chars().take(60).collect();
                println!(
                    "{vocabulary:?}: {count} tokens, not {theirs}; {same} first are the same: {text:?}"
                );
            }
        }
    }
    println!(
        "{texts} texts, {bytes} bytes, {tokens} tokens in both vocabularies: {wrong} answers differ"
    );
    // No texts: what should have written them did not run.
    ExitCode::from(u8::from(wrong > 0 || texts == 0))
}
