# Atomix: `@atomic a[i] += x` on elements of arrays, on the host and in kernels.
module Atomix

import Base.Device
export @atomic, @atomicswap, @atomicreplace

struct IndexableRef{A,I}
    data::A
    indices::I
end

@inline function pointer_to(a, indices...)
    @boundscheck checkbounds(a, indices...)
    return pointer(a, linear_index(a, indices...))
end
@inline linear_index(a, i::Integer) = Int(i)
@inline linear_index(a) = 1
@inline linear_index(a, indices...) = Base.linear_index(axes(a), Base.to_indices(a, indices))

@inline modify!(a, indices, op, x) = Device.atomic_modify!(pointer_to(a, indices...), op, x)
@inline get(a, indices) = Core.Intrinsics.atomic_pointerref(pointer_to(a, indices...), :monotonic)
@inline function set!(a, indices, x)
    Core.Intrinsics.atomic_pointerset(pointer_to(a, indices...), convert(eltype(a), x), :monotonic)
    return x
end
@inline swap!(a, indices, x) = Device.atomic_exchange!(pointer_to(a, indices...), x)

is_update(head) = head !== :(=) && (s = String(head); endswith(s, "=") && !(s in ("==", "<=", ">=", "!=")))

# `(array, indices)` of an indexing expression.
function parts(ref)
    ref isa Expr && ref.head === :ref || error("@atomic: expected an element of an array, got `$ref`")
    return esc(ref.args[1]), Expr(:tuple, map(esc, ref.args[2:end])...)
end

function expand(ex)
    if ex isa Expr && ex.head === :(=)
        a, i = parts(ex.args[1])
        return :(set!($a, $i, $(esc(ex.args[2]))))
    elseif ex isa Expr && is_update(ex.head)
        a, i = parts(ex.args[1])
        op = Symbol(String(ex.head)[1:end-1])
        return :(modify!($a, $i, $(esc(op)), $(esc(ex.args[2]))).second)
    elseif ex isa Expr && ex.head === :call && length(ex.args) == 3
        a, i = parts(ex.args[2])
        return :(modify!($a, $i, $(esc(ex.args[1])), $(esc(ex.args[3]))).second)
    elseif ex isa Expr && ex.head === :ref
        a, i = parts(ex)
        return :(get($a, $i))
    end
    error("@atomic: unsupported expression `$ex`")
end

# For other packages' `@atomic`, to be escaped: the names above resolve here, the user's where the user is.
function expand_in(ex)
    return Expr(:var"hygienic-scope", expand(ex), Atomix)
end

macro atomic(ex)
    return expand(ex)
end
macro atomic(order, ex)
    return expand(ex)
end
macro atomic(order, ref, op, x)
    a, i = parts(ref)
    return :(modify!($a, $i, $(esc(op)), $(esc(x))))
end
macro atomicswap(ex)
    a, i = parts(ex.args[1])
    return :(swap!($a, $i, $(esc(ex.args[2]))))
end
macro atomicreplace(ref, pair)
    a, i = parts(ref)
    return :(Device.atomic_cas!(pointer_to($a, $i...), $(esc(pair.args[2])), $(esc(pair.args[3]))))
end

end
