# An object that is stored in another one of its type, in a loop that is laid out before the other is made.
using Test

mutable struct Node
    n::Int
    next::Union{Nothing, Node}
end
function replaced(a::Int, b::Int)
    v = [a, b, 3]
    n = Node(a, nothing)
    for k in 1:5
        n.next = Node(k, nothing)
    end
    v[2] = n.next === nothing ? b : n.next.n
    v
end
function swapped(a::Int)
    v = Int[i for i in 1:3]
    x, y = Node(a, nothing), Node(-a, nothing)
    for k in 1:3
        x.next, y.next = Node(k, y.next), Node(-k, x.next)
    end
    push!(v, x.next.n, y.next.n, x.next.next.n)
end
for _ in 1:1500
    @test replaced(3, -7) == [3, 5, 3]
    @test swapped(2) == [1, 2, 3, 3, -3, -2]
end
