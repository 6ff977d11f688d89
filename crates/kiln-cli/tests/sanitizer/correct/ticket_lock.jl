# A ticket lock, by Atomix.
using CUDA, Atomix, Test
function add!(total, next, now)
    if threadIdx().x == 1
        mine = (Atomix.@atomic next[1] += Int32(1)) - Int32(1)
        while (Atomix.@atomic now[1]) != mine
        end
        total[1] += blockIdx().x
        Atomix.@atomic now[1] = mine + Int32(1)
    end
    return
end
total = CUDA.zeros(Int, 1)
@cuda threads=8 blocks=30 add!(total, CUDA.zeros(Int32, 1), CUDA.zeros(Int32, 1))
@test Array(total) == [465]
