# Writes a project of many kernels to a directory: `project.jl DIR [COUNT]` makes DIR/main.jl, which includes files of
# 50 kernels each and launches every kernel once. No two kernels are the same code: each has constants of its own.
# A tenth of them calls a `@noinline` helper of its file; all of them call small ones that are inlined.

const EACH = 50

helpers(part) = """
    @inline shift_$part(x, k) = x * $(part)f0 + k
    @noinline function climb_$part(x, n)
        s = x
        for i in 1:n
            s = muladd(s, $(part / 64)f0, x / i)
        end
        return s
    end
    """

index() = "i = (blockIdx().x - 1) * blockDim().x + threadIdx().x"

function elementwise(name, part, c)
    """
    function $name(y, a, x)
        $(index())
        if i <= length(y)
            t = shift_$part(x[i], $(c)f0)
            y[i] = t > a ? sqrt(abs(t)) + a : t * t - $(c + 1)f0
        end
        return
    end
    """
end

function looping(name, part, c)
    """
    function $name(y, a, x)
        $(index())
        i <= length(y) || return
        s, p = $(c)f0, one(a)
        for j in 1:length(x)
            p *= a
            s += shift_$part(x[j], p) / $(c + 1)
        end
        y[i] = s
        return
    end
    """
end

function reducing(name, part, c)
    """
    function $name(y, a, x)
        shared = CuStaticSharedArray(Float32, 8)
        t = threadIdx().x
        shared[t] = shift_$part(x[t], a) + $(c)f0
        sync_threads()
        s = 4
        while s > 0
            t <= s && (shared[t] += shared[t + s])
            sync_threads()
            s ÷= 2
        end
        t == 1 && (y[1] = shared[1])
        return
    end
    """
end

function calling(name, part, c)
    """
    function $name(y, a, x)
        $(index())
        @inbounds y[i] = climb_$part(x[i], $(c % 7 + 2)) + shift_$part(a, $(c)f0)
        return
    end
    """
end

function kernel(n, part)
    kind = n % 10
    make = kind == 0 ? calling : kind < 3 ? reducing : kind < 6 ? looping : elementwise
    return make("kernel_$(n)!", part, n)
end

dir = ARGS[1]
count = length(ARGS) > 1 ? parse(Int, ARGS[2]) : 1000
mkpath(dir)
parts = cld(count, EACH)
for part in 1:parts
    numbers = (part - 1) * EACH + 1:min(part * EACH, count)
    open("$dir/part_$part.jl", "w") do file
        println(file, helpers(part))
        foreach(n -> println(file, kernel(n, part)), numbers)
        println(file, "function run_$part(y, x)")
        foreach(n -> println(file, "    @cuda threads=8 kernel_$(n)!(y, 1.5f0, x)"), numbers)
        println(file, "end")
    end
end
open("$dir/main.jl", "w") do file
    println(file, "using CUDA\nx, y = CUDA.ones(Float32, 8), CUDA.zeros(Float32, 8)")
    foreach(part -> println(file, "include(\"part_$part.jl\")"), 1:parts)
    foreach(part -> println(file, "run_$part(y, x)"), 1:parts)
    println(file, "println(Array(y))")
end
