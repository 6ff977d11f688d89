//! Inspection: what compilations made, and why, for people and tools.
//!
//! Functions over the environment of execution; nothing is kept here, and nothing below depends on it.
//!
//! # Deliberately absent
//! Text for terminals: errors carry diagnostics, and the session's owner renders them.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "inspection singles out what it shows and treats the rest alike"
)]

mod device_code;
mod divergence;
mod error;
mod explain;
mod foreign_jobs;
mod holdings;
mod linked;
mod reflect;
mod requests;
mod survey;
mod typed;
mod views;
mod why;

pub use device_code::{DeviceCodeFile, device_code_files, reflect_from_julia, watch_from_julia};
pub use divergence::{LineFact, ShownLoop, divergence};
pub use error::InspectError;
pub use explain::{Explained, explain};
pub use foreign_jobs::{foreign_job, infer_job, reachable};
pub use holdings::{Holding, device_of};
pub use linked::{LinkedUnit, linked_units};
pub use reflect::{Stage, reflect};
pub use requests::unit_requests;
pub use survey::{Refused, survey};
pub use typed::{typed, typed_afresh};
pub use why::{Ended, why};
