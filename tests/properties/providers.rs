//! Any table of providers: refused with places, or the same again from what it is written as.

use super::building::check_told;
use super::input::Input;
use jiff::civil::{Date, date};
use promptc::diagnostic::Diagnostics;
use promptc::request::provider::{Catalog, Table, table, write};
use promptc::diagnostic::span::Files;
use std::sync::OnceLock;

pub(super) fn check(data: &[u8]) {
    let mut input = Input::new(data);
    let [text, name] = [(); 2].map(|()| input.text());
    let own = read(&text);
    if let Some(own) = &own
        && own.providers.is_empty()
        && !own.models.is_empty()
    {
        again(own);
    }
    // A catalogue reads the table that is built in, which takes long; so it is made for few.
    if let Some(own) = own
        && name.len() % 8 == 1
    {
        let catalog = Catalog::new(vec![own]);
        let found = catalog.find(&name, day());
        assert_eq!(found.is_some(), catalog.find(&name, day()).is_some());
    }
}

/// The providers that are built in.
fn known() -> &'static [String] {
    static KNOWN: OnceLock<Vec<String>> = OnceLock::new();
    KNOWN.get_or_init(|| {
        let catalog = Catalog::new(Vec::new());
        catalog.provider_names().into_iter().map(str::to_owned).collect()
    })
}

pub(super) fn day() -> Date {
    date(2026, 11, 22)
}

fn read(text: &str) -> Option<Table> {
    let known: Vec<&str> = known().iter().map(String::as_str).collect();
    let (mut files, mut diags) = (Files::default(), Diagnostics::default());
    let file = files.add("own.kdl", text);
    let read = table(file, text, &known, &mut diags);
    check_told(&files, &diags);
    assert_eq!(read.is_err(), !diags.is_empty());
    read.ok()
}

pub(super) fn again(table: &Table) {
    let written = write::models(table);
    let back = read(&written);
    let back = back.unwrap_or_else(|| panic!("{written} is not read"));
    assert_eq!(back.as_of, table.as_of);
    assert_eq!(back.models, table.models, "{written}");
}
