//! `json FILE`: the file's value in canonical form, so that a reordered key or an added blank changes nothing.

use serde_json::Value;

/// The canonical form: keys in code point order, no blanks, no escapes that JSON does not need.
///
/// # Errors
/// Line and column (from 1) where `text` stops being JSON.
pub fn canonical(text: &str) -> Result<String, (usize, usize)> {
    let value: Value = serde_json::from_str(text).map_err(|e| (e.line(), e.column().max(1)))?;
    Ok(value.to_string())
}
