# Matrix units of CDNA by the names of AMD's instructions, on a processor that imitates a GPU with waves of 64 (MISSION L). The
# order of the elements is written here again, from AMD's manuals: A has `row = l % n`, and so on.
using AMDGPU, Test
using BFloat16s: BFloat16

matrix(T, m, n) = T.(rand(Int8(-4):Int8(4), m, n))
carried(x::Float16) = x
carried(x::BFloat16) = reinterpret(Int16, x)

# One n x n product of depth 4 * (64 / n), by one wave.
function of_halves(op, d, a, b, c, ::Val{n}) where {n}
    lane = Int(AMDGPU.Device.activelane())
    across, block = lane % n, lane ÷ n
    x = ntuple(e -> VecElement(carried(@inbounds a[1+across, 4block+e])), Val(4))
    y = ntuple(e -> VecElement(carried(@inbounds b[4block+e, 1+across])), Val(4))
    row(e) = 1 + (e - 1) ÷ 4 * 4 * (64 ÷ n) + 4block + (e - 1) % 4
    z = ntuple(e -> VecElement(@inbounds c[row(e), 1+across]), Val(n * n ÷ 64))
    sums = op(x, y, z)
    for e in 1:n*n÷64
        @inbounds d[row(e), 1+across] = sums[e].value
    end
    return
end
function of_singles(op, d, a, b, c, ::Val{n}) where {n}
    lane = Int(AMDGPU.Device.activelane())
    across, block = lane % n, lane ÷ n
    row(e) = 1 + (e - 1) ÷ 4 * 4 * (64 ÷ n) + 4block + (e - 1) % 4
    z = ntuple(e -> VecElement(@inbounds c[row(e), 1+across]), Val(n * n ÷ 64))
    sums = op((@inbounds a[1+across, 1+block]), (@inbounds b[1+block, 1+across]), z)
    for e in 1:n*n÷64
        @inbounds d[row(e), 1+across] = sums[e].value
    end
    return
end
D = AMDGPU.Device
@testset "$op" for (op, n, T) in ((D.mfma_f32_16x16x16f16, 16, Float16), (D.mfma_f32_32x32x8f16, 32, Float16),
    (D.mfma_f32_16x16x16bf16_1k, 16, BFloat16), (D.mfma_f32_32x32x8bf16_1k, 32, BFloat16),
    (D.mfma_f32_16x16x4f32, 16, Float32), (D.mfma_f32_32x32x2f32, 32, Float32))

    k = (T === Float32 ? 1 : 4) * (64 ÷ n)
    a, b, c = matrix(T, n, k), matrix(T, k, n), matrix(Float32, n, n)
    d = ROCArray(zeros(Float32, n, n))
    @roc groupsize = 64 (T === Float32 ? of_singles : of_halves)(op, d, ROCArray(a), ROCArray(b), ROCArray(c), Val(n))
    @test Array(d) == Float32.(a) * Float32.(b) + c
end
