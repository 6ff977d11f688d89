//! The stages of a compilation as functions over values: typed code, call graphs and their checks, units, device links.
//!
//! A stage takes a [`CompileEnv`]: the session's types and methods, the services that compilations share, and the inputs of
//! one job. What it returns is its result or a [`CompileError`]. Results of other sessions are found by the stages themselves,
//! under keys that list their inputs.
//!
//! # Deliberately absent
//! LLVM; launches, devices and their memory; what people look at.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "stages single out what they report and treat the rest alike"
)]

mod background;
mod bodies;
mod call_graph;
mod check;
mod code_map;
mod definite;
pub mod described;
pub mod device;
pub mod diagnostics;
pub mod dialects;
mod env;
mod erase_names;
mod error;
mod found_kernel;
mod generate;
mod generation;
mod graph;
mod growth;
mod host_globals;
mod image;
mod inputs;
mod internal;
mod keys;
mod late_calls;
mod late_unit;
mod mutant;
mod naming;
pub mod near;
mod not_bits;
mod options;
mod origin;
mod outline;
mod owned;
mod program;
mod reach;
mod refusals;
mod stages;
mod target_names;
mod typed;
mod typed_cache;
mod typed_error;
mod unit;
mod unit_queue;
mod unit_store;
mod unit_target;

pub use background::{Background, BackgroundJob};
pub use call_graph::call_graph;
pub use check::{Place, Problem, ProblemKind, Via, is_static, through};
pub use code_map::list_code;
pub use definite::SureThrow;
pub use device::{libraries, tools};
pub use env::{CompileEnv, Compiler, ImageFacts};
pub use error::{CompileError, DIFFERS, ErrorKind};
pub use found_kernel::{CacheHit, found_kernel};
pub use generate::{compile_unit, front_key, stages};
pub use graph::{CallGraph, Node};
pub use host_globals::SessionAddresses;
pub use image::{ImageUseError, OpenImage, open_image, use_image, write_image};
pub use inputs::View;
pub use internal::{ReplayError, place_of, replay};
pub use keys::{LATE_UNIT, OUTPUT, REFUSAL, UnitKeys};
pub use late_unit::with_late_code;
pub use mutant::{Mutant, mutate};
pub use naming::{job, specialization};
pub use not_bits::{NotBits, not_bits};
pub use options::{Barriers, CompilerOptions, Render, Warps};
pub use outline::{body, outlined};
pub use program::{LinkSet, Program, is_valid, link_set, source};
pub use reach::Reach;
pub use stages::{checked_graph, entry_instance, problems};
pub use target_names::{TargetError, backend_named, offered_targets, shown_target, target};
pub use typed::{all_hold, code_instance, resolve};
pub use typed_cache::state::TypedCache;
pub use typed_cache::{CacheLocation, Cause, causes, find as find_typed, keep};
pub use typed_error::TypedError;
pub use unit::{BoundUnit, Kept, LateCode, LateUnit, UnitCallee, UnitFunction, UnitSource, Units};
pub use unit_queue::{LinkSetRequest, PromptLinkSet, link_sets, prompt_link_set};
pub use unit_store::{keys, session_keys};
pub use unit_target::{UnitTarget, UnitTargets};

/// A hash of the sources of the crates that typed code depends on: builds that may infer or optimize differently differ in it.
pub const SOURCES: &str = env!("KILN_SOURCES");
