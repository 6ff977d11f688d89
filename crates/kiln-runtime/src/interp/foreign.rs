//! Foreign calls on the host: the arithmetic that the interpreter supports, and an exception that names all other
//! calls.

use crate::heap::{Value, text};
use crate::intrinsics;
use crate::runtime::Runtime;
use crate::thrown::{Run, Thrown};
use kiln_ir::Intrinsic;

/// Calls `llvmcall` or `foreigncall`.
pub(super) fn foreign_call(rt: &Runtime, op: Intrinsic, args: &[Value]) -> Run {
    let least = if op == Intrinsic::Llvmcall { 3 } else { 4 };
    if let Some(thrown) = crate::exceptions::wrong_count(&rt.heap, op.name(), args.len(), least, None) {
        return Err(thrown);
    }
    match intrinsics::evaluate_foreign(&rt.heap, rt.have_fma, op, args) {
        Some(result) => result,
        None if op == Intrinsic::Foreigncall => match runtime_function(rt, args[0])? {
            Some(function) => {
                let given: Vec<Value> = [function, args[2]].iter().chain(&args[4..]).copied().collect();
                let call = rt.base_global("call_runtime_function");
                call.map_or_else(|| Err(no_foreign_code(rt, op, args)), |it| rt.call(it, &given))
            }
            None => Err(no_foreign_code(rt, op, args)),
        },
        None => Err(no_foreign_code(rt, op, args)),
    }
}

/// Returns the library function that implements this function of Julia's runtime or of a C library, or the function
/// behind a pointer of `@cfunction`.
fn runtime_function(rt: &Runtime, name: Value) -> Run<Option<Value>> {
    let core = rt.types.core();
    if name.as_symbol(core).is_none() && !rt.heap.isa(name, core.ptr) {
        return Ok(None);
    }
    let Some(find) = rt.base_global("runtime_function") else { return Ok(None) };
    let found = rt.call(find, &[name])?;
    Ok((!found.is_nothing(rt.types.core())).then_some(found))
}

/// An `UnsupportedError` with the called symbol.
#[cold]
fn no_foreign_code(rt: &Runtime, op: Intrinsic, args: &[Value]) -> Box<Thrown> {
    let (what, help) = match (op, args[0].as_symbol(rt.types.core())) {
        (Intrinsic::Llvmcall, Some(name)) => {
            let name = rt.types.name(name);
            ("llvmcall", format!("`{name}` is LLVM code, which runs in kernels only"))
        }
        (Intrinsic::Llvmcall, None) => {
            ("llvmcall", "LLVM code runs in kernels only; give host code a method in Julia".into())
        }
        (_, Some(name)) => {
            let name = rt.types.name(name);
            (
                "ccall",
                format!("`{name}` is a C function, which kiln does not call; call a Julia function instead"),
            )
        }
        (_, None) => ("ccall", "kiln calls no C function; call a Julia function instead".into()),
    };
    let throw = rt.base_global("unsupported_foreign_call");
    let args = [rt.heap.symbol(what), text::string(&rt.heap, &help)];
    match throw.map(|it| rt.call(it, &args)) {
        Some(Err(thrown)) => thrown,
        Some(Ok(_)) | None => rt.error(&help), // while the library is loaded
    }
}
