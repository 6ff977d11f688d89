//! The bindings of `Core` before any source is read: types, builtins, `Core.Intrinsics`, `Core.Host`.

use crate::eval::modules;
use crate::heap::Value;
use crate::interp::{Special, define};
use crate::runtime::Runtime;
use kiln_ir::{Builtin, HostFunction, Intrinsic, SourceLoc};
use kiln_types::{Module, consts, core_types, definition, module};

impl Runtime {
    /// Fills `Core`; makes `Base` and `Main` see it.
    pub(crate) fn set_up(&mut self) {
        let types = self.types.clone();
        let (core, base, main) = (Module::CORE, Module::BASE, Module::MAIN);
        for &(name, ty) in core_types::named(&types) {
            bind(self, core, types.name(name), self.heap.type_value(ty));
        }
        for (name, module) in [("Core", core), ("Base", base), ("Main", main)] {
            for inside in [core, base, main] {
                bind(self, inside, name, Value::module(types.core(), module));
            }
        }
        for module in [core, base, main] {
            self.tables.mark_public(module, module::name(&types, module), true);
        }
        bind(self, core, "nothing", self.heap.nothing());
        let cpu = types.apply(types.core().addr_space, &[heap_module_param(self, core)]);
        if let Ok(cpu) = cpu {
            bind(self, core, "CPU", Value::inline(cpu, 0));
        }
        for &builtin in Builtin::ALL {
            let value = special(self, core, builtin.name(), Special::Builtin(builtin));
            bind(self, core, builtin.name(), value);
        }
        bind_intrinsics(self, core);
        let host = module::new(&types, types.symbol("Host"), Some(core));
        bind(self, core, "Host", Value::module(types.core(), host));
        for &function in HostFunction::ALL {
            let value = special(self, host, function.name(), Special::Host(function));
            bind_exported(self, host, function.name(), value);
        }
        self.callees.finish();
        for module in [base, main] {
            self.tables.add_using(module, core);
        }
        self.tables.add_using(main, base);
        // Every splat names it, those of `Core` before `Base` gives it methods.
        let iterate = define::new_function(self, base, types.symbol("iterate"));
        bind(self, base, "iterate", iterate);
        let defined = modules::define_standard_functions(self, main, SourceLoc::NONE);
        assert!(defined.is_ok(), "a fresh `Main` has no `eval` or `include`");
    }
}

fn bind_intrinsics(rt: &Runtime, core: Module) {
    let types = &rt.types;
    let module = module::new(types, types.symbol("Intrinsics"), Some(core));
    bind(rt, core, "Intrinsics", Value::module(types.core(), module));
    for (number, intrinsic) in Intrinsic::ALL.iter().enumerate() {
        let value = Value::inline(types.core().intrinsic_function, number as u64);
        bind_exported(rt, module, intrinsic.name(), value);
    }
}

/// `Core` as a type parameter: `Core.CPU` is a value of `AddrSpace{Core}`.
fn heap_module_param(rt: &Runtime, module: Module) -> kiln_types::Type {
    consts::to_param(&rt.types, rt.types.constant(kiln_types::ConstData::Module(module)))
}

fn special(rt: &mut Runtime, module: Module, name: &str, special: Special) -> Value {
    let symbol = rt.types.symbol(name);
    let ty = definition::define_singleton(&rt.types, symbol, module, rt.types.core().builtin);
    rt.callees.insert(ty, special);
    Value::inline(ty, 0)
}

fn bind(rt: &Runtime, module: Module, name: &str, value: Value) {
    let defined = rt.tables.define_const(module, rt.types.symbol(name), value);
    assert!(defined.is_ok(), "a fresh module has no `{name}`");
}

fn bind_exported(rt: &Runtime, module: Module, name: &str, value: Value) {
    bind(rt, module, name, value);
    rt.tables.mark_public(module, rt.types.symbol(name), true);
}
