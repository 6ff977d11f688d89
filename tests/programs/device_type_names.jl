# Types of device arrays show by the names that the dialect in use exports.
using CUDA, Test

a = cudaconvert(CUDA.zeros(4))
@noinline refuses(x) = error("no")
@testset "names of device arrays" begin
    @test string(typeof(a)) == "CuDeviceVector{Float32, 1}"
    @test string(CuDeviceArray{Float64, 3, 1}) == "CuDeviceArray{Float64, 3, 1}" && string(CuDeviceArray) == "CuDeviceArray"
    @test startswith(string(typeof(view(a, 1:2))), "SubArray{Float32, 1, CuDeviceVector{Float32, 1}")
    text = try
        refuses(a)
    catch
        sprint(Base.show_backtrace, catch_backtrace())
    end
    @test occursin("refuses(x::CuDeviceVector{Float32, 1})", text)
    @test string(Float64) == "Float64" && string(Vector{Float64}) == "Vector{Float64}"
end
