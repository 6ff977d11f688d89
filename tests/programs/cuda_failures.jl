# What fails in a kernel is the Julia exception on the host, and the process lives on.
using CUDA, Test

function out_of_bounds!(a)
    i = threadIdx().x
    a[i + 3] = 1
    return
end
a = CUDA.zeros(Int, 4)
@test_throws BoundsError CUDA.@sync @cuda threads=4 out_of_bounds!(a)

function divide!(a, d)
    i = threadIdx().x
    a[i] = 10 ÷ d[i]
    return
end
@test_throws DivideError CUDA.@sync @cuda threads=4 divide!(a, CuArray([1, 2, 0, 4]))

function narrow!(a, x)
    a[1] = Int(x)
    return
end
@test_throws InexactError CUDA.@sync @cuda narrow!(a, 1.5)
@cuda narrow!(a, 7.0)
@test Array(a)[1] == 7

function complain!(x)
    x > 3 && error("x is too large: $x")
    return
end
@cuda complain!(3)
err = try
    CUDA.@sync @cuda complain!(5)
catch e
    e
end
@test err isa ErrorException
@test err.msg == "x is too large: 5"

# Other items of the launch have run.
function some_fail!(a)
    i = threadIdx().x
    a[i] = 1
    i == 2 && a[100]
    return
end
a = CUDA.zeros(Int, 8)
@test_throws BoundsError CUDA.@sync @cuda threads=8 some_fail!(a)
@test sum(Array(a)) == 8
