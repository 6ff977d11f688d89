# Effects and exception types that inference finds: what holds of a body, of its callees, and what its author promises.
using Test

effects(f, types...) = Base.infer_effects(f, types)
foldable(f, types...) = Base.Compiler.is_foldable(effects(f, types...))
removable(f, types...) = Base.Compiler.is_removable_if_unused(effects(f, types...))
consistent(f, types...) = Base.Compiler.is_consistent(effects(f, types...))
effect_free(f, types...) = Base.Compiler.is_effect_free(effects(f, types...))
terminates(f, types...) = Base.Compiler.is_terminates(effects(f, types...))
nothrow(f, types...) = Base.Compiler.is_nothrow(effects(f, types...))

@testset "arithmetic" begin
    @test foldable(x -> 2x + 1, Int) && removable(x -> 2x + 1, Int)
    @test foldable(div, Int, Int) && !nothrow(div, Int, Int)
    @test foldable(gcd, Int32, Int32) && foldable(binomial, Int, Int)
    for f in (sin, log, exp, sqrt, atan), T in (Float32, Float64)
        @test foldable(f, T)
    end
    @test foldable(^, Float64, Int)
end

mutable struct Counter
    n::Int
end
const shared_counter = Counter(0)

@testset "objects" begin
    # An object that the body makes and keeps to itself has no effect.
    own(x) = (c = Counter(x); c.n += 1; c.n)
    @test foldable(own, Int) && removable(own, Int)
    # One that is returned is another one each time.
    @test !consistent(Counter, Int) && effect_free(Counter, Int)
    @test !consistent(x -> (Counter(x), 1), Int)
    # Those of others may be changed, or change.
    @test !consistent(c -> c.n, Counter) && effect_free(c -> c.n, Counter)
    bump!(c) = (c.n += 1; nothing)
    @test !effect_free(bump!, Counter)
    @test effect_free(x -> (c = Counter(x); bump!(c); c.n), Int)
    @test !consistent(() -> shared_counter.n) && !effect_free(() -> bump!(shared_counter))
    through(c) = (bump!(c.x); 1)
    @test !effect_free(through, Base.RefValue{Counter})
    # Bits that nothing has set are anything.
    @test !consistent(() -> Vector{Int}(undef, 1)[1])
end

@testset "identity" begin
    @test foldable(objectid, Counter) && foldable(objectid, Symbol)
    @test !consistent(() -> objectid(Counter(1)))
    @test objectid(Base) === objectid(Base) && objectid(Base) !== objectid(Core)
end

@testset "endings" begin
    endless() = while true end
    @test !terminates(endless)
    count_down(n) = (while n > 0; n -= 1; end; n)
    @test !terminates(count_down, Int)
    Base.@assume_effects :terminates_locally promised_down(n) = (while n > 0; n -= 1; end; n)
    @test terminates(promised_down, Int) && foldable(promised_down, Int)
    # The promise is about the loops of this body, not about those of its callees.
    Base.@assume_effects :terminates_locally calls_endless(n) = (while n > 0; n -= 1; end; endless())
    @test !terminates(calls_endless, Int)
    Base.@assume_effects :terminates_globally trusted(n) = count_down(n)
    @test terminates(trusted, Int)
    again(n) = n == 0 ? 0 : again(n - 1)
    @test !terminates(again, Int)
end

@testset "promises" begin
    Base.@assume_effects :total !:nothrow quiet(x) = (print(x); x)
    @test foldable(quiet, Int) && !nothrow(quiet, Int)
    Base.@assume_effects :removable drops(x) = (print(x); x)
    @test removable(drops, Int) && !consistent(drops, Int)
    function inside(x)
        Base.@assume_effects :foldable
        x > 0 || print(x)
        x
    end
    @test foldable(inside, Int)
end

@testset "unknown calls" begin
    @test !nothrow(f -> f(1), Any) && !effect_free(f -> f(1), Any) && !terminates(f -> f(1), Any)
    only_ints(::Int) = 1
    @test nothrow(only_ints, Int) && !nothrow(only_ints, Integer) && !nothrow(only_ints, String)
    @test !effect_free(() -> name_of_nothing_yet())
end

@testset "exceptions" begin
    thrown(f, types...) = Base.infer_exception_type(f, types)
    @test thrown(x -> x + 1, Int) === Union{}
    @test thrown(div, Int, Int) === DivideError
    @test thrown(sqrt, Float64) === DomainError
    @test thrown(x -> throw(ArgumentError("no")), Int) === ArgumentError
    @test thrown(x -> x::Int, Any) === TypeError
    only_ints(::Int) = error("never")
    @test thrown(only_ints, Integer) === Union{ErrorException, MethodError}
    @test Base.infer_exception_types(only_ints, (Int,)) == Any[ErrorException]
    # A handler keeps what it catches. Its type may be any: a stack can be exhausted at every call, a memory at every allocation.
    calm(x) = try sqrt(x) catch; 0.0 end
    @test thrown(calm, Float64) === Union{} && nothrow(calm, Float64)
    told(x) = try sqrt(x) catch e; e isa DomainError ? 0.0 : "no" end
    @test Base.infer_return_type(told, (Float64,)) === Union{Float64, String}
    @test told(-1.0) === 0.0
    deep(n) = n == 0 ? throw(ArgumentError("deep")) : deep(n - 1)
    caught(n) = try deep(n) catch e; e isa ArgumentError ? 1 : "other" end
    @test Base.infer_return_type(caught, (Int,)) === Union{Int, String}
end

@testset "text" begin
    @test foldable(*, String, String) && removable(*, Char, String) && foldable(==, String, String)
    @test foldable(cmp, Symbol, Symbol) && foldable(length, String) && foldable(hash, String, UInt)
    @test foldable(^, String, Int) && !removable(^, String, Int)
    @test foldable(codeunit, String, Int) && !nothrow(codeunit, String, Int)
    @test foldable(a -> throw(lazy"a is $a"), Any)
end

@testset "collections" begin
    @test !consistent(getindex, Dict{Int, Any}, Int) && effect_free(getindex, Dict{Int, Any}, Int)
    @test terminates(getindex, Dict{Int, Any}, Int) && !nothrow(getindex, Dict{Int, Any}, Int)
    @test nothrow(iterate, Tuple{Int, Int, Int}, Int) && foldable(iterate, NTuple{4, Float64}, Int)
    @test effect_free(reshape, Vector{Float32}, Tuple{Int}) && terminates(reshape, Vector{Float32}, Tuple{Int})
    @test foldable(merge, NamedTuple, NamedTuple) && foldable(eltype, Tuple)
    # Out of bounds under `@inbounds` anything may happen.
    unchecked(t, i) = @inbounds t[i]
    @test !Base.Compiler.is_noub(effects(unchecked, Tuple{Int, Int}, Int))
    @test !foldable(unchecked, Tuple{Int, Int}, Int)
    @test Base.Compiler.is_noub(effects(getindex, Tuple{Int, Int}, Int))
end

@testset "what iterators tell of themselves" begin
    foldable(f, types...) = Core.Compiler.is_foldable(Base.infer_effects(f, types))
    @test foldable(eltype, Iterators.PartitionIterator{<:Vector}) && foldable(Base.IteratorSize, Iterators.Reverse{<:Vector})
    @test foldable(eltype, Type{<:Iterators.ProductIterator{Tuple{V, V}} where {V <: Vector}})
    @test eltype(Iterators.partition(1:9, 2)) === UnitRange{Int} && eltype(Iterators.partition((1, 2), 1)) === Vector{Int}
    @test Base.IteratorSize(Iterators.reverse(eachline(IOBuffer("a\nb")))) === Base.SizeUnknown()
end

@testset "axes and strides by type" begin
    answer(f, x) = only(code_typed(f, (typeof(x),)))[1].code
    returns_constant(f, x) = length(answer(f, x)) == 1
    spaced = view(rand(8), 1:3:8)
    @test returns_constant(Base.has_offset_axes, reinterpret(Int64, spaced))
    @test returns_constant(Base.has_offset_axes, CartesianIndices((1:2:5, 2:2:6)))
    @test !Base.has_offset_axes(view(rand(3, 3), 2:3, 1)) && Base.has_offset_axes(view(rand(3), Base.IdentityUnitRange(2:3)))
    first_stride(a) = strides(a)[1]
    flat = vec(reinterpret(reshape, Int16, rand(Int32, 4)))
    @test returns_constant(first_stride, flat) && first_stride(flat) == 1
    @test_throws ArgumentError strides(reinterpret(reshape, Int64, view(zeros(Int32, 3, 4), 1:2, :)))
    @test IndexStyle(reinterpret(Int32, view(rand(5, 2), 1:2:5, :))) === IndexCartesian()
    @test IndexStyle(reinterpret(Int32, rand(5, 2))) === IndexLinear()
end

@testset "commands" begin
    @test !Core.Compiler.is_effect_free(Base.infer_effects(x -> `list $x`, (Any,)))
    made = Base.infer_effects(() -> `list $("a b")`)
    @test Core.Compiler.is_effect_free(made) && !Core.Compiler.is_consistent(made)
    @test Core.Compiler.is_consistent(Base.infer_effects(x -> (Core.Compiler.donotdelete(x); 1), (Int,)))
end
