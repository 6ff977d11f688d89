//! From typed code to typed code that also computes how its result changes.
//!
//! Statements keep their numbers; what computes their changes is put after them. A value without a change is constant. What
//! memory holds is constant, too, and storing what changes is refused.

use crate::change::Changes;
use kiln::caching::TableId;
use kiln::deferred::ir::{
    Block, BlockData, Builtin, Cfg, InlinedAt, Instance, Intrinsic, IrCode, Op, SourceLoc, Stmt, StmtData,
    Value,
};
use kiln::deferred::{Const, ConstData, DeferredJob, Type, Types, consts, datatype};

/// The compiler's knowledge of the part that is written in Julia.
pub(crate) struct Rules {
    /// In front of the tables of the caller.
    pub(crate) tables: Vec<TableId>,
    /// The type of `known`.
    pub(crate) known: Type,
    /// The type of `slope`, and `slope` itself.
    pub(crate) slope: Type,
    pub(crate) slope_value: Const,
}

/// The body being made.
struct Derivation<'a> {
    job: &'a mut dyn DeferredJob,
    rules: &'a Rules,
    types: &'a Types,
    changes: Changes<'a>,
    /// The body that is derived.
    old: &'a IrCode,
    new: IrCode,
    /// Arguments of the old body in the new one, and their changes.
    args: Vec<(Value, Option<Value>)>,
    /// The change of each statement of the old body.
    found: Vec<Option<Value>>,
    /// The statements of the block being made, and where the last one came from.
    block: Vec<Stmt>,
    at: StmtData,
}

/// The derivative of `code`, which takes `count` arguments.
pub(crate) fn derive(
    job: &mut dyn DeferredJob,
    rules: &Rules,
    code: &IrCode,
    count: usize,
) -> Result<IrCode, String> {
    if code.args.len() != count + 1 {
        return Err("it takes any number of arguments".into());
    }
    let types = job.runtime().types.clone();
    let changes = Changes { types: &types };
    let mut new = code.clone();
    new.args = job.params().to_vec();
    new.return_type = changes.pair(code.return_type)?;
    let at = code.stmts.values().next().cloned().ok_or("it is empty")?;
    let found = vec![None; code.stmts.len()];
    let (args, block) = (Vec::new(), Vec::new());
    let mut it = Derivation { job, rules, types: &types, changes, old: code, new, args, found, block, at };
    it.body()?;
    Ok(it.new)
}

/// The derivative of what always returns the same.
pub(crate) fn derive_constant(job: &mut dyn DeferredJob, value: Const) -> Result<IrCode, String> {
    let types = job.runtime().types.clone();
    let changes = Changes { types: &types };
    let ty = consts::type_of(&types, value);
    let pair = changes.pair(ty)?;
    let change = changes.of(ty)?.map_or(consts::nothing(&types), |it| changes.zero(it));
    let name = types.symbol("derivative");
    let mut code = IrCode {
        name,
        args: job.params().to_vec(),
        stmts: Default::default(),
        blocks: Default::default(),
        inlined_at: vec![InlinedAt { callee: Instance::from_u32(0), name, call: SourceLoc::NONE, parent: 0 }],
        throw_sites: Default::default(),
        return_type: pair,
    };
    let block = code.blocks.push(BlockData::default());
    let data = |op, ty| StmtData { op, ty, loc: SourceLoc::NONE, inlined: 0, inbounds: false };
    let both = vec![Value::Const(value), Value::Const(change)];
    let both = code.append(block, data(Op::Builtin(Builtin::Tuple, both), pair));
    code.append(block, data(Op::Return(Value::Stmt(both)), types.core().bottom));
    Ok(code)
}

impl Derivation<'_> {
    fn body(&mut self) -> Result<(), String> {
        let old = self.old;
        self.make_phis()?;
        let order = Cfg::new(old).reverse_postorder;
        for &block in &order {
            self.block = Vec::new();
            if block == Block::from_u32(0) {
                self.take_arguments()?;
            }
            let stmts = &old.blocks[block].stmts;
            let is_phi = |it: &&Stmt| matches!(old.stmts[**it].op, Op::Phi(_));
            for &stmt in stmts.iter().filter(is_phi) {
                self.keep(stmt);
            }
            let phis = stmts.iter().filter(is_phi).filter_map(|it| self.found[it.as_u32() as usize]);
            let phis: Vec<Stmt> =
                phis.filter_map(|it| if let Value::Stmt(it) = it { Some(it) } else { None }).collect();
            self.block.extend(phis);
            for &stmt in stmts.iter().filter(|it| !is_phi(it)) {
                self.at = old.stmts[stmt].clone();
                self.statement(stmt)?;
            }
            self.new.blocks[block].stmts = std::mem::take(&mut self.block);
        }
        self.fill_phis()
    }

    /// The arguments come as the fields of a tuple: values first, then changes.
    fn take_arguments(&mut self) -> Result<(), String> {
        let types = self.old.args.clone();
        self.args.push((Value::Arg(1), None));
        for (n, &ty) in types.iter().enumerate().skip(1) {
            let value = self.field(Value::Arg(2), n, ty);
            let change = self.changes.of(ty)?.map(|it| self.field(Value::Arg(2), types.len() - 1 + n, it));
            self.args.push((value, change));
        }
        Ok(())
    }

    /// Changes of what differs by the way control came are found when all others are.
    fn make_phis(&mut self) -> Result<(), String> {
        for (stmt, data) in &self.old.stmts {
            if let (Op::Phi(_), Some(ty)) = (&data.op, self.changes.of(data.ty)?) {
                let change = self.new.stmts.push(StmtData { op: Op::Phi(Vec::new()), ty, ..data.clone() });
                self.found[stmt.as_u32() as usize] = Some(Value::Stmt(change));
            }
        }
        Ok(())
    }

    fn fill_phis(&mut self) -> Result<(), String> {
        for (stmt, data) in &self.old.stmts {
            let (Op::Phi(incoming), Some(Value::Stmt(change))) =
                (&data.op, self.found[stmt.as_u32() as usize])
            else {
                continue;
            };
            let changes: Result<Vec<(Block, Value)>, String> = incoming
                .iter()
                .map(|(from, value)| Ok((*from, self.change_or_zero(*value, data.ty)?)))
                .collect();
            self.new.stmts[change].op = Op::Phi(changes?);
            let renamed = incoming.iter().map(|(from, value)| (*from, self.value(*value))).collect();
            self.new.stmts[stmt].op = Op::Phi(renamed);
        }
        Ok(())
    }

    /// An operand of the old body in the new one.
    fn value(&self, value: Value) -> Value {
        match value {
            Value::Arg(n) => self.args[n as usize].0,
            Value::Stmt(_) | Value::Const(_) => value,
        }
    }

    /// How it changes, if it does.
    fn change(&self, value: Value) -> Option<Value> {
        match value {
            Value::Arg(n) => self.args[n as usize].1,
            Value::Stmt(stmt) => self.found[stmt.as_u32() as usize],
            Value::Const(_) => None,
        }
    }

    fn change_or_zero(&self, value: Value, ty: Type) -> Result<Value, String> {
        let zero = || {
            let ty = self.changes.of(ty)?;
            Ok(Value::Const(ty.map_or(consts::nothing(self.types), |it| self.changes.zero(it))))
        };
        self.change(value).map_or_else(zero, Ok)
    }

    fn type_of(&self, value: Value) -> Type {
        match value {
            Value::Stmt(stmt) => self.old.stmts[stmt].ty,
            Value::Arg(n) => self.old.args[n as usize],
            Value::Const(it) => match self.types.const_data(it) {
                ConstData::Type(ty) => datatype::type_type(self.types, *ty),
                _ => consts::type_of(self.types, it),
            },
        }
    }

    /// Puts a statement of the old body into the new one.
    fn keep(&mut self, stmt: Stmt) {
        let mut op = self.old.stmts[stmt].op.clone();
        op.each_operand_mut(|it| *it = self.value(*it));
        self.new.stmts[stmt].op = op;
        self.block.push(stmt);
    }

    fn emit(&mut self, op: Op, ty: Type) -> Value {
        let stmt = self.new.stmts.push(StmtData { op, ty, ..self.at.clone() });
        self.block.push(stmt);
        Value::Stmt(stmt)
    }

    fn field(&mut self, object: Value, n: usize, ty: Type) -> Value {
        let n = Value::Const(consts::int(self.types, n as i64));
        self.emit(Op::Builtin(Builtin::Getfield, vec![object, n]), ty)
    }

    fn arithmetic(&mut self, op: Intrinsic, args: &[Value], ty: Type) -> Value {
        self.emit(Op::Intrinsic(op, args.to_vec()), ty)
    }

    fn statement(&mut self, stmt: Stmt) -> Result<(), String> {
        let data = self.old.stmts[stmt].clone();
        match &data.op {
            Op::Return(value) => return self.give(*value),
            Op::Invoke(instance, args) => return self.call(stmt, *instance, args),
            _ => self.keep(stmt), // the value is the same
        }
        let Some(ty) = self.changes.of(data.ty)? else { return self.refuse_stores(&data.op) };
        let change = match &data.op {
            Op::Pi(value) => self.change(*value),
            Op::Intrinsic(op, args) => self.intrinsic(stmt, *op, args, ty)?,
            Op::Builtin(op, args) => self.builtin(*op, args, ty)?,
            op => {
                let active = op.operands().iter().any(|it| self.change(*it).is_some());
                if active {
                    return Err(format!("there is no derivative of `{}`", self.old.display(self.types)));
                }
                None
            }
        };
        self.found[stmt.as_u32() as usize] = change;
        Ok(())
    }

    fn refuse_stores(&self, op: &Op) -> Result<(), String> {
        let stores = matches!(
            op,
            Op::Intrinsic(Intrinsic::Pointerset | Intrinsic::AtomicPointerset, _)
                | Op::Builtin(Builtin::Setfield | Builtin::Memoryrefset, _)
        );
        let changes = op.operands().iter().any(|it| self.change(*it).is_some());
        if stores && changes { Err("it stores what changes".into()) } else { Ok(()) }
    }

    fn give(&mut self, value: Value) -> Result<(), String> {
        let change = self.change_or_zero(value, self.old.return_type)?;
        let both = vec![self.value(value), change];
        let pair = self.new.return_type;
        let both = self.emit(Op::Builtin(Builtin::Tuple, both), pair);
        self.emit(Op::Return(both), self.types.core().bottom);
        Ok(())
    }

    /// A call of something that is derived in turn, or known.
    fn call(&mut self, stmt: Stmt, instance: Instance, args: &[Value]) -> Result<(), String> {
        let ty = self.old.stmts[stmt].ty;
        let is_known = self.type_of(args[0]) == self.rules.known;
        if is_known {
            return self.known(stmt, args[1], args[2], ty);
        }
        let changes = args.iter().any(|it| self.change(*it).is_some());
        let Some(change) = self.changes.of(ty)?.filter(|_| changes) else {
            self.keep(stmt);
            return Ok(());
        };
        let tables = &self.job.runtime().tables;
        if tables.method(tables.instance_data(instance).method).is_va {
            return Err("it calls a function of any number of arguments".into());
        }
        let mut values: Vec<Value> = args[1..].iter().map(|it| self.value(*it)).collect();
        let mut all: Vec<Type> = args.iter().map(|it| self.type_of(*it)).collect();
        for &arg in &args[1..] {
            let ty = self.type_of(arg);
            values.push(self.change_or_zero(arg, ty)?);
            all.push(self.changes.of(ty)?.unwrap_or(self.types.core().nothing));
        }
        let owned = self.job.owned(&all)?;
        let (owner, function) = (Value::Arg(0), self.value(args[0]));
        let tuple = self.emit(Op::Builtin(Builtin::Tuple, values), datatype::tuple(self.types, &all[1..]));
        let pair = self.changes.pair(ty)?;
        let both = self.emit(Op::Invoke(owned, vec![owner, function, tuple]), pair);
        let field = |n: i64| vec![both, Value::Const(consts::int(self.types, n))];
        let (first, second) = (field(1), field(2));
        self.new.stmts[stmt].op = Op::Builtin(Builtin::Getfield, first);
        self.block.push(stmt);
        self.found[stmt.as_u32() as usize] = Some(self.emit(Op::Builtin(Builtin::Getfield, second), change));
        Ok(())
    }

    /// `known(f, x)`: the value of `f` itself, and the change by its `slope`.
    fn known(&mut self, stmt: Stmt, function: Value, x: Value, ty: Type) -> Result<(), String> {
        let (of_function, value) = (self.type_of(function), self.value(x));
        let instance = self.job.instance(&[of_function, ty])?;
        self.new.stmts[stmt].op = Op::Invoke(instance, vec![function, value]);
        self.block.push(stmt);
        let Some(change) = self.change(x) else { return Ok(()) };
        let slope = self.job.instance(&[self.rules.slope, of_function, ty, ty])?;
        let args = vec![Value::Const(self.rules.slope_value), function, value, Value::Stmt(stmt)];
        let slope = self.emit(Op::Invoke(slope, args), ty);
        let change = self.arithmetic(Intrinsic::MulFloat, &[change, slope], ty);
        self.found[stmt.as_u32() as usize] = Some(change);
        Ok(())
    }

    fn builtin(&mut self, op: Builtin, args: &[Value], ty: Type) -> Result<Option<Value>, String> {
        let any = args.iter().any(|it| self.change(*it).is_some());
        if !any {
            return Ok(None);
        }
        Ok(match op {
            Builtin::Typeassert => self.change(args[0]),
            Builtin::Compilerbarrier => self.change(args[1]),
            Builtin::Ifelse => {
                let then = self.change_or_zero(args[1], self.type_of(args[1]))?;
                let other = self.change_or_zero(args[2], self.type_of(args[2]))?;
                let cond = self.value(args[0]);
                Some(self.emit(Op::Builtin(Builtin::Ifelse, vec![cond, then, other]), ty))
            }
            Builtin::Tuple => {
                let changes: Result<Vec<Value>, String> =
                    args.iter().map(|it| self.change_or_zero(*it, self.type_of(*it))).collect();
                Some(self.emit(Op::Builtin(Builtin::Tuple, changes?), ty))
            }
            Builtin::Getfield => match (self.change(args[0]), args[1]) {
                (Some(object), Value::Const(_)) => {
                    Some(self.emit(Op::Builtin(Builtin::Getfield, vec![object, args[1]]), ty))
                }
                _ => return Err("it takes a field that is only known when it runs".into()),
            },
            _ => return Err(format!("there is no derivative of `{}`", op.name())),
        })
    }

    fn intrinsic(
        &mut self,
        stmt: Stmt,
        op: Intrinsic,
        args: &[Value],
        ty: Type,
    ) -> Result<Option<Value>, String> {
        use Intrinsic as I;
        let changes: Vec<Option<Value>> = args.iter().map(|it| self.change(*it)).collect();
        let values: Vec<Value> = args.iter().map(|it| self.value(*it)).collect();
        Ok(match op {
            I::AddFloat | I::AddFloatFast => self.sum(changes[0], changes[1], ty),
            I::SubFloat | I::SubFloatFast => {
                let other = changes[1].map(|it| self.arithmetic(I::NegFloat, &[it], ty));
                self.sum(changes[0], other, ty)
            }
            I::NegFloat | I::NegFloatFast => changes[0].map(|it| self.arithmetic(I::NegFloat, &[it], ty)),
            I::MulFloat | I::MulFloatFast => self.product(&changes, &values, ty),
            I::MuladdFloat | I::FmaFloat => {
                let product = self.product(&changes, &values, ty);
                self.sum(product, changes[2], ty)
            }
            I::DivFloat | I::DivFloatFast => {
                let by_other = changes[1].map(|it| {
                    let product = self.arithmetic(I::MulFloat, &[Value::Stmt(stmt), it], ty);
                    self.arithmetic(I::NegFloat, &[product], ty)
                });
                let above = self.sum(changes[0], by_other, ty);
                above.map(|it| self.arithmetic(I::DivFloat, &[it, values[1]], ty))
            }
            I::SqrtLlvm | I::SqrtLlvmFast => changes[0].map(|it| {
                let twice = self.arithmetic(I::AddFloat, &[Value::Stmt(stmt); 2], ty);
                self.arithmetic(I::DivFloat, &[it, twice], ty)
            }),
            I::AbsFloat => changes[0].map(|it| {
                let zero = Value::Const(self.changes.zero(ty));
                let negative = self.arithmetic(I::NegFloat, &[it], ty);
                self.choose((values[0], zero), negative, it, ty)
            }),
            I::MinFloat | I::MinFloatFast | I::MaxFloat | I::MaxFloatFast => {
                if changes.iter().all(Option::is_none) {
                    return Ok(None);
                }
                let both = [self.change_or_zero(args[0], ty)?, self.change_or_zero(args[1], ty)?];
                let least = matches!(op, I::MinFloat | I::MinFloatFast);
                let order = if least { (values[0], values[1]) } else { (values[1], values[0]) };
                Some(self.choose(order, both[0], both[1], ty))
            }
            I::Fpext | I::Fptrunc => changes[1].map(|it| self.arithmetic(op, &[values[0], it], ty)),
            // Steps, and what does not depend on what changes.
            I::FloorLlvm
            | I::CeilLlvm
            | I::TruncLlvm
            | I::RintLlvm
            | I::Sitofp
            | I::Uitofp
            | I::Pointerref => None,
            _ => return Err(format!("there is no derivative of `{}`", op.name())),
        })
    }

    fn sum(&mut self, a: Option<Value>, b: Option<Value>, ty: Type) -> Option<Value> {
        match (a, b) {
            (Some(a), Some(b)) => Some(self.arithmetic(Intrinsic::AddFloat, &[a, b], ty)),
            (one, other) => one.or(other),
        }
    }

    /// The change of the product of the first two.
    fn product(&mut self, changes: &[Option<Value>], values: &[Value], ty: Type) -> Option<Value> {
        let first = changes[0].map(|it| self.arithmetic(Intrinsic::MulFloat, &[it, values[1]], ty));
        let second = changes[1].map(|it| self.arithmetic(Intrinsic::MulFloat, &[values[0], it], ty));
        self.sum(first, second, ty)
    }

    /// `a < b ? then : other`.
    fn choose(&mut self, (a, b): (Value, Value), then: Value, other: Value, ty: Type) -> Value {
        let cond = self.arithmetic(Intrinsic::LtFloat, &[a, b], self.types.core().bool);
        self.emit(Op::Builtin(Builtin::Ifelse, vec![cond, then, other]), ty)
    }
}
