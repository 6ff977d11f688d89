//! Boxes, where a kernel needs them: conversions of a value of a known type to a less known type.
//!
//! `new(Any, x)` makes a box of `x`. The pass inserts it before each statement that takes `x` as a value of a type
//! without a single representation ([`boxing::is_boxed`](kiln_types::boxing::is_boxed)), or stores it in a field that holds an address: at phis,
//! returns, and fields of objects. Unboxing needs no statement: every use states the type it expects.
//!
//! It runs last: the other passes have removed what they can, and do not know boxes.

use crate::value::type_of;
use kiln_ir::{Block, Builtin, IrCode, Op, Stmt, StmtData, Value};
use kiln_types::{ConstData, FieldStorage, Type, Types, boxing, consts, datatype, layout};

/// An operand that is to be a box.
struct Place {
    user: Stmt,
    /// The index of the operand; for a phi, of the edge.
    operand: usize,
    value: Value,
    /// The type that the box is to be known as.
    ty: Type,
}

/// Returns `code` with its boxes made.
pub fn make_boxes(mut code: IrCode, types: &Types) -> IrCode {
    let mut made = false;
    for block in code.blocks.keys().collect::<Vec<_>>() {
        for stmt in code.blocks[block].stmts.clone() {
            for place in places(&code, types, stmt) {
                let before = match &code.stmts[stmt].op {
                    Op::Phi(incoming) => (incoming[place.operand].0, None),
                    _ => (block, Some(stmt)),
                };
                fill(&mut code, before, &place);
                made = true;
            }
        }
    }
    if made { crate::verified("make_boxes", kiln_ir::compact(code), types) } else { code }
}

/// Makes the box of one operand, before a statement or at the end of a block.
fn fill(code: &mut IrCode, (block, before): (Block, Option<Stmt>), place: &Place) {
    let user = &code.stmts[place.user];
    let last = code.blocks[block].stmts.len().saturating_sub(1);
    let at = before.and_then(|it| code.blocks[block].stmts.iter().position(|found| *found == it));
    let near = if before.is_none() { code.blocks[block].stmts.get(last) } else { None };
    // A phi has no place of its own.
    let origin = near.map_or(user, |it| &code.stmts[*it]);
    let data = StmtData {
        op: Op::New(vec![place.value]),
        ty: place.ty,
        loc: if user.loc.is_none() { origin.loc } else { user.loc },
        inlined: if user.loc.is_none() { origin.inlined } else { user.inlined },
        inbounds: false,
    };
    let made = code.stmts.push(data);
    code.blocks[block].stmts.insert(at.unwrap_or(last), made);
    let mut operand = 0;
    code.stmts[place.user].op.each_operand_mut(|it| {
        if operand == place.operand {
            *it = Value::Stmt(made);
        }
        operand += 1;
    });
}

/// Returns the operands of a statement that must be boxes and are not.
fn places(code: &IrCode, types: &Types, user: Stmt) -> Vec<Place> {
    let data = &code.stmts[user];
    let place = |operand, value, ty| Place { user, operand, value, ty };
    let any = types.core().any;
    let wanted: Vec<Place> = match &data.op {
        Op::Phi(incoming) if boxing::is_boxed(types, data.ty) => {
            incoming.iter().enumerate().map(|(n, it)| place(n, it.1, data.ty)).collect()
        }
        Op::Pi(value) if boxing::is_boxed(types, data.ty) => vec![place(0, *value, data.ty)],
        Op::Return(value) if boxing::is_boxed(types, code.return_type) => {
            vec![place(0, *value, code.return_type)]
        }
        Op::Builtin(Builtin::Ifelse, args) if boxing::is_boxed(types, data.ty) => {
            args.iter().enumerate().skip(1).map(|(n, it)| place(n, *it, data.ty)).collect()
        }
        Op::Builtin(Builtin::Compilerbarrier, args) if boxing::is_boxed(types, data.ty) => {
            args.iter().enumerate().skip(1).map(|(n, it)| place(n, *it, data.ty)).collect()
        }
        Op::New(args) if datatype::is_concrete(types, data.ty) => {
            let boxed = |it: &usize| holds_box(types, data.ty, *it);
            (0..args.len()).filter(boxed).map(|it| place(it, args[it], any)).collect()
        }
        Op::Builtin(Builtin::Tuple, args) if datatype::is_concrete(types, data.ty) => {
            let boxed = |it: &usize| holds_box(types, data.ty, *it);
            (0..args.len()).filter(boxed).map(|it| place(it, args[it], any)).collect()
        }
        Op::Builtin(Builtin::Setfield, args) => {
            let field = args.get(1).and_then(|it| field_number(types, type_of(code, types, args[0]), *it));
            let object = args.first().map(|it| type_of(code, types, *it));
            match (object, field, args.get(2)) {
                (Some(object), Some(field), Some(value)) if holds_box(types, object, field) => {
                    vec![place(2, *value, any)]
                }
                _ => Vec::new(), // the field is of one type, or the kernel is refused
            }
        }
        _ => Vec::new(), // takes its operands as they are
    };
    let is_none = |it: &Place| {
        let ty = match it.value {
            Value::Const(it) => boxing::tag_of(types, it),
            it => type_of(code, types, it),
        };
        boxing::can_be_boxed(types, ty) || boxing::is_tagged(types, ty)
    };
    wanted.into_iter().filter(is_none).collect()
}

/// Whether a field of an object holds the address of a box.
fn holds_box(types: &Types, object: Type, field: usize) -> bool {
    let place = layout::of(types, object).and_then(|it| it.fields.get(field));
    place.is_some_and(|it| it.storage == FieldStorage::Pointer)
        && datatype::field_types(types, object)
            .get(field)
            .is_some_and(|it| boxing::is_field_boxed(types, *it))
}

/// Returns the number of the field of an object for a constant.
fn field_number(types: &Types, object: Type, field: Value) -> Option<usize> {
    let Value::Const(field) = field else { return None };
    match types.const_data(field) {
        ConstData::Symbol(name) => datatype::field_index(types, object, *name),
        _ => usize::try_from(consts::as_int(types, field)?).ok()?.checked_sub(1),
    }
}
