//! Worlds that wrap another one.

use super::{Entry, World, as_in};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

/// A world whose folders are listed in another order, for tests of law 1.
#[derive(Debug, Clone)]
pub struct ShuffledWorld<W> {
    /// The wrapped world.
    pub world: W,
    /// The seed of an order; the same seed gives the same order.
    pub seed: u64,
}

impl<W: World> World for ShuffledWorld<W> {
    as_in!(self => self.world; kind kind_of_name canonical read read_found stream env home now stdin);

    fn list(&self, path: &Path) -> io::Result<Vec<Entry>> {
        let mut entries = self.world.list(path)?;
        let mut state = self.seed;
        for last in (1..entries.len()).rev() {
            // A step of a 64-bit congruential generator; its high bits are good enough to shuffle with.
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let other = usize::try_from(state >> 33).unwrap_or(0) % (last + 1);
            entries.swap(last, other);
        }
        Ok(entries)
    }
}

/// A world without environment and home folder, as scenarios have it.
#[derive(Debug, Clone)]
pub struct Hermetic<W> {
    /// The wrapped world.
    pub world: W,
}

impl<W: World> World for Hermetic<W> {
    as_in!(self => self.world; kind kind_of_name canonical read read_found list now stdin);

    fn env(&self, _: &str) -> Option<OsString> {
        None
    }

    fn home(&self) -> Option<PathBuf> {
        None
    }
}
