# Memory that each item has for itself is one place for all rows of a column: rows that use it do not run at once.
using KernelAbstractions, Test

@kernel function mixed!(c, @Const(a))
    x, y = @index(Local, NTuple)
    s = @localmem Float32 (16, 16)
    own = @private Float32 (16,)
    @inbounds s[x, y] = a[x, y]
    @synchronize
    for k in 1:16
        @inbounds own[(k * y) % 16 + 1] = s[x, k] * s[k, y]
    end
    total = 0f0
    for k in 1:16
        @inbounds total += k % 2 == 0 ? own[k] : own[17 - k]
    end
    @synchronize
    @inbounds c[x, y] = total
end

function on_host(a, x, y)
    own = zeros(Float32, 16)
    for k in 1:16
        own[(k * y) % 16 + 1] = a[x, k] * a[k, y]
    end
    total = 0f0
    for k in 1:16
        total += k % 2 == 0 ? own[k] : own[17 - k]
    end
    return total
end

# Odd rows write each place once.
a = Float32[(x * 31 + y * 17) % 101 / 7 for x in 1:16, y in 1:16]
c = zeros(Float32, 16, 16)
mixed!(CPU(), (16, 16))(c, a; ndrange = (16, 16))
KernelAbstractions.synchronize(CPU())
@test all(c[x, y] == on_host(a, x, y) for x in 1:16, y in 1:2:16)
