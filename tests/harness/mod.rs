//! Running the program: in a folder of its own, and as a case file says.

pub(crate) mod run;
pub(crate) mod case;
