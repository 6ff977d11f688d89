//! Every error renders, and no two render alike.

use super::*;
use kiln_ir::Block;
use kiln_targets::OptionError;
use std::collections::BTreeSet;

fn text(name: &str) -> String {
    name.to_owned()
}

fn bodies() -> Vec<InvalidBody> {
    use InvalidBody as B;
    use RuntimeResult as R;
    let problem = kiln_ir::Violation {
        block: Block::from_u32(0),
        stmt: None,
        message: "an operand is not defined".into(),
    };
    let runtime = [R::Claim, R::Reserve, R::Box, R::Unbox, R::Allocate].map(B::RuntimeResult);
    let all = [
        B::Verifier(problem),
        B::UnknownValue { stmt: 7 },
        B::UnknownArgument,
        B::OperandCount { op: "add_int" },
        B::TooFewOperands { op: "getfield" },
        B::ConversionWidths { op: "trunc_int" },
        B::BitcastSizes,
        B::CopyOperands,
        B::StringPointerOperands,
        B::Throw,
        B::AtomicReplay,
        B::UnknownCallee,
        B::CallArguments,
        B::LookupArguments,
        B::MissingAddress,
        B::CallerState,
        B::CallerMemory,
        B::PointerCallerState,
        B::RuntimeParameters,
        B::EmptyUnion,
        B::UntaggedUnion,
        B::GhostBits,
        B::GhostLoad,
        B::GhostParameter,
        B::GhostSize,
        B::StructLayout,
        B::FloatBits,
        B::FloatRegister,
        B::ReferenceBits,
        B::WideConstant,
        B::ShortConstant,
        B::ConstantTag,
        B::ConstantBits,
    ];
    all.into_iter().chain(runtime).collect()
}

fn operations() -> Vec<Unsupported> {
    use Operation as O;
    let all = [
        O::Try,
        O::TryBlock,
        O::DynamicCall,
        O::CCall,
        O::IsDefinedGlobal,
        O::QuotedExpression,
        O::DynamicType,
        O::DynamicObject,
        O::Allocation,
        O::DynamicField,
        O::DynamicFieldOfUnion,
        O::FieldCount,
        O::ObjectIdentity,
        O::DynamicMemory,
        O::MemoryCopy,
        O::UnknownPointee,
        O::DynamicAtomicOrder,
        O::DynamicAtomicScope,
        O::Dimension,
        O::BlockSize,
        O::ReportedValue,
        O::KernelOfPointer,
    ];
    all.map(Unsupported::Operation).into()
}

fn types() -> Vec<Unsupported> {
    use TypeRole as T;
    let all = [
        T::Allocation,
        T::Boxed,
        T::Struct,
        T::MissingField,
        T::Field,
        T::DynamicField,
        T::ImmutableField,
        T::SizeOf,
        T::BoxIdentity,
        T::Identity,
        T::TypeOf,
        T::Memory,
        T::SizelessMemory,
        T::Register,
        T::Primitive,
        T::Float,
        T::Pointer,
        T::HeldReferences,
        T::Atomic,
        T::Layout,
        T::LongTuple,
        T::HostUnion,
        T::KernelResult,
        T::EntryArgument,
    ];
    all.map(|role| Unsupported::Type { ty: text("Complex{Int64}"), role }).into()
}

fn unsupported() -> Vec<Unsupported> {
    use NameRole as N;
    let names = [
        N::HostFunction,
        N::HostBuiltin,
        N::Global,
        N::Constant,
        N::AtomicFunction,
        N::AtomicOrder,
        N::AtomicScope,
    ];
    let (ty, target) = (text("Complex{Int64}"), text("sm_90"));
    let mut all = [operations(), types()].concat();
    all.extend(names.map(|role| Unsupported::Name { name: text("name"), role }));
    all.extend([
        Unsupported::Mismatch { from: text("Int64"), to: ty.clone() },
        Unsupported::IsA { value: text("Any"), ty: ty.clone() },
        Unsupported::AddressSpace { pointer: ty.clone(), target: target.clone() },
        Unsupported::EntryResult { target: target.clone(), ty },
        Unsupported::Reports { target },
        Unsupported::PrivateMemory { bytes: 1 << 20, most: 1 << 16 },
        Unsupported::OperandBytes { bytes: 300, most: 256 },
    ]);
    all
}

fn limits() -> Vec<TargetLimit> {
    use TargetLimit as L;
    let (ty, target) = (text("Float64"), text("bpf"));
    vec![
        L::Value { llvm: "double", ty: ty.clone(), target: target.clone() },
        L::HostFunction { target: target.clone() },
        L::Recursion { target: target.clone() },
        L::FunctionPointer { target: target.clone() },
        L::Launch { target: target.clone() },
        L::Object { ty: ty.clone(), target: target.clone() },
        L::AtomicBits { ty: ty.clone(), target: target.clone(), least: 32 },
        L::WideAtomic { ty: ty.clone(), target: target.clone(), most: 32 },
        L::ArgumentCount { count: 6, most: 5, target: target.clone() },
        L::Argument { ty, target: target.clone() },
        L::SharedBytes { bytes: 50_000, most: 49_152, target },
        L::LiteralAddress(0x1234),
        L::GroupQuery,
        L::GridQuery,
        L::GroupMemory,
        L::Barrier,
        L::Lanes,
        L::Fence,
        L::Clock,
        L::ClockExtension("SPV_KHR_shader_clock"),
        L::Ballot,
        L::Intrinsic { name: text("llvm.sin.f64"), target: text("sm_60"), first: None },
        L::Other(text("no clock before the second revision")),
    ]
}

fn foreign() -> Vec<ForeignError> {
    use ForeignError as F;
    use TextError as T;
    let name = || text("name");
    let texts = [
        T::Llvm(text("1:1: error: expected a type")),
        T::GaveUp(GaveUp),
        T::NulInName,
        T::NoFunction(name()),
        T::AliasOrAssembly,
        T::ThreadLocal(name()),
        T::Reserved(name()),
        T::GarbageCollector(name()),
        T::UnknownIntrinsic(name()),
        T::OtherTarget(name()),
        T::OwnName(name()),
    ];
    let mut all = vec![
        F::TooFewArguments,
        F::DynamicCode,
        F::NotCode,
        F::NotTuple(text("Int64")),
        F::ArgumentCount { declared: 2, given: 1 },
        F::FunctionName(text("a\nb")),
        F::NotUtf8,
        F::NotLinked(name()),
        F::Variadic,
        F::ParameterCount { takes: 2, given: 1 },
        F::Parameter { number: 1, takes: text("float"), given: text("Int64") },
        F::Result { returns: text("float"), declared: text("Int64") },
        F::HoldsObjects(text("Pair{Any, Any}")),
        F::NotPlain(text("Any")),
    ];
    all.extend(texts.map(F::Text));
    all
}

fn links() -> Vec<LinkError> {
    use LinkError as L;
    let steps = [LinkStep::ReadPart, LinkStep::PrepareLibrary, LinkStep::ReadLibrary, LinkStep::Link];
    let mut all = vec![
        L::Input { step: LinkStep::Link, messages: vec![text("symbol multiply defined"), text("again")] },
        L::InvalidPart(text("a use before its definition")),
        L::InvalidLibrary(text("a use before its definition")),
        L::Triple { part: text("bpfel"), machine: text("nvptx64") },
        L::NotNumber(text("g0")),
        L::NumberEscapes(text("g0")),
        L::EntryNameTaken(text("saxpy")),
        L::Withheld(vec![text("sin"), text("cos")]),
        L::NotDefined { symbol: text("c1"), part: 1, definition: text("f9") },
        L::CallType(text("p1_f0")),
        L::Undefined(text("printf")),
        L::NoEntry,
        L::SeveralParts,
    ];
    all.extend(steps.map(|step| L::Input { step, messages: Vec::new() }));
    all
}

#[cfg(feature = "air")]
fn air() -> Vec<EmitErrorKind> {
    use AirUnsupported as A;
    let place = kiln_air::ModulePlace::Type(3);
    let fault = kiln_air::ModuleFault::Bits;
    let all = vec![
        A::Type(text("i128")),
        A::Constant(text("ptr @f")),
        A::Instruction(text("fence seq_cst")),
        A::Function(text("llvm.sin.f32")),
        A::Symbol(text("t")),
        A::Attribute { function: text("g"), number: 80 },
        A::Metadata(text("air.x")),
        A::AliasOrAssembly,
        A::IllFormed(kiln_air::ModuleError { place, fault }),
    ];
    assert_eq!(all.len(), variants(include_str!("air.rs"), "AirUnsupported"));
    all.into_iter().map(EmitErrorKind::Air).collect()
}

fn kinds() -> Vec<EmitErrorKind> {
    use EmitErrorKind as K;
    let cause = Box::new(K::Limit(TargetLimit::GroupQuery));
    let mut all = vec![
        K::Request(Malformed("a list is longer than the bytes")),
        K::EntryName(InvalidEntryName(text("9a"))),
        K::Wire(WireError("a reference is out of range")),
        K::NoTarget { target: text("riscv64"), backend: text("other") },
        K::Option(OptionError::UnknownCodeObject(7)),
        K::Query { target: text("bpf"), cause },
        K::StaticAssertion,
        K::Llvm(text("no available targets are compatible with triple")),
        K::UnreadableModule,
        K::NoMachine,
        K::NoLayout("e-x".into()),
        K::NoFiles("lanes64".into()),
        K::NoEntry,
        K::GaveUp(GaveUp),
        K::Fatal(text("cannot select")),
        K::Panic { message: text("index out of bounds"), trace: None },
        K::Panic { message: text("index out of bounds"), trace: Some(text("0: kiln_codegen")) },
        K::Target(text("no such extension")),
    ];
    let modules = [VerifiedModule::Emitted, VerifiedModule::Linked, VerifiedModule::Optimized];
    all.extend(modules.map(|module| K::Verifier { module, message: text("a broken function") }));
    all.extend(bodies().into_iter().map(K::Body));
    all.extend(unsupported().into_iter().map(K::Unsupported));
    all.extend(limits().into_iter().map(K::Limit));
    all.extend(foreign().into_iter().map(K::Foreign));
    all.extend(links().into_iter().map(K::Link));
    #[cfg(feature = "air")]
    all.extend(air());
    all
}

/// The variants that an enumeration of a file declares, by its source.
fn variants(source: &str, name: &str) -> usize {
    let body = source.split(&format!("pub enum {name} {{\n")).nth(1).expect("the enumeration is in the file");
    let body = body.split("\n}\n").next().expect("the enumeration ends");
    let is_variant =
        |it: &&str| it.starts_with("    ") && it[4..].starts_with(|it: char| it.is_ascii_uppercase());
    body.lines().filter(is_variant).count()
}

/// Every kind has a text of its own, one sentence without its end; none of them is left out here.
#[test]
fn every_kind_renders() {
    let kinds = kinds();
    let texts: BTreeSet<String> = kinds.iter().map(ToString::to_string).collect();
    for text in &texts {
        assert!(!text.is_empty() && !text.ends_with(['.', ' ', '\n']), "{text:?}");
    }
    assert_eq!(texts.len(), kinds.len(), "two kinds have one text");
    let sources = [
        (include_str!("invalid_body.rs"), "InvalidBody", bodies().len() - 5 + 1),
        (include_str!("invalid_body.rs"), "RuntimeResult", 5),
        (include_str!("unsupported.rs"), "Operation", operations().len()),
        (include_str!("unsupported.rs"), "TypeRole", types().len()),
        (include_str!("unsupported.rs"), "NameRole", 7),
        (
            include_str!("unsupported.rs"),
            "Unsupported",
            unsupported().len() - operations().len() - types().len() - 7 + 3,
        ),
        (include_str!("target_limit.rs"), "TargetLimit", limits().len()),
        (include_str!("foreign.rs"), "ForeignError", foreign().len() - 11 + 1),
        (include_str!("foreign.rs"), "TextError", 11),
        (include_str!("link.rs"), "LinkError", links().len() - 4),
        (include_str!("link.rs"), "LinkStep", 4),
        (include_str!("mod.rs"), "VerifiedModule", 3),
    ];
    for (source, name, sampled) in sources {
        assert_eq!(sampled, variants(source, name), "variants of {name}");
    }
    let tops: BTreeSet<String> = kinds.iter().map(|it| head(&format!("{it:?}"))).collect();
    let absent = usize::from(cfg!(not(feature = "air")));
    assert_eq!(tops.len() + absent, variants(include_str!("mod.rs"), "EmitErrorKind"));
}

/// The name of a variant.
fn head(shown: &str) -> String {
    shown.split(|it: char| !it.is_alphanumeric()).next().unwrap_or_default().to_owned()
}

/// A refusal has as data what the driver needs: the place, the party at fault, the symbol that nothing defines.
#[test]
fn a_refusal_has_the_error_as_data() {
    let limit = EmitError::from(TargetLimit::Barrier).of_query(text("bpf")).at(3).at(4).in_function(2);
    let refusal = limit.into_refusal();
    assert_eq!((refusal.function, refusal.stmt, refusal.kind), (2, Some(3), RefusalKind::Limit));
    assert_eq!(refusal.message, "a barrier: there are no items to wait for (bpf)");
    let undefined = EmitError::from(LinkError::Undefined(text("printf"))).into_refusal();
    assert_eq!((undefined.missing, undefined.kind), (Some(text("printf")), RefusalKind::Unsupported));
    let fatal = EmitError::from(EmitErrorKind::Fatal(text("cannot select"))).into_refusal();
    assert_eq!((fatal.kind, fatal.stmt), (RefusalKind::Internal, None));
}
