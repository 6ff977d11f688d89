# BitArray keeps eight elements in a byte through all that changes its length; BitSet does so for sets.
using Test

@testset "growing and shrinking" begin
    b, v = falses(0), Bool[]
    for i in 1:150
        push!(b, i % 3 == 0)
        push!(v, i % 3 == 0)
    end
    @test b == v && sizeof(b.chunks) == 24
    for change! in (x -> deleteat!(x, 70), x -> insert!(x, 64, true), popfirst!, pop!, x -> splice!(x, 60:70, [true, false]),
            x -> deleteat!(x, [1, 65, 100]), x -> append!(x, [true, true]), x -> prepend!(x, [false]), x -> keepat!(x, 2:90))
        change!(b)
        change!(v)
        @test b == v
    end
    @test count(b) == count(v) && findall(b) == findall(v) && findnext(b, 50) == findnext(v, 50)
    @test b >> 3 == [falses(3); b[1:(end - 3)]]
    @test circshift(b, 7) == circshift(v, 7) && reverse(b) == reverse(v)
    @test_throws BoundsError deleteat!(b, 1000)
end
@testset "words" begin
    a, b = rand(Bool, 130), rand(Bool, 130)
    x, y = BitVector(a), BitVector(b)
    @test (x .& y) == (a .& b) && map(xor, x, y) == map(xor, a, b) && .!x == .!a
    @test vcat(x, y) == vcat(a, b) && hcat(x, y) == hcat(a, b)
    @test x[5:100] == a[5:100] && all(trues(65)) && !any(falses(65))
    @test reshape(x, 10, 13)[3, 4] == reshape(a, 10, 13)[3, 4]
end
@testset "sets" begin
    s = BitSet([3, -70, 200])
    @test collect(s) == [-70, 3, 200] && 3 in s && !(4 in s)
    @test union(s, [4]) == BitSet([-70, 3, 4, 200])
    @test intersect(s, BitSet([3, 5])) == BitSet(3)
    @test symdiff(s, BitSet([3, 5])) == BitSet([-70, 5, 200])
    @test pop!(s) == 200 && popfirst!(s) == -70 && length(s) == 1
    @test_throws KeyError pop!(s, 17)
end
@testset "ranges of Bool are masks" begin
    for v in ([1], [true], trues(1))
        @test length(deleteat!(v, false:false)) == 1
        @test isempty(deleteat!(v, true:true))
    end
    @test_throws BoundsError deleteat!(trues(3), true:true)
    @test_throws BoundsError deleteat!([1, 2, 3], true:true)
end
