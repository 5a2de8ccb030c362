//! Two prompts and their comparison.

use crate::compare::{self, Confidence, Diff, Sample};
use crate::prompt::Prompt;
use schemars::JsonSchema;
use serde::Serialize;
use std::num::NonZeroUsize;

/// Two prompts and their comparison.
#[derive(Serialize, JsonSchema)]
pub struct Compared {
    /// The scenario whose snapshot is compared; only for snapshots.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<String>,
    /// The name of A.
    #[serde(rename = "a")]
    pub a_name: String,
    /// The name of B.
    #[serde(rename = "b")]
    pub b_name: String,
    /// A; of a text with the layers that were found in it.
    #[serde(skip)]
    pub a: Prompt,
    /// B.
    #[serde(skip)]
    pub b: Prompt,
    /// The comparison.
    #[serde(flatten)]
    pub diff: Diff,
    /// Whether the text of B is known; of a snapshot without text it is not.
    #[serde(skip)]
    pub b_known: bool,
}

impl Compared {
    /// The comparison of two prompts, each with whether its text is known.
    pub(crate) fn of(a: (&Prompt, bool), b: (&Prompt, bool)) -> Self {
        Self::within(a, b, None)
    }

    /// The same, with so many builds at most to find causes.
    pub(crate) fn within(
        a: (&Prompt, bool),
        b: (&Prompt, bool),
        most_builds: Option<NonZeroUsize>,
    ) -> Self {
        let (prompt_a, prompt_b, diff) = compared(a, b, most_builds);
        Self {
            snapshot: None,
            a_name: String::new(),
            b_name: String::new(),
            a: prompt_a,
            b: prompt_b,
            diff,
            b_known: b.1,
        }
    }

    /// Two members of a prefix family, with only the layer that separates them: after it they may differ.
    pub(crate) fn parted(a: Sample<'_>, b: Sample<'_>, diff: &Diff) -> Self {
        Self {
            snapshot: None,
            a_name: a.scenario.to_owned(),
            b_name: b.scenario.to_owned(),
            a: a.prompt.clone(),
            b: b.prompt.clone(),
            diff: Diff {
                hidden: Vec::new(),
                displaced: Vec::new(),
                ..diff.clone()
            },
            b_known: true,
        }
    }

    /// Whether the maps lead to the bytes of both prompts.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        matches!(
            self.diff.sure,
            Confidence::Build | Confidence::Narrowed | Confidence::Owner
        )
    }
}

/// The comparison of two prompts; one whose text is not known is compared by the hashes of its layers.
fn compared(
    a: (&Prompt, bool),
    b: (&Prompt, bool),
    most_builds: Option<NonZeroUsize>,
) -> (Prompt, Prompt, Diff) {
    let comparable = |(prompt, known): (&Prompt, bool), other: &Prompt| {
        if known {
            prompt.clone()
        } else {
            crate::compare::snapshot::comparable(prompt, other)
        }
    };
    let (x, y) = (comparable(a, b.0), comparable(b, a.0));
    let diff = if a.1 && b.1 {
        compare::diff_within(&x, &y, most_builds)
    } else {
        compare::hashed(&x, &y)
    };
    (x, y, diff)
}
