# Two items of a group take turns: each waits for the other many times.
using CUDA, Test

function turns!(log, ball, n)
    me = Int32(threadIdx().x - 1)
    for turn in 0:n - 1
        turn % 2 == me || continue
        while CUDA.atomic_or!(pointer(ball), Int32(0)) != turn
        end
        threadfence()
        log[turn + 1] = 10turn + me
        threadfence()
        CUDA.atomic_add!(pointer(ball), Int32(1))
    end
    return
end

log, ball = CUDA.zeros(Int, 40), CUDA.zeros(Int32, 1)
@cuda threads=2 turns!(log, ball, 40)
@test Array(log) == [10t + t % 2 for t in 0:39]
