//! OpenCL: functions of its library, which the back end knows by their mangled names.

use super::{COUNT_END, DeviceItems, Question};
use crate::limits::limit;
use crate::llvm::{Function, Module, Ty, Val};

/// Of `barrier`: memory of the group, and of all groups.
const ALL_FENCES: u32 = 3;

/// See the module.
pub(super) struct Spirv;

impl DeviceItems for Spirv {
    fn ask(&self, module: &Module, what: Question, dim: usize) -> Result<Val, String> {
        let name = match what {
            Question::LocalId => "_Z12get_local_idj",
            Question::GroupId => "_Z12get_group_idj",
            Question::LocalSize => "_Z14get_local_sizej",
            Question::NumGroups => "_Z14get_num_groupsj",
        };
        let attributes = ["memory", "nounwind", "willreturn"];
        let function = module.declared(name, module.int(64), &[module.int(32)], &attributes);
        let value = module.call(function, &[module.const_u32(dim as u32)]);
        Ok(module.within(value, what.range(COUNT_END - 1)))
    }

    fn barrier(&self, module: &Module) -> Result<(), String> {
        let attributes = ["convergent", "nounwind"];
        let function = module.declared("_Z7barrierj", module.void(), &[module.int(32)], &attributes);
        module.call(function, &[module.const_u32(ALL_FENCES)]);
        Ok(())
    }

    fn warp_barrier(&self, _: &Module, _: Val) -> Result<Val, String> {
        Err(limit("a barrier of a warp: how many items run in step is the driver's choice"))
    }

    fn clock(&self, _: &Module) -> Result<Val, String> {
        Err(limit("a read of the clock, which drivers need not have"))
    }

    fn adds_floats(&self) -> bool {
        false // an extension
    }
    fn atomic_bytes_min(&self) -> u32 {
        4
    }
    /// LLVM 22 cannot select signed sums that tell of overflow, takes every negative product for one, and takes `fmin` for
    /// `minimum`.
    fn is_exact(&self) -> bool {
        false
    }
    fn recurses(&self) -> bool {
        false
    }
    /// Intel's compiler for processors ends the process over a barrier behind a way out of the kernel, when it makes vectors
    /// of the items.
    fn mind_barriers(&self, module: &Module, entry: Function) {
        module.set_vector_hint(entry);
    }
    fn has_function_pointers(&self) -> bool {
        false
    }
    fn passes_dynamic_shared(&self) -> bool {
        true
    }
    /// Intel's driver mistakes an argument that is no struct.
    fn wrapped(&self, module: &Module, words: Ty) -> Ty {
        module.structure(&[words])
    }
}
