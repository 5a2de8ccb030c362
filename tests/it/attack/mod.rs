//! Hostile repositories, files and crowds: each test is an attack that must fail. `docs/threat-model.md` names them.

mod evaluation;
mod git;
