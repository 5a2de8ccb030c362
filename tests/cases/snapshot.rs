//! Comparing with a snapshot in `tests/snapshots`.

use crate::CaseFile;

/// Fails the test unless the snapshot of this case, in `tests/snapshots/FOLDER`, is `shown`.
pub(crate) fn compare(folder: &str, name: &str, case: &CaseFile, shown: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(format!("../snapshots/{folder}"));
    settings.set_snapshot_suffix(&case.name);
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.set_input_file(&case.path);
    settings.bind(|| insta::assert_snapshot!(name, shown));
}
