//! `deferred(f, args...)`: the address of an instance.
//!
//! The body depends on the look-up, not on the instance's body, which is inferred when it is compiled or called
//! directly. The optimizer may resolve a call that is left open here; kernels must not contain an unresolved one.

use super::calls::CallResult;
use super::local::{Arg, LocalInference};
use super::resolution::Resolution;
use crate::lattice::Lattice;
use crate::tfuncs::{self, Outcome, READ};
use kiln_ir::{Builtin, Effects};
use kiln_runtime::tables::{Edge, WorldRange};
use kiln_types::{Type, datatype};

impl LocalInference<'_, '_> {
    /// Infers the address of the instance that a call of `call[0]` selects.
    pub(super) fn deferred(&mut self, call: &[Arg]) -> CallResult {
        let env = self.interp.env;
        let types = env.types;
        let ty = Lattice::normalize(types, tfuncs::pointer_to_nothing(env));
        let open = Outcome::new(env, ty.clone(), READ);
        let open = CallResult::from_outcome(open, Resolution::Builtin(Builtin::Deferred));
        let elems: Vec<Type> = call.iter().map(|it| it.ty.widenconst(types)).collect();
        let sig = datatype::tuple(types, &elems);
        // Inlining may make an argument type concrete, which selects another instance.
        if call.is_empty()
            || !datatype::is_dispatch_tuple(types, sig)
            || elems.iter().any(|it| datatype::is_kind(types, *it))
        {
            return open;
        }
        let Some(found) = self.interp.find_matches(sig) else {
            self.frame.depend(Edge::TooMany(sig), WorldRange::ALL);
            return open;
        };
        let ids = found.matches.iter().map(|it| it.method).collect();
        self.frame.depend(Edge::Lookup { sig, found: ids }, found.worlds);
        let [only] = found.matches.as_slice() else { return open };
        if found.ambiguous || !only.fully_covers {
            return open;
        }
        let tables = &self.interp.env.rt.tables;
        let instance = tables.instance(only.method, only.spec_types, &only.static_params);
        // Inference must not evaluate it: the address belongs to the program being compiled.
        let effects = Effects { nothrow: true, ..READ };
        CallResult::from_outcome(Outcome::new(env, ty, effects), Resolution::Lookup(instance))
    }
}
