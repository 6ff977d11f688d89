# Wavefronts whose lanes go different ways: only lanes that come together take part.
using AMDGPU, Test
using AMDGPU: Device

function collect_kernel!(out, f)
    i = workitemIdx().x
    out[i] = f(Int(i))
    return
end
function lanes(f, T = Int; items = 32)
    out = ROCArray{T}(undef, items)
    @roc groupsize = items collect_kernel!(out, f)
    return Array(out)
end

@testset "diverged" begin
    @test lanes(i -> i > 2 ? Device.readfirstlane(i) : i) == [1; 2; fill(3, 30)]
    evens(i) = i % 2 == 0 ? Device.ballot_sync(0x00000000aaaaaaaa, i > 16) : UInt64(i)
    @test lanes(evens, UInt64) == [iseven(i) ? 0xaaaa0000 : i for i in 1:32]
    halves(i) = i <= 16 ? Device.wfred(+, i) : 100 + Device.shfl(i, Int32(20))
    @test lanes(halves) == [fill(136, 16); fill(121, 16)]
end
