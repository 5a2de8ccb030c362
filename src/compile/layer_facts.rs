//! The answers to `exists()` and `loaded()`.

use super::plan::Layer;
use crate::template::{Scope, Values};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The facts that are known when a layer is evaluated.
#[derive(Debug, Clone, Default)]
pub(super) struct LayerFacts {
    exists: Arc<BTreeMap<(String, String), bool>>,
    loaded: Arc<BTreeMap<String, bool>>,
    /// As what the root `manifest` is bound for the layer; none if it is that of the outermost manifest.
    manifest: Option<Arc<str>>,
}

impl LayerFacts {
    /// With every answer of `exists()`, by root, as it is bound, and file.
    pub(super) fn new(exists: BTreeMap<(String, String), bool>) -> Self {
        Self {
            exists: Arc::new(exists),
            loaded: Arc::default(),
            manifest: None,
        }
    }

    /// As a layer sees them.
    pub(super) fn of(&self, layer: &Layer) -> Self {
        Self {
            manifest: Some(layer.manifest.clone()),
            ..self.clone()
        }
    }

    /// Notes whether a layer counts as loaded; nothing later changes it.
    pub(super) fn loaded(&mut self, layer: &str, counts: bool) {
        Arc::make_mut(&mut self.loaded).insert(layer.to_owned(), counts);
    }

    /// Whether a layer counts as loaded.
    pub(super) fn is_loaded(&self, layer: &str) -> bool {
        self.loaded.get(layer).copied().unwrap_or_default()
    }

    /// The answers of `exists()`.
    pub(super) fn exists(&self) -> &Arc<BTreeMap<(String, String), bool>> {
        &self.exists
    }

    /// Facts and lets, and the answers so far.
    pub(super) fn scope(&self, values: &Arc<Values>) -> Scope {
        Scope::new(values.clone())
            .with_exists(self.exists.clone(), self.manifest.clone())
            .with_loaded(self.loaded.clone())
    }
}
