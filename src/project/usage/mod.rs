//! The bill of the requests of logs and recordings.

mod query;
mod report;
mod versions;
mod bill;
mod added;
pub(crate) mod detail;

pub(crate) use added::added;
pub(crate) use bill::{UsageCall, usage};
pub(crate) use query::{USUAL, keys};
pub(crate) use report::{
    OtherModel, UnknownField, UnpricedTerm, UsageChange, UsageDiverged, UsageReport, UsageRow,
};
