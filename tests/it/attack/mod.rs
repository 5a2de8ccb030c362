//! Hostile repositories, files and crowds: each test is an attack that must fail. `docs/threat-model.md` names them.

mod bad_input;
mod crowd;
mod diff;
#[cfg(unix)]
mod disk;
mod disturbed;
mod evaluation;
#[cfg(unix)]
mod exits;
#[cfg(target_os = "linux")]
mod facts;
#[cfg(target_os = "linux")]
mod full;
mod git;
mod hostile;
mod identity;
mod imports;
mod killed;
mod lines;
mod moves;
mod mutate;
mod mutated;
mod output;
mod snapshots;
mod replay;
mod snapshot;
mod syscalls;
#[cfg(target_os = "linux")]
mod walls;
#[cfg(unix)]
mod writers;
mod yard;
