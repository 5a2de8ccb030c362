//! `exclude NAME … beside="FILE"`: folders that a walk does not enter.

use super::pattern::Name;
use super::wall::Obstacle;

/// Names of folders, and where they count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exclude {
    /// Globs on one component.
    pub names: Vec<String>,
    /// Only if a regular file of that name is in the same folder.
    pub beside: Option<String>,
}

/// The names that one walk leaves out.
#[derive(Debug, Clone)]
pub struct Rules(Vec<Rule>);

#[derive(Debug, Clone)]
struct Rule {
    names: Vec<Name>,
    beside: Option<String>,
}

impl Rules {
    /// None, so that every folder is entered.
    #[must_use]
    pub const fn none() -> Self {
        Self(Vec::new())
    }

    /// Reads the names.
    ///
    /// # Errors
    /// [`Obstacle::Pattern`] if one is not well formed.
    pub(super) fn parse(exclude: &[Exclude]) -> Result<Self, Obstacle> {
        let rule = |exclude: &Exclude| {
            let names = exclude.names.iter().map(|name| Name::parse(name));
            Ok(Rule {
                names: names.collect::<Result<_, _>>()?,
                beside: exclude.beside.clone(),
            })
        };
        exclude.iter().map(rule).collect::<Result<_, _>>().map(Self)
    }

    /// These rules, then those of `others`.
    pub(super) fn and(mut self, others: &Self) -> Self {
        self.0.extend(others.0.iter().cloned());
        self
    }

    /// The rules in one folder.
    pub(super) fn here(&self) -> Here<'_> {
        Here {
            rules: &self.0,
            holds: vec![None; self.0.len()],
        }
    }
}

/// The rules in one folder, and what is known about the files there.
pub(super) struct Here<'r> {
    rules: &'r [Rule],
    /// Those that apply; none before they are computed.
    holds: Vec<Option<bool>>,
}

impl Here<'_> {
    /// Whether a folder of that name is not entered. `has` says whether a regular file of a name is next to it, and is
    /// called only if the answer depends on it.
    ///
    /// # Errors
    /// The errors of `has`.
    pub(super) fn keep_out(
        &mut self,
        name: &str,
        has: impl Fn(&str) -> Result<bool, Obstacle>,
    ) -> Result<bool, Obstacle> {
        for (rule, holds) in self.rules.iter().zip(&mut self.holds) {
            if *holds == Some(false) || !rule.names.iter().any(|own| own.matches(name)) {
                continue;
            }
            let known = match (*holds, &rule.beside) {
                (Some(known), _) => known,
                (None, None) => true,
                (None, Some(file)) => has(file)?,
            };
            *holds = Some(known);
            if known {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
