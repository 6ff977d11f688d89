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

# A logger that writes each record to one stream, with its place; to `stderr` where it has none.
struct SimpleLogger <: AbstractLogger
    stream::Any
    min_level::LogLevel
    message_limits::Dict{Any, Int}
end
SimpleLogger(stream::IO, level = Info) = SimpleLogger(stream, convert(LogLevel, level), Dict{Any, Int}())
SimpleLogger(level = Info) = SimpleLogger(nothing, convert(LogLevel, level), Dict{Any, Int}())
min_enabled_level(logger::SimpleLogger) = logger.min_level
shouldlog(logger::SimpleLogger, level, _module, group, id) = get(logger.message_limits, id, 1) > 0
catch_exceptions(logger::SimpleLogger) = false
function handle_message(logger::SimpleLogger, level::LogLevel, message, _module, group, id, file, line; maxlog = nothing, kws...)
    within_limit(logger, id, maxlog) || return nothing
    lines = split(chomp(string(message)), '\n')
    foreach(kw -> push!(lines, string("  ", kw.first, " = ", kw.second)), pairs(kws))
    push!(lines, string("@ ", _module, " ", file, ":", line))
    show_framed(something(logger.stream, stderr), title_of(level), lines)
end
title_of(level) = level == Warn ? "Warning" : string(level)
# Whether a record of this statement may come once more.
function within_limit(logger, id, maxlog)
    maxlog isa Integer || return true
    left = get(logger.message_limits, id, Int(maxlog))
    left > 0 || return false
    logger.message_limits[id] = left - 1
    true
end
min_enabled_level(logger::ConsoleLogger) = logger.min_level
shouldlog(logger::ConsoleLogger, level, _module, group, id) = get(logger.message_limits, id, 1) > 0
function handle_message(logger::ConsoleLogger, level, message, _module, group, id, file, line; maxlog = nothing, kws...)
    within_limit(logger, id, maxlog) || return nothing
    lines = split(chomp(string(message)), '\n')
    for (key, value) in pairs(kws)
        shown = split(value_text(value, key), '\n')
        push!(lines, string("  ", key, " = ", shown[1]))
        append!(lines, map(line -> string("   ", line), shown[2:end]))
    end
    place = Info <= level < Warn ? "" : string("@ ", something(_module, "nothing"), " ", something(file, "nothing"), ":", something(line, "nothing"))
    isempty(place) || push!(lines, place)
    show_framed(something(logger.stream, stderr), title_of(level), lines)
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
value_text(e::Tuple{Exception, Any}, key) = key === :exception ? sprint(showerror, e...) : sprint(show, e)

# The logger that a part of the program uses, and the level below which it takes nothing.
struct LogState
    min_enabled_level::LogLevel
    logger::AbstractLogger
end
LogState(logger::AbstractLogger) = LogState(convert(LogLevel, min_enabled_level(logger)), logger)
const GLOBAL_LOGSTATE = Ref{LogState}(LogState(ConsoleLogger()))
const CURRENT_LOGSTATE = Base.ScopedValues.ScopedValue{LogState}()
# At this level and above records are looked at, whatever the logger.
const MIN_ENABLED_LEVEL = Ref{LogLevel}(BelowMinLevel)
function current_logstate()
    own = Base.ScopedValues.get(CURRENT_LOGSTATE)
    own === nothing ? GLOBAL_LOGSTATE[] : something(own)
end
current_logger() = current_logstate().logger
global_logger() = GLOBAL_LOGSTATE[].logger
function global_logger(logger::AbstractLogger)
    old = global_logger()
    GLOBAL_LOGSTATE[] = LogState(logger)
    old
end
disable_logging(level::LogLevel) = (MIN_ENABLED_LEVEL[] = level + 1; nothing)
with_logger(f::Function, logger::AbstractLogger) = Base.ScopedValues.with(f, CURRENT_LOGSTATE => LogState(logger))

# The groups and modules that the variable `JULIA_DEBUG` asks for, and those that it leaves out, for one value of it.
mutable struct DebugGroups
    text::String
    wanted::Vector{Symbol}
    unwanted::Vector{Symbol}
end
const DEBUG_GROUPS = DebugGroups("", Symbol[], Symbol[])
function read_debug_groups(text)
    groups = filter(!isempty, map(String, split(text, ',')))
    DEBUG_GROUPS.text = text
    DEBUG_GROUPS.wanted = Symbol[Symbol(g) for g in groups if !startswith(g, '!')]
    DEBUG_GROUPS.unwanted = Symbol[Symbol(g[2:end]) for g in groups if startswith(g, '!') && length(g) > 1]
    nothing
end
function env_override_minlevel(group, _module)
    text = get(ENV, "JULIA_DEBUG", "")
    text == DEBUG_GROUPS.text || read_debug_groups(text)
    wanted, unwanted = DEBUG_GROUPS.wanted, DEBUG_GROUPS.unwanted
    isempty(wanted) && isempty(unwanted) && return false
    is_in(names) = group isa Symbol && group in names ||
        _module isa Module && (nameof(_module) in names || nameof(Base.moduleroot(_module)) in names)
    all_but = !(:all in unwanted) && (:all in wanted || !isempty(unwanted))
    all_but ? !is_in(unwanted) : is_in(wanted)
end
# The current logger, if it takes records of this level, or of this group and module whatever their level.
function current_logger_for_env(level::LogLevel, group, _module)
    state = current_logstate()
    level >= state.min_enabled_level || env_override_minlevel(group, _module) ? state.logger : nothing
end
# The logger that wants such a record, or nothing.
function wanting(level, standard, _module, group, id)
    standard < MIN_ENABLED_LEVEL[] && return nothing
    logger = current_logger_for_env(standard, group, _module)
    logger !== nothing && Base.invokelatest(shouldlog, logger, level, _module, group, id) ? logger : nothing
end
# A message that cannot be made is itself worth a message.
function failed_message(logger, err, _module, id, file, line)
    catch_exceptions(logger) || rethrow(err)
    handle_message(logger, Error, "Exception while generating log record in module $_module at $file:$line", _module,
        :logevent_error, id, file, line; exception = (err, catch_backtrace()))
    nothing
end
function handle_message_nothrow(logger, level, message, _module, group, id, file, line; kws...)
    try
        Base.invokelatest(handle_message, logger, level, message, _module, group, id, file, line; kws...)
    catch err
        failed_message(logger, err, _module, id, file, line)
    end
    nothing
end

# A statement's own name: that of its module, and a number of what it says.
const RECORD_IDS = Set{Symbol}()
function log_record_id(_module, level, exs)
    name = _module === nothing ? "" : join(fullname(_module), "_")
    n = hash(string(name, level, exs...)) % UInt32
    while true
        id = Symbol(name, '_', string(n; base = 16, pad = 8))
        id in RECORD_IDS || return (push!(RECORD_IDS, id); id)
        n += 0x00000001
    end
end
const SPECIAL_KEYWORDS = (:_module, :_group, :_id, :_file, :_line)
function logmsg_expr(level, mod, source, exs)
    file = source === nothing || source.file === nothing ? nothing : string(source.file)
    line = source === nothing ? nothing : source.line
    stem = file === nothing ? :none : Symbol(first(splitext(basename(file))))
    fields = Dict{Symbol, Any}(:_module => mod, :_group => QuoteNode(stem), :_file => file, :_line => line)
    options = Any[]
    for ex in exs[2:end]
        if ex isa Expr && ex.head === :(=) && ex.args[1] in SPECIAL_KEYWORDS
            fields[ex.args[1]] = esc(ex.args[2])
        elseif ex isa Expr && ex.head === :(=)
            name = ex.args[1] isa Symbol ? ex.args[1] : Symbol(sprint(Base.show_unquoted, ex.args[1]))
            push!(options, Expr(:kw, name, esc(ex.args[2])))
        elseif ex isa Expr && ex.head === :...
            push!(options, esc(ex))
        else
            push!(options, Expr(:kw, Symbol(sprint(Base.show_unquoted, ex)), esc(ex)))
        end
    end
    id = get(() -> QuoteNode(log_record_id(mod, level, exs)), fields, :_id)
    quote
        let level = $level, standard = convert(LogLevel, level)::LogLevel, id = $id, _module = $(fields[:_module]),
                group = $(fields[:_group]), logger = wanting(level, standard, _module, group, id)
            if logger !== nothing
                file = $(fields[:_file])
                line = $(fields[:_line])
                local message, keywords
                # The keywords may use variables of the message.
                made = try
                    message = $(esc(exs[1]))
                    keywords = (; $(options...))
                    true
                catch err
                    failed_message(logger, err, _module, id, file, line)
                    false
                end
                made && handle_message_nothrow(logger, level, message, _module, group, id, file, line; keywords...)
            end
            nothing
        end
    end
end
"""
    @debug message key = value ...

Logs a message for debugging, which is not shown unless asked for.
"""
macro debug(message, exs...)
    logmsg_expr(Debug, __module__, __source__, Any[message, exs...])
end
"""
    @info message key = value ...

Logs a message.
"""
macro info(message, exs...)
    logmsg_expr(Info, __module__, __source__, Any[message, exs...])
end
"""
    @warn message key = value ...

Logs a warning.
"""
macro warn(message, exs...)
    logmsg_expr(Warn, __module__, __source__, Any[message, exs...])
end
"""
    @error message key = value ...

Logs a message about an error.
"""
macro error(message, exs...)
    logmsg_expr(Error, __module__, __source__, Any[message, exs...])
end
macro logmsg(level, message, exs...)
    logmsg_expr(esc(level), __module__, __source__, Any[message, exs...])
end

end

using .CoreLogging: CoreLogging, AbstractLogger, LogLevel, NullLogger, @debug, @info, @warn, @error, @logmsg

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
