//! The objects that programs see: the context, documents and parts. Each look is logged.

use super::access::{Log, Origin, Owner};
use super::data;
use super::failure::plant;
use super::scope::{Local, Part, Scope, Slot};
use super::syntax::{JOINED, SUMMED};
use crate::diagnostic::{UNKNOWN_ATTRIBUTE, suggest};
use crate::prompt::Ingredient;
use crate::text::Text;
use crate::text::document::{Document, MANIFEST};
use minijinja::value::{DynObject, Enumerator, Object, ObjectExt as _, ObjectRepr, Value};
use minijinja::{Error, State};
use std::cmp::Ordering;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// The name under which filters and functions find the context. No program can write it.
const HANDLE: &str = "\0context";

/// The root of all names in one run.
pub(super) struct Context {
    scope: Scope,
    log: Arc<Log>,
    /// Locals as values, made once, in the order of the scope's.
    locals: Vec<Value>,
    /// The document whose attributes are plain names.
    document: Option<Arc<DocumentObject>>,
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Context")
    }
}

impl Context {
    pub(super) fn new(scope: &Scope, log: &Arc<Log>) -> Self {
        let value = |local: &Local| match local {
            Local::Text(text) => Value::from(text.shared().clone()),
            Local::Documents(documents) => document_list(documents, log),
            Local::Part(part) => Value::from_object(PartObject {
                part: part.clone(),
                documents: part
                    .documents
                    .iter()
                    .map(|d| document_value(d, log))
                    .collect(),
                log: log.clone(),
            }),
            Local::Value(value) => value.clone(),
            Local::String(text) => Value::from(text.clone()),
        };
        Self {
            locals: scope.locals.iter().map(|(_, local)| value(local)).collect(),
            document: scope
                .document
                .as_ref()
                .map(|d| Arc::new(DocumentObject::new(d, log))),
            scope: scope.clone(),
            log: log.clone(),
        }
    }

    /// The context of a run, from inside a filter, function or formatter.
    pub(super) fn of(state: &State<'_, '_>) -> Option<Arc<Self>> {
        state.lookup(HANDLE)?.downcast_object::<Self>()
    }

    pub(super) fn log(&self) -> &Log {
        &self.log
    }

    /// The answer of `exists()`; none if it was not prepared, because a name was computed.
    pub(super) fn exists(&self, root: &str, file: &str) -> Option<bool> {
        let manifest = self.scope.manifest.as_deref();
        let bound = manifest.filter(|_| root == MANIFEST).unwrap_or(root);
        let key = (bound.to_owned(), file.to_owned());
        let value = self.scope.exists.as_ref()?.get(&key).copied()?;
        let (root, path) = (root.to_owned(), key.1);
        self.log.asked(Ingredient::Exists { root, path, value });
        Some(value)
    }

    /// The answer of `loaded()`; none if it was not prepared.
    pub(super) fn loaded(&self, layer: &str) -> Option<bool> {
        let value = self.scope.loaded.as_ref()?.get(layer).copied()?;
        let layer = layer.to_owned();
        self.log.asked(Ingredient::Loaded { layer, value });
        Some(value)
    }

    fn local(&self, name: &str) -> Option<Value> {
        let at = self
            .scope
            .locals
            .iter()
            .position(|(known, _)| &**known == name)?;
        let value = self.locals.get(at)?;
        match self.scope.locals.get(at).map(|(_, local)| local) {
            Some(Local::Text(text)) => look_at_text(&self.log, text),
            Some(Local::Part(part)) => self.log.looked(Origin::of_text(&part.text)),
            Some(Local::Documents(documents)) => {
                if let Some(index) = documents.iter().find_map(|d| d.ingredient) {
                    self.log.looked(Origin::Ingredient(index));
                }
            }
            Some(Local::String(text)) => {
                self.log.own(Owner::Derived(text.clone(), Origin::Template))
            }
            Some(Local::Value(_)) | None => {}
        }
        Some(value.clone())
    }

    fn slot(&self, name: &str) -> Option<Value> {
        let (name, slot) = self.scope.values.entry(name)?;
        if !slot.is_let() {
            self.log.fact(name);
            if let Some(text) = &slot.text {
                self.log.own(Owner::Fact(name.clone(), text.clone()));
            }
        } else {
            self.look_at_let(name, slot)
        }
        Some(slot.value.clone())
    }

    fn look_at_let(&self, name: &Arc<str>, slot: &Slot) {
        self.log.fact(name);
        let text = slot.text.as_ref().filter(|_| self.log.is_of_render());
        let Some(text) = text else { return };
        // A let that hands a fact through shares its buffer, and its bytes stay the fact's.
        self.log.own(match self.scope.values.handed(name, text) {
            Some(fact) => Owner::Fact(fact.clone(), text.clone()),
            None => Owner::Derived(text.clone(), Origin::Fact(name.clone())),
        });
    }
}

impl Object for Context {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        self.get_value_by_str(key.as_str()?)
    }

    fn get_value_by_str(self: &Arc<Self>, key: &str) -> Option<Value> {
        match key {
            HANDLE => return Some(Value::from_dyn_object(self.clone())),
            // Not a fact that has this name.
            SUMMED | JOINED => return None,
            _ => {}
        }
        self.local(key)
            .or_else(|| self.document.as_ref()?.attribute(key))
            .or_else(|| self.slot(key))
    }
}

fn look_at_text(log: &Log, text: &Text) {
    log.own(Owner::Text(text.clone()));
    log.looked(Origin::of_text(text));
}

fn document_value(document: &Arc<Document>, log: &Arc<Log>) -> Value {
    Value::from_object(DocumentObject::new(document, log))
}

fn document_list(documents: &[Arc<Document>], log: &Arc<Log>) -> Value {
    let list: Vec<Value> = documents.iter().map(|d| document_value(d, log)).collect();
    Value::from(list)
}

/// A document: attributes and nothing else.
pub(super) struct DocumentObject {
    document: Arc<Document>,
    meta: OnceLock<Value>,
    log: Arc<Log>,
}

impl fmt::Debug for DocumentObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("document")
    }
}

impl DocumentObject {
    fn new(document: &Arc<Document>, log: &Arc<Log>) -> Self {
        Self {
            document: document.clone(),
            meta: OnceLock::new(),
            log: log.clone(),
        }
    }

    /// Bytes of its text.
    pub(super) fn len(&self) -> usize {
        self.document.text.as_str().len()
    }

    fn origin(&self) -> Origin {
        match self.document.ingredient {
            Some(index) => Origin::Ingredient(index),
            None => Origin::of_text(&self.document.text),
        }
    }

    fn attribute(&self, name: &str) -> Option<Value> {
        let d = &*self.document;
        let string = match name {
            "name" => match &d.entry {
                Some(entry) if !entry.name.as_str().is_empty() => {
                    return Some(self.written(&entry.name));
                }
                _ => &d.name,
            },
            "path" => &d.path,
            "dir" => &d.dir,
            "location" => &d.location,
            "root" => &d.root,
            "label" => match &d.own_label {
                Some(label) => return Some(self.written(label)),
                None => &d.label,
            },
            "about" => return Some(self.written(&d.about)),
            "folder" => &d.entry.as_ref()?.folder,
            "category" => &d.entry.as_ref()?.category,
            "description" => return Some(self.written(&d.entry.as_ref()?.description)),
            "text" => {
                look_at_text(&self.log, &d.text);
                return Some(Value::from(d.text.shared().clone()));
            }
            _ => return self.plain_attribute(name),
        };
        self.log.looked(self.origin());
        self.log.own(Owner::Derived(string.clone(), self.origin()));
        Some(Value::from(string.clone()))
    }

    /// The manifest's settings of the document; its bytes are the manifest's or a fact's.
    fn written(&self, text: &Text) -> Value {
        self.log.looked(self.origin());
        look_at_text(&self.log, text);
        Value::from(text.shared().clone())
    }

    fn meta(&self) -> Value {
        let meta = || {
            Value::from_object(MetaObject {
                document: self.document.clone(),
                log: self.log.clone(),
            })
        };
        self.meta.get_or_init(meta).clone()
    }

    /// The attributes that have no buffer of their own.
    fn plain_attribute(&self, name: &str) -> Option<Value> {
        let d = &*self.document;
        let value = match name {
            "root_index" => Value::from(d.shown_root_index()),
            "meta" => self.meta(),
            "chars" => Value::from(d.text.as_str().chars().count()),
            "total" => Value::from(d.total),
            "truncated" => Value::from(d.truncated),
            "replaced" => Value::from(d.replaced),
            _ => return None,
        };
        self.log.looked(self.origin());
        Some(value)
    }
}

/// The front matter of a document: a map whose values are made on demand.
struct MetaObject {
    document: Arc<Document>,
    log: Arc<Log>,
}

impl fmt::Debug for MetaObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("front matter")
    }
}

impl Object for MetaObject {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        self.get_value_by_str(key.as_str()?)
    }

    /// Strings that are unchanged in the document keep their position.
    fn get_value_by_str(self: &Arc<Self>, key: &str) -> Option<Value> {
        match self.document.meta_texts.get(key) {
            Some(text) => {
                self.log.own(Owner::Text(text.clone()));
                Some(Value::from(text.shared().clone()))
            }
            None => self.document.meta.get(key).map(data::value),
        }
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        self.mapped_rev_enumerator(|meta| {
            let keys = meta.document.meta.keys();
            Box::new(keys.map(|key| Value::from(key.as_str())))
        })
    }
}

/// The error for an attribute that documents do not have.
pub(super) fn unknown_attribute(name: &str) -> Error {
    let near = suggest::nearest(name, Document::ATTRIBUTES.iter().copied());
    let planted = plant(
        UNKNOWN_ATTRIBUTE,
        "a document has no attribute of that name",
    );
    match near {
        Some(near) => planted.help(format!("did you mean `{near}`?")).into(),
        None => planted.into(),
    }
}

impl Object for DocumentObject {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        let name = key.as_str().unwrap_or_default();
        self.get_value_by_str(name)
    }

    fn get_value_by_str(self: &Arc<Self>, key: &str) -> Option<Value> {
        self.attribute(key)
            .or_else(|| Some(Value::from(unknown_attribute(key))))
    }

    fn custom_cmp(self: &Arc<Self>, other: &DynObject) -> Option<Ordering> {
        fn key(d: &Document) -> (&str, usize, &str, &str, &str) {
            (&d.root, d.root_index, &d.path, &d.label, d.text.as_str())
        }
        let other = other.downcast_ref::<Self>()?;
        if Arc::ptr_eq(&self.document, &other.document) {
            return Some(Ordering::Equal);
        }
        Some(key(&self.document).cmp(&key(&other.document)))
    }

    fn render(self: &Arc<Self>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.document.text.as_str())
    }
}

/// A part of a layer.
pub(super) struct PartObject {
    part: Arc<Part>,
    documents: Vec<Value>,
    log: Arc<Log>,
}

impl fmt::Debug for PartObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("part")
    }
}

impl PartObject {
    /// Bytes of its text.
    pub(super) fn len(&self) -> usize {
        self.part.text.as_str().len()
    }

    /// Its text, which is about to be printed.
    pub(super) fn text(&self) -> &str {
        look_at_text(&self.log, &self.part.text);
        self.part.text.as_str()
    }
}

impl Object for PartObject {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Seq
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        self.documents.get(key.as_usize()?).cloned()
    }

    fn get_value_by_str(self: &Arc<Self>, key: &str) -> Option<Value> {
        // A part is a list; what looks like an attribute of it was meant for one of its documents.
        Document::ATTRIBUTES
            .contains(&key)
            .then(|| Value::from(unknown_on_list()))
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Seq(self.documents.len())
    }

    fn is_true(self: &Arc<Self>) -> bool {
        !self.part.text.as_str().is_empty()
    }

    fn render(self: &Arc<Self>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.part.text.as_str())
    }
}

fn unknown_on_list() -> Error {
    let message = "a part holds documents and has no attributes of its own";
    plant(UNKNOWN_ATTRIBUTE, message)
        .help("name one of its documents: (part | first).name, or {% for d in part %}")
        .into()
}
