//! A program that builds its system prompt with promptc.

use promptc::compile::{GivenInputs, compile};
use promptc::diagnostic::Diagnostics;
use promptc::manifest;
use promptc::prompt::Prompt;
use promptc::diagnostic::span::Files;
use promptc::world::DiskWorld;

/// The prompt of a conversation with `user`. The error is a text for a log.
pub fn prompt(user: Option<&str>, today: &str) -> Result<Prompt, String> {
    let (mut files, mut diags) = (Files::default(), Diagnostics::default());
    let mut given = GivenInputs::default();
    given.sets.push(("today".to_owned(), today.to_owned()));
    given.sets.extend(user.map(|user| ("user_name".to_owned(), user.to_owned())));
    let manifest = manifest::open(&DiskWorld, Some("promptc.kdl"), &mut files, &mut diags);
    manifest
        .and_then(|manifest| compile(&manifest, &given, &DiskWorld, &mut files, &mut diags))
        .map_err(|_| {
            let messages: Vec<&str> = diags.iter().map(|d| d.message.as_str()).collect();
            messages.join("\n")
        })
}
