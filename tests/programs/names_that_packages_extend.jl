# Functions of Base and LinearAlgebra that packages give methods for types of their own, and old names that they use.
using Test, LinearAlgebra, Random

struct Grid{T} <: AbstractMatrix{T}
    cells::Matrix{T}
end
Base.size(g::Grid, dims...) = size(g.cells, dims...)
Base.getindex(g::Grid, i::Int, j::Int) = g.cells[i, j]
Base.setindex!(g::Grid, v, i::Int, j::Int) = (g.cells[i, j] = v)

struct Mark
    at::Int
end
Base.to_indices(a, I::Tuple{Mark, Vararg{Mark}}) = I
Base._getindex(::IndexStyle, a::AbstractArray, m::Mark, rest::Mark...) = (:marked, a[m.at])
Base._setindex!(::IndexStyle, a::AbstractArray, v, m::Mark, rest::Mark...) = (a[m.at] = v; :marked)

@testset "arrays of packages" begin
    g = Grid([1 2 3; 4 5 6])
    @test size(g, 2) == 3
    @test_throws TypeError size([1 2], "a")
    a = [10, 20, 30]
    @test a[Mark(2)] == (:marked, 20)
    a[Mark(3)] = 7
    @test a == [10, 20, 7]
    b = [1 2; 3 4]
    @test b[CartesianIndex(1, 2), 1] === 2
    @test b[CartesianIndex(2), 1] === 3
    @test view(b, CartesianIndex(2), 2) == fill(4)
    @test reshape(fill(1), ())[] == 1
    @test_throws DimensionMismatch reshape([1, 2], ())
    @test size(reshape(rand(2, 3, 4), Val(2))) == (2, 12)
    @test size(reshape(1:6, Val(3))) == (6, 1, 1)
    @test Base.rdims(Val(2), (Base.OneTo(2), Base.OneTo(3), Base.OneTo(4))) == (Base.OneTo(2), Base.OneTo(12))
    @test Base.rdims(Val(0), ()) == ()
    @test Base._reshape([1, 2, 3, 4], (2, 2)) == [1 3; 2 4]
    @test collect(LinearIndices((3:5,))) == 1:3
    @test Base._typed_vcat(Int, [[1], [2, 3]]) == [1, 2, 3] && Base._typed_hcat(Int, [[1], [2]]) == [1 2]
end

struct Style <: Base.Broadcast.BroadcastStyle end
@testset "broadcasting" begin
    bc = Base.Broadcast.broadcasted(+, [1, 2], 1)
    changed = convert(Base.Broadcast.Broadcasted{Style}, bc)
    @test changed isa Base.Broadcast.Broadcasted{Style} && changed.args == bc.args
    @test Base.Broadcast._bcs1(Base.OneTo(1), Base.OneTo(3)) == Base.OneTo(3)
end

struct Fixed <: Real
    i::Int
end
Base.div(x::Fixed, y::Fixed, r::RoundingMode) = Fixed(div(x.i, y.i, r))
Base.round(x::Fixed, r::RoundingMode) = Fixed(10 * round(Int, x.i / 10, r))
@testset "numbers" begin
    @test div(Fixed(7), Fixed(2)) == Fixed(3) && div(Fixed(7), Fixed(2), RoundToZero) == Fixed(3) && cld(Fixed(7), Fixed(2)) == Fixed(4)
    @test floor(Fixed(17)) == Fixed(10) && ceil(Fixed(17)) == Fixed(20) && trunc(Fixed(-17)) == Fixed(-10)
    @test round(Float32, 1.5f0, RoundDown) === 1.0f0
    @test div(7, 2, RoundToZero) === 3 && div(7.5, 2, RoundToZero) === 3.0 && div(7 // 2, 1, RoundToZero) === 3
    @test_throws MethodError div(missing, nothing, RoundUp)
    @test Base._range(1, nothing, 3, nothing) == 1:3
    @test size(randn!(TaskLocalRNG(), zeros(2))) == (2,)
end

@testset "matrices" begin
    a = [1.0 2 3; 4 5 6]
    f = lu(a)
    @test size(f.L) == (2, 2) && size(f.U) == (2, 3) && f.L * f.U ≈ a[f.p, :] && f.P * a ≈ a[f.p, :]
    @test lu([2.0 1; 4 3], NoPivot()).p == [1, 2]
    @test_throws LinearAlgebra.ZeroPivotException lu([0.0 1; 1 1], NoPivot())
    @test lu([0.0 1; 1 1], RowNonZero()).p == [2, 1]
    @test_throws DimensionMismatch det(f)
    @test sqrt(Diagonal([4.0, 9.0])) == Diagonal([2.0, 3.0])
    d = Diagonal([1, 2])
    d[1, 1] = 5
    d[1, 2] = 0
    @test d == [5 0; 0 2] && Matrix(1I, 2, 2) == I && I == [1 0; 0 1] && [1 1; 0 1] != I
    @test_throws ArgumentError d[1, 2] = 3
    u = UpperTriangular([1 2; 3 4])
    u[1, 2] = 8
    @test u == [1 8; 0 4]
    @test_throws ArgumentError u[2, 1] = 1
    @test Symmetric{Int, Matrix{Int}}([1 2; 3 4], 'L') == [1 3; 3 4]
    @test LinearAlgebra.checksquare([1 2; 3 4]) == 2
end

@enum Fruit apple = 3 pear
@testset "old names" begin
    @test isimmutable(1) && !isimmutable([1])
    @test Base.Enums.namemap(Fruit) == Dict(3 => :apple, 4 => :pear)
    @test Base.unwrapva(Vararg{Int}) === Int && Base.unwrapva(Float64) === Float64
    @test Base.Ryu.neededdigits(Float64) >= ncodeunits(string(-floatmin()))
    @test_throws ErrorException (1:2).nothing
    @test_throws LoadError macroexpand(@__MODULE__, :(@no_such_macro 1))
    @test ccall(:memcmp, Cint, (Ptr{UInt8}, Ptr{UInt8}, Csize_t), "abc", "abd", 3) < 0
    @test ccall(:memcmp, Cint, (Ptr{UInt8}, Ptr{UInt8}, Csize_t), "abc", "abd", 2) == 0
    v = Any["a", "b"]
    ccall(:jl_arrayunset, Cvoid, (Any, UInt), v, 1)
    @test isassigned(v, 1) && !isassigned(v, 2)
    p = Ptr{UInt8}(Libc.calloc(2, 4))
    @test unsafe_load(p, 8) == 0x00
    unsafe_store!(p, 0x07, 3)
    p = Ptr{UInt8}(Libc.realloc(p, 100))
    @test unsafe_load(p, 3) == 0x07
    @test Libc.free(p) === nothing
end
