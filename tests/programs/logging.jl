# Log records: levels, loggers in use, what the console shows, what is not evaluated without a listener.
using Logging, Test
shown(f, level = Logging.Info) = (io = IOBuffer(); with_logger(f, ConsoleLogger(io, level)); String(take!(io)))
@test shown(() -> @info "hello") == "[ Info: hello\n"
@test shown(() -> @info "a\nb" x = 1 name = "n") == "┌ Info: a\n│ b\n│   x = 1\n└   name = \"n\"\n"
warned = shown(() -> @warn "careful")
@test startswith(warned, "┌ Warning: careful\n└ @ Main ") && endswith(warned, "logging.jl:6\n")
@test shown(() -> @debug "quiet") == ""
@test startswith(shown(() -> (@debug "loud"), Logging.Debug), "┌ Debug: loud\n")
@test shown(() -> for i in 1:3; @info "at most twice" maxlog = 2; end) == "[ Info: at most twice\n"^2
evaluated = Ref(0)
@test shown(() -> @debug "never $(evaluated[] += 1)") == "" && evaluated[] == 0
with_logger(NullLogger()) do
    @error "dropped"
end
# A message that cannot be made is told, and the program goes on.
@test occursin("Exception while generating log record", shown(() -> @info "$(error("no"))"))
@test Logging.Info < Logging.Warn && string(Logging.Warn) == "Warn" && Logging.Info + 5 == Logging.LogLevel(5)
@test current_logger() isa ConsoleLogger
