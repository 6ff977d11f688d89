# A failed call says what it was, why it may have failed, and what comes close.
using Test
text_of(f) = try f(); "" catch e; sprint(showerror, e) end

takes(x::Float64, rest::String...) = 1
module Own
    struct P; x::Int; end
    +(a::P, b::P) = P(a.x + b.x)
    only_ints(x::Int; named = 1) = x
end
abstract type NoWay end
struct Both{A, B} end

@testset "candidates" begin
    text = text_of(() -> takes(1, 2, ""))
    @test occursin("MethodError: no method matching takes(::Int64, ::Int64, ::String)", text)
    @test occursin("Closest candidates are:\n  takes(!Matched::Float64, !Matched::String...)\n   @ Main ", text)
    @test occursin("only_ints(!Matched::Int64; named)", text_of(() -> Own.only_ints("a")))
    @test occursin("got unsupported keyword argument \"other\"", text_of(() -> Own.only_ints(1; other = 2)))
    @test isempty(sprint(Base.show_method_candidates, MethodError(getindex, (Own.P(1), 1))))
end

@testset "reasons" begin
    @test occursin("You may have intended to import Base.:+", text_of(() -> Own.:+(1, 2)))
    @test occursin("This error has been manually thrown, explicitly", sprint(showerror, MethodError(+, (1, 2))))
    @test startswith(sprint(showerror, MethodError(NoWay, (), Base.get_world_counter())), "MethodError: no constructors have been defined for NoWay")
    @test occursin("no method matching invoke takes(::Int64)", text_of(() -> invoke(takes, Tuple{Int}, 1)))
    @test occursin("Both{Int64,1}", text_of(() -> convert(Both{Int, 1}, Both{Int, 2}())))
    @test occursin("broadcasting with dot syntax: scalar .+ array", text_of(() -> 1 + [1.0]))
    later = try
        global too_new
        too_new(1)
    catch e
        e
    end
    @eval too_new() = 1
    error_now = try too_new(1) catch e e end
    @eval too_new(x) = x
    @test occursin("The applicable method may be too new: running in world age $(error_now.world)", sprint(showerror, error_now))
end

@testset "undefined names" begin
    @test occursin("Suggestion: check for spelling errors", text_of(() -> not_there_at_all))
    e = try Own.later_on catch e e end
    Core.eval(Own, :(later_on = 1))
    @test occursin("The binding may be too new", sprint(showerror, e))
end
