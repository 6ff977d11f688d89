# A value of three struct types whose fields are taken apart: a way into the common field that no value takes makes no value of it.
using Test

struct Good
    kind::Symbol
    text::Any
    value::Any
    source::Any
end
struct Bad
    kind::Symbol
    text::String
    data::Any
    value::Any
    source::Any
end
struct Broken
    kind::Symbol
    text::String
    value::Any
    source::Any
end
struct Outcome
    value::Any
    data::Any
end
mutable struct Log
    count::Int
end
const LOG = Ref{Any}(Log(0))

@noinline report(kind, source, text) = (LOG.x.count += 1; nothing)
kind_of(t::Broken) = t.kind === :other ? "other" : string(t.value)
kind_of(t::Bad) = string(t.value)
@noinline note(t::Good) = (LOG.x.count += 1; t)
function note(t)
    special = t isa Broken && t.kind === :special
    report(special ? "special" : kind_of(t), t.source, "x")
    t
end
record(log::Log, t::Good) = note(t)
record(log::Log, t::Union{Bad, Broken}) = note(t)
record(::Nothing, t::Good) = t
record(::Nothing, t::Union{Bad, Broken}) = throw(ArgumentError("no log"))

const SWITCH = Ref(false)
function judge(result, text, source)
    if SWITCH.x || result === nothing
        t = Good(:test, text, true, source)
    elseif result.value isa Bool
        t = result.value ? Good(:test, text, true, source) : Bad(:test, string(text), result.data, false, source)
    else
        t = Broken(:other, string(text), repr(result.value), source)
    end
    record(LOG.x, t)
end

const CAUGHT = Any[]
@testset "a handler runs only after an exception" begin
    for i in 1:3000
        try
            t = judge(Outcome(i > 0, nothing), :(a + b), LineNumberNode(5, :x))
            t isa Good && t.source === LineNumberNode(5, :x) || push!(CAUGHT, t)
        catch e
            push!(CAUGHT, e)
        end
    end
    @test isempty(CAUGHT)
    @test LOG.x.count == 3000
    t = judge(Outcome(false, 1), :(a + b), LineNumberNode(6, :y))
    @test t isa Bad && t.source === LineNumberNode(6, :y)
    t = judge(Outcome(2, 1), :(a + b), LineNumberNode(7, :y))
    @test t isa Broken && t.source === LineNumberNode(7, :y) && t.value == "2"
end
