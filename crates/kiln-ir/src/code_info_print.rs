//! The text form of lowered code, for `kiln reflect lowered` and tests.
//!
//! One statement a line: `%3 = Base.+(x, %2)`. A slot is shown by its name, followed by `@n` where the name alone
//! would not tell; nested bodies follow the statements, indented.

use crate::{CodeInfo, Declaration, Inlining, Lowered, LoweredStmt};
use kiln_types::{Module, Symbol, Types, display, module};
use std::fmt;

/// A body with the names of its parts.
pub struct CodeInfoDisplay<'a> {
    code: &'a CodeInfo,
    types: &'a Types,
    indent: usize,
}

impl CodeInfo {
    /// The body as text.
    pub fn display<'a>(&'a self, types: &'a Types) -> CodeInfoDisplay<'a> {
        CodeInfoDisplay { code: self, types, indent: 0 }
    }
}

impl fmt::Debug for CodeInfoDisplay<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for CodeInfoDisplay<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pad = " ".repeat(self.indent);
        self.header(f, &pad)?;
        let width = self.code.stmts.len().saturating_sub(1).to_string().len();
        for (index, stmt) in self.code.stmts.iter().enumerate() {
            writeln!(f, "{pad}  %{index:<width$} {}", self.stmt(stmt))?;
        }
        for (index, body) in self.code.bodies.iter().enumerate() {
            writeln!(f, "{pad}  body {index}:")?;
            let inner = CodeInfoDisplay { code: body, types: self.types, indent: self.indent + 4 };
            fmt::Display::fmt(&inner, f)?;
        }
        Ok(())
    }
}

impl CodeInfoDisplay<'_> {
    /// The name, arguments and marks of a function; nothing for top-level code.
    fn header(&self, f: &mut fmt::Formatter<'_>, pad: &str) -> fmt::Result {
        let code = self.code;
        if code.nargs == 0 {
            return Ok(());
        }
        write!(f, "{pad}{}(", self.name(code.name))?;
        for slot in 1..code.nargs {
            let comma = if slot > 1 { ", " } else { "" };
            let dots = if code.is_va && slot + 1 == code.nargs { "..." } else { "" };
            write!(f, "{comma}{}{dots}", self.slot(slot))?;
        }
        f.write_str(")")?;
        if !code.static_params.is_empty() {
            let names: Vec<&str> = code.static_params.iter().map(|&it| self.name(it)).collect();
            write!(f, " where {{{}}}", names.join(", "))?;
        }
        for mark in self.marks() {
            write!(f, " {mark}")?;
        }
        writeln!(f)
    }

    fn marks(&self) -> Vec<String> {
        let meta = &self.code.meta;
        let mut marks = Vec::new();
        match meta.inlining {
            Inlining::Default => {}
            Inlining::Always => marks.push("@inline".to_owned()),
            Inlining::Never => marks.push("@noinline".to_owned()),
        }
        if meta.propagate_inbounds {
            marks.push("@propagate_inbounds".to_owned());
        }
        if meta.generated {
            marks.push("@generated".to_owned());
        }
        if meta.nospecialize != 0 {
            marks.push(format!("@nospecialize({:#b})", meta.nospecialize));
        }
        if let Some(mode) = meta.constprop {
            marks.push(format!("@constprop({})", self.name(mode)));
        }
        if !meta.assumed_effects.is_empty() {
            let names: Vec<&str> = meta.assumed_effects.iter().map(|&it| self.name(it)).collect();
            marks.push(format!("@assume_effects({})", names.join(", ")));
        }
        marks
    }

    fn name(&self, symbol: Symbol) -> &str {
        self.types.name(symbol)
    }

    fn slot(&self, slot: u32) -> String {
        let slots = &self.code.slots;
        let Some(info) = slots.get(slot as usize) else { return format!("@{slot}") };
        let name = self.name(info.name);
        let unique = slots.iter().filter(|it| it.name == info.name).count() == 1;
        if name.is_empty() || !unique { format!("{name}@{slot}") } else { name.to_owned() }
    }

    fn global(&self, module: Module, name: Symbol) -> String {
        format!("{}.{}", self.name(module::name(self.types, module)), self.name(name))
    }

    fn operand(&self, operand: Lowered) -> String {
        match operand {
            Lowered::Ssa(number) => format!("%{number}"),
            Lowered::Slot(slot) => self.slot(slot),
            Lowered::Const(value) => display::of_const(self.types, value),
            Lowered::Global(module, name) => self.global(module, name),
            Lowered::StaticParam(index) => match self.code.static_params.get(index as usize) {
                Some(&name) => format!("${}", self.name(name)),
                None => format!("$@{index}"),
            },
        }
    }

    fn operands(&self, operands: &[Lowered]) -> String {
        let shown: Vec<String> = operands.iter().map(|&it| self.operand(it)).collect();
        shown.join(", ")
    }

    fn stmt(&self, stmt: &LoweredStmt) -> String {
        match stmt {
            LoweredStmt::Value(value) => self.operand(*value),
            LoweredStmt::SetSlot(slot, value) => format!("{} = {}", self.slot(*slot), self.operand(*value)),
            LoweredStmt::NewVar(slot) => format!("newvar {}", self.slot(*slot)),
            LoweredStmt::Call(args) => match args.split_first() {
                Some((f, rest)) => format!("{}({})", self.operand(*f), self.operands(rest)),
                None => "()".to_owned(),
            },
            LoweredStmt::New(args) => format!("new({})", self.operands(args)),
            LoweredStmt::SplatNew(ty, fields) => {
                format!("new({}, {}...)", self.operand(*ty), self.operand(*fields))
            }
            LoweredStmt::IsDefined(value) => format!("isdefined {}", self.operand(*value)),
            LoweredStmt::Goto(target) => format!("goto %{target}"),
            LoweredStmt::GotoIfNot(cond, target) => format!("goto %{target} if not {}", self.operand(*cond)),
            LoweredStmt::Return(value) => format!("return {}", self.operand(*value)),
            LoweredStmt::Enter(handler) => format!("enter %{handler}"),
            LoweredStmt::Leave(tokens) => format!("leave {}", self.operands(tokens)),
            LoweredStmt::TheException => "the exception".to_owned(),
            LoweredStmt::PopException(token) => format!("pop exception {}", self.operand(*token)),
            LoweredStmt::BoundsCheck => "boundscheck".to_owned(),
            LoweredStmt::InboundsBegin => "inbounds begin".to_owned(),
            LoweredStmt::InboundsEnd => "inbounds end".to_owned(),
            LoweredStmt::LoopInfo(marks) => {
                let names: Vec<&str> = marks.iter().map(|&it| self.name(it)).collect();
                format!("loopinfo {}", names.join(" "))
            }
            LoweredStmt::CopyAst(value) => format!("copy {}", display::of_const(self.types, *value)),
            LoweredStmt::GenericFunction(module, name) => format!("function {}", self.global(*module, *name)),
            LoweredStmt::Method { signature, body, table } => {
                let table = table.map(|it| format!(" in {}", self.operand(it))).unwrap_or_default();
                format!("method {} body {body}{table}", self.operand(*signature))
            }
            LoweredStmt::DeclareGlobal { module, name, value, kind } => {
                let (word, sign) = match kind {
                    Declaration::Weak => ("declare", "::"),
                    Declaration::Variable => ("global", "::"),
                    Declaration::Constant => ("const", " = "),
                };
                let value = value.map(|it| format!("{sign}{}", self.operand(it))).unwrap_or_default();
                format!("{word} {}{value}", self.global(*module, *name))
            }
            LoweredStmt::LatestWorld => "latest world".to_owned(),
            LoweredStmt::TopLevel(value) => format!("toplevel {}", display::of_const(self.types, *value)),
        }
    }
}
