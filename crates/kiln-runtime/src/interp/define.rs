//! The statements that define: methods, functions, globals.

use super::globals;
use super::run::Activation;
use super::task::{self, Machine};
use crate::heap::{Value, constants, svecs};
use crate::runtime::Runtime;
use crate::tables::{Binding, MethodDef, NameError, TableId};
use crate::throw;
use crate::thrown::{Run, Thrown};
use kiln_ir::{CodeInfo, Declaration, Lowered, LoweredStmt};
use kiln_types::{
    Module, Symbol, Type, TypeData, Types, datatype, definition, gensym, intersect, module, unionall,
};
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
            LoweredStmt::GenericFunction(module, name) => return generic_function(self, *module, *name),
            LoweredStmt::Method { body, .. } => {
                let code = &act.body.code.bodies[*body as usize];
                let table = operands.get(1).map_or(Ok(TableId::GLOBAL), |&it| table_of(self, it))?;
                return method(self, operands[0], code, table);
            }
            LoweredStmt::DeclareGlobal { module, name, kind, .. } => {
                match operands.first() {
                    Some(&value) if *kind == Declaration::Constant => {
                        constant(self, *module, *name, value)?;
                    }
                    declared => declare_global(self, *module, *name, declared.copied(), *kind)?,
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
}

/// `const name = value`.
pub fn constant(rt: &Runtime, module: Module, name: Symbol, value: Value) -> Run<()> {
    rt.tables.define_const(module, name, value).map_err(|it| globals::name_error(rt, module, name, it))
}

/// `global name`, `global name::declared`, or the declaration by an assignment.
fn declare_global(
    rt: &Runtime,
    module: Module,
    name: Symbol,
    declared: Option<Value>,
    kind: Declaration,
) -> Run<()> {
    let declared = match declared {
        Some(value) => Some(
            value
                .as_type_like(rt.types.core())
                .ok_or_else(|| throw::type_error(rt, "global", "", rt.types.core().type_, value))?,
        ),
        None => None,
    };
    match rt.tables.declare_global(module, name, declared, kind) {
        // A declaration alone says that the name is no local; assigning it is what an import forbids.
        Err(NameError::Imported(_)) if declared.is_none() => Ok(()),
        result => result.map_err(|it| globals::name_error(rt, module, name, it)),
    }
}

/// `function name end`: returns the generic function of this name, creating it if needed.
pub fn generic_function(rt: &Runtime, module: Module, name: Symbol) -> Run {
    let resolved = rt.tables.bindings.resolve_binding(module, name, rt.tables.world());
    let core = rt.types.core();
    let existing = match resolved.binding {
        Binding::Const(value) => Some(value),
        Binding::Global(ref cell, _) if !resolved.implicit => cell.get(),
        Binding::Undefined | Binding::Ambiguous(..) | Binding::Global(..) => None,
    };
    if let Some(value) = existing {
        let is_type = value.as_type(core).is_some();
        let is_function = rt.types.subtype(value.ty(), core.function);
        // `using M: f` gives no right to extend `f`; nor does `using M`, which the pair operator is kept from hiding.
        let by_name = resolved.module != module && !resolved.imported && !resolved.implicit;
        let pair = resolved.implicit && rt.types.name(name) == "=>";
        if pair || by_name && !is_type && is_function {
            let (here, there) = (module::name(&rt.types, module), module::name(&rt.types, resolved.module));
            let [here, there, name] = [here, there, name].map(|it| rt.types.name(it));
            let message = format!(
                "invalid method definition in {here}: function {there}.{name} must be explicitly imported to be extended"
            );
            return Err(rt.error(&message));
        }
        // A constructor may be added to a type that `using` brought; a function must be imported first.
        if is_type || (!resolved.implicit && is_function) {
            return Ok(value);
        }
        // Methods may be added to the type of any object that is the only one of its type.
        if !resolved.implicit
            && resolved.module == module
            && definition::singleton(&rt.types, value.ty()).is_some()
        {
            return Ok(value);
        }
        if !resolved.implicit {
            let name = rt.types.name(name);
            return Err(rt.error(&format!("cannot define function {name}; it already has a value")));
        }
    }
    let function = new_function(rt, module, name);
    constant(rt, module, name, function)?;
    Ok(function)
}

/// A new generic function without methods.
pub(crate) fn new_function(rt: &Runtime, module: Module, name: Symbol) -> Value {
    let ty = definition::define_singleton(&rt.types, name, module, rt.types.core().function);
    Value::inline(ty, 0)
}

/// The overlay that a table operand names.
fn table_of(rt: &Runtime, value: Value) -> Run<TableId> {
    if value.is_nothing(rt.types.core()) {
        return Ok(TableId::GLOBAL);
    }
    match any_table(rt, value) {
        Some(TableId::RUNTIME) if rt.tables.sealed().is_some() => {
            Err(rt.error("the runtime's own method table takes no methods"))
        }
        Some(table) => Ok(table),
        None => Err(throw::type_error(rt, "method", "overlay", rt.types.core().method_table, value)),
    }
}

fn any_table(rt: &Runtime, value: Value) -> Option<TableId> {
    let table = TableId::from_index(usize::try_from(value.bits()).ok()?);
    (value.ty() == rt.types.core().method_table && rt.tables.methods.has_table(table)).then_some(table)
}

/// The table that a value made by `@MethodTable` is.
pub fn method_table(rt: &Runtime, value: Value) -> Option<TableId> {
    any_table(rt, value).filter(|&it| it != TableId::RUNTIME)
}

/// A method table as a value.
pub(crate) fn method_table_value(rt: &Runtime, table: TableId) -> Value {
    Value::inline(rt.types.core().method_table, table.index() as u64)
}

/// Adds a method. `signature` is `svec(svec(types...), svec(typevars...))`, with a third part for a method that
/// captures variables around its definition: names of constants in the body, each followed by its value.
pub fn method(rt: &Runtime, signature: Value, code: &CodeInfo, table: TableId) -> Run {
    if let &[types, typevars, captures] = svecs::values(&rt.heap, signature).as_slice() {
        let mut code = code.clone();
        for pair in svecs::values(&rt.heap, captures).chunks_exact(2) {
            capture(rt, &mut code, pair[0], pair[1])?;
        }
        return method(rt, svecs::new(&rt.heap, &[types, typevars]), &code, table);
    }
    let sig = signature_type(rt, signature, code)?;
    let body = unionall::unwrap(&rt.types, sig);
    let callee = datatype::params(&rt.types, body).first().copied().unwrap_or(rt.types.core().any);
    if table == TableId::GLOBAL {
        check_callee(rt, unionall::rewrap(&rt.types, callee, sig), code.name)?;
    }
    let id = rt.tables.add_method(
        table,
        MethodDef { name: code.name, module: code.module, sig, code: Arc::new(code.clone()), loc: code.loc },
    );
    let method = Value::inline(rt.types.core().method, id.index() as u64);
    if rt.tables.sealed().is_some() {
        trace_method(rt, method)?;
    }
    Ok(method)
}

/// Calls the function that `jl_register_newmeth_tracer` was given, with a method that was added.
fn trace_method(rt: &Runtime, method: Value) -> Run<()> {
    match rt.base_global("method_tracer") {
        Some(tracer) if !tracer.is_nothing(rt.types.core()) => rt.call_latest(tracer, &[method]).map(|_| ()),
        Some(_) | None => Ok(()),
    }
}

/// Binds a captured value to a constant of this definition alone, and has the body name that one.
fn capture(rt: &Runtime, code: &mut CodeInfo, name: Value, value: Value) -> Run<()> {
    let core = rt.types.core();
    let Some(name) = name.as_symbol(core) else {
        return Err(throw::type_error(rt, "method", "captures", core.symbol, name));
    };
    let own = format!("{}#{}", rt.types.name(name), gensym::fresh_number(&rt.types));
    let own = rt.types.symbol(&own);
    constant(rt, code.module, own, value)?;
    let module = code.module;
    rename_global(code, (module, name), own);
    Ok(())
}

fn signature_type(rt: &Runtime, signature: Value, code: &CodeInfo) -> Run<Type> {
    let core = rt.types.core();
    let parts: Vec<Vec<Value>> = (0..2)
        .map(|at| svecs::get(&rt.heap, signature, at).map_or(Vec::new(), |it| svecs::values(&rt.heap, it)))
        .collect();
    let mut elems = Vec::with_capacity(parts[0].len());
    for (at, &part) in parts[0].iter().enumerate() {
        let ty = part.as_type_like(core).filter(|&it| may_be_argument(rt, it));
        let ty = ty.ok_or_else(|| invalid_argument_type(rt, at, code))?;
        if at + 1 < parts[0].len() && matches!(rt.types.data(ty), TypeData::Vararg { .. }) {
            return Err(definition_error(rt, "Vararg on non-final argument", code));
        }
        elems.push(ty);
    }
    let mut sig = datatype::tuple(&rt.types, &elems);
    for &var in parts[1].iter().rev() {
        match var.as_type_like(core) {
            Some(ty) if matches!(rt.types.data(ty), TypeData::Var { .. }) => {
                sig = unionall::new(&rt.types, ty, sig);
            }
            _ => return Err(throw::type_error(rt, "method", "", core.type_var, var)),
        }
    }
    Ok(sig)
}

/// Whether an argument of a method may have this type: neither `Union{}` nor a value.
fn may_be_argument(rt: &Runtime, ty: Type) -> bool {
    let elem = if let TypeData::Vararg { elem, .. } = *rt.types.data(ty) { elem } else { ty };
    elem != Types::BOTTOM && !matches!(rt.types.data(elem), TypeData::Value(_))
}

#[cold]
fn invalid_argument_type(rt: &Runtime, at: usize, code: &CodeInfo) -> Box<Thrown> {
    let name = code.slots.get(at).map_or("#unused#", |it| rt.types.name(it.name));
    let argument = if name == "#unused#" { format!("number {at}") } else { name.to_owned() };
    definition_error(rt, &format!("invalid type for argument {argument}"), code)
}

/// An `ArgumentError` with the name of the method that cannot be defined, and the location of its definition.
#[cold]
fn definition_error(rt: &Runtime, problem: &str, code: &CodeInfo) -> Box<Thrown> {
    let (file, line) = rt.frontend.place(code.loc).unwrap_or_default();
    let name = rt.types.name(code.name);
    throw::argument_error(rt, &format!("{problem} in method definition for {name} at {file}:{line}"))
}

/// Builtins take no methods, nor does any type that a builtin may have.
fn check_callee(rt: &Runtime, callee: Type, name: Symbol) -> Run<()> {
    let (types, builtin) = (&rt.types, rt.types.core().builtin);
    if datatype::is_concrete(types, callee) && !types.subtype(callee, builtin)
        || intersect::are_disjoint(types, callee, builtin)
    {
        return Ok(());
    }
    let name = types.name(name);
    Err(rt.error(&format!("cannot add methods to builtin function `{name}`")))
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
