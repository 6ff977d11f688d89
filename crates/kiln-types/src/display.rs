//! Types as Julia's `show` prints them: aliases, `where` clauses, module prefixes.

use crate::names::quoted;
use crate::{
    Const, Module, Symbol, Type, TypeData, TypeName, TypeNameKind, Types, alias, datatype, module, typevar,
    unionall,
};
use std::fmt::Write;

/// Longer homogeneous tuples, and tails of tuples, are shown as `NTuple` and `Vararg`.
const MAX_WRITTEN_OUT: usize = 3;

/// The type as `print` shows it, module prefixes left out when `Main` sees the name.
pub fn of_type(types: &Types, ty: Type) -> String {
    let seen = [Module::CORE, Module::BASE, Module::MAIN];
    of_type_seen(types, ty, &|module, _| seen.contains(&module), &|_| None)
}

/// As [`of_type`]; names for which `visible` holds have no module prefix, and `ended` returns the worlds in
/// which a type had a name that it has lost.
pub fn of_type_seen(types: &Types, ty: Type, visible: VisibleNames<'_>, ended: EndedNames<'_>) -> String {
    let mut printer = Printer { types, visible, ended, out: String::new(), scope: Vec::new() };
    printer.show(ty);
    printer.out
}

/// Returns the constant in `repr` form, as far as possible without running code.
pub fn of_const(types: &Types, constant: Const) -> String {
    crate::show_const::display(types, constant)
}

/// Whether a name of a module is seen where the text is read.
pub type VisibleNames<'a> = &'a dyn Fn(Module, Symbol) -> bool;
/// The first and the last world in which a type had its name, if it has it no longer.
pub type EndedNames<'a> = &'a dyn Fn(TypeName) -> Option<(u64, u64)>;

struct Printer<'a> {
    types: &'a Types,
    visible: VisibleNames<'a>,
    ended: EndedNames<'a>,
    out: String,
    /// Variables of the `UnionAll`s around, and how they are written.
    scope: Vec<(Type, String)>,
}

impl<'a> Printer<'a> {
    fn data(&self, ty: Type) -> &'a TypeData {
        self.types.data(ty)
    }

    fn show(&mut self, ty: Type) {
        match self.data(ty) {
            TypeData::Bottom => self.out.push_str("Union{}"),
            TypeData::Union(members) => {
                self.out.push_str("Union");
                self.show_list(members);
            }
            TypeData::UnionAll { .. } => self.show_union_all(ty),
            TypeData::Var { name, .. } => {
                let text = match self.scope.iter().rev().find(|it| it.0 == ty) {
                    Some((_, text)) => quoted(text),
                    None => quoted(self.types.name(*name)),
                };
                self.out.push_str(&text);
            }
            TypeData::Vararg { elem, count } => {
                self.out.push_str("Vararg");
                let parts: Vec<Type> = [Some(*elem), *count].into_iter().flatten().collect();
                self.show_list(&parts);
            }
            TypeData::Value(constant) => self.out.push_str(&of_const(self.types, *constant)),
            TypeData::Data { .. } => self.show_data(ty, &mut Vec::new()),
        }
    }

    fn show_list(&mut self, types: &[Type]) {
        self.out.push('{');
        for (i, &ty) in types.iter().enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            self.show(ty);
        }
        self.out.push('}');
    }

    fn show_union_all(&mut self, ty: Type) {
        // A constructor needs no parameters, whatever their bounds say of each other.
        if let TypeData::Data { name, .. } = *self.data(unionall::unwrap(self.types, ty)) {
            let def = self.types.type_name(name);
            let is_named = !matches!(def.def.kind, TypeNameKind::Tuple | TypeNameKind::NamedTuple);
            if is_named && def.wrapper == ty {
                self.out.push_str(&self.prefix(def.def.module, def.def.name));
                return self.out.push_str(&quoted(self.types.name(def.def.name)));
            }
        }
        let depth = self.scope.len();
        let (mut body, mut vars) = (ty, Vec::new());
        while let &TypeData::UnionAll { var, body: inner } = self.data(body) {
            let name = self.unused_name(var, body);
            self.scope.push((var, name));
            vars.push(var);
            body = inner;
        }
        if matches!(self.data(body), TypeData::Data { .. }) {
            self.show_data(body, &mut vars);
        } else {
            self.show(body);
        }
        self.show_where(&vars);
        self.scope.truncate(depth);
    }

    /// The name of a variable, with a number if one of that name around occurs in the type.
    fn unused_name(&self, var: Type, ty: Type) -> String {
        let TypeData::Var { name, .. } = self.data(var) else { return String::new() };
        let name = self.types.name(*name);
        let taken = |text: &str| {
            self.scope
                .iter()
                .any(|(other, other_text)| other_text == text && typevar::occurs(self.types, *other, ty))
        };
        if !taken(name) {
            return name.to_owned();
        }
        (1..).map(|i| format!("{name}{i}")).find(|it| !taken(it)).unwrap_or_default()
    }

    fn show_where(&mut self, vars: &[Type]) {
        match *vars {
            [] => {}
            [one] => {
                self.out.push_str(" where ");
                self.show_bounded(one);
            }
            _ => {
                self.out.push_str(" where {");
                for (i, &var) in vars.iter().enumerate() {
                    if i > 0 {
                        self.out.push_str(", ");
                    }
                    self.show_bounded(var);
                }
                self.out.push('}');
            }
        }
    }

    fn bounds(&self, var: Type) -> Option<(Type, Type)> {
        match self.data(var) {
            TypeData::Var { lower, upper, .. } => Some((*lower, *upper)),
            TypeData::Bottom
            | TypeData::Data { .. }
            | TypeData::Union(_)
            | TypeData::UnionAll { .. }
            | TypeData::Vararg { .. }
            | TypeData::Value(_) => None,
        }
    }

    fn show_bounded(&mut self, var: Type) {
        let Some((lower, upper)) = self.bounds(var) else { return };
        if lower != Types::BOTTOM {
            if upper == Types::ANY {
                self.show(var);
                self.out.push_str(">:");
                self.show(lower);
                return;
            }
            self.show(lower);
            self.out.push_str("<:");
        }
        self.show(var);
        if upper != Types::ANY {
            self.out.push_str("<:");
            self.show(upper);
        }
    }

    /// Shows a `DataType` inside `UnionAll`s over `vars`; returns the variables that still need a `where`.
    fn show_data(&mut self, ty: Type, vars: &mut Vec<Type>) {
        let types = self.types;
        let TypeData::Data { name, params } = self.data(ty) else { return };
        let def = types.type_name(*name);
        match def.def.kind {
            TypeNameKind::Tuple => return self.show_tuple(params, vars),
            TypeNameKind::NamedTuple if self.show_named_tuple(ty) => return,
            TypeNameKind::NamedTuple
            | TypeNameKind::Abstract
            | TypeNameKind::Primitive { .. }
            | TypeNameKind::Struct { .. } => {}
        }
        if def.of_function {
            let name = self.function_name(def.def.name);
            let prefix = self.prefix(def.def.module, types.symbol(&name));
            let _ = write!(self.out, "typeof({prefix}{})", quoted(&name));
            return;
        }
        if let Some((alias, params)) = alias::of(types, ty) {
            self.out.push_str(alias);
            // Parameters of aliases are not bounded.
            let unbounded = vec![(Types::BOTTOM, Types::ANY); params.len()];
            self.show_params(&params, &unbounded, vars);
            return;
        }
        let prefix = self.prefix(def.def.module, def.def.name);
        let written = quoted(types.name(def.def.name));
        let _ = match (self.ended)(*name) {
            Some((first, last)) => write!(self.out, "@world({prefix}{written}, {first}:{last})"),
            None => write!(self.out, "{prefix}{written}"),
        };
        let declared: Vec<_> = def.def.params.iter().filter_map(|&it| self.bounds(it)).collect();
        self.show_params(params, &declared, vars);
    }

    /// Whether the innermost of `vars` can go without a name: it is parameter `at` and occurs nowhere else.
    fn can_elide(&self, vars: &[Type], kept: usize, params: &[Type], at: usize) -> bool {
        let var = params[at];
        let in_bounds = |it: Type| {
            self.bounds(it).is_some_and(|(lower, upper)| {
                typevar::occurs(self.types, var, lower) || typevar::occurs(self.types, var, upper)
            })
        };
        kept > 0
            && vars[kept - 1] == var
            && !vars[kept..].iter().any(|&it| in_bounds(it))
            && !params.iter().enumerate().any(|(i, &it)| i != at && typevar::occurs(self.types, var, it))
    }

    /// Trailing parameters that are free as declared are left out; variables without a name of their own are
    /// shown as their bound, `<:Real`.
    fn show_params(&mut self, params: &[Type], declared: &[(Type, Type)], vars: &mut Vec<Type>) {
        let (mut shown, mut kept) = (params.len(), vars.len());
        for at in (0..params.len()).rev() {
            let TypeData::Var { name, lower, upper, .. } = self.data(params[at]) else { continue };
            if !self.can_elide(vars, kept, params, at) {
                continue;
            }
            let nameless = self.types.name(*name).contains('#');
            if at + 1 == shown && declared.get(at) == Some(&(*lower, *upper)) {
                shown -= 1;
                kept -= 1;
            } else if nameless && (*lower == Types::BOTTOM || *upper == Types::ANY) {
                kept -= 1;
            }
        }
        let elided = vars.split_off(kept);
        if shown == 0 {
            return;
        }
        self.out.push('{');
        for (i, &param) in params[..shown].iter().enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            match self.bounds(param).filter(|_| elided.contains(&param)) {
                Some((Types::BOTTOM, upper)) => {
                    self.out.push_str("<:");
                    self.show(upper);
                }
                Some((lower, _)) => {
                    self.out.push_str(">:");
                    self.show(lower);
                }
                None => self.show(param),
            }
        }
        self.out.push('}');
    }

    /// `A.B.` for names that are not visible.
    fn prefix(&self, module: Module, name: Symbol) -> String {
        // Closures have names of their own making, which no binding shows.
        let hidden = self.types.name(name).contains('#') && module == Module::MAIN;
        match hidden || (self.visible)(module, name) {
            true => String::new(),
            false => format!("{}.", module::path(self.types, module)),
        }
    }

    /// The type of `f` may be named `f` or `#f`.
    fn function_name(&self, name: Symbol) -> String {
        let name = self.types.name(name);
        name.strip_prefix('#').filter(|it| !it.is_empty() && !it.contains('#')).unwrap_or(name).to_owned()
    }

    fn show_tuple(&mut self, params: &[Type], vars: &mut Vec<Type>) {
        if let [only] = *params
            && let TypeData::Vararg { elem, count } = *self.data(only)
        {
            if let Some(count) = count {
                self.out.push_str("NTuple");
                let unbounded = [(Types::BOTTOM, Types::ANY); 2];
                return self.show_params(&[count, elem], &unbounded, vars);
            }
            if elem == Types::ANY {
                return self.out.push_str("Tuple");
            }
        }
        match *params {
            [first, ..] if params.len() > MAX_WRITTEN_OUT && params.iter().all(|&it| it == first) => {
                let _ = write!(self.out, "NTuple{{{}, ", params.len());
                self.show(first);
                self.out.push('}');
                return;
            }
            _ => {}
        }
        self.out.push_str("Tuple{");
        let tail = params.iter().rev().take_while(|it| Some(*it) == params.last()).count();
        let shown = if tail > MAX_WRITTEN_OUT { params.len() - tail } else { params.len() };
        for (i, &param) in params[..shown].iter().enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            self.show(param);
        }
        if shown < params.len() {
            self.out.push_str(", Vararg{");
            self.show(params[shown]);
            let _ = write!(self.out, ", {tail}}}");
        }
        self.out.push('}');
    }

    fn show_named_tuple(&mut self, ty: Type) -> bool {
        let &[names, fields] = datatype::params(self.types, ty) else { return false };
        let known = matches!(self.data(names), TypeData::Value(_)) && datatype::is_tuple(self.types, fields);
        let (names, fields) = (datatype::field_names(self.types, ty), datatype::params(self.types, fields));
        let open = fields.iter().any(|&it| matches!(self.data(it), TypeData::Vararg { .. }));
        if !known || names.len() != fields.len() || open {
            return false;
        }
        self.out.push_str("@NamedTuple{");
        for (i, (&name, &field)) in names.iter().zip(fields).enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            self.out.push_str(&quoted(self.types.name(name)));
            if field != Types::ANY {
                self.out.push_str("::");
                self.show(field);
            }
        }
        self.out.push('}');
        true
    }
}
