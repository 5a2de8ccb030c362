//! A prompt.

use crate::call::{Document, Explain, Work, document, failed, guarded, named, wrong};
use napi::bindgen_prelude::AsyncTask;
use napi_derive::napi;
use promptc::report::blame::PlaceQuery;
use promptc::request::emit::{EmitOptions, Layout};
use promptc::{Answer, Deliver, EmitRequest, Findings, Prompt};
use std::path::PathBuf;
use std::sync::Arc;

/// A prompt with its map.
#[napi]
pub struct NativePrompt {
    prompt: Arc<Prompt>,
    findings: Findings,
}

impl NativePrompt {
    pub(crate) fn of(answer: Answer<Prompt>) -> Self {
        Self {
            prompt: Arc::new(answer.value),
            findings: answer.findings,
        }
    }

    pub(crate) fn shared(answer: Answer<Arc<Prompt>>) -> Self {
        Self {
            prompt: answer.value,
            findings: answer.findings,
        }
    }
}

fn channel(name: &str) -> napi::Result<Deliver> {
    let found = Deliver::ALL.iter().find(|deliver| deliver.name() == name);
    found
        .copied()
        .ok_or_else(|| wrong(format!("there is no channel {name:?}")))
}

/// The artifact that this JSON is.
#[napi(catch_unwind)]
pub fn read(json: String) -> napi::Result<NativePrompt> {
    let prompt = guarded(|| Prompt::from_json("<artifact>", json.as_bytes()))?;
    Ok(NativePrompt {
        prompt: Arc::new(prompt.map_err(|error| failed(&error))?),
        findings: Findings::default(),
    })
}

/// A layer of a prompt.
#[napi(object)]
pub struct NativeLayer {
    pub channel: String,
    pub name: String,
    pub tier: String,
    pub changes: String,
    pub text: String,
    /// Bytes in the text of the channel.
    pub start: u32,
    pub end: u32,
    pub sha256: String,
}

/// A request that is asked for.
#[napi(object)]
pub struct Request {
    pub shape: String,
    pub model: String,
    /// JSON.
    pub messages: Option<String>,
    pub prefill: Option<String>,
    /// For all, or for tiers by their names.
    pub ttl: Option<String>,
    pub ttls: Vec<Vec<String>>,
    pub last: Option<u32>,
    pub automatic: bool,
    pub key: Option<String>,
    pub cached: Option<String>,
    pub create: bool,
    pub max_tokens: Option<u32>,
    pub markers: Option<String>,
    pub allow_unknown_model: bool,
    pub providers: Vec<String>,
    pub tokenizer: Option<String>,
    pub now: Option<String>,
}

impl Request {
    fn read(self) -> napi::Result<EmitRequest> {
        let of_tier = |pair: Vec<String>| match <[String; 2]>::try_from(pair) {
            Ok([tier, ttl]) => Ok((Some(tier), ttl)),
            Err(_) => Err(wrong("a pair has two texts")),
        };
        let ttls = self.ttls.into_iter().map(of_tier);
        let ttls = self.ttl.map(|ttl| Ok((None, ttl))).into_iter().chain(ttls);
        Ok(EmitRequest {
            shape: self.shape,
            model: self.model,
            allow_unknown_model: self.allow_unknown_model,
            messages: self
                .messages
                .map(|json| ("<messages>".to_owned(), json.into_bytes().into())),
            prefill: self.prefill,
            tables: self.providers.into_iter().map(PathBuf::from).collect(),
            tokenizer: named(self.tokenizer.as_deref())?,
            now: self.now,
            options: EmitOptions {
                automatic: self.automatic,
                ttls: ttls.collect::<napi::Result<_>>()?,
                last: self.last.map(|last| last as usize),
                key: self.key,
                cached: self.cached,
                create: self.create,
                max_tokens: self.max_tokens.map(u64::from),
                layout: self.markers.as_deref().map(layout).transpose()?,
            },
        })
    }
}

fn layout(name: &str) -> napi::Result<Layout> {
    match name {
        "envelope" => Ok(Layout::Envelope),
        "native" => Ok(Layout::Native),
        _ => Err(wrong(format!("there is no layout {name:?}"))),
    }
}

#[napi]
impl NativePrompt {
    #[napi(catch_unwind)]
    pub fn name(&self) -> Option<String> {
        self.prompt.name.clone()
    }

    #[napi(catch_unwind)]
    pub fn fingerprint(&self) -> String {
        self.prompt.fingerprint.clone()
    }

    #[napi(catch_unwind)]
    pub fn text(&self, name: String) -> napi::Result<String> {
        Ok(self.prompt.text(channel(&name)?).to_owned())
    }

    /// The layers of all channels.
    #[napi(catch_unwind)]
    pub fn layers(&self) -> Vec<NativeLayer> {
        let channels = self.prompt.channels.iter();
        let layers = channels.flat_map(|channel| {
            channel.layers.iter().map(|layer| {
                let text = channel.text.get(layer.start..layer.end);
                NativeLayer {
                    channel: channel.deliver.name().to_owned(),
                    name: layer.name.clone(),
                    tier: layer.tier.clone(),
                    changes: layer.changes.name().to_owned(),
                    text: text.unwrap_or_default().to_owned(),
                    // A text of 4 GiB is refused long before.
                    start: layer.start as u32,
                    end: layer.end as u32,
                    sha256: layer.sha256.clone(),
                }
            })
        });
        layers.collect()
    }

    #[napi(catch_unwind)]
    pub fn findings(&self) -> String {
        self.findings.to_json()
    }

    #[napi(catch_unwind)]
    pub fn to_json(&self) -> napi::Result<String> {
        guarded(|| self.prompt.to_json())
    }

    #[napi(catch_unwind)]
    pub fn blame(
        &self,
        name: String,
        offset: Option<f64>,
        line: Option<String>,
        find: Option<String>,
    ) -> napi::Result<Document> {
        let place = match (offset, line.as_deref(), find.as_deref()) {
            (Some(offset), None, None) if offset >= 0.0 && offset.fract() == 0.0 => {
                PlaceQuery::Offset(offset as usize)
            }
            (None, Some(line), None) => {
                PlaceQuery::Line(line.parse().map_err(|why: String| wrong(why))?)
            }
            (None, None, Some(text)) if !text.is_empty() => PlaceQuery::Text(text),
            _ => return Err(wrong("name one place: an offset, a line or a text")),
        };
        let channel = channel(&name)?;
        let found = guarded(|| self.prompt.blame_json(channel, place))?;
        let found = found.map_err(|error| failed(&error))?;
        Ok(document(found.value, &found.findings))
    }

    #[napi(catch_unwind)]
    pub fn explain(&self, asked: Explain) -> napi::Result<Document> {
        let options = asked.read()?;
        let found = guarded(|| self.prompt.explain(&options))?;
        let found = found.map_err(|error| failed(&error))?;
        Ok(document(found.value, &found.findings))
    }

    #[napi(catch_unwind)]
    pub fn diff(
        &self,
        name: String,
        next: &NativePrompt,
        next_name: String,
    ) -> napi::Result<Document> {
        let text = guarded(|| self.prompt.compare_json(&name, &next.prompt, &next_name))?;
        Ok(document(text, &Findings::default()))
    }

    #[napi(catch_unwind)]
    pub fn emit(&self, request: Request) -> napi::Result<AsyncTask<Work<Document>>> {
        let (prompt, request) = (self.prompt.clone(), request.read()?);
        Ok(Work::start(move || {
            let body = prompt.emit(&request)?;
            Ok(document(body.value, &body.findings))
        }))
    }
}
