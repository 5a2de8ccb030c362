//! The prompts of this package, byte for byte, in `tests/snapshots/`.

/// Every scenario of the manifest.
#[test]
fn scenarios() {
    promptc::assert_prompts!("promptc.kdl");
}

/// A prompt as the program builds it.
#[test]
fn a_conversation() {
    let prompt = helper::prompt(Some("Jérôme"), "2026-03-31").unwrap();
    promptc::assert_prompt!("conversation", prompt);
}
