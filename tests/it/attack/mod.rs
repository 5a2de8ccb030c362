//! Hostile repositories, files and crowds: each test is an attack that must fail. `docs/threat-model.md` names them.

mod disturbed;
mod git;
mod output;
mod killed;
mod lines;
mod mutate;
mod mutated;
mod snapshot;
mod syscalls;
mod yard;
