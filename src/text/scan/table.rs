//! The requirements of the program's own patterns, stored so that no pattern has to be parsed to get them.

use super::literal::Needs;

/// In each line the hash of a pattern and what it needs: `=TEXT`, or `&N` and `|N` before N parts of all or either.
const TABLE: &str = include_str!("table.txt");

/// The requirements of a pattern, if the table has it.
pub(super) fn needs(pattern: &str) -> Option<Needs> {
    let hash = hash(pattern);
    let mut lines = TABLE.lines();
    let line = lines.find_map(|line| line.strip_prefix(hash.as_str())?.strip_prefix('\t'))?;
    read(&mut line.split('\t'))
}

/// FNV-1a: it only has to distinguish the program's own patterns.
fn hash(pattern: &str) -> String {
    let mix = |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let hash = pattern.bytes().fold(0xcbf2_9ce4_8422_2325, mix);
    format!("{hash:016x}")
}

fn read<'t>(words: &mut impl Iterator<Item = &'t str>) -> Option<Needs> {
    let (kind, rest) = words.next()?.split_at_checked(1)?;
    if kind == "=" {
        return Some(Needs::Text(rest.to_owned()));
    }
    let parts = (0..rest.parse().ok()?).map(|_| read(words));
    let parts = parts.collect::<Option<Vec<_>>>()?;
    match kind {
        "&" if parts.is_empty() => Some(Needs::Nothing),
        "&" => Some(Needs::All(parts)),
        "|" => Some(Needs::Either(parts)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Diagnostics;
    use crate::diagnostic::span::Files;
    use crate::manifest;
    use crate::source::builtin;
    use crate::text::scan::check;
    use crate::world::MapWorld;
    use std::fmt::Write as _;

    fn write(needs: &Needs, out: &mut String) {
        let (kind, parts) = match needs {
            Needs::Nothing => ("&", [].as_slice()),
            Needs::Text(text) => return write!(out, "\t={text}").unwrap(),
            Needs::All(parts) => ("&", parts.as_slice()),
            Needs::Either(parts) => ("|", parts.as_slice()),
        };
        write!(out, "\t{kind}{}", parts.len()).unwrap();
        parts.iter().for_each(|part| write(part, out));
    }

    /// `UPDATE=1` writes the table.
    #[test]
    fn the_table_has_the_requirements_of_every_rule_of_the_program() {
        let mut table = String::new();
        for built_in in builtin::MANIFESTS {
            let (mut files, mut diags) = (Files::default(), Diagnostics::default());
            let name = format!("builtin:{}", built_in.name);
            let opened = manifest::open(&MapWorld::new(), Some(&name), &mut files, &mut diags);
            for rule in opened.unwrap().scans.iter().flat_map(|set| &set.rules) {
                let hash = hash(&rule.pattern.text);
                if !table.contains(&hash) {
                    let needs = Needs::of(&check::read(&rule.pattern.text).unwrap());
                    table.push_str(&hash);
                    write(&needs, &mut table);
                    table.push('\n');
                }
            }
        }
        let current = update(&table) || table == TABLE;
        assert!(current, "UPDATE=1 writes the table");
        for line in table.lines() {
            let mut again = String::new();
            let (_, written) = line.split_once('\t').unwrap();
            write(&read(&mut written.split('\t')).unwrap(), &mut again);
            assert_eq!(again[1..], *written);
        }
    }

    #[expect(clippy::disallowed_methods, reason = "it writes a file of the source")]
    fn update(table: &str) -> bool {
        let asked = std::env::var_os("UPDATE").is_some();
        if asked {
            let place = concat!(env!("CARGO_MANIFEST_DIR"), "/src/text/scan/table.txt");
            std::fs::write(place, table).unwrap();
        }
        asked
    }
}
