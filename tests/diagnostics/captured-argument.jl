# A variable that is captured and assigned again has a box, and no kernel is given one.
using CUDA
launch(k, args...) = try @cuda k(args...) catch error; showerror(stderr, error); println(stderr) end
function assigned()
    n = 1
    kernel(o) = (o[1] = n; return)
    n = 2
    launch(kernel, CUDA.zeros(Int, 1))
end
assigned()
apply!(o, f) = (o[1] = f(); return)
function assigned_inside(n)
    next() = (n += 1)
    launch(apply!, CUDA.zeros(Int, 1), next)
end
assigned_inside(1)
let total = 0
    total += 1
    kernel(o) = (o[1] = total; return)
    total += 1
    @cuda kernel(CUDA.zeros(Int, 1))
end
