//! A writer whose file another process is about to sweep.

use super::{Folder, Fresh, SWEPT, numbered};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

#[test]
fn a_name_that_is_about_to_be_swept_is_not_taken() {
    let temp = tempfile::tempdir().unwrap();
    let folder = || Folder::open(temp.path()).unwrap();
    let end = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let folder = folder();
            while !end.load(Ordering::Relaxed) {
                for name in (0..SWEPT).map(numbered) {
                    let Ok(left) = folder.open_to_read(&name) else {
                        continue;
                    };
                    if left.try_lock().is_ok() && folder.is(&name, &left).unwrap_or(false) {
                        thread::yield_now();
                        folder.remove(&name).unwrap();
                    }
                }
            }
        });
        let folder = folder();
        let taken = (0..2_000).find(|_| {
            let fresh = Fresh::named(&folder, 0o600).unwrap();
            fresh.file.try_lock().is_err()
        });
        end.store(true, Ordering::Relaxed);
        assert_eq!(taken, None);
    });
}
