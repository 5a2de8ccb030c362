//! Skills for programs.

use crate::compile::{Skill, SkillStatus};
use crate::prompt::Finding;
use crate::text::Json;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// The output of `skills --format json`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Report<'a> {
    /// `skills list`.
    List(List<'a>),
    /// `skills show`.
    Show(Show<'a>),
}

/// The output of `skills list`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct List<'a> {
    /// The layer that reads the skills.
    layer: &'a str,
    /// All that are found, in the order of the index.
    skills: Vec<SkillEntry<'a>>,
}

/// A skill that was found.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "Skill")]
struct SkillEntry<'a> {
    /// Its name in the index.
    name: &'a str,
    /// The folders above its own.
    category: &'a str,
    /// The description in its front matter; empty if there is none.
    description: &'a str,
    /// The root's name.
    root: &'a str,
    /// The index of its folder, from 0, in a root that has many.
    root_index: usize,
    /// The path of its document inside the root.
    path: &'a str,
    /// The path as prompts write it.
    location: &'a str,
    /// Whether it is in the index.
    listed: bool,
    /// Why it does not; null if it does.
    reason: Option<Why>,
    /// The answer of `hide`; null if there is none.
    hidden: Option<&'a str>,
}

/// Why a skill is not listed.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Why {
    /// `allow` does not name it.
    NotAllowed,
    /// `deny` names it.
    Denied,
    /// `hide` gives a reason.
    Hidden,
    /// An earlier folder of its root has one of its name.
    Shadowed,
    /// `where` rules it out.
    RuledOut,
    /// A scan leaves it out.
    Replaced,
    /// Its front matter cannot be read; no prompt is built as long as it is so.
    Unreadable,
}

/// The output of `skills show`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Show<'a> {
    /// The layer that reads the skill.
    layer: &'a str,
    /// The skill.
    skill: SkillEntry<'a>,
    /// The front matter; empty where `--file` selects a file of the skill's folder.
    meta: BTreeMap<&'a str, &'a Json>,
    /// The file that `--file` selects, as a path inside the skill's folder; null if the skill itself is shown.
    file: Option<&'a str>,
    /// The text after the front matter, or that of the file; a placeholder if a scan replaced it.
    text: &'a str,
    /// Whether a placeholder replaced the text.
    replaced: bool,
    /// The findings of a scan.
    findings: &'a [Finding],
    /// The other files of the skill's folder, as paths inside it; null where `--file` selects one.
    files: Option<&'a [String]>,
}

/// All skills.
pub(crate) fn list<'a>(layer: &'a str, all: &'a [Skill]) -> Report<'a> {
    Report::List(List {
        layer,
        skills: all.iter().map(found).collect(),
    })
}

fn found(skill: &Skill) -> SkillEntry<'_> {
    let (document, entry) = (&skill.document, skill.document.entry.as_ref());
    let (reason, hidden) = match &skill.fate {
        SkillStatus::Listed => (None, None),
        SkillStatus::NotAllowed => (Some(Why::NotAllowed), None),
        SkillStatus::Denied => (Some(Why::Denied), None),
        SkillStatus::Hidden(why) => (Some(Why::Hidden), Some(why.as_str())),
        SkillStatus::Shadowed => (Some(Why::Shadowed), None),
        SkillStatus::RuledOut => (Some(Why::RuledOut), None),
        SkillStatus::Refused => (Some(Why::Replaced), None),
        SkillStatus::Unreadable(_) => (Some(Why::Unreadable), None),
    };
    SkillEntry {
        name: &document.name,
        category: entry.map_or("", |e| &e.category),
        description: entry.map_or("", |e| e.description.as_str()),
        root: &document.root,
        root_index: document.root_index,
        path: &document.path,
        location: &document.location,
        listed: reason.is_none(),
        reason,
        hidden,
    }
}

/// A skill.
pub(crate) fn show<'a>(layer: &'a str, skill: &'a Skill, files: &'a [String]) -> Report<'a> {
    let document = &skill.document;
    let meta = document
        .meta
        .iter()
        .map(|(key, value)| (key.as_str(), value));
    Report::Show(Show {
        layer,
        skill: found(skill),
        meta: meta.collect(),
        file: None,
        text: document.text.as_str(),
        replaced: document.replaced,
        findings: &skill.findings,
        files: Some(files),
    })
}

/// A file of a skill's folder.
pub(crate) fn beside<'a>(
    layer: &'a str,
    skill: &'a Skill,
    file: &'a str,
    beside: &'a Skill,
) -> Report<'a> {
    Report::Show(Show {
        layer,
        skill: found(skill),
        meta: BTreeMap::new(),
        file: Some(file),
        text: beside.document.text.as_str(),
        replaced: beside.document.replaced,
        findings: &beside.findings,
        files: None,
    })
}
