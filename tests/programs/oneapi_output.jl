# Output of kernels, under the names that oneAPI and OpenCL share: the host prints it.
using oneAPI, OpenCL

function prints(x)
    oneAPI.@println "value " x
    oneAPI.@printf "%.2f, %d\n" x 7
    OpenCL.@print x " and no more\n"
    y = OpenCL.@show x + 1
    oneAPI.@println "twice $(2y)"
    return
end
@oneapi prints(1.5f0)
oneAPI.synchronize()
