# Fields, globals and elements that are accessed atomically: results, orders and the sizes of what holds them.
using Test
using Core: ConcurrencyViolationError, memoryrefswap!, memoryrefmodify!, memoryrefreplace!, memoryrefsetonce!

mutable struct Counter{T}
    @atomic n::T
    plain::T
    Counter{T}(n, plain) where {T} = new{T}(n, plain)
    Counter{T}() where {T} = new{T}()
end

# A modification answers with a pair of the declared type, a replacement with a named tuple of it.
c = Counter{Any}(1, 2)
@test modifyfield!(c, :n, +, 4, :monotonic) === Pair{Any, Any}(1, 5)
@test replacefield!(c, :n, 5, 6, :acquire_release, :acquire) === NamedTuple{(:old, :success), Tuple{Any, Bool}}((5, true))
@test swapfield!(c, :n, 7, :release) === 6

# Failing asks for no more than succeeding; a value of another type is refused before the old one is read.
@test_throws ConcurrencyViolationError("invalid atomic ordering") replacefield!(c, :n, 7, 8, :monotonic, :acquire)
@test_throws ConcurrencyViolationError("setfieldonce!: atomic field cannot be written non-atomically") setfieldonce!(c, :n, 8)
@test_throws TypeError replacefield!(Counter{String}(), :n, "", 1.0, :monotonic)
undefined = Counter{String}()
@test_throws UndefRefError swapfield!(undefined, :n, "now", :monotonic)
@test (@atomic undefined.n) == "now"
@test !(@atomiconce undefined.n = "later")

# Globals are always atomic.
global total::Int = 10
@test modifyglobal!(@__MODULE__, :total, -, 3) === Pair{Int, Int}(10, 7)
@test swapglobal!(@__MODULE__, :total, 20) === 7
@test replaceglobal!(@__MODULE__, :total, 0, 1) === (old = 20, success = false)
@test !setglobalonce!(@__MODULE__, :total, 1)
global later::Int
@test setglobalonce!(@__MODULE__, :later, 4)
@test later == 4
@test_throws ConcurrencyViolationError("getglobal: module binding cannot be read non-atomically") getglobal(@__MODULE__, :total, :not_atomic)
@test_throws ConcurrencyViolationError("invalid atomic ordering") setglobal!(@__MODULE__, :total, 1, :acquire)
@test_throws TypeError swapglobal!(@__MODULE__, :total, "twenty")
here = @__MODULE__
@test (@atomic here.total += 5) == 25
@test (@atomicreplace here.total 25 => 26) == (old = 25, success = true)

# Elements of memory.
m = AtomicMemory{Int}(undef, 2)
@test (@atomic m[1] = 3) == 3
@test (@atomic m[1] max 9) == (3 => 9)
@test (@atomicswap m[1] = 2.0) == 9
@test m[1] === 2
@test_throws CanonicalIndexError m[1] = 4
@test_throws BoundsError @atomic m[3]
r = Core.memoryrefnew(Core.memoryrefnew(m), 1, true)
@test memoryrefmodify!(r, *, 8, :monotonic, true) === Pair{Int, Int}(2, 16)
@test memoryrefreplace!(r, 16, 5, :monotonic, :monotonic, true) === (old = 16, success = true)
@test memoryrefswap!(r, 6, :acquire, true) === 5
@test !memoryrefsetonce!(r, 7, :monotonic, :monotonic, true)
@test_throws ConcurrencyViolationError("memoryrefswap!: atomic memory cannot be written non-atomically") memoryrefswap!(r, 7, :not_atomic, true)
strings = AtomicMemory{String}(undef, 1)
@test (@atomiconce strings[1] = "a") && !(@atomiconce strings[1] = "b")
@test (@atomicreplace strings[1] Pair("a", "c")) == (old = "a", success = true)

# An atomic field takes a power of two; what does not fit an instruction has a lock in front.
mutable struct Odd
    @atomic a::NTuple{3, UInt8}
    b::NTuple{3, UInt8}
end
mutable struct Wide
    @atomic a::NTuple{4, Int64}
end
@test (sizeof(Odd), fieldoffset(Odd, 2), Base.datatype_alignment(Odd)) == (8, 4, 4)
@test Base.datatype_haspadding(Odd)
@test sizeof(Wide) == 32 + fieldoffset(Wide, 1) > 32
w = Wide((1, 2, 3, 4))
@test (@atomicswap w.a = (5, 6, 7, 8)) == (1, 2, 3, 4)
@test (@atomic w.a) == (5, 6, 7, 8)

# Pointers.
box = Ref(5)
GC.@preserve box begin
    p = Base.unsafe_convert(Ptr{Int}, box)
    @test unsafe_load(p, :monotonic) == 5
    @test unsafe_store!(p, 6, :release) === p
    @test unsafe_modify!(p, +, 1, :monotonic) === Pair{Int, Int}(6, 7)
    @test unsafe_swap!(p, 8, :acquire) == 7
    @test unsafe_replace!(p, 8, 9, :monotonic) === (old = 8, success = true)
    @test_throws TypeError Core.Intrinsics.atomic_pointerset(p, 0x1, :monotonic)
end
