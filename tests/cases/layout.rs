//! Layouts: a case formats `in.kdl`, which must become `out.kdl`, the last file of the case; that must then stay as it is.

use crate::CaseFile;
use libtest_mimic::{Completion, Failed};
use std::fs;

pub(crate) fn verify(file: &CaseFile) -> Result<Completion, Failed> {
    const OUT: &str = "-- out.kdl --\n";
    let (case, place) = file.laid_out();
    for line in &case.lines {
        let ran = case.run(line, &[], &place).unwrap();
        assert_eq!(ran.code, case.exit.unwrap_or(0), "{}", ran.stderr);
    }
    let made = place.read("in.kdl");
    if std::env::var_os("UPDATE").is_some() {
        let (before, _) = file.text.split_once(OUT).unwrap();
        fs::write(&file.path, format!("{before}{OUT}{made}"))?;
    } else if made != place.read("out.kdl") {
        return Err(format!("it becomes\n{made}").into());
    }
    let again = place.run(&["fmt", "--check", "in.kdl"]);
    assert_eq!(
        again.code,
        0,
        "not stable: {}{}",
        again.stdout(),
        again.stderr
    );
    Ok(Completion::Completed)
}
