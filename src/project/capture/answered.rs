//! The information that answers give about the prompts after them: the server's own edits, and the provider that a
//! router chose.

use crate::request::json::Json;
use crate::request::whole::log::ResponseLine;
use std::collections::BTreeMap;

/// The information in answers, by the number of their request; answers without any are not held.
#[derive(Debug, Default)]
pub(super) struct Answers {
    edits: BTreeMap<usize, Vec<Json>>,
    routes: BTreeMap<usize, String>,
}

impl Answers {
    /// Notes what an answer says.
    pub(super) fn add(&mut self, answer: &ResponseLine) {
        let edits = answer.edits.as_ref().and_then(|e| e.get("applied_edits"));
        let edits = edits.map(Json::items).unwrap_or_default();
        if !edits.is_empty() {
            self.edits.insert(answer.request, edits.to_vec());
        }
        if let Some(provider) = &answer.provider {
            let model = answer.model.iter().map(|model| format!(", {model}"));
            let route = format!("{provider}{}", model.collect::<String>());
            self.routes.insert(answer.request, route);
        }
    }

    /// The server's own edits of a request.
    pub(super) fn edits(&self, number: usize) -> &[Json] {
        self.edits.get(&number).map_or(&[], Vec::as_slice)
    }

    /// The provider and model to which a router gave a request, if its answer says it.
    pub(super) fn route(&self, number: usize) -> Option<&String> {
        self.routes.get(&number)
    }
}
