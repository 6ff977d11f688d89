# Launches return at once; their results surface at synchronizations: of streams, events, arrays, and at the end.
using CUDA
function slow!(y, n)
    x = y[1]
    for _ in 1:n
        x = x * 0x5851f42d4c957f2d + 0x14057b7ef767814f
    end
    y[1] = x
    return
end
beyond!(y) = (y[length(y) + 1] = 0; return)
tell(i) = (@cuprintln("item of launch ", i); return)
add!(y, x) = (y[threadIdx().x] += x; return)
thrown(f) = try f(); nothing catch e; typeof(e) end

y, z, s, t = CuArray(UInt64[1]), CuArray([1, 2]), CuStream(), CuStream()
@cuda stream=s slow!(y, 1)
synchronize(s)
@cuda stream=s slow!(y, 500_000_000)
println("over at once: ", CUDA.isdone(s))
@cuda threads=2 stream=t add!(z, 5)
println("another stream: ", Array(z))
synchronize(s)
println("over: ", CUDA.isdone(s), " ", CUDA.isdone(t))

@cuda tell(1)
@cuda tell(2)
println("launched")
synchronize()
@cuda stream=s tell(3)
synchronize(t)
println("not the stream that was waited for")
synchronize(s)

# The first failure of those there are; later launches have run.
@cuda beyond!(z)
@cuda threads=2 add!(z, 1)
@cuda beyond!(y)
println(thrown(synchronize), " ", thrown(synchronize), " ", Array(z))
@cuda beyond!(z)
println(thrown(() -> Array(y)), " ", thrown(() -> Array(z)), " ", Array(z))
e = CuEvent()
@cuda stream=s beyond!(z)
record(e, s)
println(thrown(() -> synchronize(t)), " ", thrown(() -> synchronize(e)), " ", thrown(() -> synchronize(e)))
@cuda threads=2 stream=s add!(z, 1)
@cuda threads=2 stream=t add!(z, 1)
println("in the order of launches: ", Array(z))
@cuda tell(4)
@cuda beyond!(z)
println("the end")
