//! Requests of any agent: importing what others recorded, and comparing each with the one before it.

mod files;
mod ends;
mod import;
mod log;
mod export;
#[cfg(feature = "capture")]
mod record;
mod layers;
mod proof;
mod owners;
mod frequency;
mod comparison;
mod breaks;

pub(crate) use breaks::{Break, Breaks};
pub(crate) use comparison::{
    Detail, RequestBill, RequestComparison, RequestQuery, Said, detailed, each, is_lost,
    note_shared, two,
};
pub(crate) use export::export;
pub(crate) use frequency::SentSystems;
pub(crate) use import::{ImportCall, Recordings, import};
pub(crate) use log::{LogOperand, SystemTexts, is_body, read, system_text, system_texts};
pub(crate) use owners::Owners;
#[cfg(feature = "capture")]
pub(crate) use record::{RecordCall, record};
