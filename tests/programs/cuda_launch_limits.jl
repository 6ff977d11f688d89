# A launch has at most 2^31 - 1 groups in a dimension, as on a GPU: kernels may count them in 32 bits.
using CUDA, Test

nothing!() = return

@test_throws ErrorException @cuda blocks=2^31 nothing!()
@test_throws ErrorException @cuda blocks=(1, 2^31) nothing!()
@test (@cuda blocks=3 threads=5 nothing!(); true)
