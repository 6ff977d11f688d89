# MISSION P2: a function that is not inlined has a vector variant, in its own unit: what differs between items are vectors, an array and
# the state of the item are passed once, and the mask is last. The loop over items calls it once for a vector of items.
using CUDA

@noinline function turns(x::Float32, n::Int32)
    k = Int32(0)
    while k < n && x < 1.0f6
        x = x * x
        k += Int32(1)
    end
    return Float32(k) + x
end
function turns!(o, n)
    i = threadIdx().x
    @inbounds o[i] = turns(o[i], n)
    return
end

# One that may fail takes the state of the item, and returns the sites of the items that failed beside their values.
@noinline pick(table, i) = table[i]
function pick!(o, table, index)
    i = threadIdx().x
    @inbounds o[i] = pick(table, index[i])
    return
end

# Two of eight lanes: a kernel of single precision that calls a function of double precision has as many as that.
@noinline horner(x::Float64) = evalpoly(x, (1.0, 0.5, 0.25, 0.125, 0.0625, 0.03, 0.01, 0.005))
function horner!(o)
    i = threadIdx().x
    @inbounds o[i] = Float32(horner(Float64(o[i])))
    return
end

# A function that calls itself is called item by item.
@noinline depth(n::Int32) = n <= 0 ? Int32(0) : depth(n - Int32(2)) + Int32(1)
function depth!(o)
    i = threadIdx().x
    @inbounds o[i] = depth(o[i])
    return
end

#: llvm x86-64-v4 'turns!(CuDeviceVector{Float32,1}, Int32)'
#: check: call <16 x float> @c1.lanes(<16 x float>
#: check: define float @f0(float
#: check: define <16 x float> @f0.lanes(<16 x float> %0, <16 x i32> %1, <16 x i1> %2)
#: check: fmul <16 x float>
#: llvm x86-64-v3 'turns!(CuDeviceVector{Float32,1}, Int32)'
#: check: call <8 x float> @c1.lanes(<8 x float>
#: check: define <8 x float> @f0.lanes(<8 x float> %0, <8 x i32> %1, <8 x i1> %2)
#: llvm x86-64-v4 'pick!(CuDeviceVector{Float32,1}, CuDeviceVector{Float32,1}, CuDeviceVector{Int,1})'
#: check: call { <16 x float>, <16 x i32> } @c1.lanes(ptr
#: check: define { <16 x float>, <16 x i32> } @f0.lanes(ptr
#: check: @llvm.masked.gather.v16f32
#: llvm x86-64-v4 'horner!(CuDeviceVector{Float32,1})'
#: check: call <8 x double> @c1.lanes(<8 x double>
#: llvm x86-64-v4 'depth!(CuDeviceVector{Int32,1})'
#: not: .lanes
