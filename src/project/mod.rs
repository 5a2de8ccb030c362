//! A manifest with its world, and all that can be asked of it.

mod run;

pub(crate) use run::Run;
