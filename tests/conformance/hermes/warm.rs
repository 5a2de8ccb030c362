//! Times a build of the library in one process: `warm-call MANIFEST COUNT ROOT=DIR…`, the facts as JSON on stdin. It prints the
//! medians in milliseconds of stages 3 to 7 with the plan kept, and of all stages with the manifest parsed. `timing` beside
//! this file calls it.
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
    println!("{kept} {whole}");
}
