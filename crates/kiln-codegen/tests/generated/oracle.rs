//! Every arithmetic intrinsic, on values at the edges of its types, compared with the interpreter.

use crate::harness::Suite;
use kiln_ir::Intrinsic as I;
use kiln_runtime::heap::constants;
use kiln_runtime::{Heap, intrinsics};
use kiln_types::{Const, ConstData, Type, Types, consts, display, layout};
use std::sync::Arc;

/// Returns edge values and a few ordinary ones, in the bytes of the type.
fn samples(types: &Types, ty: Type) -> Vec<Vec<u8>> {
    let core = types.core();
    let size = layout::of(types, ty).expect("a primitive type").size as usize;
    let floats =
        [0.0f64, -0.0, 1.0, -1.5, 2.5, 3.0e5, -7.0e-3, 0.1, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
    if ty == core.float64 {
        return floats.iter().map(|it| it.to_le_bytes().to_vec()).collect();
    }
    if ty == core.float32 {
        return floats.iter().map(|it| (*it as f32).to_le_bytes().to_vec()).collect();
    }
    if ty == core.float16 {
        return floats.iter().map(|it| intrinsics::float16_from_f64(*it).to_le_bytes().to_vec()).collect();
    }
    if ty == core.bool {
        return vec![vec![0], vec![1]];
    }
    let smallest = i128::MIN >> (128 - 8 * size);
    let largest = !smallest;
    [0, 1, 2, 3, 7, -1, -2, 63, 100, smallest, smallest + 1, largest, largest - 1]
        .iter()
        .map(|it: &i128| it.to_le_bytes()[..size].to_vec())
        .collect()
}

fn is_nan(types: &Types, ty: Type, bytes: &[u8]) -> bool {
    let core = types.core();
    let number = match bytes.len() {
        8 if ty == core.float64 => f64::from_le_bytes(bytes.try_into().expect("eight bytes")),
        4 if ty == core.float32 => f64::from(f32::from_le_bytes(bytes.try_into().expect("four bytes"))),
        2 if ty == core.float16 => {
            f64::from(intrinsics::float16_to_f32(u16::from_le_bytes(bytes.try_into().expect("two bytes"))))
        }
        _ => 0.0,
    };
    number.is_nan()
}

struct Oracle {
    suite: Suite,
    heap: Heap,
    have_fma: bool,
}

impl Oracle {
    fn new() -> Self {
        let suite = Suite::new();
        let heap = Heap::new(suite.types.clone());
        let have_fma = kiln_targets::lookup("native").expect("x86-64").have_fma;
        Self { suite, heap, have_fma }
    }

    fn types(&self) -> &Arc<Types> {
        &self.suite.types
    }

    fn bits(&self, ty: Type, bytes: &[u8]) -> Const {
        self.types().constant(ConstData::Bits { ty, bytes: bytes.into() })
    }

    fn interpret(&self, op: I, target: Option<Type>, args: &[(Type, &[u8])]) -> Option<(Type, Vec<u8>)> {
        let mut constants: Vec<Const> = target.iter().map(|it| consts::of_type(self.types(), *it)).collect();
        constants.extend(args.iter().map(|(ty, bytes)| self.bits(*ty, bytes)));
        let values: Vec<_> = constants.iter().map(|it| constants::value_of(&self.heap, *it)).collect();
        let result = intrinsics::call(&self.heap, self.have_fma, op, &values).ok()?;
        let data = self.types().const_data(constants::const_of(&self.heap, result));
        let ConstData::Bits { ty, bytes } = data else { panic!("{} gives {data:?}", op.name()) };
        Some((*ty, bytes.to_vec()))
    }

    /// Compiles `op` for operands of these types and compares it on `tuples`.
    fn compare(&mut self, op: I, target: Option<Type>, operand_types: &[Type]) {
        let mut tuples: Vec<Vec<Vec<u8>>> = vec![Vec::new()];
        for &ty in operand_types {
            let values = samples(self.types(), ty);
            tuples = tuples
                .into_iter()
                .flat_map(|it| {
                    values.iter().map(move |value| [&it[..], std::slice::from_ref(value)].concat())
                })
                .collect();
        }
        let typed = |tuple: &[Vec<u8>]| -> Vec<(Type, Vec<u8>)> {
            operand_types.iter().copied().zip(tuple.iter().cloned()).collect()
        };
        let run = |it: &Self, tuple: &[Vec<u8>]| {
            let typed = typed(tuple);
            let args: Vec<(Type, &[u8])> = typed.iter().map(|(ty, bytes)| (*ty, &bytes[..])).collect();
            it.interpret(op, target, &args)
        };
        let Some((result, _)) = tuples.iter().find_map(|it| run(self, it)) else { return };
        self.suite.with(result);
        if let Some(target) = target {
            let constant = consts::of_type(self.types(), target);
            self.suite.vocabulary.add_const(&self.suite.types, constant);
        }
        let show = |ty: Type| display::of_type(self.types(), ty);
        let params: Vec<String> =
            operand_types.iter().enumerate().map(|(i, ty)| format!(", _{}::{}", i + 1, show(*ty))).collect();
        let mut operands: Vec<String> = target.iter().map(|it| show(*it)).collect();
        operands.extend((1..=operand_types.len()).map(|it| format!("_{it}")));
        let text = format!(
            "f(_0::Nothing{})::{result}\nbb0:\n  %0 = Intrinsics.{}({})::{result}\n  return %0\n",
            params.concat(),
            op.name(),
            operands.join(", "),
            result = show(result)
        );
        let function = self.suite.function(&[&text]);
        for tuple in &tuples {
            let args: Vec<&[u8]> = tuple.iter().map(|it| &it[..]).collect();
            let got = function.call(&args).ok();
            let want = run(self, tuple).map(|it| it.1);
            let both_nan = matches!((&got, &want), (Some(a), Some(b))
                if is_nan(self.types(), result, a) && is_nan(self.types(), result, b));
            assert!(
                got == want || both_nan,
                "{}{tuple:?} of {text}: {got:?}, interpreted {want:?}",
                op.name()
            );
        }
    }
}

#[test]
fn integers() {
    let mut it = Oracle::new();
    let core = *it.types().core();
    for ty in [core.int8, core.uint16, core.int32, core.int64, core.uint64, core.int128] {
        for op in [I::NegInt, I::NotInt, I::CtpopInt, I::CtlzInt, I::CttzInt, I::BswapInt] {
            it.compare(op, None, &[ty]);
        }
        for op in [
            I::AddInt,
            I::SubInt,
            I::MulInt,
            I::AndInt,
            I::OrInt,
            I::XorInt,
            I::FlipsignInt,
            I::ShlInt,
            I::LshrInt,
            I::AshrInt,
            I::EqInt,
            I::NeInt,
            I::SltInt,
            I::UltInt,
            I::SleInt,
            I::UleInt,
            I::CheckedSaddInt,
            I::CheckedUaddInt,
            I::CheckedSsubInt,
            I::CheckedUsubInt,
            I::CheckedSmulInt,
            I::CheckedUmulInt,
            I::CheckedSdivInt,
            I::CheckedUdivInt,
            I::CheckedSremInt,
            I::CheckedUremInt,
        ] {
            it.compare(op, None, &[ty, ty]);
        }
        it.compare(I::ShlInt, None, &[ty, core.uint8]);
        it.compare(I::AshrInt, None, &[ty, core.uint64]);
    }
    for op in [I::AndInt, I::OrInt, I::XorInt, I::EqInt, I::UltInt, I::SltInt] {
        it.compare(op, None, &[core.bool, core.bool]);
    }
    it.compare(I::NotInt, None, &[core.bool]);
}

#[test]
fn floats() {
    let mut it = Oracle::new();
    let core = *it.types().core();
    for ty in [core.float16, core.float32, core.float64] {
        for op in
            [I::NegFloat, I::AbsFloat, I::CeilLlvm, I::FloorLlvm, I::TruncLlvm, I::RintLlvm, I::SqrtLlvm]
        {
            it.compare(op, None, &[ty]);
        }
        for op in [
            I::AddFloat,
            I::SubFloat,
            I::MulFloat,
            I::DivFloat,
            I::MinFloat,
            I::MaxFloat,
            I::CopysignFloat,
            I::EqFloat,
            I::NeFloat,
            I::LtFloat,
            I::LeFloat,
            I::Fpiseq,
        ] {
            it.compare(op, None, &[ty, ty]);
        }
        it.compare(I::FmaFloat, None, &[ty, ty, ty]);
        it.compare(I::MuladdFloat, None, &[ty, ty, ty]);
    }
}

#[test]
fn conversions() {
    let mut it = Oracle::new();
    let core = *it.types().core();
    let integers = [core.bool, core.int8, core.uint16, core.int32, core.int64, core.uint64, core.int128];
    let floats = [core.float16, core.float32, core.float64];
    for (i, &small) in integers.iter().enumerate() {
        for &large in &integers[i..] {
            it.compare(I::SextInt, Some(large), &[small]);
            it.compare(I::ZextInt, Some(large), &[small]);
            it.compare(I::TruncInt, Some(small), &[large]);
        }
        for &float in &floats {
            it.compare(I::Sitofp, Some(float), &[small]);
            it.compare(I::Uitofp, Some(float), &[small]);
        }
    }
    for (i, &small) in floats.iter().enumerate() {
        for &large in &floats[i + 1..] {
            it.compare(I::Fpext, Some(large), &[small]);
            if small != core.float16 {
                it.compare(I::Fptrunc, Some(small), &[large]);
            }
        }
    }
    it.compare(I::Bitcast, Some(core.uint64), &[core.float64]);
    it.compare(I::Bitcast, Some(core.float32), &[core.int32]);
}
