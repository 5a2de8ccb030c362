//! `cargo bench --bench growth`: what ten times the size costs, in time, and the growth experiment of `docs/findings.md`, in
//! bytes. `cargo bench --bench growth -- WORD` measures the rows with that word in their names, and
//! `PROMPTC_PROGRAM=FILE` another program. It fails if a row costs more than it may.

#![allow(
    missing_docs,
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::unwrap_used
)]

mod costs;
mod experiment;

use std::env;
use std::process::ExitCode;

fn main() -> ExitCode {
    if !env::args().any(|a| a == "--bench") {
        return ExitCode::SUCCESS;
    }
    let words: Vec<String> = env::args().skip(1).filter(|a| a != "--bench").collect();
    let program = env::var("PROMPTC_PROGRAM");
    let program = program.as_deref().unwrap_or(env!("CARGO_BIN_EXE_promptc"));
    if words.is_empty() {
        memory();
    }
    match dear(program, &words) {
        0 => ExitCode::SUCCESS,
        n => {
            println!("{n} of them cost more than {} times a tenth", costs::MOST);
            ExitCode::FAILURE
        }
    }
}

/// How many rows cost too much.
fn dear(program: &str, words: &[String]) -> usize {
    println!(
        "{:42} {:>10} {:>10} {:>6}",
        "", "ten tenths", "as a whole", "times"
    );
    let asked = |row: &&costs::Row| words.iter().all(|word| row.name.contains(word.as_str()));
    let dear = costs::ROWS.iter().filter(asked).filter(|row| {
        let cost = row.cost(program);
        let counted = cost.instructions;
        let counted = counted.map(|times| format!("  {times:.1} times the instructions"));
        println!(
            "{:42} {:8.2} s {:8.2} s {:6.1}{}",
            row.name,
            cost.ten,
            cost.one,
            cost.times(),
            counted.unwrap_or_default()
        );
        cost.is_dear()
    });
    dear.count()
}

fn memory() {
    let folder = tempfile::tempdir().unwrap();
    let rows = experiment::rows(env!("CARGO_BIN_EXE_promptc"), folder.path());
    println!(
        "{} sessions, one memory entry more in each",
        experiment::SESSIONS
    );
    for row in rows {
        let step = row.step.map_or("-".to_owned(), |step| step.to_string());
        println!(
            "{:20} step {step:>4}: mean {:.3}, least {:.3}, newest entry in {} of {}",
            row.order,
            row.mean,
            row.least,
            row.newest,
            experiment::SESSIONS
        );
    }
}
