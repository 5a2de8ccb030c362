//! What parts have besides text: images count by their size in pixels, as the provider counts them, and nothing else counts as text.

use crate::request::provider::glob::{bare, matches};
use crate::text::value::{Json, Member};
use data_encoding::BASE64;

/// The images, documents and sounds of a part.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Media {
    /// The bytes of the part in canonical form that stand for them.
    bytes: usize,
    images: Vec<Image>,
    /// Whether one of them has no size in pixels that its beginning says: a document, a sound, a link, or what cannot be read.
    has_unknown: bool,
}

/// An image, in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Image {
    width: u64,
    height: u64,
    /// Whether it was asked to be seen in little detail.
    is_low: bool,
}

/// The types of blocks that are no text, and the members that hold one, in the APIs of Anthropic, OpenAI, Google and Amazon.
const BLOCKS: [&str; 10] = [
    "audio",
    "document",
    "file",
    "image",
    "image_url",
    "input_audio",
    "input_file",
    "input_image",
    "video",
    "video_url",
];
const MEMBERS: [&str; 4] = ["inlineData", "inline_data", "fileData", "file_data"];

/// The members of blocks and items that have blocks in them.
const INNER: [&str; 6] = [
    "content",
    "output",
    "parts",
    "source",
    "functionResponse",
    "toolResult",
];

/// The characters of base64 that are read: the size of an image may stand after its embedded preview.
const MOST_READ: usize = 1 << 18;

impl Media {
    /// What a part has; none if it is all text.
    pub(super) fn of(key: &Json) -> Option<Self> {
        let mut out = Self::default();
        out.note(key);
        (!out.images.is_empty() || out.has_unknown).then_some(out)
    }

    /// How much it is to a model, in bytes of text, of a part of so many bytes: an image counts by its pixels, and what no rule counts is nothing.
    pub(super) fn size(&self, part: usize, model: &str) -> usize {
        let images = rule(model).map_or(0, |rule| {
            let images = self.images.iter().map(|image| image.tokens(rule));
            images.fold(0, u64::saturating_add)
        });
        let images = usize::try_from(images.saturating_mul(BYTES_A_TOKEN)).unwrap_or(usize::MAX);
        part.saturating_sub(self.bytes).saturating_add(images)
    }

    /// Whether a rule says how much it is to a model: not of a document, a sound, a link, or an image of a model without a rule.
    pub(super) fn is_sized(&self, model: &str) -> bool {
        !self.has_unknown && rule(model).is_some()
    }

    fn note(&mut self, value: &Json) {
        match value {
            _ if Self::is_block(value) => self.take(value),
            Json::Object(members) => {
                let inner = members.iter().filter(|(name, _)| INNER.contains(&&**name));
                inner.for_each(|(_, inner)| self.note(inner));
            }
            _ => value.items().iter().for_each(|item| self.note(item)),
        }
    }

    /// Whether a value is a block that is no text.
    fn is_block(value: &Json) -> bool {
        let Json::Object(members) = value else {
            return false;
        };
        let kind = value.get("type").and_then(Json::as_text);
        // A block of Bedrock's is named by its only member.
        let only = match members.as_slice() {
            [(name, Json::Object(_))] => Some(&**name),
            _ => None,
        };
        let source = value.at(&["source", "type"]).and_then(Json::as_text);
        let is_text = matches!(source, Some("text" | "content"));
        let is_named = kind.or(only).is_some_and(|kind| BLOCKS.contains(&kind));
        let is_member =
            |(name, inner): &Member| MEMBERS.contains(&&**name) && matches!(inner, Json::Object(_));
        is_named && !is_text || members.iter().any(is_member)
    }

    /// Notes a block that is no text: the longest text in it is what it shows, or where that is.
    fn take(&mut self, block: &Json) {
        let data = longest(block);
        self.bytes += data.len();
        let is_low = block.at(&["image_url", "detail"]).or(block.get("detail"));
        let is_low = is_low.and_then(Json::as_text) == Some("low");
        match pixels(data) {
            Some((width, height)) => self.images.push(Image {
                width,
                height,
                is_low,
            }),
            None => self.has_unknown = true,
        }
    }
}

/// A block that is no text in words, such as `image (1.2 MB, png)`; none of others.
pub(super) fn in_words(block: &Json) -> Option<String> {
    if !Media::is_block(block) {
        return None;
    }
    let (own, data) = without_type(longest(block));
    let known = ["media_type", "mimeType", "mime_type", "format"];
    let told = known.iter().find_map(|name| member(block, name));
    let mime = own.or(told).unwrap_or_default();
    let (kind, form) = mime.split_once('/').unwrap_or(("", mime));
    let kind = match kind {
        "image" | "audio" | "video" => kind,
        "application" | "text" => "document",
        _ => ["image", "audio", "video"]
            .into_iter()
            .find(|kind| member(block, "type").is_some_and(|found| found.contains(kind)))
            .unwrap_or("file"),
    };
    // A link, or the name of a file that was sent before.
    let is_name = data.len() < 64 && BASE64.decode(data.as_bytes()).is_err();
    if data.contains("://") || is_name {
        return Some(format!("{kind} ({data})"));
    }
    let size = amount(data.len() / 4 * 3);
    let form = [&*size, form].into_iter().filter(|word| !word.is_empty());
    Some(format!("{kind} ({})", form.collect::<Vec<_>>().join(", ")))
}

/// The text of a member with this name, at the top or inside.
fn member<'j>(value: &'j Json, name: &str) -> Option<&'j str> {
    let mut members = value.members().iter();
    let own = members.clone().find(|(key, _)| &**key == name);
    let own = own.and_then(|(_, value)| value.as_text());
    own.or_else(|| members.find_map(|(_, inner)| member(inner, name)))
}

/// A number of bytes in words.
fn amount(bytes: usize) -> String {
    let units = [(1_000_000, "MB"), (1_000, "kB")];
    match units.iter().find(|(size, _)| bytes >= *size) {
        Some((size, unit)) => format!("{}.{} {unit}", bytes / size, bytes % size * 10 / size),
        None => format!("{bytes} bytes"),
    }
}

/// The type and the data of a `data:` URL; of another text no type, and all of it.
fn without_type(text: &str) -> (Option<&str>, &str) {
    let url = text.strip_prefix("data:");
    let url = url.and_then(|rest| rest.split_once(";base64,"));
    url.map_or((None, text), |(kind, data)| (Some(kind), data))
}

/// The longest text in a value.
fn longest(value: &Json) -> &str {
    let inner: Vec<&str> = match value {
        Json::Text(text) => vec![text],
        Json::List(items) => items.iter().map(longest).collect(),
        Json::Object(members) => members.iter().map(|(_, inner)| longest(inner)).collect(),
        _ => Vec::new(),
    };
    inner
        .into_iter()
        .max_by_key(|text| text.len())
        .unwrap_or_default()
}

/// The width and height of an image in base64, which may be a `data:` URL, by its first bytes. No provider takes one with an edge of 65,536
/// or more.
fn pixels(data: &str) -> Option<(u64, u64)> {
    let (_, data) = without_type(data);
    let read = data.len().min(MOST_READ);
    let bytes = BASE64.decode(data.get(..read)?.as_bytes()).ok()?;
    // The crate takes what stands at the place of a size, of whatever chunk it is.
    let is_other = bytes.starts_with(b"\x89PNG") && bytes.get(12..16) != Some(b"IHDR");
    let size = imagesize::blob_size(&bytes).ok().filter(|_| !is_other)?;
    let size = [size.width, size.height].map(|length| u16::try_from(length).unwrap_or(0));
    let [width, height] = size.map(u64::from);
    (width > 0 && height > 0).then_some((width, height))
}

/// How a provider counts an image.
#[derive(Debug, Clone, Copy)]
enum Rule {
    /// A token for 750 pixels, after it is made smaller until no edge has more pixels, and it has no more tokens.
    Area { edge: u64, most: u64 },
    /// So many tokens, and so many for each square of 512 pixels, after it is made to fit in 2,048 by 2,048 with a short edge of at most 768.
    /// In little detail only the first.
    Tiles { base: u64, tile: u64 },
    /// Each square of 32 pixels, at most 1,536 of them, times so many hundredths.
    Patches(u64),
}

/// The rules of OpenAI's models, by the first pattern that matches, as
/// [openai-image-token-counter](https://pypi.org/project/openai-image-token-counter/1.0.0/) 1.0.0 has them from OpenAI's page; read on 2026-12-01.
const RULES: &[(&str, Rule)] = &[
    ("gpt-4o-mini*", tiles(2833, 5667)),
    ("gpt-4o*", tiles(85, 170)),
    ("gpt-4.1-mini*", Rule::Patches(162)),
    ("gpt-4.1-nano*", Rule::Patches(246)),
    ("gpt-4.1*", tiles(85, 170)),
    ("gpt-5-mini*", Rule::Patches(162)),
    ("gpt-5-nano*", Rule::Patches(246)),
    ("gpt-5", tiles(70, 140)),
    ("gpt-5-chat*", tiles(70, 140)),
    ("o4-mini*", Rule::Patches(172)),
    ("o1", tiles(75, 150)),
    ("o3", tiles(75, 150)),
];

/// The rules of Claude before 4.7, from [Anthropic's page](https://docs.anthropic.com/en/docs/vision), and from then on, from a
/// [report](https://github.com/vercel-labs/agent-browser/discussions/2318); read on 2026-11-30.
const CLAUDE: [Rule; 2] = [
    Rule::Area {
        edge: 1568,
        most: 1600,
    },
    Rule::Area {
        edge: 2576,
        most: 4784,
    },
];

const fn tiles(base: u64, tile: u64) -> Rule {
    Rule::Tiles { base, tile }
}

impl Image {
    fn tokens(self, rule: Rule) -> u64 {
        let (long, short) = (self.width.max(self.height), self.width.min(self.height));
        let fit = |most: u64| {
            if long > most {
                (most, (short * most).div_ceil(long))
            } else {
                (long, short)
            }
        };
        match rule {
            Rule::Area { edge, most } => {
                let (long, short) = fit(edge);
                (long * short).div_ceil(750).min(most)
            }
            Rule::Tiles { base, .. } if self.is_low => base,
            Rule::Tiles { base, tile } => {
                let (long, short) = fit(2048);
                let (long, short) = if short > 768 {
                    ((long * 768).div_ceil(short), 768)
                } else {
                    (long, short)
                };
                base + tile * long.div_ceil(512) * short.div_ceil(512)
            }
            Rule::Patches(hundredths) => {
                let patches = long.div_ceil(32) * short.div_ceil(32);
                (patches.min(1536) * hundredths).div_ceil(100)
            }
        }
    }
}

/// The bytes of text that cost as much as a token, where no bill says it.
const BYTES_A_TOKEN: u64 = 4;

fn rule(model: &str) -> Option<Rule> {
    if let Some((_, rest)) = model.split_once("claude") {
        // A date is no version, nor is the number of a revision.
        let words = rest.split(|c: char| !c.is_ascii_alphanumeric());
        let numbers = words.filter(|word| word.len() <= 2);
        let mut version = numbers.filter_map(|word| word.parse::<u8>().ok());
        let version = (version.next()?, version.next().unwrap_or(0));
        return Some(CLAUDE[usize::from(version >= (4, 7))]);
    }
    let name = bare(model.rsplit('/').next()?);
    let found = RULES.iter().find(|(pattern, _)| matches(pattern, name));
    found.map(|(_, rule)| *rule)
}
