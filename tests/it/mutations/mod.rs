//! Mutations.
mod ink;
mod world;
mod kdl;
mod print;
mod generate;
mod build;

#[test]
fn worlds_build() {
    for seed in 0..500 {
        let mut ink = ink::Ink::new(seed);
        let world = generate::world(&mut ink);
        let prompt = build::build(&world);
        if seed == 3 { println!("{}\n{}", kdl::manifest(&world), build::texts(&prompt)); }
    }
}
