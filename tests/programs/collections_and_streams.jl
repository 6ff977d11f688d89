# Dictionaries, sets, missing values, tuples, enumerations, and streams in memory.
using Test

d = Dict("a" => 1, "b" => 2)
@test merge(Dict("a" => 1), Dict("b" => 2.5)) isa Dict{String, Float64} && mergewith(+, d, Dict("a" => 5))["a"] == 6
@test Dict((i, i^2) for i in 1:3) == Dict(1 => 1, 2 => 4, 3 => 9) && length(Dict(i => i for i in 1:5000)) == 5000
@test ismissing(Dict(1 => missing) == Dict(1 => missing)) && isequal(Dict(1 => missing), Dict(1 => missing))
@test_throws ArgumentError Dict(0)
@test_throws ErrorException ("a" in d)
@test IdDict(1 => 'a', 1.0 => 'b')[1.0] == 'b' && Base.ImmutableDict(:a => 1)[:a] == 1
p = Base.PersistentDict(:a => 1)
q = Base.PersistentDict(p, :b => 2)
@test length(p) == 1 && q[:b] == 2 && !haskey(Base.delete(q, :b), :b)

@test Set([1]) < Set([1, 2]) && !(Set([3]) <= Set([1, 2])) && union!([1, 2], [2, 3]) == [1, 2, 3] && symdiff([1, 2], [2, 3]) == [1, 3]
@test pop!(Set([0x01]), 1) === 0x01 && unique(x for x in Any[1, 2.0, 1]) isa Vector{Real} && allunique((0.0, -0.0)) && !allunique((NaN, NaN))
@test allunique(abs, [1, 2]) && !allunique(abs, [1, -1]) && allequal(abs, [1, -1])
@test replace([1, missing], missing => 0) isa Vector{Int} && replace((1, 2, 1), 1 => 3; count = 1) == (3, 2, 1)
@test replace!(x -> 2x, Set([1, 2])) == Set([2, 4])

@test ismissing(nand(missing, true)) && nand(missing, false) && ismissing(max("a", missing)) && zero(Union{Int, Missing}) === 0
@test collect(keys(skipmissing([1, missing, 2]))) == [1, 3] && filter(isodd, skipmissing([1, missing, 2])) == [1]
@test_throws MissingException skipmissing([missing])[1]
@test (missing, 1) != (missing, 2) && ismissing((1, missing) < (1, 2)) && ismissing(all((true, missing)))

@test sum((0xff, 0x01)) === UInt(256) && prod((Int8(100), Int8(100))) === 10000 && circshift((1, 2, 3), 1) == (3, 1, 2)
@test accumulate(+, (1, 2); init = 10) == (11, 13) && findlast(==(1), (a = 1, b = 1)) === :b
@test promote(1 => 1, 2 => 2.0) === (1 => 1.0, 2 => 2.0) && repr(sin ∘ !isnan) == "sin ∘ !isnan" && !(!isnan) === isnan
@test_throws ArgumentError map(+, (a = 1,), (b = 2,))

@enum Shape::UInt8 square = 4 triangle = 3
@test instances(Shape) == (square, triangle) && repr("text/plain", square) == "square::Shape = 0x04" && Integer(square) === 0x04
@test_throws ArgumentError Shape(5)
for bad in (:(@enum A1), :(@enum A2 x x), :(@enum A3 x = 1 y = 1), :(@enum A4 x = 1.0), :(@enum A5::Float64 x), :(@enum A6::Int8 x = 127 y))
    @test_throws Union{ArgumentError, LoadError} eval(bad)
end

io = IOBuffer("κb\r\nlast")
@test peek(io, Char) == 'κ' && mark(io) == 0 && readline(io) == "κb" && reset(io) == 0 && readline(io; keep = true) == "κb\r\n"
@test read(io, 2) == b"la" && position(skip(io, -1)) == 6 && read(io, String) == "ast" && eof(io)
@test_throws EOFError read(io, UInt8)
@test_throws ArgumentError write(io, "x")
io = IOBuffer(; maxsize = 3)
@test write(io, "abcd") == 3 && String(take!(io)) == "abc"
io = IOBuffer(UInt8[1, 2]; read = true, write = true, append = true)
write(io, 0x03)
@test read(io) == [1, 2, 3]
io = PipeBuffer("ab")
write(io, "c")
@test read(io, Char) == 'a' && String(take!(io)) == "bc"
@test_throws ArgumentError seek(io, 0)
@test read!(IOBuffer(UInt8[1, 0, 2, 0]), zeros(Int16, 2)) == [1, 2] && readuntil(IOBuffer("a--b"), "--") == "a" && collect(readeach(IOBuffer("ab"), Char)) == ['a', 'b']
@test sprint(printstyled_red -> printstyled(printstyled_red, "x"; color = :red), context = :color => true) == "\e[31mx\e[39m"
struct Doubling <: IO
    out::IOBuffer
end
Base.write(io::Doubling, b::UInt8) = write(io.out, b, b)
io = Doubling(IOBuffer())
print(io, "ab", 1)
@test String(take!(io.out)) == "aabb11"

@testset "positions count what was read and left the memory" begin
    io = Base.GenericIOBuffer(Memory{UInt8}(), true, true, false, true, 50, false)
    write(io, "ab")
    read(io, UInt16)
    write(io, "c"^60)
    @test position(io) == 2
    read(io, 40)
    mark(io)
    write(io, "d"^20)
    @test position(io) == 42 && read(io, 5) == codeunits("c"^5) && reset(io) == 42
end
@testset "trying again" begin
    calls = Ref(0)
    f = retry(x -> (calls[] += 1) < 3 ? error("no") : x; delays = [0.001, 0.001])
    @test f(7) == 7 && calls[] == 3
    @test_throws ErrorException retry(() -> error("no"); delays = ExponentialBackOff(n = 2), check = (s, e) -> false)()
    @test collect(ExponentialBackOff(n = 3, jitter = 0.0)) == [0.05, 0.25, 1.25]
end
