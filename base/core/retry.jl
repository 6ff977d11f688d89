# Calling again what has failed, after delays that grow.

"""
    ExponentialBackOff(; n = 1, first_delay = 0.05, max_delay = 10.0, factor = 5.0, jitter = 0.1)

An iterator of `n` growing delays, for `retry`.
"""
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
# The state is how many delays are left, and the next one.
function iterate(it::ExponentialBackOff, state = (it.n, min(it.first_delay, it.max_delay)))
    left, delay = state
    left < 1 && return nothing
    spread = 1 - it.jitter + 2 * it.jitter * rand(Float64)
    delay, (left - 1, min(it.max_delay, delay * it.factor * spread))
end
length(it::ExponentialBackOff) = it.n
eltype(::Type{ExponentialBackOff}) = Float64

# A function that calls `f`, and calls it again after each of the delays while it throws and `check` does not object.
function retry(f; delays = ExponentialBackOff(), check = nothing)
    function calling(args...; kwargs...)
        next = iterate(delays)
        while next !== nothing
            delay, state = next
            try
                return f(args...; kwargs...)
            catch problem
                if check !== nothing
                    answer = check(state, problem)
                    state, again = length(answer) == 2 ? answer : (state, answer)
                    again || rethrow()
                end
            end
            sleep(delay)
            next = iterate(delays, state)
        end
        f(args...; kwargs...)
    end
end

export ExponentialBackOff, retry
