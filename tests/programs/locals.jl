# `Base.@locals`: the variables in scope that have a value, by name.
using Test
using Base: @locals

macro hidden()
    quote
        inner = 5
        @locals
    end
end

@testset "names and values" begin
    let
        local x, y
        global z
        @test isempty(@locals)
        @test @locals() isa Dict{Symbol, Any}
        x = 1
        @test @locals() == Dict{Symbol, Any}(:x => 1)
        y = ""
        for i in 8:8
            @test @locals() == Dict{Symbol, Any}(:x => 1, :y => "", :i => 8)
        end
        for i in 4:4
            local x
            @test @locals() == Dict{Symbol, Any}(:y => "", :i => 4)
        end
        x = (y,)
        @test @locals() == Dict{Symbol, Any}(:x => ("",), :y => "")
    end
end

arguments(a::Any, ::Any, c::T) where {T} = (x = 2; @locals)
captured(a) = (b -> @locals)(a + 1)
variadic(a, rest...; k = 3) = @locals
later(flag) = (flag && (x = 1); @locals)
@testset "arguments, static parameters and captured variables" begin
    @test arguments(1, 2, "") == Dict{Symbol, Any}(:a => 1, :c => "", :x => 2, :T => String)
    @test captured(1) == Dict{Symbol, Any}(:a => 1, :b => 2)
    @test variadic(1, 2, 3; k = 4) == Dict{Symbol, Any}(:a => 1, :rest => (2, 3), :k => 4)
    @test later(true) == Dict{Symbol, Any}(:flag => true, :x => 1)
    @test later(false) == Dict{Symbol, Any}(:flag => false)
    # Names that macros make are hidden.
    @test let seen = 1; @hidden; end == Dict{Symbol, Any}(:seen => 1)
end

# A loop that runs long.
function summed(n)
    total = 0
    for i in 1:n
        d = @locals
        total += d[:i]::Int + length(d)
    end
    total
end
@testset "compiled code" begin
    @test summed(2000) == sum(1:2000) + 3 * 2000
end
