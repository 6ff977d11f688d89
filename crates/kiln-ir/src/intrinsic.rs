//! `Core.Intrinsics`, and the few device intrinsics every dialect is built on.

macro_rules! intrinsics {
    ($($(#[$doc:meta])* $variant:ident = $name:literal / $arity:expr),* $(,)?) => {
        /// One primitive operation. Semantics are Julia's `Core.Intrinsics`; the device ones are documented here.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Intrinsic { $($(#[$doc])* #[allow(missing_docs, reason = "named as Julia names them")] $variant),* }

        impl Intrinsic {
            /// Every intrinsic, in a fixed order.
            pub const ALL: &[Intrinsic] = &[$(Intrinsic::$variant),*];
            /// The name in `Core.Intrinsics`.
            pub fn name(self) -> &'static str {
                match self { $(Intrinsic::$variant => $name),* }
            }
            /// Number of arguments; `None` when it varies.
            pub fn arity(self) -> Option<usize> {
                match self { $(Intrinsic::$variant => $arity),* }
            }
        }
    };
}

impl Intrinsic {
    /// The intrinsic of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|it| it.name() == name)
    }

    /// Whether it reads or writes the memory at its first operand.
    pub const fn accesses_memory(self) -> bool {
        matches!(
            self,
            Self::Pointerref
                | Self::Pointerset
                | Self::AtomicPointerref
                | Self::AtomicPointerset
                | Self::AtomicPointerswap
                | Self::AtomicPointermodify
                | Self::AtomicPointerreplace
        )
    }

    /// Whether it means something in a kernel only. (`kiln_in_kernel`, `kiln_kernel_state`,
    /// `kiln_debug_level` and `kiln_lanes` have an answer everywhere.)
    pub const fn needs_kernel(self) -> bool {
        matches!(
            self,
            Self::LocalId
                | Self::GroupId
                | Self::LocalSize
                | Self::NumGroups
                | Self::Barrier
                | Self::SharedMemory
                | Self::DynamicSharedMemory
                | Self::DynamicSharedBytes
                | Self::PrivateMemory
                | Self::WarpBarrier
                | Self::Report
                | Self::Clock
                | Self::StaticAssertion
                | Self::KernelEntry
                | Self::DeclareConstant
        )
    }
}

intrinsics! {
    NegInt = "neg_int" / Some(1), AddInt = "add_int" / Some(2), SubInt = "sub_int" / Some(2),
    MulInt = "mul_int" / Some(2), SdivInt = "sdiv_int" / Some(2), UdivInt = "udiv_int" / Some(2),
    SremInt = "srem_int" / Some(2), UremInt = "urem_int" / Some(2),
    NegFloat = "neg_float" / Some(1), AddFloat = "add_float" / Some(2), SubFloat = "sub_float" / Some(2),
    MulFloat = "mul_float" / Some(2), DivFloat = "div_float" / Some(2),
    MinFloat = "min_float" / Some(2), MaxFloat = "max_float" / Some(2),
    FmaFloat = "fma_float" / Some(3), MuladdFloat = "muladd_float" / Some(3),
    NegFloatFast = "neg_float_fast" / Some(1), AddFloatFast = "add_float_fast" / Some(2),
    SubFloatFast = "sub_float_fast" / Some(2), MulFloatFast = "mul_float_fast" / Some(2),
    DivFloatFast = "div_float_fast" / Some(2), MinFloatFast = "min_float_fast" / Some(2),
    MaxFloatFast = "max_float_fast" / Some(2),
    EqInt = "eq_int" / Some(2), NeInt = "ne_int" / Some(2), SltInt = "slt_int" / Some(2),
    UltInt = "ult_int" / Some(2), SleInt = "sle_int" / Some(2), UleInt = "ule_int" / Some(2),
    EqFloat = "eq_float" / Some(2), NeFloat = "ne_float" / Some(2), LtFloat = "lt_float" / Some(2),
    LeFloat = "le_float" / Some(2), EqFloatFast = "eq_float_fast" / Some(2),
    NeFloatFast = "ne_float_fast" / Some(2), LtFloatFast = "lt_float_fast" / Some(2),
    LeFloatFast = "le_float_fast" / Some(2), Fpiseq = "fpiseq" / Some(2),
    AndInt = "and_int" / Some(2), OrInt = "or_int" / Some(2), XorInt = "xor_int" / Some(2),
    NotInt = "not_int" / Some(1), ShlInt = "shl_int" / Some(2), LshrInt = "lshr_int" / Some(2),
    AshrInt = "ashr_int" / Some(2), BswapInt = "bswap_int" / Some(1), CtpopInt = "ctpop_int" / Some(1),
    CtlzInt = "ctlz_int" / Some(1), CttzInt = "cttz_int" / Some(1),
    SextInt = "sext_int" / Some(2), ZextInt = "zext_int" / Some(2), TruncInt = "trunc_int" / Some(2),
    Fptoui = "fptoui" / Some(2), Fptosi = "fptosi" / Some(2), Uitofp = "uitofp" / Some(2),
    Sitofp = "sitofp" / Some(2), Fptrunc = "fptrunc" / Some(2), Fpext = "fpext" / Some(2),
    CheckedSaddInt = "checked_sadd_int" / Some(2), CheckedUaddInt = "checked_uadd_int" / Some(2),
    CheckedSsubInt = "checked_ssub_int" / Some(2), CheckedUsubInt = "checked_usub_int" / Some(2),
    CheckedSmulInt = "checked_smul_int" / Some(2), CheckedUmulInt = "checked_umul_int" / Some(2),
    CheckedSdivInt = "checked_sdiv_int" / Some(2), CheckedUdivInt = "checked_udiv_int" / Some(2),
    CheckedSremInt = "checked_srem_int" / Some(2), CheckedUremInt = "checked_urem_int" / Some(2),
    AbsFloat = "abs_float" / Some(1), CopysignFloat = "copysign_float" / Some(2),
    FlipsignInt = "flipsign_int" / Some(2), CeilLlvm = "ceil_llvm" / Some(1), FloorLlvm = "floor_llvm" / Some(1),
    TruncLlvm = "trunc_llvm" / Some(1), RintLlvm = "rint_llvm" / Some(1), SqrtLlvm = "sqrt_llvm" / Some(1),
    SqrtLlvmFast = "sqrt_llvm_fast" / Some(1),
    Bitcast = "bitcast" / Some(2), AddPtr = "add_ptr" / Some(2), SubPtr = "sub_ptr" / Some(2),
    Pointerref = "pointerref" / Some(3), Pointerset = "pointerset" / Some(4),
    /// `atomic_fence(order[, scope])`: `scope` names the items that see the order, `:workgroup`, `:device` (as if it were not
    /// given) or `:system`, those of the host and of other devices included.
    AtomicFence = "atomic_fence" / None,
    AtomicPointerref = "atomic_pointerref" / Some(2),
    AtomicPointerset = "atomic_pointerset" / Some(3), AtomicPointerswap = "atomic_pointerswap" / Some(3),
    AtomicPointermodify = "atomic_pointermodify" / Some(4),
    AtomicPointerreplace = "atomic_pointerreplace" / Some(5),
    /// `have_fma(T)::Bool`.
    HaveFma = "have_fma" / Some(1),

    // Device intrinsics. Counts and ids are `Int64`, from 0; `dim` is a constant 0, 1 or 2.
    /// `kiln_local_id(dim)`: index of this work-item in its group.
    LocalId = "kiln_local_id" / Some(1),
    /// `kiln_group_id(dim)`: index of this group in the grid.
    GroupId = "kiln_group_id" / Some(1),
    /// `kiln_local_size(dim)`: work-items a group.
    LocalSize = "kiln_local_size" / Some(1),
    /// `kiln_num_groups(dim)`: groups in the grid.
    NumGroups = "kiln_num_groups" / Some(1),
    /// `kiln_barrier()`: every item of the group that has not returned arrives before any goes on; orders memory.
    Barrier = "kiln_barrier" / Some(0),
    /// `kiln_shared_memory(bytes, align, key)::Ptr{UInt8}`: memory of the group, one block for each statement of the
    /// final body (so two inlined calls have two); `bytes` and `align` are constant `Int`s, `key` is a constant `Symbol`
    /// that only names the block. Uninitialized.
    SharedMemory = "kiln_shared_memory" / Some(3),
    /// `kiln_dynamic_shared_memory()::Ptr{UInt8}`: the block whose size the launch specifies.
    DynamicSharedMemory = "kiln_dynamic_shared_memory" / Some(0),
    /// `kiln_dynamic_shared_bytes()::Int64`: the size of that block; `typemax(Int64)` where a device does not tell.
    DynamicSharedBytes = "kiln_dynamic_shared_bytes" / Some(0),
    /// `kiln_private_memory(bytes, align, key)::Ptr{UInt8}`: memory of the work-item, one block for each statement.
    PrivateMemory = "kiln_private_memory" / Some(3),
    /// `kiln_warp_barrier(mask::T, gives::Bool = true)::T`, `T` being `UInt32` or `UInt64`: every item of the warp (32 items of a
    /// group, in linear order; those of a wave for `UInt64`) that `mask` names and that has not returned arrives before any
    /// continues; orders memory. 0 names all items that reach the same place. The value is the mask of the items that met and
    /// gave `true`.
    WarpBarrier = "kiln_warp_barrier" / None,
    /// `kiln_report(f, args...)`: the host calls `f(args...)`, in the order in which an item reports and before the
    /// launch ends. Arguments are plain bits, constants, or values that the host can derive from those.
    Report = "kiln_report" / None,
    /// `kiln_static_assertion(message)`: is never reached. Code in which that cannot be proven is refused with the message, a
    /// constant `Symbol`.
    StaticAssertion = "kiln_static_assertion" / Some(1),
    /// `kiln_clock()::UInt64`: ticks of the processor's cycle counter.
    Clock = "kiln_clock" / Some(0),
    /// `llvmcall(what, Ret, Tuple{Args...}, args...)::Ret`: LLVM code. `what` is a `Symbol`, the name of an LLVM intrinsic or
    /// `extern name` for a symbol that a library defines; or a `String`, the body of a function of the arguments; or
    /// `(module, entry)`, both `String`s, a module and its function. All but `args` are constants. See [`foreign`](crate::foreign).
    Llvmcall = "llvmcall" / None,
    /// `foreigncall(name, library, Ret, Tuple{Args...}, args...)::Ret`: a C function of the host, for which `name` is a
    /// `Symbol` or a pointer, and `library` a `String`, a `Symbol` or `nothing`.
    Foreigncall = "foreigncall" / None,
    /// `kiln_in_kernel()::Bool`: constant `true` in compiled kernels, `false` in the interpreter.
    InKernel = "kiln_in_kernel" / Some(0),
    /// `kiln_kernel_state()::Ptr{UInt8}`: the state that the launch passes to the kernel, in global memory; null
    /// without one, and on the host.
    KernelState = "kiln_kernel_state" / Some(0),
    /// `kiln_declare_constant(p::Ptr, bytes::Int)`: the item promises that the kernel writes nothing to this memory. Checked
    /// kernels verify it; in others it does nothing.
    DeclareConstant = "kiln_declare_constant" / Some(2),
    /// `kiln_debug_level()::Int`: how much a failing item is to say of itself; constant in compiled code, 1 in the
    /// interpreter.
    DebugLevel = "kiln_debug_level" / Some(0),
    /// `kiln_lanes()::Int`: the items of a warp, 32 or 64; constant in compiled code, 32 in the interpreter.
    Lanes = "kiln_lanes" / Some(0),
    /// `kiln_kernel_entry(pointer::Ptr)::Ptr`: `pointer` was looked up in the same body (`deferred`); the value is
    /// the address of a kernel with the behaviour of the function, for the device to launch. It takes the state of
    /// the kernel and, aligned to 16 bytes, a block of the non-ghost arguments, the function first, laid out as in a
    /// tuple.
    KernelEntry = "kiln_kernel_entry" / Some(1),
}
