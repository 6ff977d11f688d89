# Values of a few types in a kernel: each call of one is split by type, and the results meet again.
using KernelAbstractions, Test

# An `Int32` of the input or the `Int64` 0, compared and computed with.
@kernel function count_in_range!(bins, @Const(input), least, most)
    i = @index(Global)
    bin = i <= length(input) ? input[i] : 0
    if bin >= least && bin < most
        bin -= least - 1
        bins[bin] += 1
    end
end

@testset "a number of two types" begin
    bins = zeros(Int32, 4)
    count_in_range!(CPU(), 4)(bins, Int32[3, 9, 5, 4, 1, 6], 3, 7; ndrange = 16)
    @test bins == [1, 1, 1, 1]
end

struct Circle
    r::Float32
end
struct Square
    side::Float32
end
struct Nowhere end
area(it::Circle) = 3.0f0 * it.r^2
area(it::Square) = it.side^2
area(::Nowhere) = 0
shape(kind, size) = kind == 1 ? Circle(size) : kind == 2 ? Square(size) : Nowhere()

# Three types with a method each; the area is a `Float32` or an `Int64`.
@kernel function areas!(out, kinds, sizes)
    i = @index(Global)
    out[i] = area(shape(kinds[i], sizes[i]))
end

# Two of them at once.
overlap(a::Circle, b::Circle) = min(a.r, b.r)
overlap(a::Circle, b) = a.r
overlap(a, b) = -1.0f0
pair(kind, size) = kind == 1 ? Circle(size) : Square(size)
@kernel function overlaps!(out, kinds, sizes)
    i = @index(Global)
    j = length(kinds) - i + 1
    out[i] = overlap(pair(kinds[i], sizes[i]), pair(kinds[j], sizes[j]))
end

@testset "structs of several types" begin
    kinds, sizes = [1, 2, 3, 1], Float32[1, 2, 3, 4]
    out = zeros(Float32, 4)
    areas!(CPU(), 2)(out, kinds, sizes; ndrange = 4)
    @test out == [3, 4, 0, 48]
    overlaps!(CPU(), 2)(out, kinds, sizes; ndrange = 4)
    @test out == [1, -1, -1, 1]
end

# `nothing` or a number, through `isnothing`, `something` and a loop.
firstabove(a, least) = begin
    for x in a
        x > least && return x
    end
    return nothing
end
@kernel function searched!(out, table)
    i = @index(Global)
    found = firstabove(table, i)
    out[i] = isnothing(found) ? -1 : found
end

@testset "nothing or a number" begin
    out = zeros(Int, 4)
    searched!(CPU(), 2)(out, (2, 4, 1); ndrange = 4)
    @test out == [2, 4, 4, -1]
end
