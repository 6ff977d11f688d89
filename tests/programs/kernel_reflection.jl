# What kernels may ask of functions, types, modules and globals: it is known when they are compiled.
using CUDA, Test

module Inner
const z = 1
global open_one::Int
end

answers(kernel, args...) = (y = CUDA.fill(-1, 8); @cuda(kernel(y, args...)); Array(y))

function names!(y, f)
    y[1] = nameof(sin) === :sin
    y[2] = nameof(f) === :cos
    y[3] = nameof(typeof(1.0)) === :Float64
    y[4] = nameof(Inner) === :Inner
    y[5] = parentmodule(Inner) === Main
    y[6] = supertype(typeof(f)) === Function
    y[7] = typeof(f).name.wrapper === typeof(cos)
    y[8] = Base.typename(Vector{Int}).module === Core
    return
end
@test answers(names!, cos) == [1, 1, 1, 1, 1, 1, 1, 1]
@test answers(names!, tan) == [1, 0, 1, 1, 1, 1, 0, 1]

function defined!(y)
    y[1] = isdefined(Main, :defined!)
    y[2] = isdefined(Main, :not_yet)
    y[3] = isdefined(Inner, :z)
    y[4] = @isdefined(not_yet)
    y[5] = isdefined((1, 2), 2)
    y[6] = isdefined((1, 2), 3)
    y[7] = isdefined(Int, :instance)
    y[8] = isdefined(Nothing, :instance)
    return
end
@test answers(defined!) == [1, 0, 1, 0, 1, 0, 0, 1]
# The answer is of the world in which the kernel is launched.
not_yet = 1
@test answers(defined!) == [1, 1, 1, 1, 1, 0, 0, 1]

# What may be assigned while the kernel runs can not be asked about.
open!(y) = (y[1] = isdefined(Inner, :open_one); nothing)
failure = try answers(open!); nothing catch e; sprint(showerror, e) end
@test occursin("global-variable", failure)

# On the host the same, in functions that are compiled and in those that are not.
later_is_there() = isdefined(Main, :later)
function often(f, n)
    s = 0
    for i in 1:n
        s += f()
    end
    return s
end
@test often(later_is_there, 5000) == 0
later = 2
@test often(later_is_there, 5000) == 5000
@test nameof(sin) === :sin && nameof(often) === :often && nameof(Vector) === :Array
