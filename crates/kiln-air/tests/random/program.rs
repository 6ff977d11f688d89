//! Random programs of integers, with blocks in random order: each prints values that were computed when it was generated.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use kiln_air::{
    AirFunction, AirGlobal, AirLinkage, AirOperation, BinaryOp, BodyBuilder, CastOp, Comparison,
    ConstantValue, Module, Type, TypeId, Value,
};

/// A generator of pseudo-random numbers (xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }
}

fn mask(bits: u32) -> u64 {
    if bits == 64 { u64::MAX } else { (1 << bits) - 1 }
}

fn signed(bits: u32, value: u64) -> i64 {
    (value << (64 - bits)) as i64 >> (64 - bits)
}

/// An integer in a program, and its value in the only run.
#[derive(Clone, Copy)]
struct Known {
    value: Value,
    bits: u32,
    now: u64,
}

/// A function under construction.
struct Program<'a> {
    random: &'a mut Random,
    module: &'a mut Module,
    body: BodyBuilder,
    /// The block that is being filled, and those that are still empty.
    block: u32,
    unused: Vec<u32>,
    known: Vec<Known>,
    /// Values of this index and after are not available in the join of a branch.
    mark: usize,
}

const WIDTHS: [u32; 4] = [8, 16, 32, 64];

impl Program<'_> {
    fn int_type(&mut self, bits: u32) -> TypeId {
        self.module.types.intern(Type::Int(bits))
    }
    fn push(&mut self, ty: TypeId, op: AirOperation) -> Value {
        self.body.push(self.block, Some(ty), op)
    }
    fn keep(&mut self, value: Value, bits: u32, now: u64) -> Known {
        let known = Known { value, bits, now: now & mask(bits) };
        self.known.push(known);
        known
    }
    /// A known value, or a constant.
    fn pick(&mut self) -> Known {
        let at = self.random.below(self.known.len() + 1);
        match self.known.get(at) {
            Some(it) => *it,
            None => {
                let bits = WIDTHS[self.random.below(4)];
                let now = self.random.next() & mask(bits) & self.random.next();
                Known { value: self.module.int(bits, now), bits, now }
            }
        }
    }
    /// A known value with so many bits, converted if needed.
    fn pick_of(&mut self, bits: u32) -> Known {
        let it = self.pick();
        self.convert(it, bits)
    }
    fn convert(&mut self, it: Known, bits: u32) -> Known {
        let ty = self.int_type(bits);
        let (op, now) = match it.bits.cmp(&bits) {
            std::cmp::Ordering::Equal => return it,
            std::cmp::Ordering::Greater => (CastOp::Trunc, it.now),
            std::cmp::Ordering::Less if self.random.below(2) == 0 => (CastOp::ZExt, it.now),
            std::cmp::Ordering::Less => (CastOp::SExt, signed(it.bits, it.now) as u64),
        };
        let value = self.push(ty, AirOperation::Cast { op, value: it.value });
        Known { value, bits, now: now & mask(bits) }
    }

    fn binary(&mut self) {
        let left = self.pick();
        let bits = left.bits;
        let right = self.pick_of(bits);
        let ty = self.int_type(bits);
        let shift = Known {
            value: self.module.int(bits, right.now % u64::from(bits)),
            bits,
            now: right.now % u64::from(bits),
        };
        let odd = self.module.int(bits, 1);
        let divisor =
            self.push(ty, AirOperation::Binary { op: BinaryOp::Or, left: right.value, right: odd, flags: 0 });
        let divisor = Known { value: divisor, bits, now: right.now | 1 };
        let (a, b) = (left.now, right.now);
        let s = signed(bits, a);
        let (op, right, now) = match self.random.below(12) {
            0 => (BinaryOp::Add, right, a.wrapping_add(b)),
            1 => (BinaryOp::Sub, right, a.wrapping_sub(b)),
            2 => (BinaryOp::Mul, right, a.wrapping_mul(b)),
            3 => (BinaryOp::And, right, a & b),
            4 => (BinaryOp::Or, right, a | b),
            5 => (BinaryOp::Xor, right, a ^ b),
            6 => (BinaryOp::Shl, shift, a << shift.now),
            7 => (BinaryOp::LShr, shift, a >> shift.now),
            8 => (BinaryOp::AShr, shift, (s >> shift.now) as u64),
            9 => (BinaryOp::UDiv, divisor, a / divisor.now),
            10 => (BinaryOp::URem, divisor, a % divisor.now),
            _ => (BinaryOp::SDiv, divisor, s.wrapping_div(signed(bits, divisor.now)) as u64),
        };
        // The least number divided by -1 is undefined.
        if op == BinaryOp::SDiv && signed(bits, divisor.now) == -1 {
            return;
        }
        let value =
            self.push(ty, AirOperation::Binary { op, left: left.value, right: right.value, flags: 0 });
        self.keep(value, bits, now);
    }

    /// Compares two values; returns the bit and whether it is set.
    fn compare(&mut self) -> (Value, bool) {
        let left = self.pick();
        let right = self.pick_of(left.bits);
        let (a, b) = (left.now, right.now);
        let (s, t) = (signed(left.bits, a), signed(left.bits, b));
        let (comparison, holds) = match self.random.below(6) {
            0 => (Comparison::Equal, a == b),
            1 => (Comparison::NotEqual, a != b),
            2 => (Comparison::UnsignedGreater, a > b),
            3 => (Comparison::UnsignedLessEqual, a <= b),
            4 => (Comparison::SignedLess, s < t),
            _ => (Comparison::SignedGreaterEqual, s >= t),
        };
        let bit = self.int_type(1);
        let op = AirOperation::Compare { comparison, left: left.value, right: right.value, flags: 0 };
        (self.push(bit, op), holds)
    }

    fn select(&mut self) {
        let (condition, holds) = self.compare();
        let then = self.pick();
        let otherwise = self.pick_of(then.bits);
        let ty = self.int_type(then.bits);
        let op = AirOperation::Select { condition, then: then.value, otherwise: otherwise.value, flags: 0 };
        let value = self.push(ty, op);
        self.keep(value, then.bits, if holds { then.now } else { otherwise.now });
    }

    /// Stores two values in memory, and loads one of them.
    fn memory(&mut self) {
        let one = self.pick();
        let two = self.pick_of(one.bits);
        let element = self.int_type(one.bits);
        let array = self.module.types.intern(Type::Array { count: 2, element });
        let (array_at, at) = (self.module.types.pointer(array, 0), self.module.types.pointer(element, 0));
        let align = one.bits / 8;
        let count = self.module.int(32, 1);
        let base = self.push(array_at, AirOperation::Allocate { element: array, count, align });
        let chosen = self.random.below(2);
        let mut cells = Vec::new();
        for (index, it) in [one, two].into_iter().enumerate() {
            let indices = vec![self.module.int(64, 0), self.module.int(32, index as u64)];
            let op = AirOperation::ElementAddress { element: array, base, indices, is_inbounds: true };
            let address = self.push(at, op);
            self.body.push(
                self.block,
                None,
                AirOperation::Store { address, value: it.value, align, is_volatile: false },
            );
            cells.push(address);
        }
        let value = self.push(
            element,
            AirOperation::Load { address: cells[chosen], align, is_volatile: index_is_odd(chosen) },
        );
        self.keep(value, one.bits, [one, two][chosen].now);
    }

    /// Puts two values in a vector, shuffles it, and takes a lane.
    fn vector(&mut self) {
        let one = self.pick_of(32);
        let two = self.pick_of(32);
        let (int, i32s) = (self.int_type(32), self.int_type(32));
        let ty = self.module.types.intern(Type::Vector { count: 2, element: int });
        let mut vector = self.module.constant(ty, ConstantValue::Undef);
        for (lane, it) in [one, two].into_iter().enumerate() {
            let index = self.module.int(32, lane as u64);
            vector = self.push(ty, AirOperation::InsertElement { vector, value: it.value, index });
        }
        let wide = self.module.types.intern(Type::Vector { count: 4, element: i32s });
        let order: Vec<u64> = (0..4).map(|_| self.random.below(2) as u64).collect();
        let mask = self.module.constant(wide, ConstantValue::Data(order.clone()));
        let other = self.module.constant(ty, ConstantValue::Poison);
        let shuffled = self.push(wide, AirOperation::Shuffle { left: vector, right: other, mask });
        let sum = self.push(
            wide,
            AirOperation::Binary { op: BinaryOp::Add, left: shuffled, right: shuffled, flags: 0 },
        );
        let lane = self.random.below(4);
        let index = self.module.int(32, lane as u64);
        let value = self.push(int, AirOperation::ExtractElement { vector: sum, index });
        self.keep(value, 32, [one, two][order[lane] as usize].now.wrapping_mul(2));
    }

    /// Puts two values in a structure and takes one.
    fn structure(&mut self) {
        let pair = [self.pick(), self.pick()];
        let fields =
            pair.iter().map(|it| Type::Int(it.bits)).map(|it| self.module.types.intern(it)).collect();
        let ty = self.module.types.intern(Type::Struct { name: None, is_packed: false, fields });
        let mut aggregate = self.module.constant(ty, ConstantValue::Undef);
        for (index, it) in pair.iter().enumerate() {
            let path = vec![index as u32];
            aggregate = self.push(ty, AirOperation::InsertValue { aggregate, value: it.value, path });
        }
        let chosen = self.random.below(2);
        let part = self.int_type(pair[chosen].bits);
        let value = self.push(part, AirOperation::ExtractValue { aggregate, path: vec![chosen as u32] });
        self.keep(value, pair[chosen].bits, pair[chosen].now);
    }

    /// Computes with floats, exactly, and returns to integers.
    fn float(&mut self) {
        let one = self.pick_of(16);
        let two = self.pick_of(16);
        let double = self.module.types.intern(Type::Double);
        let [a, b] = [one, two]
            .map(|it| self.push(double, AirOperation::Cast { op: CastOp::SiToFp, value: it.value }));
        let (op, now) = match self.random.below(3) {
            0 => (BinaryOp::FAdd, signed(16, one.now) + signed(16, two.now)),
            1 => (BinaryOp::FSub, signed(16, one.now) - signed(16, two.now)),
            _ => (BinaryOp::FMul, signed(16, one.now) * signed(16, two.now)),
        };
        let result = self.push(double, AirOperation::Binary { op, left: a, right: b, flags: 0 });
        let result = self.push(double, AirOperation::Negate { value: result, flags: 0 });
        let long = self.int_type(64);
        let value = self.push(long, AirOperation::Cast { op: CastOp::FpToSi, value: result });
        self.keep(value, 64, now.wrapping_neg() as u64);
    }

    /// Loads an entry of the constant table.
    fn table(&mut self) {
        let index = self.pick_of(32);
        let int = self.int_type(32);
        let three = self.module.int(32, 3);
        let op = AirOperation::Binary { op: BinaryOp::And, left: index.value, right: three, flags: 0 };
        let masked = self.push(int, op);
        let (table, _) = self.module.types.pointer_parts(self.module.globals[0].address).unwrap();
        let at = self.module.types.pointer(int, 2);
        let indices = vec![self.module.int(32, 0), masked];
        let op = AirOperation::ElementAddress {
            element: table,
            base: Value::Global(0),
            indices,
            is_inbounds: true,
        };
        let address = self.push(at, op);
        let value = self.push(int, AirOperation::Load { address, align: 4, is_volatile: false });
        self.keep(value, 32, TABLE[(index.now & 3) as usize]);
    }

    /// One random operation on values.
    fn step(&mut self) {
        match self.random.below(10) {
            0..4 => self.binary(),
            4 => self.select(),
            5 => self.memory(),
            6 => self.vector(),
            7 => self.structure(),
            8 => self.float(),
            _ => self.table(),
        }
    }

    /// Fills a block that only this run's path reaches, or another; returns the block that it ends in and a value of it.
    fn arm(&mut self, block: u32, join: u32, bits: u32) -> (u32, Known) {
        let before = (self.block, self.known.len());
        self.block = block;
        for _ in 0..self.random.below(4) {
            self.step();
        }
        let result = self.pick_of(bits);
        self.body.push(self.block, None, AirOperation::Branch { target: join });
        let end = self.block;
        self.known.truncate(before.1);
        self.block = before.0;
        (end, result)
    }

    /// A branch of two or three ways whose values are joined by a phi.
    fn branch(&mut self) {
        let ways = 2 + self.random.below(2);
        if self.unused.len() < ways + 1 {
            return;
        }
        let mut blocks: Vec<u32> = Vec::new();
        for _ in 0..=ways {
            let at = self.random.below(self.unused.len());
            blocks.push(self.unused.swap_remove(at));
        }
        let join = blocks.pop().unwrap();
        let bits = WIDTHS[self.random.below(4)];
        let taken = if ways == 2 {
            let (condition, holds) = self.compare();
            let op = AirOperation::BranchIf { condition, then: blocks[0], otherwise: blocks[1] };
            self.body.push(self.block, None, op);
            usize::from(!holds)
        } else {
            let it = self.pick_of(8);
            let cases = [(it.now & 1, blocks[0]), (it.now ^ 0x55, blocks[1])];
            let mut taken = 2;
            let mut list = Vec::new();
            for (index, (case, block)) in cases.into_iter().enumerate() {
                if list.iter().all(|(known, _)| *known != self.module.int(8, case)) {
                    list.push((self.module.int(8, case), block));
                    taken = if case == it.now { index } else { taken };
                }
            }
            self.body.push(
                self.block,
                None,
                AirOperation::Switch { value: it.value, default: blocks[2], cases: list },
            );
            taken
        };
        let arms: Vec<(u32, Known)> = blocks.iter().map(|it| self.arm(*it, join, bits)).collect();
        self.block = join;
        let ty = self.int_type(bits);
        // A case that was left out leads nowhere: its block has no predecessor, and LLVM allows it.
        let incoming = arms.iter().map(|(block, it)| (it.value, *block)).collect();
        let value = self.push(ty, AirOperation::Phi { incoming, flags: 0 });
        self.keep(value, bits, arms[taken].1.now);
        self.mark = self.known.len();
    }
}

fn index_is_odd(index: usize) -> bool {
    index % 2 == 1
}

const TABLE: [u64; 4] = [7, 0xffff_fffe, 0x1234_5678, 0];
const LAYOUT: &str = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128";

/// Adds a function of two numbers; returns its result for these.
fn function(module: &mut Module, random: &mut Random, name: &str, inputs: [u64; 2]) -> u64 {
    let long = module.types.intern(Type::Int(64));
    let signature =
        module.types.intern(Type::Function { result: long, params: vec![long, long], is_variadic: false });
    let address = module.types.pointer(signature, 0);
    let blocks = 1 + random.below(24) as u32;
    let known = inputs.iter().enumerate();
    let known = known
        .map(|(index, now)| Known { value: Value::Argument(index as u32), bits: 64, now: *now })
        .collect();
    let (body, unused) = (BodyBuilder::new(blocks), (1..blocks).collect());
    let mut program = Program { random, module, body, block: 0, unused, known, mark: 0 };
    for _ in 0..12 {
        if program.random.below(2) == 0 { program.branch() } else { program.step() }
    }
    // The result depends on everything that is known.
    let mut result = program.pick_of(64);
    for it in program.known.clone() {
        let it = program.convert(it, 64);
        let three = program.module.int(64, 3);
        let op = AirOperation::Binary { op: BinaryOp::Mul, left: result.value, right: three, flags: 0 };
        let left = program.push(long, op);
        let op = AirOperation::Binary { op: BinaryOp::Xor, left, right: it.value, flags: 0 };
        result = Known { value: program.push(long, op), bits: 64, now: result.now.wrapping_mul(3) ^ it.now };
    }
    program.body.push(program.block, None, AirOperation::Return { value: Some(result.value) });
    for block in std::mem::take(&mut program.unused) {
        program.body.push(block, None, AirOperation::Unreachable);
    }
    let blocks = program.body.finish().unwrap();
    let linkage = AirLinkage::Internal;
    module.functions.push(AirFunction { name: name.into(), address, linkage, attributes: None, blocks });
    result.now
}

/// Returns a program and its output.
pub(crate) fn program(seed: u64) -> (Module, String) {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut module = Module::new("random", "x86_64-unknown-linux-gnu", LAYOUT);
    let [byte, int, long] = [8, 32, 64].map(|it| module.types.intern(Type::Int(it)));
    let table = module.types.intern(Type::Array { count: 4, element: int });
    let text = module.types.intern(Type::Array { count: 5, element: byte });
    let data = module.constant(table, ConstantValue::Data(TABLE.to_vec()));
    let format = module.constant(text, ConstantValue::Data(b"%lx\n\0".map(u64::from).to_vec()));
    for (name, ty, space, value) in [("table", table, 2, data), ("format", text, 0, format)] {
        let address = module.types.pointer(ty, space);
        let (initializer, linkage) = (Some(value), AirLinkage::Private);
        module.globals.push(AirGlobal {
            name: name.into(),
            address,
            is_constant: true,
            initializer,
            linkage,
            align: 0,
        });
    }
    let byte_at = module.types.pointer(byte, 0);
    let print = module.types.intern(Type::Function { result: int, params: vec![byte_at], is_variadic: true });
    let address = module.types.pointer(print, 0);
    let linkage = AirLinkage::External;
    module.functions.push(AirFunction {
        name: "printf".into(),
        address,
        linkage,
        attributes: None,
        blocks: Vec::new(),
    });
    let mut output = String::new();
    let mut body = BodyBuilder::new(1);
    let format = module.constant(byte_at, ConstantValue::Cast(CastOp::BitCast, Value::Global(1)));
    for index in 0..8 {
        let inputs = [random.next(), random.next() >> random.below(60)];
        let result = function(&mut module, &mut random, &format!("f{index}"), inputs);
        output.push_str(&format!("{result:x}\n"));
        let callee = Value::Function(1 + index);
        let (signature, _) = module.types.pointer_parts(module.type_of(callee).unwrap()).unwrap();
        let arguments = inputs.map(|it| module.int(64, it)).to_vec();
        let call =
            AirOperation::Call { callee, signature, arguments, attributes: None, is_tail: false, flags: 0 };
        let value = body.push(0, Some(long), call);
        let arguments = vec![format, value];
        let call = AirOperation::Call {
            callee: Value::Function(0),
            signature: print,
            arguments,
            attributes: None,
            is_tail: false,
            flags: 0,
        };
        body.push(0, Some(int), call);
    }
    let zero = module.int(32, 0);
    body.push(0, None, AirOperation::Return { value: Some(zero) });
    let main = module.types.intern(Type::Function { result: int, params: Vec::new(), is_variadic: false });
    let address = module.types.pointer(main, 0);
    let blocks = body.finish().unwrap();
    module.functions.push(AirFunction { name: "main".into(), address, linkage, attributes: None, blocks });
    (module, output)
}
