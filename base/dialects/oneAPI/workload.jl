# What most programs begin with, done when the library is loaded: calls resolved here are in the snapshot.
let n = 16, a = 3.0f0
    x, y = oneAPI.ones(Float32, n), oneArray(Base.fill(2.0f0, n))
    oneAPI.zeros(Float32, n), oneAPI.zeros(Float32, n, n), oneArray([1.0f0, 2.0f0]), oneArray(Int32[1 2; 3 4])
    macroexpand(oneAPI, :(@oneapi f(y, a, x)))
    macroexpand(oneAPI, :(@oneapi items = 256 groups = cld(n, 256) f(y, a, x)))
    map(kernel_convert, (y, a, x)), map(kernel_convert, (y, x))
    all(Array(y) .== 2.0f0), Array(x) ≈ Array(y), length(y), size(y)
end
