# Streams keep their order, events are in it, and the device says what it is.
using CUDA, Test

add!(y, x) = (i = threadIdx().x; y[i] += x; return)
twice!(y) = (i = threadIdx().x; y[i] *= 2; return)

@testset "streams" begin
    y = CuArray([1, 2, 3])
    s, t = CuStream(), CuStream(; flags = CUDA.STREAM_NON_BLOCKING)
    @cuda threads=3 stream=s add!(y, 1)
    @cuda threads=3 stream=s twice!(y)
    synchronize(s)
    @test CUDA.isdone(s) && Array(y) == [4, 6, 8]
    @test s != t && s == s && stream() == default_stream()
    stream!(t) do
        @test stream() == t
        @cuda threads=3 add!(y, 1)
    end
    @test stream() == default_stream()
    e = CuEvent()
    record(e, t)
    CUDA.wait(e, s)
    @test CUDA.isdone(e)
    synchronize(t)
    @test Array(y) == [5, 7, 9]
    @test CUDA.priority(s) in CUDA.priority_range()
    @test_throws ArgumentError CuStream(; priority = 17)
end

@testset "events" begin
    y = CuArray(zeros(Int, 64))
    start, stop = CuEvent(), CuEvent(CUDA.EVENT_DEFAULT)
    record(start)
    @cuda threads=64 add!(y, 1)
    record(stop)
    synchronize(stop)
    @test 0 < elapsed(start, stop) < 60
    @test elapsed(start, stop) ≈ -elapsed(stop, start)
    @test elapsed(start, start) == 0
    @test_throws ArgumentError elapsed(start, CuEvent())
    took = CUDA.@elapsed begin
        @cuda threads=64 add!(y, 1)
    end
    @test took isa Float32 && 0 < took < 60
    @test CUDA.@sync(@cuda(threads=64, add!(y, 1))) !== nothing
    device_synchronize()
    @test all(==(3), Array(y))
end

@testset "the device" begin
    d = device()
    @test !isempty(CUDA.name(d))
    @test v"3.0" <= capability(d) < v"20"
    @test attribute(d, CUDA.DEVICE_ATTRIBUTE_WARP_SIZE) == 32 == warpsize(d)
    @test attribute(d, CUDA.DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK) >= 64
    @test attribute(d, CUDA.DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT) >= 1
    @test totalmem(d) isa Int
end
