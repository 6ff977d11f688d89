# What can only throw is an error of the kernel, by Julia's name of the exception; where data decides, a warning.
using CUDA
struct Pair2
    a::Int
    b::Float32
end
option(; width = 1) = width
launch(k, args...) = try @cuda k(CUDA.zeros(Float32, 4), args...) catch error; showerror(stderr, error); println(stderr) end
field!(o) = (o.foo; return)
field_of!(o, p) = (o[1] = p.c; return)
assigned_field!(o, p) = (p.a = 2; return)
keyword!(o) = (o[1] = option(; height = 1); return)
variable!(o) = (local y; o[1] = y; return)
element!(o) = (t = (1, 2); o[1] = t[3]; return)
asserted!(o) = (o[1] = (1f0 isa Int)::Int; return)
on_data!(o) = (o[1] > 3 && (o[1] = (1, 2)[3]); return)
thrown!(o) = throw(ArgumentError("the program's own"))
foreach(launch, (field!, keyword!, variable!, element!, asserted!))
launch(field_of!, Pair2(1, 2))
launch(assigned_field!, Pair2(1, 2))
foreach(k -> @cuda(launch = false, k(CUDA.zeros(Float32, 4))), (on_data!, thrown!))
exit(1)
