//! The growth experiment of `docs/findings.md`: `cargo bench --bench growth`. It measures bytes, not time.

#![allow(
    missing_docs,
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::unwrap_used
)]

mod experiment;

fn main() {
    if !std::env::args().any(|a| a == "--bench") {
        return;
    }
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
