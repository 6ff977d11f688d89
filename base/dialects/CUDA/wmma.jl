# Matrix units: a warp multiplies small matrices, D = A * B + C, of which each lane holds some elements, a *fragment*. NVIDIA GPUs
# from sm_70 on do it by instructions; elsewhere lanes exchange the elements through memory of the group.
export WMMA
module WMMA

import ..CUDA
import ..CUDA: AS, LLVMPtr
import Base: Device, DeviceFragments
import Base.DeviceLanes: FULL_MASK, LANES, lane_index, meet
import BFloat16s: BFloat16

export Config, Fragment, FragmentLayout, RowMajor, ColMajor, Unspecified, MatrixA, MatrixB, Accumulator
export load_a, load_b, load_c, mma, store_d, fill_c

# What there is: shapes as (M, N, K), matrices, types of elements under PTX's names.
const half_shapes = [(16, 16, 16), (32, 8, 16), (8, 32, 16)]
const valid_shapes = [half_shapes; (8, 8, 4)]
const ldst_half_ab_ops = half_shapes, ["a", "b"], ["f16"]
const ldst_half_cd_ops = half_shapes, ["c", "d"], ["f16", "f32"]
const wmma_half_ops = half_shapes, ["f16"], ["f16", "f32"], ["f16", "f32"]
const ldst_int_ab_ops = half_shapes, ["a", "b"], ["u8", "s8"]
const ldst_int_cd_ops = half_shapes, ["c", "d"], ["s32"]
const wmma_int_ops = half_shapes, ["s8", "u8"], ["s32"], ["s32"]
const ldst_bf16_ab_ops = half_shapes, ["a", "b"], ["bf16"]
const wmma_bf16_ops = half_shapes, ["bf16"], ["f32"], ["f32"]
const ldst_double_ab_ops = [(8, 8, 4)], ["a", "b"], ["f64"]
const ldst_double_cd_ops = [(8, 8, 4)], ["c", "d"], ["f64"]
const wmma_double_ops = [(8, 8, 4)], ["f64"], ["f64"], ["f64"]
# TF32, the first 19 bits of a `Float32`: CUDA.jl does not have it, and its lists neither.
const ldst_tf32_ops = ([(16, 16, 8)], ["a", "b"], ["tf32"]), ([(16, 16, 8)], ["c", "d"], ["f32"])
const wmma_tf32_ops = [(16, 16, 8)], ["tf32"], ["f32"], ["f32"]
const all_ldst_ops = vcat(ldst_half_ab_ops, ldst_half_cd_ops, ldst_int_ab_ops, ldst_int_cd_ops, ldst_bf16_ab_ops, ldst_double_ab_ops,
    ldst_double_cd_ops)
const all_wmma_ops = vcat(wmma_half_ops, wmma_int_ops, wmma_bf16_ops)

const Half2 = NTuple{2,VecElement{Float16}}
# The types of elements in memory, and of the words that the instructions take.
const map_ptx_to_jl_array =
    Dict("u8" => UInt8, "s8" => Int8, "s32" => Int32, "f16" => Float16, "bf16" => BFloat16, "f32" => Float32, "f64" => Float64)
const map_ptx_to_jl_frag = Dict("u8" => UInt32, "s8" => UInt32, "s32" => Int32, "f16" => Half2, "bf16" => UInt32, "f32" => Float32, "f64" => Float64)
const map_ptx_as_to_as_ty = Dict("" => AS.Generic, "shared" => AS.Shared, "global" => AS.Global)

function get_hl_shape(M, N, K)
    (M, N, K) in valid_shapes || error("Invalid shape for WMMA: (M, N, K) = ($M, $N, $K)")
    return "m$(M)n$(N)k$(K)"
end

# A matrix of an operation, without its contents: `mat` is :a, :b, :c or :d, `elem` PTX's name of the type of its elements.
struct Tile{mat,elem,M,N,K} end
@inline rows(::Tile{mat,elem,M,N,K}) where {mat,elem,M,N,K} = mat === :b ? K : M
@inline columns(::Tile{mat,elem,M,N,K}) where {mat,elem,M,N,K} = mat === :a ? K : N
# Elements of a lane. Those of factors in half precision are in several lanes.
@inline elements(t::Tile{mat,elem}) where {mat,elem} =
    elem === :f16 && (mat === :a || mat === :b) ? 16 : rows(t) * columns(t) ÷ LANES
for (name, T) in map_ptx_to_jl_array
    @eval @inline element_type(::Tile{mat,$(QuoteNode(Symbol(name)))}) where {mat} = $T
    @eval @inline word_type(::Tile{mat,$(QuoteNode(Symbol(name)))}) where {mat} = $(map_ptx_to_jl_frag[name])
end
@inline element_type(::Tile{mat,:tf32}) where {mat} = Float32
@inline word_type(::Tile{mat,:tf32}) where {mat} = UInt32
@inline words(t::Tile) = elements(t) * sizeof(element_type(t)) ÷ sizeof(word_type(t))
# As many words as a lane has of each matrix, by the names that programs look for.
const map_frag_sizes = Dict(
    "$mat.$elem.$(get_hl_shape(mnk...))" => words(Tile{Symbol(mat),Symbol(elem),mnk...}())
    for (shapes, mats, elems) in all_ldst_ops for mnk in shapes for mat in mats for elem in elems)

# Elements as words, and back.
@inline pack(::Type{T}, ::Type{T}, x::Tuple) where {T} = x
@inline pack(::Type{Float16}, ::Type{Half2}, x::Tuple) = pack_in(Val(2), pair, x)
@inline pack(::Type{T}, ::Type{UInt32}, x::Tuple) where {T} = pack_in(Val(4 ÷ sizeof(T)), joined, x)
@inline pack_in(::Val{n}, f::F, x::NTuple{N,Any}) where {n,F,N} = ntuple(w -> f(ntuple(k -> x[n*(w-1)+k], Val(n))), Val(N ÷ n))
@inline pair(x) = map(VecElement, x)
@inline joined(x::NTuple{1,Any}) = bits(x[1])
@inline joined(x::NTuple{2,Any}) = bits(x[1]) | bits(x[2]) << 16
@inline joined(x::NTuple{4,Any}) = bits(x[1]) | bits(x[2]) << 8 | bits(x[3]) << 16 | bits(x[4]) << 24
@inline bits(x::Float32) = reinterpret(UInt32, x)
@inline bits(x::BFloat16) = UInt32(reinterpret(UInt16, x))
@inline bits(x::Union{UInt8,Int8}) = UInt32(x % UInt8)
@inline unpack(::Type{T}, ::Type{T}, x::Tuple) where {T} = x
@inline unpack(::Type{Float16}, ::Type{Half2}, x::NTuple{N,Any}) where {N} = ntuple(i -> x[(i+1)÷2][2-i%2].value, Val(2N))
@inline unpack(::Type{BFloat16}, ::Type{UInt32}, x::NTuple{N,UInt32}) where {N} =
    ntuple(i -> reinterpret(BFloat16, (x[(i+1)÷2] >> (16 * ((i - 1) % 2))) % UInt16), Val(2N))
@inline unpack(::Type{T}, ::Type{UInt32}, x::NTuple{N,UInt32}) where {T<:Union{UInt8,Int8},N} =
    ntuple(i -> (x[(i+3)÷4] >> (8 * ((i - 1) % 4))) % T, Val(4N))
# The matrix units read no more of a `Float32` than TF32 has.
@inline unpack(::Type{Float32}, ::Type{UInt32}, x::NTuple{N,UInt32}) where {N} = map(it -> reinterpret(Float32, it & 0xffffe000), x)
@inline as_words(t::Tile, x::Tuple) = pack(element_type(t), word_type(t), x)
@inline as_elements(t::Tile, x::Tuple) = unpack(element_type(t), word_type(t), x)

# Everywhere: element `e` of lane `l` (both from 0) is number `32e + l` of its matrix in column-major order, and again from its
# beginning where a lane has more elements than there are.
@inline number(t::Tile, e) = ((e - 1) * LANES + lane_index()) & (rows(t) * columns(t) - 1)
@inline function offset(t::Tile, ::Val{layout}, i::Int, stride::Int) where {layout}
    row, column = i & (rows(t) - 1), i ÷ rows(t)
    return layout === :col ? row + column * stride : row * stride + column
end
const AnyPtr{T} = Union{Ptr{T},LLVMPtr{T}}
@inline plain(::Type{T}, p::Ptr) where {T} = reinterpret(Ptr{T}, p)
@inline plain(::Type{T}, p::LLVMPtr) where {T} = reinterpret(Ptr{T}, Device.as_ptr(p))

@inline function load_words(t::Tile, layout::Val, ::Val, p, stride::Int32)
    from = plain(element_type(t), p)
    return as_words(t, ntuple(e -> unsafe_load(from, offset(t, layout, number(t, e), Int(stride)) + 1), Val(elements(t))))
end
@inline function store_words(t::Tile, layout::Val, ::Val, p, data::Tuple, stride::Int32)
    to = plain(element_type(t), p)
    all = as_elements(t, words_of(t, data))
    ntuple(e -> (unsafe_store!(to, all[e], offset(t, layout, number(t, e), Int(stride)) + 1); nothing), Val(elements(t)))
    return nothing
end
# Programs give numbers of other types, too.
@inline words_of(t::Tile, x::NTuple{N,Any}) where {N} = map(it -> convert(word_type(t), it), x)

# What is summed in.
@inline sum_type(::Type{T}) where {T<:Union{UInt8,Int8,Int32}} = Int32
@inline sum_type(::Type{T}) where {T} = Float32
@inline sum_type(::Type{Float64}) = Float64
# How a product and a sum are rounded. What is not to the nearest is there on NVIDIA GPUs alone.
@inline fused(::Val{:rn}, x, y, z) = muladd(x, y, z)
@inline fused(::Val{:rz}, x, y, z) = CUDA.fma_rz(x, y, z)
@inline fused(::Val{:rm}, x, y, z) = CUDA.fma_rm(x, y, z)
@inline fused(::Val{:rp}, x, y, z) = CUDA.fma_rp(x, y, z)
@inline function multiply_words(ta::Tile, tb::Tile, tc::Tile, td::Tile, ::Val, ::Val, rounding::Val, a::Tuple, b::Tuple, c::Tuple)
    T = element_type(ta)
    S = sum_type(T)
    of_a, of_b = rows(ta) * columns(ta), rows(tb) * columns(tb)
    slots = Device.shared_array(T, Val((LANES * (of_a + of_b),)), Val(Symbol("lane values")))
    first = (Device.local_linear() ÷ LANES) * (of_a + of_b)
    give(slots, first, ta, as_elements(ta, a))
    give(slots, first + of_a, tb, as_elements(tb, b))
    meet(FULL_MASK)
    old = as_elements(tc, c)
    new = ntuple(Val(elements(td))) do e
        i = number(td, e)
        row, column = i & (rows(td) - 1), i ÷ rows(td)
        product(slots, first + row, rows(ta), first + of_a + column * rows(tb), columns(ta), S(old[e]), rounding)
    end
    meet(FULL_MASK)
    return as_words(td, map(element_type(td), new))
end
@inline function give(slots, first::Int, t::Tile, x::Tuple)
    held = rows(t) * columns(t) ÷ LANES
    ntuple(e -> ((@inbounds slots[first+(e-1)*LANES+lane_index()+1] = x[e]); nothing), Val(held))
    return nothing
end
@inline function product(slots, row::Int, step::Int, column::Int, count::Int, sum::S, rounding::Val) where {S}
    for k in 0:count-1
        sum = fused(rounding, S(@inbounds slots[row+k*step+1]), S(@inbounds slots[column+k+1]), sum)
    end
    return sum
end

include("wmma_ptx.jl")

# The functions under LLVM's names: `llvm_wmma_load_a_col_m16n16k16_global_stride_f16(address, stride)`.
for (shapes, mats, elems) in [all_ldst_ops; ldst_tf32_ops...], mnk in shapes, mat in mats, elem in elems, layout in ("col", "row"),
    (space_name, space) in map_ptx_as_to_as_ty

    tile = Tile{Symbol(mat),Symbol(elem),mnk...}()
    verb = mat == "d" ? "store" : "load"
    name = Symbol(join(filter(!isempty, ["llvm_wmma", verb, mat, layout, "m$(mnk[1])n$(mnk[2])k$(mnk[3])", space_name, "stride", elem]), "_"))
    @eval export $name
    if verb == "load"
        @eval @inline $name(p, stride) = load_words($tile, $(Val(Symbol(layout))), $(Val(space)), p, Int32(stride))
    else
        @eval @inline $name(p, data, stride) =
            store_words($tile, $(Val(Symbol(layout))), $(Val(space)), p, data, Int32(stride))
    end
end
for (shapes, elems, c_elems, d_elems) in [all_wmma_ops; wmma_tf32_ops], mnk in shapes, elem in elems, c_elem in c_elems, d_elem in d_elems,
    a_layout in ("col", "row"), b_layout in ("col", "row")

    tiles = [Tile{Symbol(mat),Symbol(it),mnk...}() for (mat, it) in ((:a, elem), (:b, elem), (:c, c_elem), (:d, d_elem))]
    types = elem == "f16" ? [d_elem, c_elem] : [elem]
    name = Symbol(join(["llvm_wmma_mma", a_layout, b_layout, "m$(mnk[1])n$(mnk[2])k$(mnk[3])", types...], "_"))
    @eval export $name
    @eval @inline $name(a, b, c) =
        multiply_words($(tiles...), $(Val(Symbol(a_layout))), $(Val(Symbol(b_layout))), Val(:rn), a, b, c)
end
# Those of `Float64` say how they round.
const roundings = (:rn => :Nearest, :rz => :ToZero, :rm => :Down, :rp => :Up)
for a_layout in ("col", "row"), b_layout in ("col", "row")
    tiles = [Tile{mat,:f64,8,8,4}() for mat in (:a, :b, :c, :d)]
    name = Symbol("llvm_wmma_mma_$(a_layout)_$(b_layout)_m8n8k4_f64")
    for (rounding, mode) in roundings
        rounded = Symbol(name, "_", rounding)
        @eval export $rounded
        @eval @inline $rounded(a, b, c) =
            multiply_words($(tiles...), $(Val(Symbol(a_layout))), $(Val(Symbol(b_layout))), $(Val(rounding)), a, b, c)
        @eval @inline $name(a, b, c, ::RoundingMode{$(QuoteNode(mode))}) = $rounded(a, b, c)
    end
    @eval export $name
    @eval @inline $name(a, b, c) = $name(a, b, c, RoundNearest)
end

# Nested tuples as flat ones, and back.
@inline flatten(x) = (x,)
@inline flatten(x::VecElement) = (x.value,)
@inline flatten(x::Tuple) = flatten_all(x...)
@inline flatten_all() = ()
@inline flatten_all(x, rest...) = (flatten(x)..., flatten_all(rest...)...)
count_flat(::Type{T}) where {T} = T <: Tuple ? sum(count_flat, fieldtypes(T); init = 0) : 1
function unflatten_code(::Type{T}, first::Int) where {T}
    T <: Tuple || return T <: VecElement ? :($T(x[$first])) : :(x[$first])
    all = Expr(:tuple)
    for it in fieldtypes(T)
        push!(all.args, unflatten_code(it, first))
        first += count_flat(it)
    end
    return all
end
@generated unflatten(::Type{T}, x) where {T} = unflatten_code(T, 1)
@inline flatten_bf16(x::Tuple) = unpack(BFloat16, UInt32, x)
@inline unflatten_bf16(x::Tuple) = pack(BFloat16, UInt32, x)

# The functions of programs.
abstract type FragmentLayout end
struct RowMajor <: FragmentLayout end
struct ColMajor <: FragmentLayout end
struct Unspecified <: FragmentLayout end
abstract type FragmentUse end
struct MatrixA <: FragmentUse end
struct MatrixB <: FragmentUse end
struct Accumulator <: FragmentUse end

# What a lane holds of a matrix: `FS` elements of type `T`, in an order that the device chooses.
struct Fragment{M,N,K,FS,T,L<:FragmentLayout,U<:FragmentUse} <: DeviceFragments.LaneFragment
    x::NTuple{FS,T}
end
Base.@propagate_inbounds Base.getindex(f::Fragment, i) = f.x[i]
@inline Base.firstindex(f::Fragment) = 1
@inline Base.lastindex(::Fragment{M,N,K,FS}) where {M,N,K,FS} = FS
@inline Base.length(::Fragment{M,N,K,FS}) where {M,N,K,FS} = FS

# The shape of an operation and the type of the elements of its result.
struct Config{M,N,K,d_type} end

@inline layout_name(::Type{ColMajor}) = Val(:col)
@inline layout_name(::Type{RowMajor}) = Val(:row)
@inline function layout_name(::Type)
    Device.@static_assert false "a matrix in memory is `WMMA.ColMajor` or `WMMA.RowMajor`"
    return Val(:col)
end
# Whether an operation has such a matrix. What no operation has is refused where the kernel is compiled, and nothing is done with it, so
# that the compiler does not meet an instruction that does not exist.
@inline function is_there(mat::Val, ::Type{T}, ::Type{<:Config{M,N,K}}) where {T,M,N,K}
    Device.@static_assert has_element(mat, T) "WMMA multiplies Float16, BFloat16 and Float64 and sums in Float16, Float32 and Float64; integers have functions under LLVM's names only"
    Device.@static_assert !has_element(mat, T) || has_shape(T, M, N, K) "WMMA has the shapes 16x16x16, 32x8x16 and 8x32x16, and of Float64 8x8x4"
    return has_element(mat, T) && has_shape(T, M, N, K)
end
@inline has_shape(::Type{Float64}, M, N, K) = (M === 8) & (N === 8) & (K === 4)
@inline has_shape(::Type, M, N, K) = ((M === 16) & (N === 16) | (M === 32) & (N === 8) | (M === 8) & (N === 32)) & (K === 16)
@inline has_element(::Val{mat}, ::Type{T}) where {mat,T} =
    mat === :a || mat === :b ? T === Float16 || T === BFloat16 || T === Float64 : T === Float16 || T === Float32 || T === Float64
@inline tile(::Val{mat}, ::Type{T}, ::Type{<:Config{M,N,K}}) where {mat,T,M,N,K} = Tile{mat,element_name(T),M,N,K}()
@inline element_name(::Type) = :f32
@inline element_name(::Type{Float16}) = :f16
@inline element_name(::Type{BFloat16}) = :bf16
@inline element_name(::Type{Float64}) = :f64
@inline space(::Ptr) = Val(AS.Generic)
@inline space(::LLVMPtr{T,A}) where {T,A} = Val(A)

for (mat, use) in ((:a, :MatrixA), (:b, :MatrixB), (:c, :Accumulator))
    kept = mat === :c ? :Unspecified : :L
    @eval @inline function $(Symbol(:load_, mat))(p::AnyPtr{T}, stride::Number, ::Type{L}, config::Type{Config{M,N,K,D}}) where {
            T,L,M,N,K,D}
        is_there($(Val(mat)), T, config) || return Fragment{M,N,K,1,T,$kept,$use}((unsafe_load(plain(T, p)),))
        t = tile($(Val(mat)), T, config)
        x = as_elements(t, load_words(t, layout_name(L), space(p), p, Int32(stride)))
        return Fragment{M,N,K,length(x),T,$kept,$use}(x)
    end
end
@inline mma(a::Fragment, b::Fragment, c::Fragment, config::Type{<:Config}) = mma(a, b, c, config, RoundNearest)
@inline function mma(a::Fragment{M,N,K,AS,A,AL,MatrixA}, b::Fragment{M,N,K,BS,B,BL,MatrixB}, c::Fragment{M,N,K,CS,C,Unspecified,Accumulator},
        config::Type{Config{M,N,K,D}}, rounding::RoundingMode) where {M,N,K,AS,A,AL,BS,B,BL,CS,C,D}
    Device.@static_assert A === B "the factors of a product are of one type"
    Device.@static_assert are_summed(A, C, D) "products of BFloat16 are summed in Float32, of Float64 in Float64, of Float16 in Float16 or Float32"
    Device.@static_assert A === Float64 || rounding === RoundNearest "products are rounded to the nearest number; of Float64 in each direction"
    is_product = is_there(Val(:a), A, config) && A === B && are_summed(A, C, D) && (A === Float64 || rounding === RoundNearest)
    is_product || return Fragment{M,N,K,CS,D,Unspecified,Accumulator}(map(it -> convert(D, it), c.x))
    ta, tb, tc, td = tile(Val(:a), A, config), tile(Val(:b), B, config), tile(Val(:c), C, config), tile(Val(:d), D, config)
    x = as_elements(td, multiply_words(ta, tb, tc, td, layout_name(AL), layout_name(BL), rounding_name(rounding),
        as_words(ta, a.x), as_words(tb, b.x), as_words(tc, c.x)))
    return Fragment{M,N,K,length(x),D,Unspecified,Accumulator}(x)
end
@inline are_summed(A, C, D) = A === Float64 ? (C === Float64) & (D === Float64) : A === Float16 ?
    ((C === Float16) | (C === Float32)) & ((D === Float16) | (D === Float32)) : (C === Float32) & (D === Float32)
for (rounding, mode) in roundings
    @eval @inline rounding_name(::RoundingMode{$(QuoteNode(mode))}) = $(Val(rounding))
end
@inline function rounding_name(::RoundingMode)
    Device.@static_assert false "products of Float64 are rounded to the nearest number, to zero, up or down"
    return Val(:rn)
end
@inline function store_d(p::AnyPtr{T}, d::Fragment{M,N,K,FS,T,Unspecified,Accumulator}, stride::Number, ::Type{L},
        config::Type{Config{M,N,K,T}}) where {T,M,N,K,FS,L}
    is_there(Val(:d), T, config) || return nothing
    t = tile(Val(:d), T, config)
    store_words(t, layout_name(L), space(p), p, as_words(t, d.x), Int32(stride))
    return nothing
end
@inline function fill_c(value::T, config::Type{Config{M,N,K,D}}) where {T,M,N,K,D}
    is_there(Val(:c), T, config) || return Fragment{M,N,K,1,T,Unspecified,Accumulator}((value,))
    count = elements(tile(Val(:c), T, config))
    return Fragment{M,N,K,count,T,Unspecified,Accumulator}(ntuple(_ -> value, Val(count)))
end

# Broadcasts are over the elements of a lane.
@inline DeviceFragments.lane_elements(f::Fragment) = f.x
@inline DeviceFragments.with_lane_elements(f::Fragment, x::Tuple) = typeof(f)(x)

end
