//! The statements that define: methods, functions, globals.

use super::run::Activation;
use super::task::{self, Machine};
use crate::heap::{Value, constants, svecs};
use crate::runtime::Runtime;
use crate::tables::{Binding, MethodDef, NameError, TableId};
use crate::thrown::{Run, Thrown};
use kiln_ir::{CodeInfo, Declaration, Lowered, LoweredStmt};
use kiln_types::{Module, Symbol, Type, TypeData, Types};
use std::sync::Arc;

impl Runtime {
    /// Executes the defining statement `pc` with these operands.
    pub(super) fn define(
        &self,
        machine: &mut Machine,
        act: Activation<'_>,
        pc: usize,
        operands: &[Value],
    ) -> Run {
        let stmt = &act.body.code.stmts[pc];
        #[expect(clippy::wildcard_enum_match_arm, reason = "decoding sends nothing else here")]
        match stmt {
            LoweredStmt::GenericFunction(module, name) => return self.generic_function(*module, *name),
            LoweredStmt::Method { body, .. } => {
                let code = &act.body.code.bodies[*body as usize];
                let table = operands.get(1).map_or(Ok(TableId::GLOBAL), |&it| self.table_of(it))?;
                return self.define_method(operands[0], code, table);
            }
            LoweredStmt::DeclareGlobal { module, name, kind, .. } => {
                match operands.first() {
                    Some(&value) if *kind == Declaration::Constant => {
                        self.define_const(*module, *name, value)?;
                    }
                    declared => self.declare_global(*module, *name, declared.copied(), *kind)?,
                }
                self.tables.note_declared(*module, *name, act.body.code.locs[pc]);
            }
            LoweredStmt::LatestWorld => {
                machine.world = self.tables.world();
                task::set_world(machine.world);
            }
            LoweredStmt::TopLevel(constant) => {
                let expr = constants::value_of(&self.heap, *constant);
                return self.eval(act.body.code.module, expr);
            }
            other => unreachable!("not a definition: {other:?}"),
        }
        Ok(self.heap.nothing())
    }

    /// `const name = value`.
    pub fn define_const(&self, module: Module, name: Symbol, value: Value) -> Run<()> {
        self.tables.define_const(module, name, value).map_err(|it| self.name_error(module, name, it))
    }

    /// `global name`, `global name::declared`, or the declaration by an assignment.
    fn declare_global(
        &self,
        module: Module,
        name: Symbol,
        declared: Option<Value>,
        kind: Declaration,
    ) -> Run<()> {
        let declared = match declared {
            Some(value) => Some(
                value
                    .as_type_like(self.types.core())
                    .ok_or_else(|| self.type_error("global", "", self.types.core().type_, value))?,
            ),
            None => None,
        };
        match self.tables.declare_global(module, name, declared, kind) {
            // A declaration alone says that the name is no local; assigning it is what an import forbids.
            Err(NameError::Imported(_)) if declared.is_none() => Ok(()),
            result => result.map_err(|it| self.name_error(module, name, it)),
        }
    }

    /// `function name end`: returns the generic function of this name, creating it if needed.
    pub fn generic_function(&self, module: Module, name: Symbol) -> Run {
        let resolved = self.tables.bindings.resolve_binding(module, name, self.tables.world());
        let core = self.types.core();
        let existing = match resolved.binding {
            Binding::Const(value) => Some(value),
            Binding::Global(ref cell, _) if !resolved.implicit => cell.get(),
            Binding::Undefined | Binding::Ambiguous(..) | Binding::Global(..) => None,
        };
        if let Some(value) = existing {
            let is_type = value.as_type(core).is_some();
            let is_function = self.types.subtype(value.ty(), core.function);
            // `using M: f` gives no right to extend `f`; nor does `using M`, which the pair operator is kept from hiding.
            let by_name = resolved.module != module && !resolved.imported && !resolved.implicit;
            let pair = resolved.implicit && self.types.name(name) == "=>";
            if pair || by_name && !is_type && is_function {
                let (here, there) = (self.types.module_name(module), self.types.module_name(resolved.module));
                let [here, there, name] = [here, there, name].map(|it| self.types.name(it));
                let message = format!(
                    "invalid method definition in {here}: function {there}.{name} must be explicitly imported to be extended"
                );
                return Err(self.error(&message));
            }
            // A constructor may be added to a type that `using` brought; a function must be imported first.
            if is_type || (!resolved.implicit && is_function) {
                return Ok(value);
            }
            // Methods may be added to the type of any object that is the only one of its type.
            if !resolved.implicit && resolved.module == module && self.types.singleton(value.ty()).is_some() {
                return Ok(value);
            }
            if !resolved.implicit {
                let name = self.types.name(name);
                return Err(self.error(&format!("cannot define function {name}; it already has a value")));
            }
        }
        let function = self.new_function(module, name);
        self.define_const(module, name, function)?;
        Ok(function)
    }

    /// A new generic function without methods.
    pub(crate) fn new_function(&self, module: Module, name: Symbol) -> Value {
        let ty = self.types.define_singleton(name, module, self.types.core().function);
        Value::inline(ty, 0)
    }

    /// The overlay that a table operand names.
    fn table_of(&self, value: Value) -> Run<TableId> {
        if value.is_nothing(self.types.core()) {
            return Ok(TableId::GLOBAL);
        }
        match self.any_table(value) {
            Some(TableId::RUNTIME) if self.tables.sealed().is_some() => {
                Err(self.error("the runtime's own method table takes no methods"))
            }
            Some(table) => Ok(table),
            None => Err(self.type_error("method", "overlay", self.types.core().method_table, value)),
        }
    }

    fn any_table(&self, value: Value) -> Option<TableId> {
        let table = TableId::from_index(usize::try_from(value.bits()).ok()?);
        (value.ty() == self.types.core().method_table && self.tables.methods.has_table(table))
            .then_some(table)
    }

    /// The table that a value made by `@MethodTable` is.
    pub fn method_table(&self, value: Value) -> Option<TableId> {
        self.any_table(value).filter(|&it| it != TableId::RUNTIME)
    }

    /// A method table as a value.
    pub(crate) fn method_table_value(&self, table: TableId) -> Value {
        Value::inline(self.types.core().method_table, table.index() as u64)
    }

    /// Adds a method. `signature` is `svec(svec(types...), svec(typevars...))`, with a third part for a method that
    /// captures variables around its definition: names of constants in the body, each followed by its value.
    pub fn define_method(&self, signature: Value, code: &CodeInfo, table: TableId) -> Run {
        if let &[types, typevars, captures] = svecs::values(&self.heap, signature).as_slice() {
            let mut code = code.clone();
            for pair in svecs::values(&self.heap, captures).chunks_exact(2) {
                self.capture(&mut code, pair[0], pair[1])?;
            }
            return self.define_method(svecs::new(&self.heap, &[types, typevars]), &code, table);
        }
        let sig = self.signature_type(signature, code)?;
        let body = self.types.unwrap_unionall(sig);
        let callee = self.types.params(body).first().copied().unwrap_or(self.types.core().any);
        if table == TableId::GLOBAL {
            self.check_callee(self.types.rewrap_unionall(callee, sig), code.name)?;
        }
        let id = self.tables.add_method(
            table,
            MethodDef {
                name: code.name,
                module: code.module,
                sig,
                code: Arc::new(code.clone()),
                loc: code.loc,
            },
        );
        let method = Value::inline(self.types.core().method, id.index() as u64);
        if self.tables.sealed().is_some() {
            self.trace_method(method)?;
        }
        Ok(method)
    }

    /// Calls the function that `jl_register_newmeth_tracer` was given, with a method that was added.
    fn trace_method(&self, method: Value) -> Run<()> {
        match self.base_global("method_tracer") {
            Some(tracer) if !tracer.is_nothing(self.types.core()) => {
                self.call_latest(tracer, &[method]).map(|_| ())
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Binds a captured value to a constant of this definition alone, and has the body name that one.
    fn capture(&self, code: &mut CodeInfo, name: Value, value: Value) -> Run<()> {
        let core = self.types.core();
        let Some(name) = name.as_symbol(core) else {
            return Err(self.type_error("method", "captures", core.symbol, name));
        };
        let own = format!("{}#{}", self.types.name(name), self.types.fresh_number());
        let own = self.types.symbol(&own);
        self.define_const(code.module, own, value)?;
        let module = code.module;
        rename_global(code, (module, name), own);
        Ok(())
    }

    fn signature_type(&self, signature: Value, code: &CodeInfo) -> Run<Type> {
        let core = self.types.core();
        let parts: Vec<Vec<Value>> = (0..2)
            .map(|at| {
                svecs::get(&self.heap, signature, at).map_or(Vec::new(), |it| svecs::values(&self.heap, it))
            })
            .collect();
        let mut elems = Vec::with_capacity(parts[0].len());
        for (at, &part) in parts[0].iter().enumerate() {
            let ty = part.as_type_like(core).filter(|&it| self.may_be_argument(it));
            let ty = ty.ok_or_else(|| self.invalid_argument_type(at, code))?;
            if at + 1 < parts[0].len() && matches!(self.types.data(ty), TypeData::Vararg { .. }) {
                return Err(self.definition_error("Vararg on non-final argument", code));
            }
            elems.push(ty);
        }
        let mut sig = self.types.tuple(&elems);
        for &var in parts[1].iter().rev() {
            match var.as_type_like(core) {
                Some(ty) if matches!(self.types.data(ty), TypeData::Var { .. }) => {
                    sig = self.types.union_all(ty, sig);
                }
                _ => return Err(self.type_error("method", "", core.type_var, var)),
            }
        }
        Ok(sig)
    }

    /// Whether an argument of a method may have this type: neither `Union{}` nor a value.
    fn may_be_argument(&self, ty: Type) -> bool {
        let elem = if let TypeData::Vararg { elem, .. } = *self.types.data(ty) { elem } else { ty };
        elem != Types::BOTTOM && !matches!(self.types.data(elem), TypeData::Value(_))
    }

    #[cold]
    fn invalid_argument_type(&self, at: usize, code: &CodeInfo) -> Box<Thrown> {
        let name = code.slots.get(at).map_or("#unused#", |it| self.types.name(it.name));
        let argument = if name == "#unused#" { format!("number {at}") } else { name.to_owned() };
        self.definition_error(&format!("invalid type for argument {argument}"), code)
    }

    /// An `ArgumentError` with the name of the method that cannot be defined, and the location of its definition.
    #[cold]
    fn definition_error(&self, problem: &str, code: &CodeInfo) -> Box<Thrown> {
        let (file, line) = self.frontend.place(code.loc).unwrap_or_default();
        let name = self.types.name(code.name);
        self.argument_error(&format!("{problem} in method definition for {name} at {file}:{line}"))
    }

    /// Builtins take no methods, nor does any type that a builtin may have.
    fn check_callee(&self, callee: Type, name: Symbol) -> Run<()> {
        let (types, builtin) = (&self.types, self.types.core().builtin);
        if types.is_concrete(callee) && !types.subtype(callee, builtin) || types.is_disjoint(callee, builtin)
        {
            return Ok(());
        }
        let name = types.name(name);
        Err(self.error(&format!("cannot add methods to builtin function `{name}`")))
    }
}

/// Has a body, and those inside it, name another global.
fn rename_global(code: &mut CodeInfo, global: (Module, Symbol), own: Symbol) {
    for stmt in &mut code.stmts {
        stmt.each_operand_mut(|operand| {
            if let Lowered::Global(module, name) = operand
                && (*module, *name) == global
            {
                *name = own;
            }
        });
    }
    code.bodies.iter_mut().for_each(|it| rename_global(it, global, own));
}
