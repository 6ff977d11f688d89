//! Result types of host functions. They may have any effect, except a few that only inspect types.

use super::{Env, Outcome, PURE};
use crate::lattice::Lattice;
use kiln_ir::{Effects, HostFunction};
use kiln_types::datatype;

/// The transfer function of a host function.
pub(crate) fn host(env: Env<'_>, function: HostFunction, args: &[Lattice]) -> Outcome {
    use HostFunction as H;
    let types = env.types;
    let core = types.core();
    if args.iter().any(|it| it.is_bottom(types)) {
        return Outcome::throws(env);
    }
    let maybe = |ty| types.union(&[ty, core.nothing]);
    let ty = match function {
        H::StringFromMemory | H::IntegerText | H::SymbolName | H::FloatToString | H::Cwd | H::TypeString => {
            core.string
        }
        H::SymbolFromString | H::Gensym | H::ModuleName => core.symbol,
        H::StringPointer => types.apply(core.ptr, &[core.uint8]).unwrap_or(core.any),
        H::ParseFloat64 => maybe(core.float64),
        H::ParseFloat32 => maybe(core.float32),
        H::ParseInteger => match args.first().and_then(|it| it.as_type(types)) {
            Some(integer) if datatype::is_primitive(types, integer) => maybe(integer),
            _ => core.any,
        },
        H::ReadLine | H::ReadFile | H::Getenv | H::FindPackage => maybe(core.string),
        H::TextOf | H::FormatText | H::JoinText | H::TakeLine | H::AsciiCase | H::ReplaceText => {
            maybe(core.string)
        }
        H::FileStream | H::Process | H::PutText | H::TextFact => core.int64,
        H::FindText | H::CountText | H::CompareText => core.int64,
        H::HasText => core.bool,
        H::CopyBytes => core.nothing,
        H::WriteFile
        | H::IsTty
        | H::MayAccess
        | H::Hasmethod
        | H::TypeEqual
        | H::Isconst
        | H::MoreSpecific
        | H::HasFreeTypevars
        | H::DeleteBinding
        | H::IsNewestWorld
        | H::FieldAttribute
        | H::KernelFree
        | H::KernelOwnMemory => core.bool,
        H::WallTime => core.float64,
        H::RunningWorld | H::WorldCounter | H::ObjectId | H::KernelCompile => core.uint64,
        H::NewModule => core.module,
        H::DeleteMethod | H::TaskSwitch | H::SleepNs => core.nothing,
        H::KernelLaunch | H::KernelSynchronize | H::KernelReserve => core.nothing,
        H::TaskStart | H::ChangeFiles | H::ProcessFact | H::KernelStream => core.int64,
        H::Generating if args.is_empty() => core.bool,
        H::GenericmemoryCopyto => core.nothing,
        H::Typeintersect if args.len() == 2 => core.type_,
        H::Typejoin | H::ReturnType => core.type_,
        H::Exit | H::Rethrow => core.bottom,
        _ => core.any,
    };
    // Host functions call no overlay methods; code that they run is not part of this inference.
    let effects = if is_pure(function) {
        PURE
    } else {
        Effects { nonoverlayed: true, nortcall: true, ..Effects::NONE }
    };
    Outcome::new(env, Lattice::normalize(types, ty), effects)
}

/// Whether the result depends on the arguments alone, in every world.
fn is_pure(function: HostFunction) -> bool {
    use HostFunction as H;
    matches!(
        function,
        H::Typeintersect
            | H::Typejoin
            | H::TypeEqual
            | H::FieldOffset
            | H::Layout
            | H::HasFreeTypevars
            | H::FieldAttribute
            | H::ModuleParent
            | H::ModuleName
            | H::SymbolName
            | H::SymbolFromString
            | H::Identityhash
    )
}
