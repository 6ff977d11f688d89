//! Expressions as s-expressions, for tests and for looking at.

use kiln_ir::{Ast, Expr, ExprId};
use kiln_types::{Const, ConstData, Types, consts, module};
use std::fmt::Write;

/// The expression without its line nodes: `(call + a 1)`. A `QuoteNode` is `(inert x)`.
pub fn print(ast: &Ast, types: &Types, id: ExprId) -> String {
    let mut out = String::new();
    Printer { ast, types, lines: false }.expr(id, &mut out);
    out
}

/// As [`print()`], with line nodes, as `#line`.
pub fn print_with_lines(ast: &Ast, types: &Types, id: ExprId) -> String {
    let mut out = String::new();
    Printer { ast, types, lines: true }.expr(id, &mut out);
    out
}

struct Printer<'a> {
    ast: &'a Ast,
    types: &'a Types,
    lines: bool,
}

impl Printer<'_> {
    fn expr(&self, id: ExprId, out: &mut String) {
        match self.ast.expr(id) {
            Expr::Node { head, args } => {
                out.push('(');
                out.push_str(self.types.name(*head));
                for &arg in args {
                    if self.lines || !matches!(self.ast.expr(arg), Expr::Line { .. }) {
                        out.push(' ');
                        self.expr(arg, out);
                    }
                }
                out.push(')');
            }
            Expr::Symbol(symbol) => out.push_str(self.types.name(*symbol)),
            Expr::Const(value) => self.constant(*value, out),
            Expr::Global(module, name) => {
                let module = self.types.name(module::name(self.types, *module));
                let _ = write!(out, "{module}.{}", self.types.name(*name));
            }
            Expr::Quote(inner) => {
                out.push_str("(inert ");
                self.expr(*inner, out);
                out.push(')');
            }
            Expr::Line { line, .. } => {
                let _ = write!(out, "#{line}");
            }
        }
    }

    fn constant(&self, value: Const, out: &mut String) {
        let _ = match self.types.const_data(value) {
            ConstData::Bits { bytes, .. } => self.bits(value, bytes, out),
            ConstData::Symbol(symbol) => write!(out, ":{}", self.types.name(*symbol)),
            ConstData::String(bytes) => write!(out, "{:?}", String::from_utf8_lossy(bytes)),
            ConstData::Type(_) => write!(out, "<type>"),
            ConstData::Module(module) => {
                write!(out, "<module {}>", self.types.name(module::name(self.types, *module)))
            }
            ConstData::Aggregate { .. } | ConstData::Object { .. } => write!(out, "<value>"),
        };
    }

    fn bits(&self, value: Const, bytes: &[u8], out: &mut String) -> std::fmt::Result {
        let core = self.types.core();
        let ty = consts::type_of(self.types, value);
        let mut wide = [0u8; 16];
        wide[..bytes.len().min(16)].copy_from_slice(&bytes[..bytes.len().min(16)]);
        let unsigned = u128::from_le_bytes(wide);
        let unsigned_type = [core.uint8, core.uint16, core.uint32, core.uint64, core.uint128].contains(&ty);
        if value == consts::nothing(self.types) {
            write!(out, "nothing")
        } else if ty == core.bool {
            write!(out, "{}", unsigned != 0)
        } else if ty == core.char {
            let encoded: Vec<u8> = (unsigned as u32).to_be_bytes().into_iter().collect();
            let length = encoded.iter().rposition(|&byte| byte != 0).map_or(1, |last| last + 1);
            write!(out, "'{}'", String::from_utf8_lossy(&encoded[..length]))
        } else if ty == core.float64 {
            write!(out, "{:?}", f64::from_bits(unsigned as u64))
        } else if ty == core.float32 {
            write!(out, "{:?}f0", f32::from_bits(unsigned as u32))
        } else if unsigned_type {
            write!(out, "0x{unsigned:0width$x}", width = bytes.len() * 2)
        } else if ty == core.int64 {
            write!(out, "{}", unsigned as u64 as i64)
        } else {
            write!(out, "<bits {unsigned}>")
        }
    }
}
