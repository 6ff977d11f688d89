# Items of a row are lanes of vectors, whatever is inside of their loop: a loop that all items run alike stays as it is, one that they
# leave in different turns runs under a mask until no lane is left; uniform values are scalars, strides other than one are gathers.
using CUDA

# A uniform loop: `a` is loaded as a vector, `b` as a scalar, and the branch of the loop tests no lane. The sum that it carries makes
# it wait for itself, so four vectors are on their way at once; what they leave is one vector with a mask.
function matmul!(c, a, b)
    i = threadIdx().x + (blockIdx().x - 1) * blockDim().x
    j = blockIdx().y
    s = 0.0f0
    for k in 1:size(a, 2)
        @inbounds s += a[i, k] * b[k, j]
    end
    @inbounds c[i, j] = s
    return
end

# A divergent loop.
function turns!(o, limit)
    i = threadIdx().x
    x = Float32(i)
    k = Int32(0)
    while k < limit && x < 1.0f6
        x = x * x
        k += Int32(1)
    end
    @inbounds o[i] = k
    return
end

# A table look-up in a branch of some items, whose other items divide by zero.
function pick!(o, table, index)
    i = threadIdx().x
    @inbounds if index[i] != 0
        o[i] = table[Int32(100) ÷ index[i]]
    end
    return
end

# Indices of 64 bits, of which a lane adds a part of 32 bits to what all share: that part is compared.
function border!(o, n)
    i = Int64(threadIdx().x) + (Int64(blockIdx().x) - 1) * Int64(blockDim().x)
    @inbounds o[i] = ifelse(i < n, 0.0f0, 1.0f0)
    return
end

# Atomics run lane by lane.
function count!(cells, index)
    i = threadIdx().x
    @inbounds CUDA.@atomic cells[index[i]] += Int32(1)
    return
end

#: llvm x86-64-v4 'matmul!(CuDeviceMatrix{Float32,1}, CuDeviceMatrix{Float32,1}, CuDeviceMatrix{Float32,1})'
#: check: define void @entry
#: check: load <64 x float>, ptr
#: check: load float, ptr
#: check: fmul <64 x float>
#: check: fadd <64 x float>
#: check: call <16 x float> @llvm.masked.load.v16f32
#: check: load float, ptr
#: check: fmul <16 x float>
#: check: fadd <16 x float>
#: not: bitcast <16 x i1>
#: llvm x86-64-v3 'matmul!(CuDeviceMatrix{Float32,1}, CuDeviceMatrix{Float32,1}, CuDeviceMatrix{Float32,1})'
#: check: define void @entry
#: check: fmul <32 x float>
#: check: fadd <32 x float>
#: check: fmul <8 x float>
#: check: fadd <8 x float>
#: llvm x86-64-v4 'turns!(CuDeviceVector{Int32,1}, Int32)'
#: check: <16 x float>
#: check: bitcast <16 x i1>
#: check: @llvm.masked.store.v16i32
#: llvm x86-64-v4 'pick!(CuDeviceVector{Float32,1}, CuDeviceVector{Float32,1}, CuDeviceVector{Int32,1})'
#: check: bitcast <16 x i1>
#: check: sdiv <16 x i32>
#: check: @llvm.masked.gather.v16f32
#: check: @llvm.masked.store.v16f32
#: llvm x86-64-v4 'border!(CuDeviceVector{Float32,1}, Int64)'
#: check: icmp slt <16 x i32>
#: check: @llvm.masked.store.v16f32
#: llvm x86-64-v4 'count!(CuDeviceVector{Int32,1}, CuDeviceVector{Int32,1})'
#: check: atomicrmw add
