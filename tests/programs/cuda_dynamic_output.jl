# What kernels print that launch kernels, in the order in which they are launched: CUDA.jl's own tests.
using CUDA

world() = (@cuprint("World!\n"); return)
function hello()
    @cuprint("Hello, ")
    @cuda dynamic=true world()
    return
end
@cuda hello()

function anonymous()
    @cuprint("Hello, ")
    f = () -> (@cuprint("anonymous!\n"); nothing)
    @cuda dynamic=true f()
    return
end
@cuda anonymous()

function closing()
    x = 1
    @cuprint("Hello, ")
    f = () -> (@cuprint("World $(x)!\n"); nothing)
    @cuda dynamic=true f()
    return
end
@cuda closing()

function itself(x::Bool)
    if x
        @cuprint("recurse ")
        @cuda dynamic=true itself(false)
    else
        @cuprint("stop\n")
    end
    return
end
@cuda itself(true)

function a(x::Bool)
    @cuprint("a ")
    @cuda dynamic=true b(x)
    return
end
function b(x::Bool)
    @cuprint("b ")
    @cuda dynamic=true c(x)
    return
end
function c(x::Bool)
    @cuprint("c ")
    if x
        @cuprint("recurse ")
        @cuda dynamic=true a(false)
    else
        @cuprint("stop\n")
    end
    return
end
@cuda a(true)

function streaming()
    @cuprint("Hello, ")
    s = CuDeviceStream()
    @cuda dynamic=true stream=s world()
    CUDA.unsafe_destroy!(s)
    return
end
@cuda streaming()

# Where arguments lie does not depend on what is before them.
child(x, foo, bar) = (x[] = sum(bar); return)
parent(x, foo, bar) = (@cuda dynamic=true child(x, foo, bar); return)
for (Foo, Bar) in [(Tuple{}, NTuple{8,Int}), (Tuple{Int32}, Tuple{Int16}),
                   (Tuple{Int16}, Tuple{Int32,Int8,Int16,Int64,Int16,Int16})]
    foo = (Any[T(i) for (i, T) in enumerate(Foo.parameters)]...,)
    bar = (Any[T(i) for (i, T) in enumerate(Bar.parameters)]...,)
    x, y = CUDA.zeros(Int, 1), CUDA.zeros(Int, 1)
    @cuda child(x, foo, bar)
    @cuda parent(y, foo, bar)
    println(sum(bar), " ", Array(x)[], " ", Array(y)[])
end

five(v1, v2, v3, v4, v5) = nothing
six(v1, v2, v3, v4, v5, v6) = nothing
main_five() = (@cuda threads=1 dynamic=true five(1, 1, 1, 1, 1); nothing)
main_six() = (@cuda threads=1 dynamic=true six(1, 1, 1, 1, 1, 1); nothing)
@cuda threads=1 main_five()
@cuda threads=1 main_six()
println("launched")
