//! The random runs.

use super::build::{Built, build};
use super::generate::{Maker, Reach};
use super::kdl;
use super::print::print;
use super::random::Random;
use super::row::Row;
use super::world::World;

/// A world that was printed and built.
pub(crate) struct Stand {
    pub(crate) world: World,
    pub(crate) side: super::build::Side,
    pub(crate) lines: kdl::Lines,
    pub(crate) rows: Vec<Row>,
    pub(crate) built: Built,
}

/// Builds a world and holds it against the model.
pub(crate) fn stand(world: World) -> Result<Stand, String> {
    let (side, lines) = kdl::side(&world);
    let built = build(&side).map_err(|e| format!("no build: {e}"))?;
    let rows = print(&world);
    let expected: Vec<(String, String)> = [false, true]
        .into_iter()
        .flat_map(|user| rows.iter().filter(move |r| r.there && r.user == user))
        .map(|r| (r.layer.clone(), r.text()))
        .collect();
    let got: Vec<(String, String)> = built.layers.iter().map(|l| (l.name.clone(), l.text.clone())).collect();
    if got != expected {
        return Err(format!("model: expected {expected:#?}\ngot {got:#?}\n{side:#?}"));
    }
    Ok(Stand {
        world,
        side,
        lines,
        rows,
        built,
    })
}

fn maker(seed: u64) -> Maker {
    let mut r = Random::new(seed);
    let reach = *r.pick(&[Reach::Plain, Reach::Choices, Reach::Templates, Reach::Budgets]);
    Maker { r, next: 0, reach }
}

#[test]
fn prints() {
    for seed in 0..2000 {
        let mut m = maker(seed);
        let world = m.world();
        match stand(world) {
            Ok(_) => {}
            Err(e) if e.starts_with("no build") => println!("{seed} {e}"),
            Err(e) => panic!("{seed} {e}"),
        }
    }
}
