//! `deferred` and `deferred_call` on the host: the pointer is a number of this session, good for nothing but such a call.
//!
//! In a kernel the same code has the address of compiled code. Neither is good in the other's place.

use super::call;
use crate::heap::{Value, constants};
use crate::runtime::Runtime;
use crate::tables::World;
use crate::throw;
use crate::thrown::Run;
use kiln_types::{Type, consts, datatype, definition};
use parking_lot::Mutex;

/// No memory is there, so a pointer that is mistaken for one to data does no harm.
const FIRST: u64 = 0xdefe_0000_0000_0000;

/// Signatures that pointers were made for, each once: the function's type first.
#[derive(Default)]
pub(crate) struct DeferredTable {
    signatures: Mutex<Vec<Type>>,
}

/// A pointer to `call[0]` for arguments of the types of the others.
pub(super) fn make(rt: &Runtime, call: &[Value], world: World) -> Run {
    let core = rt.types.core();
    if call::find_entry(rt, call, world).is_err() {
        return Err(throw::method_error(rt, call[0], &call[1..]));
    }
    let keys: Vec<_> = call.iter().map(|&it| call::arg_key(rt, it)).collect();
    let signature = rt.tables.calls.keys_tuple(&keys);
    let mut known = rt.deferred.signatures.lock();
    let at = known.iter().position(|it| *it == signature).unwrap_or_else(|| {
        known.push(signature);
        known.len() - 1
    });
    let ty = rt.types.apply(core.ptr, &[core.nothing]);
    let ty = ty.map_err(|_| rt.error("`Ptr` takes no such type"))?;
    Ok(Value::inline(ty, FIRST + at as u64))
}

/// `deferred_call(pointer, R, args...)`: the function comes first among `args` unless its type tells which it is.
pub(super) fn call(rt: &Runtime, args: &[Value]) -> Run {
    let core = rt.types.core();
    let (pointer, returns, args) = (args[0], args[1], &args[2..]);
    let at = pointer.bits().checked_sub(FIRST).filter(|_| pointer.is_inline());
    let signature = at.and_then(|it| rt.deferred.signatures.lock().get(it as usize).copied());
    let Some(signature) = signature else {
        return Err(throw::argument_error(
            rt,
            "deferred_call: the pointer is not one that `deferred` has made here",
        ));
    };
    let Some(returns) = returns.as_type(core) else {
        return Err(throw::type_error(rt, "deferred_call", "", core.type_, returns));
    };
    let params = datatype::params(&rt.types, signature);
    let wanted = params.len() - 1;
    let callee = params[0];
    let only = definition::singleton(&rt.types, callee).or_else(|| {
        let ty = datatype::type_type_param(&rt.types, callee)?;
        Some(consts::of_type(&rt.types, ty))
    });
    let (callee, args) = match (only, args) {
        (Some(only), args) if args.len() == wanted => (constants::value_of(&rt.heap, only), args),
        (_, [callee, rest @ ..]) if rest.len() == wanted => (*callee, rest),
        _ => {
            return Err(throw::argument_error(
                rt,
                "deferred_call: not the arguments that the pointer is for",
            ));
        }
    };
    let call: Vec<_> = std::iter::once(callee).chain(args.iter().copied()).collect();
    let keys: Vec<_> = call.iter().map(|&it| call::arg_key(rt, it)).collect();
    if rt.tables.calls.keys_tuple(&keys) != signature {
        return Err(throw::argument_error(rt, "deferred_call: not the arguments that the pointer is for"));
    }
    let value = rt.call(callee, args)?;
    if returns != core.nothing && !rt.heap.isa(value, returns) {
        return Err(throw::type_error(rt, "deferred_call", "", returns, value));
    }
    Ok(if returns == core.nothing { rt.heap.nothing() } else { value })
}
