# Compiled host code that launches kernels and looks at their arrays: itself, in callees, through typed globals, in `try`.
using CUDA
CUDA.allowscalar()

bump!(y) = (i = threadIdx().x; i <= length(y) && (y[i] += 1); return)
fails!(y) = (y[length(y) + threadIdx().x] = 1; return)

@noinline function total(a)
    s = 0
    for i in 1:length(a)
        s += a[i]
    end
    return s
end
@noinline untyped(x) = Base.inferencebarrier(x)

# Elements in the function that launches.
function in_place(n)
    a = CuArray(Base.zeros(Int, 8))
    s = 0
    for i in 1:n
        @cuda threads=8 bump!(a)
        i % 7 == 0 && (s += a[1 + i % 8]; a[2] = i)
        i % 11 == 0 && (s += total(a))
    end
    return s
end

# A callee launches, and its caller looks.
@noinline launch!(a) = (@cuda threads=8 bump!(a); nothing)
function in_callee(n)
    a = CuArray(Base.zeros(Int, 8))
    s = 0
    for i in 1:n
        launch!(a)
        i % 5 == 0 && (s += a[3] + total(a))
    end
    return s
end

# A call by dispatch launches.
function by_dispatch(n)
    a = CuArray(Base.zeros(Int, 8))
    f = untyped(launch!)
    s = 0
    for i in 1:n
        f(a)
        s += a[4]
    end
    return s
end

# Arrays of typed and untyped variables.
typed::CuArray{Int, 1, CUDA.DeviceMemory} = CuArray(Base.zeros(Int, 8))
const constant = CuArray(Base.zeros(Int, 8))
function of_globals(n)
    s = 0
    for i in 1:n
        s += typed[1] + constant[2] + total(typed)
    end
    return s
end

# What a launch threw comes where its array is looked at.
function caught(n)
    a = CuArray(Base.zeros(Int, 8))
    s = 0
    for i in 1:n
        try
            i % 4 == 0 ? (@cuda threads=1 fails!(a)) : (@cuda threads=8 bump!(a))
            s += a[1]
        catch e
            s += e isa BoundsError || e isa CUDA.KernelException ? 1000 : -1
        end
    end
    return s
end

# A callee that is redefined under a caller that launches.
@noinline part(a) = 0
@noinline function with_part(a)
    s = 0
    for i in 1:2
        launch!(a)
        s += part(a)
    end
    return s
end
for factor in 1:3
    @eval @noinline function part(a)
        s = 0
        for i in 1:length(a)
            s += $factor * a[i]
        end
        return s
    end
    for k in 1:1300
        with_part(CuArray(Base.zeros(Int, 8)))
    end
    println(with_part(CuArray(Base.zeros(Int, 8))), " ", 24factor)
end

for _ in 1:3
    println(in_place(2000), " ", in_callee(2000), " ", by_dispatch(2000))
    for _ in 1:3
        launch!(typed)
        launch!(constant)
        println(of_globals(3000))
    end
    println(caught(40))
end
