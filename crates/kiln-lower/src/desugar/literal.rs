//! Tuples, array literals, interpolated strings.

use super::Desugar;
use super::call::Arg;
use super::keyword::KeywordPlace;
use crate::error::{Lowering, problem};
use crate::hir::HirNode;
use kiln_ir::{ExprId, SourceLoc};

impl Desugar<'_> {
    pub(super) fn tuple(&mut self, args: &[ExprId], loc: SourceLoc) -> Lowering<HirNode> {
        let named = |this: &Self, it: ExprId| matches!(this.head(it), Some("=" | "kw"));
        if args.first().is_some_and(|&it| self.is_head(it, "parameters")) {
            if args.len() > 1 {
                return Err(problem("invalid-syntax", "unexpected semicolon in tuple", loc));
            }
            return self.named_tuple_syntax(&self.args(args[0]), loc);
        }
        if args.iter().any(|&it| named(self, it)) {
            return self.named_tuple_syntax(args, loc);
        }
        let args = self.positional_args(args)?;
        let f = self.core("tuple", loc);
        Ok(self.apply_args(f, args, loc))
    }

    fn named_tuple_syntax(&mut self, args: &[ExprId], loc: SourceLoc) -> Lowering<HirNode> {
        let mut keywords = Vec::new();
        for &it in args {
            if let Some((head, parts)) = self.parts(it)
                && matches!(head.as_str(), "=" | "kw")
                && parts.get(1).is_some_and(|&it| self.is_head(it, "..."))
            {
                let message = "\"...\" expression cannot be used as named tuple field value";
                return Err(problem("invalid-keyword", message, self.ast.loc(it)));
            }
            keywords.push(self.keyword_in(KeywordPlace::NamedTuple, it)?);
        }
        self.named_tuple(keywords, None, loc)
    }

    pub(super) fn string(&mut self, args: &[ExprId], loc: SourceLoc) -> Lowering<HirNode> {
        let args = self.positional_args(args)?;
        let f = self.base("string", loc);
        Ok(self.apply_args(f, args, loc))
    }

    pub(super) fn array_literal(&mut self, head: &str, args: &[ExprId], loc: SourceLoc) -> Lowering<HirNode> {
        if let Some(&bad) = args.iter().find(|&&it| matches!(self.head(it), Some("parameters" | "=" | "kw")))
        {
            let whole = self.make(head, args.to_vec(), loc);
            let message = match self.head(bad) {
                Some("parameters") => "misplaced syntax in an array literal".to_owned(),
                _ => format!("misplaced assignment statement in \"{}\"", self.text_of(whole)),
            };
            return Err(problem("invalid-syntax", message, self.ast.loc(bad)));
        }
        let mut leading = Vec::new();
        let (name, args) = match head.strip_prefix("typed_") {
            Some(name) => {
                let Some((&ty, rest)) = args.split_first() else {
                    return Err(problem("malformed-expression", "malformed array literal", loc));
                };
                leading.push(Arg::Plain(self.expr(ty)?));
                (name, rest)
            }
            None => (head, args),
        };
        let prefix = if leading.is_empty() { "" } else { "typed_" };
        match name {
            "vcat" if args.iter().any(|&it| self.is_head(it, "row")) => {
                self.rows(&format!("{prefix}hvcat"), leading, args, loc)
            }
            "ncat" => self.ncat(&format!("{prefix}hvncat"), leading, args, loc),
            _ => {
                let rest = self.positional_args(args)?;
                leading.extend(rest);
                let f = self.base(&format!("{prefix}{name}"), loc);
                Ok(self.apply_args(f, leading, loc))
            }
        }
    }

    /// `[a b; c d]`: the lengths of the rows, then all elements.
    fn rows(&mut self, f: &str, mut args: Vec<Arg>, rows: &[ExprId], loc: SourceLoc) -> Lowering<HirNode> {
        let mut lengths = Vec::new();
        let mut elements = Vec::new();
        for &row in rows {
            let parts = if self.is_head(row, "row") { self.args(row) } else { vec![row] };
            if parts.iter().any(|&it| self.is_head(it, "...")) {
                return self.rows_with_splats(f, args, rows, loc);
            }
            lengths.push(self.int(parts.len() as i64, loc));
            elements.extend(parts);
        }
        args.push(Arg::Plain(self.core_call("tuple", lengths, loc)));
        for it in elements {
            args.push(Arg::Plain(self.expr(it)?));
        }
        let f = self.base(f, loc);
        Ok(self.apply_args(f, args, loc))
    }

    fn rows_with_splats(
        &mut self,
        f: &str,
        mut args: Vec<Arg>,
        rows: &[ExprId],
        loc: SourceLoc,
    ) -> Lowering<HirNode> {
        for &row in rows {
            let parts = if self.is_head(row, "row") { self.args(row) } else { vec![row] };
            let parts = self.positional_args(&parts)?;
            let tuple = self.core("tuple", loc);
            args.push(Arg::Plain(self.apply_args(tuple, parts, loc)));
        }
        let f = self.base(&format!("{f}_rows"), loc);
        Ok(self.apply_args(f, args, loc))
    }

    /// `[a ;;; b]`: the dimension, then the parts; parts that are concatenations themselves are made first.
    fn ncat(&mut self, f: &str, mut args: Vec<Arg>, parts: &[ExprId], loc: SourceLoc) -> Lowering<HirNode> {
        let leading = args.clone();
        let Some((&dimension, parts)) = parts.split_first() else {
            return Err(problem("malformed-expression", "malformed array literal", loc));
        };
        args.push(Arg::Plain(self.expr(dimension)?));
        for &part in parts {
            let inner = match self.parts(part) {
                Some((head, inner)) if head == "nrow" => self.ncat(f, leading.clone(), &inner, loc)?,
                Some((head, inner)) if head == "row" => {
                    let dimension = self.int(2, loc);
                    let mut row = leading.clone();
                    row.push(Arg::Plain(dimension));
                    row.extend(self.positional_args(&inner)?);
                    let f = self.base(f, loc);
                    self.apply_args(f, row, loc)
                }
                _ => {
                    args.extend(self.positional_args(&[part])?);
                    continue;
                }
            };
            args.push(Arg::Plain(inner));
        }
        let f = self.base(f, loc);
        Ok(self.apply_args(f, args, loc))
    }
}
