# The world outside: time, the program and its environment, versions, packages, evaluation.

# Time.
time() = Host.wall_time()
time_ns() = Host.time_ns()

# The program.
exit(code = 0) = Host.exit(Int(code))
# Functions that run when the program ends, the last given first, with the exit code if they take it. The command asks
# `exits_pending`.
const EXIT_FUNCTIONS = Any[]
exits_pending::Bool = false
function atexit(f)
    f isa Function || throw(ArgumentError("atexit takes a function, not a $(typeof(f))"))
    global exits_pending = true
    pushfirst!(EXIT_FUNCTIONS, f)
    nothing
end
function run_exit_functions(code::Int)
    while !isempty(EXIT_FUNCTIONS)
        f = popfirst!(EXIT_FUNCTIONS)
        try
            applicable(f, code) ? f(code) : f()
        catch err
            print(stderr, "error in function given to atexit: ")
            showerror(stderr, err)
            println(stderr)
        end
    end
    nothing
end
isinteractive() = false
"""
    ARGS

The arguments of the program.
"""
const ARGS = Host.program_args()
# Whether kernels are compiled for an image and not launched; set by the session.
building::Bool = false
building_image() = building
# Whether the processor imitates a device: launches that the device could not run are refused. Set by the session, too.
imitating::Bool = false
# Compiles a method for these argument types now. Whether it could be compiled.
precompile(f, types::Tuple) = Host.precompile(f, Tuple{types...})::Bool
precompile(@nospecialize(types::Type{<:Tuple})) =
    isdefined(types.parameters[1], :instance) && Host.precompile(types.parameters[1].instance, Tuple{types.parameters[2:end]...})::Bool
struct EnvDict <: AbstractDict{String, String} end
"""
    ENV

The environment variables as a dictionary.
"""
const ENV = EnvDict()
# Reads a variable as yes or no, and as `nothing` if it says neither.
get_bool_env(name::String, default::Bool; kws...) = get_bool_env(() -> default, name; kws...)
function get_bool_env(default::Callable, name::String; throw::Bool = false)
    text = get(ENV, name, "")
    isempty(text) && return default()
    for (value, words) in ((true, ("t", "true", "y", "yes", "1")), (false, ("f", "false", "n", "no", "0")))
        (text in words || text in map(titlecase, words) || text in map(uppercase, words)) && return value
    end
    throw ? Base.throw(ArgumentError(string("Value for environment variable `", name, "` could not be parsed as Boolean: ", repr(text)))) : nothing
end
const env_set = Dict{String, Union{String, Nothing}}()
function getindex(e::EnvDict, key::AbstractString)
    v = env_get(checked_name(key))
    v === nothing ? throw(KeyError(key)) : v
end
function checked_name(s::AbstractString)
    '\0' in s && throw(ArgumentError(string("embedded NULs are not allowed in C strings: ", repr(s))))
    String(s)
end
env_get(key::String) = haskey(env_set, key) ? env_set[key] : Host.getenv(key)
haskey(e::EnvDict, key::AbstractString) = env_get(String(key)) !== nothing
get(e::EnvDict, key::AbstractString, default) = (v = env_get(String(key)); v === nothing ? default : v)
get!(e::EnvDict, key::AbstractString, default) = get!(() -> default, e, key)
get!(f::Callable, e::EnvDict, key::AbstractString) = (v = env_get(String(key)); v === nothing ? (e[key] = f()) : v)
get(f::Callable, e::EnvDict, key::AbstractString) = (v = env_get(String(key)); v === nothing ? f() : v)
function setindex!(e::EnvDict, v, key::AbstractString)
    env_set[checked_name(key)] = checked_name(string(v))
    e
end
show(io::IO, e::EnvDict) = for (k, v) in e
    println(io, k, "=", v)
end
delete!(e::EnvDict, key::AbstractString) = (env_set[String(key)] = nothing; e)
function env_pairs()
    all = Dict{String, String}()
    for entry in Host.environment()
        name, value = split(entry, '='; limit = 2)
        all[String(name)] = String(value)
    end
    for (name, value) in env_set
        value === nothing ? delete!(all, name) : (all[name] = value)
    end
    sort!(collect(all); by = first)
end
# `NAME=value` each.
env_entries() = isempty(env_set) ? Host.environment() : String[string(name, "=", value) for (name, value) in env_pairs()]
length(e::EnvDict) = length(env_pairs())
iterate(e::EnvDict, s = (env_pairs(), 1)) = s[2] > length(s[1]) ? nothing : (s[1][s[2]], (s[1], s[2] + 1))
function withenv(f, ps::Pair...)
    before = map(p -> get(ENV, p.first, nothing), ps)
    set_env(p) = p.second === nothing ? delete!(ENV, p.first) : (ENV[p.first] = p.second)
    foreach(set_env, ps)
    try
        f()
    finally
        for k in 1:length(ps)
            set_env(ps[k].first => before[k])
        end
    end
end
"""
    isexecutable(path)

Whether the user may execute a file.
"""
function isexecutable end
"""
    Sys

The machine and the operating system: their names, their sizes, and questions about them.
"""
Sys

module Sys
    using ..Base: Host, get, parse, match, Regex, VersionNumber, isexecutable, isreadable, iswritable
    import ..Base: show
    export ARCH, BINDIR, CPU_THREADS, KERNEL, MACHINE, STDLIB, WORD_SIZE, isapple, isbsd, isdragonfly, isexecutable, isfreebsd, islinux, isnetbsd,
        isopenbsd, isreadable, isunix, iswindows, iswritable, which
    """
        Sys.WORD_SIZE

    The bits of a machine word.
    """
    const WORD_SIZE = 64
    """
        Sys.CPU_THREADS

    The number of threads that run Julia code.
    """
    const CPU_THREADS = 1
    """
        Sys.KERNEL

    The name of the operating system.
    """
    const KERNEL = :Linux
    """
        Sys.ARCH

    The name of the processor's architecture.
    """
    const ARCH = :x86_64
    """
        Sys.MACHINE

    The triple of architecture, vendor or system, and libraries for which the program was built.
    """
    const MACHINE = "x86_64-linux-gnu"
    """
        Sys.BINDIR

    The folder of system programs.
    """
    const BINDIR = "/usr/bin"
    """
        Sys.STDLIB

    The folder of the standard library, which is part of the program.
    """
    const STDLIB = "@kiln/stdlib"
    # The families of systems, by name. Those that are no Unix and unknown ones are told apart.
    const BSD_SYSTEMS = (:FreeBSD, :OpenBSD, :NetBSD, :DragonFly, :Darwin, :Apple)
    """
        Sys.iswindows([os])

    Whether the system is Windows.
    """
    iswindows(os::Symbol) = os in (:Windows, :NT)
    """
        Sys.islinux([os])

    Whether the system is Linux.
    """
    islinux(os::Symbol) = os === :Linux
    """
        Sys.isapple([os])

    Whether the system is Apple's.
    """
    isapple(os::Symbol) = os in (:Apple, :Darwin)
    """
        Sys.isfreebsd([os])

    Whether the system is FreeBSD.
    """
    isfreebsd(os::Symbol) = os === :FreeBSD
    """
        Sys.isopenbsd([os])

    Whether the system is OpenBSD.
    """
    isopenbsd(os::Symbol) = os === :OpenBSD
    """
        Sys.isnetbsd([os])

    Whether the system is NetBSD.
    """
    isnetbsd(os::Symbol) = os === :NetBSD
    """
        Sys.isdragonfly([os])

    Whether the system is DragonFly BSD.
    """
    isdragonfly(os::Symbol) = os === :DragonFly
    """
        Sys.isbsd([os])

    Whether the system descends from BSD, as Apple's does.
    """
    isbsd(os::Symbol) = os in BSD_SYSTEMS
    """
        Sys.isunix([os])

    Whether the system is a Unix. An unknown system's name is an `ArgumentError`.
    """
    isunix(os::Symbol) = iswindows(os) ? false : islinux(os) || isbsd(os) || os === :Emscripten ||
        throw(ArgumentError("unknown operating system \"$os\""))
    for f in (:iswindows, :islinux, :isapple, :isfreebsd, :isopenbsd, :isnetbsd, :isdragonfly, :isbsd, :isunix)
        @eval $f() = $f(KERNEL)
    end
    windows_version() = VersionNumber(0, 0, 0)
    # Its methods are in file_status.jl.
    """
        Sys.which(program)

    The absolute path of an executable file of this name, searched for in the folders of `PATH`, or `nothing`.
    """
    function which end
    function username end
    # A figure of the system, in bytes, from one of its lists.
    function figure(list::String, name::String)
        text = Host.read_file(list)
        text === nothing && return UInt64(0)
        m = match(Regex(string("(?m)^", name, raw":\s+(\d+) kB")), text)
        m === nothing ? UInt64(0) : parse(UInt64, m.captures[1]) << 10
    end
    total_memory() = figure("/proc/meminfo", "MemTotal")
    free_memory() = figure("/proc/meminfo", "MemAvailable")
    maxrss() = figure("/proc/self/status", "VmHWM")
    """
        Sys.detectwsl()

    Whether the program runs in Windows' subsystem for Linux.
    """
    detectwsl() = islinux() && (isfile("/proc/sys/fs/binfmt_misc/WSLInterop") || isdir("/run/WSL"))
    # The system's lists: one is all blank where it does not have it.
    words_of(list) = split(something(Host.read_file(list), ""))
    "The seconds since the system started."
    uptime() = (words = words_of("/proc/uptime"); isempty(words) ? 0.0 : parse(Float64, words[1]))
    "How many tasks were ready to run on average, for the last minute, 5 and 15 minutes."
    loadavg() = (words = words_of("/proc/loadavg"); length(words) < 3 ? (0.0, 0.0, 0.0) : ntuple(k -> parse(Float64, words[k]), 3))

    # Times are in ticks, of which a second has so many.
    global SC_CLK_TCK::Int = 100
    struct CPUinfo
        model::String
        speed::Int32
        var"cpu_times!user"::UInt64
        var"cpu_times!nice"::UInt64
        var"cpu_times!sys"::UInt64
        var"cpu_times!idle"::UInt64
        var"cpu_times!irq"::UInt64
    end
    "The processors, with their clock in MHz and how long they did what, in ticks."
    function cpu_info()
        lines = split(something(Host.read_file("/proc/stat"), ""), '\n')
        facts = split(something(Host.read_file("/proc/cpuinfo"), ""), '\n')
        of(name) = [strip(split(it, ':'; limit = 2)[2]) for it in facts if startswith(it, name) && ':' in it]
        models, speeds = of("model name"), of("cpu MHz")
        cpus = CPUinfo[]
        for line in lines
            words = split(line)
            !isempty(words) && startswith(words[1], "cpu") && length(words[1]) > 3 && length(words) > 6 || continue
            n = length(cpus) + 1
            user, nice, system, idle, _, irq = (parse(UInt64, words[k]) for k in 2:7)
            push!(cpus, CPUinfo(get(models, n, ""), round(Int32, parse(Float64, get(speeds, n, "0"))), user, nice, system, idle, irq))
        end
        cpus
    end
    function write_cpu_heading(io, cpu, prefix)
        print(io, cpu.model, ": \n", " " ^ length(prefix), "    speed")
        for name in ("user", "nice", "sys", "idle", "irq")
            print(io, "    ", lpad(name, 9))
        end
        println(io)
    end
    function write_cpu(io, cpu, prefix)
        print(io, prefix, lpad(cpu.speed, 5), " MHz")
        for k in 3:7
            time = getfield(cpu, k)
            print(io, "  ", lpad(SC_CLK_TCK > 0 ? round(Int, time / SC_CLK_TCK) : time, 9), SC_CLK_TCK > 0 ? " s" : "  ")
        end
        SC_CLK_TCK > 0 || print(io, "ticks")
    end
    show(io::IO, ::MIME"text/plain", cpu::CPUinfo) = (write_cpu_heading(io, cpu, "    "); write_cpu(io, cpu, "    "))
    "Prints the processors of each model, one a line."
    function cpu_summary(io::IO = Base.stdout, cpus::AbstractVector{CPUinfo} = cpu_info())
        isempty(cpus) && return nothing
        before, n = nothing, 0
        for cpu in cpus
            n = cpu.model == before ? n + 1 : 1
            prefix = string("#", n, " ")
            n == 1 && write_cpu_heading(io, cpu, prefix)
            write_cpu(io, cpu, prefix)
            println(io)
            before = cpu.model
        end
    end
end
"""
    Libc

Facts about the process and the names of the operating system's errors.
"""
Libc

module Libc
    # Memory that is there until it is freed: what holds it is found by its address.
    const ALLOCATED = Base.Dict{UInt, Base.Memory{UInt8}}()
    function malloc(n::Base.Integer)
        m = Base.Memory{UInt8}(undef, Base.max(Base.Int(n), 1))
        p = Base.pointer(m)
        ALLOCATED[UInt(p)] = m
        Ptr{Base.Cvoid}(p)
    end
    calloc(n::Base.Integer, size::Base.Integer) = (p = malloc(n * size); Base.fill!(ALLOCATED[UInt(p)], 0x00); p)
    function realloc(p::Ptr, n::Base.Integer)
        p == Base.C_NULL && return malloc(n)
        before = Base.pop!(ALLOCATED, UInt(p))
        q = malloc(n)
        Base.copyto!(ALLOCATED[UInt(q)], 1, before, 1, Base.min(Base.Int(n), Base.length(before)))
        q
    end
    free(p::Ptr) = (p == Base.C_NULL || Base.delete!(ALLOCATED, UInt(p)); nothing)
    using ..Base: Host, error_text
    getpid() = Host.process_fact(:pid)
    getuid() = UInt(Host.process_fact(:uid))
    geteuid() = UInt(Host.process_fact(:euid))
    # A user, as the system's list of users has it.
    struct Passwd
        username::String
        uid::UInt
        gid::UInt
        shell::String
        homedir::String
        gecos::String
    end
    function getpwuid(uid::Unsigned, throw_error::Bool = true)
        for line in Base.split(Base.something(Host.read_file("/etc/passwd"), ""), '\n')
            fields = Base.split(line, ':')
            Base.length(fields) == 7 && fields[3] == Base.string(uid) || continue
            return Passwd(fields[1], uid, Base.parse(UInt, fields[4]), fields[7], fields[6], fields[5])
        end
        throw_error && throw(Base.SystemError("getpwuid", 0))
        nothing
    end
    gethostname() = Base.gethostname()
    strerror(number::Integer) = error_text(number)
    function errno end
    free(p) = nothing
    time() = Base.time()
end

"""
    VERSION

The version of Julia whose rules kiln follows.
"""
const VERSION = VersionNumber(1, 12, 0)

# Evaluation and packages.
evalfile(path::AbstractString) = Host.include_file(Main, String(path))
# Functions that each `include` calls before it reads: with the module and the path of the file.
const include_callbacks = Any[]
function notify_include(m::Module, path::AbstractString)
    isempty(include_callbacks) && return nothing
    from = source_path(nothing)
    file = normpath(joinpath(from === nothing ? pwd() : dirname(from), path))
    for callback in include_callbacks
        callback(m, file)
    end
end
include(m::Module, path::AbstractString) = Host.include_file(m, String(path))
include(path::AbstractString) = Host.include_file(Main, String(path))
include(mapexpr::Function, m::Module, path::AbstractString) = Host.include_file(m, String(path), mapexpr)
# What packages give methods to; commands of the system are not run.
function run end

pathof(m::Module) = Host.pathof(moduleroot(m))
# The file that is being read, or the one given.
source_path(default = "") = something(Host.pathof(), Some(default))
const ACTIVE_PROJECT = Ref{Union{String, Nothing}}(nothing)
# How this process runs, in the terms of Julia's command line.
struct JLOptions
    quiet::Int8
    banner::Int8
    color::Int8
    nthreadpools::Int16
    nthreads::Int16
    compile_enabled::Int8
    opt_level::Int8
    debug_level::Int8
    check_bounds::Int8
    depwarn::Int8
    warn_overwrite::Int8
    can_inline::Int8
    fast_math::Int8
    startupfile::Int8
    use_compiled_modules::Int8
    use_pkgimages::Int8
    code_coverage::Int8
    malloc_log::Int8
    isinteractive::Int8
    handle_signals::Int8
    warn_scope::Int8
    cpu_target::Ptr{UInt8}
    project::Ptr{UInt8}
    program_file::Ptr{UInt8}
end
# Code is compiled when it is asked for, and checked as it says.
JLOptions() = JLOptions(0, 0, 0, 1, 1, 1, 2, 1, 0, DEPWARN_MODE[], 0, 1, 0, 2, 0, 0, 0, 0, 0, 1, 1, C_NULL, C_NULL, C_NULL)
# Texts that were not given are empty.
option_value(x) = x
option_value(x::Ptr{UInt8}) = x == C_NULL ? "" : unsafe_string(x)
show_option(io, x, name) = (print(io, name, " = "); show(io, option_value(getfield(x, name))))
function show(io::IO, x::JLOptions)
    print(io, "JLOptions(")
    foreach(name -> (name === :quiet || print(io, ", "); show_option(io, x, name)), fieldnames(JLOptions))
    print(io, ")")
end
function show(io::IO, ::MIME"text/plain", x::JLOptions)
    print(io, "JLOptions(")
    foreach(name -> (print(io, "\n  "); show_option(io, x, name); print(io, ",")), fieldnames(JLOptions))
    print(io, "\n)")
end

# A package: its name and what tells it from others of that name.
struct UUID
    value::UInt128
end
UUID(u::UUID) = u
UUID(u::NTuple{2, UInt64}) = UUID(UInt128(u[1]) << 64 | UInt128(u[2]))
function UUID(s::AbstractString)
    value = Host.packages(:parse_uuid, String(s))
    value === nothing && throw(ArgumentError(string("Malformed UUID string: ", repr(s))))
    UUID(value::UInt128)
end
UInt128(u::UUID) = u.value
convert(::Type{UInt128}, u::UUID) = u.value
parse(::Type{UUID}, s::AbstractString) = UUID(s)
string(u::UUID) = Host.packages(:print_uuid, u.value)::String
print(io::IO, u::UUID) = print(io, string(u))
show(io::IO, u::UUID) = print(io, UUID, "(\"", u, "\")")
isless(a::UUID, b::UUID) = isless(a.value, b.value)
<(a::UUID, b::UUID) = a.value < b.value
struct PkgId
    uuid::Union{UUID, Nothing}
    name::String
    PkgId(u::Union{UUID, Nothing}, name::AbstractString) = new(u === nothing || u.value == 0 ? nothing : u, String(name))
end
PkgId(name::AbstractString) = PkgId(nothing, name)
show(io::IO, it::PkgId) = print(io, it.name, " [", it.uuid === nothing ? "top-level" : it.uuid, "]")
==(a::PkgId, b::PkgId) = a.uuid == b.uuid && a.name == b.name
hash(it::PkgId, h::UInt) = hash(it.name, hash(it.uuid, h))
const loaded_modules_order = Module[Core, Base, Main]
"""
    Meta

Parsing, lowering and inspection of expressions.
"""
Meta

module Meta
    using ..Base: Host, isexpr, unblock_expr, isoperator, isidentifier, isunaryoperator, isbinaryoperator, ispostfixoperator
    export quot, isexpr, show_sexpr, @dump
    struct ParseError <: Exception
        msg::String
        detail::Any
    end
    ParseError(msg::AbstractString) = ParseError(msg, nothing)
    # Their methods are in meta_parse.jl.
    function parse end
    function _parse_string end
    function parseall end
    function parseatom end
    """
        quot(x)

    The expression that evaluates to `x` itself: `x` quoted.
    """
    quot(x) = Expr(:quote, x)
    lower(m::Module, x) = Host.lower(m, x)
    macro lower(ex)
        :(lower($__module__, $(QuoteNode(ex))))
    end
    macro lower(m, ex)
        :(lower($(Expr(:escape, m)), $(QuoteNode(ex))))
    end
    unescape(e) = e isa Expr && (e.head === :escape || e.head === Symbol("hygienic-scope")) ? unescape(e.args[1]) : e
    unblock(e) = unblock_expr(e)
    """
        @dump expression

    Shows the structure of an expression, as `dump` does.
    """
    macro dump(ex)
        :(println($(QuoteNode(ex))))
    end
end
function unblock_expr(e)
    e isa Expr && e.head === :block || return e
    real_args = filter(x -> !(x isa LineNumberNode), e.args)
    length(real_args) == 1 ? unblock_expr(real_args[1]) : e
end
"""
    @__DIR__

The folder of the file in which the call stands.
"""
macro __DIR__()
    file = __source__.file
    file === nothing ? pwd() : (d = dirname(abspath_source(string(file))); d)
end
abspath_source(f) = startswith(f, "@kiln/") ? f : abspath(f)
"""
    @__FILE__

The path of the file in which the call stands.
"""
macro __FILE__()
    file = __source__.file
    file === nothing ? nothing : string(file)
end
"""
    @__LINE__

The line in which the call stands.
"""
macro __LINE__()
    __source__.line
end
"""
    @__MODULE__

The module in which the call stands.
"""
macro __MODULE__()
    __module__
end
"""
    LOAD_PATH

The environments in which packages are looked for.
"""
const LOAD_PATH = String[]
"""
    DEPOT_PATH

The folders of depots, in which installed packages are.
"""
const DEPOT_PATH = String[]
const ENDIAN_BOM = 0x04030201
