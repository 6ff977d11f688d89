# Index arrays over ranges of two types are promoted to one type that inference knows.
using Test

for T in (CartesianIndices, LinearIndices)
    a, b = T((Base.OneTo(3),)), T((1:3,))
    x, y = @inferred promote(a, b)
    @test x === y && x isa T{1,Tuple{UnitRange{Int}}}
    c, d = T((Base.OneTo(3), 2:4)), T((1:3, 2:4))
    @test @inferred(promote(c, d))[1] isa T{2,Tuple{UnitRange{Int},UnitRange{Int}}}
end
