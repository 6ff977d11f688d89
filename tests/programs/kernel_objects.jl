# Objects that kernels make and that outlive the function they are made in: in memory of the launch, on every device.
using CUDA, Test

mutable struct Node
    value::Int
    next::Union{Nothing,Int32}
    flag::Bool
end
@noinline made(n) = Node(n, nothing, false)
@noinline function change!(node, i)
    node.value += i
    node.next = Int32(i)
    node.flag = true
    return nothing
end

function makes!(out)
    i = threadIdx().x
    node = made(10i)
    change!(node, i)
    out[i] = node.value + (node.next === nothing ? 1000 : Int(node.next)) + (node.flag ? 100 : 0)
    return
end

@testset "a mutable struct" begin
    out = CUDA.zeros(Int, 64)
    @cuda threads = 64 makes!(out)
    @test Array(out) == [12i + 100 for i in 1:64]
end

# Others see what one writes, also through an object that holds the object.
struct Holder
    cell::Base.RefValue{Int}
    scale::Int
end
@noinline holder(n) = Holder(Ref(Int(n)), 2)
@noinline add!(h, n) = (h.cell[] += h.scale * n; h.cell)
function holds!(out)
    i = threadIdx().x
    h = holder(i)
    cell = add!(h, 5)
    cell[] += 1
    out[i] = h.cell[] + (cell === h.cell ? 100 : 0) + (cell === Ref(Int(i)) ? 1000 : 0)
    return
end

@testset "an object in a struct" begin
    out = CUDA.zeros(Int, 32)
    @cuda threads = 32 holds!(out)
    @test Array(out) == [i + 111 for i in 1:32]
end

# A list, each node an object that refers to another.
mutable struct Link
    value::Int
    rest::Link
    Link(value) = (link = new(value); link.rest = link; link)
    Link(value, rest) = new(value, rest)
end
@noinline cons(value, rest) = Link(value, rest)
function lists!(out)
    i = threadIdx().x
    list = Link(0)
    for n in 1:i
        list = cons(n, list)
    end
    sum = 0
    while list.rest !== list
        sum += list.value
        list = list.rest
    end
    out[i] = sum
    return
end

@testset "a list" begin
    out = CUDA.zeros(Int, 32)
    @cuda threads = 32 lists!(out)
    @test Array(out) == [sum(1:i) for i in 1:32]
end

# An object takes a multiple of 16 bytes. The item that finds no room fails, the others run, and the next launch has it all.
@noinline cell(n) = Ref(Int(n))
function fills!(out, count)
    i = threadIdx().x
    for _ in 1:count
        out[i] = cell(i)[]
    end
    return
end

@testset "memory" begin
    out = CUDA.zeros(Int, 16)
    @cuda threads = 16 heap_bytes = 16 * 16 * 4 fills!(out, 4)
    @test Array(out) == 1:16
    @test_throws OutOfMemoryError CUDA.@sync @cuda threads = 16 heap_bytes = 16 * 16 * 4 fills!(out, 5)
    fill!(out, 0)
    @cuda threads = 16 heap_bytes = 16 * 16 * 4 fills!(out, 4)
    @test Array(out) == 1:16
    @test_throws ArgumentError CUDA.@sync @cuda threads = 16 heap_bytes = 0 fills!(out, 4)
end

# Assignments convert, with a check where the value may not fit, also where all fields are of one type.
mutable struct Pair32
    a::Int32
    b::Int32
end
@noinline count!(r) = (r[] += 1; nothing)
function narrows!(out)
    i = threadIdx().x
    pair, item, byte, whole = Pair32(1, 2), Ref(i), Ref(0x01), Ref(1)
    pair.a += 1
    pair.b = i
    count!(item)
    byte[] = Int32(7)
    whole[] = UInt64(4)
    whole[] += Float32(2)
    out[i] = pair.a + pair.b + item[] + byte[] + whole[]
    return
end

@testset "conversions" begin
    out = CUDA.zeros(Int, 4)
    @cuda threads = 4 narrows!(out)
    @test Array(out) == [18, 20, 22, 24]
end
