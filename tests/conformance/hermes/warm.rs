//! Times a build of the library in one process: `warm-call MANIFEST COUNT ROOT=DIR…`, the facts as JSON on stdin. It prints the
//! medians in milliseconds of four calls: stages 3 to 7 with the plan kept; all stages with the manifest parsed; an engine, when
//! nothing has changed; an engine, when the fact `turn`, or the one that PROMPTC_TURN names, has another value, where it is given. `timing` beside this file calls it.
#![allow(
    missing_docs,
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::unwrap_used
)]

use promptc::compile::{FactsFile, GivenInputs, build, compile, prepare};
use promptc::diagnostic::Diagnostics;
use promptc::diagnostic::span::Files;
use promptc::manifest;
use promptc::world::DiskWorld;
use promptc::{BuildInputs, Engine, Project};
use serde_json::Value;
use std::hint::black_box;
use std::io::Read as _;
use std::time::Instant;

fn median<T>(count: usize, mut call: impl FnMut() -> T) -> f64 {
    let mut times: Vec<f64> = (0..count)
        .map(|_| {
            let start = Instant::now();
            black_box(call());
            start.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[count / 2]
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [manifest, count, roots @ ..] = arguments.as_slice() else {
        panic!("warm-call MANIFEST COUNT ROOT=DIR…");
    };
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes).unwrap();
    let given = GivenInputs {
        facts: vec![FactsFile::new("<stdin>", &bytes)],
        roots: roots
            .iter()
            .map(|root| root.split_once('=').unwrap())
            .map(|(name, path)| (name.to_owned(), path.into()))
            .collect(),
        hermetic: true,
        ..GivenInputs::default()
    };
    let (world, count) = (DiskWorld, count.parse().unwrap());
    let (mut files, mut found) = (Files::default(), Diagnostics::default());
    let parsed = manifest::open(&world, Some(manifest), &mut files, &mut found).unwrap();
    let fresh = Diagnostics::default;
    let plan = prepare(&parsed, &given, &world, &mut files, &mut found).unwrap();
    let kept = median(count, || {
        build(&plan, &given, &world, &mut fresh()).unwrap()
    });
    let whole = median(count, || {
        compile(&parsed, &given, &world, &mut files.clone(), &mut fresh()).unwrap()
    });
    let project = Project::open(manifest.as_str()).unwrap();
    let engine = Engine::new(project);
    let inputs = |facts: &Value| {
        let json = facts.to_string().into_bytes();
        let inputs = BuildInputs::new().facts_object("<stdin>", json).hermetic();
        let roots = roots.iter().map(|root| root.split_once('=').unwrap());
        roots.fold(inputs, |inputs, (name, path)| inputs.root(name, path))
    };
    let mut facts: Value = serde_json::from_slice(&bytes).unwrap();
    let unchanged = inputs(&facts);
    let same = median(count, || engine.build(&unchanged).unwrap());
    let name = std::env::var("PROMPTC_TURN").unwrap_or("turn".to_owned());
    let turn = facts.get(&name).cloned().map(|given| {
        let mut turns = 0;
        let all: Vec<BuildInputs> = (0..count)
            .map(|turn| {
                facts[&name] = if given.is_string() {
                    turn.to_string().into()
                } else {
                    turn.into()
                };
                inputs(&facts)
            })
            .collect();
        median(count, || {
            turns += 1;
            engine.build(&all[turns - 1]).unwrap()
        })
    });
    println!("{kept} {whole} {same} {}", turn.unwrap_or_default());
}
