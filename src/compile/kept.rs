//! Layers that were made before, by all that they depend on: a layer is made again only where one of these differs.

use super::bind::ResolvedInputs;
use super::layer::{LoadedText, Present, RenderedLayer};
use super::layer_facts::LayerFacts;
use super::plan::{Layer, Plan, What};
use super::record::Record;
use crate::prompt::Absent;
use crate::source::place::BoundRoot;
use crate::template::fact::FactValue;
use crate::text::Text;
use crate::text::tokens::Tokenizer;
use crate::world::{Asked, Look, Trace};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How many makings of one layer are kept: for so many values of the facts in it.
const MOST: usize = 16;

/// Layers of one plan as they were made.
#[derive(Debug)]
pub struct LayerMemo {
    layers: BTreeMap<Arc<str>, OneLayer>,
}

/// A layer with the names that it can read.
#[derive(Debug)]
struct OneLayer {
    facts: Vec<Arc<str>>,
    roots: Vec<Arc<str>>,
    /// The layers of which it asks whether they are loaded.
    others: Vec<Arc<str>>,
    /// As it was made, the last time in front.
    made: Mutex<Vec<Arc<KeptLayer>>>,
}

/// What one build that keeps layers does it with.
pub(super) struct Warm<'m> {
    look: &'m Look<'m>,
    memo: &'m LayerMemo,
    /// The layers of this build so far.
    used: RefCell<Vec<Arc<KeptLayer>>>,
    /// Whether one of them could not be kept.
    lost: Cell<bool>,
}

/// A layer that was made.
#[derive(Debug)]
pub(super) struct KeptLayer {
    seed: Seed,
    made: Made,
    /// The layer before it was rendered, if it may be cut to its `min`.
    draft: Option<Draft>,
    /// The last look in which all was as it had been.
    seen: AtomicU64,
}

/// What a layer is made of.
#[derive(Debug)]
pub(super) struct Seed {
    depends: Depends,
    asked: Vec<Asked>,
    counts: bool,
}

/// What a layer depends on but for the world.
#[derive(Debug, PartialEq)]
struct Depends {
    facts: Vec<Option<FactValue>>,
    roots: Vec<Option<Place>>,
    exists: Arc<BTreeMap<(String, String), bool>>,
    /// Of the layers that it asks for.
    loaded: Vec<bool>,
    tokenizer: Option<Tokenizer>,
}

/// A root as it was bound.
#[derive(Debug, PartialEq)]
struct Place {
    folders: Vec<(PathBuf, bool, bool)>,
    shown: Option<Arc<str>>,
}

#[derive(Debug)]
enum Made {
    Absent(Absent, Record),
    Present(Text, Record),
}

#[derive(Debug)]
struct Draft {
    content: Option<LoadedText>,
    parts: Vec<(Arc<str>, LoadedText)>,
    record: Record,
}

impl Place {
    fn of(root: &BoundRoot) -> Self {
        let folders = root.folders.iter();
        let folders = folders.map(|f| {
            let path = f.folder.path().to_owned();
            (path, f.folder.follows_links(), f.is_disk())
        });
        Self {
            folders: folders.collect(),
            shown: root.shown.clone(),
        }
    }
}

impl OneLayer {
    fn of(layer: &Layer) -> Self {
        let links = layer.why.chains.iter().flat_map(|chain| &chain.links);
        let named = |what: What| {
            let links = links.clone().filter(move |link| link.what == what);
            let names: BTreeSet<Arc<str>> = links.map(|link| link.name.clone()).collect();
            names.into_iter().collect()
        };
        Self {
            facts: named(What::Fact),
            roots: named(What::Root),
            others: named(What::Loaded),
            made: Mutex::default(),
        }
    }

    fn depends(&self, bound: &ResolvedInputs, answers: &LayerFacts) -> Depends {
        let facts = self.facts.iter();
        let roots = self.roots.iter();
        let others = self.others.iter();
        Depends {
            facts: facts
                .map(|name| bound.facts.get(&**name).cloned())
                .collect(),
            roots: roots
                .map(|name| bound.roots.get(&**name).map(Place::of))
                .collect(),
            exists: answers.exists().clone(),
            loaded: others.map(|name| answers.is_loaded(name)).collect(),
            tokenizer: bound.tokenizer,
        }
    }

    fn made(&self) -> MutexGuard<'_, Vec<Arc<KeptLayer>>> {
        // Entries are whole when they are put in.
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LayerMemo {
    /// Of this plan, of which nothing was made yet.
    pub(crate) fn new(plan: &Plan) -> Self {
        let layers = plan.tiers.iter().flat_map(|tier| &tier.layers);
        Self {
            layers: layers.map(|l| (l.name.clone(), OneLayer::of(l))).collect(),
        }
    }
}

impl<'m> Warm<'m> {
    pub(super) fn new(look: &'m Look<'m>, memo: &'m LayerMemo) -> Self {
        Self {
            look,
            memo,
            used: RefCell::default(),
            lost: Cell::new(false),
        }
    }

    /// The layer as it was made of the same.
    ///
    /// # Errors
    /// What to make it with, if it is not kept.
    pub(super) fn find(
        &self,
        layer: &Layer,
        bound: &ResolvedInputs,
        answers: &LayerFacts,
    ) -> Result<Arc<KeptLayer>, Making<'m>> {
        let trace = Trace::new(self.look);
        let Some(one) = self.memo.layers.get(&layer.name) else {
            return Err(Making {
                trace,
                depends: None,
            });
        };
        let depends = one.depends(bound, answers);
        let mut all = one.made();
        let at = all
            .iter()
            .position(|kept| kept.seed.depends == depends && kept.is_still(self.look));
        if let Some(at) = at {
            all[..=at].rotate_right(1);
            self.used.borrow_mut().push(all[0].clone());
            return Ok(all[0].clone());
        }
        drop(all);
        for name in &one.roots {
            let root = bound.roots.get(&**name);
            // Another layer may have asked for these, and a folder remembers it.
            for folder in root.iter().flat_map(|root| &root.folders) {
                folder.ask_top(&trace);
            }
        }
        Err(Making {
            trace,
            depends: Some(depends),
        })
    }

    /// Keeps a layer, if it was made without a finding.
    pub(super) fn keep(
        &self,
        layer: &Layer,
        seed: Option<Seed>,
        made: &RenderedLayer<'_>,
        draft: Option<Present<'_>>,
    ) {
        let one = self.memo.layers.get(&layer.name);
        let (Some(seed), Some(one)) = (seed, one) else {
            self.lost.set(true);
            return;
        };
        let kept = Arc::new(KeptLayer {
            seed,
            made: match made {
                RenderedLayer::Absent(absent, record) => {
                    Made::Absent(absent.clone(), record.clone())
                }
                RenderedLayer::Present(_, text, record) => {
                    Made::Present(text.clone(), record.clone())
                }
            },
            draft: draft.map(|present| Draft {
                content: present.content,
                parts: present.parts,
                record: present.record,
            }),
            seen: AtomicU64::new(self.look.id()),
        });
        self.used.borrow_mut().push(kept.clone());
        let mut all = one.made();
        // What was made of the same in another world is gone.
        all.retain(|before| before.seed.depends != kept.seed.depends);
        all.insert(0, kept);
        all.truncate(MOST);
    }

    /// All that was asked of the world for the layers; none if it cannot all be asked again.
    pub(super) fn into_asked(self) -> Option<Vec<Asked>> {
        let used = self.used.into_inner();
        let asked = used.iter().flat_map(|kept| &kept.seed.asked);
        (!self.lost.get()).then(|| asked.cloned().collect())
    }
}

/// With what a layer is made that is not kept.
pub(super) struct Making<'m> {
    pub(super) trace: Trace<'m>,
    depends: Option<Depends>,
}

impl Making<'_> {
    /// What the layer was made of, if that can be compared later; `counts` is what `loaded()` says of it.
    pub(super) fn seed(self, counts: bool) -> Option<Seed> {
        Some(Seed {
            depends: self.depends?,
            asked: self.trace.into_asked()?,
            counts,
        })
    }
}

impl KeptLayer {
    fn is_still(&self, look: &Look<'_>) -> bool {
        // A look gives no other answer than before.
        let is_seen = self.seen.load(Ordering::Relaxed) == look.id();
        if !is_seen && !look.are_still(&self.seed.asked) {
            return false;
        }
        self.seen.store(look.id(), Ordering::Relaxed);
        true
    }

    /// What `loaded()` says of it.
    pub(super) fn counts(&self) -> bool {
        self.seed.counts
    }

    pub(super) fn rendered<'p>(&self, layer: &'p Layer) -> RenderedLayer<'p> {
        match &self.made {
            Made::Absent(absent, record) => RenderedLayer::Absent(absent.clone(), record.clone()),
            Made::Present(text, record) => {
                RenderedLayer::Present(layer, text.clone(), record.clone())
            }
        }
    }

    pub(super) fn draft<'p>(&self, layer: &'p Layer) -> Option<Present<'p>> {
        let draft = self.draft.as_ref()?;
        Some(Present {
            layer,
            content: draft.content.clone(),
            parts: draft.parts.clone(),
            record: draft.record.clone(),
        })
    }
}
