//! A small notation for known answers, so that a test is a table a Julia user can read.
//!
//! One line is one claim, `left  OP  right`, with two spaces on each side of the operator; `#` begins a comment.
//!
//! | operator | claims |
//! |---|---|
//! | `<:` / `!<:` | subtype, not a subtype |
//! | `<` | a subtype, and not the other way |
//! | `==` / `!=` | subtypes both ways, not both ways |
//! | `><` | neither is a subtype of the other |
//! | `<<` / `!<<` | more specific as a signature (and not the other way), not more specific |
//! | `===` | one id |
//!
//! `A  &  B  =  C` claims that the intersection of `A` and `B`, taken both ways, equals `C`; `A  &  B  =~  C` that
//! both ways lie between the common part and are below `C`. `abstract Name{T} <: Super`, `struct Name{T} <: Super`
//! and `alias Name = type` declare.

#![allow(dead_code, clippy::unwrap_used, reason = "a helper of tests, of which each uses a part")]

use kiln_types::{
    Module, StructDef, Type, TypeNameKind, Types, consts, core_types, definition, display, equality,
    intersect, specificity, typevar, unionall,
};
use std::collections::BTreeMap;

pub(crate) struct Notation {
    pub(crate) types: Types,
    names: BTreeMap<String, Type>,
}

struct Reader<'a> {
    notation: &'a Notation,
    text: &'a [u8],
    at: usize,
    scope: Vec<(String, Type)>,
}

impl Notation {
    pub(crate) fn new() -> Self {
        let types = Types::new();
        let names =
            core_types::named(&types).iter().map(|&(name, ty)| (types.name(name).to_owned(), ty)).collect();
        let mut notation = Self { types, names };
        for line in [
            "alias Vector = Array{T,1} where T",
            "alias Matrix = Array{T,2} where T",
            "alias AbstractVector = AbstractArray{T,1} where T",
            "alias AbstractMatrix = AbstractArray{T,2} where T",
            "struct Val{x} <: Any",
            "struct Pair{A,B} <: Any",
        ] {
            assert!(notation.declare(line));
        }
        notation
    }

    /// Reads a type; variables it mentions must be bound in it.
    pub(crate) fn ty(&self, text: &str) -> Type {
        let mut reader = Reader { notation: self, text: text.as_bytes(), at: 0, scope: Vec::new() };
        let ty = reader.quantified();
        reader.space();
        assert_eq!(reader.at, text.len(), "cannot read {text:?} from {:?}", &text[reader.at..]);
        ty
    }

    fn declare(&mut self, line: &str) -> bool {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let kind = match word {
            "abstract" => TypeNameKind::Abstract,
            "struct" => TypeNameKind::Struct { mutable: false },
            "mutable" => TypeNameKind::Struct { mutable: true },
            "alias" => {
                let (name, ty) = rest.split_once('=').unwrap();
                let ty = self.ty(ty.trim());
                self.names.insert(name.trim().to_owned(), ty);
                return true;
            }
            _ => return false,
        };
        let types = &self.types;
        let mut reader = Reader { notation: self, text: rest.as_bytes(), at: 0, scope: Vec::new() };
        let name = reader.name();
        let mut params = Vec::new();
        if reader.eat("{") {
            while !reader.eat("}") {
                params.push(reader.binder());
                reader.eat(",");
            }
        }
        let supertype = if reader.eat("<:") { reader.application() } else { types.core().any };
        let id = definition::define(
            types,
            StructDef {
                name: types.symbol(&name),
                module: Module::MAIN,
                kind,
                params,
                field_names: Vec::new(),
                fields_init_min: 0,
                const_fields: Vec::new(),
                atomic_fields: Vec::new(),
            },
        );
        definition::set_supertype(types, id, supertype);
        definition::set_fields(types, id, &[]);
        let wrapper = types.type_name(id).wrapper;
        self.names.insert(name, wrapper);
        true
    }

    /// Checks a table of claims; all that fail are listed.
    pub(crate) fn check(&mut self, table: &str) -> usize {
        let mut wrong = Vec::new();
        let mut count = 0;
        for line in table.lines() {
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() || self.declare(line) {
                continue;
            }
            count += 1;
            if let Err(problem) = self.claim(line) {
                wrong.push(format!("{line}\n      {problem}"));
            }
        }
        assert!(wrong.is_empty(), "{} of {count} claims fail:\n  {}", wrong.len(), wrong.join("\n  "));
        count
    }

    fn claim(&self, line: &str) -> Result<(), String> {
        let parts: Vec<&str> = line.split("  ").map(str::trim).filter(|it| !it.is_empty()).collect();
        let types = &self.types;
        if let [a, "&", b, op, c] = parts[..] {
            let (a, b, c) = (self.ty(a), self.ty(b), self.ty(c));
            let (ab, ba) = (intersect::meet(types, a, b), intersect::meet(types, b, a));
            let holds =
                |it: Type| if op == "=" { equality::are_equal(types, it, c) } else { types.subtype(it, c) };
            return if holds(ab) && holds(ba) {
                Ok(())
            } else {
                Err(format!(
                    "is {} and, the other way, {}",
                    display::of_type(types, ab),
                    display::of_type(types, ba)
                ))
            };
        }
        let &[a, op, b] = &parts[..] else { panic!("not a claim: {line:?}") };
        let (a, b) = (self.ty(a), self.ty(b));
        let (sub, sup) = (types.subtype(a, b), types.subtype(b, a));
        let holds = match op {
            "<:" => sub,
            "!<:" => !sub,
            "<" => sub && !sup,
            "==" => sub && sup && equality::are_equal(types, a, b),
            "!=" => !(sub && sup),
            "><" => !sub && !sup,
            "===" => a == b,
            "<<" => specificity::is_more_specific(types, a, b) && !specificity::is_more_specific(types, b, a),
            "!<<" => !specificity::is_more_specific(types, a, b),
            _ => panic!("no operator {op:?} in {line:?}"),
        };
        let answer = if op.contains("<<") {
            format!(
                "specific {} {}",
                specificity::is_more_specific(types, a, b),
                specificity::is_more_specific(types, b, a)
            )
        } else {
            format!("subtype {sub} {sup}")
        };
        if holds { Ok(()) } else { Err(answer) }
    }
}

impl Reader<'_> {
    fn space(&mut self) {
        while self.text.get(self.at) == Some(&b' ') {
            self.at += 1;
        }
    }

    fn eat(&mut self, token: &str) -> bool {
        self.space();
        let found = self.text[self.at..].starts_with(token.as_bytes());
        if found {
            self.at += token.len();
        }
        found
    }

    fn name(&mut self) -> String {
        self.space();
        let start = self.at;
        while self.text.get(self.at).is_some_and(|it| it.is_ascii_alphanumeric() || b"_.!".contains(it)) {
            self.at += 1;
        }
        String::from_utf8(self.text[start..self.at].to_vec()).unwrap()
    }

    /// `T`, `T<:B`, `T>:B`, `A<:T<:B`: a new variable, in scope from here on.
    fn binder(&mut self) -> Type {
        let types = &self.notation.types;
        let (mut lower, mut upper) = (types.core().bottom, types.core().any);
        let start = self.at;
        self.skip_application();
        let two_sided = self.eat("<:") && {
            self.skip_application();
            self.eat("<:")
        };
        self.at = start;
        if two_sided {
            lower = self.application();
            self.eat("<:");
        }
        let name = self.name();
        if self.eat("<:") {
            upper = self.application();
        } else if self.eat(">:") {
            lower = self.application();
        }
        let var = typevar::new(types, types.symbol(&name), lower, upper);
        self.scope.push((name, var));
        var
    }

    fn known(&self, name: &str) -> Option<Type> {
        let local = self.scope.iter().rev().find(|it| it.0 == name).map(|it| it.1);
        local.or_else(|| self.notation.names.get(name).copied())
    }

    /// `type where {T, S<:T}`: the binders stand behind their scope, so they are read first.
    fn quantified(&mut self) -> Type {
        let start = self.at;
        self.skip_application();
        let mut clauses = Vec::new();
        while self.eat("where ") {
            let at = self.at;
            self.skip_clause();
            clauses.push(at);
        }
        let end = self.at;
        let depth = self.scope.len();
        // Clauses further right are further out.
        let mut groups = Vec::new();
        for &clause in clauses.iter().rev() {
            self.at = clause;
            let mut vars = Vec::new();
            if self.eat("{") {
                while !self.eat("}") {
                    vars.push(self.binder());
                    self.eat(",");
                }
            } else {
                vars.push(self.binder());
            }
            groups.push(vars);
        }
        self.at = start;
        let mut ty = self.application();
        for vars in groups.iter().rev() {
            for &var in vars.iter().rev() {
                ty = unionall::new(&self.notation.types, var, ty);
            }
        }
        self.scope.truncate(depth);
        self.at = end;
        ty
    }

    fn skip_braces(&mut self) {
        let mut depth = 0;
        while let Some(&byte) = self.text.get(self.at) {
            match byte {
                b'{' | b'(' => depth += 1,
                b'}' | b')' => {
                    depth -= 1;
                    if depth == 0 {
                        self.at += 1;
                        return;
                    }
                }
                _ => {}
            }
            self.at += 1;
        }
    }

    fn skip_application(&mut self) {
        self.space();
        if self.text.get(self.at) == Some(&b'(') {
            self.skip_braces();
        } else {
            self.eat(":");
            self.eat("-");
            self.name();
        }
        if self.text.get(self.at) == Some(&b'{') {
            self.skip_braces();
        }
    }

    fn skip_clause(&mut self) {
        self.space();
        if self.text.get(self.at) == Some(&b'{') {
            return self.skip_braces();
        }
        self.skip_application();
        while self.eat("<:") || self.eat(">:") {
            self.skip_application();
        }
    }

    fn application(&mut self) -> Type {
        let types = &self.notation.types;
        if self.eat("(") {
            let ty = self.quantified();
            assert!(self.eat(")"));
            return ty;
        }
        if self.eat(":") {
            let name = self.name();
            return consts::to_param(types, consts::symbol(types, types.symbol(&name)));
        }
        let negative = self.eat("-");
        let name = self.name();
        if let Ok(number) = name.parse::<i64>() {
            return consts::to_param(types, consts::int(types, if negative { -number } else { number }));
        }
        if name == "true" || name == "false" {
            return consts::to_param(types, consts::bool(types, name == "true"));
        }
        let head = self
            .known(&name)
            .unwrap_or_else(|| panic!("no type {name:?} in {:?}", String::from_utf8_lossy(self.text)));
        if self.text.get(self.at) != Some(&b'{') {
            return head;
        }
        self.at += 1;
        let (mut params, mut anonymous) = (Vec::new(), Vec::new());
        while !self.eat("}") {
            // `Name{<:Bound}`
            let (any, bottom) = (types.core().any, types.core().bottom);
            let bounds = if self.eat("<:") {
                Some((bottom, self.application()))
            } else if self.eat(">:") {
                Some((self.application(), any))
            } else {
                None
            };
            if let Some((lower, upper)) = bounds {
                let var = typevar::new(types, types.symbol(&format!("#s{}", anonymous.len())), lower, upper);
                anonymous.push(var);
                params.push(var);
            } else {
                params.push(self.quantified());
            }
            self.eat(",");
        }
        let ty = types
            .apply(head, &params)
            .unwrap_or_else(|problem| panic!("{problem:?} in {:?}", String::from_utf8_lossy(self.text)));
        unionall::wrap_vars(types, ty, &anonymous)
    }
}
