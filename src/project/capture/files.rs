//! The wording of errors about files of requests.

use crate::diagnostic;
use crate::project::input::{Takes, What};

/// The wording of errors about an imported file.
pub(super) const RECORDED: What = What {
    noun: "",
    missing: diagnostic::OPERAND_NOT_FOUND,
    help: "name files or folders that another program recorded",
    folder: "name the folder itself; its `.json` files are read",
    unreadable: diagnostic::UNREADABLE_PROGRAM,
    limit: 4 << 30,
    large: "cut it at a line end, and name the parts",
    takes: Takes::Stdin,
};

/// The wording of errors about a log.
pub(super) const LOG: What = What {
    help: "`promptc capture import FILE -o LOG` makes a log",
    folder: "`promptc capture import FOLDER -o LOG` makes a log of its `.json` files",
    ..RECORDED
};
