# Items draw tickets and are served in their order.
using CUDA, Test

function served!(order, count, next, serving)
    ticket = CUDA.atomic_add!(pointer(next), Int32(1))
    while CUDA.atomic_add!(pointer(serving), Int32(0)) != ticket
    end
    threadfence()
    count[1] += 1
    order[ticket + 1] = count[1]
    threadfence()
    CUDA.atomic_add!(pointer(serving), Int32(1))
    return
end

for (threads, blocks) in ((1, 1), (16, 4), (33, 3), (64, 20))
    n = threads * blocks
    order, count = CUDA.zeros(Int, n), CUDA.zeros(Int, 1)
    next, serving = CUDA.zeros(Int32, 1), CUDA.zeros(Int32, 1)
    @cuda threads blocks served!(order, count, next, serving)
    @test Array(order) == 1:n && Array(count) == [n] && Array(serving) == [n]
end
