# A block waits for nothing: it reads what another block leaves, in the hope that that one came first.
using CUDA

function chain!(y, done)
    b = blockIdx().x
    if threadIdx().x == 1
        if b > 1 && done[b - 1] == 1 #: race
            y[b] = y[b - 1] + 1 #: race
        else
            y[b] = 1 #: race
        end
        done[b] = 1 #: race
    end
    return
end

y, done = CUDA.zeros(Int32, 8), CUDA.zeros(Int32, 8)
@cuda threads=32 blocks=8 chain!(y, done)
synchronize()
