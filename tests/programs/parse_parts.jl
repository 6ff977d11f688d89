# Complex numbers whose parts have signs of their own; parts of texts.
using Test, Serialization

@test parse(Complex{Int}, " 1 - -1im ") === 1 + 1im
@test parse(ComplexF64, "-1e-3+-2E+2j") === -1e-3 - 2e2im
@test parse(ComplexF64, "inf-nanim") === Complex(Inf, -NaN)
@test tryparse(Complex{Int}, "++4im") === nothing && tryparse(Complex{Int}, "1im-3im") === nothing
@test Base.tryparse_internal(Int, "ab12cd", 3, 4, 10, false) === 12
@test_throws ArgumentError Base.tryparse_internal(Bool, "foo", 1, 2, 10, true)

# Types of programs are serialized by their bits.
@enum Fruit::UInt8 apple = 1 pear
primitive type Three 24 end
io = IOBuffer()
serialize(io, pear)
serialize(io, 'x')
seekstart(io)
@test deserialize(io) === pear && deserialize(io) === 'x'
@test_throws ArgumentError serialize(io, reinterpret(Three, (0x01, 0x02, 0x03)))
@test (Vector{Fruit}(undef, 2) .= apple) == [apple, apple]
