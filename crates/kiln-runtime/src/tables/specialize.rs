//! Method instances: interned by method and signature, under Julia's rules for how far to specialize.

use super::{CodeInstance, CodeTables, KnownArg, Method, MethodId, MethodInstance, MethodTables};
use kiln_ir::{CodeInfo, Instance, Lowered, LoweredStmt};
use kiln_types::{Type, TypeData};
use std::sync::{Arc, OnceLock};

impl CodeTables {
    /// The instance of `method` for exactly `spec_types`.
    pub fn instance(&self, method: MethodId, spec_types: Type, static_params: &[Type]) -> Instance {
        self.known_instance(method, spec_types, static_params, &[])
    }

    /// The instance of `method` for `spec_types` and arguments about which more is known than their types:
    /// `known_args` has one entry an element of `spec_types`, or none at all.
    pub fn known_instance(
        &self,
        method: MethodId,
        spec_types: Type,
        static_params: &[Type],
        known_args: &[KnownArg],
    ) -> Instance {
        let key: (MethodId, Type, Box<[KnownArg]>) = (method, spec_types, known_args.into());
        if let Some(&instance) = self.instance_ids.read().get(&key) {
            return instance;
        }
        let mut ids = self.instance_ids.write();
        if let Some(&instance) = ids.get(&key) {
            return instance;
        }
        let instance = Instance::from_u32(self.instances.count() as u32);
        self.instances.push(Arc::new(MethodInstance {
            instance,
            method,
            spec_types,
            static_params: static_params.to_vec(),
            known_args: known_args.into(),
            code: Default::default(),
            generated: OnceLock::new(),
        }));
        self.method(method).instances.write().push(instance);
        ids.insert(key, instance);
        instance
    }

    /// Returns an instance's data.
    pub fn instance_data(&self, instance: Instance) -> Arc<MethodInstance> {
        self.instances[instance.as_u32() as usize].clone()
    }

    /// Returns the number of instances; their ids are below it.
    pub fn instances_count(&self) -> u32 {
        self.instances.count() as u32
    }

    /// All results kept for `instance`, of every owner and every range of worlds, the oldest first.
    pub fn code_instances(&self, instance: Instance) -> Vec<Arc<CodeInstance>> {
        self.instance_data(instance).code.read().clone()
    }
}

impl MethodTables {
    /// The signature to compile `method` for when it is called with the concrete `sig`, and its static
    /// parameters: arguments marked `@nospecialize`, types and functions that are only passed on, and long
    /// lists of varargs do not get a specialization each; a generator and another compiler see the exact types.
    pub fn specialize(&self, method: &Method, sig: Type, static_params: &[Type]) -> (Type, Vec<Type>) {
        // What a foreign body does with its arguments is not known here.
        if method.code.meta.generated || method.foreign.is_some() {
            return (sig, static_params.to_vec());
        }
        let types = &self.types;
        let declared = types.params(types.unwrap_unionall(method.sig));
        let nargs = method.nargs as usize;
        let mut elems = types.params(sig).to_vec();
        for (at, elem) in elems.iter_mut().enumerate().skip(1) {
            let slot = if method.is_va { at.min(nargs.saturating_sub(1)) } else { at };
            let wanted =
                declared.get(at).or(declared.last()).map_or(types.core().any, |&it| self.element(it));
            if let Some(wider) = self.widened(&method.code, slot, *elem, wanted) {
                *elem = wider;
            }
        }
        self.shorten_varargs(method, declared, &mut elems);
        let wider = types.tuple(&elems);
        if wider == sig {
            return (sig, static_params.to_vec());
        }
        match types.subtype_env(wider, method.sig) {
            Some(env) => (wider, env),
            None => (sig, static_params.to_vec()),
        }
    }

    /// The element type of a `Vararg`, anything else itself.
    fn element(&self, declared: Type) -> Type {
        match self.types.data(declared) {
            TypeData::Vararg { elem, .. } => *elem,
            TypeData::Bottom
            | TypeData::Data { .. }
            | TypeData::Union(_)
            | TypeData::UnionAll { .. }
            | TypeData::Var { .. }
            | TypeData::Value(_) => declared,
        }
    }

    fn widened(&self, code: &CodeInfo, slot: usize, actual: Type, declared: Type) -> Option<Type> {
        let types = &self.types;
        let core = types.core();
        if slot < 32 && code.meta.nospecialize & (1 << slot) != 0 {
            return (!types.has_free_vars(declared)).then_some(declared);
        }
        if types.has_free_vars(declared) || is_called(code, slot) {
            return None;
        }
        if let Some(param) = types.type_type_param(actual) {
            let asked = types.type_type_param(declared).is_some();
            if asked {
                return None;
            }
            // `Type{Type{..}}` never gets a specialization; a plain type does where `Type` was asked for.
            if types.type_type_param(param).is_some() {
                return Some(core.type_);
            }
            return (declared == core.any || declared == core.data_type)
                .then(|| if types.is_concrete(param) { core.data_type } else { core.type_ });
        }
        let function = declared == core.any || declared == core.function;
        (function && types.subtype(actual, core.function) && !types.subtype(actual, core.builtin))
            .then_some(core.function)
    }

    /// Varargs beyond the declared arguments by more than one become a `Vararg` of their common type.
    fn shorten_varargs(&self, method: &Method, declared: &[Type], elems: &mut Vec<Type>) {
        let keep = declared.len() + 1;
        if !method.is_va || elems.len() <= keep {
            return;
        }
        let open = matches!(
            declared.last().map(|&it| self.types.data(it)),
            Some(TypeData::Vararg { count: None, .. })
        );
        let Some(&last) = elems.last() else { return };
        if open && elems[keep - 1..].iter().all(|&it| it == last) {
            elems.truncate(keep - 1);
            elems.push(self.types.vararg(last, None));
        }
    }
}

/// Whether the body calls the value of `slot`.
fn is_called(code: &CodeInfo, slot: usize) -> bool {
    let callee = Lowered::Slot(slot as u32);
    code.stmts.iter().any(|it| matches!(it, LoweredStmt::Call(args) if args.first() == Some(&callee)))
}
