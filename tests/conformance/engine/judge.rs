//! Says how many tokens of a prompt are kept, by promptc's own rule for llama.cpp: one JSON object a line on stdin, with the
//! tokens of the prompt before and of the one now; one number a line on stdout. Not a part of promptc; `run` beside this
//! file calls it.
#![allow(missing_docs, clippy::print_stdout, clippy::unwrap_used)]

use promptc::request::provider::Catalog;
use promptc::request::provider::rule::reuse;
use serde::Deserialize;
use std::io::BufRead as _;

#[derive(Deserialize)]
struct Pair {
    before: Vec<u32>,
    now: Vec<u32>,
}

fn main() {
    let day = "2026-11-22".parse().unwrap();
    let found = Catalog::default().find("llama.cpp/random", day).unwrap();
    let limits = found.model.unwrap().limits;
    for line in std::io::stdin().lock().lines() {
        let pair: Pair = serde_json::from_str(&line.unwrap()).unwrap();
        let same = pair
            .before
            .iter()
            .zip(&pair.now)
            .take_while(|(a, b)| a == b);
        let kept = reuse(&found.provider, limits, &[], &[], same.count() as u64);
        assert!(!kept.at_most, "the rule is exact");
        println!("{}", kept.tokens);
    }
}
