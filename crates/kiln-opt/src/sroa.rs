//! Scalar replacement: a mutable struct that does not escape becomes the values of its fields.
//!
//! `r = Ref(0); r[] += 1; r[]` becomes `0 + 1`: reads of a field are the last write before them, with phis where ways
//! meet (Braun et al., CC 2013, as in inference). An object is replaced if all that is done with it is reading and writing of
//! fields that are named by constants; whatever else it is used for makes it visible to others. Only a block that throws
//! may do more: it gets an object of its own, made where it is needed. A field that is made without a value, as that of a
//! `Core.Box` is, must be written on every way to a read.

use crate::value::{field_number, type_of};
use kiln_ir::{Block, Builtin, Cfg, Handlers, IrCode, Op, Stmt, StmtData, Value, leave};
use kiln_types::{Type, Types, consts, datatype};
use rustc_hash::{FxHashMap, FxHashSet};

/// Objects that hold objects take a round more each level.
const ROUNDS_MAX: usize = 4;

/// Returns `code` with objects that do not escape as values. Their allocations are left without uses, for `adce`.
pub fn replace_objects(mut code: IrCode, types: &Types) -> IrCode {
    for _ in 0..ROUNDS_MAX {
        let made: Vec<Stmt> = code
            .blocks
            .values()
            .flat_map(|it| it.stmts.iter().copied())
            .filter(|it| is_made(&code, types, *it))
            .collect();
        let mut changed = false;
        for stmt in made {
            changed |= replace(&mut code, types, stmt);
        }
        if !changed {
            break;
        }
    }
    code
}

fn throws(code: &IrCode, block: Block) -> bool {
    matches!(code.terminator(block), Op::Unreachable)
}

fn is_made(code: &IrCode, types: &Types, stmt: Stmt) -> bool {
    let data = &code.stmts[stmt];
    matches!(data.op, Op::New(_))
        && datatype::is_mutable(types, data.ty)
        && datatype::is_concrete(types, data.ty)
}

/// The way in which a statement uses an object.
enum Use {
    /// Reads this field.
    Read(usize),
    /// Asks whether this field has a value.
    Asked(usize),
    /// Writes this value to this field.
    Write(usize, Value),
    /// Is the object under another name.
    Name,
    /// Something in a block that throws.
    Thrown,
}

/// The object's uses, or `None` if it escapes.
fn uses(code: &IrCode, types: &Types, object: Stmt) -> Option<FxHashMap<Stmt, Use>> {
    let ty = code.stmts[object].ty;
    let mut names: FxHashSet<Stmt> = FxHashSet::from_iter([object]);
    let mut found = FxHashMap::default();
    // A block that throws the object after writing to it may do so in any order.
    let (mut written, mut thrown) = (FxHashSet::default(), FxHashSet::default());
    // A name is defined before it is used, but not always laid out so.
    loop {
        let before = names.len();
        for (block, body) in code.blocks.iter() {
            let throws = throws(code, block);
            for &stmt in &body.stmts {
                let op = &code.stmts[stmt].op;
                let mut touched = 0;
                op.each_operand(|it| {
                    touched += usize::from(matches!(it, Value::Stmt(it) if names.contains(&it)))
                });
                if touched == 0 {
                    continue;
                }
                let is_object = |it: Value| matches!(it, Value::Stmt(it) if names.contains(&it));
                let how = match how_used(code, types, ty, op, &is_object) {
                    Some(how) if touched == 1 => {
                        if throws && matches!(how, Use::Write(..)) {
                            written.insert(block);
                        }
                        how
                    }
                    _ if throws && !matches!(op, Op::Phi(_)) => {
                        thrown.insert(block);
                        // One made where it is thrown is made there anyway.
                        if body.stmts.contains(&object) {
                            return None;
                        }
                        Use::Thrown
                    }
                    _ => return None,
                };
                if matches!(how, Use::Name) {
                    names.insert(stmt);
                }
                found.insert(stmt, how);
            }
        }
        if names.len() == before {
            return written.is_disjoint(&thrown).then_some(found);
        }
    }
}

/// Gives every block that throws with the object one of its own; the reads that takes join `uses`.
fn copy_for_throws(code: &mut IrCode, types: &Types, object: Stmt, uses: &mut FxHashMap<Stmt, Use>) {
    let template = code.stmts[object].clone();
    let declared = datatype::field_types(types, template.ty);
    let is_name =
        |uses: &FxHashMap<Stmt, Use>, it: Stmt| it == object || matches!(uses.get(&it), Some(Use::Name));
    let blocks: Vec<Block> = code.blocks.keys().collect();
    for block in blocks {
        let stmts = code.blocks[block].stmts.clone();
        let Some(at) = stmts.iter().position(|it| matches!(uses.get(it), Some(Use::Thrown))) else {
            continue;
        };
        let mut made = Vec::new();
        for (number, ty) in declared.iter().enumerate() {
            let index = Value::Const(consts::int(types, number as i64 + 1));
            let op = Op::Builtin(Builtin::Getfield, vec![Value::Stmt(object), index]);
            let read = code.stmts.push(StmtData { op, ty: *ty, ..template.clone() });
            uses.insert(read, Use::Read(number));
            made.push(read);
        }
        let op = Op::New(made.iter().map(|it| Value::Stmt(*it)).collect());
        let copy = code.stmts.push(StmtData { op, ..template.clone() });
        made.push(copy);
        code.blocks[block].stmts.splice(at..at, made);
        for stmt in stmts.into_iter().filter(|it| matches!(uses.get(it), Some(Use::Thrown))) {
            code.stmts[stmt].op.each_operand_mut(|it| {
                if matches!(*it, Value::Stmt(name) if is_name(uses, name)) {
                    *it = Value::Stmt(copy);
                }
            });
        }
    }
}

/// Returns how a statement that mentions the object once uses it, if that is harmless.
fn how_used(
    code: &IrCode,
    types: &Types,
    ty: Type,
    op: &Op,
    is_object: &dyn Fn(Value) -> bool,
) -> Option<Use> {
    match op {
        Op::Pi(_) => Some(Use::Name),
        Op::Builtin(Builtin::Getfield, args) => {
            let Value::Const(field) = *args.get(1)? else { return None };
            let number = field_number(types, ty, field)?;
            (number < datatype::field_types(types, ty).len() && matches!(args[0], Value::Stmt(_)))
                .then_some(Use::Read(number))
        }
        Op::Builtin(Builtin::Isdefined, args) => {
            let &[Value::Stmt(_), Value::Const(field)] = args.as_slice() else { return None };
            let number = field_number(types, ty, field)?;
            (number < datatype::field_types(types, ty).len()).then_some(Use::Asked(number))
        }
        Op::Builtin(Builtin::Setfield, args) => {
            let &[owner, Value::Const(field), value] = args.as_slice() else { return None };
            // Stored in another object, it escapes.
            if !is_object(owner) {
                return None;
            }
            let number = field_number(types, ty, field)?;
            let declared = *datatype::field_types(types, ty).get(number)?;
            types.subtype(type_of(code, types, value), declared).then_some(Use::Write(number, value))
        }
        _ => None, // escapes
    }
}

fn replace(code: &mut IrCode, types: &Types, object: Stmt) -> bool {
    let Some(mut uses) = uses(code, types, object) else { return false };
    if is_seen_by_handler(code, object, &uses) {
        return false;
    }
    let Op::New(initial) = code.stmts[object].op.clone() else { return false };
    let declared = datatype::field_types(types, code.stmts[object].ty);
    let whole = (initial.len()..declared.len()).all(|it| is_written_first(code, object, &uses, it));
    let fits = initial.iter().zip(declared).all(|(it, ty)| types.subtype(type_of(code, types, *it), *ty));
    let thrown = uses.values().any(|it| matches!(it, Use::Thrown));
    if uses.is_empty() || !whole || !fits || thrown && initial.len() < declared.len() {
        return false;
    }
    copy_for_throws(code, types, object, &mut uses);
    let mut fields: Vec<usize> =
        uses.values().filter_map(|it| if let Use::Read(n) = it { Some(*n) } else { None }).collect();
    fields.sort_unstable();
    fields.dedup();
    let cfg = Cfg::new(code);
    let mut answers: Vec<(Stmt, Value)> = Vec::new();
    for field in fields {
        let ty = stored_type(code, types, &uses, field, initial.get(field).copied());
        let mut variable = Variable {
            object,
            field,
            initial: initial.get(field).copied(),
            ty,
            uses: &uses,
            cfg: &cfg,
            entries: FxHashMap::default(),
            incomplete: Vec::new(),
        };
        variable.run(code, &mut answers);
    }
    // One answer a statement: their order does not matter.
    answers.extend(uses.iter().filter_map(|(stmt, how)| match how {
        Use::Write(_, value) => Some((*stmt, *value)),
        Use::Asked(_) => Some((*stmt, Value::Const(consts::bool(types, true)))),
        _ => None,
    }));
    for (stmt, value) in answers {
        code.stmts[stmt].op = Op::Pi(value);
    }
    true
}

/// Whether a handler may see what happened to an object in its `try`, to which no edge leads: a write, or the object itself.
fn is_seen_by_handler(code: &IrCode, object: Stmt, uses: &FxHashMap<Stmt, Use>) -> bool {
    let cfg = Cfg::new(code);
    let handlers = Handlers::new(code, &cfg);
    if handlers.is_empty() {
        return false;
    }
    let (mut of_object, mut of_uses) = (Vec::new(), Vec::new());
    for &block in &cfg.reverse_postorder {
        let mut around = handlers.around(block).to_vec();
        for stmt in &code.blocks[block].stmts {
            if *stmt == object {
                of_object.clone_from(&around);
            }
            match uses.get(stmt) {
                Some(Use::Write(..)) => of_uses.push(around.clone()),
                Some(Use::Thrown) if !around.is_empty() => return true,
                _ => {} // a handler would see the same before and after
            }
            leave(&mut around, &code.stmts[*stmt].op);
        }
    }
    of_uses.iter().any(|it| !of_object.starts_with(it))
}

/// Whether every read of a field that is made without a value, and every question whether it has one, comes after a write,
/// whichever way control takes: else it may throw, and must go on to.
fn is_written_first(code: &IrCode, object: Stmt, uses: &FxHashMap<Stmt, Use>, field: usize) -> bool {
    let cfg = Cfg::new(code);
    // Whether it is written at the end of a block; taken for true until found to be false.
    let mut written: FxHashMap<Block, bool> = FxHashMap::default();
    loop {
        let mut changed = false;
        let mut early = false;
        for &block in &cfg.reverse_postorder {
            let from = &cfg.predecessors[block];
            let mut here = !from.is_empty() && from.iter().all(|it| written.get(it).copied().unwrap_or(true));
            for stmt in &code.blocks[block].stmts {
                match uses.get(stmt) {
                    _ if *stmt == object => here = false,
                    Some(Use::Write(n, _)) if *n == field => here = true,
                    Some(Use::Read(n) | Use::Asked(n)) if *n == field => early |= !here,
                    _ => {} // another field, or none
                }
            }
            changed |= written.insert(block, here) != Some(here);
        }
        if !changed {
            return !early;
        }
    }
}

/// The type of all that is ever stored in a field.
fn stored_type(
    code: &IrCode,
    types: &Types,
    uses: &FxHashMap<Stmt, Use>,
    field: usize,
    initial: Option<Value>,
) -> Type {
    let mut all: Vec<Type> = initial.iter().map(|it| type_of(code, types, *it)).collect();
    for stmt in code.blocks.values().flat_map(|it| it.stmts.iter()) {
        if let Some(Use::Write(n, value)) = uses.get(stmt)
            && *n == field
        {
            all.push(type_of(code, types, *value));
        }
    }
    types.union(&all)
}

/// One field, as a variable to bring into SSA form.
struct Variable<'a> {
    object: Stmt,
    field: usize,
    /// The value that the object is made with; a field without one is written before it is read.
    initial: Option<Value>,
    ty: Type,
    uses: &'a FxHashMap<Stmt, Use>,
    cfg: &'a Cfg,
    /// The value at the start of a block.
    entries: FxHashMap<Block, Value>,
    /// Phis without operands yet.
    incomplete: Vec<(Block, Stmt)>,
}

impl Variable<'_> {
    fn run(&mut self, code: &mut IrCode, answers: &mut Vec<(Stmt, Value)>) {
        for &block in &self.cfg.reverse_postorder {
            let mut here = None;
            for stmt in code.blocks[block].stmts.clone() {
                if let Some(value) = self.written(stmt) {
                    here = Some(value);
                } else if let Some(Use::Read(n)) = self.uses.get(&stmt)
                    && *n == self.field
                {
                    let value = here.unwrap_or_else(|| self.at_start(code, block));
                    here = Some(value);
                    answers.push((stmt, value));
                }
            }
        }
        while let Some((block, phi)) = self.incomplete.pop() {
            let from: Vec<Block> = self.cfg.predecessors[block].clone();
            let edges = from.into_iter().map(|it| (it, self.at_end(code, it))).collect();
            code.stmts[phi].op = Op::Phi(edges);
        }
    }

    /// The value the field has after this statement, if it sets it.
    fn written(&self, stmt: Stmt) -> Option<Value> {
        if stmt == self.object {
            return self.initial;
        }
        match self.uses.get(&stmt) {
            Some(Use::Write(n, value)) if *n == self.field => Some(*value),
            _ => None, // another field, or none
        }
    }

    fn at_end(&mut self, code: &mut IrCode, block: Block) -> Value {
        let last = code.blocks[block].stmts.iter().rev().find_map(|it| self.written(*it));
        last.unwrap_or_else(|| self.at_start(code, block))
    }

    /// Reads are dominated by the allocation, so every way back meets it.
    fn at_start(&mut self, code: &mut IrCode, block: Block) -> Value {
        if let Some(value) = self.entries.get(&block) {
            return *value;
        }
        let value = match self.cfg.predecessors[block].as_slice() {
            &[only] => self.at_end(code, only),
            _ => {
                let template = code.stmts[self.object].clone();
                let phi = code.stmts.push(StmtData { op: Op::Phi(Vec::new()), ty: self.ty, ..template });
                code.blocks[block].stmts.insert(0, phi);
                self.incomplete.push((block, phi));
                Value::Stmt(phi)
            }
        };
        self.entries.insert(block, value);
        value
    }
}

#[cfg(test)]
mod tests {
    use super::replace_objects;
    use crate::testing::{Body, run};

    /// A counter in a loop is a phi.
    #[test]
    fn a_field_written_in_a_loop_is_a_phi() {
        let body = Body::new(
            "f(_0::Int64, _1::Bool)::Int64\n\
             bb0:\n  %0 = new(_0)::Cell\n  goto bb1\n\
             bb1:\n  %2 = Core.getfield(%0, 1)::Int64\n  %3 = Intrinsics.add_int(%2, _0)::Int64\n  \
             %4 = Core.setfield!(%0, 1, %3)::Int64\n  branch _1 ? bb1 : bb2\n\
             bb2:\n  %6 = Core.getfield(%0, 1)::Int64\n  return %6\n",
        );
        assert_eq!(
            run(body, replace_objects),
            "f(_0::Int64, _1::Bool)::Int64\n\
             bb0:\n  goto bb1\n\
             bb1:\n  %1 = φ (bb0 => _0, bb1 => %2)::Int64\n  %2 = Intrinsics.add_int(%1, _0)::Int64\n  branch _1 ? bb1 : bb2\n\
             bb2:\n  return %2\n"
        );
    }

    /// An error that shows the object does not keep it alive elsewhere.
    #[test]
    fn a_throw_makes_an_object_of_its_own() {
        let body = Body::new(
            "f(_0::Int64, _1::Bool)::Int64\n\
             bb0:\n  %0 = new(_0)::Cell\n  %1 = Core.setfield!(%0, 1, 3)::Int64\n  branch _1 ? bb1 : bb2\n\
             bb1:\n  %3 = Core.throw(%0)::Union{}\n  unreachable\n\
             bb2:\n  %5 = Core.getfield(%0, 1)::Int64\n  return %5\n",
        );
        assert_eq!(
            run(body, replace_objects),
            "f(_0::Int64, _1::Bool)::Int64\n\
             bb0:\n  branch _1 ? bb1 : bb2\n\
             bb1:\n  %1 = new(3)::Cell\n  %2 = Core.throw(%1)::Union{}\n  unreachable\n\
             bb2:\n  return 3\n"
        );
    }

    /// A box is made without contents: they are the last ones written, wherever ways meet.
    #[test]
    fn a_box_is_its_contents() {
        let body = Body::new(
            "f(_0::Int64, _1::Bool)::Any\n\
             bb0:\n  %0 = new()::Box\n  branch _1 ? bb1 : bb2\n\
             bb1:\n  %2 = Core.setfield!(%0, 1, 3)::Int64\n  goto bb3\n\
             bb2:\n  %4 = Core.setfield!(%0, 1, _0)::Int64\n  goto bb3\n\
             bb3:\n  %6 = Core.isdefined(%0, 1)::Bool\n  %7 = throw_undef_if_not c, %6::Nothing\n  \
             %8 = Core.getfield(%0, 1)::Any\n  return %8\n",
        );
        assert_eq!(
            run(body, replace_objects),
            "f(_0::Int64, _1::Bool)::Any\n\
             bb0:\n  branch _1 ? bb1 : bb2\n\
             bb1:\n  goto bb3\n\
             bb2:\n  goto bb3\n\
             bb3:\n  %3 = φ (bb1 => 3, bb2 => _0)::Int64\n  return %3\n"
        );
    }

    /// An object that is stored in another one is not written to: it escapes, also where it is laid out before the other.
    #[test]
    fn a_store_in_another_object_stays() {
        let text = "f(_0::Cell, _1::Bool)::Cell\n\
             bb0:\n  %0 = new(_0)::Box\n  goto bb2\n\
             bb1:\n  %2 = new(_0)::Box\n  %3 = Core.setfield!(%0, 1, %2)::Box\n  goto bb3\n\
             bb2:\n  branch _1 ? bb1 : bb3\n\
             bb3:\n  %6 = dynamic(_0, %0)::Cell\n  return %6\n";
        assert_eq!(run(Body::new(text), replace_objects), text);
    }

    /// Reading contents that may be undefined throws: such a box stays, even if they are defined the second time
    /// round.
    #[test]
    fn a_box_that_is_read_too_early_stays() {
        let one_way = "f(_0::Int64, _1::Bool)::Any\n\
             bb0:\n  %0 = new()::Box\n  branch _1 ? bb1 : bb2\n\
             bb1:\n  %2 = Core.setfield!(%0, 1, 3)::Int64\n  goto bb2\n\
             bb2:\n  %4 = Core.getfield(%0, 1)::Any\n  return %4\n";
        let asked = "f(_0::Int64, _1::Bool)::Bool\n\
             bb0:\n  %0 = new()::Box\n  branch _1 ? bb1 : bb2\n\
             bb1:\n  %2 = Core.setfield!(%0, 1, 3)::Int64\n  goto bb2\n\
             bb2:\n  %4 = Core.isdefined(%0, 1)::Bool\n  return %4\n";
        let next_time = "f(_0::Int64, _1::Bool)::Nothing\n\
             bb0:\n  %0 = new()::Box\n  goto bb1\n\
             bb1:\n  %2 = Core.getfield(%0, 1)::Any\n  %3 = dynamic(_0, %2)::Any\n  \
             %4 = Core.setfield!(%0, 1, %3)::Any\n  branch _1 ? bb1 : bb2\n\
             bb2:\n  return nothing\n";
        assert_eq!(run(Body::new(one_way), replace_objects), one_way);
        assert_eq!(run(Body::new(asked), replace_objects), asked);
        assert_eq!(run(Body::new(next_time), replace_objects), next_time);
    }

    /// An object made on the way to an error, and not shown by it, is no object either.
    #[test]
    fn an_object_of_an_error_path_is_its_fields() {
        let body = Body::new(
            "f(_0::Int64)::Union{}\n\
             bb0:\n  %0 = new(_0)::Cell\n  %1 = Core.setfield!(%0, 1, 3)::Int64\n  \
             %2 = Core.getfield(%0, 1)::Int64\n  %3 = Core.throw(%2)::Union{}\n  unreachable\n",
        );
        assert_eq!(
            run(body, replace_objects),
            "f(_0::Int64)::Union{}\nbb0:\n  %0 = Core.throw(3)::Union{}\n  unreachable\n"
        );
        let shown = "f(_0::Int64)::Union{}\n\
             bb0:\n  %0 = new(_0)::Cell\n  %1 = Core.setfield!(%0, 1, 3)::Int64\n  \
             %2 = Core.throw(%0)::Union{}\n  unreachable\n";
        assert_eq!(run(Body::new(shown), replace_objects), shown);
    }

    /// An object that escapes into a call stays an object.
    #[test]
    fn an_object_that_is_returned_stays() {
        let text = "f(_0::Int64)::Cell\nbb0:\n  %0 = new(_0)::Cell\n  %1 = Core.setfield!(%0, 1, 3)::Int64\n  return %0\n";
        assert_eq!(run(Body::new(text), replace_objects), text);
    }
}
