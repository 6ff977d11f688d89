# What a kernel knows by identity: symbols, types, `nothing` and `true`, alone and in unions, and constants of the program.
using CUDA, Test

@noinline named(i) = i == 1 ? :one : i == 2 ? :two : :many
@noinline typed(i) = i == 1 ? Int64 : i == 2 ? Float32 : Vector{Int64}
@noinline perhaps(i) = i == 1 ? nothing : i == 2 ? :two : missing
@noinline truth(i) = i == 1 ? true : i == 2 ? nothing : 3.0f0
@noinline mixed(i) = i == 1 ? Int64 : i == 2 ? i : :other

const TABLE = (10, 20, 30)
struct Settings
    scale::Float64
    kind::Symbol
    limits::NTuple{2,Int32}
end
const SETTINGS = Settings(0.5, :fast, (Int32(1), Int32(3)))

function identities!(out)
    i = Int(threadIdx().x)
    n, t, p, b, m = named(i), typed(i), perhaps(i), truth(i), mixed(i)
    word = n === :one ? 1 : n === :two ? 2 : n === :many ? 3 : 0
    word = 10word + (t === Int64 ? 1 : t === Float32 ? 2 : t === Vector{Int64} ? 3 : 0)
    word = 10word + (p === nothing ? 1 : p === :two ? 2 : p === missing ? 3 : 0)
    word = 10word + (b === true ? 1 : b === nothing ? 2 : b === 3.0f0 ? 3 : 0)
    word = 10word + (m === Int64 ? 1 : m === 2 ? 2 : m === :other ? 3 : 0)
    word = 10word + (m isa Int64 ? 1 : m isa Symbol ? 2 : 3)
    out[i] = word
    return
end

function constants!(out)
    i = Int(threadIdx().x)
    low, high = SETTINGS.limits
    out[i] = SETTINGS.kind === :fast && low <= i <= high ? SETTINGS.scale * TABLE[i] : 0.0
    return
end

@testset "identities" begin
    out = CUDA.zeros(Int, 3)
    @cuda threads = 3 identities!(out)
    @test Array(out) == [111113, 222221, 333332]
end

@testset "constants" begin
    out = CUDA.zeros(Float64, 3)
    @cuda threads = 3 constants!(out)
    @test Array(out) == [5.0, 10.0, 15.0]
end
