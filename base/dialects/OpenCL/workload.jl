# What most programs begin with, done when the library is loaded: calls resolved here are in the snapshot.
let n = 16, a = 3.0f0
    x, y = OpenCL.ones(Float32, n), CLArray(Base.fill(2.0f0, n))
    OpenCL.zeros(Float32, n), OpenCL.zeros(Float32, n, n), CLArray([1.0f0, 2.0f0]), CLArray(Int32[1 2; 3 4])
    macroexpand(OpenCL, :(@opencl f(y, a, x)))
    macroexpand(OpenCL, :(@opencl global_size = n local_size = 4 f(y, a, x)))
    map(kernel_convert, (y, a, x)), map(kernel_convert, (y, x))
    all(Array(y) .== 2.0f0), Array(x) ≈ Array(y), length(y), size(y)
end
