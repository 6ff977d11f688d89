//! The conversion of arguments by context: `=` to `kw`, `;` sections to the front, dotted operators to symbols.

use super::convert::{Converter, Draft, Item};
use kiln_ir::{Expr, ExprId};
use kiln_syntax::SyntaxKind;

/// The treatment that a parent gives its arguments.
#[derive(Clone, Copy)]
pub(super) struct ArgumentRules {
    /// `a = b` becomes `kw`, except in the first place.
    pub(super) keywords: bool,
    /// `a = b` after `;` becomes `kw`.
    pub(super) keyword_parameters: bool,
    /// The first argument is called, so `.+` there is one symbol.
    pub(super) callee: bool,
}

impl ArgumentRules {
    /// No argument list.
    pub(super) const PLAIN: ArgumentRules =
        ArgumentRules { keywords: false, keyword_parameters: true, callee: false };
    /// A call's.
    pub(super) const CALL: ArgumentRules =
        ArgumentRules { keywords: true, keyword_parameters: true, callee: true };
    /// A call by an operator's.
    pub(super) const OPERATOR: ArgumentRules =
        ArgumentRules { keywords: false, keyword_parameters: true, callee: true };
    /// `a[...]`.
    pub(super) const REF: ArgumentRules =
        ArgumentRules { keywords: true, keyword_parameters: false, callee: false };
    /// `T{...}`.
    pub(super) const CURLY: ArgumentRules =
        ArgumentRules { keywords: false, keyword_parameters: false, callee: true };
    /// `[...]`, `{...}`.
    pub(super) const LIST: ArgumentRules =
        ArgumentRules { keywords: false, keyword_parameters: false, callee: false };
}

impl Converter<'_> {
    /// All arguments, as their parent wants them, with the `;` sections at `parameters_at`.
    pub(super) fn arguments(
        &mut self,
        items: Vec<Item>,
        place: ArgumentRules,
        parameters_at: usize,
    ) -> Vec<ExprId> {
        let mut sections: Vec<Item> = Vec::new();
        let mut args: Vec<ExprId> = Vec::with_capacity(items.len());
        for (index, item) in items.into_iter().enumerate() {
            if item.kind == SyntaxKind::Parameters {
                sections.push(item);
            } else {
                let id = self.argument(item, place, index == 0);
                args.push(id);
            }
        }
        if let Some(parameters) = self.nest_sections(sections, place) {
            args.insert(parameters_at.min(args.len()), parameters);
        }
        args
    }

    /// `; a; b` is `parameters(parameters(b), a)`.
    fn nest_sections(&mut self, sections: Vec<Item>, place: ArgumentRules) -> Option<ExprId> {
        let mut inner: Option<ExprId> = None;
        for mut section in sections.into_iter().rev() {
            if let Draft::Node { args, .. } = &mut section.draft {
                if place.keyword_parameters {
                    for arg in args.iter_mut() {
                        *arg = self.as_keyword(*arg);
                    }
                }
                args.splice(0..0, inner);
            }
            inner = Some(self.finish(section));
        }
        inner
    }

    /// One argument.
    pub(super) fn argument(&mut self, mut item: Item, place: ArgumentRules, first: bool) -> ExprId {
        if item.is_dotted_operator() {
            return self.finish_dotted_operator(item, place.callee && first);
        }
        let keyword = place.keywords && !first;
        if let Draft::Node { head, .. } = &mut item.draft
            && keyword
            && *head == self.heads.assign
        {
            *head = self.heads.kw;
        }
        self.finish(item)
    }

    fn as_keyword(&mut self, arg: ExprId) -> ExprId {
        let loc = self.ast.loc(arg);
        match self.ast.expr(arg) {
            Expr::Node { head, args } if *head == self.heads.assign => {
                let args = args.clone();
                self.ast.node(self.heads.kw, args, loc)
            }
            _ => arg,
        }
    }

    /// Arguments of a node that does nothing to them.
    pub(super) fn plain(&mut self, items: Vec<Item>) -> Vec<ExprId> {
        items.into_iter().map(|item| self.argument(item, ArgumentRules::PLAIN, false)).collect()
    }

    /// The arguments of a node that has not been finished.
    pub(super) fn args_of(item: &mut Item) -> Option<&mut Vec<ExprId>> {
        match &mut item.draft {
            Draft::Node { args, .. } => Some(args),
            Draft::Leaf(_) | Draft::Chunk => None,
        }
    }
}
