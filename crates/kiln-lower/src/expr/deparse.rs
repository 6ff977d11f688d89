//! Expressions as Julia text, for messages that show a piece of the program as lowering sees it.

use kiln_ir::{Ast, Expr, ExprId};
use kiln_types::{ConstData, Types, display, module};

/// The text of an expression. Forms that messages never show come as their head with their parts.
pub fn deparse(ast: &Ast, types: &Types, e: ExprId) -> String {
    Deparser { ast, types, indent: 0 }.text(e)
}

/// Heads that are written between their two operands.
const INFIX: [&str; 10] = ["=", "&&", "||", "::", "<:", ">:", "->", "=>", ":=", ".="];

struct Deparser<'a> {
    ast: &'a Ast,
    types: &'a Types,
    indent: usize,
}

impl Deparser<'_> {
    fn text(&mut self, e: ExprId) -> String {
        match self.ast.expr(e) {
            Expr::Symbol(name) => self.types.name(*name).to_owned(),
            Expr::Global(module, name) => {
                let module = self.types.name(module::name(self.types, *module));
                let name = self.types.name(*name);
                // The name of a dotted operator is quoted, so that its dot is none of the path.
                let quoted = name.len() > 1 && name.starts_with('.');
                format!("{module}.{}{name}", if quoted { ":" } else { "" })
            }
            Expr::Const(value) => match self.types.const_data(*value) {
                ConstData::String(bytes) => format!("\"{}\"", String::from_utf8_lossy(bytes)),
                _ => display::of_const(self.types, *value),
            },
            Expr::Quote(inner) => match self.ast.expr(*inner) {
                Expr::Symbol(name) => {
                    let name = self.types.name(*name);
                    let plain = name.starts_with(|it: char| it.is_alphabetic() || it == '_');
                    if plain { format!(":{name}") } else { format!(":({name})") }
                }
                _ => format!(":({})", self.text(*inner)),
            },
            Expr::Line { line, file } => {
                let file = file.map_or("none", |it| self.types.name(it));
                format!("# {file}, line {line}")
            }
            Expr::Node { head, args } => {
                let (head, args) = (self.types.name(*head).to_owned(), args.clone());
                self.node(&head, &args)
            }
        }
    }

    fn node(&mut self, head: &str, args: &[ExprId]) -> String {
        match (head, args) {
            ("call", [f, left, right]) if self.is_symbol(*f, ":") => {
                format!("{}:{}", self.operand(*left), self.operand(*right))
            }
            ("call", [f, left, right]) if self.is_operator(*f) => {
                format!("{} {} {}", self.operand(*left), self.text(*f), self.operand(*right))
            }
            ("call", [f, rest @ ..]) => format!("{}({})", self.operand(*f), self.list(rest)),
            ("ref", [array, rest @ ..]) => format!("{}[{}]", self.operand(*array), self.list(rest)),
            ("curly", [ty, rest @ ..]) => format!("{}{{{}}}", self.operand(*ty), self.list(rest)),
            ("tuple", [only]) if !self.is_head(*only, "parameters") => format!("({},)", self.text(*only)),
            ("tuple", _) => format!("({})", self.list(args)),
            ("vect", _) => format!("[{}]", self.list(args)),
            ("hcat", _) => format!("[{}]", self.joined(args, " ")),
            ("vcat", _) => format!("[{}]", self.joined(args, "; ")),
            ("kw", [name, value]) => format!("{} = {}", self.text(*name), self.text(*value)),
            ("::", [ty]) => format!("::{}", self.operand(*ty)),
            ("::", [left, right]) => format!("{}::{}", self.operand(*left), self.operand(*right)),
            ("&" | "$", [only]) => format!("{head}{}", self.operand(*only)),
            ("&", _) => format!("&({})", self.list(args)),
            ("...", [only]) => format!("{}...", self.operand(*only)),
            (".", [op]) => format!("(.{})", self.text(*op)),
            (".", [object, field]) => match self.ast.expr(*field) {
                Expr::Quote(inner) if matches!(self.ast.expr(*inner), Expr::Symbol(_)) => {
                    let (object, field) = (self.operand(*object), self.text(*inner));
                    let plain = field.starts_with(|it: char| it.is_alphabetic() || it == '_');
                    if plain { format!("{object}.{field}") } else { format!("{object}.:{field}") }
                }
                _ => format!("{}.{}", self.operand(*object), self.text(*field)),
            },
            ("local" | "global" | "const" | "return", _) => format!("{head} {}", self.list(args)),
            ("function", [signature, body]) => {
                format!("function {}{}", self.signature(*signature), self.body(*body))
            }
            ("function", [name]) => format!("function {}\nend", self.text(*name)),
            ("do", [call, function]) => {
                let args = self.ast.as_node(*function).map(|it| it.1.to_vec()).unwrap_or_default();
                let names = args.first().map(|&it| self.names(it)).filter(|it| !it.is_empty());
                let body = args.get(1).map(|&it| self.body(it)).unwrap_or_default();
                format!(
                    "{} do{}{body}",
                    self.text(*call),
                    names.map(|it| format!(" {it}")).unwrap_or_default()
                )
            }
            ("if", [cond, body, ..]) => format!("if {}{}", self.text(*cond), self.body(*body)),
            ("block", _) => format!("begin{}", self.lines(args)),
            (_, [left, right]) if INFIX.contains(&head) || head.ends_with('=') => {
                format!("{} {head} {}", self.operand(*left), self.operand(*right))
            }
            ("parameters", _) => format!("; {}", self.list(args)),
            _ => format!("({head} {})", self.joined(args, " ")),
        }
    }

    fn is_head(&self, e: ExprId, head: &str) -> bool {
        self.ast.as_node(e).is_some_and(|it| self.types.name(it.0) == head)
    }

    fn is_symbol(&self, e: ExprId, text: &str) -> bool {
        matches!(self.ast.expr(e), Expr::Symbol(name) if self.types.name(*name) == text)
    }

    fn is_operator(&self, f: ExprId) -> bool {
        matches!(self.ast.expr(f), Expr::Symbol(name)
            if !self.types.name(*name).starts_with(|it: char| it.is_alphanumeric() || it == '_' || it == '@'))
    }

    /// A part of something larger: operators in it get parentheses.
    fn operand(&mut self, e: ExprId) -> String {
        let text = self.text(e);
        let Some((head, args)) = self.ast.as_node(e) else { return text };
        let head = self.types.name(head);
        let infix = INFIX.contains(&head) && head != "::"
            || head == "call" && args.len() == 3 && self.is_operator(args[0]);
        if infix { format!("({text})") } else { text }
    }

    fn list(&mut self, args: &[ExprId]) -> String {
        let mut text = String::new();
        let (keywords, plain): (Vec<ExprId>, Vec<ExprId>) =
            args.iter().copied().partition(|&it| self.is_head(it, "parameters"));
        text.push_str(&self.joined(&plain, ", "));
        for it in keywords {
            text.push_str(&self.text(it));
        }
        text
    }

    fn joined(&mut self, args: &[ExprId], between: &str) -> String {
        let parts: Vec<String> = args.iter().map(|&it| self.text(it)).collect();
        parts.join(between)
    }

    fn signature(&mut self, e: ExprId) -> String {
        self.text(e)
    }

    fn names(&mut self, e: ExprId) -> String {
        match self.ast.as_node(e) {
            Some((head, args)) if self.types.name(head) == "tuple" => {
                let args = args.to_vec();
                self.list(&args)
            }
            _ => self.text(e),
        }
    }

    fn body(&mut self, e: ExprId) -> String {
        match self.ast.as_node(e) {
            Some((head, args)) if self.types.name(head) == "block" => {
                let args = args.to_vec();
                self.lines(&args)
            }
            _ => self.lines(&[e]),
        }
    }

    /// Statements on lines of their own, and the `end` behind them.
    fn lines(&mut self, args: &[ExprId]) -> String {
        self.indent += 1;
        let mut text = String::new();
        for &it in args {
            text.push('\n');
            text.push_str(&"    ".repeat(self.indent));
            text.push_str(&self.text(it));
        }
        self.indent -= 1;
        text.push('\n');
        text.push_str(&"    ".repeat(self.indent));
        text.push_str("end");
        text
    }
}
