# Every item of every group takes one lock in turn, and counts while it has it.
using CUDA, Test

function counted!(count, lock)
    while CUDA.atomic_cas!(pointer(lock), Int32(0), Int32(1)) != Int32(0)
    end
    threadfence()
    count[1] += 1
    threadfence()
    CUDA.atomic_xchg!(pointer(lock), Int32(0))
    return
end

# Each item takes the lock some times, of its own number, and works on several values under it.
function moved!(accounts, lock, turns)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    for turn in 1:turns[i]
        from, to = mod(i + turn, 8) + 1, mod(3i + turn, 8) + 1
        while CUDA.atomic_cas!(pointer(lock), Int32(0), Int32(1)) == Int32(1)
        end
        threadfence()
        accounts[from] -= turn
        accounts[to] += turn
        threadfence()
        CUDA.atomic_xchg!(pointer(lock), Int32(0))
    end
    return
end

for (threads, blocks) in ((1, 1), (33, 3), (64, 20), (256, 8))
    count, lock = CUDA.zeros(Int, 1), CUDA.zeros(Int32, 1)
    @cuda threads blocks counted!(count, lock)
    @test Array(count) == [threads * blocks] && Array(lock) == [0]
end

turns = [i % 5 for i in 1:64 * 6]
accounts, lock = CuArray(fill(100, 8)), CUDA.zeros(Int32, 1)
@cuda threads=64 blocks=6 moved!(accounts, lock, CuArray(turns))
want = fill(100, 8)
for i in eachindex(turns), turn in 1:turns[i]
    want[mod(i + turn, 8) + 1] -= turn
    want[mod(3i + turn, 8) + 1] += turn
end
@test Array(accounts) == want
