//! The inputs of a snapshot: contents are in the repository, and the lock has their names.

use super::line::{InputLine, InputsLine, Line};
use crate::prompt::RecordedInputs;
use crate::world::RecordedWorld;
use crate::world::git::ObjectFormat;
use std::collections::BTreeMap;

/// The inputs of a snapshot's build, without contents.
#[derive(Debug, Clone, PartialEq)]
pub struct SnapshotInputs {
    pub(super) all: InputsLine,
    pub(super) paths: Vec<InputLine>,
}

/// A content that the build read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InputContent<'a> {
    /// Its hash.
    pub sha256: &'a str,
    /// The name of its object in git.
    pub blob: Option<&'a str>,
    /// The path at which it was read: `/PLACE/PATH`.
    pub path: &'a str,
}

impl SnapshotInputs {
    pub(super) fn of(scenario: &str, inputs: &RecordedInputs, format: ObjectFormat) -> Self {
        let inputs_of = inputs.clone();
        let answered = inputs.world.answered();
        let paths = answered.map(|(path, answers, bytes)| InputLine {
            scenario: scenario.to_owned(),
            path: path.to_owned(),
            answers: answers.clone(),
            blob: bytes.map(|bytes| format.blob(bytes)),
        });
        Self {
            paths: paths.collect(),
            all: InputsLine {
                scenario: scenario.to_owned(),
                promptc: inputs_of.promptc,
                language: inputs_of.language,
                manifests: inputs_of.manifests,
                facts: inputs_of.facts,
                roots: inputs_of.roots,
                tokenizer: inputs_of.tokenizer,
                without: inputs_of.without,
            },
        }
    }

    /// The lines of the lock.
    pub(super) fn lines(&self) -> impl Iterator<Item = Line> {
        let all = Line::Inputs(self.all.clone());
        let paths = self.paths.iter().cloned().map(Line::Input);
        [all].into_iter().chain(paths)
    }

    /// The path of the manifest in its place, unless it is a built-in one.
    #[must_use]
    pub fn manifest(&self) -> Option<&str> {
        self.all.manifests.first().map(String::as_str)
    }

    /// The inputs with the contents that `find` finds, of at most so many bytes; none if one is not found, or if they are
    /// no inputs that this release can build from.
    pub fn restore(
        &self,
        mut find: impl FnMut(InputContent<'_>, usize) -> Option<Vec<u8>>,
    ) -> Option<RecordedInputs> {
        let mut contents: BTreeMap<String, Vec<u8>> = BTreeMap::new();
        let mut left = RecordedInputs::MAX_BYTES;
        for line in &self.paths {
            let Some(sha256) = line.answers.content() else {
                continue;
            };
            if contents.contains_key(sha256) {
                continue;
            }
            let content = InputContent {
                sha256,
                blob: line.blob.as_deref(),
                path: &line.path,
            };
            let bytes = find(content, left)?;
            left = left.checked_sub(bytes.len())?;
            contents.insert(sha256.to_owned(), bytes);
        }
        let paths = self.paths.iter().cloned();
        let all = self.all.clone();
        let inputs = RecordedInputs {
            promptc: all.promptc,
            language: all.language,
            manifests: all.manifests,
            facts: all.facts,
            roots: all.roots,
            tokenizer: all.tokenizer,
            without: all.without,
            world: RecordedWorld::restored(paths.map(|line| (line.path, line.answers)), contents),
        };
        (inputs.is_readable() && inputs.fault().is_none()).then_some(inputs)
    }
}
