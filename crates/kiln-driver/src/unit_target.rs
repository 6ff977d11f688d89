//! The target and options of units: the part of a configuration that code depends on.
//!
//! Whatever else two jobs differ in (names, limits of launches), they share units if they agree here and in what inference
//! sees.

use crate::kernel_host::Driver;
use crate::keys::UnitKeys;
use kiln_targets::{Items, TargetFacts};
use kiln_unit::CodegenOptions;
use std::sync::{Arc, OnceLock};

/// A target and how code for it is generated. Interned: one object for what is equal, so that it has one number.
#[derive(Debug)]
pub(crate) struct UnitTarget {
    number: u32,
    /// The facts about the target.
    pub(crate) facts: TargetFacts,
    /// The same as requests have it.
    pub(crate) bytes: Vec<u8>,
    /// How code is generated.
    pub(crate) options: CodegenOptions,
    /// 0: a failing item says no more than where, 1: lines and the operands of what failed, 2: all there is.
    pub(crate) debug_level: u8,
    /// Of its units; `None` if the code generator cannot be told from others.
    keys: OnceLock<Option<UnitKeys>>,
}

impl UnitTarget {
    /// Equal for what is equal, in one session.
    pub(crate) fn number(&self) -> u32 {
        self.number
    }

    /// Returns the keys of its units, made once by `make`.
    pub(crate) fn keys_or_init(&self, make: impl FnOnce() -> Option<UnitKeys>) -> Option<&UnitKeys> {
        self.keys.get_or_init(make).as_ref()
    }
}

impl Driver {
    /// Returns the target of kernels' units.
    pub(crate) fn kernel_target(
        &self,
        facts: &TargetFacts,
        opt_level: u8,
        debug_level: u8,
    ) -> Arc<UnitTarget> {
        // A unit for a device is what was emitted: the passes run on what is composed of it.
        let opt_level = if facts.items == Items::Loops { opt_level } else { 0 };
        self.unit_target(facts, opt_level, debug_level)
    }

    /// Returns the target of host code. It is worth compiling when it has run for about as long as that takes: less is more.
    pub(crate) fn host_target(&self) -> &Arc<UnitTarget> {
        self.host_target.get_or_init(|| self.unit_target(self.facts(), self.host_opt_level(), 1))
    }

    fn unit_target(&self, facts: &TargetFacts, opt_level: u8, debug_level: u8) -> Arc<UnitTarget> {
        let lines = debug_level >= 1;
        let options = CodegenOptions {
            opt_level,
            lines,
            debug_level,
            keep_optimized: true,
            ..CodegenOptions::default()
        };
        let mut known = self.unit_targets.lock();
        let same = |it: &&Arc<UnitTarget>| {
            it.facts == *facts && it.options == options && it.debug_level == debug_level
        };
        if let Some(found) = known.iter().find(same) {
            return found.clone();
        }
        let (number, keys) = (known.len() as u32, OnceLock::new());
        let (facts, bytes) = (facts.clone(), facts.to_bytes());
        let new = Arc::new(UnitTarget { number, facts, bytes, options, debug_level, keys });
        known.push(new.clone());
        new
    }
}
