//! Closures: a struct type with a field for each captured variable, and an instance where the function is defined.
//!
//! The type of `g` in `f` is `#g#8kq0zt3a{statics..., types...} <: Function`: first the static parameters of outer
//! functions that it mentions, then the types of the captured values. Boxed variables are fields of type
//! `Core.Box`.

use super::Linearizer;
use crate::error::Lowering;
use crate::gensym::{Purpose, placeholder, plain, without_number};
use crate::hir::{GroupId, HirKind, HirNode, LambdaId, MethodDef, VarId};
use crate::resolve::VarKind;
use kiln_ir::{Declaration, Lowered, LoweredStmt, SourceLoc};
use kiln_types::{Symbol, consts};
use std::ops::Range;

impl Linearizer<'_> {
    /// An instance of the closure, in the current body, after these of its methods are defined, if that is done here.
    pub(super) fn closure(
        &mut self,
        group: GroupId,
        methods: Range<usize>,
        loc: SourceLoc,
    ) -> Lowering<Lowered> {
        let ty = self.closure_global(group)?;
        if self.is_defined_in_order(group) {
            self.define_closure_methods(group, methods, loc)?;
        }
        let captures = self.resolved.groups[group.0 as usize].captures.clone();
        let mut params = Vec::new();
        let mut fields = Vec::new();
        for var in captures {
            let value = self.captured_value(var, loc)?;
            if self.var(var).kind == VarKind::StaticParam {
                params.push(value);
                continue;
            }
            if !self.var(var).boxed {
                params.push(self.core_call("_typeof_captured_variable", &[value], loc));
            }
            fields.push(value);
        }
        let ty = self.applied(ty, &params, loc);
        fields.insert(0, ty);
        Ok(self.push(LoweredStmt::New(fields.into()), loc))
    }

    fn applied(&mut self, ty: Lowered, params: &[Lowered], loc: SourceLoc) -> Lowered {
        if params.is_empty() {
            return ty;
        }
        let mut args = vec![ty];
        args.extend_from_slice(params);
        self.core_call("apply_type", &args, loc)
    }

    /// Returns the closure's type in a signature: with its known static parameters.
    pub(super) fn closure_type(&mut self, group: GroupId, loc: SourceLoc) -> Lowering<Lowered> {
        let ty = self.closure_global(group)?;
        let mut params = Vec::new();
        for &var in &self.resolved.groups[group.0 as usize].captures {
            match self.overrides.get(&var) {
                Some(&operand) => params.push(operand),
                None => break,
            }
        }
        Ok(self.applied(ty, &params, loc))
    }

    /// The global bound to the closure's type, which is defined the first time.
    fn closure_global(&mut self, group: GroupId) -> Lowering<Lowered> {
        if let Some(&name) = self.closure_types.get(&group) {
            return Ok(Lowered::Global(self.module, name));
        }
        let info = &self.resolved.groups[group.0 as usize];
        let around = self.method_around(&info.methods);
        let function = around.and_then(|it| self.resolved.lambdas[it.0 as usize].function);
        let function = function.map(|it| plain(without_number(self.types.name(it))));
        let number = group.0 + 1;
        // The spellings that Julia has.
        let hint = match (self.types.name(info.name), function) {
            ("", None) => number.to_string(),
            ("", Some(function)) => format!("{function}##{number}#{function}#"),
            (name, None) => plain(name).to_owned(),
            (name, Some(function)) => format!("{}#{function}#", plain(name)),
        };
        let purpose = match around {
            Some(_) => Purpose::Closure(group.0),
            None => Purpose::Once(group.0),
        };
        let name = placeholder(self.types, &hint, purpose);
        self.closure_types.insert(group, name);
        self.lift(|this| this.define_closure(group, name))?;
        Ok(Lowered::Global(self.module, name))
    }

    /// The method of a global function that makes the closure where it runs.
    fn method_around(&self, methods: &[MethodDef]) -> Option<LambdaId> {
        let parent = |it: LambdaId| self.resolved.lambdas[it.0 as usize].parent;
        let mut around = methods.first().map_or(LambdaId(0), |it| parent(it.lambda.id));
        while around != LambdaId(0) && !self.resolved.lambdas[around.0 as usize].global {
            around = parent(around);
        }
        (around != LambdaId(0)).then_some(around)
    }

    /// Whether each method comes into being where control comes by its definition, as at top level, where one definition
    /// may take the place of another between calls. Those of a function's closures are there before it is called.
    fn is_defined_in_order(&self, group: GroupId) -> bool {
        let info = &self.resolved.groups[group.0 as usize];
        let at_top = |it: &MethodDef| self.resolved.lambdas[it.lambda.id.0 as usize].parent == LambdaId(0);
        info.methods.iter().all(at_top)
            && (info.methods.len() > 1 || info.methods.iter().any(|it| self.mentions_locals(it)))
    }

    /// Whether the signature can only be evaluated where the definition is: it mentions a local variable, or a global that the thunk
    /// defines.
    fn mentions_locals(&self, method: &MethodDef) -> bool {
        fn mentions(node: &HirNode, is_local: &dyn Fn(&HirKind) -> bool) -> bool {
            let mut found = is_local(&node.kind);
            node.kind.children(&mut |it| found |= mentions(it, is_local));
            found
        }
        let is_local = |kind: &HirKind| match kind {
            HirKind::Var(var) => self.var(*var).kind == VarKind::Local,
            HirKind::Global(_, name) => self.globals_defined.contains(name),
            _ => false,
        };
        let bounds = method.typevars.iter().flat_map(|it| it.lower.iter().chain(&it.upper));
        let types = method.types.iter().enumerate().filter(|it| it.0 != method.lambda.self_arg);
        bounds.chain(types.map(|it| it.1)).any(|it| mentions(it, &is_local))
    }

    fn define_closure(&mut self, group: GroupId, name: Symbol) -> Lowering<()> {
        let info = &self.resolved.groups[group.0 as usize];
        let captures = info.captures.clone();
        let loc = info.loc;
        let fields = self.field_names(&captures);
        let may_be_known = self.method_around(&info.methods).is_some();
        let done = self.body().label();
        if may_be_known {
            // A definition that is evaluated again makes closures of the type it has: what the type says is in its name.
            let known = self.push(LoweredStmt::IsDefined(Lowered::Global(self.module, name)), loc);
            let make = self.body().label();
            self.push(LoweredStmt::GotoIfNot(known, make.0), loc);
            self.body().goto(done, loc);
            self.body().place(make);
        }
        self.define_closure_type(name, &captures, &fields, loc);
        self.body().place(done);
        self.push(LoweredStmt::LatestWorld, loc);
        if !self.is_defined_in_order(group) {
            let all = 0..self.resolved.groups[group.0 as usize].methods.len();
            self.define_closure_methods(group, all, loc)?;
        }
        Ok(())
    }

    fn define_closure_methods(
        &mut self,
        group: GroupId,
        which: Range<usize>,
        loc: SourceLoc,
    ) -> Lowering<()> {
        let info = &mut self.resolved.groups[group.0 as usize];
        let captures = info.captures.clone();
        let methods = std::mem::take(&mut info.methods);
        let fields = self.field_names(&captures);
        let outer: Vec<VarId> =
            captures.iter().copied().filter(|&it| self.var(it).kind == VarKind::StaticParam).collect();
        let defined = methods[which].iter().try_for_each(|method| {
            self.functions_of_signature(method, loc)?;
            let body = self.method_body(method, &captures, Some(&fields))?;
            self.define_method(method, body, &outer, Some(group))
        });
        self.resolved.groups[group.0 as usize].methods = methods;
        self.push(LoweredStmt::LatestWorld, loc);
        defined
    }

    /// The field that each captured variable has; a static parameter, its name.
    fn field_names(&self, captures: &[VarId]) -> Vec<Symbol> {
        let mut names: Vec<Symbol> = Vec::new();
        let mut known: Vec<Symbol> = Vec::new();
        for &var in captures {
            let mut field = self.var(var).name;
            if self.var(var).kind != VarKind::StaticParam {
                let mut number = 1;
                while known.contains(&field) {
                    number += 1;
                    field = self.sym(&format!("{}#{number}", self.types.name(self.var(var).name)));
                }
                known.push(field);
            }
            names.push(field);
        }
        names
    }

    /// Makes and binds the type.
    #[inline(never)]
    fn define_closure_type(&mut self, name: Symbol, captures: &[VarId], names: &[Symbol], loc: SourceLoc) {
        let (module, kind) = (self.module, Declaration::Weak);
        self.push(LoweredStmt::DeclareGlobal { module, name, value: None, kind }, loc);
        let mut params = Vec::new();
        let mut fields = Vec::new();
        let mut types = Vec::new();
        for (&var, &field) in captures.iter().zip(names) {
            if self.var(var).kind == VarKind::StaticParam {
                params.push(self.type_var(field, None, None, loc));
                continue;
            }
            if self.var(var).boxed {
                types.push(self.core("Box"));
            } else {
                let hint = self.sym(&format!("#{}", self.types.name(field)));
                let param = self.type_var(hint, None, None, loc);
                params.push(param);
                types.push(param);
            }
            fields.push(self.symbol(field));
        }
        let params = self.core_call("svec", &params, loc);
        let count = self.int(fields.len() as i64);
        let fields = self.core_call("svec", &fields, loc);
        let marks = self.core_call("svec", &[], loc);
        let mutable = Lowered::Const(consts::bool(self.types, false));
        let module = self.module_value(self.module);
        let shown = self.symbol(name);
        let ty = self.core_call("_structtype", &[module, shown, params, fields, marks, mutable, count], loc);
        let function = self.core("Function");
        self.core_call("_setsuper!", &[ty, function], loc);
        let types = self.core_call("svec", &types, loc);
        self.core_call("_typebody!", &[ty, types], loc);
        let module = self.module;
        let kind = Declaration::Constant;
        self.push(LoweredStmt::DeclareGlobal { module, name, value: Some(ty), kind }, loc);
    }
}
