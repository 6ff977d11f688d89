//! Names of specializations for people.

use kiln_ir::Instance;
use kiln_runtime::Runtime;
use kiln_types::display;

/// A specialization as people name it: the method, the types of function and arguments.
pub fn specialization(rt: &Runtime, instance: Instance) -> String {
    let data = rt.tables.instance_data(instance);
    let method = rt.tables.method(data.method);
    format!("{} {}", rt.types.name(method.name), display::of_type(&rt.types, data.spec_types))
}

/// The same with the place of the method.
pub fn job(rt: &Runtime, instance: Instance) -> String {
    let name = specialization(rt, instance);
    let method = rt.tables.method(rt.tables.instance_data(instance).method);
    match rt.frontend.place(method.loc) {
        Some((file, line)) => format!("{name} of {file}:{line}"),
        None => name,
    }
}
