# Output of kernels, under Metal's names: the host prints it.
using Metal

function prints(x)
    @mtlprintln "value " x
    @mtlprintf "%.2f, %d\n" x 7
    @mtlprint x " and no more\n"
    return
end
@metal prints(1.5f0)
Metal.synchronize()
