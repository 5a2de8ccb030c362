//! The key of hashes.

use super::sources::Source;
use crate::diagnostic::{self, Diagnostic, ErrorReported};
use crate::project::Run;
use crate::project::capture::files::LOG;
use crate::project::input::{self, Input, Streams, What};
use crate::project::output;
use crate::request::whole::KEY;
use crate::world::{DiskWorld, World};
use data_encoding::HEXLOWER_PERMISSIVE as HEX;
use sha2::{Digest as _, Sha256};
use std::path::Path;

/// A key made from the beginnings of recordings, so that the same recordings have the same hashes. Without the
/// recordings it cannot be made. None if nothing can be read twice, or there is too little data.
pub(super) fn key_of(files: &[Source], held: Option<&Streams>) -> Option<[u8; KEY]> {
    const MOST_FILES: usize = 64;
    const HEAD: u64 = 4_096;
    const LEAST: usize = 256;
    let mut hash = Sha256::new();
    let mut bytes = 0;
    for file in files.iter().take(MOST_FILES) {
        let is_repeatable = input::is_repeatable(&file.path, held);
        let head = is_repeatable.then(|| input::head(&file.path, &LOG, HEAD + 1, held))??;
        bytes += head.len();
        hash.update(head);
    }
    (bytes >= LEAST).then(|| hash.finalize().into())
}

/// The key of hashes: of a file, which is made if it is missing; else one that is drawn.
pub(in crate::project::capture) fn key(
    path: Option<&Path>,
    run: &mut Run,
) -> Result<[u8; KEY], ErrorReported> {
    let mut drawn = [0; KEY];
    let no_key = |message: String| {
        Diagnostic::error(diagnostic::USAGE, message)
            .help("a key is 64 hex digits; --key makes the file if it is missing")
    };
    if getrandom::fill(&mut drawn).is_err() {
        return Err(run.diags.push(no_key("no key could be drawn".to_owned())));
    }
    let Some(path) = path else { return Ok(drawn) };
    run.read.insert(path.to_owned());
    if matches!(DiskWorld.kind(path), Err(error) if crate::world::is_missing(&error)) {
        let text = format!("{}\n", HEX.encode(&drawn));
        output::to_private_file(path, text.as_bytes(), run)?;
        return Ok(drawn);
    }
    let what = What {
        limit: 1_000,
        noun: "key",
        ..LOG
    };
    let read = input::read(&DiskWorld, path, &what);
    let Input { name, bytes } = read.map_err(|problem| run.diags.push(*problem))?;
    let key = HEX.decode(bytes.trim_ascii()).ok();
    key.and_then(|key| <[u8; KEY]>::try_from(key).ok())
        .ok_or_else(|| run.diags.push(no_key(format!("`{name}` holds no key"))))
}
