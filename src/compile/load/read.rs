//! Sources that read files: where they look, and what they find.

use super::gather::Gatherer;
use crate::compile::plan::{Kind, Node};
use crate::diagnostic::{self as codes, Diagnostic, Reported, suggest};
use crate::document::Document;
use crate::manifest::Missing;
use crate::prompt::UnusedReason;
use crate::source::place::{BoundRoot, Read};
use crate::source::wall::{Folder, Obstacle};
use crate::source::{file, glob, walk};
use crate::world::World;
use std::sync::Arc;

impl<'a> Gatherer<'a> {
    /// The documents of a `file`, `json` or `glob`.
    pub(super) fn read(&mut self, node: &Node) -> Result<Vec<Arc<Document>>, Reported> {
        let root = self.root(node)?;
        let read = self.look(node, root)?;
        self.looked = true;
        self.found |= !read.found.is_empty();
        for unused in &read.unused {
            if unused.reason == UnusedReason::Missing && self.higher {
                continue;
            }
            if unused.reason == UnusedReason::Missing {
                self.wanted.push(unused.path.clone());
            }
            self.record
                .unused(&unused.root, &unused.path, unused.reason);
        }
        if read.found.is_empty() && node.missing == Missing::Error && !self.higher {
            let names: Vec<&str> = read.unused.iter().map(|u| u.path.as_str()).collect();
            let diagnostic = Diagnostic::error(
                codes::MISSING_FILE,
                format!(
                    "there is no {} in the root `{}`",
                    suggest::choice(names),
                    root.name
                ),
            )
            .at(node.span)
            .help("create it, or write missing=skip here");
            return Err(self.report(diagnostic));
        }
        let mut documents = Vec::new();
        for raw in read.found {
            documents.extend(self.document(node, root, raw)?);
        }
        Ok(documents)
    }

    fn look(&mut self, node: &Node, root: &BoundRoot) -> Result<Read, Reported> {
        let read = match &node.kind {
            Kind::File(names) => {
                let levels = self.levels(node, root)?;
                let names = self.file_names(names)?;
                file::read(self.world, root, &levels, &names)
            }
            Kind::Json(name) => {
                let levels = self.levels(node, root)?;
                let names = self.file_names(std::slice::from_ref(name))?;
                file::read(self.world, root, &levels, &names)
            }
            Kind::Glob {
                patterns, exclude, ..
            } => {
                let patterns = self.strings(patterns)?;
                let exclude = self.strings(exclude)?;
                let levels = self.levels(node, root)?;
                self.look_up(&levels, |world, level| {
                    glob::read(world, root, level, &patterns, &exclude)
                })
            }
            _ => Ok(Read::default()),
        };
        read.map_err(|obstacle| self.report(obstacle.diagnostic().at(node.span)))
    }

    /// The first level at which something is found.
    fn look_up(
        &self,
        levels: &[String],
        look: impl Fn(&dyn World, &str) -> Result<Read, Obstacle>,
    ) -> Result<Read, Obstacle> {
        let mut last = Read::default();
        for level in levels {
            last = look(self.world, level)?;
            if !last.found.is_empty() {
                break;
            }
        }
        Ok(last)
    }

    /// The folders inside the root at which a node reads, nearest first.
    pub(super) fn levels(
        &mut self,
        node: &Node,
        root: &BoundRoot,
    ) -> Result<Vec<String>, Reported> {
        let Some(from) = &node.from else {
            return Ok(vec![match &self.level {
                Some((climbed, level)) if *climbed == root.name => level.clone(),
                _ => String::new(),
            }]);
        };
        fn disk(root: &BoundRoot) -> Option<&Folder> {
            let first = root.folders.first()?;
            first.is_disk().then_some(&first.folder)
        }
        let start = self.bound.roots.get(&**from).and_then(disk);
        match (disk(root), start) {
            (Some(top), Some(start)) => walk::climb(self.world, top, start)
                .map_err(|obstacle| self.report(obstacle.diagnostic().at(node.span))),
            _ => Ok(vec![String::new()]),
        }
    }

    pub(super) fn root(&mut self, node: &Node) -> Result<&'a BoundRoot, Reported> {
        let bound = self.bound;
        let root = node.root.as_deref().and_then(|name| bound.roots.get(name));
        match root {
            Some(root) => Ok(root),
            // The plan gives every reading node a root that is declared.
            None => Err(self.report(
                Diagnostic::error(codes::UNKNOWN_ROOT, "this source has no root").at(node.span),
            )),
        }
    }
}
