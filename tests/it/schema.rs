//! The committed schema is the one that the program prints.

use crate::run::Place;
use std::path::Path;

#[test]
fn the_committed_schema_is_current() {
    let ran = Place::new().run(&["schema", "prompt"]).exits(0);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("schema/prompt.schema.json");
    let committed = std::fs::read_to_string(path).unwrap();
    assert!(
        ran.stdout() == committed,
        "run: cargo run -- schema prompt > schema/prompt.schema.json"
    );
}
