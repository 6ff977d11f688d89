//! Kernels that only kernels launch.
//!
//! Where a device does not launch by itself, its items report what the host is to launch (`Base.Device.Launches`), and the host
//! compiles it then. Where an image is built nothing is launched, so what would be is read from the code of each kernel.

use crate::env::ExecEnv;
use crate::launch_table::ConfigId;
use kiln_compile::Program;
use kiln_ir::{Builtin, ThrowSiteData, ThunkStep, ThunkValue};
use kiln_runtime::heap::{constants, tuples};
use kiln_runtime::{Runtime, Value};
use kiln_types::{Module, Type, datatype};

/// A kernel that items ask the host to launch: its function, the tuple of the types of its arguments, and how it is compiled.
pub(crate) type Child = (Type, Type, ConfigId);

/// The kernels that items of a program may ask the host to launch, each once.
pub(crate) fn children(env: &ExecEnv<'_>, program: &Program) -> Vec<Child> {
    let rt = env.rt;
    let Some((launches, options_of)) = launching(rt) else { return Vec::new() };
    let sites = program.units().flat_map(|it| &it.functions).flat_map(|it| it.code(rt).throw_sites.values());
    let mut children: Vec<Child> = Vec::new();
    for data in sites {
        for (launcher, function, args) in launches_of(rt, data, launches) {
            // What has no options launches nothing.
            let Ok(options) = rt.call_latest(options_of, &[launcher]) else { continue };
            let Ok(config) = env.config_of(options) else { continue };
            let child = (function, args, config);
            if !children.contains(&child) {
                children.push(child);
            }
        }
    }
    children
}

/// The type of what launches, and the function that says with which options.
fn launching(rt: &Runtime) -> Option<(Type, Value)> {
    let module = rt.base_global("Device")?.as_module(rt.types.core())?;
    let launches = rt.global(module, rt.types.symbol("Launches"))?.as_type(rt.types.core())?;
    Some((launches, rt.global(module, rt.types.symbol("launch_options"))?))
}

/// The launches that a thunk makes: who makes it, the function, and the tuple of the types of its arguments.
fn launches_of(rt: &Runtime, data: &ThrowSiteData, launches: Type) -> Vec<(Value, Type, Type)> {
    let calls = data.thunk.iter().filter_map(|step| match step {
        ThunkStep::Call(call) => Some(call),
        ThunkStep::New(..) => None,
    });
    let launch = |call: &Vec<ThunkValue>| {
        let [ThunkValue::Const(launcher), function, args, ..] = call[..] else { return None };
        let launcher = constants::value_of(&rt.heap, launcher);
        if !rt.types.subtype(launcher.ty(), launches) {
            return None;
        }
        let args = elements(rt, data, args)?;
        Some((launcher, type_of(rt, data, function)?, datatype::tuple(&rt.types, &args)))
    };
    calls.filter_map(launch).collect()
}

/// The type that a value has to dispatch, if it is known before there is one.
fn type_of(rt: &Runtime, data: &ThrowSiteData, value: ThunkValue) -> Option<Type> {
    match value {
        ThunkValue::Operand(at) => data.operands.get(at as usize).copied(),
        ThunkValue::Const(constant) => Some(rt.heap.dispatch_type(constants::value_of(&rt.heap, constant))),
        ThunkValue::Step(at) => match data.thunk.get(at as usize)? {
            ThunkStep::New(ty, _) => Some(*ty),
            ThunkStep::Call(_) => None,
        },
    }
}

/// The same of each element of a tuple.
fn elements(rt: &Runtime, data: &ThrowSiteData, tuple: ThunkValue) -> Option<Vec<Type>> {
    match tuple {
        ThunkValue::Operand(at) => {
            Some(datatype::params(&rt.types, *data.operands.get(at as usize)?).to_vec())
        }
        ThunkValue::Const(constant) => {
            let values = tuples::values(&rt.heap, constants::value_of(&rt.heap, constant));
            Some(values.into_iter().map(|it| rt.heap.dispatch_type(it)).collect())
        }
        ThunkValue::Step(at) => match data.thunk.get(at as usize)? {
            ThunkStep::New(_, fields) => fields.iter().map(|it| type_of(rt, data, *it)).collect(),
            ThunkStep::Call(call) => {
                let (callee, args) = call.split_first()?;
                let tuple = rt.global(Module::CORE, rt.types.symbol(Builtin::Tuple.name()))?;
                let is_tuple = *callee == ThunkValue::Const(constants::const_of(&rt.heap, tuple));
                is_tuple.then(|| args.iter().map(|it| type_of(rt, data, *it)).collect())?
            }
        },
    }
}
