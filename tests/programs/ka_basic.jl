# KernelAbstractions on the CPU: every form of @index, sizes static and dynamic, ranges that are no multiple of the group.
using KernelAbstractions, Test
using KernelAbstractions: @atomic

@kernel function indices!(linear, cartesian, ntuple, group, inside)
    I = @index(Global, Linear)
    C = @index(Global, Cartesian)
    i, j = @index(Global, NTuple)
    linear[I] = I
    cartesian[C] = C[1] + 100 * C[2]
    ntuple[i, j] = i * j
    group[i, j] = @index(Group, Linear)
    inside[i, j] = @index(Local, Linear)
end

backend = CPU()
for (k, range) in ((indices!(backend, (4, 2)), (10, 7)), (indices!(backend, (4, 2), (10, 7)), nothing), (indices!(backend), (10, 7)))
    arrays = ntuple(_ -> KernelAbstractions.zeros(backend, Int, 10, 7), 5)
    range === nothing ? k(arrays...) : k(arrays...; ndrange = range)
    KernelAbstractions.synchronize(backend)
    linear, cartesian, products, group, inside = arrays
    @test linear == reshape(1:70, 10, 7)
    @test cartesian == [i + 100j for i in 1:10, j in 1:7]
    @test products == [i * j for i in 1:10, j in 1:7]
    @test minimum(group) >= 1 && minimum(inside) >= 1
end

# Locals survive barriers, and items out of range still reach them.
@kernel function reverse_groups!(out, @Const(x))
    I = @index(Global, Linear)
    i = @index(Local, Linear)
    n = @uniform prod(@groupsize())
    tile = @localmem Float32 (16,)
    mine = 2 * x[I]
    tile[i] = mine
    @synchronize
    other = n - i + 1
    out[I] = mine + (I - i + other <= length(x) ? tile[other] : 0.0f0)
end
x = Float32.(1:40)
out = KernelAbstractions.zeros(backend, Float32, 40)
reverse_groups!(backend, 16)(out, x; ndrange = 40)
expected = map(1:40) do I
    first = 16 * ((I - 1) ÷ 16)
    partner = first + 16 - (I - first) + 1
    2 * x[I] + (partner <= 40 ? 2 * x[partner] : 0.0f0)
end
@test out == expected

@kernel function count_even!(total, @Const(x))
    I = @index(Global)
    if iseven(x[I])
        @atomic total[1] += 1
    end
end
total = zeros(Int, 1)
count_even!(backend, 32)(total, collect(1:1000); ndrange = 1000)
@test total[1] == 500
@test get_backend(total) isa CPU

# An item may return early; a kernel may end with `return nothing`.
@kernel function first_half!(x)
    i = @index(Global)
    if i > length(x) ÷ 2
        return
    end
    x[i] = 1
    return nothing
end
x = zeros(Int, 10)
first_half!(CPU(), 4)(x; ndrange = length(x))
@test x == [1, 1, 1, 1, 1, 0, 0, 0, 0, 0]
