//! PLACEHOLDER: stands for `world::DiskWorld`, `world::Shuffled` and `compile::compile` until they land. To be deleted.
#![allow(missing_docs, unreachable_pub, clippy::disallowed_methods)]

use crate::compile::Given;
use crate::diagnostic::{Diagnostics, Reported};
use crate::manifest::Manifest;
use crate::prompt::{Changes, Channel, Deliver, Layer, Prompt, Span, Tier, sha256};
use crate::span::Files;
use crate::text::SpanKind;
use crate::world::{Entry, Kind, World};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

#[derive(Debug, Default)]
pub struct DiskWorld;

#[derive(Debug)]
pub struct Shuffled<W> {
    pub world: W,
    pub seed: u64,
}

fn kind_of(meta: &std::fs::Metadata) -> Kind {
    let kind = meta.file_type();
    match () {
        () if kind.is_file() => Kind::File,
        () if kind.is_dir() => Kind::Folder,
        () if kind.is_symlink() => Kind::Link,
        () => Kind::Other,
    }
}

impl World for DiskWorld {
    fn kind(&self, path: &Path) -> io::Result<Kind> {
        std::fs::metadata(path).map(|m| kind_of(&m))
    }
    fn kind_of_name(&self, path: &Path) -> io::Result<Kind> {
        std::fs::symlink_metadata(path).map(|m| kind_of(&m))
    }
    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        std::fs::canonicalize(path)
    }
    fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        let mut out = Vec::new();
        std::fs::File::open(path)?
            .take(limit + 1)
            .read_to_end(&mut out)?;
        Ok(out)
    }
    fn list(&self, _: &Path) -> io::Result<Vec<Entry>> {
        Ok(Vec::new())
    }
    fn env(&self, name: &str) -> Option<std::ffi::OsString> {
        std::env::var_os(name)
    }
    fn home(&self) -> Option<PathBuf> {
        None
    }
    fn now(&self) -> i64 {
        0
    }
    fn stdin(&self) -> io::Result<Vec<u8>> {
        let mut out = Vec::new();
        io::stdin().read_to_end(&mut out)?;
        Ok(out)
    }
}

impl<W: World> World for Shuffled<W> {
    fn kind(&self, path: &Path) -> io::Result<Kind> {
        self.world.kind(path)
    }
    fn kind_of_name(&self, path: &Path) -> io::Result<Kind> {
        self.world.kind_of_name(path)
    }
    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        self.world.canonical(path)
    }
    fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        self.world.read(path, limit)
    }
    fn list(&self, path: &Path) -> io::Result<Vec<Entry>> {
        self.world.list(path)
    }
    fn env(&self, name: &str) -> Option<std::ffi::OsString> {
        self.world.env(name)
    }
    fn home(&self) -> Option<PathBuf> {
        self.world.home()
    }
    fn now(&self) -> i64 {
        self.world.now()
    }
    fn stdin(&self) -> io::Result<Vec<u8>> {
        self.world.stdin()
    }
}

pub fn compile(
    _manifest: &Manifest,
    _given: &Given,
    _world: &dyn World,
    _files: &mut Files,
    _diags: &mut Diagnostics,
) -> Result<Prompt, Reported> {
    let text = "placeholder";
    Ok(Prompt {
        schema: crate::prompt::SCHEMA,
        promptc: env!("CARGO_PKG_VERSION").to_owned(),
        language: crate::prompt::LANGUAGE,
        name: Some("placeholder".to_owned()),
        fingerprint: sha256(text),
        manifest: sha256(""),
        channels: vec![Channel {
            deliver: Deliver::System,
            text: text.to_owned(),
            bytes: text.len(),
            chars: text.len(),
            tokens: None,
            tiers: vec![Tier {
                name: "stable".to_owned(),
                changes: Changes::Session,
                start: 0,
                end: text.len(),
                fingerprint: sha256(text),
            }],
            layers: vec![Layer {
                name: "identity".to_owned(),
                tier: "stable".to_owned(),
                start: 0,
                end: text.len(),
                chars: text.len(),
                tokens: None,
                changes: Changes::Never,
                sha256: sha256(text),
                ingredients: Vec::new(),
                spans: vec![Span {
                    start: 0,
                    end: text.len(),
                    kind: SpanKind::Derived,
                    ingredient: None,
                    offset: None,
                }],
                unused: Vec::new(),
            }],
        }],
        absent: Vec::new(),
        notices: Vec::new(),
    })
}
