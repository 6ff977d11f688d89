# What only the host has is called by the name that the program calls it by.
using CUDA
function kernel!(out)
    out[1] = time()
    sleep(1)
    file = open("data.txt")
    out[2] = read(file, UInt8)
    return
end
@cuda kernel!(CUDA.zeros(Float64, 4))
