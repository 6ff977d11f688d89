# What most programs begin with, done when the library is loaded: calls resolved here are in the snapshot.
let n = 16
    macroexpand(KernelAbstractions, quote
        @kernel function scale!(y, @Const(x), a)
            i = @index(Global)
            @inbounds y[i] = a * x[i]
        end
    end)
    macroexpand(KernelAbstractions, quote
        @kernel function tiled!(out, @Const(a))
            i, j = @index(Global, NTuple)
            k = @index(Local, Linear)
            tile = @localmem eltype(out) (16,)
            tile[k] = a[i, j]
            @synchronize
            out[i, j] = tile[k]
        end
    end)
    x = KernelAbstractions.ones(CPU(), Float32, n)
    KernelAbstractions.zeros(CPU(), Float32, n, n), allocate(CPU(), Float32, n), get_backend(x)
end
