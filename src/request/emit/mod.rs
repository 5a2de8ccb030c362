//! Requests: an artifact and a history become the body that a provider takes.
//!
//! The text is the artifact's, byte for byte, only cut into blocks at breakpoints. [`place`] decides on these places;
//! each shape of a request is one file of [`shapes`].

pub mod tools;
pub mod place;
mod options;
mod marker;
mod history;
mod blocks;
pub mod shapes;
mod ttl;
mod plan;

pub use blocks::Block;
pub use options::{Call, EmitOptions, Layout, Plan};
pub use plan::allowed_by;
pub use shapes::{Keyed, SHAPES, Shape};

use crate::diagnostic::{Diagnostics, ErrorReported};
use crate::text::Json;

/// Makes the body of a request.
///
/// # Errors
/// When the provider would refuse it; the errors are in `diags`.
pub fn emit(
    shape: &Shape,
    call: &Call<'_>,
    diags: &mut Diagnostics,
) -> Result<Json, ErrorReported> {
    let mut found = Diagnostics::default();
    let plan = plan::plan(shape, call, &mut found);
    let body = plan.and_then(|plan| (shape.body)(call, &plan, &mut found));
    diags.extend(&found);
    found.check()?;
    body
}
