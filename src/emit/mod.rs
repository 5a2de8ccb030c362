//! Requests: an artifact and a history become the body that a provider takes.
//!
//! The text is the artifact's, byte for byte, only cut into blocks where breakpoints stand. Which places these are is
//! decided by [`place`]; each shape of a request is one file of [`shapes`].

pub mod json;
pub mod place;
pub mod tools;
mod blocks;
mod history;
mod ttl;
mod wish;
pub mod shapes;

pub use blocks::Block;
pub use json::Json;
pub use shapes::{SHAPES, Shape};
pub use wish::{Layout, Plan, Wish, allowed};

use crate::diagnostic::{Diagnostics, Reported};
use crate::prompt::Prompt;
use crate::provider::Found;
use crate::tokens::Tokenizer;

/// What a request is made of.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    /// The prompt.
    pub prompt: &'a Prompt,
    /// The model, as the request names it.
    pub model: &'a str,
    /// What is known of it.
    pub found: Option<&'a Found>,
    /// Counts tokens.
    pub tokenizer: Tokenizer,
    /// What was said so far, in the form of the shape, the oldest first.
    pub messages: &'a [Json],
    /// How the answer shall begin.
    pub prefill: Option<&'a str>,
    /// What else is asked for.
    pub wish: &'a Wish,
}

/// Makes the body of a request.
///
/// # Errors
/// When the provider would refuse it; what is wrong stands in `diags`.
pub fn emit(shape: &Shape, call: &Call<'_>, diags: &mut Diagnostics) -> Result<Json, Reported> {
    let mut found = Diagnostics::default();
    let plan = wish::plan(shape, call, &mut found);
    let body = plan.and_then(|plan| (shape.body)(call, &plan, &mut found));
    diags.extend(&found);
    found.check()?;
    body
}
