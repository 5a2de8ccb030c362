//! A prompt.

use crate::call::{Document, Explain, document, guarded, named, work};
use promptc::report::blame::PlaceQuery;
use promptc::request::emit::{EmitOptions, Layout};
use promptc::{Answer, Deliver, EmitRequest, Findings};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;

/// A prompt with its map.
#[pyclass(frozen, module = "promptc_cli._native")]
pub(crate) struct Prompt {
    prompt: Arc<promptc::Prompt>,
    findings: Findings,
}

impl Prompt {
    pub(crate) fn of(answer: Answer<promptc::Prompt>) -> Self {
        Self {
            prompt: Arc::new(answer.value),
            findings: answer.findings,
        }
    }

    pub(crate) fn shared(answer: Answer<Arc<promptc::Prompt>>) -> Self {
        Self {
            prompt: answer.value,
            findings: answer.findings,
        }
    }
}

fn channel(name: &str) -> PyResult<Deliver> {
    let found = Deliver::ALL.iter().find(|deliver| deliver.name() == name);
    found
        .copied()
        .ok_or_else(|| PyValueError::new_err(format!("there is no channel {name:?}")))
}

/// The artifact that this JSON is.
#[pyfunction]
pub(crate) fn read(py: Python<'_>, json: &str) -> PyResult<Prompt> {
    let prompt = work(py, || {
        promptc::Prompt::from_json("<artifact>", json.as_bytes())
    })?;
    Ok(Prompt {
        prompt: Arc::new(prompt),
        findings: Findings::default(),
    })
}

/// The options besides the model, as the package passes them: a tuple.
#[derive(FromPyObject)]
pub(crate) struct Wish(
    /// Messages as JSON.
    Option<String>,
    /// How the answer begins.
    Option<String>,
    /// Times to live, of all or of a tier.
    Vec<(Option<String>, String)>,
    /// How many of the last messages are marked.
    Option<usize>,
    /// Whether the provider places breakpoints.
    bool,
    /// The key of a cache.
    Option<String>,
    /// A stored resource.
    Option<String>,
    /// Whether such a resource is stored.
    bool,
    /// The longest answer.
    Option<u64>,
    /// Where markers are: `envelope` or `native`.
    Option<String>,
    /// Whether the model may be unknown.
    bool,
    /// Tables of providers.
    Vec<PathBuf>,
);

type LayerFields<'p> = (
    &'p str,
    &'p str,
    &'p str,
    &'p str,
    &'p str,
    usize,
    usize,
    &'p str,
);

#[pymethods]
impl Prompt {
    #[getter]
    fn name(&self) -> Option<&str> {
        self.prompt.name.as_deref()
    }

    #[getter]
    fn fingerprint(&self) -> &str {
        &self.prompt.fingerprint
    }

    fn text(&self, name: &str) -> PyResult<&str> {
        Ok(self.prompt.text(channel(name)?))
    }

    /// The layers of all channels: name, tier, channel, class of change, text, first byte, one past the last, hash.
    fn layers(&self) -> Vec<LayerFields<'_>> {
        let channels = self.prompt.channels.iter();
        let layers = channels.flat_map(|channel| {
            channel.layers.iter().map(|layer| {
                let text = channel.text.get(layer.start..layer.end);
                (
                    layer.name.as_str(),
                    layer.tier.as_str(),
                    channel.deliver.name(),
                    layer.changes.name(),
                    text.unwrap_or_default(),
                    layer.start,
                    layer.end,
                    layer.sha256.as_str(),
                )
            })
        });
        layers.collect()
    }

    fn findings(&self) -> String {
        self.findings.to_json()
    }

    fn to_json(&self, py: Python<'_>) -> PyResult<String> {
        guarded(py, || self.prompt.to_json())
    }

    fn blame(
        &self,
        py: Python<'_>,
        name: &str,
        offset: Option<usize>,
        line: Option<&str>,
        find: Option<&str>,
    ) -> PyResult<Document> {
        let place = match (offset, line, find) {
            (Some(offset), None, None) => PlaceQuery::Offset(offset),
            (None, Some(line), None) => {
                PlaceQuery::Line(line.parse().map_err(PyValueError::new_err)?)
            }
            (None, None, Some(text)) if !text.is_empty() => PlaceQuery::Text(text),
            _ => {
                return Err(PyValueError::new_err(
                    "name one place: an offset, a line or a text",
                ));
            }
        };
        let channel = channel(name)?;
        let found = work(py, || self.prompt.blame_json(channel, place))?;
        Ok(document(found.value, &found.findings))
    }

    fn explain(&self, py: Python<'_>, asked: Explain) -> PyResult<Document> {
        let options = asked.read()?;
        let found = work(py, || self.prompt.explain(&options))?;
        Ok(document(found.value, &found.findings))
    }

    fn diff(&self, py: Python<'_>, name: &str, next: &Self, next_name: &str) -> PyResult<Document> {
        let text = guarded(py, || {
            self.prompt.compare_json(name, &next.prompt, next_name)
        })?;
        Ok(document(text, &Findings::default()))
    }

    fn emit(
        &self,
        py: Python<'_>,
        shape: String,
        model: String,
        wish: Wish,
        tokenizer: Option<String>,
        now: Option<String>,
    ) -> PyResult<Document> {
        let Wish(
            messages,
            prefill,
            ttls,
            last,
            automatic,
            key,
            cached,
            create,
            max_tokens,
            markers,
            allow_unknown_model,
            tables,
        ) = wish;
        let request = EmitRequest {
            shape,
            model,
            allow_unknown_model,
            messages: messages.map(|json| ("<messages>".to_owned(), json.into_bytes().into())),
            prefill,
            tables,
            tokenizer: named(tokenizer.as_deref())?,
            now,
            options: EmitOptions {
                automatic,
                ttls,
                last,
                key,
                cached,
                create,
                max_tokens,
                layout: markers.as_deref().map(layout).transpose()?,
            },
        };
        let body = work(py, || self.prompt.emit(&request))?;
        Ok(document(body.value, &body.findings))
    }
}

fn layout(name: &str) -> PyResult<Layout> {
    match name {
        "envelope" => Ok(Layout::Envelope),
        "native" => Ok(Layout::Native),
        _ => Err(PyValueError::new_err(format!(
            "there is no layout {name:?}"
        ))),
    }
}
