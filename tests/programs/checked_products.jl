# MISSION L: products that say whether they overflowed, of every width.
using Test, CUDA

square(o, a) = (o[1] = Base.Checked.checked_mul(a[1], a[1]); return)
for T in (Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64)
    root = floor(T, sqrt(Float64(typemax(T))) - 1)
    for v in (T(0), T(11), T(12), root, root + T(2), typemax(T) ÷ T(2), typemax(T), typemin(T))
        want = try Base.Checked.checked_mul(v, v) catch e; e isa OverflowError || rethrow(); nothing end
        o = CUDA.zeros(T, 1)
        got = try
            CUDA.@sync @cuda square(o, CuArray([v]))
            Array(o)[1]
        catch e
            e isa OverflowError || rethrow()
            nothing
        end
        @test got === want
    end
end

quotients(o, a) = (o[1] = a[1] * a[2]; return)
o = CuArray([0 // 1])
CUDA.@sync @cuda quotients(o, CuArray([2 // 3, 5 // 7]))
@test Array(o) == [10 // 21]
