//! Any price list as LiteLLM writes it: refused, or a table that reads back from what it is written as.

use super::providers::{again, day};
use promptc::diagnostic::Diagnostics;
use promptc::request::provider::litellm::{ImportOptions, import};

pub(super) fn check(data: &[u8]) {
    let mut diags = Diagnostics::default();
    let asked = ImportOptions {
        name: "prices.json",
        as_of: day(),
        only: &[],
    };
    match import(data, asked, &mut diags) {
        Ok(table) => {
            assert!(!table.models.is_empty());
            again(&table);
        }
        Err(_) => assert!(!diags.is_empty(), "refused, and no error"),
    }
}
