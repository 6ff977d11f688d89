//! The names that a piece of a macro's result gives a meaning to.

use kiln_ir::{Ast, Expr, ExprId};
use kiln_types::{Symbol, Types};

/// Names found in one place of one expansion.
#[derive(Debug, Default)]
pub(crate) struct Names {
    /// Variables.
    pub(crate) renamed: Vec<Symbol>,
    /// Names that are unchanged: keyword arguments, defined types.
    pub(crate) kept: Vec<Symbol>,
    /// Declared `global`.
    pub(crate) globals: Vec<Symbol>,
}

/// Whether the left side of `=` is a method signature.
pub(crate) fn is_signature(types: &Types, ast: &Ast, e: ExprId) -> bool {
    match ast.as_node(e) {
        Some((head, args)) => match (types.name(head), args) {
            ("call", [_, ..]) => true,
            ("where", [inner, ..]) | ("::", [inner, _]) => is_signature(types, ast, *inner),
            ("escape" | "hygienic-scope", [inner, ..]) => is_signature(types, ast, *inner),
            _ => false,
        },
        None => false,
    }
}

impl Names {
    /// Collects the names that code assigns or declares, outside of nested functions. `depth` counts the expansions
    /// between the code and the one in question.
    pub(crate) fn assigned(&mut self, types: &Types, ast: &Ast, e: ExprId, depth: u32) {
        let Some((head, args)) = ast.as_node(e) else { return };
        let each = |this: &mut Self, args: &[ExprId]| {
            args.iter().for_each(|&it| this.assigned(types, ast, it, depth));
        };
        match (types.name(head), args) {
            ("escape", [inner, ..]) if depth > 0 => self.assigned(types, ast, *inner, depth - 1),
            ("struct", [_, name, _]) | ("abstract" | "primitive", [name, ..]) if depth == 0 => {
                self.kept.extend(type_name(types, ast, *name));
            }
            ("escape" | "quote" | "inert" | "module" | "line" | "meta" | "->" | "struct", _) => {}
            ("hygienic-scope", [inner, ..]) => self.assigned(types, ast, *inner, depth + 1),
            ("function" | "macro", [signature, ..]) => self.callee(types, ast, *signature, depth),
            ("=", [signature, _]) if is_signature(types, ast, *signature) => {
                self.callee(types, ast, *signature, depth);
            }
            ("=", [target, value]) => {
                self.target(types, ast, *target, depth);
                self.assigned(types, ast, *value, depth);
            }
            ("local", targets) => {
                targets.iter().for_each(|&it| self.declared(types, ast, it, depth));
                each(self, targets);
            }
            ("global", targets) => {
                if depth == 0 {
                    let mut found = Names::default();
                    targets.iter().for_each(|&it| found.declared(types, ast, it, 0));
                    self.globals.append(&mut found.renamed);
                }
                each(self, targets);
            }
            ("let", [bindings, body]) => {
                let all = match ast.as_node(*bindings) {
                    Some((head, parts)) if types.name(head) == "block" => parts.to_vec(),
                    _ => vec![*bindings],
                };
                all.iter().for_each(|&it| self.declared(types, ast, it, depth));
                each(self, &all);
                self.assigned(types, ast, *body, depth);
            }
            ("try", [_, caught, ..]) => {
                self.target(types, ast, *caught, depth);
                each(self, args);
            }
            ("tuple" | "parameters" | "call" | "ref" | "curly", parts) => {
                for &it in parts {
                    match ast.as_node(it) {
                        Some((head, [_, value])) if matches!(types.name(head), "=" | "kw") => {
                            self.assigned(types, ast, *value, depth);
                        }
                        _ => self.assigned(types, ast, it, depth),
                    }
                }
            }
            (op, [target, value]) if is_update(op) => {
                self.target(types, ast, *target, depth);
                self.assigned(types, ast, *value, depth);
            }
            _ => each(self, args),
        }
    }

    /// `x`, `x::T`, `x = v` in a declaration.
    fn declared(&mut self, types: &Types, ast: &Ast, e: ExprId, depth: u32) {
        match ast.as_node(e) {
            Some((head, [target, ..])) if matches!(types.name(head), "=") => {
                if is_signature(types, ast, *target) {
                    self.callee(types, ast, *target, depth);
                } else {
                    self.target(types, ast, *target, depth);
                }
            }
            Some((head, [target, ..])) if types.name(head) == "function" => {
                self.callee(types, ast, *target, depth);
            }
            _ => self.target(types, ast, e, depth),
        }
    }

    /// The names in the target of an assignment.
    fn target(&mut self, types: &Types, ast: &Ast, e: ExprId, depth: u32) {
        if let Expr::Symbol(name) = ast.expr(e) {
            if depth == 0 {
                self.renamed.push(*name);
            }
            return;
        }
        let Some((head, args)) = ast.as_node(e) else { return };
        match (types.name(head), args) {
            ("tuple" | "parameters" | "local", parts) => {
                parts.iter().for_each(|&it| self.target(types, ast, it, depth));
            }
            ("::" | "..." | "kw" | "=" | "outer", [inner, ..]) => self.target(types, ast, *inner, depth),
            ("curly", [inner, ..]) => self.target(types, ast, *inner, depth),
            ("escape", [inner, ..]) if depth > 0 => self.target(types, ast, *inner, depth - 1),
            ("hygienic-scope", [inner, ..]) => self.target(types, ast, *inner, depth + 1),
            _ => {}
        }
    }

    /// The name of the function that a signature defines.
    fn callee(&mut self, types: &Types, ast: &Ast, e: ExprId, depth: u32) {
        if let Expr::Symbol(_) = ast.expr(e) {
            self.target(types, ast, e, depth);
            return;
        }
        let Some((head, args)) = ast.as_node(e) else { return };
        match (types.name(head), args) {
            ("call", [name, ..]) if matches!(ast.expr(*name), Expr::Symbol(_)) => {
                self.target(types, ast, *name, depth);
            }
            ("where" | "::", [inner, ..]) => self.callee(types, ast, *inner, depth),
            ("escape", [inner, ..]) if depth > 0 => self.callee(types, ast, *inner, depth - 1),
            ("hygienic-scope", [inner, ..]) => self.callee(types, ast, *inner, depth + 1),
            _ => {}
        }
    }

    /// The arguments and static parameters of a signature.
    pub(crate) fn signature(&mut self, types: &Types, ast: &Ast, e: ExprId) {
        let Some((head, args)) = ast.as_node(e) else {
            self.target(types, ast, e, 0);
            return;
        };
        match (types.name(head), args) {
            ("where", [inner, vars @ ..]) => {
                vars.iter().for_each(|&it| self.type_var(types, ast, it));
                self.signature(types, ast, *inner);
            }
            ("::", [inner, _]) if matches!(ast.as_node(*inner), Some((it, _)) if matches!(types.name(it), "call" | "tuple")) =>
            {
                self.signature(types, ast, *inner);
            }
            ("call", [callee, rest @ ..]) => {
                // `(f::T)(x)` makes `f` an argument.
                if let Some((head, [object, _])) = ast.as_node(*callee)
                    && types.name(head) == "::"
                {
                    self.target(types, ast, *object, 0);
                }
                rest.iter().for_each(|&it| self.argument(types, ast, it));
            }
            ("tuple" | "block", parts) => parts.iter().for_each(|&it| self.argument(types, ast, it)),
            _ => self.argument(types, ast, e),
        }
    }

    fn argument(&mut self, types: &Types, ast: &Ast, e: ExprId) {
        let Some((head, args)) = ast.as_node(e) else {
            self.target(types, ast, e, 0);
            return;
        };
        match (types.name(head), args) {
            ("parameters", parts) => {
                let mut keywords = Names::default();
                for &it in parts {
                    // `kw...` is no name that callers write.
                    match ast.as_node(it) {
                        Some((head, [inner])) if types.name(head) == "..." => {
                            self.argument(types, ast, *inner)
                        }
                        _ => keywords.argument(types, ast, it),
                    }
                }
                self.kept.append(&mut keywords.renamed);
                self.kept.append(&mut keywords.kept);
            }
            // An argument that the caller named is what that name means in the body.
            ("escape", [inner, ..]) => {
                let mut named = Names::default();
                named.argument(types, ast, *inner);
                self.kept.append(&mut named.renamed);
                self.kept.append(&mut named.kept);
            }
            ("meta", [_, inner]) | ("block", [inner]) => self.argument(types, ast, *inner),
            ("kw" | "=" | "::" | "...", [inner, _]) | ("...", [inner]) => self.argument(types, ast, *inner),
            ("tuple", _) => self.target(types, ast, e, 0),
            _ => {}
        }
    }

    /// The variable of a `where`.
    pub(crate) fn type_var(&mut self, types: &Types, ast: &Ast, e: ExprId) {
        let Some((head, args)) = ast.as_node(e) else {
            self.target(types, ast, e, 0);
            return;
        };
        match (types.name(head), args) {
            ("<:" | ">:", [name, _]) => self.target(types, ast, *name, 0),
            ("comparison", [_, _, name, ..]) => self.target(types, ast, *name, 0),
            ("braces", parts) => parts.iter().for_each(|&it| self.type_var(types, ast, it)),
            _ => {}
        }
    }

    /// The parameters of a type or an alias being defined.
    pub(crate) fn type_parameters(&mut self, types: &Types, ast: &Ast, e: ExprId) {
        let Some((head, args)) = ast.as_node(e) else { return };
        match (types.name(head), args) {
            ("<:", [inner, ..]) => self.type_parameters(types, ast, *inner),
            ("curly", [_, vars @ ..]) => vars.iter().for_each(|&it| self.type_var(types, ast, it)),
            _ => {}
        }
    }

    /// The parameters of a type being defined; its own name is unchanged.
    pub(crate) fn type_head(&mut self, types: &Types, ast: &Ast, e: ExprId) {
        let Some((head, args)) = ast.as_node(e) else {
            if let Expr::Symbol(name) = ast.expr(e) {
                self.kept.push(*name);
            }
            return;
        };
        match (types.name(head), args) {
            ("<:", [inner, ..]) => self.type_head(types, ast, *inner),
            ("curly", [name, vars @ ..]) => {
                self.type_head(types, ast, *name);
                vars.iter().for_each(|&it| self.type_var(types, ast, it));
            }
            _ => {}
        }
    }
}

/// The name in the head of a type definition.
fn type_name(types: &Types, ast: &Ast, e: ExprId) -> Option<Symbol> {
    if let Expr::Symbol(name) = ast.expr(e) {
        return Some(*name);
    }
    match ast.as_node(e) {
        Some((head, [inner, ..])) if matches!(types.name(head), "<:" | "curly") => {
            type_name(types, ast, *inner)
        }
        _ => None,
    }
}

/// `+=` and its like; not comparisons.
fn is_update(head: &str) -> bool {
    head.len() > 1
        && head.ends_with('=')
        && !matches!(head, "==" | "!=" | "<=" | ">=" | "===" | "!==" | "=>" | ".=")
        && !head.starts_with('.')
}
