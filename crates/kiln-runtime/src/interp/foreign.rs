//! Foreign calls on the host: what arithmetic the interpreter has, and an exception that names the rest.

use crate::heap::Value;
use crate::intrinsics;
use crate::runtime::Runtime;
use crate::tables::Binding;
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
            None => match self.c_runtime_function(op, args) {
                Some(function) => self.call_latest(function, &args[4..]),
                None => Err(self.no_foreign_code(op, args)),
            },
        }
    }

    /// What the library has under the name of a function of Julia's C runtime.
    fn c_runtime_function(&self, op: Intrinsic, args: &[Value]) -> Option<Value> {
        let core = self.types.core();
        let name = args[0].as_symbol(core).filter(|_| op == Intrinsic::Foreigncall)?;
        let library = self.base_global("CRuntime")?.as_module(core)?;
        let found = self.tables.resolve_binding(library, name, self.tables.world());
        match found.binding {
            Binding::Const(function) if found.module == library => Some(function),
            _ => None,
        }
    }

    /// `UnsupportedError` with what was called.
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
        let args = [self.heap.symbol(what), self.heap.string(&help)];
        match throw.map(|it| self.call(it, &args)) {
            Some(Err(thrown)) => thrown,
            Some(Ok(_)) | None => self.error(&help), // while the library is loaded
        }
    }
}
