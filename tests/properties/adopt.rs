//! Any one or two dumps: what is made of them builds to the dumps, byte for byte.

use super::input::Input;
use promptc::adopt::{Dump, adopt};
use promptc::compile::{GivenInputs, compile};
use promptc::diagnostic::Diagnostics;
use promptc::manifest;
use promptc::prompt::Deliver;
use promptc::diagnostic::span::Files;
use promptc::world::MapWorld;
use std::path::Path;

pub(super) fn check(data: &[u8]) {
    let mut input = Input::new(data);
    let texts = [(); 2].map(|()| input.text().into_owned());
    let dumps: Vec<Dump> = texts
        .into_iter()
        .zip(["one", "two"])
        .filter(|(text, _)| !text.trim().is_empty())
        .map(|(text, name)| Dump { name: name.to_owned(), text })
        .collect();
    let Some(adopted) = adopt(&dumps) else {
        // What is blank to us need not be to Rust; else there is always a layout.
        let blank = |text: &str| text.chars().all(|c| c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c) || c == '\u{feff}');
        assert!(dumps.is_empty() || dumps.iter().any(|d| blank(&d.text)), "no layout");
        return;
    };
    let world = adopted.files.iter().fold(MapWorld::new(), |world, file| {
        world.file(Path::new("/base").join(&file.path), file.text.clone())
    });
    for dump in &dumps {
        let given = GivenInputs {
            scenario: (dumps.len() > 1).then(|| dump.name.clone()),
            ..GivenInputs::default()
        };
        let (mut files, mut diags) = (Files::default(), Diagnostics::default());
        let built = manifest::open(&world, Some("/base/promptc.kdl"), &mut files, &mut diags)
            .and_then(|m| compile(&m, &given, &world, &mut files, &mut diags));
        let told: Vec<&str> = diags.iter().map(|d| d.message.as_str()).collect();
        let built = built.unwrap_or_else(|_| panic!("{told:?} in {}", adopted.files[0].text));
        assert_eq!(built.text(Deliver::System), dump.text);
    }
}
