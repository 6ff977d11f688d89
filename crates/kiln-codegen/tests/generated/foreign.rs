//! Foreign LLVM code (MISSION G): bodies, modules, intrinsics and symbols by name.

use crate::harness::Suite;
use kiln_types::{Const, ConstData, consts, datatype, display};
use kiln_unit::EntryKind::{Body, Function, Kernel};

/// A body that calls `what` with one `Int64` and returns one.
struct Call {
    suite: Suite,
    text: String,
}

impl Call {
    fn of(make: impl FnOnce(&Suite) -> Const) -> Self {
        let mut suite = Suite::new();
        suite.in_kernel = true;
        let types = suite.types.clone();
        let what = make(&suite);
        suite.vocabulary.add_const(&types, what);
        let declared = consts::of_type(&types, datatype::tuple(&types, &[types.core().int64]));
        suite.vocabulary.add_const(&types, declared);
        let (what, declared) = (display::of_const(&types, what), display::of_const(&types, declared));
        let text = format!(
            "f(_0::Nothing, _1::Int64)::Int64\nbb0:\n  \
             %0 = Intrinsics.llvmcall({what}, Int64, {declared}, _1)::Int64\n  return %0\n"
        );
        Self { suite, text }
    }
    fn body(text: &str) -> Self {
        Self::of(|suite| suite.types.constant(ConstData::String(text.as_bytes().into())))
    }
    fn module(text: &str, entry: &str) -> Self {
        Self::of(|suite| {
            let types = &suite.types;
            let string = |it: &str| types.constant(ConstData::String(it.as_bytes().into()));
            let ty = datatype::tuple(types, &[types.core().string, types.core().string]);
            types.constant(ConstData::Aggregate { ty, fields: Box::new([string(text), string(entry)]) })
        })
    }
    fn name(name: &str) -> Self {
        Self::of(|suite| consts::symbol(&suite.types, suite.types.symbol(name)))
    }
    fn run(&self, x: i64) -> i64 {
        let result = self.suite.call(&[&self.text], &[&x.to_le_bytes()]).expect("it does not fail");
        i64::from_le_bytes(result.try_into().expect("eight bytes"))
    }
    fn refusal(&self) -> String {
        self.suite.refusal(Function, &self.text)
    }
    /// Returns the emitted module as text.
    fn emitted(&self) -> String {
        crate::harness::listing(&self.suite.emitted(Body, &[&self.text]).bitcode)
    }
}

#[test]
fn what_is_called_runs() {
    assert_eq!(Call::body("%2 = mul i64 %0, %0\nret i64 %2").run(7), 49);
    assert_eq!(Call::name("llvm.bitreverse.i64").run(1), i64::MIN);
    let assembly = "%2 = call i64 asm \"leaq 1($1), $0\", \"=r,r\"(i64 %0)\nret i64 %2";
    assert_eq!(Call::body(assembly).run(1), 2);
    let module = "@n = global i64 5\ndefine i64 @f0(i64 %x) {\n  %n = load i64, ptr @n\n  \
                  %y = call i64 @entry(i64 %x, i64 %n)\n  ret i64 %y\n}\n\
                  define internal i64 @entry(i64 %x, i64 %y) noinline {\n  %z = add i64 %x, %y\n  ret i64 %z\n}\n";
    assert_eq!(Call::module(module, "f0").run(1), 6);
}

/// Attributes of the text are those of the unit: the optimizer must know that a barrier is one.
#[test]
fn attributes_of_the_text_survive() {
    let module = "declare void @barrier() #1\n\
                  define i64 @entry(i64 %x) #0 {\n  call void @barrier()\n  ret i64 %x\n}\n\
                  attributes #0 = { noinline }\nattributes #1 = { convergent }\n";
    let emitted = Call::module(module, "entry").emitted();
    assert!(emitted.contains("declare void @barrier()") && emitted.contains("{ convergent }"), "{emitted}");
    assert!(emitted.contains("alwaysinline") && !emitted.contains("noinline"), "{emitted}");
}

/// An undefined symbol of the text is declared, and the object lists it.
#[test]
fn external_symbols_stay_undefined() {
    let call = Call::name("extern __nv_abs");
    let compiled = call.suite.compile(Function, &[&call.text]);
    assert_eq!(compiled.link.runtime, ["__nv_abs"]);
}

/// A text is one function, however often it is called, and equal requests give equal modules.
#[test]
fn a_text_is_linked_once() {
    let mut call = Call::body("%2 = add i64 %0, 1\nret i64 %2");
    let line = call.text.lines().nth(2).expect("the call").to_owned();
    let again = line.replace("%0 =", "%1 =").replace("_1)", "%0)");
    call.text = call.text.replace(&line, &format!("{line}\n{again}")).replace("return %0", "return %1");
    let emitted = call.emitted();
    assert_eq!(emitted.matches("define internal i64 @llvmcall.").count(), 1, "{emitted}");
    assert_eq!(emitted, call.emitted());
    assert_eq!(call.run(5), 7);
    // It may do anything, so items do not run in rows that assume otherwise.
    assert!(call.suite.compile(Body, &[&call.text]).link.definitions[0].traits.writes);
    let arithmetic = Call::name("llvm.bitreverse.i64");
    assert!(!arithmetic.suite.compile(Body, &[&arithmetic.text]).link.definitions[0].traits.writes);
}

/// Invalid text is refused with a message, without a crash.
#[test]
fn what_llvm_does_not_take_is_refused() {
    for (call, expected) in [
        (Call::body("nonsense"), "expected instruction opcode"),
        (Call::body(""), "LLVM does not take the code"),
        (Call::body("ret i32 0"), "i32"),
        (Call::body("%2 = add i64 %0, %1\nret i64 %2"), "defined with type 'label'"),
        (Call::body("ret i64 %0\n}\n@x = global i64 0\ndefine void @y() {"), "LLVM does not take the code"),
        (Call::module("define i64 @f(i64 %x) { ret i64 %x }", "g"), "defines no function `g`"),
        (Call::module("declare i64 @f(i64)", "f"), "defines no function `f`"),
        (Call::module("define i64 @f(i64 %x) { ret i64 %x }", "f\0"), "NUL"),
        (Call::module("define i64 @f(ptr %x, i64 %y) { ret i64 %y }", "f"), "takes 2 arguments"),
        (Call::module("define i64 @f(i64 %x, ...) { ret i64 %x }", "f"), "any number of arguments"),
        (Call::module("define i64 @f(float %x) { ret i64 0 }", "f"), "is float, which a Int64 cannot be"),
        (Call::module("define void @f(i64 %x) { ret void }", "f"), "returns void, which is no Int64"),
        (Call::module("module asm \"nop\"\ndefine i64 @f(i64 %x) { ret i64 %x }", "f"), "assembly"),
        (
            Call::module("@t = thread_local global i64 0\ndefine i64 @f(i64 %x) { ret i64 %x }", "f"),
            "one a thread",
        ),
        (
            Call::module(
                "declare i64 @c1(i64)\ndefine i64 @f(i64 %x) { %y = call i64 @c1(i64 %x)\nret i64 %y }",
                "f",
            ),
            "the name `c1` is the compiler's own",
        ),
        (Call::name("llvm.not.there.i64"), "no intrinsic"),
        (Call::name("llvm.amdgcn.readfirstlane.i64"), "an intrinsic of another target"),
        (Call::module("define i64 @f(i64 %x) gc \"other\" { ret i64 %x }", "f"), "garbage collector"),
        (Call::body("%2 = call i64 asm \"nonsense $1, $0\", \"=r,r\"(i64 %0)\nret i64 %2"), "nonsense"),
        (Call::body("%2 = call i64 asm \"\", \"=r,{nope}\"(i64 %0)\nret i64 %2"), "constraint"),
        (Call::name("llvm.sqrt.i64"), "LLVM does not take the code"),
        (Call::name("extern f0"), "the name `f0` is the compiler's own"),
        (Call::name("extern a\"b"), "is no name of a function"),
    ] {
        let refusal = call.refusal();
        assert!(refusal.contains(expected), "expected `{expected}` in `{refusal}` of {}", call.text);
    }
}

/// A kernel may call text too; the text is linked once, though the body is emitted more than once.
#[test]
fn a_kernel_calls_text() {
    let mut call = Call::body("%2 = add i64 %0, 1\nret i64 %2");
    call.text = call.text.replace("::Int64\nbb0", "::Nothing\nbb0").replace("return %0", "return nothing");
    let compiled = call.suite.compile(Kernel, &[&call.text]);
    assert_eq!(compiled.link.entry, "entry");
}
