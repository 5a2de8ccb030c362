//! Findings as SARIF 2.1.0 (OASIS), for code scanning.

use super::places::Places;
use super::{Answer, rules};
use crate::check::{Finding, Rule, Waived};
use crate::diagnostic::span::{FileId, Files, Span};
use crate::diagnostic::{Diagnostic, Severity, Suggestion};
use crate::project::repository::uri;
use crate::prompt::sha256;
use serde_json::{Map, Value, json};

/// The whole log. What several manifests share is in it once.
pub(crate) fn write(answer: &Answer<'_>) -> String {
    let mut results: Vec<Value> = Vec::new();
    for one in &answer.manifests {
        let log = Log {
            files: one.files,
            places: &Places::of(&one.checked.manifest),
        };
        let report = &one.checked.report;
        let open = report.findings.iter().map(|f| log.result(f));
        let waived = report.waived.iter().map(|w| log.waived(w));
        for result in open.chain(waived) {
            if !answer.several || !results.contains(&result) {
                results.push(result);
            }
        }
    }
    let places = &Places::unknown();
    let errors = answer.errors.iter();
    results.extend(errors.map(|(error, files)| Log { files, places }.error(error)));
    let value = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "promptc",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules().map(rule).collect::<Vec<_>>(),
            } },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    format!("{value:#}\n")
}

fn rule(rule: &Rule) -> Value {
    json!({
        "id": rule.code.name,
        "shortDescription": { "text": rule.code.summary },
        "fullDescription": { "text": rule.code.detail },
        "help": { "text": rule.code.detail },
        "defaultConfiguration": { "level": level(rule.severity) },
    })
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

struct Log<'a> {
    files: &'a Files,
    places: &'a Places,
}

impl Log<'_> {
    /// The properties of every result.
    fn said(diagnostic: &Diagnostic) -> Map<String, Value> {
        let mut message = diagnostic.message.clone();
        if let Some(help) = &diagnostic.help {
            message.push_str("\nHelp: ");
            message.push_str(help);
        }
        let mut out = Map::new();
        out.insert("ruleId".into(), json!(diagnostic.code.name));
        out.insert("level".into(), json!(level(diagnostic.severity)));
        out.insert("message".into(), json!({ "text": message }));
        out
    }

    /// Why a manifest cannot be checked.
    fn error(&self, diagnostic: &Diagnostic) -> Value {
        let mut out = Self::said(diagnostic);
        if let Some(span) = diagnostic.span {
            let physical = self.physical(span);
            out.insert(
                "locations".into(),
                json!([{ "physicalLocation": physical }]),
            );
        }
        Value::Object(out)
    }

    fn result(&self, finding: &Finding) -> Value {
        let diagnostic = &finding.diagnostic;
        let mut out = Self::said(diagnostic);
        let name = finding.rule.code.name;
        let index = rules().position(|r| r.code.name == name);
        out.insert("ruleIndex".into(), json!(index));
        out.insert("locations".into(), json!([self.location(finding)]));
        let related: Vec<Value> = (diagnostic.related.iter())
            .map(|(span, label)| {
                json!({
                    "physicalLocation": self.physical(*span),
                    "message": { "text": label },
                })
            })
            .collect();
        if !related.is_empty() {
            out.insert("relatedLocations".into(), related.into());
        }
        // What stays the same while lines move.
        let about = [&finding.tier, &finding.layer].map(|n| n.as_deref().unwrap_or(""));
        let document = finding.document.as_ref().map_or("", |d| &d.path);
        let print = [name, about[0], about[1], document, &diagnostic.message].join("\n");
        out.insert(
            "partialFingerprints".into(),
            json!({ "promptc/v1": sha256(&print) }),
        );
        let edits = finding
            .fix
            .as_ref()
            .map(|fix| fix.edit.as_slice())
            .or(diagnostic.suggestion.as_ref().map(std::slice::from_ref));
        if let Some(edits) = edits {
            let help = diagnostic
                .help
                .as_deref()
                .unwrap_or("the edit that fixes it");
            out.insert(
                "fixes".into(),
                json!([{
                    "description": { "text": help },
                    "artifactChanges": self.changes(edits),
                }]),
            );
        }
        Value::Object(out)
    }

    fn waived(&self, waived: &Waived) -> Value {
        let mut result = self.result(&waived.finding);
        result["suppressions"] = json!([{
            "kind": "inSource",
            "justification": waived.because,
            "location": { "physicalLocation": self.physical(waived.place) },
        }]);
        result
    }

    fn location(&self, finding: &Finding) -> Value {
        let mut out = Map::new();
        if let Some(document) = &finding.document {
            let physical = json!({
                "artifactLocation": { "uri": uri(&self.places.document(document)) },
                "region": { "startLine": document.line },
            });
            out.insert("physicalLocation".into(), physical);
        } else if let Some(span) = finding.diagnostic.span {
            out.insert("physicalLocation".into(), self.physical(span));
        }
        let names: Vec<&str> = (finding.tier.iter().chain(&finding.layer))
            .map(String::as_str)
            .collect();
        if let Some(name) = names.last() {
            let kind = if finding.layer.is_some() {
                "layer"
            } else {
                "tier"
            };
            let logical = json!([{
                "name": name,
                "fullyQualifiedName": names.join("/"),
                "kind": kind,
            }]);
            out.insert("logicalLocations".into(), logical);
        }
        Value::Object(out)
    }

    fn uri(&self, file: FileId) -> String {
        uri(&self.places.file(&self.files.get(file).name))
    }

    fn physical(&self, span: Span) -> Value {
        json!({
            "artifactLocation": { "uri": self.uri(span.file) },
            "region": self.region(span),
        })
    }

    fn region(&self, span: Span) -> Value {
        let start = self.files.line_column(span.file, span.start as usize);
        let end = self
            .files
            .line_column(span.file, span.end.max(span.start) as usize);
        json!({
            "startLine": start.0,
            "startColumn": start.1,
            "endLine": end.0,
            "endColumn": end.1,
            "byteOffset": span.start,
            "byteLength": span.end.saturating_sub(span.start),
        })
    }

    /// The edits, file by file.
    fn changes(&self, edits: &[Suggestion]) -> Vec<Value> {
        let mut files: Vec<_> = edits.iter().map(|e| e.span.file).collect();
        files.sort_unstable();
        files.dedup();
        let change = |file| {
            let here = edits.iter().filter(|e| e.span.file == file);
            let replacements: Vec<Value> = here
                .map(|edit| {
                    json!({
                        "deletedRegion": self.region(edit.span),
                        "insertedContent": { "text": edit.text },
                    })
                })
                .collect();
            json!({
                "artifactLocation": { "uri": self.uri(file) },
                "replacements": replacements,
            })
        };
        files.into_iter().map(change).collect()
    }
}
