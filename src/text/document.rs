//! A document: one text with what is known about it.

use crate::text::{Json, Text};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The attributes of an entry: one of many that a source lists. An attribute that its source does not give is empty.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Entry {
    /// Its name with the owner of its bytes; empty if the document's name is all that is known.
    pub name: Text,
    /// The name of its folder.
    pub folder: Arc<str>,
    /// The folders above that one, joined by `/`.
    pub category: Arc<str>,
    /// Its front matter.
    pub description: Text,
}

/// The root whose folders are those of the manifest and of its bases.
pub const MANIFEST: &str = "manifest";

/// The number of the base next to which a document of a root was found, in the root's folder of this index. In roots other than
/// `manifest` folders do not belong to bases, and it is 0.
#[must_use]
pub fn base_of(root: &str, root_index: usize) -> usize {
    if root == MANIFEST { root_index } else { 0 }
}

/// One text that a source yielded, with the attributes that templates see.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// Last component of the path; the label if it has no path.
    pub name: Arc<str>,
    /// Path inside the root, `/` between components; empty for text and facts.
    pub path: Arc<str>,
    /// Folder of the path; empty at the top of the root.
    pub dir: Arc<str>,
    /// The path in prompts: after the root's `as=`, if it has one.
    pub location: Arc<str>,
    /// The root's name; empty for text and facts.
    pub root: Arc<str>,
    /// The index of its folder, from 0, in a root that has many. In `manifest` it is the number of the base next to which the
    /// file is.
    pub root_index: usize,
    /// `label=`, else the name.
    pub label: Arc<str>,
    /// `label=` with the owner of its bytes, if it is written.
    pub own_label: Option<Text>,
    /// `about=`; empty if not written.
    pub about: Text,
    /// The text as far as it has come.
    pub text: Text,
    /// Front matter, if it was parsed; ordered by key.
    pub meta: BTreeMap<String, Json>,
    /// The strings of `meta` that are in the document unchanged, with their position.
    pub meta_texts: BTreeMap<String, Text>,
    /// Unicode scalar values before any budget cut it.
    pub total: usize,
    /// Whether a budget cut it.
    pub truncated: bool,
    /// Whether a scan replaced it.
    pub replaced: bool,
    /// The additional attributes of an entry of an index or memory; none if it is not an entry.
    pub entry: Option<Arc<Entry>>,
    /// Its index among the layer's ingredients, if it is one.
    pub ingredient: Option<u32>,
}

impl Document {
    /// A text that is no file: only its name and label, which are the same, and its size are known.
    #[must_use]
    pub fn unfiled(label: Arc<str>, text: Text) -> Self {
        Self {
            name: label.clone(),
            label,
            total: text.as_str().chars().count(),
            text,
            path: Arc::default(),
            dir: Arc::default(),
            location: Arc::default(),
            root: Arc::default(),
            root_index: 0,
            own_label: None,
            about: Text::default(),
            meta: BTreeMap::new(),
            meta_texts: BTreeMap::new(),
            truncated: false,
            replaced: false,
            entry: None,
            ingredient: None,
        }
    }

    /// The number of the base next to which it was found; 0 next to the manifest itself, and in other roots than `manifest`.
    #[must_use]
    pub fn base(&self) -> usize {
        base_of(&self.root, self.root_index)
    }

    /// `root_index` as templates see it. It does not count bases, since a base does not know who extends it.
    #[must_use]
    pub fn shown_root_index(&self) -> usize {
        self.root_index - self.base()
    }

    /// The attributes that templates and expressions may use.
    pub const ATTRIBUTES: &'static [&'static str] = &[
        "name",
        "path",
        "dir",
        "location",
        "root",
        "root_index",
        "label",
        "about",
        "text",
        "meta",
        "chars",
        "total",
        "truncated",
        "replaced",
        "folder",
        "category",
        "description",
    ];

    /// The attributes that only entries have; elsewhere they are names like others.
    pub const OF_ENTRIES: &'static [&'static str] = &["folder", "category", "description"];

    /// The lists of documents that a layer with content gives its template.
    pub const LISTS: &'static [&'static str] = &["documents", "entries"];

    /// Names that facts, lets and parts may not take: document attributes, and what templates see besides.
    pub const RESERVED: &'static [&'static str] = &[
        "name",
        "path",
        "dir",
        "location",
        "root",
        "root_index",
        "label",
        "about",
        "text",
        "meta",
        "chars",
        "total",
        "truncated",
        "replaced",
        "content",
        "documents",
        "entries",
        "capacity",
        "dropped",
        "findings",
        "kept_head",
        "kept_tail",
        "omitted",
        "loop",
        "self",
        "super",
        "caller",
        "exists",
        "loaded",
        "range",
        "dict",
        "namespace",
        "true",
        "false",
        "none",
        "True",
        "False",
        "None",
        "not",
        "and",
        "or",
        "in",
        "is",
        "if",
        "else",
    ];
}
