# What most programs begin with, done when the library is loaded: calls resolved here are in the snapshot.
let n = 16, a = 3.0f0
    x, y = AMDGPU.ones(Float32, n), ROCArray(Base.fill(2.0f0, n))
    AMDGPU.zeros(Float32, n), AMDGPU.zeros(Float32, n, n), ROCArray([1.0f0, 2.0f0]), ROCArray([1 2; 3 4])
    macroexpand(AMDGPU, :(@roc f(y, a, x)))
    macroexpand(AMDGPU, :(@roc groupsize = 256 gridsize = cld(n, 256) f(y, a, x)))
    map(rocconvert, (y, a, x)), map(rocconvert, (y, x))
    all(Array(y) .== 2.0f0), Array(x) ≈ Array(y), length(y), size(y)
end
