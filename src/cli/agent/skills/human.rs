//! Skills for people.

use crate::compile::{Skill, SkillStatus};
use crate::report::{Document, Table, words};
use std::fmt::Write as _;

/// The longest description in a table, in Unicode scalar values.
const LONGEST: usize = 60;

/// The status of a skill, in words.
pub(super) fn reason(fate: &SkillStatus) -> String {
    match fate {
        SkillStatus::Listed => String::new(),
        SkillStatus::NotAllowed => "not named by `allow`".to_owned(),
        SkillStatus::Denied => "named by `deny`".to_owned(),
        SkillStatus::Hidden(why) => format!("hidden: {}", words::plain(why)),
        SkillStatus::Shadowed => "an earlier folder has a skill of the same name".to_owned(),
        SkillStatus::RuledOut => "excluded by `where`".to_owned(),
        SkillStatus::Refused => "left out by a scan".to_owned(),
        SkillStatus::Unreadable(why) => {
            format!("its front matter cannot be read: {}", words::plain(why))
        }
    }
}

/// A line for each skill, those of the index first.
pub(super) fn list(all: &[Skill]) -> Document {
    let (listed, others): (Vec<&Skill>, Vec<&Skill>) = all
        .iter()
        .partition(|skill| skill.fate == SkillStatus::Listed);
    let mut out = Document::new();
    out.heading(words::count(listed.len(), "skill"));
    if !listed.is_empty() {
        let mut table = Table::new(&["skill", "category", "where", "description"]);
        for skill in &listed {
            let about = short(&described(skill));
            table.row(cells(skill).into_iter().chain([about]));
        }
        out.push(table);
    }
    if !others.is_empty() {
        out.heading(format!("{} not listed", words::thousands(others.len())));
        let mut table = Table::new(&["skill", "category", "where", "reason"]);
        for skill in &others {
            table.row(cells(skill).into_iter().chain([reason(&skill.fate)]));
        }
        out.push(table);
    }
    out
}

fn cells(skill: &Skill) -> [String; 3] {
    let document = &skill.document;
    let category = document.entry.as_ref().map_or("", |e| &e.category);
    [&document.name, category, &document.location].map(str::to_owned)
}

fn described(skill: &Skill) -> String {
    let entry = skill.document.entry.as_ref();
    let about = entry.map_or("", |e| e.description.as_str());
    words::plain(&about.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn short(text: &str) -> String {
    let mut chars = text.chars();
    let start: String = chars.by_ref().take(LONGEST).collect();
    match chars.next() {
        Some(_) => format!("{start}…"),
        None => start,
    }
}

/// The path of a skill, its front matter, and its text.
pub(super) fn show(skill: &Skill) -> String {
    let document = &skill.document;
    let mut out = format!("{}\n", words::plain(&document.location));
    // Front matter that `frontmatter read` left in the text is not shown twice.
    let cut = !document.text.as_str().starts_with("---");
    for (key, value) in document.meta.iter().filter(|_| cut) {
        let value = match value.as_text().filter(|text| !text.contains('\n')) {
            Some(text) => text.to_owned(),
            None => value.to_string(),
        };
        let (key, value) = (words::plain(key), words::plain(&value));
        let _ = writeln!(out, "{key}: {value}");
    }
    let _ = write!(out, "\n{}", document.text.as_str());
    if !out.ends_with('\n') {
        out.push('\n');
    }
    out
}
