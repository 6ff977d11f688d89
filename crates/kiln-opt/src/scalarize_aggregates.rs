//! Moves queries of a phi of aggregates to its incoming values.
//!
//! `getfield(phi(nothing, (a, b)), 1)` becomes `phi(a)`, and `phi(nothing, (a, b)) === nothing` becomes `phi(true,
//! false)`: the code of `iterate` in every `for` loop. The aggregate is then unused. Looks through `Pi` and through
//! phis of phis, cycles included; skips a query when one incoming value has no static answer.

use crate::value::{const_field, field_number, is_fixed_tuple, only_value, type_of};
use kiln_ir::{Block, Builtin, IrCode, Op, Stmt, StmtData, Value};
use kiln_types::{Type, Types, consts, datatype, definition, intersect};
use rustc_hash::FxHashMap;

/// A question about an aggregate.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum AggregateQuery {
    /// A query of an aggregate.
    Field(usize),
    /// `=== constant`.
    Is(kiln_types::Const),
    /// `isa`.
    Isa(Type),
}

/// Returns `code` with questions about phis answered by phis.
pub fn scalarize_aggregates(mut code: IrCode, types: &Types) -> IrCode {
    let owner = owners(&code);
    let stmts: Vec<Stmt> = code.blocks.values().flat_map(|it| it.stmts.iter().copied()).collect();
    let mut made = FxHashMap::default();
    for stmt in stmts {
        let Some((question, object)) = query(&code, types, stmt) else { continue };
        let Some(phi) = phi_behind(&code, object) else { continue };
        let answer_ty = code.stmts[stmt].ty;
        let object_ty = type_of(&code, types, object);
        let mut lifting = Lifting { types, question, answer_ty, object_ty, phis: Vec::new() };
        if !lifting.has_static_answer(&code, phi) {
            continue;
        }
        let key = (phi, question, answer_ty, object_ty);
        let answer = *made.entry(key).or_insert_with(|| lifting.build(&mut code, &owner, phi));
        code.stmts[stmt].op = Op::Pi(Value::Stmt(answer));
    }
    code
}

fn owners(code: &IrCode) -> FxHashMap<Stmt, Block> {
    let mut owner = FxHashMap::default();
    for (block, body) in code.blocks.iter() {
        for &stmt in &body.stmts {
            owner.insert(stmt, block);
        }
    }
    owner
}

fn query(code: &IrCode, types: &Types, stmt: Stmt) -> Option<(AggregateQuery, Value)> {
    let Op::Builtin(builtin, args) = &code.stmts[stmt].op else { return None };
    match (builtin, args.as_slice()) {
        (Builtin::Getfield, [object, Value::Const(field), ..]) => {
            let ty = type_of(code, types, *object);
            (datatype::is_concrete(types, ty) && !datatype::is_mutable(types, ty)
                || is_fixed_tuple(types, ty))
            .then(|| Some((AggregateQuery::Field(field_number(types, ty, *field)?), *object)))?
        }
        (Builtin::Is, [object, Value::Const(constant)]) => {
            let singleton =
                definition::singleton(types, consts::type_of(types, *constant)) == Some(*constant);
            singleton.then_some((AggregateQuery::Is(*constant), *object))
        }
        (Builtin::Isa, [object, Value::Const(of)]) => {
            Some((AggregateQuery::Isa(consts::to_param(types, *of)), *object))
        }
        _ => None, // no question about an aggregate
    }
}

/// Returns the phi behind an operand.
fn phi_behind(code: &IrCode, mut value: Value) -> Option<Stmt> {
    while let Value::Stmt(stmt) = value {
        match &code.stmts[stmt].op {
            Op::Pi(inner) => value = *inner,
            Op::Phi(_) => return Some(stmt),
            _ => return None, // made by something else
        }
    }
    None
}

/// The answer for an incoming value.
enum Leaf {
    /// This value.
    Value(Value),
    /// The field of this tuple, of this type.
    Read(Value, Type),
    /// Nothing: it cannot be the value asked about.
    Never,
    /// Ask another phi.
    Phi(Stmt),
    /// No static answer.
    Unknown,
}

struct Lifting<'a> {
    types: &'a Types,
    question: AggregateQuery,
    /// Type of the answers.
    answer_ty: Type,
    /// The aggregate's type as far as the query restricts it; other incoming values cannot occur.
    object_ty: Type,
    /// Phis seen, in order.
    phis: Vec<Stmt>,
}

impl Lifting<'_> {
    fn has_static_answer(&mut self, code: &IrCode, root: Stmt) -> bool {
        self.phis.push(root);
        let (mut at, mut is_known) = (0, false);
        while at < self.phis.len() {
            let Op::Phi(edges) = &code.stmts[self.phis[at]].op else { unreachable!("only phis are listed") };
            for (_, value) in edges {
                match self.leaf(code, *value) {
                    Leaf::Value(value)
                        if !self.types.subtype(type_of(code, self.types, value), self.answer_ty) =>
                    {
                        return false;
                    }
                    Leaf::Read(_, ty) if !self.types.subtype(ty, self.answer_ty) => return false,
                    Leaf::Value(_) => is_known = true,
                    Leaf::Read(..) | Leaf::Never => {}
                    Leaf::Phi(next) if self.phis.contains(&next) => {}
                    Leaf::Phi(next) => self.phis.push(next),
                    Leaf::Unknown => return false,
                }
            }
            at += 1;
        }
        // A phi of tuples that are made elsewhere is none the better for it.
        is_known
    }

    fn leaf(&self, code: &IrCode, value: Value) -> Leaf {
        if let Some(phi) = phi_behind(code, value) {
            return Leaf::Phi(phi);
        }
        let ty = type_of(code, self.types, value);
        match self.question {
            AggregateQuery::Field(number) => self.field_leaf(code, value, ty, number),
            AggregateQuery::Is(constant) => {
                let of = consts::type_of(self.types, constant);
                let same = only_value(self.types, ty) == Some(constant);
                self.bool_leaf(same, intersect::meet(self.types, ty, of) == self.types.core().bottom)
            }
            AggregateQuery::Isa(of) => {
                let yes = self.types.subtype(ty, of);
                self.bool_leaf(yes, !yes && intersect::meet(self.types, ty, of) == self.types.core().bottom)
            }
        }
    }

    fn bool_leaf(&self, yes: bool, no: bool) -> Leaf {
        if yes || no { Leaf::Value(Value::Const(consts::bool(self.types, yes))) } else { Leaf::Unknown }
    }

    fn field_leaf(&self, code: &IrCode, value: Value, ty: Type, number: usize) -> Leaf {
        if intersect::meet(self.types, ty, self.object_ty) == self.types.core().bottom {
            return Leaf::Never;
        }
        if let Value::Const(constant) = value {
            return const_field(self.types, constant, number)
                .map_or(Leaf::Unknown, |it| Leaf::Value(Value::Const(it)));
        }
        match crate::value::definition(code, value) {
            Some(Op::Builtin(Builtin::Tuple, fields)) => {
                fields.get(number).map_or(Leaf::Unknown, |it| Leaf::Value(*it))
            }
            Some(Op::New(fields)) if !datatype::is_mutable(self.types, ty) => {
                fields.get(number).map_or(Leaf::Unknown, |it| Leaf::Value(*it))
            }
            // Made elsewhere, as by the interpreter before it entered this loop.
            _ if datatype::is_concrete(self.types, ty) && is_fixed_tuple(self.types, ty) => {
                datatype::params(self.types, ty)
                    .get(number)
                    .map_or(Leaf::Unknown, |it| Leaf::Read(value, *it))
            }
            _ => Leaf::Unknown,
        }
    }

    /// Makes the phis of answers. All were found answerable.
    fn build(&self, code: &mut IrCode, owner: &FxHashMap<Stmt, Block>, root: Stmt) -> Stmt {
        let mut answers = FxHashMap::default();
        for &phi in &self.phis {
            let template = code.stmts[phi].clone();
            let data = StmtData { op: Op::Phi(Vec::new()), ty: self.answer_ty, ..template };
            let answer = code.stmts.push(data);
            // A phi that an earlier question made is younger than the map.
            let holds = |it: Block| code.blocks[it].stmts.contains(&phi);
            let block = owner.get(&phi).copied().or_else(|| code.blocks.keys().find(|&it| holds(it)));
            code.blocks[block.expect("a phi that is asked about is in a block")].stmts.insert(0, answer);
            answers.insert(phi, answer);
        }
        for &phi in &self.phis {
            let Op::Phi(edges) = code.stmts[phi].op.clone() else { unreachable!("only phis are listed") };
            let mut lifted = Vec::new();
            for (from, value) in edges {
                match self.leaf(code, value) {
                    Leaf::Value(value) => lifted.push((from, value)),
                    Leaf::Read(of, ty) => lifted.push((from, self.read(code, (from, phi), (of, ty)))),
                    Leaf::Phi(next) => lifted.push((from, Value::Stmt(answers[&next]))),
                    Leaf::Never | Leaf::Unknown => {}
                }
            }
            code.stmts[answers[&phi]].op = Op::Phi(lifted);
        }
        answers[&root]
    }
}

impl Lifting<'_> {
    /// Reads the field of a tuple at the end of a block that comes before a phi.
    fn read(&self, code: &mut IrCode, (block, phi): (Block, Stmt), (of, ty): (Value, Type)) -> Value {
        let AggregateQuery::Field(number) = self.question else { unreachable!("only fields are read") };
        let field = Value::Const(consts::int(self.types, number as i64 + 1));
        let op = Op::Builtin(Builtin::Getfield, vec![of, field]);
        let read = code.stmts.push(StmtData { op, ty, ..code.stmts[phi].clone() });
        let stmts = &mut code.blocks[block].stmts;
        stmts.insert(stmts.len().saturating_sub(1), read);
        Value::Stmt(read)
    }
}

#[cfg(test)]
mod tests {
    use super::scalarize_aggregates;
    use crate::testing::{Body, run};

    /// A loop over `iterate` loses the tuple and the test for `nothing`; two numbers and a flag are left.
    #[test]
    fn a_loop_over_a_range_has_no_tuples() {
        let body = Body::new(
            "f(_0::Int64)::Int64\n\
             bb0:\n  %0 = Core.tuple(1, 1)::Tuple{Int64, Int64}\n  goto bb1\n\
             bb1:\n  %2 = φ (bb0 => %0, bb4 => nothing, bb5 => %13)::Union{Nothing, Tuple{Int64, Int64}}\n  \
             %3 = Core.===(%2, nothing)::Bool\n  branch %3 ? bb2 : bb3\n\
             bb2:\n  return 0\n\
             bb3:\n  %6 = π (%2)::Tuple{Int64, Int64}\n  %7 = Core.getfield(%6, 1)::Int64\n  \
             %8 = Core.===(%7, _0)::Bool\n  branch %8 ? bb4 : bb5\n\
             bb4:\n  goto bb1\n\
             bb5:\n  %11 = Core.getfield(%6, 2)::Int64\n  %12 = Intrinsics.add_int(%11, 1)::Int64\n  \
             %13 = Core.tuple(%12, %12)::Tuple{Int64, Int64}\n  goto bb1\n",
        );
        let text = run(body, scalarize_aggregates);
        assert!(!text.contains("tuple") && !text.contains("Union"), "{text}");
        assert!(text.contains("φ (bb0 => 1, bb5 => %"), "{text}");
        assert!(text.contains("φ (bb0 => false, bb4 => true, bb5 => false)::Bool"), "{text}");
    }

    /// Partial knowledge of elements does not matter, if each incoming value is a tuple.
    #[test]
    fn tuples_of_unions_are_taken_apart() {
        let body = Body::new(
            "f(_0::Union{Float64, Int64}, _1::Bool)::Union{Float64, Int64}\n\
             bb0:\n  %0 = Core.tuple(1, 2)::Tuple{Int64, Int64}\n  branch _1 ? bb1 : bb2\n\
             bb1:\n  %2 = Core.tuple(_0, 3)::Tuple{Union{Float64, Int64}, Int64}\n  goto bb3\n\
             bb2:\n  goto bb3\n\
             bb3:\n  %5 = φ (bb1 => %2, bb2 => %0)::Tuple{Union{Float64, Int64}, Int64}\n  \
             %6 = Core.getfield(%5, 1)::Union{Float64, Int64}\n  return %6\n",
        );
        let text = run(body, scalarize_aggregates);
        assert!(!text.contains("getfield") && text.contains("φ (bb1 => _0, bb2 => 1)"), "{text}");
    }

    /// The field of a tuple from elsewhere is read where it comes from.
    #[test]
    fn a_tuple_from_elsewhere_is_read_before_the_phi() {
        let text = "f(_0::Tuple{Int64, Int64}, _1::Bool)::Int64\n\
             bb0:\n  branch _1 ? bb1 : bb2\n\
             bb1:\n  %1 = Core.tuple(1, 1)::Tuple{Int64, Int64}\n  goto bb3\n\
             bb2:\n  goto bb3\n\
             bb3:\n  %4 = φ (bb1 => %1, bb2 => _0)::Tuple{Int64, Int64}\n  %5 = Core.getfield(%4, 1)::Int64\n  return %5\n";
        let text = run(Body::new(text), scalarize_aggregates);
        assert!(text.contains("bb2:\n  %2 = Core.getfield(_0, 1)::Int64\n  goto bb3"), "{text}");
        assert!(text.contains("φ (bb1 => 1, bb2 => %2)::Int64"), "{text}");
    }

    /// Where no tuple is made here, nothing is gained.
    #[test]
    fn a_phi_of_unknown_tuples_stays() {
        let text = "f(_0::Tuple{Int64, Int64}, _1::Tuple{Int64, Int64}, _2::Bool)::Int64\n\
             bb0:\n  branch _2 ? bb1 : bb2\n\
             bb1:\n  goto bb3\n\
             bb2:\n  goto bb3\n\
             bb3:\n  %3 = φ (bb1 => _0, bb2 => _1)::Tuple{Int64, Int64}\n  %4 = Core.getfield(%3, 1)::Int64\n  return %4\n";
        assert_eq!(run(Body::new(text), scalarize_aggregates), text);
    }
}
