//! Hostile repositories, files and crowds: each test is an attack that must fail. `docs/threat-model.md` names them.

mod crowd;
mod evaluation;
mod disturbed;
mod git;
mod identity;
mod imports;
mod output;
mod killed;
mod lines;
mod mutate;
mod mutated;
mod snapshot;
mod syscalls;
mod yard;
