# Timing macros with the names of BenchmarkTools: the expression is run a few times and the best time counts.
module BenchmarkTools

import Base: run

export @btime, @benchmark, @belapsed, @benchmarkable, run, BenchmarkGroup, prettytime

struct Trial
    times::Vector{Float64}      # in nanoseconds
end
Base.minimum(t::Trial) = minimum(t.times)
Base.maximum(t::Trial) = maximum(t.times)
median(t::Trial) = sort(t.times)[cld(length(t.times), 2)]
mean(t::Trial) = sum(t.times) / length(t.times)
Base.time(t::Trial) = minimum(t.times)
Base.show(io::IO, t::Trial) = print(io, "Trial(", prettytime(minimum(t.times)), ")")
Base.run(t::Trial; kws...) = t
tune!(args...; kws...) = nothing
const SAMPLES = 3

function prettytime(ns::Real)
    unit, scale = ns < 1e3 ? ("ns", 1.0) : ns < 1e6 ? ("μs", 1e3) : ns < 1e9 ? ("ms", 1e6) : ("s", 1e9)
    string(Core.Host.float_to_string(Float64(ns / scale), :fixed, 3), " ", unit)
end
function measure(f, samples)
    times = Float64[]
    value = nothing
    for _ in 1:samples
        t = time_ns()
        value = f()
        push!(times, Float64(time_ns() - t))
    end
    (value, Trial(times))
end
# The expression with every `$x` replaced by `x`; `setup` and its like are evaluated before.
strip_dollars(x) = x
strip_dollars(x::Expr) = x.head === :$ ? x.args[1] : x.head === :quote ? x : Expr(x.head, Any[strip_dollars(a) for a in x.args]...)
function parts(args)
    body = nothing
    setup = nothing
    for a in args
        if a isa Expr && a.head === :(=) && a.args[1] in (:setup, :teardown, :evals, :samples, :seconds, :gcsample)
            a.args[1] === :setup && (setup = a.args[2])
        else
            body = a
        end
    end
    (strip_dollars(body), setup)
end
function timed_expr(args)
    body, setup = parts(args)
    :(let
        $(esc(setup))
        $measure(() -> $(esc(body)), $SAMPLES)
    end)
end
macro benchmark(args...)
    :($(timed_expr(args))[2])
end
macro benchmarkable(args...)
    :($(timed_expr(args))[2])
end
macro belapsed(args...)
    :(minimum($(timed_expr(args))[2]) / 1e9)
end
macro btime(args...)
    quote
        local value, trial = $(timed_expr(args))
        println("  ", $prettytime(minimum(trial)))
        value
    end
end
struct BenchmarkGroup
    data::Dict{Any, Any}
end
BenchmarkGroup(args...) = BenchmarkGroup(Dict{Any, Any}())
Base.getindex(g::BenchmarkGroup, keys...) = foldl((d, k) -> d.data[k], keys; init = g)
Base.setindex!(g::BenchmarkGroup, v, k) = (g.data[k] = v)

end
