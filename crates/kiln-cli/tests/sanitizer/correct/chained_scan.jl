# Groups in a chain: each waits for the one before it, with acquire and release.
using KernelAbstractions, UnsafeAtomics, Test
@kernel function chain!(y, flags)
    g = @index(Group)
    l = @index(Local)
    if l == 1
        if g > 1
            while UnsafeAtomics.load(pointer(flags, g - 1), UnsafeAtomics.acquire) == 0
            end
            y[g] = y[g - 1] + 1
        else
            y[g] = 1
        end
        UnsafeAtomics.store!(pointer(flags, g), Int32(1), UnsafeAtomics.release)
    end
end
y = zeros(Int, 1000)
chain!(CPU(), 4)(y, zeros(Int32, 1000); ndrange = 4000)
@test y == 1:1000
