# A generated function has no body for types that its generator does not take.
using CUDA
@generated function dimensions(a)
    a <: AbstractArray || error("no array: $a")
    return ndims(a)
end
direct!(o) = (o[1] = dimensions(o[1]); return)
measure(x) = dimensions(x) + 1
through!(o) = (o[1] = measure(1.0f0); return)
launch(k) = try @cuda k(CUDA.zeros(Int, 1)) catch error; showerror(stderr, error); println(stderr) end
foreach(launch, (direct!, through!))
exit(1)
