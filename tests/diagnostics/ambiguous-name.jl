# A name that two modules export is neither's: both are named.
using CUDA
using KernelAbstractions
synchronize()
