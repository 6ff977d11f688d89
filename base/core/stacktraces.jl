# Stack traces: the frames that run, and those that an exception came through, the innermost first.

# A frame as `backtrace` lists it. Top-level code has a module and no `code`.
struct InterpreterIP
    code::Any
    mod::Union{Module, Nothing}
    func::Symbol
    file::Symbol
    line::Int
end
# Many frames of a deep recursion are equal: finding one again must be cheap.
==(a::InterpreterIP, b::InterpreterIP) = a === b
hash(ip::InterpreterIP, h::UInt) = hash(ip.line, h)
InterpreterIP(f::NamedTuple) = InterpreterIP(f.code, f.mod, f.name, f.file, f.line)
function show(io::IO, ip::InterpreterIP)
    print(io, "InterpreterIP in ")
    ip.code === nothing ? print(io, "top-level code of ", ip.mod) : show(io, ip.code)
    print(io, " at ", ip.file, ":", ip.line)
end
const BacktraceEntry = Union{Ptr{Nothing}, InterpreterIP}
# A task's own frames end where the scheduler calls its code.
function backtrace_entries(frames)
    start = findlast(f -> f.name === :run_task && f.code isa Core.MethodInstance && f.code.def.module === Base, frames)
    BacktraceEntry[InterpreterIP(frames[k]) for k in 1:(start === nothing ? length(frames) : start - 1)]
end
catch_backtrace() = backtrace_entries(Host.backtrace())
# Its own frame is none of the caller's.
backtrace() = popfirst_entry(backtrace_entries(Host.backtrace(true)))
popfirst_entry(trace) = (popfirst!(trace); trace)

"""
    StackTraces

Stack traces as data: the frames of running code and of exceptions.
"""
StackTraces

module StackTraces
    import ..Base: InterpreterIP, ==, hash, show
    using ..Base: unwrap_unionall, rewrap_unionall
    export StackFrame, StackTrace, stacktrace

    # Kiln inlines no frame that a trace shows, and none is a C function's.
    """
        StackFrame

    One frame of a stack trace: the function's name, file, line and method instance.
    """
    struct StackFrame
        func::Symbol
        file::Symbol
        line::Int
        linfo::Any
        from_c::Bool
        inlined::Bool
        pointer::UInt64
    end
    StackFrame(func, file, line) = StackFrame(Symbol(func), Symbol(file), line, nothing, false, false, 0)
    """
        StackTrace

    A vector of frames, the innermost first.
    """
    const StackTrace = Vector{StackFrame}
    const NO_NAME = Symbol("")
    const TOP_LEVEL = Symbol("top-level scope")
    const UNKNOWN = StackFrame(NO_NAME, NO_NAME, -1, nothing, true, false, 0)

    # The code and the address do not count: the same place in the same function is the same frame.
    ==(a::StackFrame, b::StackFrame) =
        a.line == b.line && a.func == b.func && a.file == b.file && a.from_c == b.from_c && a.inlined == b.inlined
    hash(f::StackFrame, h::UInt) = hash(f.inlined, hash(f.from_c, hash(f.func, hash(f.file, hash(f.line, h)))))

    # A local function is called as the first part of its type's name says: `#f#3`, or `#1#2` if it is anonymous.
    function plain_name(func::Symbol, code)
        m = code isa Core.MethodInstance ? code.def : code
        m isa Method || return func
        callee = unwrap_unionall(unwrap_unionall(m.sig).parameters[1])
        callee isa DataType && callee <: Function || return m.name
        name = string(callee.name.name)
        # The type of a function that is no closure is named `#f`.
        own = string(callee.name.singletonname)
        name == string('#', own) && (name = own)
        m.nkw == 0 && startswith(name, '#') && count('#', name) > 1 || return m.name
        own = name[2:prevind(name, findnext('#', name, 2))]
        isempty(own) || isdigit(own[1]) ? Symbol('#', own) : Symbol(own)
    end
    lookup(ip::InterpreterIP) =
        StackFrame[StackFrame(plain_name(ip.func, ip.code), ip.file, ip.line, ip.code, false, false, 0)]
    # No machine code has an address that a program could learn.
    lookup(p::Ptr) = StackFrame[StackFrame(NO_NAME, NO_NAME, -1, nothing, true, false, convert(UInt64, p))]

    """
        stacktrace(trace = backtrace(), c_funcs = false)

    The frames of a backtrace, the innermost first.
    """
    function stacktrace(trace::Vector{<:Union{InterpreterIP, Ptr{Cvoid}}}, c_funcs::Bool = false)
        frames = StackFrame[]
        for ip in trace, frame in lookup(ip)
            (c_funcs || !frame.from_c) && push!(frames, frame)
        end
        frames
    end
    stacktrace(c_funcs::Bool = false) = remove_frames!(stacktrace(Base.backtrace(), c_funcs), :stacktrace)

    # Drops the frames up to the last one of these names, or all that belong to a module.
    remove_frames!(frames::StackTrace, name::Symbol) = remove_frames!(frames, [name])
    function remove_frames!(frames::StackTrace, names::Vector{Symbol})
        last = findlast(f -> f.func in names, frames)
        last === nothing ? frames : deleteat!(frames, 1:last)
    end
    remove_frames!(frames::StackTrace, m::Module) = filter!(f -> !from(f, m), frames)

    method_of(f::StackFrame) = f.linfo isa Core.MethodInstance ? f.linfo.def : f.linfo isa Method ? f.linfo : nothing
    is_top_level_frame(f::StackFrame) = f.linfo isa Core.CodeInfo || f.linfo === nothing && f.func === TOP_LEVEL
    Base.parentmodule(f::StackFrame) = (m = method_of(f); m isa Method ? m.module : f.linfo isa Module ? f.linfo : nothing)
    from(f::StackFrame, m::Module) = Base.parentmodule(f) === m
    function show(io::IO, f::StackFrame)
        show_spec_linfo(io, f)
        f.file === NO_NAME || print(io, " at ", Base.basename(string(f.file)), ":", f.line >= 0 ? f.line : "?")
        f.inlined && print(io, " [inlined]")
        nothing
    end
    function show_spec_linfo(io::IO, f::StackFrame)
        m = method_of(f)
        if m isa Method
            Base.show_frame_call(io, m, f.linfo isa Core.MethodInstance ? f.linfo.specTypes : m.sig)
        elseif is_top_level_frame(f)
            print(io, "top-level scope")
        elseif f.func === NO_NAME
            print(io, "ip:0x", string(f.pointer; base = 16))
        else
            Base.print_in_trace(io, f.func; bold = true)
        end
    end
end
using .StackTraces: StackTraces, StackFrame, stacktrace

# The exceptions of a task: those that its handlers handle now, or the ones that ended it; the cause comes first.
struct ExceptionStack <: AbstractArray{Any, 1}
    stack::Vector{Any}
end
size(s::ExceptionStack) = size(s.stack)
getindex(s::ExceptionStack, i::Int) = s.stack[i]
exceptions_handled() = Any[(exception = e.exception, backtrace = backtrace_entries(e.backtrace)) for e in Host.current_exceptions()]
function current_exceptions(task::Task = current_task(); backtrace::Bool = true)
    if task !== current_task() && task.state === :runnable
        error("Inspecting the exception stack of a task which might be running concurrently isn't allowed.")
    end
    all = task === current_task() ? exceptions_handled() : task.exceptions
    ExceptionStack(backtrace ? all : Any[(exception = e.exception, backtrace = nothing) for e in all])
end
