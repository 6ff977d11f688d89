//! Types as Julia's `show` prints them: aliases, `where` clauses, module prefixes.

use crate::{Const, Module, Symbol, Type, TypeData, TypeNameKind, Types};
use std::fmt::Write;

/// Homogeneous tuples of at least this many elements are shown as `NTuple`.
const MIN_NTUPLE: usize = 4;

impl Types {
    /// The type as `print` shows it, module prefixes left out when `Main` sees the name.
    pub fn display(&self, ty: Type) -> String {
        let mut out = String::new();
        self.show(&mut out, ty);
        out
    }

    fn show(&self, out: &mut String, ty: Type) {
        match self.data(ty) {
            TypeData::Bottom => out.push_str("Union{}"),
            TypeData::Union(members) => {
                out.push_str("Union");
                self.show_list(out, members);
            }
            TypeData::UnionAll { .. } => self.show_union_all(out, ty),
            TypeData::Var { name, .. } => out.push_str(self.name(*name)),
            TypeData::Vararg { elem, count } => match count {
                None => {
                    out.push_str("Vararg");
                    self.show_list(out, &[*elem]);
                }
                Some(count) => {
                    out.push_str("Vararg");
                    self.show_list(out, &[*elem, *count]);
                }
            },
            TypeData::Value(constant) => out.push_str(&self.display_const(*constant)),
            TypeData::Data { .. } => self.show_data(out, ty),
        }
    }

    fn show_list(&self, out: &mut String, types: &[Type]) {
        out.push('{');
        for (i, &ty) in types.iter().enumerate() {
            if i > 0 {
                out.push_str(", ");
            }
            self.show(out, ty);
        }
        out.push('}');
    }

    /// Parameters; of the variables in `anonymous` only the bounds are shown, as in `AbstractVector{<:Real}`.
    fn show_params(&self, out: &mut String, params: &[Type], anonymous: &[Type]) {
        if params.is_empty() {
            return;
        }
        out.push('{');
        for (i, &param) in params.iter().enumerate() {
            if i > 0 {
                out.push_str(", ");
            }
            match self.data(param) {
                TypeData::Var { lower, upper, .. } if anonymous.contains(&param) => {
                    self.show_anonymous(out, *lower, *upper);
                }
                _ => self.show(out, param),
            }
        }
        out.push('}');
    }

    fn show_anonymous(&self, out: &mut String, lower: Type, upper: Type) {
        if upper != Self::ANY || lower == Self::BOTTOM {
            out.push_str("<:");
            self.show(out, upper);
        } else {
            out.push_str(">:");
            self.show(out, lower);
        }
    }

    fn show_union_all(&self, out: &mut String, ty: Type) {
        let vars = self.outer_vars(ty);
        let body = self.unwrap_unionall(ty);
        // The plain name: `Array`, not `Array{T, N} where {T, N}`.
        if let Some(alias) = self.alias_of(ty) {
            out.push_str(alias);
            return;
        }
        if let TypeData::Data { name, .. } = self.data(body)
            && self.type_name(*name).wrapper == ty
        {
            self.show_name(out, body);
            return;
        }
        if let Some(dropped) = self.trailing_vars(body, &vars) {
            // `Foo{Int64}` of a `Foo{A, B}`: trailing parameters that are all free and in order.
            let params = self.params(body);
            let kept = params.len() - dropped;
            let outer = &vars[..vars.len() - dropped];
            let anonymous = self.anonymous_vars(outer, &params[..kept]);
            self.show_name(out, body);
            self.show_params(out, &params[..kept], &anonymous);
            self.show_where(out, outer, &anonymous);
            return;
        }
        if let TypeData::Data { .. } = self.data(body) {
            let (name, params) = self.alias_application(body);
            let anonymous = self.anonymous_vars(&vars, &params);
            match name {
                Some(name)
                    if anonymous.len() == params.len()
                        && params.len() == 1
                        && self.is_free_alias(&params) =>
                {
                    out.push_str(name);
                    self.show_where(out, &vars, &anonymous);
                    return;
                }
                Some(name) => out.push_str(name),
                None if self.shows_params(body) => self.show_name(out, body),
                None => {
                    self.show(out, body);
                    self.show_where(out, &vars, &[]);
                    return;
                }
            }
            self.show_params(out, &params, &anonymous);
            self.show_where(out, &vars, &anonymous);
        } else {
            self.show(out, body);
            self.show_where(out, &vars, &[]);
        }
    }

    fn is_free_alias(&self, params: &[Type]) -> bool {
        matches!(self.data(params[0]), TypeData::Var { lower, upper, .. }
            if (*lower, *upper) == (Self::BOTTOM, Self::ANY))
    }

    /// Shown as `Name{params}`, unlike tuples and their kin.
    fn shows_params(&self, body: Type) -> bool {
        !self.is_tuple(body) && !self.is_named_tuple(body)
    }

    /// How many trailing parameters are the innermost variables with the bounds they were declared with, and
    /// occur nowhere else.
    fn trailing_vars(&self, body: Type, vars: &[Type]) -> Option<usize> {
        let TypeData::Data { name, params } = self.data(body) else { return None };
        let declared = &self.type_name(*name).def.params;
        if !self.shows_params(body) || declared.len() != params.len() {
            return None;
        }
        let mut dropped = 0;
        while dropped < vars.len().min(params.len()) {
            let (at, var) = (params.len() - 1 - dropped, vars[vars.len() - 1 - dropped]);
            let same = params[at] == var
                && self.same_var(declared[at], var)
                && !params[..at].iter().any(|&it| self.occurs(var, it))
                && !vars.iter().any(|&it| self.bounds_mention(it, var));
            if !same {
                break;
            }
            dropped += 1;
        }
        (dropped > 0 && dropped < params.len()).then_some(dropped)
    }

    fn same_var(&self, a: Type, b: Type) -> bool {
        matches!((self.data(a), self.data(b)),
            (TypeData::Var { name: n, lower: l, upper: u, .. }, TypeData::Var { name, lower, upper, .. })
                if n == name && l == lower && u == upper)
    }

    fn bounds_mention(&self, var: Type, other: Type) -> bool {
        matches!(self.data(var), TypeData::Var { lower, upper, .. }
            if self.occurs(other, *lower) || self.occurs(other, *upper))
    }

    /// Variables that occur once, as a parameter itself, with at most one bound: the form `Name{<:Bound}`.
    /// Only the innermost run of such variables qualifies, in order.
    fn anonymous_vars(&self, vars: &[Type], params: &[Type]) -> Vec<Type> {
        let mut anonymous = Vec::new();
        for &var in vars.iter().rev() {
            let TypeData::Var { lower, upper, .. } = self.data(var) else { break };
            let places = params.iter().filter(|&&it| self.occurs(var, it)).count();
            let in_bounds = vars.iter().any(|&it| self.bounds_mention(it, var));
            let simple = *lower == Self::BOTTOM || *upper == Self::ANY;
            let bounded = (*lower, *upper) != (Self::BOTTOM, Self::ANY);
            if places == 1 && params.contains(&var) && !in_bounds && simple && bounded {
                anonymous.push(var);
            }
        }
        anonymous
    }

    fn show_where(&self, out: &mut String, vars: &[Type], anonymous: &[Type]) {
        let shown: Vec<Type> = vars.iter().copied().filter(|it| !anonymous.contains(it)).collect();
        match shown[..] {
            [] => {}
            [one] => {
                out.push_str(" where ");
                self.show_bounded(out, one);
            }
            _ => {
                out.push_str(" where {");
                for (i, &var) in shown.iter().enumerate() {
                    if i > 0 {
                        out.push_str(", ");
                    }
                    self.show_bounded(out, var);
                }
                out.push('}');
            }
        }
    }

    fn show_bounded(&self, out: &mut String, var: Type) {
        let TypeData::Var { name, lower, upper, .. } = self.data(var) else { return };
        if *lower != Self::BOTTOM {
            if *upper == Self::ANY {
                out.push_str(self.name(*name));
                out.push_str(">:");
                self.show(out, *lower);
                return;
            }
            self.show(out, *lower);
            out.push_str("<:");
        }
        out.push_str(self.name(*name));
        if *upper != Self::ANY {
            out.push_str("<:");
            self.show(out, *upper);
        }
    }

    fn show_data(&self, out: &mut String, ty: Type) {
        let TypeData::Data { name, params } = self.data(ty) else { return };
        let def = self.type_name(*name);
        match def.def.kind {
            TypeNameKind::Tuple => return self.show_tuple(out, params),
            TypeNameKind::NamedTuple if self.show_named_tuple(out, ty) => return,
            _ => {}
        }
        if def.of_function {
            let _ = write!(
                out,
                "typeof({}{})",
                self.module_prefix(def.def.module),
                self.function_name(def.def.name)
            );
            return;
        }
        let (alias, params) = self.alias_application(ty);
        match alias {
            Some(alias) => out.push_str(alias),
            None => self.show_name(out, ty),
        }
        self.show_params(out, &params, &[]);
    }

    /// The type of `f` may be named `f` or `#f`.
    fn function_name(&self, name: Symbol) -> String {
        let name = self.name(name);
        let name = name.strip_prefix('#').filter(|it| !it.is_empty() && !it.starts_with('#')).unwrap_or(name);
        self.quote_name(name)
    }

    fn show_tuple(&self, out: &mut String, params: &[Type]) {
        if let [first, rest @ ..] = params
            && params.len() >= MIN_NTUPLE
            && rest.iter().all(|it| it == first)
        {
            let _ = write!(out, "NTuple{{{}, {}}}", params.len(), self.display(*first));
            return;
        }
        if let [only] = params
            && let TypeData::Vararg { elem, count: Some(count) } = self.data(*only)
        {
            let _ = write!(out, "NTuple{{{}, {}}}", self.display(*count), self.display(*elem));
            return;
        }
        if let [only] = params
            && matches!(self.data(*only), TypeData::Vararg { elem, count: None } if *elem == Self::ANY)
        {
            out.push_str("Tuple");
            return;
        }
        out.push_str("Tuple");
        self.show_tuple_params(out, params);
    }

    /// Runs of more than three equal elements at the end are shown as `Vararg{T, n}`.
    fn show_tuple_params(&self, out: &mut String, params: &[Type]) {
        let run = params.iter().rev().take_while(|it| Some(*it) == params.last()).count();
        out.push('{');
        let shown = if run > 3 { params.len() - run } else { params.len() };
        for (i, &param) in params[..shown].iter().enumerate() {
            if i > 0 {
                out.push_str(", ");
            }
            self.show(out, param);
        }
        if shown < params.len() {
            let _ = write!(out, ", Vararg{{{}, {run}}}", self.display(params[shown]));
        }
        out.push('}');
    }

    fn show_named_tuple(&self, out: &mut String, ty: Type) -> bool {
        let &[names, types] = self.params(ty) else { return false };
        let known = matches!(self.data(names), TypeData::Value(_)) && self.is_tuple(types);
        let (names, types) = (self.field_names(ty), self.params(types));
        let plain = !types.iter().any(|&it| matches!(self.data(it), TypeData::Vararg { .. }));
        if !known || names.len() != types.len() || !plain {
            return false;
        }
        out.push_str("@NamedTuple{");
        for (i, (&name, &ty)) in names.iter().zip(types).enumerate() {
            if i > 0 {
                out.push_str(", ");
            }
            out.push_str(&self.quote_name(self.name(name)));
            if ty != Self::ANY {
                out.push_str("::");
                self.show(out, ty);
            }
        }
        out.push('}');
        true
    }

    fn show_name(&self, out: &mut String, ty: Type) {
        let Some(name) = self.name_of(ty) else { return };
        let def = &self.type_name(name).def;
        out.push_str(&self.module_prefix(def.module));
        out.push_str(&self.quote_name(self.name(def.name)));
    }

    /// `A.B.` for what `Main` does not see.
    fn module_prefix(&self, module: Module) -> String {
        if [self.core_module(), self.base_module(), self.main_module()].contains(&module) {
            return String::new();
        }
        format!("{}.", self.module_path(module))
    }

    /// `Main.A.B`.
    pub fn module_path(&self, module: Module) -> String {
        let parent = self.module_parent(module);
        let name = self.name(self.module_name(module));
        if parent == module { name.to_owned() } else { format!("{}.{name}", self.module_path(parent)) }
    }

    /// A name as it can be written: `var"#1#2"` unless it is an identifier.
    pub(crate) fn quote_name(&self, name: &str) -> String {
        if is_identifier(name) || is_operator(name) { name.to_owned() } else { format!("var{name:?}") }
    }

    /// The alias that stands for all of `ty`: `Vector`, `Matrix`.
    fn alias_of(&self, ty: Type) -> Option<&'static str> {
        let TypeData::UnionAll { var, body } = self.data(ty) else { return None };
        let (name, params) = self.alias_application(*body);
        if let (Some(name), [only]) = (name, &params[..])
            && only == var
            && matches!(self.data(*var), TypeData::Var { lower, upper, .. }
                if (*lower, *upper) == (Self::BOTTOM, Self::ANY))
        {
            return Some(name);
        }
        None
    }

    /// The alias of `Base` or `Core` that an application is an instance of, with the parameters it leaves.
    fn alias_application(&self, ty: Type) -> (Option<&'static str>, Vec<Type>) {
        let params = self.params(ty).to_vec();
        let Some(name) = self.name_of(ty) else { return (None, params) };
        let is = |core: Type| self.name_of(core) == Some(name);
        let (abstract_array, dense) = (is(self.core.abstract_array), is(self.core.dense_array));
        if abstract_array || dense || is(self.core.array) {
            let names = if abstract_array {
                ["AbstractVector", "AbstractMatrix"]
            } else if dense {
                ["DenseVector", "DenseMatrix"]
            } else {
                ["Vector", "Matrix"]
            };
            let rank = match params.get(1).map(|&it| self.data(it)) {
                Some(TypeData::Value(rank)) => self.const_as_int(*rank),
                _ => None,
            };
            return match rank {
                Some(rank @ (1 | 2)) => (Some(names[rank as usize - 1]), vec![params[0]]),
                _ => (None, params),
            };
        }
        let is_memory = is(self.core.generic_memory);
        if is_memory || is(self.core.generic_memory_ref) {
            let plain = if is_memory { self.core.memory } else { self.core.memory_ref };
            let like = self.params(self.unwrap_unionall(plain));
            if let ([kind, elem, space], [plain_kind, _, plain_space]) = (&params[..], like)
                && kind == plain_kind
                && space == plain_space
            {
                return (Some(if is_memory { "Memory" } else { "MemoryRef" }), vec![*elem]);
            }
        }
        (None, params)
    }

    /// The constant as `repr` shows it, as far as can be told without running code.
    pub fn display_const(&self, constant: Const) -> String {
        crate::show_const::display(self, constant)
    }
}

pub(crate) fn is_identifier(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|it| it.is_alphabetic() || it == '_' || (!it.is_ascii() && !it.is_whitespace()))
        && chars.all(|it| {
            it.is_alphanumeric() || it == '_' || it == '!' || (!it.is_ascii() && !it.is_whitespace())
        })
        && !["true", "false", "end", "if", "for", "while", "function", "struct", "return", "let", "do"]
            .contains(&name)
}

pub(crate) fn is_operator(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|it| "+-*/\\^%<>=!~&|:÷⊻$".contains(it) && it != '"')
}
