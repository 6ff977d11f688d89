# Calls of types that are only known when they run: a site of compiled code goes straight to the constructor it has called before, for
# that type and no other.
using Test

struct Sized{N} end
struct Counted{T}
    value::T
    Counted{T}(x) where {T} = new{T}(x + 1)
end

@noinline size_of(n) = Sized{(n,)}()
@noinline counted(T, x) = Counted{T}(x)
@noinline converted(T, x) = convert(T, x)

function sizes(count, most)
    for i in 1:count
        n = i % most
        size_of(n) === Sized{(n,)}.instance || return i
    end
    return 0
end
@testset "more types than a site keeps" begin
    @test sizes(20_000, 3) == 0
    @test sizes(20_000, 30) == 0
    @test sizes(20_000, 1) == 0
end

kinds = Any[Int, Float64, UInt8, Float32, Int128]
total(f, count) = sum(i -> Float64(f(kinds[i % 5 + 1], i % 100)), 1:count)
value(T, x) = (it = counted(T, x); typeof(it) === Counted{T} ? it.value : error("a $(typeof(it))"))
@testset "constructors and conversions" begin
    @test total(value, 10_000) == sum(i -> i % 100 + 1, 1:10_000)
    @test total(converted, 10_000) == sum(i -> i % 100, 1:10_000)
end

# What a type makes is defined again: the next call makes the new.
@testset "redefined" begin
    @eval Counted{UInt8}(x) = "bytes"
    @test counted(UInt8, 1) == "bytes"
    @test counted(Int, 1).value == 2
    @eval Counted{T}(x, ::Nothing) where {T} = 3
    mixed = [Base.invokelatest(counted, kinds[i % 5 + 1], i) for i in 1:10_000]
    @test all(i -> (mixed[i] == "bytes") == (kinds[i % 5 + 1] === UInt8), 1:10_000)
end
