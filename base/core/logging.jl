# Messages to the user: records with a level, the loggers that take them, and what the console shows of them.

module CoreLogging

export AbstractLogger, LogLevel, BelowMinLevel, Debug, Info, Warn, Error, AboveMaxLevel, NullLogger, SimpleLogger,
    ConsoleLogger, current_logger, global_logger, with_logger, disable_logging, handle_message, shouldlog,
    min_enabled_level, catch_exceptions, @debug, @info, @warn, @error, @logmsg

struct LogLevel
    level::Int32
end
const BelowMinLevel = LogLevel(-1000001)
const Debug = LogLevel(-1000)
const Info = LogLevel(0)
const Warn = LogLevel(1000)
const Error = LogLevel(2000)
const AboveMaxLevel = LogLevel(1000001)
const NAMED_LEVELS = ((BelowMinLevel, "BelowMinLevel"), (Debug, "Debug"), (Info, "Info"), (Warn, "Warn"), (Error, "Error"),
    (AboveMaxLevel, "AboveMaxLevel"))
Base.isless(a::LogLevel, b::LogLevel) = isless(a.level, b.level)
Base.:+(level::LogLevel, n::Integer) = LogLevel(level.level + n)
Base.:-(level::LogLevel, n::Integer) = LogLevel(level.level - n)
Base.convert(::Type{LogLevel}, level::Integer) = LogLevel(level)
Base.convert(::Type{LogLevel}, level::LogLevel) = level
Base.print(io::IO, level::LogLevel) = print(io, level_name(level))
Base.show(io::IO, level::LogLevel) = print(io, level_name(level))
function level_name(level::LogLevel)
    for (named, name) in NAMED_LEVELS
        named == level && return name
    end
    string("LogLevel(", level.level, ")")
end

# A logger says what it wants and takes what it is given.
abstract type AbstractLogger end
function handle_message end
function shouldlog end
function min_enabled_level end
catch_exceptions(logger) = true

struct NullLogger <: AbstractLogger end
min_enabled_level(::NullLogger) = AboveMaxLevel
shouldlog(::NullLogger, args...) = false
handle_message(::NullLogger, args...; kws...) = nothing

# `stream === nothing` stands for what `stderr` is when the message comes.
struct ConsoleLogger <: AbstractLogger
    stream::Any
    min_level::LogLevel
    message_limits::Dict{Any, Int}
end
ConsoleLogger(stream = nothing, level = Info; kws...) = ConsoleLogger(stream, convert(LogLevel, level), Dict{Any, Int}())
ConsoleLogger(level::LogLevel) = ConsoleLogger(nothing, level)
const SimpleLogger = ConsoleLogger
min_enabled_level(logger::ConsoleLogger) = logger.min_level
shouldlog(logger::ConsoleLogger, level, _module, group, id) = get(logger.message_limits, id, 1) > 0 && group !== :depwarn
function handle_message(logger::ConsoleLogger, level, message, _module, group, id, file, line; maxlog = nothing, kws...)
    if maxlog isa Integer
        left = get(logger.message_limits, id, maxlog)
        logger.message_limits[id] = left - 1
        left > 0 || return nothing
    end
    lines = split(chomp(string(message)), '\n')
    for (key, value) in pairs(kws)
        shown = split(value_text(value, key), '\n')
        push!(lines, string("  ", key, " = ", shown[1]))
        append!(lines, map(line -> string("   ", line), shown[2:end]))
    end
    place = Info <= level < Warn ? "" : string("@ ", something(_module, "nothing"), " ", something(file, "nothing"), ":", something(line, "nothing"))
    isempty(place) || push!(lines, place)
    show_framed(something(logger.stream, stderr), string(level == Warn ? "Warning" : level), lines)
end
function show_framed(io, title, lines)
    last = length(lines)
    text = sprint() do out
        for (i, line) in enumerate(lines)
            print(out, last == 1 ? "[ " : i == 1 ? "┌ " : i == last ? "└ " : "│ ", i == 1 ? string(title, ": ") : "", line, "\n")
        end
    end
    print(io, text)
    nothing
end
value_text(value, key) = sprint(show, MIME("text/plain"), value; context = :limit => true)
value_text(e::Exception, key) = key === :exception ? sprint(showerror, e) : sprint(show, e)
value_text(e::Tuple{Exception, Any}, key) = key === :exception ? sprint(showerror, e[1]) : sprint(show, e)

# The loggers in use, the innermost last, and the level at and below which nothing is logged at all.
mutable struct LogState
    loggers::Vector{AbstractLogger}
    disabled::LogLevel
end
const STATE = LogState(AbstractLogger[ConsoleLogger()], BelowMinLevel)
current_logger() = STATE.loggers[end]
global_logger() = STATE.loggers[1]
function global_logger(logger::AbstractLogger)
    old = STATE.loggers[1]
    STATE.loggers[1] = logger
    old
end
disable_logging(level::LogLevel) = (STATE.disabled = level; nothing)
function with_logger(f::Function, logger::AbstractLogger)
    push!(STATE.loggers, logger)
    try
        f()
    finally
        pop!(STATE.loggers)
    end
end

# The logger that wants such a record, or nothing.
function wanting(level, _module, group, id)
    level > STATE.disabled || return nothing
    logger = current_logger()
    level >= min_enabled_level(logger) && shouldlog(logger, level, _module, group, id) ? logger : nothing
end
# A message that cannot be made is itself worth a message.
function failed_message(logger, err, _module, group, id, file, line)
    catch_exceptions(logger) || rethrow(err)
    handle_message(logger, Error, "Exception while generating log record in module $_module at $file:$line", _module, group, id,
        file, line; exception = err)
    nothing
end

const SPECIAL_KEYWORDS = (:_module, :_group, :_id, :_file, :_line)
function logmsg_expr(level, mod, source, exs)
    isempty(exs) && return :(throw(ArgumentError("a log macro needs a message")))
    file = source === nothing || source.file === nothing ? nothing : string(source.file)
    line = source === nothing ? nothing : source.line
    stem = file === nothing ? :none : Symbol(first(splitext(basename(file))))
    fields = Dict{Symbol, Any}(:_module => mod, :_group => QuoteNode(stem), :_file => file, :_line => line,
        :_id => QuoteNode(Symbol(mod, "_", gensym("log"))))
    options = Any[]
    for ex in exs[2:end]
        if ex isa Expr && ex.head === :(=) && ex.args[1] in SPECIAL_KEYWORDS
            fields[ex.args[1]] = esc(ex.args[2])
        elseif ex isa Expr && ex.head === :(=) && ex.args[1] isa Symbol
            push!(options, Expr(:kw, ex.args[1], esc(ex.args[2])))
        elseif ex isa Expr && ex.head === :...
            push!(options, esc(ex))
        else
            push!(options, Expr(:kw, Symbol(sprint(Base.show_unquoted, ex)), esc(ex)))
        end
    end
    quote
        let level = convert(LogLevel, $level), id = $(fields[:_id]), _module = $(fields[:_module]), group = $(fields[:_group]),
                logger = wanting(level, _module, group, id)
            if logger !== nothing
                file = $(fields[:_file])
                line = $(fields[:_line])
                try
                    handle_message(logger, level, $(esc(exs[1])), _module, group, id, file, line; $(options...))
                catch err
                    failed_message(logger, err, _module, group, id, file, line)
                end
            end
            nothing
        end
    end
end
macro debug(exs...)
    logmsg_expr(Debug, __module__, __source__, exs)
end
macro info(exs...)
    logmsg_expr(Info, __module__, __source__, exs)
end
macro warn(exs...)
    logmsg_expr(Warn, __module__, __source__, exs)
end
macro error(exs...)
    logmsg_expr(Error, __module__, __source__, exs)
end
macro logmsg(level, exs...)
    logmsg_expr(esc(level), __module__, __source__, exs)
end

end

using .CoreLogging: CoreLogging, @debug, @info, @warn, @error, @logmsg

# Deprecations are records of the group `depwarn`, which the console does not show.
function depwarn(msg, name; force::Bool = false)
    @warn msg _group = (force ? :depwarn_forced : :depwarn) caller = name
    nothing
end
macro deprecate(old, new, export_old = true)
    old_call = old isa Expr && old.head === :where ? old.args[1] : old
    if old isa Symbol && new isa Symbol
        text = string("`", old, "` is deprecated, use `", new, "` instead.")
        definition = :(function $(esc(old))(args...; kws...)
            depwarn($text, $(QuoteNode(old)))
            $(esc(new))(args...; kws...)
        end)
        name = old
    elseif old_call isa Expr && old_call.head === :call
        text = string("`", old, "` is deprecated, use `", new, "` instead.")
        name = old_call.args[1]
        plain = name isa Expr && name.head === :curly ? name.args[1] : name
        definition = Expr(:function, esc(old), Expr(:block, :(depwarn($text, $(QuoteNode(Symbol(string(plain)))))), esc(new)))
    else
        error("invalid usage of @deprecate")
    end
    exported = export_old === true && name isa Symbol ? Expr(:export, name) : nothing
    Expr(:toplevel, exported, definition)
end

# Another name of what has one already, which a use of `old` tells of; `old` is exported.
macro deprecate_binding(old, new, export_old = true, hint = nothing, constant = true)
    Expr(:toplevel, export_old === true ? Expr(:export, old) : nothing,
        constant === true ? Expr(:const, Expr(:(=), esc(old), esc(new))) : Expr(:(=), esc(old), esc(new)))
end

# A remark that lowering makes about a program.
function lowering_warning(m::Module, message::String, file::String, line::Int)
    logger = CoreLogging.current_logger()
    level = CoreLogging.Warn
    level < CoreLogging.min_enabled_level(logger) && return nothing
    id = Symbol(file, line, message)
    CoreLogging.shouldlog(logger, level, m, :lowering, id) || return nothing
    CoreLogging.handle_message(logger, level, message, m, :lowering, id, file, line)
    nothing
end
