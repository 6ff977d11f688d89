//! `Core` builtins (functions of the runtime that inference knows) and host functions (services of the
//! runtime that only host code may call).

macro_rules! functions {
    ($(#[$doc:meta])* $ty:ident { $($variant:ident = $name:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[allow(missing_docs, reason = "named as Julia names them")]
        pub enum $ty { $($variant),* }

        impl $ty {
            /// All of them, in a fixed order.
            pub const ALL: &[$ty] = &[$($ty::$variant),*];
            /// The name it is bound to.
            pub fn name(self) -> &'static str {
                match self { $($ty::$variant => $name),* }
            }
            /// Returns the builtin with this name.
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|it| it.name() == name)
            }
        }
    };
}

functions! {
    /// A function of `Core` with type `<: Core.Builtin`. Semantics are Julia 1.12's.
    Builtin {
        Is = "===", Typeof = "typeof", Issubtype = "<:", Isa = "isa", Typeassert = "typeassert",
        Throw = "throw", Tuple = "tuple", Getfield = "getfield", Setfield = "setfield!",
        Swapfield = "swapfield!", Modifyfield = "modifyfield!", Replacefield = "replacefield!",
        Fieldtype = "fieldtype", Isdefined = "isdefined", Nfields = "nfields", Sizeof = "sizeof",
        Svec = "svec", SvecLen = "_svec_len", SvecRef = "_svec_ref", ApplyType = "apply_type",
        ApplyIterate = "_apply_iterate", Invoke = "invoke", Invokelatest = "invokelatest",
        Applicable = "applicable", Ifelse = "ifelse",
        Getglobal = "getglobal", Setglobal = "setglobal!", Isdefinedglobal = "isdefinedglobal",
        Memorynew = "memorynew", Memoryrefnew = "memoryrefnew", Memoryrefoffset = "memoryrefoffset",
        Memoryrefget = "memoryrefget", Memoryrefset = "memoryrefset!",
        MemoryrefIsassigned = "memoryref_isassigned",
        Typevar = "_typevar", UnionAllNew = "_unionall", Expr = "_expr",
        Abstracttype = "_abstracttype", Primitivetype = "_primitivetype", Structtype = "_structtype",
        Setsuper = "_setsuper!", Typebody = "_typebody!", EquivTypedef = "_equiv_typedef",
        Compilerbarrier = "compilerbarrier", Donotdelete = "donotdelete", Finalizer = "finalizer",
        // A pointer to `f` specialized for these arguments, compiled with what asks for it: (f, args...)::Ptr{Cvoid}
        Deferred = "deferred",
        // A call through such a pointer: (p::Ptr{Cvoid}, R::Type, args...)::R
        DeferredCall = "deferred_call",
    }
}

functions! {
    /// A service of the runtime, a `Core.Builtin` bound in the module `Core.Host`: Julia's `ccall`s into libjulia and
    /// libc. Never callable from a kernel. `kiln-runtime/src/host/` documents arguments and results. Each addition
    /// needs a decision record.
    HostFunction {
        // Strings and symbols.
        StringFromMemory = "string_from_memory",   // (mem::Memory{UInt8}, offset0::Int, n::Int)::String
        StringPointer = "string_pointer",          // (s)::Ptr{UInt8}
        SymbolFromString = "symbol_from_string",   // (s)::Symbol
        SymbolName = "symbol_name",                // (sym)::String
        Gensym = "gensym",                         // (prefix::String)::Symbol
        FloatToString = "float_to_string",         // (x, mode::Symbol, digits::Int)::String ; :shortest, :fixed, :exp
        ParseFloat64 = "parse_float64",            // (s)::Union{Float64, Nothing}
        ParseFloat32 = "parse_float32",
        // Text in bulk: bytes of strings, of parts of strings, of memories and vectors.
        TextOf = "text_of",                        // (xs...)::Union{String, Nothing}, what `print` writes of them
        PutText = "put_text",                      // (io::IOBuffer, xs...)::Int, how many were written; -1: none can be
        JoinText = "join_text",                    // (items, delim, last)::Union{String, Nothing}
        TakeLine = "take_line",                    // (io::IOBuffer, keep::Bool, whole::Bool)::Union{String, Nothing}
        FormatText = "format_text",                // (packed::String, values...)::Union{String, Nothing}
        IntegerText = "integer_text",              // (x, base::Int, pad::Int)::String
        CopyBytes = "copy_bytes",                  // (to, at0::Int, from, first0::Int, n::Int)::Nothing
        TextFact = "text_fact",                    // (what::Symbol, s)::Int
        AsciiCase = "ascii_case",                  // (s, upper::Bool)::Union{String, Nothing}
        FindText = "find_text",                    // (text, what, from::Int, backwards::Bool)::Int
        CountText = "count_text",                  // (text, what)::Int
        CompareText = "compare_text",              // (a, b)::Int
        HasText = "has_text",                      // (text, what, at::Int)::Bool
        StripText = "strip_text",                  // (s, left::Bool, right::Bool)::SubString{String}
        SplitText = "split_text",                  // (s, delim, limit::Int, keepempty::Bool)::Union{Memory, Nothing}
        ReplaceText = "replace_text",              // (s, count::Int, what, with, ...)::Union{String, Nothing}
        ParseInteger = "parse_integer",            // (T, s, base::Int)::Union{T, Nothing}
        // Input, output, files, clocks.
        Write = "write_bytes",                     // (fd::Int, p::Ptr{UInt8}, n::Int)::Int
        ReadLine = "read_line",                    // (fd::Int)::Union{String, Nothing}
        ReadFile = "read_file",                    // (path)::Union{String, Nothing}
        WriteFile = "write_file",                  // (path, data::String)::Bool
        FileStream = "file_stream",                // (what::Symbol, ...)::Int, an error negative; see kiln-runtime
        FileStatus = "file_status",                // (path, follow::Bool)::Union{Vector{Int}, Int}, facts or the error
        TimeNs = "time_ns", WallTime = "wall_time", Exit = "exit", Args = "program_args",
        MayAccess = "may_access",                  // (path, bits::Int)::Bool
        ListDirectory = "list_directory",          // (path)::Union{Vector{String}, Int}
        PathTarget = "path_target",                // (what::Symbol, path)::Union{String, Int}
        ChangeFiles = "change_files",              // (what::Symbol, path, [to])::Int, the error or 0
        Process = "process",                       // (what::Symbol, ...)::Int, an error negative; see kiln-runtime
        ProcessFact = "process_fact",              // (what::Symbol)::Int
        Environment = "environment",               // ()::Vector{String} of "NAME=value"
        Getenv = "getenv", Cwd = "cwd", IsTty = "is_tty",
        RandomSeed = "random_seed",                // ()::UInt64 from the system
        // Regular expressions.
        RegexMatch = "regex_match",                // (pattern, options, subject, start::Int)::Union{Vector{Int}, Nothing}
        RegexNames = "regex_names",                // (pattern, options)::Vector{Any} of String or nothing
        // Objects.
        ObjectId = "object_id", PointerFromObjref = "pointer_from_objref", Identityhash = "type_hash",
        GenericmemoryCopyto = "genericmemory_copyto", // (dest::MemoryRef, src::MemoryRef, n::Int)::Nothing ; also compiled
        // Copy (deep for Expr only), allocation counters for `@time`/`@allocated`.
        CopyAst = "copy_ast", AllocatedBytes = "allocated_bytes", Gc = "gc",
        // Reflection.
        Typeintersect = "typeintersect", Typejoin = "typejoin", TypeEqual = "type_equal",
        MoreSpecific = "morespecific",             // (a, b, [by_parts::Bool])::Bool ; types, or methods
        Hasmethod = "hasmethod", Methods = "methods_list", MethodInfo = "method_info",
        MatchMethods = "match_methods",            // (sig, world::UInt, limit::Int, listed::Bool, table) ; see kiln-runtime
        FieldOffset = "fieldoffset", Layout = "datatype_layout", TypeString = "type_string",
        WhichModule = "module_of", ModuleParent = "module_parent", ModuleName = "module_name",
        ModuleNames = "module_names", Isconst = "isconst", WorldCounter = "world_counter",
        ReturnType = "return_type",                // (f, tt::Type, [world])::Type
        ReturnTypes = "return_types",              // (f, tt::Type, world)::Vector{Any}, one a method
        InferEffects = "infer_effects",            // (f, tt::Type, world)::SimpleVector ; see kiln-runtime
        BindingInfo = "binding_info",              // (m, name, world)::NamedTuple
        MethodInstances = "method_instances",      // (m::Method)::Vector{Any} of Core.MethodInstance; (m, types, sparams): one
        HasFreeTypevars = "has_free_typevars",     // (T)::Bool
        FieldAttribute = "field_attribute",        // (T::DataType, i::Int, :const or :atomic)::Bool
        IntrinsicName = "intrinsic_name",          // (f)::Symbol
        WrapMemory = "wrap_memory",                // (M::Type{<:Memory}, p::Ptr, n::Int)::M over the same bytes
        // Tasks.
        TaskStart = "task_start",                  // (body)::Int ; body() gives the number of the task to go on with; 0: too many live
        TaskSwitch = "task_switch",                // (number::Int)::Nothing
        SleepNs = "sleep_ns",                      // (n::Int)::Nothing
        Generating = "generating",                 // ()::Bool, whether a generator runs; (:method): of which method, and the world it is asked from
        // Worlds.
        RunningWorld = "running_world",            // ()::UInt
        IsNewestWorld = "is_newest_world",         // ()::Bool, whether the running world is ; also compiled
        CallInWorld = "call_in_world",             // (world::UInt, f, args...)::Any
        GlobalInWorld = "global_in_world",         // (m, name, world)::Any
        DeleteMethod = "delete_method",            // (m::Method)::Nothing
        DeleteBinding = "delete_binding",          // (m::Module, name::Symbol)::Bool, whether it meant something
        InvalidationLog = "invalidation_log",      // (on::Bool)::Vector{Any}, what was logged; see kiln-runtime
        NewModule = "new_module",                  // (name::Symbol, sees_base::Bool, sees_core::Bool)::Module
        NewMethodTable = "new_method_table",       // (name::Symbol, mod::Module)::Core.MethodTable
        // Evaluation.
        Lower = "lower",                           // (m, ex)::Any, a thunk or Expr(:error, message)
        LoweredCode = "lowered_code",              // (m::Union{Method, MethodInstance})::CodeInfo
        TypedCode = "typed_code",                  // (f, tt::Type, world)::Vector{Any} of svec(code or value, type)
        Eval = "eval", MacroExpand = "macroexpand", ParseString = "parse_string",
        IncludeText = "include_text",              // (mapexpr or nothing, mod, text, name)::Any
        IncludeFile = "include_file",              // (mod, path)::Any
        FindPackage = "find_package",              // (name)::Union{String, Nothing}
        Packages = "packages",                     // (what::Symbol, args...)::Any, environments and loading
        Pathof = "pathof", CurrentException = "current_exceptions", Backtrace = "backtrace",
        Rethrow = "rethrow",
        // Numbers without a limit of size.
        BigInteger = "big_integer",                // (what::Symbol, T::Type, args...): arithmetic of BigInt
        BigFloat = "big_float",                    // (what::Symbol, T::Type, settings::Tuple, args...): of BigFloat
        // Kernels.
        KernelCompile = "kernel_compile",          // (f, tt::Type, options::NamedTuple)::UInt64 handle
        KernelLaunch = "kernel_launch",            // (handle, groups::NTuple{3,Int}, items::NTuple{3,Int}, shmem::Union{Int,NTuple{5,Int}}, args...)
        KernelSynchronize = "kernel_synchronize",
        KernelFree = "kernel_free",                // (m::Memory)::Bool
        KernelReserve = "kernel_reserve",          // (m::Memory)::Nothing
        KernelStream = "kernel_stream",            // (what::Symbol, a::Int, b::Int)::Int
        KernelOwnMemory = "kernel_own_memory",     // ()::Bool
        KernelDevice = "kernel_device",            // ()::Tuple{String,String,Int,Int,Int,Int,Int,Int}
        KernelWatch = "kernel_watch",              // (begin::Bool)::Tuple of the jobs since it began
        KernelReflect = "kernel_reflect",          // (stage::Symbol, f::Type, tt::Type, options)::Union{String, Type}
        Precompile = "precompile",                 // (f, tt::Type)::Bool
    }
}
