//! Any two artifacts with hashes that fit: refused, or read, written, compared, traced, laid and emitted without harm.

use super::diff::verify;
use super::input::Input;
use promptc::prompt::blame::trace;
use promptc::diagnostic::Diagnostics;
use promptc::compare::{align, bare, diff, hashed};
use promptc::request::emit::{Call, SHAPES, EmitOptions, emit};
use promptc::prompt::{Deliver, Prompt, sha256};
use promptc::text::tokens::Tokenizer;

pub(super) fn check(data: &[u8]) {
    let mut input = Input::new(data);
    let [a, b] = [(); 2].map(|()| read(input.section()));
    for prompt in [&a, &b].into_iter().flatten() {
        alone(prompt);
    }
    if let (Some(a), Some(b)) = (&a, &b) {
        let found = diff(a, b);
        verify(a, b, &found);
        let _ = hashed(a, b);
        let _ = bare(a, b);
        let laid = align::lay(a, b.text(Deliver::System));
        assert_eq!(laid.prompt.text(Deliver::System), b.text(Deliver::System));
    }
}

/// The artifact, if it is one. A fuzzer finds no hash; so they are set right before it is looked at.
fn read(bytes: &[u8]) -> Option<Prompt> {
    let mut prompt: Prompt = serde_json::from_slice(bytes).ok()?;
    for channel in &mut prompt.channels {
        for layer in &mut channel.layers {
            if let Some(text) = channel.text.get(layer.start..layer.end) {
                layer.sha256 = sha256(text);
            }
        }
    }
    let json = serde_json::to_string(&prompt).unwrap();
    assert_eq!(serde_json::from_str::<Prompt>(&json).ok().as_ref(), Some(&prompt));
    prompt.fault().is_none().then_some(prompt)
}

fn alone(prompt: &Prompt) {
    let same = diff(prompt, prompt);
    assert!(same.same && same.first.is_none());
    for channel in &prompt.channels {
        let text = &channel.text;
        let stretches = trace(channel, 0..text.len());
        let mut at = 0;
        for stretch in stretches {
            assert!(stretch.start >= at && stretch.end > stretch.start);
            at = stretch.end;
        }
        assert!(at == text.len() || channel.layers.is_empty());
    }
    let wish = EmitOptions::default();
    for shape in SHAPES {
        let call = Call {
            prompt,
            model: "m",
            found: None,
            tokenizer: Tokenizer::O200K,
            messages: &[],
            prefill: None,
            wish: &wish,
        };
        let mut diags = Diagnostics::default();
        let body = emit(shape, &call, &mut diags);
        assert!(body.is_ok() || !diags.is_empty());
    }
    let mut counted = prompt.clone();
    counted.count_tokens(Tokenizer::O200K);
}
