# Matrix units by NVIDIA's instructions. LLVM's names of them have shape, matrix, layout, types and address space; they take and
# give words one by one, where Julia has tuples.

import Base: Experimental
import Base.DeviceTables: ptx

llvm_word(::Type{UInt32}) = "i32"
llvm_word(::Type{Int32}) = "i32"
llvm_word(::Type{Float32}) = "float"
llvm_word(::Type{Float64}) = "double"
llvm_word(::Type{Half2}) = "<2 x half>"
many(n, type) = join((type for _ in 1:n), ", ")
llvm_pointer(space) = space == 0 ? "ptr" : "ptr addrspace($space)"
shape_name(::Tile{mat,elem,M,N,K}) where {mat,elem,M,N,K} = "m$(M)n$(N)k$(K)"
llvm_types(t::Tile) = (words(t), llvm_word(word_type(t)))

# The text that takes a parameter `name`, an array, apart.
taken(name, n, type) = join(("%$name$i = extractvalue [$n x $type] %$name, $i\n" for i in 0:n-1))
given(name, n, type) = join(("$type %$name$i" for i in 0:n-1), ", ")
# The text of a function that gives the `n` words of what `call` calls as an array.
function gathered(n, type, result, call)
    n == 1 && return "%r = call $type $call\n%g = insertvalue [1 x $type] poison, $type %r, 0\nret [1 x $type] %g\n"
    text = "%r = call $result $call\n"
    last = "poison"
    for i in 0:n-1
        text *= "%x$i = extractvalue $result %r, $i\n%g$i = insertvalue [$n x $type] $last, $type %x$i, $i\n"
        last = "%g$i"
    end
    return text * "ret [$n x $type] $last\n"
end
result_type(n, type) = n == 1 ? type : "{ $(many(n, type)) }"

@generated function ptx_load(t::Tile{mat,elem}, ::Val{layout}, ::Val{space}, p, stride::Int32) where {mat,elem,layout,space}
    n, type = llvm_types(t.instance)
    name = "@llvm.nvvm.wmma.$(shape_name(t.instance)).load.$mat.$layout.stride.$elem.p$space"
    result, pointer = result_type(n, type), llvm_pointer(space)
    text = "declare $result $name($pointer, i32)\ndefine [$n x $type] @load($pointer %p, i32 %s) alwaysinline {\n" *
        gathered(n, type, result, "$name($pointer %p, i32 %s)") * "}\n"
    R = NTuple{n,word_type(t.instance)}
    return :(Base.llvmcall(($text, "load"), $R, Tuple{$p,Int32}, p, stride))
end
@generated function ptx_store(t::Tile{mat,elem}, ::Val{layout}, ::Val{space}, p, data::Tuple, stride::Int32) where {mat,elem,layout,space}
    n, type = llvm_types(t.instance)
    name = "@llvm.nvvm.wmma.$(shape_name(t.instance)).store.$mat.$layout.stride.$elem.p$space"
    pointer = llvm_pointer(space)
    text = "declare void $name($pointer, $(many(n, type)), i32)\n" *
        "define void @store($pointer %p, [$n x $type] %d, i32 %s) alwaysinline {\n" * taken("d", n, type) *
        "call void $name($pointer %p, $(given("d", n, type)), i32 %s)\nret void\n}\n"
    return :(Base.llvmcall(($text, "store"), Cvoid, Tuple{$p,$data,Int32}, p, data, stride))
end
@generated function ptx_multiply(ta::Tile{:a,elem}, tb::Tile, tc::Tile{:c,c_elem}, td::Tile{:d,d_elem}, ::Val{a_layout}, ::Val{b_layout},
        ::Val{rounding}, a::Tuple, b::Tuple, c::Tuple) where {elem,c_elem,d_elem,a_layout,b_layout,rounding}
    types = elem === :f16 ? "$d_elem.$c_elem" : elem === :f64 ? "$rounding.f64" : "$elem"
    name = "@llvm.nvvm.wmma.$(shape_name(ta.instance)).mma.$a_layout.$b_layout.$types"
    n, type = llvm_types(td.instance)
    result = result_type(n, type)
    parts = [(letter, llvm_types(it.instance)...) for (letter, it) in (("a", ta), ("b", tb), ("c", tc))]
    params = join(("[$k x $word] %$letter" for (letter, k, word) in parts), ", ")
    text = "declare $result $name($(join((many(k, word) for (_, k, word) in parts), ", ")))\n" *
        "define [$n x $type] @multiply($params) alwaysinline {\n" * join(taken(it...) for it in parts) *
        gathered(n, type, result, "$name($(join((given(it...) for it in parts), ", ")))") * "}\n"
    R = NTuple{n,word_type(td.instance)}
    return :(Base.llvmcall(($text, "multiply"), $R, Tuple{$a,$b,$c}, a, b, c))
end

# An address in the space that a function's name says.
@inline in_space(::Val{0}, ::Type{T}, p::Ptr) where {T} = reinterpret(Ptr{T}, p)
@inline in_space(::Val{0}, ::Type{T}, p::LLVMPtr) where {T} = plain(T, p)
@inline in_space(::Val{space}, ::Type{T}, p::Ptr) where {space,T} = Device.as_device_ptr(T, Val(space), p)
@inline in_space(::Val{space}, ::Type{T}, p::LLVMPtr) where {space,T} = Device.as_device_ptr(T, Val(space), Device.as_ptr(p))

Experimental.@overlay ptx @inline load_words(t::Tile, layout::Val, space::Val, p, stride::Int32) =
    ptx_load(t, layout, space, in_space(space, element_type(t), p), stride)
Experimental.@overlay ptx @inline store_words(t::Tile, layout::Val, space::Val, p, data::Tuple, stride::Int32) =
    ptx_store(t, layout, space, in_space(space, element_type(t), p), words_of(t, data), stride)
Experimental.@overlay ptx @inline multiply_words(ta::Tile, tb::Tile, tc::Tile, td::Tile, a_layout::Val, b_layout::Val,
        rounding::Val, a::Tuple, b::Tuple, c::Tuple) =
    ptx_multiply(ta, tb, tc, td, a_layout, b_layout, rounding, a, b, c)
