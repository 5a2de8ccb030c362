//! `session:ID` and `session:ID@N`: the frozen prompt of a session, and its counterpart.

use super::side::{CompareCall, Frozen, Side, Sides};
use crate::diagnostic::ErrorReported;
use crate::project::Run;
use crate::project::sessions::location::refuse;
use crate::project::sessions::place::ManifestLocation;
use crate::project::sessions::{now, same, stored, target};
use crate::prompt::{Deliver, Prompt};
use crate::session::store::{Build, Key};
use crate::session::{SessionMeta, record, restore};
use crate::world::DiskWorld;
use std::collections::BTreeSet;

/// Reads the frozen prompt of a session; nothing else is read, and nothing is built.
pub(super) fn read(
    written: &str,
    args: &CompareCall,
    run: &mut Run,
) -> Result<Frozen, ErrorReported> {
    let mut stored = stored::open(&args.build.project, &args.options.store, run)?;
    let found = target::restored(written, Build::contents, &mut stored, run)?;
    let terms = SessionMeta::of(&found.build);
    let mut contents = |key: &Key| found.content(key);
    let restored = terms.and_then(|terms| {
        let record = record(&mut contents, &found.build)?;
        Ok((terms, record, restore(&mut contents, &found.build)?))
    });
    let (terms, record, (frozen, inputs)) =
        restored.map_err(|error| run.diags.push(refuse(&error, &stored.location)))?;
    Ok(Frozen {
        name: format!("session:{}@{}", found.session.id, found.build.number),
        prompt: Prompt {
            inputs: record,
            ..frozen.prompt
        },
        inputs,
        id: found.session.id,
        live: terms.live.clone(),
        terms,
    })
}

impl Frozen {
    /// This side of a comparison.
    pub(super) fn side(self) -> Sides {
        let prompt = Box::new(self.prompt);
        Sides::One(Box::new(Side::Artifact(self.name, prompt, true)))
    }

    /// The other side, limited to what a session freezes: text that is rebuilt for each call is not part of the frozen
    /// text.
    pub(super) fn beside(
        &self,
        other: Sides,
        args: &CompareCall,
        run: &mut Run,
    ) -> Result<Sides, ErrorReported> {
        Ok(match other {
            Sides::Now => {
                let source = &args.build.project;
                let place = ManifestLocation::of(source, true, &DiskWorld, &mut run.diags)?;
                let here = place.manifest.as_deref();
                same::check(&args.build, here, (&self.id, &self.terms), run)?;
                let now = now::build(&args.build, Some(&self.inputs), None, run)?;
                run.read.extend(now.read);
                let prompt = Box::new(now.kept.made.frozen.prompt);
                let side = Side::Artifact("a build now".to_owned(), prompt, true);
                Sides::One(Box::new(side))
            }
            Sides::One(side) => Sides::One(Box::new(self.cut(*side))),
            Sides::Many(sides) => {
                let cut = |(name, side)| (name, self.cut(side));
                Sides::Many(sides.into_iter().map(cut).collect())
            }
            // A session freezes nothing else.
            frozen @ Sides::Frozen(_) => frozen,
        })
    }

    /// A prompt without the tiers that a session rebuilds for each call.
    fn cut(&self, side: Side) -> Side {
        let (name, prompt, known) = match side {
            Side::Artifact(name, prompt, known) => (name, prompt, known),
            Side::Text(name, text) => return Side::Text(name, self.cut_text(text)),
        };
        let mut live = prompt.live();
        // A channel without text is in no artifact, nor are its tiers; an absent layer still names one of them.
        let tiers = |prompt: &'_ Prompt| -> BTreeSet<String> {
            let tiers = prompt.channels.iter().flat_map(|c| &c.tiers);
            tiers.map(|tier| tier.name.clone()).collect()
        };
        let (own, there) = (tiers(&self.prompt), tiers(&prompt));
        let absent = prompt.absent.iter().map(|absent| absent.tier.as_str());
        let known_here = |tier: &str| {
            own.contains(tier) || self.prompt.absent.iter().any(|absent| absent.tier == tier)
        };
        live.extend(absent.filter(|tier| !there.contains(*tier) && !known_here(tier)));
        let kept = prompt.without_tiers(&live);
        Side::Artifact(name, Box::new(kept), known)
    }
    /// A text that begins with the whole frozen text, up to its end. For any other text, the start of the later tiers
    /// is unknown.
    fn cut_text(&self, text: String) -> String {
        let own = self.prompt.text(Deliver::System);
        if self.live.contains(&Deliver::System) && text.starts_with(own) {
            own.to_owned()
        } else {
            text
        }
    }
}
