# Matrix units by the names of AMDGPU.jl, on the processor (MISSION L): the products are right with the element orders of RDNA 3
# and RDNA 4, which programs see.
using AMDGPU, Test
using BFloat16s: BFloat16
using AMDGPU.Device: WMMA_RDNA3, WMMA_RDNA4

matrix(T, m, n) = T.(rand(Int8(-4):Int8(4), m, n))

function product(W, a, b, c, m, n, k, ::Type{layout}, scale) where {layout}
    row, column = 16(workgroupIdx().x - 1), 16(workgroupIdx().y - 1)
    sum = W.fill_c(Float32, 0.0f0)
    for step in 0:16:k-1
        by_columns = layout === W.ColMajor
        x = W.load_a(pointer(a, 1 + (by_columns ? row + step * m : row * k + step)), by_columns ? m : k, layout)
        y = W.load_b(pointer(b, 1 + (by_columns ? step + column * k : step * n + column)), by_columns ? k : n, layout)
        sum = W.mma(x, y, sum)
    end
    W.store_d(pointer(c, 1 + row + column * m), sum .* scale, m, W.ColMajor)
    return
end
rdna3(c, a, b, m, n, k, layout, scale) = product(WMMA_RDNA3, a, b, c, m, n, k, layout, scale)
rdna4(c, a, b, m, n, k, layout, scale) = product(WMMA_RDNA4, a, b, c, m, n, k, layout, scale)

@testset "$W, $T, $R, $layout" for (W, kernel) in ((WMMA_RDNA3, rdna3), (WMMA_RDNA4, rdna4)), T in (Float16, BFloat16),
    R in (Float32, Float16), layout in (:ColMajor, :RowMajor)

    m, n, k = 32, 48, 32
    a, b = matrix(T, m, k), matrix(T, k, n)
    in_layout(x) = ROCArray(layout === :ColMajor ? x : permutedims(x))
    c = ROCArray(zeros(R, m, n))
    @roc gridsize = (m ÷ 16, n ÷ 16) groupsize = 32 kernel(c, in_layout(a), in_layout(b), m, n, k, getfield(W, layout), 0.5f0)
    @test Array(c) == R.(0.5f0 .* (Float32.(a) * Float32.(b)))
end

# An operation of 64 lanes is refused where waves have 32.
@testset "waves of 64" begin
    function cdna(out)
        one4 = ntuple(_ -> VecElement(Float16(1)), Val(4))
        zero4 = ntuple(_ -> VecElement(0.0f0), Val(4))
        @inbounds out[1] = AMDGPU.Device.mfma_f32_16x16x16f16(one4, one4, zero4)[1].value
        return
    end
    told = try
        @roc groupsize = 64 cdna(ROCArray(zeros(Float32, 1)))
        ""
    catch error
        sprint(showerror, error)
    end
    @test occursin("an operation of waves of 64 items", told)
end
