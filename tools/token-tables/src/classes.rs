//! The table of character classes.

use crate::layout::{BLOCK, BLOCKS};
use regex_syntax::hir::{Class, HirKind};

/// What the pre-tokenizers tell apart, in the order of `Class` in `src/text/tokens/class.rs`. What is in none is 0.
const CLASSES: [&str; 6] = [
    r"[\p{Lu}\p{Lt}]",
    r"\p{Ll}",
    r"[\p{Lm}\p{Lo}]",
    r"\p{M}",
    r"\p{N}",
    r"\s",
];

/// The file.
pub fn build() -> Vec<u8> {
    let mut all = vec![0_u8; BLOCK * BLOCKS];
    for (at, class) in CLASSES.iter().enumerate() {
        let hir = regex_syntax::parse(class).expect("a class");
        let HirKind::Class(Class::Unicode(class)) = hir.kind() else {
            panic!("{class} is no class");
        };
        for range in class.ranges() {
            for c in range.start()..=range.end() {
                assert_eq!(all[c as usize], 0, "{c:?} is in two classes");
                all[c as usize] = at as u8 + 1;
            }
        }
    }
    let mut pages: Vec<&[u8]> = Vec::new();
    let mut file = Vec::new();
    for block in all.chunks(BLOCK) {
        let page = pages
            .iter()
            .position(|p| *p == block)
            .unwrap_or(pages.len());
        if page == pages.len() {
            pages.push(block);
        }
        file.push(u8::try_from(page).expect("at most 256 pages"));
    }
    file.extend(pages.concat());
    file
}
