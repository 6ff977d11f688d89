# The fast Fourier transform by hand: each launch combines pairs of transforms of half the length, in order (Stockham).
using CUDA, Test

function butterflies!(out, in, half, sign)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x - 1
    pairs = length(in) ÷ 2
    if i < pairs
        k = i % half
        @inbounds a, b = in[i+1], in[i+pairs+1]
        b *= cispi(sign * Float32(k) / half)
        j = 2i - k
        @inbounds out[j+1], out[j+half+1] = a + b, a - b
    end
    return
end

function transform(x::CuVector{ComplexF32}, sign)
    n = length(x)
    ispow2(n) || throw(ArgumentError("the length is a power of two"))
    in, out = copy(x), similar(x)
    half = 1
    while half < n
        @cuda threads=256 blocks=cld(n ÷ 2, 256) butterflies!(out, in, half, sign)
        in, out = out, in
        half *= 2
    end
    return in
end

fft(x) = transform(x, -1)
ifft(x) = transform(x, 1) ./ length(x)

# A small one beside the sum of its definition.
small = CuArray(ComplexF32[sin(i) + im * cos(2i) / i for i in 1:64])
definition(x) = [sum(x[j+1] * cispi(-2 * j * k / length(x)) for j in 0:length(x)-1) for k in 0:length(x)-1]
@test Array(fft(small)) ≈ definition(Array(small))

# Two tones are two lines.
n = 2^16
t = CuArray(0:n-1)
signal = ComplexF32.(cospi.(2 .* 440 .* t ./ n) .+ 0.5 .* sinpi.(2 .* 1000 .* t ./ n))
spectrum = fft(signal)
power = abs2.(spectrum[1:n÷2]) ./ n^2
@test findall(power .> 1.0f-3) == CuArray([441, 1001])
@test isapprox(sum(abs2, spectrum) / n, sum(abs2, signal); rtol = 1e-5)         # Parseval
error = maximum(abs.(ifft(spectrum) .- signal))
@test error < 1e-5
println("fft: ", n, " points, peak ", argmax(power) - 1, " with ", maximum(power), ", energy ", sum(abs2, signal))
