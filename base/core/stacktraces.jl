# Stack traces: where an exception came through, the innermost frame first.

module StackTraces
    export StackFrame, StackTrace, stacktrace
    struct StackFrame
        func::Symbol
        file::Symbol
        line::Int
    end
    const StackTrace = Vector{StackFrame}
    StackFrame(f::NamedTuple) = StackFrame(f.name, f.file, f.line)
    Base.show(io::IO, f::StackFrame) = print(io, f.func, " at ", f.file, ":", f.line)
    stacktrace(trace = Base.catch_backtrace(), c_funcs::Bool = false) = StackFrame[f isa StackFrame ? f : StackFrame(f) for f in trace]
end
using .StackTraces: StackTraces, StackFrame, stacktrace

catch_backtrace() = Host.backtrace()
# Only what an exception came through is known: running code keeps no list of its callers for programs.
backtrace() = Any[]
function show_backtrace(io::IO, trace)
    frames = stacktrace(trace)
    isempty(frames) && return nothing
    print(io, "\nStacktrace:")
    for (k, f) in enumerate(frames)
        print(io, "\n ", lpad(string("[", k, "]"), ndigits(length(frames)) + 2), " ", f.func, "\n   @ ", f.file, ":", f.line)
    end
    nothing
end
showerror(io::IO, e, trace; backtrace = true) = (showerror(io, e); backtrace && show_backtrace(io, trace); nothing)

struct ExceptionStack <: AbstractArray{Any, 1}
    stack::Vector{Any}
end
size(s::ExceptionStack) = size(s.stack)
getindex(s::ExceptionStack, i::Int) = s.stack[i]
current_exceptions(args...; kws...) = ExceptionStack(Host.current_exceptions())
function show(io::IO, ::MIME"text/plain", s::ExceptionStack)
    print(io, length(s), "-element ExceptionStack:")
    for k in length(s):-1:1
        print(io, k == length(s) ? "\n" : "\n\ncaused by: ")
        showerror(io, s[k].exception, s[k].backtrace)
    end
    nothing
end
show(io::IO, s::ExceptionStack) = show(io, MIME("text/plain"), s)
