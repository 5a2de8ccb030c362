//! Images of known and of unknown size and documents in messages: their bytes, and their tokens by docs/usage.md, "Images".

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::cache::Bill;
use crate::class::Class;
use crate::parts::{Api, Kind, Message, Part, Request, Ttl};
use crate::traffic::Maker;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum What {
    Image,
    /// An image whose first bytes say nothing.
    Broken,
    /// An image that is somewhere else.
    Link,
    Document,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Format {
    Png,
    Jpeg,
    Gif,
    /// With losses, without, and with more chunks.
    Webp(u8),
}

const FORMATS: &[Format] = &[
    Format::Png,
    Format::Jpeg,
    Format::Gif,
    Format::Webp(0),
    Format::Webp(1),
    Format::Webp(2),
];

/// What is no text in a part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Picture {
    /// No two have the same.
    id: u64,
    what: What,
    format: Format,
    /// Pixels; of a document its tokens are as many as it is wide.
    wide: u32,
    high: u32,
    /// OpenAI's `detail: low`.
    low: bool,
    /// The bytes after those that say the size.
    more: usize,
}

/// OpenAI's models by squares of 512 pixels: the base, and an amount for each.
const TILES: &[(&str, u64, u64)] = &[
    ("gpt-4o", 85, 170),
    ("gpt-4.1", 85, 170),
    ("gpt-5", 70, 140),
];
/// Those by squares of 32 pixels: the factor in hundredths.
const SQUARES: &[(&str, u64)] = &[
    ("gpt-4.1-mini", 162),
    ("gpt-5-mini", 162),
    ("gpt-5-nano", 246),
];

impl Picture {
    /// Whether the recording says its size.
    pub(crate) fn sized(&self) -> bool {
        self.what == What::Image
    }

    /// The tokens that the provider of a model counts.
    pub(crate) fn tokens(&self, model: &str) -> u64 {
        let (w, h) = (u64::from(self.wide), u64::from(self.high));
        let tiles = TILES.iter().find(|t| t.0 == model);
        let squares = SQUARES.iter().find(|s| s.0 == model);
        match (self.what, tiles, squares) {
            (What::Document, ..) => w,
            (_, Some((_, base, _)), _) if self.low => *base,
            (_, Some((_, base, each)), _) => base + each * tiles_of(w, h),
            (_, _, Some((_, factor))) => (w.div_ceil(32) * h.div_ceil(32)).min(1536) * factor / 100,
            _ if model.contains("4-6") => by_pixels(w, h, 1568, 1600),
            _ => by_pixels(w, h, 2576, 4784),
        }
    }

    /// The first bytes of its file, and some that no other file has.
    fn bytes(&self) -> Vec<u8> {
        let mut out = match self.what {
            What::Document => b"%PDF-1.7\n".to_vec(),
            What::Broken => b"no image at all ".to_vec(),
            What::Image | What::Link => header(self.format, self.wide, self.high),
        };
        let seed = self.id.wrapping_mul(0x9E37_79B9_7F4A_7C15).to_le_bytes();
        out.extend(seed.iter().cycle().take(8 + self.more));
        out
    }

    fn url(&self, kind: &str) -> String {
        match self.what {
            What::Link => format!("https://pictures.example/{}.png", self.id),
            _ => format!("data:{kind};base64,{}", base64(&self.bytes())),
        }
    }

    fn name(&self) -> &'static str {
        match self.format {
            Format::Png => "png",
            Format::Jpeg => "jpeg",
            Format::Gif => "gif",
            Format::Webp(_) => "webp",
        }
    }

    /// The block of a message.
    pub(crate) fn block(&self, api: Api) -> Value {
        let (name, detail) = (self.name(), if self.low { "low" } else { "high" });
        let kind = format!("image/{name}");
        let data = || base64(&self.bytes());
        match (api, self.what) {
            (Api::Anthropic, What::Document) => {
                json!({"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": data()}})
            }
            (Api::Anthropic, What::Link) => {
                json!({"type": "image", "source": {"type": "url", "url": self.url(&kind)}})
            }
            (Api::Anthropic, _) => {
                json!({"type": "image", "source": {"type": "base64", "media_type": kind, "data": data()}})
            }
            (Api::Bedrock, What::Document) => {
                json!({"document": {"format": "pdf", "name": "book", "source": {"bytes": data()}}})
            }
            (Api::Bedrock, What::Link) => {
                json!({"image": {"format": name, "source": {"s3Location": {"uri": format!("s3://pictures/{}", self.id)}}}})
            }
            (Api::Bedrock, _) => json!({"image": {"format": name, "source": {"bytes": data()}}}),
            (Api::Chat, What::Document) => {
                json!({"type": "file", "file": {"filename": "book.pdf", "file_data": self.url("application/pdf")}})
            }
            (Api::Chat, _) => {
                json!({"type": "image_url", "image_url": {"url": self.url(&kind), "detail": detail}})
            }
            (Api::Responses, What::Document) => {
                json!({"type": "input_file", "filename": "book.pdf", "file_data": self.url("application/pdf")})
            }
            (Api::Responses, _) => {
                json!({"type": "input_image", "image_url": self.url(&kind), "detail": detail})
            }
        }
    }
}

/// Pixels by 750, after an image is made smaller to a long edge.
fn by_pixels(w: u64, h: u64, edge: u64, most: u64) -> u64 {
    let long = w.max(h);
    let (w, h) = if long > edge {
        (w * edge / long, h * edge / long)
    } else {
        (w, h)
    };
    (w * h / 750).min(most)
}

/// The squares of 512 pixels of an image that is made smaller to fit in 2048 by 2048, and then to a short edge of at most 768.
fn tiles_of(w: u64, h: u64) -> u64 {
    let long = w.max(h);
    let (w, h) = if long > 2048 {
        (w * 2048 / long, h * 2048 / long)
    } else {
        (w, h)
    };
    let short = w.min(h);
    let (w, h) = if short > 768 {
        (w * 768 / short, h * 768 / short)
    } else {
        (w, h)
    };
    w.div_ceil(512) * h.div_ceil(512)
}

/// The shortest beginning of a file that says its size.
fn header(format: Format, w: u32, h: u32) -> Vec<u8> {
    let short = |n: u32| u16::try_from(n).unwrap_or(u16::MAX);
    let little = |n: u32| short(n).to_le_bytes();
    let three = |n: u32| [n.to_le_bytes()[0], n.to_le_bytes()[1], n.to_le_bytes()[2]];
    match format {
        Format::Png => {
            let start = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR";
            let (w, h) = (w.to_be_bytes(), h.to_be_bytes());
            [&start[..], &w, &h, &[8, 2, 0, 0, 0], &[1, 2, 3, 4]].concat()
        }
        Format::Gif => [&b"GIF89a"[..], &little(w), &little(h), &[0xF0, 0, 0]].concat(),
        Format::Jpeg => {
            let start = b"\xFF\xD8\xFF\xE0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0\xFF\xC0\0\x11\x08";
            let (w, h) = (short(w).to_be_bytes(), short(h).to_be_bytes());
            [
                &start[..],
                &h,
                &w,
                b"\x03\x01\x22\0\x02\x11\x01\x03\x11\x01\xFF\xDA",
            ]
            .concat()
        }
        Format::Webp(kind) => {
            let start = b"RIFF\xF0\xFF\0\0WEBP";
            let of = match kind {
                0 => {
                    let frame = b"VP8 \xE4\xFF\0\0\x30\x01\0\x9D\x01\x2A";
                    [&frame[..], &little(w), &little(h)].concat()
                }
                1 => {
                    let bits = (w - 1) | ((h - 1) << 14);
                    [&b"VP8L\xE4\xFF\0\0\x2F"[..], &bits.to_le_bytes()].concat()
                }
                _ => {
                    let chunk = b"VP8X\x0A\0\0\0\0\0\0\0";
                    [&chunk[..], &three(w - 1), &three(h - 1)].concat()
                }
            };
            [&start[..], &of].concat()
        }
    }
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for three in bytes.chunks(3) {
        let mut n = 0;
        for k in 0..3 {
            n = n << 8 | usize::from(three.get(k).copied().unwrap_or(0));
        }
        for k in 0..4 {
            let letter = char::from(LETTERS[n >> (18 - 6 * k) & 63]);
            out.push(if k <= three.len() { letter } else { '=' });
        }
    }
    out
}

/// Whether the page has a prediction for a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Predicted {
    Yes,
    /// The entry ends before the last breakpoint of its request, where only shares say its tokens, and a part of that request may have no known size. Or
    /// a part of this one has none, and bills say the tokens all the same, or not that a longer entry was too short to be kept.
    Open,
    /// A part has no known size, and nothing but shares says the tokens of the entry.
    Not,
}

/// The ends of which bills say how many tokens they have.
#[derive(Default)]
pub(crate) struct Ends {
    /// The last breakpoint of a request, or all of it.
    last: BTreeSet<u64>,
    /// What was read, or written for an hour and more for five minutes.
    others: BTreeSet<u64>,
    /// All breakpoints, also those that were not kept: whether one reaches the minimum is a matter of its tokens.
    marked: BTreeSet<u64>,
}

impl Ends {
    /// Takes a request that is to read up to an end, with its bill.
    pub(crate) fn take(&mut self, r: &Request, hit: Option<u64>, bill: &Bill) -> Predicted {
        let is_told = |k: u64| self.last.contains(&k);
        let out = match (r.is_unsized(), hit) {
            (true, Some(k)) if !is_told(k) && !self.others.contains(&k) => Predicted::Not,
            (_, Some(k)) if !is_told(k) => Predicted::Open,
            (true, _) if self.may_have(r, hit) => Predicted::Open,
            _ => Predicted::Yes,
        };
        let ends = r.ends();
        self.marked
            .extend(r.places().iter().map(|(n, _)| ends[n - 1].key));
        let hour = |(n, t): &(usize, Ttl)| {
            let written = ends[n - 1].tokens - bill.read().min(ends[n - 1].tokens);
            (*t == Ttl::Hour && written == bill.0[Ttl::Hour.bucket()]).then(|| ends[n - 1].key)
        };
        self.others.extend(r.places().iter().filter_map(hour));
        self.others.extend(hit);
        self.last.extend(r.told_end());
        out
    }

    /// Whether something longer than what a request is to read was marked, and no bill says that it was not kept.
    fn may_have(&self, r: &Request, hit: Option<u64>) -> bool {
        let ends = r.ends();
        let longer = ends.iter().rev().take_while(|e| Some(e.key) != hit);
        let mut longer = longer.map(|e| &e.key);
        longer.any(|k| self.marked.contains(k) && !self.last.contains(k))
    }
}

impl Maker {
    /// What a class has of pictures.
    fn picture(&mut self, api: Api) -> Picture {
        self.next += 1;
        // Small images, which the page takes as they are, are looked at alone.
        let (low, high) = match self.mode.class {
            Some(Class::Images) if !api.marked() => (768, 2048),
            _ => (64, 2700),
        };
        let r = &mut self.more_r;
        let kinds = &[What::Broken, What::Link, What::Document];
        let what = match self.mode.class {
            Some(Class::Unsized) => *r.pick(kinds),
            _ => What::Image,
        };
        let mut edge = || u32::try_from(r.from(low, high)).unwrap_or(768);
        let (wide, high) = (edge(), edge());
        Picture {
            id: self.next,
            what,
            format: *r.pick(FORMATS),
            wide,
            high,
            low: r.one_in(4),
            more: r.from(0, 3000),
        }
    }

    /// Adds a picture to what the user or a tool says, if the class has any.
    pub(crate) fn show(&mut self, api: Api, m: &mut Message, always: bool) {
        if !matches!(
            self.mode.class,
            Some(Class::Images | Class::SmallImages | Class::Unsized)
        ) {
            return;
        }
        if !always && self.more_r.one_in(2) {
            return;
        }
        let picture = self.picture(api);
        match m.parts.last_mut() {
            // A tool of this API says nothing but texts.
            Some(p) if p.kind == Kind::Outcome && api == Api::Chat => {}
            Some(p) if p.kind == Kind::Outcome => p.picture = Some(picture),
            _ => {
                let part = Part {
                    kind: Kind::Picture,
                    id: picture.id,
                    text: String::new(),
                    tokens: 0,
                    picture: Some(picture),
                };
                let at = if self.more_r.one_in(2) {
                    0
                } else {
                    m.parts.len()
                };
                m.parts.insert(at, part);
            }
        }
    }
}

/// The tokens by hand, from the page and the package that it names.
#[test]
fn tokens_of_pictures() {
    let of = |model: &str, wide, high, low| {
        let picture = Picture {
            id: 1,
            what: What::Image,
            format: Format::Png,
            wide,
            high,
            low,
            more: 0,
        };
        picture.tokens(model)
    };
    assert_eq!(of("claude-opus-5-5", 1000, 750, false), 1000);
    assert_eq!(of("claude-opus-5-5", 2576, 1500, false), 4784, "at most");
    assert_eq!(
        of("claude-opus-5-5", 5152, 150, false),
        257,
        "smaller: 2576 by 75"
    );
    assert_eq!(
        of("claude-sonnet-4-6", 3136, 1500, false),
        1568,
        "smaller: 1568 by 750"
    );
    assert_eq!(
        of("gpt-4o", 1024, 1024, false),
        765,
        "768 by 768: four squares"
    );
    assert_eq!(
        of("gpt-4o", 2048, 4096, false),
        1105,
        "768 by 1536: six squares"
    );
    assert_eq!(of("gpt-4o", 2048, 4096, true), 85);
    assert_eq!(of("gpt-5", 300, 300, false), 210, "as it is: one square");
    assert_eq!(of("gpt-4o", 84, 1742, false), 765, "four squares in a row");
    assert_eq!(of("gpt-5-mini", 1024, 1024, false), 1658, "1024 squares");
    assert_eq!(
        of("gpt-4.1-mini", 2048, 2048, false),
        2488,
        "at most 1536 squares"
    );
    assert_eq!(base64(b"any carnal pleas"), "YW55IGNhcm5hbCBwbGVhcw==");
    assert_eq!(base64(b"sure."), "c3VyZS4=");
}
