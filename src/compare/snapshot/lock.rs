//! The lock: the snapshots of one manifest, as text.

use super::from_prompt;
use super::inputs::SnapshotInputs;
use super::line::{Head, Header, InputsLine, LayerLine, Line};
use crate::diagnostic::{self, Diagnostic};
use crate::manifest::{self, Manifest};
use crate::prompt::{Deliver, Prompt, RecordedInputs};
use crate::world::git::ObjectFormat;
use std::collections::{BTreeMap, BTreeSet};

/// The format that this release writes and reads.
pub const FORMAT: u32 = 5;

/// The help for a lock that cannot be used.
const ACCEPT: &str = "`promptc test --accept` rewrites it from a new build of the manifest";

/// The snapshots of one manifest.
#[derive(Debug, Clone, PartialEq)]
pub struct Lock {
    /// The manifest as the lock names it: its file name, or its path where the lock is in another folder.
    pub manifest: String,
    /// By the name of the scenario.
    pub snapshots: BTreeMap<String, Snapshot>,
}

/// One snapshot, without its texts.
#[derive(Debug, Clone)]
pub struct Snapshot {
    pub(super) head: Head,
    /// Tiers, layers and absent layers; each tier before its own.
    pub(super) body: Vec<Line>,
    inputs: Option<SnapshotInputs>,
    /// All lines as they are written. Lines that were read are written back unchanged.
    raw: Vec<String>,
}

impl PartialEq for Snapshot {
    /// Whether both say the same of the prompt, whatever its inputs. Equal bytes are enough: a number may lose its last digit when it is read.
    fn eq(&self, other: &Self) -> bool {
        self.raw == other.raw || (self.head == other.head && self.body == other.body)
    }
}

impl Snapshot {
    /// The snapshot of a prompt that `manifest` built; `texts` is whether its texts are accepted.
    #[must_use]
    pub fn of(scenario: &str, texts: bool, manifest: &Manifest, prompt: &Prompt) -> Self {
        let lines = from_prompt::lines(scenario, texts, manifest, prompt);
        let raw = lines.iter().map(Line::write).collect();
        let mut lines = lines.into_iter();
        let head = match lines.next() {
            Some(Line::Snapshot(head)) => head,
            _ => Head {
                scenario: scenario.to_owned(),
                language: prompt.language,
                name: prompt.name.clone(),
                texts,
                notices: Vec::new(),
            },
        };
        Self {
            head,
            body: lines.collect(),
            inputs: None,
            raw,
        }
    }

    /// The snapshot with the inputs of its build. Contents are named as in a repository with this format.
    #[must_use]
    pub fn with_inputs(mut self, inputs: &RecordedInputs, format: ObjectFormat) -> Self {
        let inputs = SnapshotInputs::of(&self.head.scenario, inputs, format);
        self.raw.extend(inputs.lines().map(|line| line.write()));
        self.inputs = Some(inputs);
        self
    }

    /// The inputs of its build, if the lock has them.
    #[must_use]
    pub fn inputs(&self) -> Option<&SnapshotInputs> {
        self.inputs.as_ref()
    }

    /// The channels whose texts are accepted: each has a file.
    #[must_use]
    pub fn kept(&self) -> BTreeSet<Deliver> {
        let mut out = BTreeSet::new();
        let mut deliver = None;
        for line in &self.body {
            match line {
                Line::Tier(tier) => deliver = Some(tier.deliver),
                Line::Layer(layer) if layer.bytes > 0 && self.head.texts => out.extend(deliver),
                _ => {}
            }
        }
        // A prompt without text has an empty system prompt, and that is worth a file too.
        if self.head.texts {
            out.insert(Deliver::System);
        }
        out
    }
}

impl Lock {
    /// A lock without snapshots.
    #[must_use]
    pub fn new(manifest: impl Into<String>) -> Self {
        Self {
            manifest: manifest.into(),
            snapshots: BTreeMap::new(),
        }
    }

    /// The text of the lock: the header, then the snapshots by name, an empty line after each line. Git merges
    /// changes of two lines only if an unchanged line is between them.
    #[must_use]
    pub fn write(&self) -> String {
        let header = Header {
            format: FORMAT,
            manifest: self.manifest.clone(),
        };
        let mut out = serde_json::to_string(&header).unwrap_or_default();
        out.push('\n');
        for line in self.snapshots.values().flat_map(|snapshot| &snapshot.raw) {
            out.push('\n');
            out.push_str(line);
            out.push('\n');
        }
        out
    }

    /// The scenarios of a lock of an earlier format whose texts are accepted; none if it is not such a lock.
    #[must_use]
    pub fn scenarios_of_older(text: &str) -> BTreeSet<String> {
        let snapshots = text.lines().filter_map(|line| {
            let line: serde_json::Value = serde_json::from_str(line).ok()?;
            // Up to format 2 a snapshot was called a record.
            let kinds = [("snapshot", "texts"), ("record", "snapshot")];
            let kept = kinds
                .iter()
                .any(|(kind, texts)| line["line"] == *kind && line[*texts] == true);
            let scenario = line["scenario"].as_str().filter(|_| kept);
            scenario.map(str::to_owned)
        });
        snapshots.collect()
    }

    /// Reads a lock; `name` is how messages call it, `manifest` how it names the manifest that it should be of.
    ///
    /// # Errors
    /// When it is not a lock of this format and this manifest.
    pub fn read(name: &str, text: &str, manifest: &str) -> Result<Self, Box<Diagnostic>> {
        if let Some(line) = conflict(text) {
            let message = format!("`{name}` has merge conflict markers, in line {line}");
            let conflict = Diagnostic::error(diagnostic::LOCK_CONFLICT, message);
            return Err(Box::new(conflict.help(ACCEPT)));
        }
        let malformed = |line: usize, why: String| {
            let message = format!("line {line} of `{name}` {why}");
            Box::new(Diagnostic::error(diagnostic::LOCK_MALFORMED, message).help(ACCEPT))
        };
        let mut lines = text.lines().zip(1..);
        let (first, _) = lines.next().unwrap_or(("", 1));
        let header = header(name, first).map_err(|newer| {
            newer.unwrap_or_else(|| malformed(1, "is not the header of a lock".to_owned()))
        })?;
        if header.manifest != manifest {
            let message = format!(
                "`{name}` is the lock of `{}`, not of `{manifest}`",
                header.manifest
            );
            let other = Diagnostic::error(diagnostic::LOCK_OF_ANOTHER, message);
            return Err(Box::new(
                other.help(format!("move it back, or let {ACCEPT}")),
            ));
        }
        let mut reading = Reading::default();
        for (line, number) in lines.filter(|(line, _)| !line.trim().is_empty()) {
            reading.line(line).map_err(|why| malformed(number, why))?;
        }
        if !text.ends_with('\n') {
            let last = text.lines().count().max(1);
            return Err(malformed(last, "is truncated".to_owned()));
        }
        Ok(Self {
            manifest: header.manifest,
            snapshots: reading.snapshots,
        })
    }
}

/// The line of the first mark that git leaves in a file that it could not merge.
fn conflict(text: &str) -> Option<usize> {
    const MARKS: [&str; 4] = ["<<<<<<<", "|||||||", "=======", ">>>>>>>"];
    let is_mark = |line: &str| MARKS.iter().any(|mark| line.starts_with(mark));
    Some(text.lines().position(is_mark)? + 1)
}

/// The header; without one, the diagnostic if another release wrote it.
fn header(name: &str, line: &str) -> Result<Header, Option<Box<Diagnostic>>> {
    let value: serde_json::Value = serde_json::from_str(line).map_err(|_| None)?;
    let format = value
        .get("promptc-lock")
        .and_then(serde_json::Value::as_u64);
    match format {
        Some(format) if format > u64::from(FORMAT) => {
            let message =
                format!("`{name}` has the format {format}, and this release reads {FORMAT}");
            let newer = Diagnostic::error(diagnostic::LOCK_NEWER, message);
            let help = "a newer release of promptc wrote it: install that one";
            Err(Some(Box::new(newer.help(help))))
        }
        Some(format @ 1..) if format < u64::from(FORMAT) => {
            let message = format!(
                "`{name}` has the format {format} of an earlier release, and this release reads {FORMAT}"
            );
            let older = Diagnostic::error(diagnostic::LOCK_OLDER, message);
            Err(Some(Box::new(older.help(ACCEPT))))
        }
        // There is no format 0.
        Some(1..) => serde_json::from_value(value).map_err(|_| None),
        _ => Err(None),
    }
}

/// Snapshots in the making.
#[derive(Default)]
struct Reading {
    snapshots: BTreeMap<String, Snapshot>,
    /// The snapshot at hand.
    scenario: String,
    /// Its tier at hand.
    tier: Option<String>,
    /// Its tiers, layers and paths, by their kinds.
    names: BTreeSet<(&'static str, String)>,
}

impl Reading {
    fn line(&mut self, text: &str) -> Result<(), String> {
        let line: Line = serde_json::from_str(text).map_err(|error| {
            // The error counts lines from this one.
            let why = error
                .to_string()
                .replace(" at line 1 column ", " at column ");
            format!("is not a line of a lock: {why}")
        })?;
        if let Line::Snapshot(head) = line {
            return self.open(head, text);
        }
        let scenario = line.scenario();
        if *scenario != self.scenario {
            return Err(format!(
                "belongs to `{scenario}`, but is in another snapshot"
            ));
        }
        let (kind, name) = match &line {
            Line::Tier(tier) => {
                self.tier = Some(tier.tier.clone());
                ("tier", &tier.tier)
            }
            Line::Layer(layer) => {
                if self.tier.as_ref() != Some(&layer.tier) {
                    return Err(format!(
                        "is of the tier `{}`, which is not above it",
                        layer.tier
                    ));
                }
                check(layer)?;
                ("layer", &layer.layer)
            }
            Line::Absent(absent) => ("layer", &absent.layer),
            Line::Input(input) => ("path", &input.path),
            Line::Inputs(InputsLine { scenario, .. }) | Line::Snapshot(Head { scenario, .. }) => {
                ("inputs of", scenario)
            }
        };
        if !self.names.insert((kind, name.clone())) {
            return Err(format!("has the {kind} `{name}` a second time"));
        }
        let snapshot = self.snapshots.get_mut(&self.scenario);
        let snapshot = snapshot.ok_or("is before the first snapshot")?;
        match (line, &mut snapshot.inputs) {
            (Line::Inputs(all), inputs) => {
                let paths = Vec::new();
                *inputs = Some(SnapshotInputs { all, paths });
            }
            (Line::Input(input), Some(inputs)) => inputs.paths.push(input),
            (Line::Input(_), None) => return Err("is before the inputs".to_owned()),
            (line, _) => snapshot.body.push(line),
        }
        snapshot.raw.push(text.to_owned());
        Ok(())
    }

    fn open(&mut self, head: Head, text: &str) -> Result<(), String> {
        if !manifest::is_name(&head.scenario) {
            return Err("opens a snapshot with an invalid scenario name".to_owned());
        }
        self.scenario.clone_from(&head.scenario);
        self.tier = None;
        self.names.clear();
        let name = head.scenario.clone();
        let snapshot = Snapshot {
            head,
            body: Vec::new(),
            inputs: None,
            raw: vec![text.to_owned()],
        };
        match self.snapshots.insert(name, snapshot) {
            None => Ok(()),
            Some(old) => Err(format!(
                "opens the snapshot `{}` a second time",
                old.head.scenario
            )),
        }
    }
}

/// Spans that tile the layer's text, each with an ingredient that there is.
fn check(layer: &LayerLine) -> Result<(), String> {
    let mut at = 0;
    for span in &layer.spans {
        let known = span
            .ingredient
            .is_none_or(|i| (i as usize) < layer.ingredients.len());
        if span.start != at || span.end < at || !known {
            return Err(format!(
                "has spans that do not fit the layer `{}`",
                layer.layer
            ));
        }
        at = span.end;
    }
    if at == layer.bytes {
        Ok(())
    } else {
        Err(format!(
            "has spans that do not fit the layer `{}`",
            layer.layer
        ))
    }
}
