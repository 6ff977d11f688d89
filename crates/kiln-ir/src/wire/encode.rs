//! Writes an [`IrCode`].

use super::Wire;
use super::section::{ImageObjects, SectionWriter};
use crate::{Instance, IrCode, Op, StmtData, ThrowSiteData, ThunkStep, ThunkValue, Undefined, Value};
use kiln_types::Types;

/// Kinds of operations. Only ever added to.
pub(super) mod tag {
    pub(crate) const PHI: u8 = 0;
    pub(crate) const PI: u8 = 1;
    pub(crate) const INTRINSIC: u8 = 2;
    pub(crate) const BUILTIN: u8 = 3;
    pub(crate) const HOST: u8 = 4;
    pub(crate) const INVOKE: u8 = 5;
    pub(crate) const CALL: u8 = 6;
    pub(crate) const NEW: u8 = 7;
    pub(crate) const NEW_DYNAMIC: u8 = 8;
    pub(crate) const SPLAT_NEW: u8 = 9;
    pub(crate) const GLOBAL: u8 = 10;
    pub(crate) const BOUNDS_CHECK: u8 = 11;
    pub(crate) const IS_DEFINED_GLOBAL: u8 = 12;
    pub(crate) const THROW_UNDEF: u8 = 13;
    pub(crate) const ENTER: u8 = 14;
    pub(crate) const LEAVE: u8 = 15;
    pub(crate) const THE_EXCEPTION: u8 = 16;
    pub(crate) const POP_EXCEPTION: u8 = 17;
    pub(crate) const COPY_AST: u8 = 18;
    pub(crate) const LOOP_INFO: u8 = 19;
    pub(crate) const NOP: u8 = 20;
    pub(crate) const GOTO: u8 = 21;
    pub(crate) const BRANCH: u8 = 22;
    pub(crate) const RETURN: u8 = 23;
    pub(crate) const FAIL: u8 = 24;
    pub(crate) const UNREACHABLE: u8 = 25;
    pub(crate) const REPORT: u8 = 26;
    pub(crate) const LOOKUP: u8 = 27;
    pub(crate) const THROW_UNBOUND: u8 = 28;
    pub(crate) const UPSILON: u8 = 29;
    pub(crate) const PHI_C: u8 = 30;
}

type Section<'a> = SectionWriter<'a>;

impl SectionWriter<'_> {
    fn value(&mut self, value: Value) {
        match value {
            Value::Stmt(stmt) => {
                self.out.u8(0);
                self.out.number(stmt.as_u32().into());
            }
            Value::Arg(arg) => {
                self.out.u8(1);
                self.out.number(arg.into());
            }
            Value::Const(constant) => {
                self.out.u8(2);
                self.constant(constant);
            }
        }
    }

    fn values(&mut self, tag: u8, values: &[Value]) {
        self.out.u8(tag);
        self.number(values.len());
        values.iter().for_each(|&it| self.value(it));
    }
}

/// The body, and whether every type in it is closed.
pub(super) fn write(code: &IrCode, types: &Types, within: Option<&dyn ImageObjects>) -> (Wire, bool) {
    let mut instances = Vec::new();
    let mut section = Section::new(types, within);
    section.number(code.args.len());
    code.args.iter().for_each(|&it| section.ty(it));
    section.ty(code.return_type);
    section.number(code.throw_sites.len());
    for site in code.throw_sites.values() {
        section.number(site.operands.len());
        site.operands.iter().for_each(|&it| section.ty(it));
    }
    section.number(code.stmts.len());
    section.number(code.blocks.len());
    for data in code.stmts.values() {
        op(&mut section, &data.op, &mut instances);
        section.ty(data.ty);
        section.out.bool(data.inbounds);
    }
    for block in code.blocks.values() {
        section.number(block.stmts.len());
        block.stmts.iter().for_each(|it| section.out.number(it.as_u32().into()));
    }
    let mut is_closed = !section.tables.is_open;
    let (body, mut objects) = section.finish_with_objects();
    let mut inlined = Vec::new();
    let section = host_section(code, Section::new(types, within), &mut inlined);
    is_closed &= !section.tables.is_open;
    let (host, in_host) = section.finish_with_objects();
    if within.is_some() {
        objects.extend(in_host);
    }
    (Wire { body, host, instances, inlined, objects }, is_closed)
}

fn instance_number(instances: &mut Vec<Instance>, instance: Instance) -> usize {
    instances.iter().position(|it| *it == instance).unwrap_or_else(|| {
        instances.push(instance);
        instances.len() - 1
    })
}

fn op(section: &mut Section<'_>, op: &Op, instances: &mut Vec<Instance>) {
    match op {
        Op::Phi(incoming) => {
            section.out.u8(tag::PHI);
            section.number(incoming.len());
            for &(block, value) in incoming {
                section.out.number(block.as_u32().into());
                section.value(value);
            }
        }
        Op::Pi(value) => one(section, tag::PI, *value),
        Op::Upsilon(value) => one(section, tag::UPSILON, *value),
        Op::PhiC(kept) => section.values(tag::PHI_C, kept),
        Op::Intrinsic(intrinsic, args) => {
            section.values(tag::INTRINSIC, args);
            section.out.number(*intrinsic as u64);
        }
        Op::Builtin(builtin, args) => {
            section.values(tag::BUILTIN, args);
            section.out.number(*builtin as u64);
        }
        Op::Host(function, args) => {
            section.values(tag::HOST, args);
            section.out.number(*function as u64);
        }
        Op::Invoke(instance, args) => {
            section.values(tag::INVOKE, args);
            section.number(instance_number(instances, *instance));
        }
        Op::Lookup(instance, args) => {
            section.values(tag::LOOKUP, args);
            section.number(instance_number(instances, *instance));
        }
        Op::Call(args) => section.values(tag::CALL, args),
        Op::Report(site, operands) => {
            section.values(tag::REPORT, operands);
            section.out.number(site.as_u32().into());
        }
        Op::New(args) => section.values(tag::NEW, args),
        Op::NewDynamic(args) => section.values(tag::NEW_DYNAMIC, args),
        Op::SplatNew(a, b) => {
            one(section, tag::SPLAT_NEW, *a);
            section.value(*b);
        }
        Op::Leave(args) => section.values(tag::LEAVE, args),
        Op::PopException(value) => one(section, tag::POP_EXCEPTION, *value),
        Op::CopyAst(constant) => {
            section.out.u8(tag::COPY_AST);
            section.constant(*constant);
        }
        Op::LoopInfo(marks) => {
            section.out.u8(tag::LOOP_INFO);
            section.number(marks.len());
            marks.iter().for_each(|&it| section.symbol(it));
        }
        Op::BoundsCheck => section.out.u8(tag::BOUNDS_CHECK),
        Op::TheException => section.out.u8(tag::THE_EXCEPTION),
        Op::Nop => section.out.u8(tag::NOP),
        Op::Global(..) | Op::IsDefinedGlobal(..) | Op::ThrowUndefIfNot(..) => named(section, op),
        Op::Enter { .. }
        | Op::Goto(_)
        | Op::Branch { .. }
        | Op::Return(_)
        | Op::Fail(..)
        | Op::Unreachable => {
            terminator(section, op);
        }
    }
}

fn one(section: &mut Section<'_>, tag: u8, value: Value) {
    section.out.u8(tag);
    section.value(value);
}

fn named(section: &mut Section<'_>, op: &Op) {
    if let Op::ThrowUndefIfNot(what, value) = op {
        let is_static = matches!(what, Undefined::StaticParam(_));
        one(section, if is_static { tag::THROW_UNBOUND } else { tag::THROW_UNDEF }, *value);
        section.symbol(what.name());
    } else if let Op::Global(module, name) | Op::IsDefinedGlobal(module, name) = op {
        let is_read = matches!(op, Op::Global(..));
        section.out.u8(if is_read { tag::GLOBAL } else { tag::IS_DEFINED_GLOBAL });
        section.module(*module);
        section.symbol(*name);
    }
}

fn terminator(section: &mut Section<'_>, op: &Op) {
    if let Op::Enter { body, handler } = op {
        section.out.u8(tag::ENTER);
        section.out.number(body.as_u32().into());
        section.out.number(handler.as_u32().into());
    } else if let Op::Goto(target) = op {
        section.out.u8(tag::GOTO);
        section.out.number(target.as_u32().into());
    } else if let Op::Branch { cond, then, other } = op {
        one(section, tag::BRANCH, *cond);
        section.out.number(then.as_u32().into());
        section.out.number(other.as_u32().into());
    } else if let Op::Return(value) = op {
        one(section, tag::RETURN, *value);
    } else if let Op::Fail(site, operands) = op {
        section.values(tag::FAIL, operands);
        section.out.number(site.as_u32().into());
    } else {
        section.out.u8(tag::UNREACHABLE);
    }
}

fn host_section<'a>(
    code: &IrCode,
    mut section: SectionWriter<'a>,
    instances: &mut Vec<Instance>,
) -> SectionWriter<'a> {
    section.symbol(code.name);
    section.number(code.inlined_at.len());
    for it in &code.inlined_at {
        section.number(instance_number(instances, it.callee));
        section.symbol(it.name);
        section.out.number(it.call.to_bits());
        section.out.number(it.parent.into());
    }
    for StmtData { loc, inlined, .. } in code.stmts.values() {
        section.out.number(loc.to_bits());
        section.out.number((*inlined).into());
    }
    for site in code.throw_sites.values() {
        throw_site(&mut section, site);
    }
    section
}

fn throw_site(section: &mut Section<'_>, site: &ThrowSiteData) {
    section.out.number(site.loc.to_bits());
    section.out.number(site.inlined.into());
    section.number(site.thunk.len());
    for step in &site.thunk {
        let values = match step {
            ThunkStep::Call(values) => {
                section.out.u8(0);
                values
            }
            ThunkStep::New(ty, values) => {
                section.out.u8(1);
                section.ty(*ty);
                values
            }
        };
        section.number(values.len());
        for value in values {
            match *value {
                ThunkValue::Operand(number) => {
                    section.out.u8(0);
                    section.out.number(number.into());
                }
                ThunkValue::Step(number) => {
                    section.out.u8(1);
                    section.out.number(number.into());
                }
                ThunkValue::Const(constant) => {
                    section.out.u8(2);
                    section.constant(constant);
                }
            }
        }
    }
}
