# A tiled product whose last tile is not full: nothing writes zeros where there is no element.
using KernelAbstractions

@kernel function product!(c, @Const(a), @Const(b), n)
    i, j = @index(Local, NTuple)
    I, J = @index(Global, NTuple)
    s = @localmem Float32 (4, 4)
    t = @localmem Float32 (4, 4)
    v = 0f0
    for k in 0:4:(n - 1)
        if I <= n && k + j <= n
            s[i, j] = a[I, k + j]
        end
        if k + i <= n && J <= n
            t[i, j] = b[k + i, J]
        end
        @synchronize
        for q in 1:4
            v += s[i, q] * t[q, j] #: uninitialized-read
        end
        @synchronize
    end
    if I <= n && J <= n
        c[I, J] = v
    end
end

n = 6
a, b, c = ones(Float32, n, n), ones(Float32, n, n), zeros(Float32, n, n)
product!(CPU(), (4, 4))(c, a, b, n; ndrange = (8, 8))
KernelAbstractions.synchronize(CPU())
