//! Effects of a body: collected statement by statement, settled at the end, then overridden by `@assume_effects`.

use super::calls::CallResult;
use super::local::LocalInference;
use super::state::InferenceState;
use crate::lattice::join_types;
use crate::mutability::{has_no_identity, is_mutation_free, is_mutation_free_type};
use kiln_ir::{CodeInfo, Effects};
use kiln_types::{Const, Type, Types};

impl LocalInference<'_, '_> {
    /// Merges the effects of the current statement, which may throw any exception.
    pub(crate) fn merge_effects(&mut self, effects: Effects) {
        self.merge_effects_throwing(effects, Types::ANY);
    }

    /// Merges the effects of the current statement, with the type of its exceptions.
    pub(crate) fn merge_effects_throwing(&mut self, effects: Effects, exct: Type) {
        if !effects.nothrow {
            self.throws(exct);
        }
        let nothrow = self.frame.effects.nothrow;
        self.frame.effects = Effects { nothrow, ..self.frame.effects.merge(effects) };
    }

    /// Merges the effects of a call, as far as the body's callers see them.
    pub(crate) fn merge_call_effects(&mut self, result: &CallResult) {
        let mut effects = result.effects;
        // A call that cannot throw has no bounds check to lose.
        let checked = !effects.noub_unless_inbounds;
        if checked && !effects.nothrow && self.frame.inbounds.get(self.pc) == Some(&true) {
            effects.noub = false;
        }
        effects.noub_unless_inbounds = !checked || !self.frame.code.meta.propagate_inbounds;
        self.merge_effects_throwing(effects, result.exct);
    }

    /// Adds an exception type to those of the body. In a `try` the handler takes it, whose exception may be of any type: the
    /// stack may overflow at each call, and the memory be exhausted.
    fn throws(&mut self, exct: Type) {
        if !self.handlers_here().is_empty() {
            return;
        }
        self.frame.effects.nothrow = false;
        if self.frame.exct != exct {
            self.frame.exct = join_types(self.interp.env.types, self.frame.exct, exct);
        }
    }

    /// Notes the use of a constant: a mutable one is memory that others share.
    pub(crate) fn use_constant(&mut self, constant: Const) {
        if self.frame.effects.inaccessible_mem_only && !is_mutation_free(self.interp.env.types, constant) {
            self.frame.effects.inaccessible_mem_only = false;
        }
    }

    /// Settles the effects after the last statement, and applies the author's promises.
    pub(crate) fn finish_effects(&mut self) {
        let types = self.interp.env.types;
        let promised = Promises::new(types, &self.frame.code);
        if self.frame.loops && !promised.has("terminates_locally") {
            self.frame.effects.terminates = false;
        }
        refine_effects(types, &mut self.frame);
        promised.apply(&mut self.frame.effects);
        if self.frame.effects.nothrow {
            self.frame.exct = Types::BOTTOM;
        }
    }
}

/// Removes conditions that hold: new objects do not escape, or accessed memory is the body's own.
fn refine_effects(types: &Types, frame: &mut InferenceState) {
    let effects = &mut frame.effects;
    if !effects.no_new_object && effects.no_identity && has_no_identity(types, &frame.ret) {
        effects.no_new_object = true;
    }
    let touches = !effects.no_argument_reads || !effects.no_argument_writes;
    if touches
        && effects.inaccessible_mem_only
        && frame.args.iter().all(|it| is_mutation_free_type(types, it.widenconst(types)))
    {
        effects.no_argument_reads = true;
        effects.no_argument_writes = true;
    }
}

/// The promises of `@assume_effects`.
struct Promises(Vec<&'static str>);

impl Promises {
    fn new(types: &Types, code: &CodeInfo) -> Self {
        let mut promised = Vec::new();
        for &setting in &code.meta.assumed_effects {
            let name = types.name(setting).trim_start_matches(':');
            match name.strip_prefix('!') {
                Some(name) => promised.retain(|it| !parts(name).contains(it)),
                None => promised.extend_from_slice(parts(name)),
            }
        }
        Self(promised)
    }

    fn has(&self, name: &str) -> bool {
        self.0.contains(&name)
    }

    fn apply(&self, effects: &mut Effects) {
        for name in &self.0 {
            match *name {
                "consistent" => {
                    effects.consistent = true;
                    effects.no_new_object = true;
                    effects.no_argument_reads = true;
                }
                "effect_free" => {
                    effects.effect_free = true;
                    effects.no_argument_writes = true;
                }
                "nothrow" => effects.nothrow = true,
                "terminates_globally" => effects.terminates = true,
                "notaskstate" => effects.notaskstate = true,
                "inaccessiblememonly" => effects.inaccessible_mem_only = true,
                "noub" => {
                    effects.noub = true;
                    effects.noub_unless_inbounds = true;
                }
                "noub_if_noinbounds" => effects.noub = true,
                "nortcall" => effects.nortcall = true,
                _ => {} // about the body's loops, or for others to read
            }
        }
    }
}

/// Returns the basic promises that a setting stands for.
fn parts(setting: &str) -> &'static [&'static str] {
    match setting {
        "consistent" => &["consistent"],
        "effect_free" => &["effect_free"],
        "nothrow" => &["nothrow"],
        "terminates_globally" => &["terminates_globally"],
        "terminates_locally" => &["terminates_locally"],
        "notaskstate" => &["notaskstate"],
        "inaccessiblememonly" => &["inaccessiblememonly"],
        "noub" => &["noub"],
        "noub_if_noinbounds" => &["noub_if_noinbounds"],
        "nortcall" => &["nortcall"],
        "foldable" => &["consistent", "effect_free", "terminates_globally", "noub", "nortcall"],
        "removable" => &["effect_free", "nothrow", "terminates_globally"],
        "total" => &[
            "consistent",
            "effect_free",
            "nothrow",
            "terminates_globally",
            "notaskstate",
            "inaccessiblememonly",
            "noub",
            "nortcall",
        ],
        _ => &[],
    }
}
