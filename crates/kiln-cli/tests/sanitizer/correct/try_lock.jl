# A lock that an item tries for, with the orders of UnsafeAtomics.
using KernelAbstractions, Atomix, Test
using UnsafeAtomics
@kernel function add!(total, lock)
    done = false
    while !done
        if UnsafeAtomics.cas!(pointer(lock), Int32(0), Int32(1), UnsafeAtomics.acq_rel, UnsafeAtomics.monotonic).success
            total[1] += 1
            UnsafeAtomics.store!(pointer(lock), Int32(0), UnsafeAtomics.release)
            done = true
        end
    end
end
total, lock = zeros(Int, 1), zeros(Int32, 1)
add!(CPU(), 16)(total, lock; ndrange = 64)
@test total == [64]
