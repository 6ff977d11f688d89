# Broadcasts into BitVectors: bits are put together a word at a time, and the last word may be part of one.
using Test
for n in (0, 1, 63, 64, 65, 130, 1000)
    v = collect(1:n)
    b = v .> 10
    @test b isa BitVector && length(b) == n
    @test collect(b) == [x > 10 for x in v]
    @test count(b) == max(0, n - 10)
    b .= .!b
    @test count(b) == min(n, 10)
    b .= b .| (v .== n)
    b .= false
    @test !any(b)
    b .= 1
    @test all(b)
end
@test (collect(1:3) .== (1:3)) == [true, true, true]
b = trues(3); 
@test_throws DimensionMismatch b .= [1,2] .> 0
@test_throws InexactError b .= [1, 2, 3] .+ 0
