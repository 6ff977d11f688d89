//! Methods of global functions: signatures, bodies.

use super::body::{Body, BodyFacts, CaptureField};
use super::{Dest, Linearizer};
use crate::error::{Lowering, problem};
use crate::hir::{Callee, FunctionDef, GroupId, HirKind, HirNode, MethodDef, TypeVar, VarId};
use crate::resolve::VarKind;
use kiln_ir::{CodeInfo, Lowered, LoweredStmt, SourceLoc};
use kiln_types::{Symbol, consts};

impl Linearizer<'_> {
    /// `function f end`.
    pub(super) fn generic_function(&mut self, name: &HirNode, loc: SourceLoc) -> Lowering<Lowered> {
        let HirKind::Global(module, symbol) = name.kind else {
            return Err(problem("invalid-function-name", "invalid function name", name.loc));
        };
        let value = self.push(LoweredStmt::GenericFunction(module, symbol), loc);
        self.push(LoweredStmt::LatestWorld, loc);
        Ok(value)
    }

    /// A definition at top level.
    pub(super) fn global_function(&mut self, def: &FunctionDef, loc: SourceLoc) -> Lowering<Lowered> {
        let value = match &def.callee {
            Callee::Named(name) => self.generic_function(name, loc)?,
            Callee::Anonymous | Callee::Typed => self.nothing(),
        };
        let mut index = 0;
        for method in &def.methods {
            if method.is_fallback {
                self.fallback_body(method, index)?;
                continue;
            }
            self.functions_of_signature(method, loc)?;
            index = self.method_body(method, &[], None)?;
            self.define_method(method, index, &[], None)?;
        }
        self.push(LoweredStmt::LatestWorld, loc);
        Ok(value)
    }

    /// Compiles the alternative body of the generator with this number, and stores it there.
    #[inline(never)]
    fn fallback_body(&mut self, method: &MethodDef, generator: u32) -> Lowering<()> {
        let code = self.lambda(method, &[], None)?;
        self.bodies[0].nested[generator as usize].bodies.push(code);
        Ok(())
    }

    /// The body of a function with keywords takes the function itself, which may come into being only here.
    #[inline(never)]
    pub(super) fn functions_of_signature(&mut self, method: &MethodDef, loc: SourceLoc) -> Lowering<()> {
        for (index, ty) in method.types.iter().enumerate() {
            if index != method.lambda.self_arg
                && let HirKind::TypeOfFunction(name) = &ty.kind
                && matches!(name.kind, HirKind::Global(..))
            {
                self.generic_function(name, loc)?;
            }
        }
        Ok(())
    }

    /// Compiles a method's body and stores it in the thunk; gives its number there.
    pub(super) fn method_body(
        &mut self,
        method: &MethodDef,
        captures: &[VarId],
        field_names: Option<&[Symbol]>,
    ) -> Lowering<u32> {
        let code = self.lambda(method, captures, field_names)?;
        self.bodies[0].nested.push(code);
        Ok((self.bodies[0].nested.len() - 1) as u32)
    }

    /// Emits the signature and the method, in the current body. `outer` are static parameters of functions around a
    /// closure; the type of `closure` replaces the type of the function.
    pub(super) fn define_method(
        &mut self,
        method: &MethodDef,
        body: u32,
        outer: &[VarId],
        closure: Option<GroupId>,
    ) -> Lowering<()> {
        let loc = method.loc;
        let saved = self.overrides.clone();
        let mut typevars = Vec::new();
        for &var in outer {
            let name = self.var(var).name;
            let made = self.type_var(name, None, None, loc);
            self.overrides.insert(var, made);
            typevars.push(made);
        }
        for (typevar, &var) in method.typevars.iter().zip(&method.lambda.sparam_vars) {
            let TypeVar { name, lower, upper } = typevar;
            let lower = lower.as_ref().map(|it| self.value(it)).transpose()?;
            let upper = upper.as_ref().map(|it| self.value(it)).transpose()?;
            let made = self.type_var(*name, lower, upper, loc);
            self.overrides.insert(var, made);
            typevars.push(made);
        }
        let mut types = Vec::new();
        for (index, ty) in method.types.iter().enumerate() {
            types.push(match closure {
                Some(group) if index == method.lambda.self_arg => self.closure_type(group, loc)?,
                _ => self.value(ty)?,
            });
        }
        for check in &method.checks {
            self.effect(check)?;
        }
        let table = method.table.as_ref().map(|it| self.value(it)).transpose()?;
        let types = self.core_call("svec", &types, loc);
        let typevars = self.core_call("svec", &typevars, loc);
        let mut parts = vec![types, typevars];
        if closure.is_none() {
            let captures = self.captures_of_method(method)?;
            if !captures.is_empty() {
                parts.push(self.core_call("svec", &captures, loc));
            }
        }
        let signature = self.core_call("svec", &parts, loc);
        self.push(LoweredStmt::Method { signature, body, table }, loc);
        self.overrides = saved;
        Ok(())
    }

    /// The variables around the definition of a global function's method that its body refers to: names of constants in
    /// the body, each with the value, or the box, that it has now.
    fn captures_of_method(&mut self, method: &MethodDef) -> Lowering<Vec<Lowered>> {
        let mut captures = Vec::new();
        for var in self.resolved.lambdas[method.lambda.id.0 as usize].free.clone() {
            if let Some(hidden) = self.var(var).hidden {
                captures.push(self.symbol(hidden));
                captures.push(self.captured_value(var, method.loc)?);
            }
        }
        Ok(captures)
    }

    pub(super) fn type_var(
        &mut self,
        name: Symbol,
        lower: Option<Lowered>,
        upper: Option<Lowered>,
        loc: SourceLoc,
    ) -> Lowered {
        let core = self.types.core();
        let lower = lower.unwrap_or(Lowered::Const(consts::of_type(self.types, core.bottom)));
        let upper = upper.unwrap_or(Lowered::Const(consts::of_type(self.types, core.any)));
        let name = self.symbol(name);
        self.core_call("_typevar", &[name, lower, upper], loc)
    }

    /// Compiles a function's body.
    fn lambda(
        &mut self,
        method: &MethodDef,
        captures: &[VarId],
        field_names: Option<&[Symbol]>,
    ) -> Lowering<CodeInfo> {
        let lambda = &method.lambda;
        let mut body = Body::new(lambda.id);
        for (&name, &var) in lambda.args.iter().zip(&lambda.arg_vars) {
            let single = self.var(var).assignments == 0;
            let slot = body.new_slot(name, single);
            body.var_slots.insert(var, slot);
        }
        let aliases = self.resolved.lambdas[lambda.id.0 as usize].aliases.clone();
        for (var, index) in aliases {
            if self.var(var).assignments == 0 {
                body.var_slots.insert(var, index as u32);
            }
        }
        for (index, &var) in captures.iter().enumerate() {
            if self.var(var).kind == VarKind::StaticParam {
                body.static_params.push(var);
            } else if let Some(&field) = field_names.and_then(|it| it.get(index)) {
                let self_slot = lambda.self_arg as u32;
                body.captured.insert(var, CaptureField { self_slot, field });
            }
        }
        body.static_params.extend_from_slice(&lambda.sparam_vars);
        let static_params = body.static_params.iter().map(|&it| self.var(it).name).collect();
        let saved = std::mem::take(&mut self.overrides);
        let types_around = std::mem::take(&mut self.types_around);
        self.bodies.push(body);
        let result = self.lambda_statements(method);
        let body = self.bodies.pop();
        self.overrides = saved;
        self.types_around = types_around;
        result?;
        let Some(body) = body else {
            return Err(problem("internal-lowering", "a body vanished", lambda.loc));
        };
        let mut meta = lambda.meta.clone();
        meta.boxed = captures.iter().filter_map(|it| self.assigned_again(*it)).collect();
        Ok(body.finish(BodyFacts {
            name: lambda.name,
            module: self.module,
            nargs: lambda.args.len() as u32,
            is_va: lambda.is_va,
            static_params,
            meta,
            loc: lambda.loc,
            nothing: consts::nothing(self.types),
        }))
    }

    /// The name of a variable in a box, and the place that assigns it again.
    fn assigned_again(&self, var: VarId) -> Option<(Symbol, SourceLoc)> {
        let info = self.var(var);
        let mut places = info.assigned_at.clone();
        places.sort_by_key(|it| (it.file(), it.start()));
        // An argument has a value before.
        let first = usize::from(info.kind == VarKind::Local && places.len() > 1);
        let again = places.get(first).copied().unwrap_or(SourceLoc::NONE);
        info.boxed.then_some((info.name, again))
    }

    fn lambda_statements(&mut self, method: &MethodDef) -> Lowering<()> {
        let lambda = &method.lambda;
        self.collect_labels(&lambda.body)?;
        for &var in &lambda.arg_vars {
            if self.var(var).boxed {
                let Some(&arg) = self.body().var_slots.get(&var) else { continue };
                let made = self.core_call("Box", &[Lowered::Slot(arg)], lambda.loc);
                let name = self.var(var).name;
                let slot = self.body().new_slot(name, true);
                self.push(LoweredStmt::SetSlot(slot, made), lambda.loc);
                self.body().var_slots.insert(var, slot);
            }
        }
        if let Some(ret) = &lambda.ret {
            let ty = self.value(ret)?;
            let ty = self.settled(ty, lambda.loc);
            self.body().ret = Some(ty);
        }
        self.node(&lambda.body, Dest::Return)?;
        Ok(())
    }

    /// The first type of a method's signature.
    pub(super) fn type_of_function(&mut self, name: &HirNode, loc: SourceLoc) -> Lowering<Lowered> {
        match name.kind {
            // A name that is also assigned otherwise may hold anything.
            HirKind::Var(var) if self.var(var).group.is_some() && self.var(var).assignments > 0 => {
                Ok(Lowered::Const(consts::of_type(self.types, self.types.core().any)))
            }
            HirKind::Var(var) if let Some(group) = self.var(var).group => self.closure_type(group, loc),
            _ => {
                let f = self.value(name)?;
                Ok(self.core_call("Typeof", &[f], loc))
            }
        }
    }
}
