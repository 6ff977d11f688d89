//! The target and options of units: the part of a configuration that code depends on.
//!
//! Whatever else two jobs differ in (names, limits of launches), they share units if they agree here and in what inference
//! sees.

use crate::keys::UnitKeys;
use crate::mutant::Mutant;
use crate::options::{Barriers, CompilerOptions, Warps};
use kiln_targets::{Items, TargetFacts};
use kiln_unit::{Checks, CodegenOptions, EntryKind, Mistake};
use parking_lot::Mutex;
use std::sync::{Arc, OnceLock};

/// A target and how code for it is generated. Interned: one object for what is equal, so that it has one number.
#[derive(Debug)]
pub struct UnitTarget {
    number: u32,
    /// The facts about the target.
    pub facts: TargetFacts,
    /// The same as requests have it.
    pub bytes: Vec<u8>,
    /// How code is generated.
    pub options: CodegenOptions,
    /// 0: a failing item says no more than where, 1: lines and the operands of what failed, 2: all there is.
    pub debug_level: u8,
    /// The target of functions that its units call, if it is another: the form of a kernel is no matter to them.
    bodies: Option<Arc<UnitTarget>>,
    /// Of its units; `None` if the code generator cannot be told from others.
    keys: OnceLock<Option<UnitKeys>>,
}

impl UnitTarget {
    fn new(number: u32, facts: &TargetFacts, options: CodegenOptions, debug_level: u8) -> Self {
        let (facts, bytes, keys) = (facts.clone(), facts.to_bytes(), OnceLock::new());
        Self { number, facts, bytes, options, debug_level, bodies: None, keys }
    }

    /// Returns the target of units of a kind.
    pub fn of(self: &Arc<Self>, entry: EntryKind) -> &Arc<Self> {
        match entry {
            EntryKind::Body => self.bodies.as_ref().unwrap_or(self),
            EntryKind::Function | EntryKind::Kernel => self,
        }
    }

    /// Equal for what is equal, in one session.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Returns the keys of its units, made once by `make`.
    pub fn keys_or_init(&self, make: impl FnOnce() -> Option<UnitKeys>) -> Option<&UnitKeys> {
        self.keys.get_or_init(make).as_ref()
    }
}

/// The targets that units of a session have been compiled for.
pub struct UnitTargets {
    known: Mutex<Vec<Arc<UnitTarget>>>,
    host: Arc<UnitTarget>,
    barriers: Barriers,
    /// The bits of the vectors of items; `None`: those of the processor.
    vector_bits: Option<u32>,
    /// The checks of kernels of the processor.
    checks: Checks,
    /// The mistake that code generation makes in kernels.
    mistake: Option<Mistake>,
    /// Their warps.
    warps: Warps,
}

impl UnitTargets {
    /// Host code is worth compiling when it has run for about as long as that takes: less optimization is more.
    pub(crate) fn new(options: &CompilerOptions) -> Self {
        let CompilerOptions { facts, host_opt_level, barriers, vector_bits, checks, warps, .. } = options;
        let host_level = (*host_opt_level).unwrap_or(1);
        let host_options =
            CodegenOptions { calls_launch: options.uses_device, ..unit_options(host_level, 1) };
        let host = Arc::new(UnitTarget::new(0, facts, host_options, 1));
        let (barriers, vector_bits, checks, warps) = (*barriers, *vector_bits, *checks, *warps);
        let mistake = match options.mutant {
            Some(Mutant::Codegen(it)) => Some(it),
            _ => None,
        };
        let known = Mutex::new(vec![host.clone()]);
        Self { known, host, barriers, vector_bits, checks, mistake, warps }
    }

    /// Returns the target of host code.
    pub fn host(&self) -> &Arc<UnitTarget> {
        &self.host
    }

    /// Returns the target of kernels' units.
    pub fn of_kernels(&self, facts: &TargetFacts, opt_level: u8, debug_level: u8) -> Arc<UnitTarget> {
        // A unit for a device is what was emitted: the passes run on what is linked of it.
        let opt_level = if facts.items == Items::Loops { opt_level } else { 0 };
        let runs_loops = facts.items == Items::Loops;
        let checks = if runs_loops { self.checks } else { Checks::NONE };
        let barrier_regions = self.are_best_at_once() && runs_loops && !checks.any();
        let has_vectors = runs_loops && !checks.any();
        let vector_bits = if has_vectors { self.vector_bits.unwrap_or(facts.vector_bits) } else { 0 };
        let options = unit_options(opt_level, debug_level);
        let Warps { lanes, lockstep } = if runs_loops { self.warps } else { Warps::default() };
        let options = CodegenOptions { barrier_regions, vector_bits, checks, lanes, lockstep, ..options };
        let options = CodegenOptions { mistake: self.mistake, ..options };
        self.intern(facts, options, debug_level)
    }

    /// Returns the target of kernels that are cut at their barriers, where those of `unit` run on fibers and may be replaced.
    pub fn with_regions(&self, unit: &UnitTarget) -> Option<Arc<UnitTarget>> {
        let is_plain = unit.facts.items == Items::Loops && !unit.options.checks.any();
        let may = self.barriers == Barriers::Adaptive && is_plain;
        let options = CodegenOptions { barrier_regions: true, ..unit.options.clone() };
        may.then(|| self.intern(&unit.facts, options, unit.debug_level))
    }

    /// Returns the target of kernels that are cut at their barriers for groups of one size, where those of `unit` may be replaced.
    pub fn with_group_size(&self, unit: &UnitTarget, size: [u32; 3]) -> Option<Arc<UnitTarget>> {
        let is_plain = unit.facts.items == Items::Loops && !unit.options.checks.any();
        let may = matches!(self.barriers, Barriers::Adaptive | Barriers::Sized) && is_plain;
        let options =
            CodegenOptions { barrier_regions: true, group_size: Some(size), ..unit.options.clone() };
        may.then(|| self.intern(&unit.facts, options, unit.debug_level))
    }

    /// Returns the target of the screened form of kernels, where those of `unit` are checked.
    pub fn with_screen(&self, unit: &UnitTarget) -> Option<Arc<UnitTarget>> {
        let vector_bits = self.vector_bits.unwrap_or(unit.facts.vector_bits);
        let options =
            CodegenOptions { barrier_regions: true, screens: true, vector_bits, ..unit.options.clone() };
        let may = unit.options.checks.any() && self.barriers != Barriers::Fibers;
        may.then(|| self.intern(&unit.facts, options, unit.debug_level))
    }

    /// Whether kernels do not wait for being worth their better form.
    pub fn are_best_at_once(&self) -> bool {
        matches!(self.barriers, Barriers::Regions | Barriers::Sized)
    }

    /// Whether kernels are compiled for the size of groups as soon as it is known.
    pub fn are_sized_at_once(&self) -> bool {
        self.barriers == Barriers::Sized
    }

    fn intern(&self, facts: &TargetFacts, options: CodegenOptions, debug_level: u8) -> Arc<UnitTarget> {
        let mut known = self.known.lock();
        let plain = CodegenOptions { barrier_regions: options.screens, group_size: None, ..options.clone() };
        let is_plain = plain == options;
        let bodies = (!is_plain).then(|| interned(&mut known, facts, plain, debug_level, None));
        interned(&mut known, facts, options, debug_level, bodies)
    }
}

fn interned(
    known: &mut Vec<Arc<UnitTarget>>,
    facts: &TargetFacts,
    options: CodegenOptions,
    debug_level: u8,
    bodies: Option<Arc<UnitTarget>>,
) -> Arc<UnitTarget> {
    let same =
        |it: &&Arc<UnitTarget>| it.facts == *facts && it.options == options && it.debug_level == debug_level;
    if let Some(found) = known.iter().find(same) {
        return found.clone();
    }
    let new = UnitTarget::new(known.len() as u32, facts, options, debug_level);
    let new = Arc::new(UnitTarget { bodies, ..new });
    known.push(new.clone());
    new
}

fn unit_options(opt_level: u8, debug_level: u8) -> CodegenOptions {
    let lines = debug_level >= 1;
    CodegenOptions { opt_level, lines, debug_level, keep_optimized: true, ..CodegenOptions::default() }
}
