# A package beside the one that is tested.
module Shared

using CUDA

index() = (blockIdx().x - 1) * blockDim().x + threadIdx().x

end
