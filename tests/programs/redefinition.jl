# Redefining a callee recompiles the kernel that uses it; a method defined in a running function waits for invokelatest.
using CUDA, Test

step(x) = x + 1
function apply!(a)
    i = threadIdx().x
    a[i] = step(a[i])
    return
end
a = CUDA.zeros(Int, 2)
@cuda threads=2 apply!(a)
@test Array(a) == [1, 1]
step(x) = 10x
@cuda threads=2 apply!(a)
@test Array(a) == [10, 10]

f() = 1
function old_and_new()
    @eval f() = 2
    return f(), Base.invokelatest(f)
end
@test old_and_new() == (1, 2)
