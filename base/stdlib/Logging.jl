# The package Logging: what Base's loggers are called outside it.
module Logging

using Base.CoreLogging: AbstractLogger, LogLevel, BelowMinLevel, Debug, Info, Warn, Error, AboveMaxLevel, NullLogger, SimpleLogger,
    ConsoleLogger, current_logger, global_logger, with_logger, disable_logging, handle_message, shouldlog, min_enabled_level,
    catch_exceptions, @logmsg

export AbstractLogger, LogLevel, NullLogger, ConsoleLogger, SimpleLogger, current_logger, global_logger, with_logger,
    disable_logging, @debug, @info, @warn, @error, @logmsg

public Debug, Info, Warn, Error, BelowMinLevel, AboveMaxLevel, handle_message, shouldlog, min_enabled_level, catch_exceptions

end
