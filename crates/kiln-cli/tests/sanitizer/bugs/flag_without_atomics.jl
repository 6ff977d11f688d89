# Groups hand on a value through a plain flag.
using CUDA
function chain!(value, flag)
    b = blockIdx().x
    if threadIdx().x == 1
        if b > 1
            while flag[b - 1] == 0 #: race
            end
        end
        flag[b] = 1 #: race
    end
    return
end
@cuda threads=1 blocks=3 chain!(CUDA.zeros(1), CUDA.zeros(Int32, 3))
