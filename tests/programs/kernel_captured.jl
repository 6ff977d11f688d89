# Variables that closures capture, and objects that only the kernel sees: none of them is allocated.
using KernelAbstractions, Test

@noinline call(f) = f()

# Assigned once before it is captured, each loop's variable anew: captured by value, also by a closure that is passed on.
@kernel function by_value!(out)
    i = @index(Global)
    sum = 0
    for j in 1:2
        sum += call(() -> 10 * j)
    end
    once = i > 2 ? 1 : 2
    sum += call(() -> once)
    let inner = i
        sum += call(() -> inner)
    end
    out[i] = sum
end

@testset "captured by value" begin
    out = zeros(Int, 4)
    by_value!(CPU(), 2)(out; ndrange = 4)
    @test out == [33, 34, 34, 35]
end

# Assigned again, by the closure or around it: `Core.Box` in the program, an ordinary variable in the kernel.
@kernel function counted!(out)
    i = @index(Global)
    c = 0
    f = () -> (c += i)
    f()
    f()
    out[i] = c
end

@kernel function in_a_loop!(out)
    i = @index(Global)
    total = 0.0f0
    count = 0
    add = x -> (total += x; count += 1)
    for j in 1:i
        add(Float32(j))
    end
    if count > 2
        total = -total
    end
    out[i] = total / count
end

# Assigned after the closure was made, on some ways only, and of a declared type.
@kernel function later!(out)
    i = @index(Global)
    local x::Int
    x = 1
    show = () -> x
    if i > 2
        x = 2.0
    end
    for _ in 1:2
        x += show()
    end
    out[i] = x
end

# A function with a loop, whose own variable the closure changes.
function steps(n)
    left = n
    taken = 0
    step = function ()
        left = iseven(left) ? left ÷ 2 : 3left + 1
        taken += 1
        return nothing
    end
    while left != 1
        step()
    end
    return taken
end
@kernel function collatz!(out)
    i = @index(Global)
    out[i] = steps(i)
end

@testset "captured and assigned again" begin
    out = zeros(Int, 4)
    counted!(CPU(), 2)(out; ndrange = 4)
    @test out == [2, 4, 6, 8]
    means = zeros(Float32, 4)
    in_a_loop!(CPU(), 2)(means; ndrange = 4)
    @test means == [1, 1.5, -2, -2.5]
    later!(CPU(), 2)(out; ndrange = 4)
    @test out == [4, 4, 8, 8]
    collatz!(CPU(), 2)(out; ndrange = 4)
    @test out == [steps(n) for n in 1:4] == [0, 1, 7, 2]
end

mutable struct Walker
    at::Int
    far::Float32
    Walker(at) = (it = new(); it.at = at; it.far = 0.0f0; it)
end
move!(w, by) = (w.at += by; w.far += abs(by); w)

# Objects that do not escape are their fields, made whole or field by field.
@kernel function walked!(out)
    i = @index(Global)
    n = Ref(0)
    w = Walker(i)
    for j in 1:3
        move!(w, isodd(j) ? j : -j)
        n[] += w.at
    end
    out[i] = n[] + w.far
end

@testset "objects of the kernel's own" begin
    out = zeros(Float32, 4)
    walked!(CPU(), 2)(out; ndrange = 4)
    @test out == [3i + (1 - 1 + 2) + 6 for i in 1:4]
end

weight(x::Int) = x + 1
@kernel function weighed!(out)
    i = @index(Global)
    c = 0
    f = () -> (c += weight(c))
    f()
    f()
    out[i] = c
end

# The call of `weight` is resolved after inference; a new method is seen all the same.
@testset "a late call depends on its method" begin
    out = zeros(Int, 2)
    weighed!(CPU(), 2)(out; ndrange = 2)
    @test out == [3, 3]
    @eval weight(x::Int) = 10
    @eval weighed!(CPU(), 2)($out; ndrange = 2)
    @test out == [20, 20]
end
