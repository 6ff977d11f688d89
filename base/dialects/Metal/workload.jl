# What most programs begin with, done when the library is loaded: calls resolved here are in the snapshot.
let n = 16, a = 3.0f0
    x, y = Metal.ones(Float32, n), MtlArray(Base.fill(2.0f0, n))
    Metal.zeros(Float32, n), Metal.zeros(Float32, n, n), MtlArray([1.0f0, 2.0f0]), MtlArray(Int32[1 2; 3 4])
    macroexpand(Metal, :(@metal f(y, a, x)))
    macroexpand(Metal, :(@metal threads = 256 groups = cld(n, 256) f(y, a, x)))
    map(mtlconvert, (y, a, x)), map(mtlconvert, (y, x))
    all(Array(y) .== 2.0f0), Array(x) ≈ Array(y), length(y), size(y)
end
