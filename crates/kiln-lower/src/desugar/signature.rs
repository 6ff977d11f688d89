//! Method signatures as written: the callee, positional and keyword arguments, `where`, the return type.

use super::Desugar;
use crate::error::{Lowering, problem};
use kiln_ir::{Expr, ExprId, SourceLoc};
use kiln_types::Symbol;

/// The thing that a signature gives a method to.
#[derive(Clone, Copy, Debug)]
pub(super) enum CalleeSyntax {
    /// A name, or a `GlobalRef`.
    Named(ExprId),
    /// `A.f`, `Foo{T}`: an expression whose value receives the method.
    Value(ExprId),
    /// `(f::T)(x)`: any object of a type.
    Object(ExprId),
    /// `x -> ...`.
    Anonymous,
    /// A name whose method belongs to an overlay table.
    Overlay(ExprId, ExprId),
}

/// A positional argument.
#[derive(Clone, Debug)]
pub(super) struct ArgSpec {
    pub(super) name: Symbol,
    pub(super) ty: Option<ExprId>,
    pub(super) default: Option<ExprId>,
    pub(super) vararg: bool,
    /// `(a, b)` in place of a name.
    pub(super) pattern: Option<ExprId>,
    pub(super) nospecialize: bool,
    pub(super) loc: SourceLoc,
}

/// A keyword argument.
#[derive(Clone, Debug)]
pub(super) struct KeywordSpec {
    pub(super) name: Symbol,
    pub(super) ty: Option<ExprId>,
    pub(super) default: Option<ExprId>,
    pub(super) loc: SourceLoc,
}

/// A signature.
#[derive(Clone, Debug)]
pub(super) struct Signature {
    pub(super) callee: CalleeSyntax,
    /// The name of the function in its body.
    pub(super) self_name: Symbol,
    pub(super) args: Vec<ArgSpec>,
    pub(super) keywords: Vec<KeywordSpec>,
    /// `kw...` behind the keywords.
    pub(super) keyword_rest: Option<Symbol>,
    /// Whether there is a `;` with anything behind it.
    pub(super) has_keywords: bool,
    pub(super) vars: Vec<ExprId>,
    pub(super) ret: Option<ExprId>,
    pub(super) loc: SourceLoc,
}

impl Desugar<'_> {
    /// Whether the left side of `=` defines a function.
    pub(super) fn is_function_signature(&self, lhs: ExprId) -> bool {
        match self.ast.as_node(lhs) {
            Some((head, args)) => match (self.types.name(head), args) {
                ("call", [_, ..]) | ("<:" | ">:" | "-->", _) => true,
                ("where", [inner, ..]) => self.is_function_signature(*inner),
                ("::", [inner, _]) => self.is_function_signature(*inner),
                _ => false,
            },
            None => false,
        }
    }

    /// The name a signature defines, if it is a plain one.
    pub(super) fn signature_name(&self, e: ExprId) -> Option<Symbol> {
        let (head, args) = self.ast.as_node(e)?;
        match (self.types.name(head), args) {
            ("call", [name, ..]) => self.as_symbol(*name),
            ("where" | "::", [inner, ..]) if self.is_function_signature(e) => self.signature_name(*inner),
            _ => None,
        }
    }

    /// Takes a signature apart.
    pub(super) fn signature(&mut self, e: ExprId) -> Lowering<Signature> {
        let loc = self.ast.loc(e);
        let mut vars: Vec<ExprId> = Vec::new();
        let mut ret = None;
        let mut inner = e;
        while let Some((head, parts)) = self.parts(inner) {
            match (head.as_str(), &parts[..]) {
                ("where", [body, names @ ..]) => {
                    vars.extend_from_slice(names);
                    inner = *body;
                }
                ("::", [body, ty]) if ret.is_none() && matches!(self.head(*body), Some("call" | "tuple")) => {
                    ret = Some(*ty);
                    inner = *body;
                }
                ("escape" | "hygienic-scope", [body, ..]) => inner = *body,
                _ => break,
            }
        }
        let self_name = self.sym("#self#");
        let mut signature = Signature {
            callee: CalleeSyntax::Anonymous,
            self_name,
            args: Vec::new(),
            keywords: Vec::new(),
            keyword_rest: None,
            has_keywords: false,
            vars,
            ret,
            loc,
        };
        let args = match self.parts(inner) {
            Some((head, parts)) if head == "call" && !parts.is_empty() => {
                self.callee_syntax(parts[0], &mut signature)?;
                parts[1..].to_vec()
            }
            // `<:(a, b)` reads as the operator applied, here too.
            Some((head, parts)) if matches!(head.as_str(), "<:" | ">:" | "-->") => {
                let name = self.make_symbol(self.sym(&head), loc);
                self.callee_syntax(name, &mut signature)?;
                parts
            }
            Some((head, parts)) if head == "tuple" => parts,
            Some((head, parts)) if head == "block" => self.block_arguments(&parts, loc),
            _ => vec![inner],
        };
        self.arguments(&args, &mut signature)?;
        Ok(signature)
    }

    /// `(x; k = 1) -> ...` reads as a block.
    fn block_arguments(&mut self, parts: &[ExprId], loc: SourceLoc) -> Vec<ExprId> {
        let mut parts: Vec<ExprId> = parts.iter().copied().filter(|&it| !self.is_line(it)).collect();
        if parts.len() < 2 {
            return parts;
        }
        let keywords: Vec<ExprId> = parts.drain(1..).collect();
        let keywords = self.make("parameters", keywords, loc);
        vec![keywords, parts[0]]
    }

    fn callee_syntax(&mut self, name: ExprId, signature: &mut Signature) -> Lowering<()> {
        signature.callee = match self.ast.expr(name).clone() {
            Expr::Symbol(_) | Expr::Global(..) if self.dotted_operator(name).is_some() => {
                return Err(self.invalid_function_name(name));
            }
            Expr::Symbol(_) | Expr::Global(..) => CalleeSyntax::Named(name),
            Expr::Node { head, args } => match (self.types.name(head), &args[..]) {
                ("::", [ty]) => CalleeSyntax::Object(*ty),
                ("::", [object, ty]) => {
                    let Some(object) = self.as_symbol(*object) else {
                        return Err(self.invalid_function_name(name));
                    };
                    signature.self_name = object;
                    CalleeSyntax::Object(*ty)
                }
                ("overlay", [table, inner]) => CalleeSyntax::Overlay(*table, *inner),
                ("curly", [_, ..]) | (".", [_, _]) => CalleeSyntax::Value(name),
                ("where", [_, ..]) => CalleeSyntax::Value(name),
                _ => return Err(self.invalid_function_name(name)),
            },
            Expr::Const(_) => CalleeSyntax::Value(name),
            Expr::Quote(_) | Expr::Line { .. } => {
                return Err(self.invalid_function_name(name));
            }
        };
        Ok(())
    }

    fn invalid_function_name(&self, name: ExprId) -> Box<crate::LowerError> {
        let message = format!("invalid function name \"{}\"{}", self.text_of(name), self.around());
        problem("invalid-function-name", message, self.ast.loc(name))
    }

    fn arguments(&mut self, args: &[ExprId], signature: &mut Signature) -> Lowering<()> {
        let mut defaulted = false;
        for (index, &it) in args.iter().enumerate() {
            if self.is_head(it, "parameters") {
                signature.has_keywords = true;
                for keyword in self.args(it) {
                    self.keyword_spec(keyword, signature)?;
                }
                continue;
            }
            let spec = self.arg_spec(it)?;
            // A type that turns out to be `Vararg` is an error of the definition, which is evaluated.
            let spelled_out = spec.ty.is_some_and(|it| self.is_vararg_type(it));
            if spec.vararg && !spelled_out && index + 1 != args.len() {
                return Err(problem(
                    "invalid-argument",
                    "`...` on an argument that is not the last",
                    spec.loc,
                ));
            }
            if index + 1 != args.len() && spec.default.is_some_and(|it| self.is_head(it, "...")) {
                let message = "invalid \"...\" in non-final positional argument default value";
                return Err(problem("invalid-argument", message, spec.loc));
            }
            if spec.default.is_none() && defaulted && !spec.vararg {
                let message = "an argument without a default follows one that has a default";
                return Err(problem("invalid-argument", message, spec.loc));
            }
            defaulted |= spec.default.is_some();
            signature.args.push(spec);
        }
        self.name_forwarded_arguments(signature);
        self.check_distinct(signature)
    }

    /// Arguments that wrapper methods pass on need a name of their own.
    fn name_forwarded_arguments(&mut self, signature: &mut Signature) {
        if !signature.has_keywords && signature.args.iter().all(|it| it.default.is_none()) {
            return;
        }
        for index in 0..signature.args.len() {
            if self.is_unused(signature.args[index].name) {
                signature.args[index].name = self.fresh_name("arg");
            }
        }
    }

    pub(super) fn is_unused(&self, name: Symbol) -> bool {
        self.types.name(name) == "#unused#"
    }

    fn check_distinct(&self, signature: &Signature) -> Lowering<()> {
        let positional = signature.args.iter().map(|it| (it.name, it.loc));
        let keywords = signature.keywords.iter().map(|it| (it.name, it.loc));
        let rest = signature.keyword_rest.map(|it| (it, signature.loc));
        let mut seen: Vec<(Symbol, SourceLoc)> = Vec::new();
        for (name, loc) in positional.chain(keywords).chain(rest) {
            if self.is_unused(name) {
                continue;
            }
            if let Some(&(_, first)) = seen.iter().find(|&&(it, _)| it == name) {
                let name = self.types.name(name);
                let message = format!("function argument name not unique: \"{name}\"{}", self.around());
                let error = crate::LowerError::new("duplicate-argument", message, loc)
                    .with_label(first, "first used here");
                return Err(Box::new(error));
            }
            seen.push((name, loc));
        }
        Ok(())
    }

    fn invalid_argument(&self, e: ExprId) -> Box<crate::LowerError> {
        let message = format!("\"{}\" is not a valid function argument name", self.text_of(e));
        problem("invalid-argument", message, self.ast.loc(e))
    }

    fn arg_spec(&mut self, e: ExprId) -> Lowering<ArgSpec> {
        let loc = self.ast.loc(e);
        let mut spec = ArgSpec {
            name: self.sym("#unused#"),
            ty: None,
            default: None,
            vararg: false,
            pattern: None,
            nospecialize: false,
            loc,
        };
        let mut inner = e;
        loop {
            if let Some(name) = self.as_symbol(inner) {
                if !self.is_underscore(name) {
                    spec.name = name;
                }
                return Ok(spec);
            }
            let Some((head, parts)) = self.parts(inner) else {
                return Err(self.invalid_argument(inner));
            };
            match (head.as_str(), &parts[..]) {
                ("kw" | "=", [target, default]) if spec.default.is_none() && inner == e => {
                    spec.default = Some(*default);
                    inner = *target;
                }
                ("...", [target]) if !spec.vararg => {
                    spec.vararg = true;
                    inner = *target;
                }
                ("...", []) => {
                    spec.vararg = true;
                    return Ok(spec);
                }
                ("::", [ty]) => {
                    spec.vararg |= self.is_vararg_type(*ty);
                    spec.ty = Some(*ty);
                    return Ok(spec);
                }
                ("::", [target, ty]) if spec.ty.is_none() => {
                    spec.vararg |= self.is_vararg_type(*ty);
                    spec.ty = Some(*ty);
                    inner = *target;
                }
                ("tuple", _) => {
                    spec.name = self.fresh_name("arg");
                    spec.pattern = Some(inner);
                    return Ok(spec);
                }
                ("meta", [mark, target]) if self.is_symbol(*mark, "nospecialize") => {
                    spec.nospecialize = true;
                    inner = *target;
                }
                ("meta", [_, target]) => inner = *target,
                // What `@nospecialize` makes of an argument with a default.
                ("kw" | "=", [target, default]) if spec.default.is_none() => {
                    spec.default = Some(*default);
                    inner = *target;
                }
                ("escape" | "hygienic-scope" | "block", [target]) => inner = *target,
                ("block", [_, target]) => inner = *target,
                _ => return Err(self.invalid_argument(inner)),
            }
        }
    }

    /// Whether a type written for an argument is `Vararg` or `Vararg{..}`, which makes the argument one of many.
    pub(super) fn is_vararg_type(&mut self, ty: ExprId) -> bool {
        let name = match self.parts(ty) {
            Some((head, parts)) if head.as_str() == "where" && !parts.is_empty() => {
                return self.is_vararg_type(parts[0]);
            }
            Some((head, parts)) if head.as_str() == "curly" && !parts.is_empty() => parts[0],
            _ => ty,
        };
        self.is_symbol(name, "Vararg")
    }

    fn keyword_spec(&mut self, e: ExprId, signature: &mut Signature) -> Lowering<()> {
        let loc = self.ast.loc(e);
        if self.is_head(e, "parameters") {
            let message = "more than one semicolon in argument list";
            return Err(problem("invalid-argument", message, loc));
        }
        if signature.keyword_rest.is_some() {
            let message = "invalid \"...\" on non-final keyword argument";
            return Err(problem("invalid-argument", message, loc));
        }
        let spec = self.arg_spec(e)?;
        if spec.pattern.is_some() || (self.is_unused(spec.name) && !spec.vararg) {
            return Err(problem("invalid-argument", "a keyword argument needs a name", loc));
        }
        if spec.vararg {
            signature.keyword_rest = Some(spec.name);
            return Ok(());
        }
        signature.keywords.push(KeywordSpec { name: spec.name, ty: spec.ty, default: spec.default, loc });
        Ok(())
    }

    /// Whether an expression mentions one of the names.
    pub(super) fn mentions(&self, e: ExprId, names: &[Symbol]) -> bool {
        match self.ast.expr(e) {
            Expr::Symbol(name) => names.contains(name),
            Expr::Node { args, .. } => args.iter().any(|&it| self.mentions(it, names)),
            Expr::Const(_) | Expr::Global(..) | Expr::Quote(_) | Expr::Line { .. } => false,
        }
    }
}
