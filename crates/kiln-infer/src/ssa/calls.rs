//! Emission of calls, by their resolution.

use super::emit::{Ended, SsaBuilder};
use crate::abstract_interp::{Case, Expansion, Resolution};
use crate::lattice::Lattice;
use crate::tfuncs::tuple_of;
use kiln_ir::{Block, Builtin, Instance, Intrinsic, Op, Value};
use kiln_runtime::heap::{constants, text};
use kiln_types::{Const, ConstData, Type, consts};

/// An operand and its lattice element.
type Known = (Value, Lattice);

impl SsaBuilder<'_> {
    /// Emits a call of `args[0]`; `known` is the lattice element of its value.
    pub(super) fn call(
        &mut self,
        args: &[Known],
        resolution: &Resolution,
        known: &Lattice,
    ) -> Result<Value, Ended> {
        let value = self.resolved(args, resolution, known)?;
        if known.is_bottom(self.types()) {
            return Err(self.end());
        }
        Ok(value)
    }

    fn resolved(&mut self, args: &[Known], resolution: &Resolution, known: &Lattice) -> Result<Value, Ended> {
        let ty = known.widenconst(self.types());
        let plain = |args: &[Known]| args.iter().map(|it| it.0).collect::<Vec<Value>>();
        let rest = || plain(args.get(1..).unwrap_or_default());
        Ok(match resolution {
            Resolution::Const(it) => Value::Const(*it),
            Resolution::Intrinsic(it @ Intrinsic::Llvmcall) => {
                let mut operands = rest();
                if let Some(Value::Const(what)) = operands.first_mut() {
                    *what = self.by_content(*what);
                }
                self.value(Op::Intrinsic(*it, operands), ty)
            }
            Resolution::Intrinsic(it) => self.value(Op::Intrinsic(*it, rest()), ty),
            Resolution::Builtin(it) => self.value(Op::Builtin(*it, rest()), ty),
            Resolution::Host(it) => self.value(Op::Host(*it, rest()), ty),
            Resolution::Cases(cases) => return self.cases(args, cases, known),
            Resolution::Splat(expansions, inner) => {
                let spread = self.spread(args, expansions);
                return self.resolved(&spread, inner, known);
            }
            Resolution::Invoke(inner) => {
                let mut call = vec![args[1].clone()];
                call.extend_from_slice(&args[3..]);
                return self.resolved(&call, inner, known);
            }
            Resolution::Lookup(it) => self.value(Op::Lookup(*it, rest()), ty),
            Resolution::Global(module, name) => self.value(Op::Global(*module, *name), ty),
            Resolution::Dynamic | Resolution::None => self.value(Op::Call(plain(args)), ty),
        })
    }

    /// Returns a string constant by content, whatever its length: code must not refer to an object of the session.
    fn by_content(&self, constant: Const) -> Const {
        match self.types().const_data(constant) {
            ConstData::Object { ty, .. } if *ty == self.types().core().string => {
                let heap = &self.rt.heap;
                let text = text::bytes(heap, constants::value_of(heap, constant));
                self.types().constant(ConstData::String(text.into()))
            }
            ConstData::Aggregate { ty, fields } => {
                let fields = fields.iter().map(|it| self.by_content(*it)).collect();
                self.types().constant(ConstData::Aggregate { ty: *ty, fields })
            }
            ConstData::Object { .. }
            | ConstData::Bits { .. }
            | ConstData::Symbol(_)
            | ConstData::Type(_)
            | ConstData::String(_)
            | ConstData::Module(_) => constant,
        }
    }

    /// Returns the arguments of the call of `f` that `_apply_iterate(iterate, f, args...)` makes.
    fn spread(&mut self, args: &[Known], expansions: &[Expansion]) -> Vec<Known> {
        let mut call = vec![args[2].clone()];
        for (arg, expansion) in args[3..].iter().zip(expansions) {
            match expansion {
                Expansion::Consts(all) => {
                    call.extend(all.iter().map(|&it| (Value::Const(it), Lattice::Const(it))))
                }
                Expansion::Fields(all) => {
                    for (n, &ty) in all.iter().enumerate() {
                        let known = crate::lattice::field(self.types(), &arg.1, n)
                            .unwrap_or_else(|| Lattice::normalize(self.types(), ty));
                        let value = self.get_field(arg.0, n, &known);
                        call.push((value, known));
                    }
                }
            }
        }
        call
    }

    fn cases(&mut self, args: &[Known], cases: &[Case], known: &Lattice) -> Result<Value, Ended> {
        if let [only] = cases
            && only.conditions.is_empty()
        {
            let value = self.case(args, only)?;
            return Ok(self.narrowed(value, known));
        }
        let ty = known.widenconst(self.types());
        let join = self.new_block();
        let mut incoming: Vec<(Block, Value)> = Vec::new();
        for case in cases {
            let tested = !case.certain && !case.conditions.is_empty();
            let next = tested.then(|| self.new_block());
            let mut narrowed = args.to_vec();
            for &(at, wanted) in &case.conditions {
                if let Some(next) = next {
                    self.test(&narrowed, at as usize, wanted, next);
                }
                self.narrow(&mut narrowed, at as usize, wanted);
            }
            if let Ok(value) = self.case(&narrowed, case) {
                incoming.push((self.block, value));
                self.push(Op::Goto(join), self.types().core().bottom);
            }
            match next {
                Some(next) => self.block = next,
                None => break,
            }
        }
        let open = self.code.blocks[self.block]
            .stmts
            .last()
            .is_none_or(|&it| !self.code.stmts[it].op.is_terminator());
        if open {
            // The cases cover every call, so the last one is not tested and this block is unreachable.
            self.push(Op::Unreachable, self.types().core().bottom);
        }
        self.block = join;
        if incoming.is_empty() {
            return Err(self.end());
        }
        let value = self.value(Op::Phi(incoming), ty);
        Ok(match known.as_const() {
            Some(it) => Value::Const(it),
            None => value,
        })
    }

    /// Emits a test: control continues only if argument `at` is of a type.
    fn test(&mut self, args: &[Known], at: usize, wanted: Type, otherwise: Block) {
        let types = self.types();
        let check = vec![args[at].0, Value::Const(consts::of_type(types, wanted))];
        let cond = self.value(Op::Builtin(Builtin::Isa, check), types.core().bool);
        let then = self.new_block();
        self.push(Op::Branch { cond, then, other: otherwise }, types.core().bottom);
        self.block = then;
    }

    /// Narrows argument `at` to a type.
    fn narrow(&mut self, args: &mut [Known], at: usize, wanted: Type) {
        let types = self.types();
        let (value, known) = args[at].clone();
        let met = crate::lattice::meet_type(types, &known, wanted);
        let value = self.narrowed(value, &met);
        args[at] = (value, met);
    }

    fn case(&mut self, args: &[Known], case: &Case) -> Result<Value, Ended> {
        if let Some(it) = case.value {
            return Ok(Value::Const(it));
        }
        let value = match case.target {
            Some(instance) => self.invoke(args, instance, case.ty),
            None => {
                let all = args.iter().map(|it| it.0).collect();
                self.value(Op::Call(all), case.ty)
            }
        };
        if case.ty == self.types().core().bottom { Err(self.end()) } else { Ok(value) }
    }

    /// Emits a static call; trailing arguments of a vararg method are packed into a tuple.
    fn invoke(&mut self, args: &[Known], instance: Instance, ty: Type) -> Value {
        let rt = self.rt;
        let method = rt.tables.method(rt.tables.instance_data(instance).method);
        let mut values: Vec<Value> = args.iter().map(|it| it.0).collect();
        if method.is_va {
            let fixed = (method.nargs as usize - 1).min(args.len());
            let rest: Vec<Lattice> = args[fixed..].iter().map(|it| it.1.clone()).collect();
            let tuple = tuple_of(self.types(), &rest);
            let packed = match tuple.as_const() {
                Some(it) => Value::Const(it),
                None => {
                    let rest = values[fixed..].to_vec();
                    self.value(Op::Builtin(Builtin::Tuple, rest), tuple.widenconst(self.types()))
                }
            };
            values.truncate(fixed);
            values.push(packed);
        }
        self.value(Op::Invoke(instance, values), ty)
    }
}
