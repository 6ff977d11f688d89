# MISSION L: what a broadcast assigns to, and what `@views` makes of an index: an element is itself, several are a view.
using Test, CUDA

a = [[1, 2, 3], [4, 5, 6]]
first_of_a = a[1]
a[1] .= 9
a[2] .+= a[1]
@test a == [[9, 9, 9], [13, 14, 15]] && a[1] === first_of_a
b = Any[[1, 2], 4]
b[1] .= [7, 8]
@test b == Any[[7, 8], 4]
c = [CuArray([1, 2, 3]), CuArray([4, 5, 6])]
c[1] .= c[2]
c[1] .+= c[2]
@test Array(c[1]) == [8, 10, 12]
m = [1 2; 3 4]
m[1, :] .= 0
m[CartesianIndex(2, 1):CartesianIndex(2, 2)] .= 5
@test m == [0 0; 5 5]

mutable struct Holder
    v::Vector{Int}
    d
end
h = Holder([1, 2], CuArray([1.0, 2.0]))
h.v .= 5
h.d .*= 2
[h][1].v .+= 1
@test h.v == [6, 6] && Array(h.d) == [2.0, 4.0]

total(x) = @views begin
    s = 0
    for i in eachindex(x)
        s += x[i]
    end
    s + sum(x[2:end])
end
@test total([1, 2, 3]) == 11
o = [[1, 2], [3, 4]]
@views o[2][1:1] .= 100
@test o == [[1, 2], [100, 4]]

bits(y) = (CUDA.@atomic y[1] ⊻= 5; CUDA.@atomic y[2] |= 6; return)
y = CuArray([1, 1])
@cuda bits(y)
@test Array(y) == [4, 7]
