//! The bindings of `Core` before any source is read: types, builtins, `Core.Intrinsics`, `Core.Host`.

use crate::heap::Value;
use crate::interp::Special;
use crate::runtime::Runtime;
use kiln_ir::{Builtin, HostFunction, Intrinsic, SourceLoc};
use kiln_types::Module;

impl Runtime {
    /// Fills `Core`; makes `Base` and `Main` see it.
    pub(crate) fn set_up(&mut self) {
        let types = self.types.clone();
        let (core, base, main) = (types.core_module(), types.base_module(), types.main_module());
        for &(name, ty) in types.core_bindings() {
            self.bind(core, types.name(name), self.heap.type_value(ty));
        }
        for (name, module) in [("Core", core), ("Base", base), ("Main", main)] {
            for inside in [core, base, main] {
                self.bind(inside, name, Value::module(types.core(), module));
            }
        }
        for module in [core, base, main] {
            self.tables.mark_public(module, types.module_name(module), true);
        }
        self.bind(core, "nothing", self.heap.nothing());
        let cpu = types.apply(types.core().addr_space, &[self.heap_module_param(core)]);
        if let Ok(cpu) = cpu {
            self.bind(core, "CPU", Value::inline(cpu, 0));
        }
        for &builtin in Builtin::ALL {
            let value = self.special(core, builtin.name(), Special::Builtin(builtin));
            self.bind(core, builtin.name(), value);
        }
        self.bind_intrinsics(core);
        let host = types.new_module(types.symbol("Host"), Some(core));
        self.bind(core, "Host", Value::module(types.core(), host));
        for &function in HostFunction::ALL {
            let value = self.special(host, function.name(), Special::Host(function));
            self.bind_exported(host, function.name(), value);
        }
        self.callees.finish();
        for module in [base, main] {
            self.tables.add_using(module, core);
        }
        self.tables.add_using(main, base);
        // Every splat names it, those of `Core` before `Base` gives it methods.
        let iterate = self.new_function(base, types.symbol("iterate"));
        self.bind(base, "iterate", iterate);
        let defined = self.define_standard_functions(main, SourceLoc::NONE);
        assert!(defined.is_ok(), "a fresh `Main` has no `eval` or `include`");
    }

    fn bind_intrinsics(&self, core: Module) {
        let types = &self.types;
        let module = types.new_module(types.symbol("Intrinsics"), Some(core));
        self.bind(core, "Intrinsics", Value::module(types.core(), module));
        for (number, intrinsic) in Intrinsic::ALL.iter().enumerate() {
            let value = Value::inline(types.core().intrinsic_function, number as u64);
            self.bind_exported(module, intrinsic.name(), value);
        }
    }

    /// `Core` as a type parameter: `Core.CPU` is a value of `AddrSpace{Core}`.
    fn heap_module_param(&self, module: Module) -> kiln_types::Type {
        self.types.const_param(self.types.constant(kiln_types::ConstData::Module(module)))
    }

    fn special(&mut self, module: Module, name: &str, special: Special) -> Value {
        let symbol = self.types.symbol(name);
        let ty = self.types.define_singleton(symbol, module, self.types.core().builtin);
        self.callees.insert(ty, special);
        Value::inline(ty, 0)
    }

    fn bind(&self, module: Module, name: &str, value: Value) {
        let defined = self.tables.define_const(module, self.types.symbol(name), value);
        assert!(defined.is_ok(), "a fresh module has no `{name}`");
    }

    fn bind_exported(&self, module: Module, name: &str, value: Value) {
        self.bind(module, name, value);
        self.tables.mark_public(module, self.types.symbol(name), true);
    }
}
