# `U` is in no argument's type, so no call says what it is; nor does one without the rest of its arguments.
using CUDA
element(x::T, y::S...) where {T, S} = (S; x)
kernel!(o) = (o[1] = element(o[1]); return)
launch(k) = try @cuda k(CUDA.zeros(Float32, 1)) catch error; showerror(stderr, error); println(stderr) end
launch(kernel!)
unused(x::T) where {T, U} = U
unused(1)
