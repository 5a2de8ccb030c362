//! The kinds of store, each of which obeys the same contract.

use super::Place;
use super::model::Model;
use promptc::session::store::{Location, Store};

/// A kind of store.
pub(super) struct Kind {
    pub(super) name: &'static str,
    /// Makes an empty store that no other test uses.
    make: fn() -> Opener,
}

/// Opens one store, as often as a test needs it.
type Opener = Box<dyn Fn() -> Box<dyn Store> + Sync>;

/// Each test of the contract runs for each of these, and the laws compare each with the model. A new kind is a line here.
pub(super) const KINDS: &[Kind] = &[
    Kind {
        name: "model",
        make: model,
    },
    Kind {
        name: "sqlite",
        make: sqlite,
    },
    Kind {
        name: "sqlite, made with its first data",
        make: later,
    },
];

fn model() -> Opener {
    let model = Model::default();
    Box::new(move || Box::new(model.clone()))
}

fn sqlite() -> Opener {
    let place = Place::new();
    Box::new(move || Box::new(place.open()))
}

fn later() -> Opener {
    let place = Place::new();
    Box::new(move || Location::File(place.file()).open_later(10).unwrap())
}

/// A store of some kind, which a test opens.
pub(super) struct Opened {
    kind: &'static str,
    opener: Opener,
}

impl Kind {
    /// An empty store.
    pub(super) fn empty(&self) -> Opened {
        Opened {
            kind: self.name,
            opener: (self.make)(),
        }
    }
}

impl Opened {
    /// Opens the store once more.
    pub(super) fn open(&self) -> Box<dyn Store> {
        (self.opener)()
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        if std::thread::panicking() {
            println!("the store is of the kind `{}`", self.kind);
        }
    }
}
