# Deprecations: functions that pass on to their successors, and say so where warnings of them are asked for.

# 0: no warnings unless forced, 1: warnings, 2: errors.
const DEPWARN_MODE = Ref{Int}(0)
function depwarn(msg, name; force::Bool = false)
    mode = DEPWARN_MODE[]
    mode == 2 && throw(ErrorException(string(msg)))
    level = force || mode == 1 ? CoreLogging.Warn : CoreLogging.BelowMinLevel
    level < CoreLogging.MIN_ENABLED_LEVEL[] && return nothing
    CoreLogging.current_logger_for_env(level, :depwarn, nothing) === nothing && return nothing
    warn_of_deprecation(level, msg, name)
end
# One warning for each place that calls the function.
function warn_of_deprecation(level, msg, name)
    entry, caller = firstcaller(backtrace(), name)
    owner = parentmodule(caller)
    CoreLogging.@logmsg(level, msg, _module = something(owner, Core), _file = String(caller.file), _line = caller.line,
        _id = (entry, name), _group = :depwarn, caller = caller, maxlog = name === nothing ? nothing : 1)
    nothing
end
# The frame that called a function of one of these names, as an entry of the trace and looked up.
firstcaller(trace::Vector, ::Nothing) = C_NULL, StackTraces.UNKNOWN
firstcaller(trace::Vector, name::Symbol) = firstcaller(trace, (name,))
function firstcaller(trace::Vector, names)
    found = false
    for entry in trace, frame in StackTraces.lookup(entry)
        (frame == StackTraces.UNKNOWN || frame.from_c || is_keyword_call(frame)) && continue
        found && return entry, frame
        m = StackTraces.method_of(frame)
        found = frame.func in names || m isa Method && m.name in names
    end
    C_NULL, StackTraces.UNKNOWN
end

"""
    @deprecate old new [export_old = true]

Defines a function or method that warns and calls its successor.
"""
macro deprecate(old, new, export_old = true)
    is_call = old isa Expr && (old.head === :call || old.head === :where)
    name = old
    if is_call
        call = old.head === :where ? old.args[1] : old
        isexpr(call, :call) || error("invalid usage of @deprecate")
        name = isexpr(call.args[1], :curly) ? call.args[1].args[1] : call.args[1]
    end
    if export_old && !(name isa Symbol)
        error("if the third `export_old` argument is not specified or `true`, the first argument must be of form (1) `f(...)` where `f` is a symbol, (2) `T{...}(...)` where `T` is a symbol, or (3) a symbol.")
    end
    new = remove_linenums!(new)
    text = string("`", sprint(show_unquoted, old), "` is deprecated, use `", sprint(show_unquoted, new), "` instead.")
    warn = :(depwarn($text, nameof($(esc(name)))))
    definition = is_call ? Expr(:function, esc(old), Expr(:block, Expr(:meta, :noinline), warn, esc(new))) :
        Expr(:function, Expr(:call, esc(old), Expr(:parameters, :(kws...)), :(args...)),
            Expr(:block, Expr(:meta, :noinline), warn, :($(esc(new))(args...; kws...))))
    Expr(:toplevel, export_old ? Expr(:export, esc(name)) : nothing, definition)
end

# Names that programs are told not to use any more.
const DEPRECATED_NAMES = Set{Tuple{Module, Symbol}}()
deprecate(m::Module, name::Symbol, flag = 1) = (flag == 0 ? delete!(DEPRECATED_NAMES, (m, name)) : push!(DEPRECATED_NAMES, (m, name)); nothing)
isdeprecated(m::Module, name::Symbol) = (m, name) in DEPRECATED_NAMES
# Warnings of `import from: name` in `into`.
function warn_of_import(into::Module, from::Module, name::Symbol, undeclared::Bool)
    if undeclared
        print(stderr, "WARNING: Imported binding ", from, ".", name, " was undeclared at import time during import to ", into, ".\n")
    elseif DEPWARN_MODE[] != 0 && isdeprecated(from, name)
        print(stderr, "WARNING: importing deprecated binding ", from, ".", name, " into ", into, ".\n")
    end
    nothing
end
macro deprecate_binding(old, new, export_old = true, message = nothing, constant = true)
    text = message === nothing || message === :nothing ? string(", use ", new, " instead.") : esc(message)
    assignment = Expr(:(=), esc(old), esc(new))
    Expr(:toplevel, export_old ? Expr(:export, esc(old)) : nothing,
        Expr(:const, Expr(:(=), esc(Symbol("_dep_message_", old)), text)),
        constant ? Expr(:const, assignment) : assignment, Expr(:call, deprecate, __module__, QuoteNode(old)))
end
macro deprecate_moved(old, new, export_old = true)
    text = string(old, " has been moved to the package ", new, ".jl.\nRun `Pkg.add(\"", new, "\")` to install it, restart Julia,\nand then run `using ", new, "` to load it.")
    Expr(:toplevel, :($(esc(old))(args...; kws...) = error($text)), export_old ? Expr(:export, esc(old)) : nothing,
        Expr(:call, deprecate, __module__, QuoteNode(old), 2))
end

"""
    isimmutable(x)

Whether the value cannot be changed: `!ismutable(x)` under its old name.
"""
isimmutable(@nospecialize(x)) = !ismutable(x)
