# Joins, broadcasts, products and reductions: what inference says of them, and their corner cases.
using Test

@testset "joins" begin
    @test @inferred(hcat([1 2.5], 3)) == [1 2.5 3] && @inferred(vcat(["x"], "y")) == ["x", "y"]
    @test @inferred(cat([1 2], [3 4]; dims = Val(3))) == reshape(1:4, 1, 2, 2)
    @test cat(; dims = 2) isa Array{Any} && reduce(hcat, [1:2]) == reshape(1:2, 2, 1)
    @test reduce(vcat, [[1, 2], [3.5]]) == [1, 2, 3.5]
    @test Base.hvncat((3,), true, [1], [2], [3]) == [1, 2, 3] && Base.hvncat((), true, 7) == fill(7)
    @test_throws ArgumentError Base.hvncat(0)
end
@testset "assignment takes shapes apart at the end" begin
    a = zeros(Int, 3, 4)
    a[:, 1:2] = 1:6
    @test a[:, 1:2] == [1 4; 2 5; 3 6]
    a[1, :] = reshape(7:10, 2, 2)
    @test a[1, :] == 7:10
    @test_throws DimensionMismatch a[1:2, 1:2] = [1, 2, 3]
    @test_throws DimensionMismatch a[1:2, 1:3] = zeros(Int, 3, 2)
end
@testset "iterators" begin
    z = zip(1:2, [1.0, 2.0], "ab")
    @test @inferred(eltype(z)) == Tuple{Int, Float64, Char}
    @test @inferred(Base.IteratorSize(Iterators.product(1:2, [1 2; 3 4]))) == Base.HasShape{3}()
    @test @inferred(eltype(Iterators.flatten(([1], [0x01])))) == Integer
    @test Base.infer_return_type(xs -> [x for x in xs if x isa Int], (Vector{Any},)) <: Vector
    p = Iterators.product(1:2, [1.0], 3:4)
    state = last(iterate(p))
    @test @inferred(Nothing, iterate(p, state)) == ((2, 1.0, 3), last(iterate(p, state))) && last(iterate(p, state)) isa typeof(state)
    @test collect(Iterators.product(1:2, Int[])) == Matrix{Tuple{Int, Int}}(undef, 2, 0)
    @test collect(Iterators.reverse(pairs("aβ"))) == [2 => 'β', 1 => 'a']
    @test collect(pairs(Core.svec(:a, :b))) == [1 => :a, 2 => :b]
    @test map(v -> v < 0 ? false : v, Int[]) isa Vector{Integer}
end
@testset "reductions" begin
    a = [3 1; 2 5]
    @test @inferred(maximum(a; dims = 1)) == [3 5] && @inferred(extrema(a; dims = 2)) == reshape([(1, 3), (2, 5)], 2, 1)
    @test mapreduce(*, +, a, a; dims = 1) == [13 26] && foldr(+, Int16[]) === Int16(0) && prod(['a']) == "a"
    @test_throws TypeError all(Returns(1), [2])
    @test_throws MethodError zero(Any)
end
@testset "broadcasts" begin
    f(v, x) = (1 .- (v ./ x) .^ 2)
    @test @inferred(f([2.0], 4.0)) == [0.75]
    x = [1, 2, 3]
    @. x -= 1:3
    @test x == [0, 0, 0]
    @test_throws DimensionMismatch x .= (1, 2)
    bc = Broadcast.instantiate(Broadcast.broadcasted(+, [1 2; 3 4], [10, 20]))
    @test bc[3] == 12 && bc[2, 2] == 24 && sum(bc) == 70 && reduce(+, bc; dims = 1, init = 0) == [34 36]
    @test size(collect(Iterators.product(bc, 1:2))) == (2, 2, 2)
    @test CartesianIndices((2, 2)) .+ CartesianIndex(1, 2) == CartesianIndices((2:3, 3:4))
    @test CartesianIndex(1, 2) .+ [CartesianIndex(3, 4)] == [CartesianIndex(4, 6)]
    tree = Broadcast.Broadcasted(+, (1, Broadcast.Broadcasted(*, (2, 3))))
    @test Broadcast.cat_nested(tree) == (1, 2, 3) && Broadcast.materialize(Broadcast.flatten(tree)) == 7
    @test eltype(broadcast(v -> v < 0 ? false : v, Int[])) === Integer
end
@testset "growing" begin
    a = [1, 2]
    @test_throws MethodError append!(a, Any[3, "x"])
    @test a == [1, 2, 3]
    @test_throws InexactError prepend!(a, [4, 4.5])
    @test a == [4, 1, 2, 3] && prepend!([1], (8, 9)) == [8, 9, 1]
    @test Base.wrap(Array, Memory{Int}(undef, 4) .= 1, (2, 2)) == [1 1; 1 1]
end
@testset "summaries" begin
    @test summary(view(zeros(3, 3), :, 2:3)) == "3×2 view(::Matrix{Float64}, :, 2:3) with eltype Float64"
    @test summary(PermutedDimsArray(zeros(2, 3), (2, 1))) == "3×2 PermutedDimsArray(::Matrix{Float64}, (2, 1)) with eltype Float64"
    @test sprint(Base.showarg, pairs(IndexLinear(), zeros(2, 2)), true) == "pairs(IndexLinear(), ::Matrix{Float64})"
end
@testset "orders" begin
    @test sort([3, -1, 2]; lt = >, by = abs, order = Base.Order.Reverse) == [-1, 2, 3]
    @test_throws ErrorException sort([1]; lt = <, order = Base.Order.By(abs))
end

mutable struct Ring
    next::Any
    Ring() = new()
end
@testset "deep copies" begin
    r = Ring()
    r.next = [r]
    s = deepcopy(r)
    @test s !== r && s.next[1] === s && !isdefined(deepcopy(Ring()), :next)
    d = deepcopy(Dict([1] => [2]))
    @test d == Dict([1] => [2]) && deepcopy(Core.svec(1, [2]))[2] == [2]
end
@testset "fixed arguments" begin
    f = Base.Fix{3}((x, y, z) -> x + 10y + 100z, 7)
    @test f(1, 2) == 721 && Base.Fix2(-, 1) isa Base.Fix{2, typeof(-), Int}
    @test_throws ArgumentError f(1)
    @test_throws ArgumentError Base.Fix{0}(-, 1)
end
@testset "slices and sets" begin
    a = [1 2 1; 3 4 3]
    @test unique(a; dims = 2) == [1 2; 3 4] && unique(a; dims = 1) == a
    @test symdiff([1, 2, 3], [2, 3], [3, 4]) == [1, 3, 4]
    @test intersect([3, 1, 9], 1:typemax(Int)) == [3, 1, 9] && findall(in(NaN), [0.0, NaN]) == [2]
    @test @inferred(dropdims(ones(1, 2, 1); dims = (1, 3))) == [1, 1]
    @test 3.0 in BitSet([3]) && !(3.5 in BitSet([3])) && symdiff!(BitSet([1, 2]), [2, 5]) == BitSet([1, 5])
end
@testset "folds into arrays" begin
    a = reshape(1:8, 2, 2, 2)
    @test sum!(zeros(Int, 1, 2), [1 2; 3 4]) == [4 6] && prod!(ones(Int, 2, 1, 2), a)[2, 1, 1] == 8
    @test minimum!(zeros(Int, 2), view([5 2; 7 9], :, [2, 1])) == [2, 7]
    @test eltype(extrema(Union{Int, Missing}[1, 2]; dims = 1)) == NTuple{2, Union{Int, Missing}}
    @test sum(Real[1.5]; dims = 1) isa Vector{Real} && accumulate(/, [8, 2]) == [8.0, 4.0]
    @test invoke(reduce, Tuple{Function, Any}, (x, y) -> x - y, [1, 2]; init = 10) == 7
end
@testset "a @simd loop has no exits" begin
    loop = quote
        @simd for i in 1:3
            break
        end
    end
    @test_throws Base.SimdLoop.SimdError macroexpand(Main, loop)
end
