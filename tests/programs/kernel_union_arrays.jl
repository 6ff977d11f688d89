# Arrays of unions of plain bits in kernels: elements lie together, and behind them a byte for each that says what it is.
using CUDA, KernelAbstractions, Test

const MaybeInt = Union{Int32,Missing}
const MaybeFloat = Union{Nothing,Float32}

function doubled!(out, x)
    i = threadIdx().x
    v = x[i]
    out[i] = v === missing ? missing : 2v
    return
end

@testset "missing numbers" begin
    host = MaybeInt[i % 3 == 0 ? missing : i for i in 1:64]
    x = CuArray(host)
    @test x isa CuVector{MaybeInt}
    @test Array(x) isa Vector{MaybeInt}
    @test isequal(Array(x), host)
    y = similar(x)
    @cuda threads = 64 doubled!(y, x)
    @test isequal(Array(y), 2 .* host)
    @test sum(skipmissing(Array(y))) == 2 * sum(skipmissing(host))
    small = CuArray([1, missing, 3])
    out = CUDA.fill(0, 3)
    @cuda threads = 3 ((out, x) -> (i = threadIdx().x; out[i] = coalesce(x[i], -1); nothing))(out, small)
    @test Array(out) == [1, -1, 3]
    @test_throws BoundsError CUDA.@sync @cuda threads = 4 doubled!(small, small)
end

# As KernelAbstractions has them: any array of the host, also one with more room than elements, or with none at its start.
@kernel function roots!(out, @Const(x))
    i = @index(Global)
    v = x[i]
    out[i] = v === nothing || v < 0 ? nothing : sqrt(v)
end

@kernel stores!(out, n) = out[1] = n

@testset "nothing or a number" begin
    x = MaybeFloat[4.0f0]
    for v in (nothing, 9.0f0, -1.0f0, 16.0f0)
        push!(x, v)
    end
    popfirst!(x)
    out = Vector{MaybeFloat}(undef, 4)
    roots!(CPU(), 2)(out, x; ndrange = 4)
    @test out == MaybeFloat[nothing, 3, nothing, 4]
    roots!(CPU(), 2)(view(x, 1:2), view(x, 3:4); ndrange = 2)
    @test x == MaybeFloat[nothing, 4, -1, 16]
    # What is written to it must be one of its types, or convert.
    out = MaybeFloat[nothing]
    stores!(CPU())(out, 7; ndrange = 1)
    @test out == MaybeFloat[7.0f0]
end

# Members of different sizes, several with none, in a matrix and a reshaped one.
struct Colour
    r::UInt8
    g::UInt8
    b::UInt8
end
const Cell = Union{Nothing,Missing,Colour,Float64}
weight(::Nothing) = 1
weight(::Missing) = 2
weight(c::Colour) = Int(c.r) + c.g + c.b
weight(x::Float64) = x > 0 ? 1000 : -1000
function weighed!(out, cells, flat)
    i, j = threadIdx().x, threadIdx().y
    out[i, j] = weight(cells[i, j])
    old = flat[i+(j-1)*size(cells, 1)]
    cells[i, j] = old isa Colour ? Float64(old.g) : old isa Float64 ? nothing : old === nothing ? missing : Colour(1, 2, 3)
    return
end

@testset "members of different sizes" begin
    choice(k) = k % 4 == 0 ? nothing : k % 4 == 1 ? missing : k % 4 == 2 ? Colour(k, k + 1, 2) : -1.0 * k
    next(c) = c isa Colour ? Float64(c.g) : c isa Float64 ? nothing : c === nothing ? missing : Colour(1, 2, 3)
    host = Cell[choice(i + 3j) for i in 1:4, j in 1:5]
    cells, out = CuArray(host), CUDA.zeros(Int, 4, 5)
    @cuda threads = (4, 5) weighed!(out, cells, reshape(cells, 20))
    @test Array(out) == map(weight, host)
    @test isequal(Array(cells), map(next, host))
    tags = CuArray(Union{Nothing,Missing}[nothing, missing, missing])
    out = CUDA.zeros(Int, 3)
    @cuda threads = 3 ((out, x) -> (i = threadIdx().x; out[i] = weight(x[i]); x[i] = nothing; nothing))(out, tags)
    @test Array(out) == [1, 2, 2]
    @test all(isnothing, Array(tags))
end

# Memory of the group holds them too.
function turned!(x)
    i = threadIdx().x
    shared = CuStaticSharedArray(MaybeInt, 32)
    shared[i] = x[i]
    sync_threads()
    x[i] = shared[33-i]
    return
end
function turned_dynamic!(x, n)
    i = threadIdx().x
    shared = CuDynamicSharedArray(MaybeInt, n)
    shared[i] = x[i]
    sync_threads()
    x[i] = shared[n+1-i]
    return
end

@testset "memory of the group" begin
    host = MaybeInt[i % 5 == 0 ? missing : i for i in 1:32]
    x = CuArray(host)
    @cuda threads = 32 turned!(x)
    @test isequal(Array(x), reverse(host))
    @cuda threads = 32 shmem = 32 * 5 turned_dynamic!(x, 32)
    @test isequal(Array(x), host)
end

# What lives on the host is refused: strings are no bits.
@testset "no plain bits" begin
    @test_throws ArgumentError CuArray(Union{Missing,String}["a", missing])
    @test_throws Exception stores!(CPU())(Union{Missing,String}[missing], 1; ndrange = 1)
    @test sizeof(Vector{MaybeInt}(undef, 3)) == 12
    @test Base.elsize(Vector{MaybeInt}) == 4
end
