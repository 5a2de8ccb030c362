//! `token-tables make DIR` writes the tables of `src/text/tokens/data`; `token-tables ranks DIR` lays out the rank files as
//! Python's tiktoken looks for them in `TIKTOKEN_CACHE_DIR`; `token-tables check DIR` compares instead of writing.

#[path = "../../../src/text/tokens/layout.rs"]
mod layout;
mod classes;
mod ranks;
mod table;

use std::path::Path;
use std::{env, fs};

fn main() {
    let words: Vec<String> = env::args().skip(1).collect();
    let [command, folder] = words.as_slice() else {
        panic!("usage: token-tables make|check|ranks DIR");
    };
    let folder = Path::new(folder);
    match command.as_str() {
        "make" => files()
            .iter()
            .for_each(|(name, bytes)| write(&folder.join(name), bytes)),
        "check" => files()
            .iter()
            .for_each(|(name, bytes)| check(&folder.join(name), bytes)),
        "ranks" => {
            (ranks::ALL.iter()).for_each(|r| write(&folder.join(r.cache_name()), &r.bytes()))
        }
        _ => panic!("unknown command {command}"),
    }
}

fn files() -> Vec<(&'static str, Vec<u8>)> {
    let vocabularies = ranks::ALL
        .iter()
        .map(|r| (r.table, table::build(&r.tokens())));
    vocabularies
        .chain([("classes.bin", classes::build())])
        .collect()
}

fn write(path: &Path, bytes: &[u8]) {
    fs::write(path, bytes).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    println!(
        "{}  {} bytes  {}",
        ranks::sha256(bytes),
        bytes.len(),
        path.display()
    );
}

fn check(path: &Path, bytes: &[u8]) {
    let there = fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    assert!(
        there == bytes,
        "{} is not what the rank files give",
        path.display()
    );
    println!("{} is what the rank files give", path.display());
}
