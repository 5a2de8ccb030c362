//! Kinds of mutations. Each looks for something that it can change in a world, and says what it will do.

mod budgets;
mod documents;
mod facts;
mod flips;
mod manifest;
mod places;
mod quiet;
mod slides;
mod texts;

use super::ink::Ink;
use super::mutation::{Change, Effect, Mutation};
use super::world::World;

/// Makes a mutation, if the world has something to mutate.
pub(super) type Make = fn(&World, &mut Ink) -> Option<Mutation>;

/// All kinds.
pub(super) const KINDS: &[(&str, Make)] = &[
    ("document edited", documents::edit),
    ("document begins anew", documents::begin),
    ("document ends anew", documents::append),
    ("document added", documents::add),
    ("document removed", documents::remove),
    ("document renamed", documents::rename),
    ("document blanked", documents::blank),
    ("document no longer blank", documents::fill),
    ("document white space", documents::space),
    ("text fact", facts::text),
    ("text fact white space", facts::space),
    ("flag", facts::flag),
    ("list item added", facts::item_added),
    ("list item removed", facts::item_removed),
    ("list item changed", facts::item_changed),
    ("condition flipped by a fact", flips::by_fact),
    ("condition flipped by a file", flips::by_file),
    ("where flipped by a fact", flips::by_audience),
    ("where flipped by front matter", flips::by_front_matter),
    ("condition rewritten", manifest::condition),
    ("join of a tier", manifest::tier_join),
    ("file named by a fact", flips::by_name),
    ("manifest text", texts::manifest),
    ("manifest white space", texts::manifest_space),
    ("template file", texts::template),
    ("included template", texts::included),
    ("template white space", texts::template_space),
    ("member added", manifest::member_added),
    ("member removed", manifest::member_removed),
    ("members reordered", manifest::members_reordered),
    ("join of a group", manifest::join),
    ("budget changed", manifest::budget),
    ("layer added", places::added),
    ("layer removed", places::removed),
    ("layer moved", places::moved),
    ("layer renamed", places::renamed),
    ("document grown", budgets::grown),
    ("document shrunk", budgets::shrunk),
    ("edit beyond a cut", budgets::beyond),
    ("document under a shared budget", budgets::shared),
    ("comment", quiet::comment),
    ("unread fact", quiet::fact),
    ("unread file", quiet::file),
    ("document not asked", quiet::not_first),
    ("fallback not needed", quiet::fallback),
    ("white space at the ends", quiet::ends),
    ("class of a tier", quiet::class),
    ("like the next document", slides::document),
    ("the next document twice", slides::twice),
    ("like the next member", slides::member),
    ("like the next layer", slides::layer),
    ("end like the next layer", slides::end),
];

/// A mutation that changes one ingredient; its kind is filled in by the list.
fn one(
    says: String,
    touches: String,
    change: Change,
    effect: Effect,
    apply: impl Fn(&mut World) + 'static,
) -> Mutation {
    Mutation {
        kind: "",
        says,
        touches: vec![touches],
        changes: vec![change],
        effect,
        apply: Box::new(apply),
    }
}
