//! The rank files: where they are from, and their tokens.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use sha1::Sha1;
use sha2::{Digest as _, Sha256};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// One rank file.
pub struct Ranks {
    /// The table that is made of it.
    pub table: &'static str,
    /// Its name in the folder `assets` of the crate `tiktoken-rs`.
    file: &'static str,
    /// Where OpenAI publishes it; tiktoken's cache is keyed by this.
    url: &'static str,
    /// The SHA-256 that tiktoken demands.
    sha256: &'static str,
}

/// Both.
pub const ALL: [Ranks; 2] = [
    Ranks {
        table: "o200k.bin",
        file: "o200k_base.tiktoken",
        url: "https://openaipublic.blob.core.windows.net/encodings/o200k_base.tiktoken",
        sha256: "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    },
    Ranks {
        table: "cl100k.bin",
        file: "cl100k_base.tiktoken",
        url: "https://openaipublic.blob.core.windows.net/encodings/cl100k_base.tiktoken",
        sha256: "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    },
];

impl Ranks {
    /// The name under which tiktoken keeps it.
    pub fn cache_name(&self) -> String {
        hex(&Sha1::digest(self.url.as_bytes()))
    }

    /// The file as it is published.
    pub fn bytes(&self) -> Vec<u8> {
        let path = assets().join(self.file);
        let bytes = fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert_eq!(sha256(&bytes), self.sha256, "{}", path.display());
        bytes
    }

    /// The tokens in order of rank, without a gap.
    pub fn tokens(&self) -> Vec<Vec<u8>> {
        let text = String::from_utf8(self.bytes()).expect("a rank file is ASCII");
        let token = |(at, line): (usize, &str)| {
            let (token, rank) = line.split_once(' ').expect("a token and its rank");
            assert_eq!(rank, at.to_string(), "ranks follow each other");
            BASE64_STANDARD.decode(token).expect("a token is base64")
        };
        text.lines().enumerate().map(token).collect()
    }
}

/// The folder with the rank files, in the source of the crate that carries them.
fn assets() -> PathBuf {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    let output = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--locked",
            "--format-version",
            "1",
            "--manifest-path",
            manifest,
        ])
        .output()
        .expect("cargo runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    let carrier = packages
        .iter()
        .find(|p| p["name"] == "tiktoken-rs")
        .expect("a dependency");
    let manifest = carrier["manifest_path"].as_str().expect("a path");
    PathBuf::from(manifest).with_file_name("assets")
}

/// In hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}
