//! The memory of programs that compiled host code may reach: it does not ask devices for their copies, so they are asked
//! before.

use kiln_ir::{Builtin, HostFunction, Intrinsic, IrCode, Op, Value as Operand};
use kiln_runtime::heap::{coherence, constants};
use kiln_runtime::{Run, Runtime, Value, runtime};
use kiln_types::{Module, Symbol, layout};

/// The accesses of a body and all that it calls to elements of arrays and to addresses.
#[derive(Debug, Default)]
pub struct Reach {
    reads: bool,
    writes: bool,
    /// Objects that the code has itself.
    objects: Vec<Value>,
    /// Variables that it reads.
    globals: Vec<(Module, Symbol)>,
}

impl Reach {
    /// Of these bodies together.
    pub fn of<'a>(rt: &Runtime, bodies: impl Iterator<Item = &'a IrCode>) -> Self {
        let mut all = Self::default();
        for op in bodies.flat_map(|it| it.stmts.values()).map(|it| &it.op) {
            all.add(op);
            if let Op::Global(module, name) = op {
                all.globals.push((*module, *name));
            }
            op.each_operand(|it| {
                if let Operand::Const(constant) = it {
                    all.objects.push(constants::value_of(&rt.heap, constant));
                }
            });
        }
        all.objects.retain(|it| !it.is_inline() && !layout::is_bits(&rt.types, it.ty()));
        all.objects.sort_by_key(|it| it.bits());
        all.objects.dedup_by_key(|it| it.bits());
        all.globals.sort_unstable();
        all.globals.dedup();
        all
    }

    fn add(&mut self, op: &Op) {
        match op {
            Op::Builtin(Builtin::Memoryrefget, _)
            | Op::Intrinsic(Intrinsic::Pointerref | Intrinsic::AtomicPointerref, _) => self.reads = true,
            // A launch leaves what it makes of arrays on its device, and a new array has no elements.
            Op::Host(
                HostFunction::KernelCompile
                | HostFunction::KernelLaunch
                | HostFunction::KernelOwnMemory
                | HostFunction::KernelDevice
                | HostFunction::KernelReserve
                | HostFunction::ReturnType,
                _,
            ) => {}
            Op::Builtin(Builtin::Memoryrefset, _)
            | Op::Builtin(Builtin::DeferredCall, _)
            | Op::Host(..)
            | Op::Intrinsic(
                Intrinsic::Pointerset
                | Intrinsic::AtomicPointerset
                | Intrinsic::AtomicPointerswap
                | Intrinsic::AtomicPointermodify
                | Intrinsic::AtomicPointerreplace
                | Intrinsic::Foreigncall
                | Intrinsic::Llvmcall,
                _,
            ) => self.writes = true,
            Op::Builtin(..) | Op::Intrinsic(..) => {}
            // Neither touches elements; calls are of bodies that are looked at.
            _ => {}
        }
    }

    /// Whether the code accesses elements of arrays or addresses.
    pub fn touches_memory(&self) -> bool {
        self.reads || self.writes
    }

    /// Asks for all that a call with these arguments may look at.
    ///
    /// # Errors
    /// Fails with the exception of a launch that had to be waited for.
    #[inline]
    pub fn acquire_for_host(&self, rt: &Runtime, args: &[Value]) -> Run<()> {
        if !rt.heap.coherence.has_device_copies() || !(self.reads || self.writes) {
            return Ok(());
        }
        coherence::acquire_reachable_for_host(&rt.heap, args, self.writes);
        coherence::acquire_reachable_for_host(&rt.heap, &self.objects, self.writes);
        for (module, name) in &self.globals {
            let value = rt.global(*module, *name);
            coherence::acquire_reachable_for_host(&rt.heap, value.as_slice(), self.writes);
        }
        if rt.heap.coherence.has_async_results() { runtime::surface_async_errors(rt) } else { Ok(()) }
    }
}
