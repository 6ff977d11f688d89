# A transposition in place by all items, instead of by half of them.
using CUDA
function transpose!(a)
    i, j = threadIdx().x, threadIdx().y
    if i != j
        x = a[i, j] #: race
        a[j, i] = x #: race
    end
    return
end
@cuda threads=(8, 8) transpose!(CuArray(reshape(Float32.(1:64), 8, 8)))
