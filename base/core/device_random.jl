# Random numbers in kernels: each item has a sequence of its own, which follows from the launch's seed, the item's number in
# the launch and how many numbers it has drawn. The host draws the seed, so `Random.seed!` there settles what kernels draw.
module DeviceRandom

import Base: Experimental, TaskLocalRNG, AbstractRNG, next_bits, random_value
import Base.Device: Device, local_linear, group_linear, local_size, shared_array
import Core.Intrinsics: kiln_kernel_state, bitcast, pointerref

# Of the launch record.
const LAUNCH = 4
const SEED = 504

# Not inlined: the driver knows by this call that a kernel draws.
@noinline function launch_seed()
    state = kiln_kernel_state()
    return (pointerref(bitcast(Ptr{UInt64}, state + SEED), 1, 0), pointerref(bitcast(Ptr{UInt32}, state + LAUNCH), 1, 0))
end
draw_seed() = next_bits(TaskLocalRNG()) % Int

# How many numbers the items of a group have drawn, in the group's memory, which is never cleared: a place that does not have
# the mark of its item and launch is not begun yet. Items of greater groups share places, each while it has one.
const PLACES = 1024
const Places = Tuple{Device.DeviceVector{UInt64, 3}, Device.DeviceVector{UInt64, 3}, Device.DeviceVector{UInt32, 3}}
@noinline places()::Places = (shared_array(UInt64, Val((PLACES,)), Val(:random_marks)),
    shared_array(UInt64, Val((PLACES,)), Val(:random_seeds)), shared_array(UInt32, Val((PLACES,)), Val(:random_counts)))

@inline item_number() = (group_linear() * (local_size(1) * local_size(2) * local_size(3)) + local_linear()) % UInt64
# Scatters bits: of equal length and invertible.
@inline function scattered(z::UInt64)
    z = (z ⊻ (z >> 30)) * 0xbf58476d1ce4e5b9
    z = (z ⊻ (z >> 27)) * 0x94d049bb133111eb
    return z ⊻ (z >> 31)
end

# Philox 2x32: ten rounds of a product's halves, keyed.
@inline function philox(counter::UInt32, stream::UInt32, key::UInt32)
    a, b = counter, stream
    for _ in 1:10
        p = UInt64(a) * 0x00000000d256d193
        a, b = ((p >> 32) % UInt32) ⊻ key ⊻ b, p % UInt32
        key += 0x9e3779b9
    end
    return (UInt64(a) << 32) | UInt64(b)
end

@noinline function item_bits()
    marks, seeds, counts = places()
    seed, launch = launch_seed()
    item = item_number()
    mark = scattered(scattered(seed ⊻ (UInt64(launch) << 32)) + item) | 0x0000000000000001
    at = local_linear() % PLACES + 1
    @inbounds begin
        if marks[at] != mark
            marks[at] = mark
            seeds[at] = seed
            counts[at] = 0x00000000
        end
        count = counts[at] + 0x00000001
        counts[at] = count
        key = seeds[at] + (item & 0xffffffff00000000)
        return philox(count, item % UInt32, (key ⊻ (key >> 32)) % UInt32)
    end
end
@noinline function seed_item(seed::UInt64)
    item_bits()
    marks, seeds, counts = places()
    at = local_linear() % PLACES + 1
    @inbounds seeds[at] = scattered(seed)
    @inbounds counts[at] = 0x00000000
    return nothing
end

let runtime = Core.Host.new_method_table(nothing)
    Experimental.@overlay runtime @inline Base.next_bits(::TaskLocalRNG) = item_bits()
    Experimental.@overlay runtime Base.seed!(::TaskLocalRNG, seed::Integer) = (seed_item(seed % UInt64); TaskLocalRNG())
    Experimental.@overlay runtime function Base.rand!(::TaskLocalRNG, a::AbstractArray, x)
        for i in eachindex(a)
            a[i] = random_value(TaskLocalRNG(), x)
        end
        return a
    end
end

end
