//! The optimizer's questions about the rest of the program, answered from the code tables.

use crate::inputs::View;
use crate::late_calls::LateCalls;
use kiln_ir::{Builtin, Effects, Instance, Intrinsic};
use kiln_opt::{Callee, Callees, Resolved};
use kiln_runtime::eval::generated;
use kiln_runtime::heap::constants;
use kiln_runtime::tables::{CacheOwner, CodeInstance, Edge, World};
use kiln_runtime::{Runtime, Value, intrinsics};
use kiln_types::{Const, ConstData, Module, Type};
use std::cell::RefCell;
use std::sync::Arc;

/// The bodies an owner sees in a world.
pub(crate) struct Bodies<'a> {
    pub(crate) rt: &'a Runtime,
    pub(crate) owner: CacheOwner,
    pub(crate) world: World,
    /// Of the processor.
    have_fma: bool,
    /// Of the body being optimized; none for passes that come after.
    late: Option<&'a LateCalls<'a>>,
    /// The instances that were asked about, each once.
    asked: RefCell<Vec<Instance>>,
}

impl<'a> Bodies<'a> {
    /// Answers for the methods that `view` sees.
    pub(crate) fn new(rt: &'a Runtime, view: &View, late: Option<&'a LateCalls<'a>>) -> Self {
        let (owner, world, have_fma) = (view.owner, view.world, view.params.have_fma);
        Self { rt, owner, world, have_fma, late, asked: RefCell::default() }
    }

    /// Returns the edges of the answers given so far.
    pub(crate) fn into_edges(self) -> impl Iterator<Item = Edge> {
        self.asked.into_inner().into_iter().map(Edge::Body)
    }

    fn code_instance(&self, instance: Instance) -> Option<Arc<CodeInstance>> {
        let current = self.rt.tables.current_instance(instance, self.world);
        let mut asked = self.asked.borrow_mut();
        if !asked.contains(&current) {
            asked.push(current);
        }
        self.rt.tables.code_instance(current, self.owner, self.world)
    }
}

impl Callees for Bodies<'_> {
    fn body(&self, instance: Instance) -> Option<Callee> {
        let found = self.code_instance(instance)?;
        let code = found.code(self.rt)?.clone();
        let meta = generated::instance_body(self.rt, instance).ok()?.meta.clone();
        Some(Callee { code, inlining: meta.inlining, propagate_inbounds: meta.propagate_inbounds })
    }

    fn effects(&self, instance: Instance) -> Effects {
        let found = self.code_instance(instance);
        found.map_or(Effects::NONE, |it| it.effects)
    }

    fn is_vararg(&self, instance: Instance) -> bool {
        let method = self.rt.tables.instance_data(instance).method;
        self.rt.tables.method(method).is_va
    }

    fn fold_intrinsic(&self, intrinsic: Intrinsic, args: &[Const]) -> Option<Const> {
        if !is_arithmetic(intrinsic) {
            return None;
        }
        let heap = &self.rt.heap;
        let values: Vec<Value> = args.iter().map(|it| constants::value_of(heap, *it)).collect();
        let result = if intrinsic == Intrinsic::Llvmcall {
            intrinsics::evaluate_foreign_exactly(heap, intrinsic, &values)?.ok()?
        } else {
            intrinsics::call(heap, self.have_fma, intrinsic, &values).ok()?
        };
        let constant = constants::const_of(heap, result);
        matches!(self.rt.types.const_data(constant), ConstData::Bits { .. }).then_some(constant)
    }

    fn builtin(&self, builtin: Builtin) -> Const {
        let types = &self.rt.types;
        let value = self.rt.global(Module::CORE, types.symbol(builtin.name()));
        constants::const_of(&self.rt.heap, value.expect("every builtin is bound in Core"))
    }

    fn iterate(&self) -> Option<Const> {
        self.rt.base_global("iterate").map(|it| constants::const_of(&self.rt.heap, it))
    }

    fn resolve(&self, call: &[Type], of: Option<Instance>) -> Option<Resolved> {
        self.late?.resolve(self.rt, call, of)
    }
}

/// Whether the intrinsic only computes: its value depends on nothing but its arguments.
fn is_arithmetic(intrinsic: Intrinsic) -> bool {
    !matches!(
        intrinsic,
        Intrinsic::Pointerref
            | Intrinsic::Pointerset
            | Intrinsic::AtomicFence
            | Intrinsic::AtomicPointerref
            | Intrinsic::AtomicPointerset
            | Intrinsic::AtomicPointerswap
            | Intrinsic::AtomicPointermodify
            | Intrinsic::AtomicPointerreplace
            | Intrinsic::LocalId
            | Intrinsic::GroupId
            | Intrinsic::LocalSize
            | Intrinsic::NumGroups
            | Intrinsic::Barrier
            | Intrinsic::SharedMemory
            | Intrinsic::DynamicSharedMemory
            | Intrinsic::DynamicSharedBytes
            | Intrinsic::PrivateMemory
            | Intrinsic::WarpBarrier
            | Intrinsic::Report
            | Intrinsic::Clock
            | Intrinsic::StaticAssertion
            | Intrinsic::InKernel
            | Intrinsic::KernelState
            | Intrinsic::DeclareConstant
            | Intrinsic::DebugLevel
            | Intrinsic::Lanes
            | Intrinsic::KernelEntry
            | Intrinsic::Foreigncall
    )
}
