# What a definition ends, and the log of it: instances with their distance, what they depended on, the definition.
using Test

invalidations(f) = begin
    list = ccall(:jl_debug_method_invalidation, Any, (Cint,), 1)
    f()
    ccall(:jl_debug_method_invalidation, Any, (Cint,), 0)
    list
end
instance(f, types) = only(filter(it -> it.specTypes == Base.signature_type(f, types), Base.specializations(which(f, types))))

@testset "a method that takes calls over" begin
    @eval price(x) = 1
    @eval price(x::Bool) = 0
    @eval basket(items) = price(items[1])
    @eval checkout(items) = basket(items) + 1
    @eval checkout(Any[2])
    called = instance(basket, (Vector{Any},))
    outer = instance(checkout, (Vector{Any},))
    list = invalidations(() -> @eval price(x::AbstractString) = 2)
    @test list[1:2] == [called, 1]
    @test list[3:4] == [outer, 2]
    @test list[5].def === which(price, (Int,))
    @test list[6] == "jl_method_table_insert"
    @test list[7:8] == [(@invokelatest which(price, (String,))), "jl_method_table_insert"]
    @test length(list) == 8
    @test invalidations(() -> nothing) == []
end

@testset "a call that had no method" begin
    @eval wanting(x) = not_there_yet(x)
    @eval function not_there_yet end
    @test_throws MethodError wanting(1)
    waiting = instance(wanting, (Int,))
    list = invalidations(() -> @eval not_there_yet(x::Int) = x)
    @test list[1:2] == [waiting, 0]
    @test list[3] <: Tuple{typeof(not_there_yet), Int}
    @test list[4] === @invokelatest which(not_there_yet, (Int,))
end

@testset "a name" begin
    @eval const rate = 2
    @eval charged(x) = rate * x
    @test charged(3) == 6
    before = instance(charged, (Int,)).cache
    list = invalidations(() -> @eval const rate = 3)
    part = list[findfirst(it -> it isa Core.BindingPartition, list)]
    @test list[1:2] == [before.def, 1]
    @test part.restriction == 2 && part.max_world == Base.get_world_counter() - 1
    @test list[end] == "jl_maybe_log_binding_invalidation"
    @test (@invokelatest charged(3)) == 9
    @test before.def.cache.next.def === before.def
end

@testset "a deleted method" begin
    @eval only_once(x) = 1
    @eval asks_once(x) = only_once(x)
    @eval asks_once(1)
    list = invalidations(() -> Base.delete_method(which(only_once, (Int,))))
    @test list[1].def.name === :asks_once
    @test list[end] == "jl_method_table_disable"
end

@testset "what ends nothing" begin
    @eval weigh(x::Integer) = x
    @eval invoked(x) = invoke(weigh, Tuple{Integer}, x)
    @test invoked(1) == 1
    result = instance(invoked, (Int,)).cache
    world = result.min_world
    # `invoke` goes where it went, whatever a plain call would do.
    @eval weigh(x::Int) = -x
    @test invoked(1) == 1
    @test instance(invoked, (Int,)).cache.min_world == world
    @eval weigh(x::Integer) = 10x
    @test invoked(1) == 10
    # A call with more methods than inference looks at does not depend on one more.
    for T in (Int, Float64, String, Symbol)
        @eval many(::$T) = 1
    end
    @eval asks_many(v) = many(v[1])
    @eval asks_many(Any[1])
    @test isempty(invalidations(() -> @eval many(::Set) = 2))
end
