# Calls that are tried again, after delays that grow.

struct ExponentialBackOff
    n::Int
    first_delay::Float64
    max_delay::Float64
    factor::Float64
    jitter::Float64
    function ExponentialBackOff(n, first_delay, max_delay, factor, jitter)
        all(x -> x >= 0, (n, first_delay, max_delay, factor, jitter)) || error("all inputs must be non-negative")
        new(n, first_delay, max_delay, factor, jitter)
    end
end
ExponentialBackOff(; n = 1, first_delay = 0.05, max_delay = 10.0, factor = 5.0, jitter = 0.1) =
    ExponentialBackOff(n, first_delay, max_delay, factor, jitter)
function iterate(b::ExponentialBackOff, (left, delay) = (b.n, min(b.first_delay, b.max_delay)))
    left < 1 && return nothing
    # The jitter keeps many callers from trying again at the same time.
    grown = min(b.max_delay, delay * b.factor * (1 - b.jitter + rand(Float64) * 2 * b.jitter))
    (delay, (left - 1, grown))
end
length(b::ExponentialBackOff) = b.n
eltype(::Type{ExponentialBackOff}) = Float64

# `check` is asked of the state of the delays and the exception whether to go on; it may answer with another state, too.
function retry(f; delays = ExponentialBackOff(), check = nothing)
    function (args...; kwargs...)
        y = iterate(delays)
        while y !== nothing
            delay, state = y
            try
                return f(args...; kwargs...)
            catch e
                if check !== nothing
                    answer = check(state, e)
                    state, go_on = length(answer) == 2 ? answer : (state, answer)
                    go_on || rethrow()
                end
            end
            sleep(delay)
            y = iterate(delays, state)
        end
        f(args...; kwargs...)
    end
end
export ExponentialBackOff, retry
