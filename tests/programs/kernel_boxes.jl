# Values of which a kernel knows less than their type, in boxes: an address of memory of the launch, behind a tag that says what
# is there. Each kernel computes what the same function computes on the host.
using CUDA, Test

@noinline maybe(x) = Base.compilerbarrier(:type, x)

function launched(f, n)
    out = CUDA.zeros(Float64, n)
    @cuda threads = n ((out) -> (i = threadIdx().x; out[i] = f(Int(i)); nothing))(out)
    return Array(out) == [f(i) for i in 1:n]
end

# A field of any type: what is in it is asked for.
mutable struct Slot
    x
end
@noinline put!(slot, i) = (slot.x = i % 3 == 0 ? Int32(i) : i % 3 == 1 ? 1.5 * i : nothing; nothing)
@noinline function got(slot)
    x = slot.x
    x isa Int32 && return Float64(x)
    x isa Float64 && return 100 * x
    x === nothing && return -1.0
    return -2.0
end
function slots(i)
    slot = Slot(i)
    before = got(slot)
    x = slot.x
    x isa Int && (before += x)
    put!(slot, i)
    return 1000 * got(slot) + before
end

# Abstract fields of a struct that is none itself, and a `Ref` of anything.
struct Pair2
    a::Real
    b
end
@noinline pair(i) = i > 4 ? Pair2(Float32(i), :left) : Pair2(i, i == 1 ? :right : Int8(i))
function pairs(i)
    p = pair(i)
    a = p.a
    s = a isa Float32 ? Float64(a) : Float64(a::Int)
    b = p.b
    b === :left && return s + 10
    b === :right && return s + 20
    return s + (b::Int8)
end
@noinline anything(r, i) = (r[] = i % 2 == 0 ? i : UInt8(i); r)
function refs(i)
    r = anything(Ref{Any}(0.5), i)
    x = r[]
    return x isa Int ? 1.0 * x : x isa UInt8 ? -1.0 * x : 0.0
end

# Of plain numbers each.
function numbers(i)
    x = i == 1 ? maybe(Int8(-3)) : i == 2 ? maybe(Int16(-300)) : i == 3 ? maybe(Int32(7)) : i == 4 ? maybe(8) :
        i == 5 ? maybe(0x09) : i == 6 ? maybe(0x1234) : i == 7 ? maybe(0x00000012) : i == 8 ? maybe(0x0000000000000013) :
        i == 9 ? maybe(true) : i == 10 ? maybe(1.5f0) : maybe(2.5)
    T = typeof(x)
    T === Int8 && return Float64(x::Int8)
    T === Int16 && return Float64(x::Int16)
    T === Int32 && return Float64(x::Int32)
    T === Int64 && return Float64(x::Int64)
    T === UInt8 && return Float64(x::UInt8)
    T === UInt16 && return Float64(x::UInt16)
    T === UInt32 && return Float64(x::UInt32)
    T === UInt64 && return Float64(x::UInt64)
    T === Bool && return (x::Bool) ? 77.0 : 78.0
    T === Float32 && return Float64(x::Float32)
    return x::Float64
end

# Of more than a word, of none, and objects, which are boxes themselves.
struct Point
    x::Float64
    y::Float64
    z::Float32
end
mutable struct Counter
    n::Int
end
@noinline thing(i) = i % 4 == 0 ? maybe(Point(i, 2i, 3i)) : i % 4 == 1 ? maybe(missing) : i % 4 == 2 ? maybe(Counter(i)) : maybe(Int32)
function things(i)
    x = thing(i)
    x isa Point && return x.x + x.y + x.z
    x === missing && return -5.0
    x isa Counter && (x.n += 1; return 3.0 * x.n)
    x === Int32 && return -7.0
    return 0.0
end
function same(i)
    p = Point(i, 1, 2)
    c = Counter(i)
    x = i % 3 == 0 ? maybe(p) : i % 3 == 1 ? maybe(c) : maybe(Point(i, 1, 3))
    return (x === p) + 2.0 * (x === c) + 4.0 * (x === Point(i, 1, 3)) + 8.0 * (x === i) + 16.0 * (x === nothing)
end

# A union of more than four types, and one of a number and an object, are no boxes: a tag in a register.
const Many = Union{Int8,Int16,Int32,UInt8,Float32,Float64,Nothing}
@noinline many(i)::Many = i == 1 ? Int8(1) : i == 2 ? Int16(2) : i == 3 ? Int32(3) : i == 4 ? 0x04 : i == 5 ? 5.0f0 : i == 6 ? 6.5 : nothing
function manies(i)
    x = many(i)
    x isa Float64 && return 10 * x
    x isa Int16 && return 20.0 * x
    x === nothing && return 0.25
    return x isa Int8 ? 1.0 : x isa UInt8 ? Float64(x) : x isa Int32 ? 30.0 * x : Float64(x::Float32)
end
mutable struct Held
    x::Union{Int32,Counter}
    many::Many
end
@noinline held(i) = Held(i % 2 == 0 ? Int32(i) : Counter(i), many(i))
function helds(i)
    h = held(i)
    x = h.x
    many = h.many
    s = many === nothing ? 0.5 : many isa Float64 ? many : 1.0
    return s + (x isa Counter ? 100.0 * x.n : 1.0 * x)
end

@testset "boxes" begin
    @test launched(slots, 12)
    @test launched(pairs, 8)
    @test launched(refs, 8)
    @test launched(numbers, 11)
    @test launched(things, 16)
    @test launched(same, 9)
end
@testset "tags in registers" begin
    @test launched(manies, 8)
    @test launched(helds, 8)
end

# What is not what it is asserted to be fails, and so does what has never been set.
mutable struct Late
    x
    y::Int
    Late(y) = (it = new(); it.y = y; it)
end
@noinline late(i) = Late(i)
mutable struct AnyOne
    x
end
@noinline boxed(i) = i > 1 ? AnyOne(2.5) : AnyOne(i)
@testset "failures" begin
    asserted(i) = Float64(maybe(i)::Int32)
    @test_throws TypeError CUDA.@sync @cuda ((out) -> (out[1] = asserted(1); nothing))(CUDA.zeros(Float64, 1))
    unset(i) = late(i).x === nothing ? 1.0 : 2.0
    @test_throws UndefRefError CUDA.@sync @cuda ((out) -> (out[1] = unset(1); nothing))(CUDA.zeros(Float64, 1))
    @test_throws OutOfMemoryError CUDA.@sync @cuda heap_bytes = 16 ((out) -> (out[1] = boxed(1).x isa Int; nothing))(CUDA.zeros(Float64, 1))
    # In a box, which the host cannot look into.
    @test_throws TypeError CUDA.@sync @cuda ((out) -> (out[1] = boxed(2).x::Int; nothing))(CUDA.zeros(Int, 1))
end
