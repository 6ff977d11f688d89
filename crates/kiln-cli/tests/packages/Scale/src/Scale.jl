# A package whose kernel is tested: y *= a.
module Scale

using CUDA, Shared

export scale!

function kernel!(y, a)
    i = Shared.index()
    i <= length(y) && (@inbounds y[i] *= a)
    return
end

function scale!(y, a; threads = 256)
    @cuda threads=threads blocks=cld(length(y), threads) kernel!(y, a)
    return y
end

end
