# Objects of every size that compiled code makes itself: their fields are what was stored, whether their cell was used before or not,
# and collections begin and end in between.
using Test

mutable struct One
    a::Int
end
mutable struct Three
    a::Int
    b::Any
    c::Float64
end
mutable struct Partly
    a::Any
    b::Any
    c::Any
    Partly(a) = new(a)
end
mutable struct Held{N}
    next::Union{Nothing, Held{N}}
    words::NTuple{N, Int}
end
struct Pair3
    a::Int
    b::Float64
    c::String
end

# Some stay, others are garbage.
function ones_and_threes(n)
    kept = Vector{Any}(nothing, 997)
    for i in 1:n
        @inbounds kept[1 + i % 997] = i % 3 == 0 ? One(i) : Three(i, kept[1 + (i ÷ 2) % 997] === nothing ? nothing : i, i / 2)
    end
    good = 0
    for i in n-996:n
        it = kept[1 + i % 997]
        good += it isa One ? i % 3 == 0 && it.a == i : it.a == i && it.c == i / 2
    end
    good
end
@testset "small objects" begin
    @test ones_and_threes(2000) == 997
    @test ones_and_threes(3_000_000) == 997
    GC.gc()
    @test ones_and_threes(1_000_000) == 997
end

# A field that `new` leaves out is not defined in a cell that was used before.
function partly(n)
    kept = Vector{Partly}(undef, 100)
    defined = 0
    for i in 1:n
        it = Partly(i)
        defined += isdefined(it, :b) + isdefined(it, :c)
        it.b = kept
        it.c = it
        @inbounds kept[1 + i % 100] = it
    end
    defined
end
@testset "fields without a value" begin
    @test partly(1000) == 0
    @test partly(2_000_000) == 0
end

# Chains of objects of each size, the last ones larger than any cell.
function chain(::Val{N}, n) where {N}
    first = Held{N}(nothing, ntuple(j -> j, Val(N)))
    it = first
    for i in 2:n
        new = Held{N}(nothing, ntuple(j -> i * j, Val(N)))
        it.next = new
        it = new
    end
    sum = 0
    at = first
    while at !== nothing
        sum += at.words[1] + at.words[N]
        at = at.next
    end
    sum
end
@testset "sizes" begin
    for k in 1:3
        for N in (Val(1), Val(2), Val(3), Val(5), Val(9), Val(14), Val(29), Val(62), Val(126), Val(254), Val(300))
            n = 5000
            last = typeof(N).parameters[1]
            @test chain(N, n) == (1 + last) * (n * (n + 1) ÷ 2)
        end
        GC.gc()
    end
end

# Boxes: of small numbers there is one each.
function boxes(n)
    kept = Vector{Any}(nothing, 2048)
    for i in -n:n
        @inbounds kept[1 + mod(i, 1024)] = i
        @inbounds kept[1025 + mod(i, 1024)] = i % 2 == 0 ? i / 2 : Float32(i)
    end
    good = 0
    for i in n-1023:n
        good += kept[1 + mod(i, 1024)] === i
        good += kept[1025 + mod(i, 1024)] === (i % 2 == 0 ? i / 2 : Float32(i))
    end
    good
end
small(kept, i) = (kept[1] = i; kept[2] = Int32(i); kept[3] = Int16(i); kept[4] = UInt8(i & 255); kept[5] = Char(abs(i)); kept[6] = Ptr{Int}(abs(i)); kept)
function all_small(n)
    kept = Vector{Any}(nothing, 6)
    for i in -n:n
        small(kept, i)
        kept == Any[i, Int32(i), Int16(i), UInt8(i & 255), Char(abs(i)), Ptr{Int}(abs(i))] || return i
        (kept[1]::Int, kept[2]::Int32, kept[3]::Int16, kept[5]::Char) === (i, Int32(i), Int16(i), Char(abs(i))) || return i
    end
    nothing
end
function structs(n)
    kept = Vector{Any}(nothing, 1000)
    text = "text"
    for i in 1:n
        @inbounds kept[1 + i % 1000] = Pair3(i, i / 4, text)
    end
    count(i -> kept[1 + i % 1000] === Pair3(i, i / 4, text), n-999:n)
end
@testset "boxes" begin
    @test boxes(2000) == 2048
    @test boxes(1_000_000) == 2048
    @test all_small(2000) === nothing
    @test structs(2000) == 1000
    @test structs(1_000_000) == 1000
end

# Each object counts, though compiled code makes it: of 32 bytes, and of 16.
make(kept, n) = (for i in 1:n; @inbounds kept[1 + i & 7] = Three(i, nothing, 0.0); end)
box(kept, n) = (for i in 1:n; @inbounds kept[1 + i & 7] = i + 1000; end)
function counted(f, n)
    kept = Vector{Any}(nothing, 8)
    f(kept, 100_000)
    f(kept, 100_000)
    @allocated f(kept, n)
end
@testset "counts" begin
    @test 32 * 100_000 <= counted(make, 100_000) <= 32 * 100_000 + 2000
    @test 16 * 100_000 <= counted(box, 100_000) <= 16 * 100_000 + 2000
    @test counted(make, 10_000) >= 320_000
end

# A function that cannot fail but for the memory of its result's box.
@noinline boxed(i)::Any = i
boxed_sum(n) = (s = 0; for i in 1:n; s += boxed(i)::Int; end; s)
@testset "boxes as results" begin
    @test boxed_sum(10) == 55
    @test boxed_sum(100_000) == 5_000_050_000
end
