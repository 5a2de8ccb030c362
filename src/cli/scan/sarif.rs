//! Findings as SARIF 2.1.0 (OASIS), for code scanning.

use super::{Rules, Scanned};
use crate::diagnostic::span::{FileId, Files};
use crate::project::repository::{self, Repository, uri};
use crate::prompt::sha256;
use crate::text::scan::{Finding, INVISIBLE};
use serde_json::{Value, json};

/// The whole log.
pub(super) fn write(rules: &Rules, all: &[Scanned], files: &Files) -> String {
    let log = Log {
        rules,
        files,
        repository: Repository::here(),
        ids: std::iter::once(INVISIBLE)
            .chain(rules.run().map(|rule| &*rule.id))
            .collect(),
    };
    let findings = all
        .iter()
        .flat_map(|s| s.findings.iter().map(|f| (s.file, f)));
    let results: Vec<Value> = findings.map(|(file, f)| log.result(file, f)).collect();
    let described = log.ids.iter().map(|id| log.rule(id));
    let value = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "promptc scan",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": described.collect::<Vec<_>>(),
            } },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    format!("{value:#}\n")
}

struct Log<'a> {
    rules: &'a Rules,
    files: &'a Files,
    repository: Option<Repository>,
    ids: Vec<&'a str>,
}

impl Log<'_> {
    fn rule(&self, id: &str) -> Value {
        json!({
            "id": id,
            "shortDescription": { "text": self.rules.about(id) },
            "defaultConfiguration": { "level": "warning" },
        })
    }

    fn result(&self, file: FileId, finding: &Finding) -> Value {
        let (end_line, end_column) = self.files.line_column(file, finding.range.end);
        let path = repository::path(&self.files.get(file).name, self.repository.as_ref());
        let about = self.rules.about(&finding.rule);
        // What stays the same while lines move. A password can be guessed from its hash, so what is hidden is not in it.
        let text = &self.files.get(file).shown()[finding.range.clone()];
        let print = [&*finding.id, &*path, text].join("\n");
        json!({
            "ruleId": &*finding.rule,
            "ruleIndex": self.ids.iter().position(|id| **id == *finding.rule),
            "level": "warning",
            "message": { "text": format!("`{}`: {about}", finding.id) },
            "locations": [{ "physicalLocation": {
                "artifactLocation": { "uri": uri(&path) },
                "region": {
                    "startLine": finding.line,
                    "startColumn": finding.column,
                    "endLine": end_line,
                    "endColumn": end_column,
                    "byteOffset": finding.range.start,
                    "byteLength": finding.range.len(),
                },
            } }],
            "partialFingerprints": { "promptc/v1": sha256(&print) },
        })
    }
}
