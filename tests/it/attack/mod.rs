//! Hostile repositories, files and crowds: each test is an attack that must fail. `docs/threat-model.md` names them.

mod crowd;
mod evaluation;
mod git;
mod identity;
mod imports;
mod output;
