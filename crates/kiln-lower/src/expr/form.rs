//! Each kind of node as its `Expr`.

use super::argument::ArgumentRules;
use super::convert::{Converter, Draft, Item};
use super::strings::{Chunk, Literal};
use kiln_ir::{Expr, ExprId};
use kiln_syntax::{Flags, SyntaxKind, SyntaxNode};
use kiln_types::{Module, Symbol, consts};

impl Converter<'_> {
    /// A node with its converted children.
    pub(super) fn interior(&mut self, index: u32, node: &SyntaxNode, mut children: Vec<Item>) -> Item {
        if node.kind == SyntaxKind::Parens && children.len() == 1 {
            let mut inner = children.remove(0);
            inner.parens = true;
            inner.node = index;
            return inner;
        }
        let draft = self.draft(index, node, children);
        Item { kind: node.kind, flags: node.flags, node: index, parens: false, draft }
    }

    fn draft(&mut self, index: u32, node: &SyntaxNode, children: Vec<Item>) -> Draft {
        let heads = self.heads;
        if let Some(head) = self.simple_head(node.kind) {
            let args = self.plain(children);
            return Draft::Node { head, args };
        }
        match node.kind {
            SyntaxKind::Block => self.block(index, node, children),
            SyntaxKind::Call => self.call(index, node, children),
            SyntaxKind::DotCall => self.dot_call(index, children),
            SyntaxKind::Operator => self.operator(children),
            SyntaxKind::PrefixOperator => self.prefix_operator(children),
            SyntaxKind::ShortFunction => self.short_function(index, children),
            SyntaxKind::Lambda => self.lambda(index, children),
            SyntaxKind::Field => self.field(children),
            SyntaxKind::WhereExpr => self.where_expr(children),
            SyntaxKind::Comparison => self.comparison(children),
            SyntaxKind::Juxtapose => {
                let mut args = self.plain(children);
                args.insert(0, self.ast.push(Expr::Symbol(heads.times), kiln_ir::SourceLoc::NONE));
                Draft::Node { head: heads.call, args }
            }
            SyntaxKind::QuoteExpr => self.quote(node, children),
            SyntaxKind::Tuple => self.list(heads.tuple, children, ArgumentRules::PLAIN, 0),
            SyntaxKind::Vect => self.list(heads.vect, children, ArgumentRules::LIST, 0),
            SyntaxKind::Braces => self.list(heads.braces, children, ArgumentRules::LIST, 0),
            SyntaxKind::Ref => self.list(heads.ref_, children, ArgumentRules::REF, 1),
            SyntaxKind::Curly => self.list(heads.curly, children, ArgumentRules::CURLY, 1),
            SyntaxKind::Ncat => self.with_dim(index, node, heads.ncat, children, 0),
            SyntaxKind::Nrow => self.with_dim(index, node, heads.nrow, children, 0),
            SyntaxKind::TypedNcat => self.with_dim(index, node, heads.typed_ncat, children, 1),
            SyntaxKind::Generator => self.generator(index, children),
            SyntaxKind::Filter => self.filter(children),
            SyntaxKind::String | SyntaxKind::CmdString => self.string(index, node, children),
            SyntaxKind::StringMacro => self.string_macro(index, children),
            SyntaxKind::MacroCall => self.macro_call(index, children),
            SyntaxKind::MacroName => self.macro_name(children),
            SyntaxKind::Doc => {
                let mut args = vec![self.core_ref(index, heads.at_doc), self.line_of(index)];
                args.extend(self.plain(children));
                Draft::Node { head: heads.macrocall, args }
            }
            SyntaxKind::ElseifExpr => self.elseif(index, children),
            SyntaxKind::WhileExpr | SyntaxKind::ForExpr => self.repeat(index, node, children),
            SyntaxKind::LetExpr => self.let_expr(children),
            SyntaxKind::TryExpr => self.try_expr(index, children),
            SyntaxKind::FunctionDef | SyntaxKind::MacroDef => self.function(index, node, children),
            SyntaxKind::StructDef => self.struct_def(index, node, children),
            SyntaxKind::ModuleDef => self.module(index, node, children),
            SyntaxKind::ReturnExpr => {
                let mut args = self.plain(children);
                if args.is_empty() {
                    let nothing = Expr::Const(consts::nothing(self.types));
                    args.push(self.push_leaf(index, nothing));
                }
                Draft::Node { head: heads.return_, args }
            }
            SyntaxKind::GlobalDecl => self.scope(heads.global, children),
            SyntaxKind::LocalDecl => self.scope(heads.local, children),
            SyntaxKind::ImportPath => self.import_path(children),
            _ => {
                // Malformed: parentheses around other than one expression, or an error.
                let args = self.plain(children);
                let head = if node.kind == SyntaxKind::Parens { heads.block } else { heads.error };
                Draft::Node { head, args }
            }
        }
    }

    /// Returns the head of a kind whose arguments are exactly its children.
    fn simple_head(&self, kind: SyntaxKind) -> Option<Symbol> {
        let heads = &self.heads;
        Some(match kind {
            SyntaxKind::Toplevel => heads.toplevel,
            SyntaxKind::Decl => heads.decl,
            SyntaxKind::Ternary | SyntaxKind::IfExpr => heads.if_,
            SyntaxKind::Splat => heads.dots,
            SyntaxKind::Interpolate => heads.splice,
            SyntaxKind::Parameters => heads.parameters,
            SyntaxKind::Hcat => heads.hcat,
            SyntaxKind::Vcat => heads.vcat,
            SyntaxKind::Row => heads.row,
            SyntaxKind::BracesCat => heads.bracescat,
            SyntaxKind::TypedHcat => heads.typed_hcat,
            SyntaxKind::TypedVcat => heads.typed_vcat,
            SyntaxKind::Comprehension => heads.comprehension,
            SyntaxKind::TypedComprehension => heads.typed_comprehension,
            SyntaxKind::Iteration => heads.iteration,
            SyntaxKind::IterSpec => heads.assign,
            SyntaxKind::OuterVar => heads.outer,
            SyntaxKind::DoBlock => heads.do_lambda,
            SyntaxKind::CatchClause => heads.catch,
            SyntaxKind::ElseClause => heads.else_,
            SyntaxKind::FinallyClause => heads.finally,
            SyntaxKind::AbstractDef => heads.abstract_,
            SyntaxKind::PrimitiveDef => heads.primitive,
            SyntaxKind::BreakExpr => heads.break_,
            SyntaxKind::ContinueExpr => heads.continue_,
            SyntaxKind::ConstDecl => heads.const_,
            SyntaxKind::ImportStmt => heads.import,
            SyntaxKind::UsingStmt => heads.using,
            SyntaxKind::ImportFrom => heads.colon,
            SyntaxKind::ImportAs => heads.as_,
            SyntaxKind::ExportStmt => heads.export,
            SyntaxKind::PublicStmt => heads.public,
            _ => return None,
        })
    }

    fn list(
        &mut self,
        head: Symbol,
        children: Vec<Item>,
        place: ArgumentRules,
        parameters_at: usize,
    ) -> Draft {
        let args = self.arguments(children, place, parameters_at);
        Draft::Node { head, args }
    }

    fn with_dim(
        &mut self,
        index: u32,
        node: &SyntaxNode,
        head: Symbol,
        children: Vec<Item>,
        at: usize,
    ) -> Draft {
        let mut args = self.plain(children);
        let dim = self.int(index, i64::from(node.dim));
        args.insert(at.min(args.len()), dim);
        Draft::Node { head, args }
    }

    fn block(&mut self, index: u32, node: &SyntaxNode, children: Vec<Item>) -> Draft {
        let mut args = Vec::with_capacity(children.len() * 2);
        for child in children {
            args.push(self.line_of(child.node));
            args.push(self.argument(child, ArgumentRules::PLAIN, false));
        }
        if args.is_empty() {
            args.push(self.line_of(index));
        }
        if node.flags.has(Flags::PARENS) {
            args.remove(0);
        }
        Draft::Node { head: self.heads.block, args }
    }

    /// Takes the `do` part off the end of a call's children.
    fn take_do(&mut self, children: &mut Vec<Item>) -> Option<ExprId> {
        let last = children.pop_if(|item| item.kind == SyntaxKind::DoBlock)?;
        let Draft::Node { args, .. } = last.draft else { return None };
        Some(self.push(last.node, self.heads.lambda, args))
    }

    fn with_do(&mut self, index: u32, call: Draft, body: Option<ExprId>) -> Draft {
        match (body, call) {
            (Some(body), Draft::Node { head, args }) => {
                let call = self.push(index, head, args);
                Draft::Node { head: self.heads.do_, args: vec![call, body] }
            }
            (_, call) => call,
        }
    }

    fn call(&mut self, index: u32, node: &SyntaxNode, mut children: Vec<Item>) -> Draft {
        let operator = node.flags.has(Flags::INFIX) || node.flags.has(Flags::POSTFIX);
        if operator && children.len() >= 2 {
            children.swap(0, 1);
        }
        if node.flags.has(Flags::POSTFIX)
            && children.first().and_then(Self::symbol_of) == Some(self.heads.prime)
        {
            children.remove(0);
            let args = self.plain(children);
            return Draft::Node { head: self.heads.prime, args };
        }
        let body = self.take_do(&mut children);
        let prefix_call = !operator && !node.flags.has(Flags::PREFIX);
        let place = if prefix_call { ArgumentRules::CALL } else { ArgumentRules::OPERATOR };
        let args = self.arguments(children, place, 1);
        self.with_do(index, Draft::Node { head: self.heads.call, args }, body)
    }

    fn dot_call(&mut self, index: u32, mut children: Vec<Item>) -> Draft {
        let body = self.take_do(&mut children);
        let mut args = self.arguments(children, ArgumentRules::CALL, 1);
        let rest = args.split_off(1.min(args.len()));
        args.push(self.push(index, self.heads.tuple, rest));
        self.with_do(index, Draft::Node { head: self.heads.dot, args }, body)
    }

    fn operator(&mut self, mut children: Vec<Item>) -> Draft {
        if children.len() != 3 {
            let args = self.plain(children);
            return Draft::Node { head: self.heads.error, args };
        }
        let operator = children.remove(1);
        let Some(head) = Self::symbol_of(&operator) else { return self.error_draft() };
        let args = self.plain(children);
        Draft::Node { head, args }
    }

    fn prefix_operator(&mut self, mut children: Vec<Item>) -> Draft {
        let head = if children.is_empty() { None } else { Self::symbol_of(&children.remove(0)) };
        let args = self.arguments(children, ArgumentRules::PLAIN, 0);
        Draft::Node { head: head.unwrap_or(self.heads.error), args }
    }

    /// Puts `line` first in a block; anything else becomes a block with it.
    fn with_line(&mut self, body: Item, line: Option<ExprId>, wrap_lines: bool) -> ExprId {
        let node = body.node;
        if body.is_head(self.heads.block) {
            let mut body = body;
            if let (Some(args), Some(line)) = (Self::args_of(&mut body), line) {
                args.insert(0, line);
            }
            return self.finish(body);
        }
        let value = self.finish(body);
        let args = line.into_iter().filter(|_| wrap_lines).chain([value]).collect();
        self.push(node, self.heads.block, args)
    }

    fn short_function(&mut self, index: u32, mut children: Vec<Item>) -> Draft {
        let (Some(body), Some(head)) = (children.pop(), children.pop()) else { return self.error_draft() };
        let line = self.line_of(index);
        let head = self.argument(head, ArgumentRules::PLAIN, false);
        let body = self.with_line(body, Some(line), true);
        Draft::Node { head: self.heads.assign, args: vec![head, body] }
    }

    fn lambda(&mut self, index: u32, mut children: Vec<Item>) -> Draft {
        let (Some(body), Some(head)) = (children.pop(), children.pop()) else { return self.error_draft() };
        let head = self.lambda_head(head);
        let line = self.line_of(index);
        let body = self.with_line(body, Some(line), true);
        Draft::Node { head: self.heads.lambda, args: vec![head, body] }
    }

    /// `(a) -> b` has no tuple, and `(a; b) -> c` a block instead of one.
    fn lambda_head(&mut self, head: Item) -> ExprId {
        let Draft::Node { head: name, args } = &head.draft else { return self.finish(head) };
        if *name != self.heads.tuple {
            return self.finish(head);
        }
        let args = args.clone();
        let end = self.parse.nodes[head.node as usize].end;
        let one_in_parens = head.flags.has(Flags::PARENS) && head.flags.has(Flags::TRAILING_COMMA);
        let parameters = |converter: &Self, id: ExprId| match converter.ast.as_node(id) {
            Some((head, args)) if head == converter.heads.parameters => Some(args.to_vec()),
            _ => None,
        };
        match *args.as_slice() {
            [only] if !one_in_parens && parameters(self, only).is_none() => only,
            [first, second] => {
                let splat = self.ast.as_node(second).is_some_and(|(head, _)| head == self.heads.dots);
                match parameters(self, first).filter(|names| names.len() <= 1 && !splat).as_deref() {
                    Some([]) => self.push(head.node, self.heads.block, vec![second]),
                    Some(&[name]) => {
                        let name = self.without_keyword(name);
                        let line = self.line_at(end.saturating_sub(1));
                        self.push(head.node, self.heads.block, vec![second, line, name])
                    }
                    _ => self.finish(head),
                }
            }
            _ => self.finish(head),
        }
    }

    fn without_keyword(&mut self, arg: ExprId) -> ExprId {
        let loc = self.ast.loc(arg);
        match self.ast.as_node(arg) {
            Some((head, args)) if head == self.heads.kw => {
                let args = args.to_vec();
                self.ast.node(self.heads.assign, args, loc)
            }
            _ => arg,
        }
    }

    fn field(&mut self, mut children: Vec<Item>) -> Draft {
        let (Some(name), Some(object)) = (children.pop(), children.pop()) else { return self.error_draft() };
        let object = self.argument(object, ArgumentRules::PLAIN, true);
        let quoted = name.is_head(self.heads.quote) || matches!(name.draft, Draft::Leaf(Expr::Quote(_)));
        let node = name.node;
        let mut name = self.finish(name);
        if !quoted {
            name = self.push_leaf(node, Expr::Quote(name));
        }
        Draft::Node { head: self.heads.dot, args: vec![object, name] }
    }

    fn where_expr(&mut self, mut children: Vec<Item>) -> Draft {
        let Some(bounds) = children.pop() else { return self.error_draft() };
        let braces = bounds.kind == SyntaxKind::Braces && !bounds.parens;
        let mut args = self.plain(children);
        match bounds.draft {
            Draft::Node { args: bounds, .. } if braces => args.extend(bounds),
            _ => args.push(self.finish(bounds)),
        }
        Draft::Node { head: self.heads.where_, args }
    }

    fn comparison(&mut self, children: Vec<Item>) -> Draft {
        let args = children.into_iter().enumerate().map(|(at, item)| {
            if at % 2 == 1 && item.is_dotted_operator() {
                self.finish_dotted_operator(item, true)
            } else {
                self.argument(item, ArgumentRules::PLAIN, false)
            }
        });
        let args = args.collect();
        Draft::Node { head: self.heads.comparison, args }
    }

    fn quote(&mut self, node: &SyntaxNode, mut children: Vec<Item>) -> Draft {
        let Some(inner) = children.pop() else { return self.error_draft() };
        let short = node.flags.has(Flags::COLON);
        if inner.is_dotted_operator() {
            let whole = (short && !inner.parens) || inner.kind.is_syntactic_operator();
            let id = self.finish_dotted_operator(inner, short);
            return match whole {
                true => Draft::Leaf(Expr::Quote(id)),
                false => Draft::Node { head: self.heads.quote, args: vec![id] },
            };
        }
        let simple = match &inner.draft {
            Draft::Leaf(Expr::Const(_)) => inner.kind != SyntaxKind::Bool,
            Draft::Leaf(Expr::Quote(_)) | Draft::Node { .. } => false,
            Draft::Leaf(_) | Draft::Chunk => true,
        };
        let id = self.finish(inner);
        if simple {
            Draft::Leaf(Expr::Quote(id))
        } else {
            Draft::Node { head: self.heads.quote, args: vec![id] }
        }
    }

    fn generator(&mut self, index: u32, children: Vec<Item>) -> Draft {
        let mut children = children.into_iter();
        let Some(value) = children.next() else { return self.error_draft() };
        let mut inner = self.argument(value, ArgumentRules::PLAIN, false);
        let mut clauses: Vec<Item> = children.collect();
        let outermost = clauses.len();
        let mut draft = self.error_draft();
        for at in (0..outermost).rev() {
            let Some(clause) = clauses.pop() else { break };
            let mut args = vec![inner];
            match clause.draft {
                Draft::Node { args: specs, .. } if clause.kind == SyntaxKind::Iteration => args.extend(specs),
                _ => args.push(self.finish(clause)),
            }
            let mut head = self.heads.generator;
            if at + 1 < outermost {
                args = vec![self.push(index, head, args)];
                head = self.heads.flatten;
            }
            if at == 0 {
                draft = Draft::Node { head, args };
                break;
            }
            inner = self.push(index, head, args);
        }
        draft
    }

    fn filter(&mut self, mut children: Vec<Item>) -> Draft {
        let (Some(condition), Some(specs)) = (children.pop(), children.pop()) else {
            return self.error_draft();
        };
        let mut args = vec![self.argument(condition, ArgumentRules::PLAIN, false)];
        match specs.draft {
            Draft::Node { args: specs, .. } => args.extend(specs),
            _ => args.push(self.finish(specs)),
        }
        Draft::Node { head: self.heads.filter, args }
    }

    fn string(&mut self, index: u32, node: &SyntaxNode, children: Vec<Item>) -> Draft {
        let parse = self.parse;
        let first = children.first().map(|item| item.node);
        let chunk = |item: &Item| Chunk {
            text: parse.node_text(&parse.nodes[item.node as usize]).as_bytes(),
            first: Some(item.node) == first,
        };
        let literal = Literal {
            chunks: children.iter().filter(|item| matches!(item.draft, Draft::Chunk)).map(chunk).collect(),
            triple: node.flags.has(Flags::TRIPLE),
            raw: node.flags.has(Flags::RAW),
            delimiter: if node.kind == SyntaxKind::CmdString { b'`' } else { b'"' },
        };
        let mut values = literal.values().into_iter();
        let plain = children.iter().all(|item| matches!(item.draft, Draft::Chunk));
        let text = if plain {
            Draft::Leaf(self.string_const(values.next().unwrap_or_default()))
        } else {
            let mut args = Vec::new();
            for item in children {
                if matches!(item.draft, Draft::Chunk) {
                    let value = values.next().unwrap_or_default();
                    if !value.is_empty() {
                        let leaf = self.string_const(value);
                        args.push(self.push_leaf(item.node, leaf));
                    }
                } else {
                    args.push(self.interpolated(item));
                }
            }
            Draft::Node { head: self.heads.string, args }
        };
        if node.kind == SyntaxKind::String {
            return text;
        }
        let item =
            Item { kind: SyntaxKind::String, flags: node.flags, node: index, parens: false, draft: text };
        let args = vec![self.core_ref(index, self.heads.at_cmd), self.line_of(index), self.finish(item)];
        Draft::Node { head: self.heads.macrocall, args }
    }

    /// `$("x")` has a `string` of its own, so that it differs from the surrounding text.
    fn interpolated(&mut self, item: Item) -> ExprId {
        let node = item.node;
        let literal = item.parens && item.kind == SyntaxKind::String && matches!(item.draft, Draft::Leaf(_));
        let value = self.argument(item, ArgumentRules::PLAIN, false);
        if literal { self.push(node, self.heads.string, vec![value]) } else { value }
    }

    fn string_macro(&mut self, index: u32, children: Vec<Item>) -> Draft {
        let mut children = children.into_iter();
        let (Some(name), Some(text)) = (children.next(), children.next()) else { return self.error_draft() };
        let command = text.kind == SyntaxKind::CmdString;
        let suffix = if command { "_cmd" } else { "_str" };
        let name = self.mangled(name, &|name| format!("@{name}{suffix}"));
        let text = self.finish(text);
        let text = match self.ast.as_node(text) {
            Some((_, &[_, _, inner])) if command => inner,
            _ => text,
        };
        let mut args = vec![name, self.line_of(index), text];
        args.extend(children.map(|item| self.finish(item)).collect::<Vec<_>>());
        Draft::Node { head: self.heads.macrocall, args }
    }

    /// A macro's name, or the last part of a dotted one, changed by `mangle`.
    fn mangled(&mut self, item: Item, mangle: &dyn Fn(&str) -> String) -> ExprId {
        let mut item = item;
        match &mut item.draft {
            Draft::Leaf(Expr::Symbol(symbol)) => {
                *symbol = self.types.symbol(&mangle(self.types.name(*symbol)));
                let Draft::Leaf(leaf) = item.draft else { unreachable!("matched above") };
                return self.push_leaf(item.node, leaf);
            }
            Draft::Node { head, args } if *head == self.heads.dot && args.len() == 2 => {
                let last = args[1];
                if let Expr::Quote(inner) = *self.ast.expr(last)
                    && let Expr::Symbol(symbol) = *self.ast.expr(inner)
                {
                    let symbol = self.types.symbol(&mangle(self.types.name(symbol)));
                    let loc = self.ast.loc(last);
                    let inner = self.ast.push(Expr::Symbol(symbol), loc);
                    args[1] = self.ast.push(Expr::Quote(inner), loc);
                }
            }
            Draft::Node { .. } | Draft::Leaf(_) | Draft::Chunk => {}
        }
        self.finish(item)
    }

    fn macro_name(&mut self, mut children: Vec<Item>) -> Draft {
        let Some(name) = children.pop() else { return self.error_draft() };
        let id = self.mangled(name, &|name| match name {
            "." => "@__dot__".to_owned(),
            _ => format!("@{name}"),
        });
        match self.ast.expr(id).clone() {
            Expr::Node { head, args } => Draft::Node { head, args },
            leaf => Draft::Leaf(leaf),
        }
    }

    fn macro_call(&mut self, index: u32, mut children: Vec<Item>) -> Draft {
        let body = self.take_do(&mut children);
        let mut args = self.arguments(children, ArgumentRules::PLAIN, 1);
        let line = self.line_of(index);
        args.insert(1.min(args.len()), line);
        self.with_do(index, Draft::Node { head: self.heads.macrocall, args }, body)
    }

    fn elseif(&mut self, index: u32, mut children: Vec<Item>) -> Draft {
        if children.is_empty() {
            return self.error_draft();
        }
        let condition = children.remove(0);
        let node = condition.node;
        let line = self.line_of(index);
        let condition = self.argument(condition, ArgumentRules::PLAIN, false);
        let mut args = vec![self.push(node, self.heads.block, vec![line, condition])];
        args.extend(self.plain(children));
        Draft::Node { head: self.heads.elseif, args }
    }

    /// `while` and `for`: the body ends with the line of `end`.
    fn repeat(&mut self, index: u32, node: &SyntaxNode, mut children: Vec<Item>) -> Draft {
        let (Some(mut body), Some(head)) = (children.pop(), children.pop()) else {
            return self.error_draft();
        };
        let end = self.end_line_of(index);
        if let Some(args) = Self::args_of(&mut body) {
            args.push(end);
        }
        let is_for = node.kind == SyntaxKind::ForExpr;
        let place = head.node;
        let first = match head.draft {
            Draft::Node { args, .. } if is_for => match args.as_slice() {
                &[only] => only,
                _ => self.push(place, self.heads.block, args),
            },
            _ => self.argument(head, ArgumentRules::PLAIN, false),
        };
        let body = self.finish(body);
        let head = if is_for { self.heads.for_ } else { self.heads.while_ };
        Draft::Node { head, args: vec![first, body] }
    }

    fn let_expr(&mut self, mut children: Vec<Item>) -> Draft {
        let (Some(body), Some(mut bindings)) = (children.pop(), children.pop()) else {
            return self.error_draft();
        };
        let mut only = None;
        if let Some(args) = Self::args_of(&mut bindings) {
            args.retain(|&id| !matches!(self.ast.expr(id), Expr::Line { .. }));
            if let &[one] = args.as_slice() {
                let simple = match self.ast.expr(one) {
                    Expr::Symbol(_) => true,
                    Expr::Node { head, .. } => *head == self.heads.assign || *head == self.heads.decl,
                    Expr::Const(_) | Expr::Global(..) | Expr::Quote(_) | Expr::Line { .. } => false,
                };
                only = simple.then_some(one);
            }
        }
        let bindings = match only {
            Some(one) => one,
            None => self.finish(bindings),
        };
        let body = self.finish(body);
        Draft::Node { head: self.heads.let_, args: vec![bindings, body] }
    }

    fn try_expr(&mut self, index: u32, children: Vec<Item>) -> Draft {
        let mut children = children.into_iter();
        let Some(body) = children.next() else { return self.error_draft() };
        let body = self.finish(body);
        let (mut caught, mut otherwise, mut finally) = (None, None, None);
        for clause in children {
            let Draft::Node { args, .. } = clause.draft else { continue };
            match (clause.kind, args.as_slice()) {
                (SyntaxKind::CatchClause, &[name, block]) => caught = Some((name, block)),
                (SyntaxKind::ElseClause, &[block]) => otherwise = Some(block),
                (SyntaxKind::FinallyClause, &[block]) => finally = Some(block),
                _ => {}
            }
        }
        let (name, block) = match caught {
            Some(clause) => clause,
            None => (self.bool(index, false), self.bool(index, false)),
        };
        let mut args = vec![body, name, block];
        if finally.is_some() || otherwise.is_some() {
            let finally = finally.unwrap_or_else(|| self.bool(index, false));
            args.push(finally);
            args.extend(otherwise);
        }
        Draft::Node { head: self.heads.try_, args }
    }

    fn function(&mut self, index: u32, node: &SyntaxNode, mut children: Vec<Item>) -> Draft {
        let head = if node.kind == SyntaxKind::FunctionDef { self.heads.function } else { self.heads.macro_ };
        if children.len() < 2 {
            let args = self.plain(children);
            return Draft::Node { head, args };
        }
        let body = children.pop();
        let signature = children.pop();
        let (Some(body), Some(signature)) = (body, signature) else { return self.error_draft() };
        let splat = match &signature.draft {
            Draft::Node { head, args } if *head == self.heads.tuple => match args.as_slice() {
                &[only] if self.ast.as_node(only).is_some_and(|(head, _)| head == self.heads.dots) => {
                    Some(only)
                }
                _ => None,
            },
            _ => None,
        };
        let signature = match splat {
            Some(splat) => splat,
            None => self.argument(signature, ArgumentRules::PLAIN, false),
        };
        let line = self.line_of(index);
        let body = self.with_line(body, Some(line), true);
        Draft::Node { head, args: vec![signature, body] }
    }

    fn struct_def(&mut self, index: u32, node: &SyntaxNode, mut children: Vec<Item>) -> Draft {
        let (Some(mut body), Some(name)) = (children.pop(), children.pop()) else {
            return self.error_draft();
        };
        let doc = (Module::CORE, self.heads.at_doc);
        if let Some(args) = Self::args_of(&mut body) {
            let fields = args.iter().flat_map(|&field| match self.ast.as_node(field) {
                Some((head, &[name, _, text, documented]))
                    if head == self.heads.macrocall
                        && matches!(self.ast.expr(name), Expr::Global(module, name) if (*module, *name) == doc) =>
                {
                    vec![text, documented]
                }
                _ => vec![field],
            });
            *args = fields.collect();
        }
        let mutable = self.bool(index, node.flags.has(Flags::MUTABLE));
        let args = vec![mutable, self.argument(name, ArgumentRules::PLAIN, false), self.finish(body)];
        Draft::Node { head: self.heads.struct_, args }
    }

    fn module(&mut self, index: u32, node: &SyntaxNode, mut children: Vec<Item>) -> Draft {
        let (Some(body), Some(name)) = (children.pop(), children.pop()) else { return self.error_draft() };
        let standard = self.bool(index, !node.flags.has(Flags::BARE));
        let line = self.line_of(index);
        let args = vec![standard, self.finish(name), self.with_line(body, Some(line), true)];
        Draft::Node { head: self.heads.module, args }
    }

    fn scope(&mut self, head: Symbol, mut children: Vec<Item>) -> Draft {
        if let [only] = children.as_mut_slice() {
            let constant = only.is_head(self.heads.const_);
            let tuple = only.is_head(self.heads.tuple);
            let node = only.node;
            if let (true, Some(args)) = (constant || tuple, Self::args_of(only)) {
                let args = std::mem::take(args);
                if tuple {
                    return Draft::Node { head, args };
                }
                let inner = self.push(node, head, args);
                return Draft::Node { head: self.heads.const_, args: vec![inner] };
            }
        }
        let args = self.plain(children);
        Draft::Node { head, args }
    }

    fn import_path(&mut self, children: Vec<Item>) -> Draft {
        let mut args = self.plain(children);
        for arg in &mut args {
            if let Expr::Quote(inner) = self.ast.expr(*arg) {
                *arg = *inner;
            }
        }
        Draft::Node { head: self.heads.dot, args }
    }
}
