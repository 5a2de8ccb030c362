//! Hostile repositories, files and crowds: each test is an attack that must fail. `docs/threat-model.md` names them.

#[cfg(unix)]
mod disk;
mod git;
mod output;
mod records;
#[cfg(unix)]
mod writers;
