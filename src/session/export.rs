//! A session as one document, to be taken to another store.

use super::restore::{steady, whole};
use super::{Inputs, SessionMeta};
use crate::prompt::{Deliver, RecordedInputs};
use crate::session::store::{
    self, Build, Key, LAST_NUMBER, NewBuild, Reason, Session, SessionId, Store, StoreError,
};
use crate::text::time;
use crate::world::RecordedWorld;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// The version of the document's shape.
pub const EXPORT: u32 = 4;

/// A session with its builds and all content that they refer to. It does not contain the values of private facts,
/// because no store has them; unless a template printed one into a stored text, or the manifest itself has it, as a
/// default or in a scenario.
///
/// Delivered reminders and directory rules are not exported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Export {
    /// The shape of this document: 4.
    pub schema: u32,
    /// The release that wrote it.
    pub promptc: String,
    /// The ID of the session.
    pub session: String,
    /// When it was asked for last, RFC 3339.
    pub used: String,
    /// Its builds, oldest first.
    pub builds: Vec<Exported>,
    /// The contents that they refer to, by hash: texts as they are, all else as JSON.
    pub contents: BTreeMap<String, String>,
    /// The hash of this document as JSON without white space, its keys in the order of the schema and those of maps in byte
    /// order, and nothing between the quotation marks of this one.
    pub checksum: String,
}

/// One build of an exported session; contents are given by their hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Exported {
    /// Counts from 1; no number is used twice.
    #[schemars(range(min = 1, max = 9_007_199_254_740_991_u64))]
    #[serde(rename = "build")]
    pub number: u64,
    /// When it was made, RFC 3339.
    #[serde(rename = "built")]
    pub at: String,
    /// Why: `first`, `event:NAME`, `idle:SECONDS`, `fact:NAME` or `asked`.
    pub reason: String,
    /// The metadata of its session.
    pub terms: String,
    /// The frozen text of each channel that has some.
    pub texts: BTreeMap<Deliver, String>,
    /// The map of the frozen tiers: an artifact without its texts.
    pub map: String,
    /// The program that builds its live tiers.
    pub plan: String,
    /// The files that the program names by their hashes.
    pub files: Vec<String>,
    /// What a later call need not give again.
    pub inputs: String,
    /// The record of all inputs, then the files that it names by their hashes; only with `--inputs`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub record: Vec<String>,
}

/// The form in which a document is imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// The ID of the session where it was exported.
    pub id: SessionId,
    /// When it was asked for last, in seconds since 1970-01-01 UTC.
    pub used: i64,
    /// Its builds, oldest first, with their numbers.
    pub builds: Vec<(u64, NewBuild)>,
}

/// Why a document is not imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoImport {
    /// It is something else; the text says what does not fit.
    NoExport(String),
    /// Another release wrote it, in a shape that this one does not read.
    OtherRelease {
        /// The version of its shape.
        schema: u32,
        /// The release.
        promptc: String,
    },
    /// It is not as it was written; the text says what gives it away.
    Changed(String),
}

/// The document of a session, without the records of inputs unless they are asked for; none if there is no such session.
///
/// # Errors
/// When the store cannot be read, or is damaged.
pub fn export(
    store: &mut dyn Store,
    id: &SessionId,
    inputs: bool,
) -> store::Result<Option<Export>> {
    steady(|| {
        let Some(session) = store.session(id)? else {
            return Ok(None);
        };
        let mut builds = store.builds(id)?;
        if !inputs {
            builds.iter_mut().for_each(|build| build.record.clear());
        }
        document(store, &session, &builds).map(Some)
    })
}

fn document(store: &mut dyn Store, session: &Session, builds: &[Build]) -> store::Result<Export> {
    let mut contents = BTreeMap::new();
    let mut take = |key: &Key| -> store::Result<String> {
        if !contents.contains_key(key.as_str()) {
            contents.insert(key.as_str().to_owned(), store.content(key)?);
        }
        Ok(key.as_str().to_owned())
    };
    let mut exported = Vec::new();
    let mut terms = Vec::new();
    for build in builds {
        let texts = build.texts.iter();
        let texts = texts.map(|(deliver, key)| Ok((*deliver, take(key)?)));
        terms.push(build.terms.clone());
        exported.push(Exported {
            number: build.number,
            at: exact_time(build.at)?,
            reason: build.reason.to_string(),
            terms: Key::of(&build.terms).as_str().to_owned(),
            texts: texts.collect::<store::Result<_>>()?,
            map: take(&build.map)?,
            plan: take(&build.plan)?,
            files: build
                .files
                .iter()
                .map(&mut take)
                .collect::<store::Result<_>>()?,
            inputs: take(&build.inputs)?,
            record: build
                .record
                .iter()
                .map(&mut take)
                .collect::<store::Result<_>>()?,
        });
    }
    // A store has the terms in the row of the build, and not among its contents.
    contents.extend(
        terms
            .into_iter()
            .map(|t| (Key::of(&t).as_str().to_owned(), t)),
    );
    let export = Export {
        schema: EXPORT,
        promptc: env!("CARGO_PKG_VERSION").to_owned(),
        session: session.id.to_string(),
        used: exact_time(session.used)?,
        builds: exported,
        contents,
        checksum: String::new(),
    };
    let checksum = export.sum();
    Ok(Export { checksum, ..export })
}

fn exact_time(seconds: i64) -> store::Result<String> {
    let exact = time::exact(seconds);
    exact.ok_or_else(|| StoreError::Damaged("a time is out of range".to_owned()))
}

/// The fields that every document has, whatever its schema.
#[derive(Deserialize)]
struct Shape {
    schema: u32,
    promptc: String,
    #[serde(rename = "session")]
    _session: String,
}

impl Imported {
    /// Parses a document. Every hash is computed again, and the parts for a restore must be as a build stores
    /// them.
    ///
    /// # Errors
    /// If it is something else, too new, or not as it was written.
    pub fn parse(text: &str) -> Result<Self, NoImport> {
        let foreign = |error: serde_json::Error| NoImport::NoExport(json_error(&error));
        let shape: Shape = serde_json::from_str(text).map_err(foreign)?;
        if shape.schema != EXPORT {
            return Err(NoImport::OtherRelease {
                schema: shape.schema,
                promptc: shape.promptc,
            });
        }
        let mut export: Export = serde_json::from_str(text).map_err(foreign)?;
        let checksum = std::mem::take(&mut export.checksum);
        let imported = export.import().map_err(NoImport::Changed)?;
        if export.sum() == checksum {
            Ok(imported)
        } else {
            Err(NoImport::Changed("its checksum differs".to_owned()))
        }
    }
}

impl Export {
    /// The hash over a document that has no checksum yet.
    fn sum(&self) -> String {
        // Strings, numbers and lists always have a JSON form.
        let text = serde_json::to_string(self).unwrap_or_default();
        Key::of(&text).as_str().to_owned()
    }

    fn import(&self) -> Result<Imported, String> {
        for (key, content) in &self.contents {
            if Key::of(content).as_str() != key {
                return Err(format!("the content `{}` has another hash", printable(key)));
            }
        }
        let id = SessionId::parse(&self.session);
        let mut wanted = BTreeSet::new();
        let mut builds: Vec<(u64, NewBuild)> = Vec::new();
        for exported in &self.builds {
            let number = exported.number;
            let last = builds.last().map_or(0, |(number, _)| *number);
            if number > LAST_NUMBER {
                return Err(format!(
                    "there is no build {number}: the last is {LAST_NUMBER}"
                ));
            }
            if number <= last {
                return Err(format!("build {number} comes after build {last}"));
            }
            let build = self.build(exported, &mut wanted);
            let build = build.map_err(|why| format!("build {number}: {why}"))?;
            builds.push((number, build));
        }
        if builds.is_empty() {
            return Err("it has no builds".to_owned());
        }
        if let Some(key) = self.contents.keys().find(|key| !wanted.contains(*key)) {
            return Err(format!(
                "the content `{}` belongs to no build",
                printable(key)
            ));
        }
        Ok(Imported {
            id: id.map_err(|why| format!("the ID is invalid: {why}"))?,
            used: seconds(&self.used)?,
            builds,
        })
    }

    fn build<'a>(
        &'a self,
        exported: &'a Exported,
        wanted: &mut BTreeSet<&'a String>,
    ) -> Result<NewBuild, String> {
        let mut take = |key: &'a String, what: &str| {
            wanted.insert(key);
            let content = self.contents.get(key);
            content
                .cloned()
                .ok_or_else(|| format!("its {what} is missing"))
        };
        let texts = exported.texts.iter();
        let texts = texts.map(|(deliver, key)| Ok((*deliver, take(key, "text")?)));
        let build = NewBuild {
            at: seconds(&exported.at)?,
            reason: Reason::parse(&exported.reason).ok_or("its reason is invalid")?,
            texts: texts.collect::<Result<_, String>>()?,
            terms: take(&exported.terms, "terms")?,
            map: take(&exported.map, "map")?,
            plan: take(&exported.plan, "plan")?,
            files: exported
                .files
                .iter()
                .map(|key| take(key, "file"))
                .collect::<Result<_, String>>()?,
            inputs: take(&exported.inputs, "inputs")?,
            record: exported
                .record
                .iter()
                .map(|key| take(key, "record of inputs"))
                .collect::<Result<_, String>>()?,
            imported: true,
        };
        sound(&build)?;
        Ok(build)
    }
}

/// Whether a build can be restored: that its hashes are right does not say that its parts belong together.
fn sound(build: &NewBuild) -> Result<(), String> {
    let foreign = |what: &'static str| {
        move |_: serde_json::Error| format!("its {what} cannot be read by this release")
    };
    let terms: SessionMeta = serde_json::from_str(&build.terms).map_err(foreign("terms"))?;
    let _: Inputs = serde_json::from_str(&build.inputs).map_err(foreign("inputs"))?;
    let _: RecordedWorld = serde_json::from_str(&build.plan).map_err(foreign("plan"))?;
    if let [record, files @ ..] = build.record.as_slice() {
        let record = serde_json::from_str(record);
        let mut record: RecordedInputs = record.map_err(foreign("record of inputs"))?;
        record.world.put_texts(files.iter().cloned());
        record.fault().map_or(Ok(()), Err)?;
    }
    let map = serde_json::from_str(&build.map).map_err(foreign("map"))?;
    let prompt = whole(map, |deliver| build.texts.get(&deliver).cloned())?;
    let bytes: BTreeMap<Deliver, usize> = prompt
        .channels
        .iter()
        .map(|c| (c.deliver, c.text.len()))
        .collect();
    let lengths = build
        .texts
        .iter()
        .map(|(deliver, text)| (*deliver, text.len()));
    if bytes != lengths.collect() || bytes != terms.bytes {
        return Err("its texts do not match its map".to_owned());
    }
    Ok(())
}

/// Why something is no document, without the names that its parts have in this program.
fn json_error(error: &serde_json::Error) -> String {
    let (line, column) = (error.line(), error.column().max(1));
    let why = error.to_string();
    match (error.is_data(), why.contains("struct ")) {
        (true, false) => why,
        (true, true) => "an object is missing, or has other parts".to_owned(),
        _ => format!("it stops being JSON at line {line}, column {column}"),
    }
}

fn seconds(text: &str) -> Result<i64, String> {
    let at = text.parse::<jiff::Timestamp>().ok();
    // Fractions would be lost.
    let at = at.filter(|at| at.subsec_nanosecond() == 0);
    let at = at.ok_or_else(|| format!("`{}` is not a point in time", printable(text)))?;
    Ok(at.as_second())
}

/// A text from outside, short and without control characters.
fn printable(text: &str) -> String {
    let clean = text.chars().filter(|c| !c.is_control());
    clean.take(80).collect()
}

impl fmt::Display for NoImport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoExport(why) | Self::Changed(why) => f.write_str(why),
            Self::OtherRelease { schema, promptc } => {
                write!(
                    f,
                    "its schema is {schema}, by promptc {promptc}, and this release reads {EXPORT}"
                )
            }
        }
    }
}

impl std::error::Error for NoImport {}
