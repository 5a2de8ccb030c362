//! Internal failures, and their errors for callers.

use crate::session::store::StoreError;
use rusqlite::ffi::{self, ErrorCode};
use std::io;

/// Why a step was not taken.
#[derive(Debug)]
pub(super) enum Failure {
    /// SQLite says so.
    Sql(rusqlite::Error),
    /// Known in the store's own terms.
    Known(StoreError),
}

pub(super) type Result<T> = std::result::Result<T, Failure>;

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sql(error)
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Known(error)
    }
}

/// The failure that another program changed something.
pub(super) fn damaged(what: impl Into<String>) -> Failure {
    Failure::Known(StoreError::Damaged(what.into()))
}

impl Failure {
    /// In the store's terms; `wait` is how many seconds others were waited for.
    pub(super) fn into_error(self, wait: u64) -> StoreError {
        match self {
            failure if failure.is_no_room() => StoreError::Full,
            Self::Known(error) => error,
            Self::Sql(error) => error_of(error, wait),
        }
    }

    /// The code that SQLite gave.
    pub(super) fn code(&self) -> Option<ErrorCode> {
        match self {
            Self::Sql(error) => error.sqlite_error_code(),
            Self::Known(_) => None,
        }
    }

    /// Whether there was no room on the disk.
    pub(super) fn is_no_room(&self) -> bool {
        // The second is said of the memory that processes share.
        let shared = ffi::SQLITE_IOERR_SHMSIZE;
        match self {
            Self::Sql(rusqlite::Error::SqliteFailure(error, _)) => {
                error.code == ErrorCode::DiskFull || error.extended_code == shared
            }
            _ => false,
        }
    }

    /// Whether data could not be written to the disk, for a reason that SQLite does not report.
    pub(super) fn is_no_write(&self) -> bool {
        let codes = [
            ffi::SQLITE_IOERR_WRITE,
            ffi::SQLITE_IOERR_FSYNC,
            ffi::SQLITE_IOERR_TRUNCATE,
            ffi::SQLITE_IOERR_CLOSE,
        ];
        match self {
            Self::Sql(rusqlite::Error::SqliteFailure(error, _)) => {
                codes.contains(&error.extended_code)
            }
            _ => false,
        }
    }
}

/// SQLite's own words are left out where they may hold what a damaged file holds.
fn error_of(error: rusqlite::Error, wait: u64) -> StoreError {
    let code = match &error {
        rusqlite::Error::SqliteFailure(code, _) => code,
        rusqlite::Error::SqlInputError { error, .. } => error,
        // A column that holds what it never was given.
        rusqlite::Error::FromSqlConversionFailure(..)
        | rusqlite::Error::IntegralValueOutOfRange(..)
        | rusqlite::Error::Utf8Error(..)
        | rusqlite::Error::InvalidColumnType(..)
        | rusqlite::Error::QueryReturnedNoRows => {
            return StoreError::Damaged("a row has another format than it was written with".into());
        }
        other => return StoreError::Other(other.to_string()),
    };
    match code.code {
        // The last is said if others were faster at the lock of the log again and again.
        ErrorCode::DatabaseBusy
        | ErrorCode::DatabaseLocked
        | ErrorCode::FileLockingProtocolFailed => StoreError::Busy(wait),
        ErrorCode::ReadOnly => StoreError::ReadOnly,
        _ if code.extended_code == ffi::SQLITE_CANTOPEN_SYMLINK => {
            StoreError::Other("there is now a link in its path".to_owned())
        }
        ErrorCode::SystemIoFailure | ErrorCode::CannotOpen | ErrorCode::PermissionDenied => {
            StoreError::Io(io::Error::other(ffi::code_to_str(code.extended_code)))
        }
        ErrorCode::NotADatabase => StoreError::NotAStore,
        ErrorCode::DatabaseCorrupt => StoreError::Damaged("its database is malformed".into()),
        // All statements are fixed, so one that does not fit meets tables that are not ours any more.
        ErrorCode::Unknown | ErrorCode::ConstraintViolation | ErrorCode::TypeMismatch => {
            StoreError::Damaged("its tables are not as they were made".into())
        }
        _ => StoreError::Other(ffi::code_to_str(code.extended_code).to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error_of_code(extended_code: i32) -> StoreError {
        let error = rusqlite::Error::SqliteFailure(ffi::Error::new(extended_code), None);
        Failure::from(error).into_error(7)
    }

    #[test]
    fn a_lock_that_another_process_holds_is_waited_for() {
        for code in [
            ffi::SQLITE_BUSY,
            ffi::SQLITE_LOCKED,
            ffi::SQLITE_PROTOCOL,
            ffi::SQLITE_BUSY_RECOVERY,
        ] {
            assert!(matches!(error_of_code(code), StoreError::Busy(7)), "{code}");
        }
    }

    #[test]
    fn a_failed_write_is_distinguished_from_a_failed_read() {
        for (code, is_write) in [
            (ffi::SQLITE_IOERR_WRITE, true),
            (ffi::SQLITE_IOERR_FSYNC, true),
            (ffi::SQLITE_IOERR_READ, false),
            (ffi::SQLITE_CORRUPT, false),
        ] {
            let error = rusqlite::Error::SqliteFailure(ffi::Error::new(code), None);
            assert_eq!(Failure::from(error).is_no_write(), is_write, "{code}");
        }
    }
}
