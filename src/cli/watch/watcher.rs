//! Waiting until something changes.

use super::now;
use super::scope::Scope;
use notify::event::{AccessKind, AccessMode, EventKind};
use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher as _};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

/// The time without events after which a change counts as whole: editors write in several steps.
const QUIET: Duration = Duration::from_millis(50);

/// The longest wait for a change that does not come to rest.
const MOST: Duration = Duration::from_secs(1);

/// The poll interval where the system reports no changes.
const BLIND: Duration = Duration::from_secs(2);

/// Why it is time to look again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WatchEvent {
    /// The system reported a change.
    Changed,
    /// The interval elapsed.
    Time,
}

/// Something that may have made another prompt.
struct Change {
    /// Whether it was one of a watched folder itself, which the system may have lost by it.
    folder: bool,
}

/// Where changes are seen.
///
/// `notify`'s own debouncer is not used: it does not say what happened, so that reading a file would look like changing it.
pub(super) struct FileWatcher {
    /// The time between two looks, where the system reports no changes.
    poll: Option<Duration>,
    watcher: Option<RecommendedWatcher>,
    /// The watched files and folders.
    scope: Scope,
    /// Whether a watched folder itself has changed since.
    torn: bool,
    /// The folders that cannot be watched, and why.
    blind: BTreeMap<PathBuf, String>,
    /// The folders that were reported.
    reported: BTreeSet<PathBuf>,
    sender: Sender<Change>,
    changes: Receiver<Change>,
}

impl FileWatcher {
    pub(super) fn new(poll: Option<Duration>) -> Self {
        let (sender, changes) = mpsc::channel();
        Self {
            poll,
            watcher: None,
            scope: Scope::default(),
            torn: true,
            blind: BTreeMap::new(),
            reported: BTreeSet::new(),
            sender,
            changes,
        }
    }

    /// Forgets the changes until now, as a build that begins now sees them.
    pub(super) fn forget(&mut self) {
        while let Ok(change) = self.changes.try_recv() {
            self.torn |= change.folder;
        }
    }

    /// Watches `scope`. Whether that was so already: else something may have changed before, unseen.
    pub(super) fn follow(&mut self, scope: Scope) -> bool {
        if !self.torn && scope == self.scope {
            return true;
        }
        self.torn = false;
        // A new watcher for all, before the old one goes: a folder that was removed and created again is another one.
        let (watcher, blind) = open(&scope, &self.sender);
        self.watcher = watcher;
        self.blind = blind;
        self.scope = scope;
        false
    }

    /// Ends the next wait immediately.
    pub(super) fn wake(&mut self) {
        // The receiver lives as long as this.
        let _ = self.sender.send(Change { folder: true });
    }

    /// The folders that cannot be watched and were not reported yet, with the reason.
    pub(super) fn news(&mut self) -> Vec<(PathBuf, String)> {
        let new = self.blind.iter();
        let new = new.filter(|(folder, _)| self.reported.insert((*folder).clone()));
        new.map(|(folder, why)| (folder.clone(), why.clone()))
            .collect()
    }

    /// Waits for a change, and until it has come to rest.
    pub(super) fn wait(&mut self) -> WatchEvent {
        if let Some(interval) = self.poll {
            thread::sleep(interval);
            return WatchEvent::Time;
        }
        let first = if self.blind.is_empty() {
            self.changes.recv().map_err(RecvTimeoutError::from)
        } else {
            self.changes.recv_timeout(BLIND)
        };
        let Ok(first) = first else {
            return WatchEvent::Time;
        };
        self.torn |= first.folder;
        let end = now() + MOST;
        while let Ok(change) = self.changes.recv_timeout(QUIET) {
            self.torn |= change.folder;
            if now() >= end {
                break;
            }
        }
        WatchEvent::Changed
    }
}

/// A watcher of `scope`, and the folders that it cannot watch.
fn open(
    scope: &Scope,
    sender: &Sender<Change>,
) -> (Option<RecommendedWatcher>, BTreeMap<PathBuf, String>) {
    let mut blind = BTreeMap::new();
    let (seen, sender) = (scope.clone(), sender.clone());
    let tell = move |event: notify::Result<Event>| {
        if let Some(change) = change(&event, &seen) {
            // No one waits any more when the program ends.
            let _ = sender.send(change);
        }
    };
    let mut watcher = match notify::recommended_watcher(tell) {
        Ok(watcher) => watcher,
        Err(error) => {
            blind.insert(PathBuf::from("."), reason(&error));
            return (None, blind);
        }
    };
    for folder in scope.folders() {
        // The name of a missing folder is watched in its parent.
        match watcher.watch(folder, RecursiveMode::NonRecursive) {
            Err(error) if !is_missing(&error) && scope.reads_in(folder) => {
                blind.insert(folder.to_owned(), reason(&error));
            }
            _ => {}
        }
    }
    (Some(watcher), blind)
}

/// The change in `scope` that an event means, if any.
fn change(event: &notify::Result<Event>, scope: &Scope) -> Option<Change> {
    let Ok(event) = event else {
        // Such as a queue that ran over.
        return Some(Change { folder: true });
    };
    if event.need_rescan() {
        return Some(Change { folder: true });
    }
    let only_read = |kind| !matches!(kind, AccessKind::Close(AccessMode::Write));
    if matches!(event.kind, EventKind::Access(kind) if only_read(kind)) {
        return None;
    }
    let is_folder = |path: &PathBuf| scope.folders().contains(path);
    let concerned = event.paths.iter().any(|path| scope.concerns(path));
    concerned.then(|| Change {
        folder: event.paths.iter().any(is_folder),
    })
}

fn is_missing(error: &notify::Error) -> bool {
    match &error.kind {
        notify::ErrorKind::PathNotFound => true,
        notify::ErrorKind::Io(error) => crate::world::is_missing(error),
        _ => false,
    }
}

/// Why something cannot be watched, without paths.
fn reason(error: &notify::Error) -> String {
    match &error.kind {
        notify::ErrorKind::MaxFilesWatch => {
            "the limit of the system for watched folders is reached".to_owned()
        }
        notify::ErrorKind::Io(error) => crate::project::output::reason(error),
        other => format!("{other:?}").to_lowercase(),
    }
}
