//! A kernel that a device runs: its artifact, and the types and parameters of its arguments.

use super::loadable::Loadable;
use super::opened::OpenDevice;
use kiln_compile::Compiler;
use kiln_launch::{DeviceError, DeviceKernel, Param, ParamKind};
use kiln_targets::TargetFacts;
use kiln_types::{Type, Types, datatype};
use kiln_unit::LinkInfo;
use std::sync::Arc;

/// The needs of a launch on a device beside the program.
#[derive(Debug)]
pub(crate) struct DeviceEntry {
    pub(super) loadable: Arc<Loadable>,
    /// Types of the arguments, the function first.
    pub(super) args: Vec<Type>,
    /// The reports of items must be handled whatever happens, and before later launches: they launch kernels.
    pub(super) has_essential: bool,
}

impl DeviceEntry {
    /// The kernel as a device has loaded it.
    pub(super) fn load(
        &self,
        compiler: &Compiler,
        open: &OpenDevice,
    ) -> Result<Arc<dyn DeviceKernel>, DeviceError> {
        self.loadable.kernel(compiler, open)
    }

    /// Whether each launch has much memory for what items report or make.
    pub(super) fn has_large_record(&self) -> bool {
        self.loadable.artifact.reports || self.loadable.artifact.heap_bytes > 0
    }
}

/// The parameters of a kernel: those that code generation declares.
pub(crate) fn params(types: &Types, facts: &TargetFacts, link: &LinkInfo, args: &[Type]) -> Vec<Param> {
    let traits = link.definitions.iter().find(|it| it.ordinal == 0).map(|it| it.traits).unwrap_or_default();
    let mut params = Vec::new();
    params.extend(traits.needs_state.then(|| Param::supplied(ParamKind::State)));
    let places = link.args.iter().zip(args).filter(|it| it.0.size > 0);
    params.extend(places.map(|(it, ty)| Param::in_block(kind(types, *ty), it.offset, it.size)));
    let has_dynamic_shared = traits.has_dynamic_shared && facts.abilities.passes_dynamic_shared;
    params.extend(has_dynamic_shared.then(|| Param::supplied(ParamKind::DynamicShared)));
    params
}

fn kind(types: &Types, ty: Type) -> ParamKind {
    let core = types.core();
    let is = |wrapper: Type| {
        datatype::name_of(types, ty).is_some()
            && datatype::name_of(types, ty) == datatype::name_of(types, wrapper)
    };
    if is(core.ptr) || is(core.llvm_ptr) || ty == core.symbol {
        ParamKind::Pointer
    } else if datatype::is_primitive(types, ty) {
        ParamKind::Value
    } else {
        ParamKind::Aggregate
    }
}
