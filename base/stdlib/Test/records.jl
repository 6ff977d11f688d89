# Log records that a test collects instead of showing them.
import Base.CoreLogging
import Base.CoreLogging: AbstractLogger, LogLevel, BelowMinLevel, handle_message, shouldlog, min_enabled_level, with_logger
struct LogRecord
    level::Any
    message::Any
    _module::Any
    group::Any
    id::Any
    file::Any
    line::Any
    kwargs::Any
end
LogRecord(args...; kws...) = LogRecord(args..., kws)
mutable struct TestLogger <: AbstractLogger
    logs::Vector{LogRecord}
    min_level::LogLevel
    catch_exceptions::Bool
    respect_maxlog::Bool
    message_limits::Dict{Any, Int}
    shouldlog_args::Any
end
TestLogger(; min_level = CoreLogging.Info, catch_exceptions = false, respect_maxlog = true) =
    TestLogger(LogRecord[], parse_level(min_level), catch_exceptions, respect_maxlog, Dict{Any, Int}(), nothing)
min_enabled_level(logger::TestLogger) = logger.min_level
CoreLogging.catch_exceptions(logger::TestLogger) = logger.catch_exceptions
function shouldlog(logger::TestLogger, level, _module, group, id)
    logger.shouldlog_args = (level, _module, group, id)
    get(logger.message_limits, id, 1) > 0
end
function handle_message(logger::TestLogger, level, message, _module, group, id, file, line; kws...)
    if logger.respect_maxlog && haskey(kws, :maxlog) && kws[:maxlog] isa Integer
        left = get(logger.message_limits, id, kws[:maxlog])
        logger.message_limits[id] = left - 1
        left > 0 || return nothing
    end
    push!(logger.logs, LogRecord(level, message, _module, group, id, file, line, kws))
    nothing
end
function collect_test_logs(f; kws...)
    logger = TestLogger(; kws...)
    value = with_logger(f, logger)
    (logger.logs, value)
end

# What a record must look like: a tuple of its first fields, or a level alone.
struct Ignored end
parse_level(level::LogLevel) = level
parse_level(level::Integer) = LogLevel(level)
parse_level(level) = convert(LogLevel, level)
parse_level(level::Symbol) = level === :debug ? CoreLogging.Debug : level === :info ? CoreLogging.Info :
    level === :warn ? CoreLogging.Warn : level === :error ? CoreLogging.Error :
    throw(ArgumentError(string("Unknown log level ", level)))
field_matches(a, b) = a == b
field_matches(a, ::Ignored) = true
field_matches(a, r::Regex) = occursin(r, string(a))
level_matches(a, ::Ignored) = true
level_matches(a, b) = convert(LogLevel, a) == parse_level(b)
record_matches(r::LogRecord, level::Symbol) = record_matches(r, (level,))
record_matches(r::LogRecord, level::LogLevel) = level_matches(r.level, level)
function record_matches(r::LogRecord, pattern::Tuple)
    fields = (r.message, r._module, r.group, r.id, r.file, r.line)
    isempty(pattern) && return true
    level_matches(r.level, pattern[1]) && length(pattern) <= length(fields) + 1 &&
        all(k -> field_matches(fields[k - 1], pattern[k]), 2:length(pattern))
end
Base.occursin(pattern::Tuple, r::LogRecord) = record_matches(r, pattern)
function logs_match(mode, logs, patterns)
    mode === :all && return length(logs) == length(patterns) && all(k -> record_matches(logs[k], patterns[k]), 1:length(logs))
    mode === :any && return all(p -> any(r -> record_matches(r, p), logs), patterns)
    error("unknown match_mode ", mode)
end
record_text(r::LogRecord) = string("LogRecord(", r.level, ", ", repr(r.message), ", ", r._module, ", :", r.group, ", ", repr(r.file), ", ", r.line, ")")

macro test_logs(exs...)
    isempty(exs) && throw(ArgumentError("`@test_logs` needs an expression to run"))
    patterns = Any[]
    options = Any[]
    for e in exs[1:(end - 1)]
        e isa Expr && e.head === :(=) ? push!(options, Expr(:kw, e.args[1], esc(e.args[2]))) : push!(patterns, esc(e))
    end
    text = string(exs[end])
    thunk = :(() -> $(esc(exs[end])))
    Expr(:call, run_test_logs, Expr(:parameters, options...), thunk, Expr(:tuple, patterns...), text, QuoteNode(__source__))
end
function run_test_logs(f, patterns, text, source; match_mode = :all, kws...)
    logs, value = try
        collect_test_logs(f; kws...)
    catch err
        record(get_testset(), Error(:test_error, text, error_text(err), source))
        return nothing
    end
    if logs_match(match_mode, logs, patterns)
        record(get_testset(), Pass(:test_logs, text, value, source))
    else
        record(get_testset(), Fail(:test_logs, text, join(map(repr, patterns), "\n               "),
            isempty(logs) ? "none" : join(map(record_text, logs), "\n               "), source))
    end
    value
end

# What an expression writes to `stderr`.
contains_warn(output, text::AbstractString) = occursin(text, output)
contains_warn(output, r::Regex) = occursin(r, output)
contains_warn(output, f::Function) = f(output)
contains_warn(output, parts::Union{Tuple, AbstractArray}) = all(p -> contains_warn(output, p), parts)
macro test_warn(msg, ex)
    :($run_test_warn(() -> $(esc(ex)), $(esc(msg)), $(string(ex)), $(QuoteNode(__source__))))
end
macro test_nowarn(ex)
    :($run_test_warn(() -> $(esc(ex)), $isempty, $(string(ex)), $(QuoteNode(__source__))))
end
function run_test_warn(f, expected, text, source)
    value, output = Base.captured_stderr(f)
    good = contains_warn(output, expected)
    record(get_testset(), good ? Pass(:test_warn, text, true, source) :
        Fail(:test_warn, text, expected === isempty ? "nothing on stderr" : string(expected), repr(output), source))
    value
end

# Deprecations are looked for where warnings of them are asked for.
macro test_deprecated(exs...)
    1 <= length(exs) <= 2 || throw(ArgumentError("`@test_deprecated` expects one or two arguments"))
    pattern = length(exs) == 1 ? deprecation_pattern() : esc(exs[1])
    thunk = :(() -> $(esc(exs[end])))
    looked_for = Expr(:call, run_test_logs, Expr(:parameters, Expr(:kw, :match_mode, QuoteNode(:any))), thunk,
        Expr(:tuple, Expr(:tuple, QuoteNode(:warn), pattern, Ignored(), QuoteNode(:depwarn))), string(exs[end]), QuoteNode(__source__))
    :(Base.DEPWARN_MODE[] == 0 ? $(esc(exs[end])) : $looked_for)
end
deprecation_pattern() = Regex("deprecated", "i")
