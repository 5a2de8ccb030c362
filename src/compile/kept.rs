//! Layers that were made before, by all that they depend on: a layer is loaded or rendered again only where one of these differs.

use super::bind::ResolvedInputs;
use super::layer::{Content, RenderedLayer};
use super::layer_facts::LayerFacts;
use super::missing::NearMemo;
use super::plan::{Layer, Plan, Reason, What, linked_names};
use super::recent::Recent;
use super::record::Record;
use crate::prompt::Absent;
use crate::source::place::BoundRoot;
use crate::template::fact::FactValue;
use crate::text::Text;
use crate::text::tokens::Tokenizer;
use crate::world::{Answered, Recorder};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// For how many values of its facts a layer is cached, loaded and rendered.
const MOST: usize = 16;

/// Layers of one plan as they were made.
#[derive(Debug)]
pub struct LayerMemo {
    layers: BTreeMap<Arc<str>, OneLayer>,
    pub(super) near: NearMemo,
}

/// A layer with what it can read.
#[derive(Debug)]
struct OneLayer {
    /// Until it is loaded.
    loading: Names,
    /// Until it is rendered.
    rendering: Names,
    /// Loaded layers, the most recent first.
    loaded: Recent<Arc<KeptLayer>, MOST>,
}

#[derive(Debug)]
struct Names {
    facts: Vec<Arc<str>>,
    roots: Vec<Arc<str>>,
    /// The layers that it names in `loaded()`.
    layers: Vec<Arc<str>>,
}

/// A layer that was loaded.
#[derive(Debug)]
pub(super) struct KeptLayer {
    depends: Depends,
    asked: Vec<Answered>,
    /// The loaded layer.
    pub(super) content: Content,
    /// Its answer to `loaded()`.
    pub(super) counts: bool,
    /// The last recorder in which all was as it had been.
    seen: AtomicU64,
    /// Rendered layers, the most recent first.
    rendered: Recent<(Depends, KeptText), MOST>,
}

/// The dependencies of a layer other than the world.
#[derive(Debug, PartialEq)]
pub(super) struct Depends {
    facts: Vec<Option<Exact>>,
    roots: Vec<Option<RootKey>>,
    exists: Arc<BTreeMap<(String, String), bool>>,
    /// Whether each of the layers that it names in `loaded()` is loaded.
    loaded: Vec<bool>,
    tokenizer: Option<Tokenizer>,
}

/// A value that is the same only if it prints the same: -0.0 equals 0.0, and prints another text.
#[derive(Debug)]
struct Exact(FactValue);

impl PartialEq for Exact {
    fn eq(&self, other: &Self) -> bool {
        let prints_same = match (&self.0, &other.0) {
            (FactValue::Float(a), FactValue::Float(b)) => a.to_bits() == b.to_bits(),
            (FactValue::List(a), FactValue::List(b)) | (FactValue::Map(a), FactValue::Map(b)) => {
                serde_json::to_string(a).ok() == serde_json::to_string(b).ok()
            }
            _ => true,
        };
        prints_same && self.0 == other.0
    }
}

/// A root as it was bound.
#[derive(Debug, PartialEq)]
struct RootKey {
    folders: Vec<(PathBuf, bool, bool)>,
    shown: Option<Arc<str>>,
}

#[derive(Debug, Clone)]
enum KeptText {
    Absent(Absent, Record),
    Present(Text, Record),
}

impl RootKey {
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

impl Names {
    fn of(reasons: &[Arc<Reason>]) -> Self {
        let named = |what| linked_names(reasons, what).into_iter().collect();
        Self {
            facts: named(What::Fact),
            roots: named(What::Root),
            layers: named(What::Loaded),
        }
    }

    fn depends(&self, bound: &ResolvedInputs, answers: &LayerFacts) -> Depends {
        let (facts, roots) = (self.facts.iter(), self.roots.iter());
        let roots = roots.map(|name| bound.roots.get(&**name).map(RootKey::of));
        Depends {
            facts: facts
                .map(|name| bound.facts.get(&**name).cloned().map(Exact))
                .collect(),
            roots: roots.collect(),
            exists: answers.exists().clone(),
            loaded: self.layers.iter().map(|l| answers.is_loaded(l)).collect(),
            tokenizer: bound.tokenizer,
        }
    }
}

impl LayerMemo {
    /// An empty memo for a plan.
    pub(crate) fn new(plan: &Plan) -> Self {
        let layers = plan.tiers.iter().flat_map(|tier| &tier.layers);
        let one = |layer: &Layer| OneLayer {
            loading: Names::of(&layer.why.reasons[..layer.loading]),
            rendering: Names::of(&layer.why.reasons),
            loaded: Recent::default(),
        };
        Self {
            layers: layers.map(|l| (l.name.clone(), one(l))).collect(),
            near: NearMemo::default(),
        }
    }
}

/// The cache of layers during one build.
pub(super) struct Warm<'m> {
    recorder: &'m Recorder<'m>,
    memo: &'m LayerMemo,
    /// The layers of this build so far.
    used: RefCell<Vec<Arc<KeptLayer>>>,
    /// Whether one of them could not be cached.
    lost: Cell<bool>,
}

/// The loading of a layer that is not cached.
pub(super) struct Loading<'m> {
    /// The world that it is loaded from.
    pub(super) trace: Recorder<'m>,
    one: Option<(&'m OneLayer, Depends)>,
}

impl<'m> Warm<'m> {
    pub(super) fn new(recorder: &'m Recorder<'m>, memo: &'m LayerMemo) -> Self {
        Self {
            recorder,
            memo,
            used: RefCell::default(),
            lost: Cell::new(false),
        }
    }

    /// The layer as it was loaded from the same.
    ///
    /// # Errors
    /// How to load it, if it is not cached.
    pub(super) fn find(
        &self,
        layer: &Layer,
        bound: &ResolvedInputs,
        answers: &LayerFacts,
    ) -> Result<Arc<KeptLayer>, Box<Loading<'m>>> {
        let one = self.memo.layers.get(&layer.name);
        let one = one.map(|one| (one, one.loading.depends(bound, answers)));
        if let Some((one, depends)) = &one {
            let is_it =
                |kept: &Arc<KeptLayer>| kept.depends == *depends && kept.is_still(self.recorder);
            let found = one.loaded.find(|kept| is_it(kept).then(|| kept.clone()));
            if let Some(found) = found {
                self.used.borrow_mut().push(found.clone());
                return Ok(found);
            }
        }
        let trace = Recorder::over(self.recorder);
        for name in one.iter().flat_map(|(one, _)| &one.loading.roots) {
            // Asked again for this trace: a folder remembers what another layer asked, and would not ask the world.
            for folder in bound.bound_as(name).flat_map(|root| &root.folders) {
                folder.ask_top(&trace);
            }
        }
        Err(Box::new(Loading { trace, one }))
    }

    /// Keeps a layer that was loaded.
    ///
    /// # Errors
    /// The result, if it cannot be cached.
    pub(super) fn keep(
        &self,
        loading: Loading<'m>,
        content: Content,
        counts: bool,
    ) -> Result<Arc<KeptLayer>, Box<Content>> {
        let (Some((one, depends)), Some(asked)) = (loading.one, loading.trace.into_asked()) else {
            self.lost();
            return Err(Box::new(content));
        };
        let kept = Arc::new(KeptLayer {
            depends,
            asked,
            content,
            counts,
            seen: AtomicU64::new(self.recorder.id()),
            rendered: Recent::default(),
        });
        // Layers that were loaded for the same inputs from another world are gone.
        let is_same = |before: &Arc<KeptLayer>| before.depends == kept.depends;
        one.loaded.put(kept.clone(), is_same);
        self.used.borrow_mut().push(kept.clone());
        Ok(kept)
    }

    /// Notes that a layer could not be cached.
    pub(super) fn lost(&self) {
        self.lost.set(true);
    }

    /// The layer as it was rendered of the same.
    ///
    /// # Errors
    /// The dependencies it will have, if it is not cached.
    pub(super) fn rendered<'p>(
        &self,
        (layer, kept): (&'p Layer, &KeptLayer),
        bound: &ResolvedInputs,
        answers: &LayerFacts,
    ) -> Result<RenderedLayer<'p>, Option<Box<Depends>>> {
        let one = self.memo.layers.get(&layer.name);
        let Some(depends) = one.map(|one| one.rendering.depends(bound, answers)) else {
            return Err(None);
        };
        let same =
            |(before, text): &(Depends, KeptText)| (*before == depends).then(|| text.clone());
        match kept.rendered.find(same) {
            Some(KeptText::Absent(absent, record)) => Ok(RenderedLayer::Absent(absent, record)),
            Some(KeptText::Present(text, record)) => {
                Ok(RenderedLayer::Present(layer, text, record))
            }
            None => Err(Some(Box::new(depends))),
        }
    }

    /// All questions to the world for the layers; none if one cannot be repeated.
    pub(super) fn into_asked(self) -> Option<Vec<Answered>> {
        let used = self.used.into_inner();
        let asked = used.iter().flat_map(|kept| &kept.asked);
        (!self.lost.get()).then(|| asked.cloned().collect())
    }
}

impl KeptLayer {
    fn is_still(&self, recorder: &Recorder<'_>) -> bool {
        // A recorder gives no other answer than before.
        let is_seen = self.seen.load(Ordering::Relaxed) == recorder.id();
        if !is_seen && !recorder.are_still(&self.asked) {
            return false;
        }
        self.seen.store(recorder.id(), Ordering::Relaxed);
        true
    }

    /// Keeps it as it was rendered.
    pub(super) fn keep_rendered(&self, depends: Depends, made: &RenderedLayer<'_>) {
        let text = match made {
            RenderedLayer::Absent(absent, record) => {
                KeptText::Absent(absent.clone(), record.clone())
            }
            RenderedLayer::Present(_, text, record) => {
                KeptText::Present(text.clone(), record.clone())
            }
        };
        self.rendered.put((depends, text), |_| false);
    }
}
