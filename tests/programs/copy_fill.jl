# Copies and fills of every kind of element: plain bits, objects, unions with a selector, elements without size, and
# lengths around the runs that `fill!` copies.
using Test

function filled(::Type{T}, v) where {T}
    for n in (0, 1, 2, 3, 64, 2047, 2048, 2049, 5000)
        a = fill!(Vector{T}(undef, n), v)
        @test all(x -> x === v, a)
        b = append!(copy(a), a)
        @test length(b) == 2n
        @test all(x -> x === v, b)
    end
end
filled(Int8, Int8(7))
filled(Float64, 7.0)
filled(Any, "text")
filled(String, "text")
filled(Union{Int, Nothing}, 7)
filled(Union{Int, Nothing}, nothing)
filled(Nothing, nothing)
filled(Tuple{Int, String}, (1, "a"))

# A range onto itself, either way.
a = collect(1:10)
@test copyto!(a, 3, a, 1, 8) == [1, 2, 1, 2, 3, 4, 5, 6, 7, 8]
@test copyto!(a, 1, a, 3, 8) == [1, 2, 3, 4, 5, 6, 7, 8, 7, 8]
insert!(a, 3, 99)
deleteat!(a, 1)
@test a == [2, 99, 3, 4, 5, 6, 7, 8, 7, 8]

# What is undefined is copied too.
u = Vector{Any}(undef, 3)
u[2] = 1
w = copy(u)
@test !isassigned(w, 1) && w[2] == 1 && !isassigned(w, 3)
fill!(w, 5)
unsafe_copyto!(w.ref, u.ref, 3)
@test !isassigned(w, 1) && w[2] == 1

# Compiled code that grows an array copies in its own way.
function grown(::Type{T}, n, f) where {T}
    v = T[]
    for i in 1:n
        push!(v, f(i))
    end
    v
end
@test sum(grown(Int, 100_000, identity)) == 5_000_050_000
@test sum(grown(Any, 5000, identity)) == 12_502_500
@test count(isnothing, grown(Union{Int, Nothing}, 5000, i -> iseven(i) ? nothing : i)) == 2500
