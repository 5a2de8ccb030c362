use super::class::Class;
use super::layout::{BLOCK, BLOCKS, Slot};
use super::merge::Merger;
use super::table::{CL100K, O200K, Table};
use proptest::prelude::{ProptestConfig, prop_assert_eq, proptest};
use sha2::{Digest as _, Sha256};
use unicode_general_category::GeneralCategory::{
    DecimalNumber, EnclosingMark, LetterNumber, LowercaseLetter, ModifierLetter, NonspacingMark,
    OtherLetter, OtherNumber, SpacingMark, TitlecaseLetter, UppercaseLetter,
};
use unicode_general_category::get_general_category;

#[test]
fn every_token_is_found_and_every_byte_is_one() {
    for (table, tokens) in [(&O200K, 199_998), (&CL100K, 100_256)] {
        let slots = (table.slots.iter()).map(|s| u64::from_le_bytes(*s));
        let full: Vec<Slot> = slots.filter(|s| *s != 0).map(Slot::unpack).collect();
        // With an empty slot every search ends.
        assert!(full.len() == tokens && tokens < table.slots.len());
        let mut ids: Vec<u32> = full.iter().map(|s| s.id).collect();
        ids.sort_unstable();
        assert!(ids.iter().copied().eq(0..u32::try_from(tokens).unwrap()));
        for slot in full {
            let token = &table.bytes[slot.start..][..slot.len];
            assert_eq!(table.id(token), Some(slot.id));
        }
        assert!((0..=u8::MAX).all(|byte| table.id(&[byte]).is_some()));
        assert_eq!(table.id(b"no such token"), None);
    }
}

#[test]
fn classes_are_those_of_unicode() {
    assert_eq!(BLOCK * BLOCKS, char::MAX as usize + 1);
    // Both tables are of Unicode 16.0.
    assert_eq!(unicode_general_category::UNICODE_VERSION, (16, 0, 0));
    for c in '\0'..=char::MAX {
        let class = match get_general_category(c) {
            UppercaseLetter | TitlecaseLetter => Class::Upper,
            LowercaseLetter => Class::Lower,
            ModifierLetter | OtherLetter => Class::Uncased,
            NonspacingMark | SpacingMark | EnclosingMark => Class::Mark,
            DecimalNumber | LetterNumber | OtherNumber => Class::Number,
            _ if c.is_whitespace() => Class::Space,
            _ => Class::Other,
        };
        assert_eq!(Class::of(c), class, "{c:?}");
    }
}

#[test]
fn the_files_are_those_that_the_readme_names() {
    let readme = include_str!("data/README.md");
    for (name, file) in [
        ("o200k.bin", &include_bytes!("data/o200k.bin")[..]),
        ("cl100k.bin", include_bytes!("data/cl100k.bin")),
        ("classes.bin", include_bytes!("data/classes.bin")),
    ] {
        let sha256: String = (Sha256::digest(file).iter())
            .map(|b| format!("{b:02x}"))
            .collect();
        let row = format!("| `{name}` | {} | `{sha256}` |", file.len());
        assert!(readme.contains(&row), "data/README.md lacks the row {row}");
    }
}

/// Joins pair by pair, as the definition says, without regard to time.
fn slowly(table: &Table, piece: &[u8]) -> Vec<usize> {
    let mut parts: Vec<&[u8]> = piece.chunks(1).collect();
    loop {
        let pairs = parts.windows(2).enumerate();
        let ranked = pairs.filter_map(|(at, pair)| Some((table.id(&pair.concat())?, at)));
        let Some((_, at)) = ranked.min() else {
            return parts.iter().map(|p| p.len()).collect();
        };
        let from: usize = parts[..at].iter().map(|p| p.len()).sum();
        let len = parts[at].len() + parts[at + 1].len();
        parts.splice(at..at + 2, [&piece[from..from + len]]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn counts_between_seams_add_up(text in "([aB1 \r\n/!'sé中\u{301}\u{a0}\t]|\\PC){0,40}") {
        for vocabulary in [super::Vocabulary::O200k, super::Vocabulary::Cl100k] {
            let (mut sum, mut rest) = (0, &*text);
            while let Some(at) = super::first_seam(rest) {
                let (part, after) = rest.split_at(at);
                prop_assert_eq!(super::last_seam(part, 0), None);
                sum += vocabulary.count(part);
                rest = after;
            }
            prop_assert_eq!(sum + vocabulary.count(rest), vocabulary.count(&text));
        }
    }

    #[test]
    fn merging_joins_the_lowest_rank_first(piece in "[a-e]{2,40}|[aA ]{2,90}|[a-z]{60,160}|[中国語文é🚀]{10,60}") {
        let piece = piece.as_bytes();
        for table in [&O200K, &CL100K] {
            let mut lens = Vec::new();
            Merger::default().parts(table, piece, |(_, len)| lens.push(len));
            let expected = match table.id(piece) {
                Some(_) => vec![piece.len()],
                None => slowly(table, piece),
            };
            prop_assert_eq!(lens, expected);
        }
    }
}
