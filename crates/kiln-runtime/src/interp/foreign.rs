//! Foreign calls on the host: the arithmetic that the interpreter supports, and an exception that names all other
//! calls.

use crate::heap::{Value, text};
use crate::intrinsics;
use crate::runtime::Runtime;
use crate::thrown::{Run, Thrown};
use kiln_ir::Intrinsic;

impl Runtime {
    /// Calls `llvmcall` or `foreigncall`.
    pub(super) fn foreign_call(&self, op: Intrinsic, args: &[Value]) -> Run {
        let least = if op == Intrinsic::Llvmcall { 3 } else { 4 };
        if let Some(thrown) = crate::exceptions::wrong_count(&self.heap, op.name(), args.len(), least, None) {
            return Err(thrown);
        }
        match intrinsics::evaluate_foreign(&self.heap, self.have_fma, op, args) {
            Some(result) => result,
            None if op == Intrinsic::Foreigncall => match self.runtime_function(args[0])? {
                Some(function) => {
                    let given: Vec<Value> = [function, args[2]].iter().chain(&args[4..]).copied().collect();
                    let call = self.base_global("call_runtime_function");
                    call.map_or_else(|| Err(self.no_foreign_code(op, args)), |it| self.call(it, &given))
                }
                None => Err(self.no_foreign_code(op, args)),
            },
            None => Err(self.no_foreign_code(op, args)),
        }
    }

    /// Returns the library function that implements this function of Julia's runtime or of a C library, or the function
    /// behind a pointer of `@cfunction`.
    fn runtime_function(&self, name: Value) -> Run<Option<Value>> {
        let core = self.types.core();
        if name.as_symbol(core).is_none() && !self.heap.isa(name, core.ptr) {
            return Ok(None);
        }
        let Some(find) = self.base_global("runtime_function") else { return Ok(None) };
        let found = self.call(find, &[name])?;
        Ok((!found.is_nothing(self.types.core())).then_some(found))
    }

    /// An `UnsupportedError` with the called symbol.
    #[cold]
    fn no_foreign_code(&self, op: Intrinsic, args: &[Value]) -> Box<Thrown> {
        let (what, help) = match (op, args[0].as_symbol(self.types.core())) {
            (Intrinsic::Llvmcall, Some(name)) => {
                let name = self.types.name(name);
                ("llvmcall", format!("`{name}` is LLVM code, which runs in kernels only"))
            }
            (Intrinsic::Llvmcall, None) => {
                ("llvmcall", "LLVM code runs in kernels only; give host code a method in Julia".into())
            }
            (_, Some(name)) => {
                let name = self.types.name(name);
                (
                    "ccall",
                    format!(
                        "`{name}` is a C function, which kiln does not call; call a Julia function instead"
                    ),
                )
            }
            (_, None) => ("ccall", "kiln calls no C function; call a Julia function instead".into()),
        };
        let throw = self.base_global("unsupported_foreign_call");
        let args = [self.heap.symbol(what), text::string(&self.heap, &help)];
        match throw.map(|it| self.call(it, &args)) {
            Some(Err(thrown)) => thrown,
            Some(Ok(_)) | None => self.error(&help), // while the library is loaded
        }
    }
}
