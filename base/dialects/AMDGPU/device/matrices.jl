# Matrix units: the lanes of a wave multiply 16 x 16 matrices together, D = A * B + C, of which each holds some elements. GPUs of
# RDNA 3 (gfx11) and RDNA 4 (gfx12) do it by instructions, each in an order of its own, under the names of upstream's modules;
# elsewhere lanes exchange the elements through memory of the group.

# `held`: the elements of A and B that a lane has. `depth(e, half)` says which of its row or column the element `e` is, from 0,
# and `sum_row(e, half)` which row of the result; `half` is 0 for the first 16 lanes.
function define_matrices(name::Symbol, held::Int, depth, sum_row, intrinsics)
    by_instruction(T, intrinsic) = :(Experimental.@overlay gcn_method_table @inline multiply(
            a::NTuple{$held,VecElement{$T}}, b::NTuple{$held,VecElement{$T}}, c::Sums) =
        ccall($intrinsic, llvmcall, Sums, (NTuple{$held,VecElement{$T}}, NTuple{$held,VecElement{$T}}, Sums), a, b, c))
    @eval module $name
    export Fragment, M, N, K, ColMajor, RowMajor, load_a, load_b, load_c, store_d, mma, fill_c

    import Base: DeviceFragments, Experimental
    import ..DeviceLanes
    import ..Kernels
    import ..gcn_method_table
    import BFloat16s: BFloat16

    const M, N, K = 16, 16, 16

    # A part of an `M` x `N` matrix: `L` elements of type `T`.
    struct Fragment{M,N,T,L} <: DeviceFragments.LaneFragment
        data::NTuple{L,VecElement{T}}
    end
    const FragmentA{T} = Fragment{16,16,T,$held}
    const FragmentB{T} = Fragment{16,16,T,$held}
    const FragmentC_F32 = Fragment{16,16,Float32,8}
    struct ColMajor end
    struct RowMajor end

    @inline lane() = DeviceLanes.lane_index()
    @inline across() = lane() & 15
    @inline half() = (lane() >> 4) & 1
    @inline depth(e::Int, half::Int) = $depth
    @inline sum_row(e::Int, half::Int) = $sum_row

    # Numbers of 16 bits that LLVM has as integers travel as such.
    const Factor = Union{Float16,BFloat16}
    const Number = Union{Float32,Float16,BFloat16}
    @inline carried(::Type{Float16}) = Float16
    @inline carried(::Type{BFloat16}) = Int16
    @inline carried(x::Float16) = x
    @inline carried(x::BFloat16) = reinterpret(Int16, x)
    @inline plain(x::Float16) = Float32(x)
    @inline plain(x::Int16) = Float32(reinterpret(BFloat16, x))

    const AnyPtr{T} = Union{Ptr{T},Core.LLVMPtr{T}}
    @inline address(p::Ptr) = p
    @inline address(p::Core.LLVMPtr) = Kernels.as_ptr(p)
    @inline place(row::Int, column::Int, stride::Integer, ::Type{ColMajor}) = column * Int(stride) + row + 1
    @inline place(row::Int, column::Int, stride::Integer, ::Type{RowMajor}) = row * Int(stride) + column + 1

    @inline fill_c(::Type{Float32}, x::Float32) = FragmentC_F32(ntuple(_ -> VecElement(x), Val(8)))
    @inline load_a(p::AnyPtr{T}, stride::Integer, layout) where {T<:Factor} = FragmentA{carried(T)}(ntuple(
        e -> VecElement(carried(unsafe_load(address(p), place(across(), depth(e, half()), stride, layout)))), Val($held)))
    @inline load_b(p::AnyPtr{T}, stride::Integer, layout) where {T<:Factor} = FragmentB{carried(T)}(ntuple(
        e -> VecElement(carried(unsafe_load(address(p), place(depth(e, half()), across(), stride, layout)))), Val($held)))
    @inline load_c(p::AnyPtr{T}, stride::Integer, layout) where {T<:Number} = FragmentC_F32(ntuple(
        e -> VecElement(Float32(unsafe_load(address(p), place(sum_row(e, half()), across(), stride, layout)))), Val(8)))
    @inline function store_d(p::AnyPtr{T}, d::FragmentC_F32, stride::Integer, layout = ColMajor) where {T<:Number}
        ntuple(Val(8)) do e
            unsafe_store!(address(p), T(d.data[e].value), place(sum_row(e, half()), across(), stride, layout))
            nothing
        end
        return nothing
    end

    @inline mma(a::FragmentA{T}, b::FragmentB{T}, c::FragmentC_F32) where {T<:Union{Float16,Int16}} =
        FragmentC_F32(multiply(a.data, b.data, c.data))
    @inline function multiply(a::NTuple{$held,VecElement{T}}, b, c) where {T}
        slots = Kernels.shared_array(T, Val((32 * 512,)), Val(Symbol("lane values")))
        first = (Kernels.local_linear() ÷ 32) * 512 + 1
        ntuple(Val($held)) do e
            k = depth(e, half())
            @inbounds slots[first+across()+16k] = a[e].value
            @inbounds slots[first+256+k+16*across()] = b[e].value
            nothing
        end
        DeviceLanes.meet(DeviceLanes.FULL_MASK)
        sums = ntuple(Val(8)) do e
            sum = c[e].value
            for k in 0:15
                x, y = (@inbounds slots[first+sum_row(e, half())+16k]), @inbounds slots[first+256+k+16*across()]
                sum = muladd(plain(x), plain(y), sum)
            end
            VecElement(sum)
        end
        DeviceLanes.meet(DeviceLanes.FULL_MASK)
        return sums
    end
    const Sums = NTuple{8,VecElement{Float32}}
    $(map(by_instruction, (:Float16, :Int16), intrinsics)...)

    # Broadcasts are over the elements of a lane.
    @inline DeviceFragments.lane_elements(f::Fragment) = map(it -> it.value, f.data)
    @inline DeviceFragments.with_lane_elements(::Fragment{R,C,T,L}, x::Tuple) where {R,C,T,L} =
        Fragment{R,C,T,L}(map(it -> VecElement(convert(T, it)), x))
    end
    return nothing
end
define_matrices(:WMMA_RDNA3, 16, :(e - 1), :(2 * (e - 1) + half),
    ("llvm.amdgcn.wmma.f32.16x16x16.f16", "llvm.amdgcn.wmma.f32.16x16x16.bf16"))
define_matrices(:WMMA_RDNA4, 8, :(e - 1 + 8half), :(e - 1 + 8half),
    ("llvm.amdgcn.wmma.f32.16x16x16.f16.v8f32.v8f16", "llvm.amdgcn.wmma.f32.16x16x16.bf16.v8f32.v8i16"))
export WMMA_RDNA3, WMMA_RDNA4

# Matrix units of CDNA (gfx90a, gfx942): waves of 64 lanes, under the names of AMD's instructions. Lane `l` has, of A and B, four
# elements of row or column `l % n`, of a depth from `4 (l ÷ n)` on, or one element at depth `l ÷ n`; of the result the column
# `l % n`, in blocks of four rows.
const Lane4{T} = NTuple{4,VecElement{T}}
const Lane16{T} = NTuple{16,VecElement{T}}
@inline wide(x::Float16) = Float32(x)
@inline wide(x::Int16) = reinterpret(Float32, UInt32(x % UInt16) << 16)
@inline wide(x::Float32) = x
@inline wide(x::VecElement) = wide(x.value)
@inline nth(x::Tuple, e::Int) = x[e].value
@inline nth(x, e::Int) = x
@inline given(x::Tuple) = length(x)
@inline given(x) = 1
@inline given_type(::NTuple{N,VecElement{T}}) where {N,T} = T
@inline given_type(::T) where {T} = T
@inline function multiply_wave(::Val{n}, a, b, c::NTuple{count,VecElement{Float32}}) where {n,count}
    Kernels.@static_assert DeviceLanes.wave_size() === 64 "an operation of waves of 64 items: a GPU of CDNA, or the processor as one (`--as gfx90a`)"
    held = given(a)
    depth = held * (64 ÷ n)
    slots = Kernels.shared_array(given_type(a), Val((16 * 2 * n * depth,)), Val(Symbol("lane values")))
    lane = Int(DeviceLanes.wave_lane())
    first = (Kernels.local_linear() ÷ 64) * 2 * n * depth + 1
    across, block = lane & (n - 1), lane ÷ n
    ntuple(Val(held)) do e
        k = held * block + e - 1
        @inbounds slots[first+across+n*k] = nth(a, e)
        @inbounds slots[first+n*depth+k+depth*across] = nth(b, e)
        nothing
    end
    DeviceLanes.wave_ballot(true)
    sums = ntuple(Val(count)) do e
        row = ((e - 1) ÷ 4) * 4 * (64 ÷ n) + 4block + (e - 1) % 4
        sum = c[e].value
        for k in 0:depth-1
            sum = muladd(wide(@inbounds slots[first+row+n*k]), wide(@inbounds slots[first+n*depth+k+depth*across]), sum)
        end
        VecElement(sum)
    end
    DeviceLanes.wave_ballot(true)
    return sums
end
# `cbsz`, `abid` and `blgp`, which make lanes share elements, are 0.
for (name, intrinsic, n, Of, Sums) in (
        (:mfma_f32_16x16x16f16, "llvm.amdgcn.mfma.f32.16x16x16f16", 16, Lane4{Float16}, Lane4{Float32}),
        (:mfma_f32_32x32x8f16, "llvm.amdgcn.mfma.f32.32x32x8f16", 32, Lane4{Float16}, Lane16{Float32}),
        (:mfma_f32_16x16x16bf16_1k, "llvm.amdgcn.mfma.f32.16x16x16bf16.1k", 16, Lane4{Int16}, Lane4{Float32}),
        (:mfma_f32_32x32x8bf16_1k, "llvm.amdgcn.mfma.f32.32x32x8bf16.1k", 32, Lane4{Int16}, Lane16{Float32}),
        (:mfma_f32_16x16x4f32, "llvm.amdgcn.mfma.f32.16x16x4f32", 16, Float32, Lane4{Float32}),
        (:mfma_f32_32x32x2f32, "llvm.amdgcn.mfma.f32.32x32x2f32", 32, Float32, Lane16{Float32}))
    @eval @inline $name(a::$Of, b::$Of, c::$Sums) = multiply_wave(Val($n), a, b, c)
    @eval Experimental.@overlay gcn_method_table @inline $name(a::$Of, b::$Of, c::$Sums) =
        ccall($intrinsic, llvmcall, $Sums, ($Of, $Of, $Sums, Int32, Int32, Int32), a, b, c, Int32(0), Int32(0), Int32(0))
    @eval export $name
end
