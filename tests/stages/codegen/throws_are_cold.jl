# An index out of bounds asks for the record of the launch, writes its operands there and ends the item: no exception object and
# no string are on the device.
using CUDA
checked!(y, i) = (y[i] = 1f0; return)

#: llvm sm_90 'checked!(CuDeviceVector{Float32,1}, Int64)'
#: check: define ptx_kernel void
#: check: icmp ult i64
#: check: br i1
#: check: store float
#: check: tail call ptr @julia_report_exception_1(
#: check: store i64 %2
#: check: ret void
#: check: define internal ptr @julia_report_exception_1(
#: check: cmpxchg ptr addrspace(1)
#: not: BoundsError
