# BenchmarkTools: samples of an expression's time, each over enough evaluations for the clock to resolve.
#
# A benchmark is tuned (the number of evaluations a sample), warmed up by one sample that does not count, and sampled until
# `seconds` are over or there are `samples`. Allocations are those of the host's heap in one evaluation.
module BenchmarkTools

import Base: run

export @btime, @benchmark, @belapsed, @benchmarkable, run, tune!, warmup, params, BenchmarkGroup, prettytime, prettymemory,
    median, mean, std, memory, allocs, @ballocated, @ballocations

mutable struct Parameters
    seconds::Float64
    samples::Int
    evals::Int
    evals_set::Bool
end
const DEFAULT_PARAMETERS = Parameters(5.0, 10000, 1, false)
Parameters(; seconds = DEFAULT_PARAMETERS.seconds, samples = DEFAULT_PARAMETERS.samples, evals = nothing) =
    Parameters(seconds, samples, evals === nothing ? 1 : evals, evals !== nothing)

# The times of the samples in nanoseconds, for one evaluation each.
struct Trial
    params::Parameters
    times::Vector{Float64}
    memory::Int
    allocs::Int
end

struct TrialEstimate
    params::Parameters
    time::Float64
    memory::Int
    allocs::Int
end
estimate(t::Trial, time) = TrialEstimate(t.params, time, t.memory, t.allocs)
Base.minimum(t::Trial) = estimate(t, minimum(t.times))
Base.maximum(t::Trial) = estimate(t, maximum(t.times))
median(t::Trial) = estimate(t, middle(sort(t.times)))
mean(t::Trial) = estimate(t, mean_time(t))
std(t::Trial) = estimate(t, sqrt(sum(abs2, t.times .- mean_time(t)) / max(length(t.times) - 1, 1)))
mean_time(t) = sum(t.times) / length(t.times)
middle(v) = (n = length(v); isodd(n) ? v[cld(n, 2)] : (v[div(n, 2)] + v[div(n, 2) + 1]) / 2)
Base.time(t::Trial) = minimum(t.times)
Base.time(t::TrialEstimate) = t.time
Base.length(t::Trial) = length(t.times)
memory(t) = t.memory
allocs(t) = t.allocs
params(t) = t.params

# A benchmark that has not run: `sample(evals)` runs the setup and then `evals` evaluations.
struct Benchmark
    sample::Function
    params::Parameters
end
params(b::Benchmark) = b.params

# One sample: nanoseconds, bytes and allocations of an evaluation, and the value of the last.
function timed(f, args, evals)
    value = f(args...)
    before, count = Core.Host.allocated_bytes(), Core.Host.allocated_bytes(:count)
    start = time_ns()
    for _ in 1:evals
        value = f(args...)
    end
    time = Float64(time_ns() - start) / evals
    bytes, made = Core.Host.allocated_bytes() - before, Core.Host.allocated_bytes(:count) - count
    (time, div(bytes, evals), div(made, evals), value)
end

# Evaluations a sample, from the least time that an evaluation took in samples of 1, 2, 4 ... up to `RESOLUTION` evaluations, while
# time for it lasts: the package's table, which falls from 1000 evaluations of a nanosecond to 1 of nine microseconds and more.
const RESOLUTION = 1000
const TUNING_SECONDS = 1.0
falling(high, low, slope, t, middle) = round(Int, (high - low) / (1 + exp(-slope * (t - middle))) + low)
function guessed_evals(t::Int)
    t <= 400 && return falling(1006, 195, -0.025, t, 200)
    t <= 1000 && return falling(204, -16, -0.01, t, 800)
    t <= 9000 ? 11 - cld(t - 1000, 1000) : 1
end
function tune!(b::Benchmark; kws...)
    b.params.evals_set && return b
    b.sample(1)
    best, evals = Inf, 1
    stop = time_ns() + round(UInt64, min(b.params.seconds, TUNING_SECONDS) * 1e9)
    while true
        best = min(best, b.sample(evals)[1])
        (evals == RESOLUTION || time_ns() > stop) && break
        evals = min(2 * evals, RESOLUTION)
    end
    # The time may have gone to compiling.
    best = min(best, b.sample(evals)[1])
    b.params.evals = guessed_evals(max(ceil(Int, best), 1))
    b
end
tune!(t::Trial; kws...) = t
warmup(b::Benchmark; kws...) = (b.sample(1); nothing)

function Base.run(b::Benchmark; seconds = b.params.seconds, samples = b.params.samples, evals = b.params.evals, kws...)
    first(sampled(b, Parameters(seconds, samples, evals, true)))
end
Base.run(t::Trial; kws...) = t
function sampled(b, p::Parameters)
    p.samples > 0 || throw(ArgumentError("a benchmark takes at least one sample"))
    b.sample(1)
    stop = time_ns() + UInt64(round(Int, p.seconds * 1e9))
    times = Float64[]
    memory = allocs = typemax(Int)
    value = nothing
    while isempty(times) || (length(times) < p.samples && time_ns() < stop)
        time, bytes, made, value = b.sample(p.evals)
        push!(times, time)
        memory, allocs = min(memory, bytes), min(allocs, made)
    end
    (Trial(p, times, memory, allocs), value)
end

# Text.
function prettytime(ns::Real)
    unit, scale = ns < 1e3 ? ("ns", 1.0) : ns < 1e6 ? ("μs", 1e3) : ns < 1e9 ? ("ms", 1e6) : ("s", 1e9)
    string(Core.Host.float_to_string(Float64(ns / scale), :fixed, 3), " ", unit)
end
function prettymemory(bytes::Integer)
    bytes < 1024 && return string(bytes, " bytes")
    unit, scale = bytes < 1024^2 ? ("KiB", 1024) : bytes < 1024^3 ? ("MiB", 1024^2) : ("GiB", 1024^3)
    string(Core.Host.float_to_string(bytes / scale, :fixed, 2), " ", unit)
end
allocation_text(t) = string(t.allocs, t.allocs == 1 ? " allocation: " : " allocations: ", prettymemory(t.memory))
Base.show(io::IO, t::Trial) = print(io, "Trial(", prettytime(time(t)), ")")
Base.show(io::IO, t::TrialEstimate) = print(io, "TrialEstimate(", prettytime(t.time), ")")
function Base.show(io::IO, ::MIME"text/plain", t::Trial)
    n, evals = length(t.times), t.params.evals
    println(io, "BenchmarkTools.Trial: ", n, n == 1 ? " sample" : " samples", " with ", evals, evals == 1 ? " evaluation" : " evaluations",
        " per sample.")
    println(io, " Range (min … max): ", prettytime(minimum(t.times)), " … ", prettytime(maximum(t.times)))
    println(io, " Time  (median):    ", prettytime(time(median(t))))
    println(io, " Time  (mean ± σ):  ", prettytime(mean_time(t)), " ± ", prettytime(time(std(t))))
    print(io, " Memory estimate: ", prettymemory(t.memory), ", allocs estimate: ", t.allocs, ".")
end

# Macros. `$x` is evaluated once, before; `setup` before each sample, in the scope of the expression.
mutable struct Interpolated
    names::Vector{Any}
    values::Vector{Any}
end
take_dollars!(found, x) = x
function take_dollars!(found, x::Expr)
    x.head === :quote && return x
    if x.head === :$
        name = gensym("interpolated")
        push!(found.names, name)
        push!(found.values, x.args[1])
        return name
    end
    Expr(x.head, Any[take_dollars!(found, a) for a in x.args]...)
end
const PARAMETERS = (:seconds, :samples, :evals)
function parts(args)
    setup = teardown = nothing
    options = Any[]
    body = args[1]
    for a in args[2:end]
        a isa Expr && a.head in (:(=), :kw) || throw(ArgumentError("a benchmark takes an expression and options, not `$a`"))
        name, value = a.args
        if name === :setup
            setup = value
        elseif name === :teardown
            teardown = value
        elseif name in PARAMETERS
            push!(options, Expr(:kw, name, esc(value)))
        elseif !(name in (:gctrial, :gcsample, :time_tolerance, :memory_tolerance, :overhead))
            throw(ArgumentError("unknown option `$name` of a benchmark"))
        end
    end
    (body, setup, teardown, options)
end
assigned(x) = Any[]
function assigned(x::Expr)
    x.head === :(=) && return left_names(x.args[1])
    x.head === :block ? reduce(vcat, map(assigned, x.args); init = Any[]) : Any[]
end
left_names(x) = x isa Symbol ? Any[x] : x isa Expr && x.head === :tuple ? Any[a for a in x.args if a isa Symbol] : Any[]
function benchmark_expr(args)
    isempty(args) && throw(ArgumentError("a benchmark takes an expression"))
    body, setup, teardown, options = parts(args)
    found = Interpolated(Any[], Any[])
    body = take_dollars!(found, body)
    setup = take_dollars!(found, setup)
    locals = unique(assigned(setup))
    given = Any[esc(it) for it in vcat(found.names, locals)]
    bound = Any[:($(esc(n)) = $(esc(v))) for (n, v) in zip(found.names, found.values)]
    core = Expr(:->, Expr(:tuple, given...), esc(body))
    sample = quote
        $(esc(setup))
        local result = $timed(core, $(Expr(:tuple, given...)), evals)
        $(esc(teardown))
        result
    end
    lets = Expr(:block, bound...)
    Expr(:let, lets, quote
        local core = $core
        $Benchmark(evals -> $(Expr(:let, Expr(:block), sample)), $Parameters(; $(options...)))
    end)
end
macro benchmarkable(args...)
    benchmark_expr(args)
end
macro benchmark(args...)
    :(run($tune!($(benchmark_expr(args)))))
end
macro belapsed(args...)
    :(time(run($tune!($(benchmark_expr(args))))) / 1e9)
end
macro ballocated(args...)
    :(memory(run($tune!($(benchmark_expr(args))))))
end
macro ballocations(args...)
    :(allocs(run($tune!($(benchmark_expr(args))))))
end
macro btime(args...)
    quote
        local b = $tune!($(benchmark_expr(args)))
        local trial, value = $sampled(b, b.params)
        println("  ", $prettytime(time(trial)), " (", $allocation_text(trial), ")")
        value
    end
end

# Benchmarks by name, in groups of groups.
struct BenchmarkGroup
    tags::Vector{Any}
    data::Dict{Any, Any}
end
BenchmarkGroup(ps::Pair...) = BenchmarkGroup(Any[], Dict{Any, Any}(ps...))
BenchmarkGroup(tags::Vector, ps::Pair...) = BenchmarkGroup(Vector{Any}(tags), Dict{Any, Any}(ps...))
Base.getindex(g::BenchmarkGroup, key) = get!(() -> BenchmarkGroup(), g.data, key)
Base.getindex(g::BenchmarkGroup, key, rest...) = g[key][rest...]
Base.setindex!(g::BenchmarkGroup, v, key) = (g.data[key] = v)
Base.setindex!(g::BenchmarkGroup, v, key, rest...) = setindex!(g[key], v, rest...)
Base.haskey(g::BenchmarkGroup, key) = haskey(g.data, key)
Base.keys(g::BenchmarkGroup) = keys(g.data)
Base.values(g::BenchmarkGroup) = values(g.data)
Base.length(g::BenchmarkGroup) = length(g.data)
Base.iterate(g::BenchmarkGroup, state...) = iterate(g.data, state...)
tune!(g::BenchmarkGroup; kws...) = (foreach(b -> tune!(b; kws...), values(g.data)); g)
Base.run(g::BenchmarkGroup; kws...) = BenchmarkGroup(g.tags, Dict{Any, Any}(k => run(b; kws...) for (k, b) in g.data))

end
